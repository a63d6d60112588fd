"""Tool search: where there are more tools than are offered, the model finds the others by what they do.

What it finds stays on offer for the turn. Pure.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from math import log
from typing import Final

from glassloop.core.messages import ToolSpec
from glassloop.core.protocols.tolerant.repair import properties
from glassloop.core.protocols.tool_catalog import describe_tools
from glassloop.core.records import Json, ToolResult

FIND_TOOLS: Final = "find_tools"
MAX_FOUND: Final = 5
MAX_NAMES_CHARS: Final = 4_000
_MAX_QUERY_CHARS: Final = 500
_NAME_WEIGHT: Final = 3


def find_tools_spec(others: Mapping[str, ToolSpec]) -> ToolSpec:
    """The search itself as a tool, with the names of what it can find."""
    names, size = list[str](), 0
    for name in others:
        size += len(name) + 2
        if size > MAX_NAMES_CHARS:
            names.append(f"and {len(others) - len(names)} more")
            break
        names.append(name)
    return ToolSpec(
        name=FIND_TOOLS,
        description=(
            "Make further tools available for this question. Search by what a tool should do, or by its name; what is "
            f"found can be called in the next step. There are: {', '.join(names)}."
        ),
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What the tool should do, or names from the list above."}
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        effect="read",
        waits=False,
    )


def find_tools(args: dict[str, Json], tools: Mapping[str, ToolSpec]) -> ToolResult:
    """The tools that fit a query best, with their parameters; `metadata.tools` has their names."""
    query = args.get("query")
    if not isinstance(query, str) or not query.strip():
        return ToolResult(success=False, error="`query` is empty: say what the tool should do.")
    names = _ranked(query[:_MAX_QUERY_CHARS], tools)[:MAX_FOUND]
    if not names:
        return ToolResult(success=False, error=f"No tool fits {query[:100]!r}: use other words, or do without one.")
    found = describe_tools({name: tools[name] for name in names}).partition("\n")[2]
    return ToolResult(success=True, output=f"These can be called now:\n{found}", metadata={"tools": names})


def _ranked(query: str, tools: Mapping[str, ToolSpec]) -> list[str]:
    """Names that the query spells out first, then by the words it shares with names, descriptions and parameters: the
    rarer a word among the tools, the more it counts."""
    # Imported late: its patterns take long to compile, and few turns search.
    from glassloop.core.text_terms import content_words

    spelled = [name for name in tools if name.lower() in query.lower()]
    texts = {name: _words(spec, content_words) for name, spec in tools.items() if name not in spelled}
    wanted = set(content_words(query.replace("_", " ")))
    spread = Counter(word for words in texts.values() for word in wanted & words.keys())
    scores = {
        name: sum(words[word] * log(1 + len(texts) / spread[word]) for word in wanted & words.keys())
        for name, words in texts.items()
    }
    fitting = sorted((name for name in texts if scores[name]), key=lambda name: -scores[name])
    return spelled + [name for name in fitting if scores[name] >= scores[fitting[0]] / 3]


def _words(spec: ToolSpec, content_words: Callable[[str], list[str]]) -> dict[str, int]:
    """The words that a tool is found by, each with its weight."""
    about = f"{spec.description} {spec.matched.description} {' '.join(properties(spec))}".replace("_", " ")
    words = dict.fromkeys(content_words(about), 1)
    return words | dict.fromkeys(content_words(spec.name.replace("_", " ")), _NAME_WEIGHT)
