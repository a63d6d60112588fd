"""Decision protocol `json` for small models: the same object in fewer words, since every token is slow.

The tool's name is the action itself, so a decision is `{thought, action, args}` or `{thought, action, response}`;
`json_protocol` reads both. The tools stand in the stable prefix, one line each.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from glassloop.core.messages import Message, ToolSpec
from glassloop.core.ports import Framing
from glassloop.core.protocols.decision_object import is_action_word
from glassloop.core.protocols.decision_schema import brief_schema
from glassloop.core.protocols.json_protocol import JsonMachine, JsonProtocol
from glassloop.core.protocols.result_pages import READ_RESULT
from glassloop.core.protocols.tolerant.json_values import write_json
from glassloop.core.protocols.tolerant.think_tags import hide_tags
from glassloop.core.protocols.tool_catalog import describe_briefly, offered
from glassloop.core.protocols.transcript import NAME_CHARS, in_words
from glassloop.core.records import Json, ToolCall

# The examples' thoughts say what is wanted and not what to do: "look up" drew the model to any tool described so.
_RULES: Final = """Reply with one JSON object. Either call one tool, for example:
{"thought":"The user wants the price of a pump.","action":"price_list","args":{"item":"pump"}}
or answer the user, for example:
{"thought":"The price list says 80 euros.","action":"answer","response":"The pump costs 80 euros."}
Rules: Choose the tool whose description fits what is asked first. Greetings, \
thanks and questions about yourself need no tool. Take values from the user's words and from observations; where a \
required one is missing, answer with a question for it. If an observation says how a value \
must be written, or that it is of another kind, call the tool that helps. If part of the question is still open, \
call the next tool. Otherwise answer all of it, with the exact figures observed, in the user's language."""

_FORM: Final = """Reply with one JSON object: {"thought","action","args"} to call a tool, or \
{"thought","action":"answer","response"}."""


class BriefJsonProtocol(JsonProtocol):
    """Short prompts, short decisions. A model that was trained on them (`tuned`) is told the form and no rules.

    The prefix is the same with every shortlist: the schema alone holds the model to it. `read_result`, which is offered
    once a result was cut, is told by the note below that result: in the prefix it would have all of it read again.
    """

    def __init__(self, *, tuned: bool = False) -> None:
        self._format = _FORM if tuned else _RULES

    def frame(self, prompt: str, tools: Mapping[str, ToolSpec], shortlist: Sequence[str] | None = None) -> Framing:
        described = {name: spec for name, spec in tools.items() if spec is not READ_RESULT}
        parts = (prompt, describe_briefly(described), self._format)
        return Framing(
            system="\n\n".join(part for part in parts if part),
            schema=brief_schema(tuple(offered(tools, shortlist).values())),
            closing=brief_schema(()),
        )

    def render(self, message: Message) -> Message:
        return in_words(message, write_brief_decisions, JsonMachine)


def write_brief_decisions(thought: str, calls: tuple[ToolCall, ...]) -> str:
    """Decisions as the model is asked to write them, one a line; the thought stands with the first."""
    lines: list[str] = []
    for call in calls:
        name = call.tool[:NAME_CHARS]
        named: dict[str, Json] = {"action": "tool", "tool": name} if is_action_word(name) else {"action": name}
        lines.append(hide_tags(write_json({"thought": thought, **named, "args": call.args}), "\\u003c"))
        thought = ""
    return "\n".join(lines)
