"""Every way in for text of strangers takes time in proportion to it: questions, replies, tool results, documents.

Patterns by themselves are `test_patterns`; here is the code around them.
"""

import asyncio
from contextlib import suppress

import pytest

from glassloop.core.errors import GlassloopError
from glassloop.core.evidence import find_evidence
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.messages import AssistantMessage, ModelRequest, Reply, ToolMessage, ToolSpec, UserMessage
from glassloop.core.planning.planner import classify
from glassloop.core.planning.references import resolve_parameters
from glassloop.core.planning.reflection import read_opinion
from glassloop.core.planning.router import Domain, ModelRouter
from glassloop.core.protocols import get_protocol
from glassloop.core.records import ToolCall
from glassloop.core.text_terms import content_words
from glassloop.extensions.general.conversion import convert
from glassloop.extensions.general.expression import evaluate
from glassloop.extensions.reflex.model import ReflexModel
from glassloop.models.provider_kit.call_arguments import read_arguments
from glassloop.retrieval.documents.files import read_source
from glassloop.retrieval.index.sources import DocumentSource
from glassloop.retrieval.query.search_terms import asked_words, indexed_words
from glassloop.runtime.conversations.titles import clean
from glassloop.server.auth.limits import why_unfit
from glassloop.store.log.redaction import Redactor
from project.pattern_growth import LIMIT, Shape, growth

SPEC = ToolSpec(
    name="search_notes",
    description="Searches the notes (all, mine) for words, by day and author.",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string"}, "day": {"type": "string"}, "most": {"type": "integer"}},
        "required": ["query"],
    },
)
PUMPS = (
    *(
        " ",
        "\n",
        "a",
        "a ",
        "A ",
        "Ab-",
        "1",
        "1,",
        "1.",
        "1 ",
        "1-1 ",
        "-",
        "_",
        ".",
        "'",
        '"',
        "`",
        "```\n",
        "|",
        "(",
        "[",
    ),
    *(
        "{",
        '{"a":',
        '{"a": 1} ',
        "<",
        "<a ",
        "</think>",
        "Action: ",
        "${step1",
        "${step1.a[",
        "eyJaaaaaaaa-",
        "token=",
        "乘(",
    ),
    *(
        "2+",
        "一",
        "一，",
        "# ",
        "| a |\n",
        "=\n",
        "\\",
        "\\u00",
        "sq",
        "m/",
        "://a:",
        "and ",
        "at ",
        "A1 ",
        "Nov 1 ",
        "\t",
    ),
    *("bearer ", "-----BEGIN ", "how many ", "2024-01-01 ", "12:30 ", "和", "from a to ", "?", "plus 5 "),
)

FEW = (" ", "\n", "a ", "Ab-", "1,", "1-1 ", '"', "(", '{"a": 1} ', "<a ", "token=", "plus 5 ")
"""Of each kind one: spaces, words, numbers, quotes, brackets, tags, secrets, questions."""


def reads(name):
    return lambda text: read_source(DocumentSource(name=name, text=text))


def speaks(protocol):
    def run(text):
        reader = get_protocol(protocol).reader({SPEC.name: SPEC})
        reader.feed(text)
        reader.finish(Reply(message=AssistantMessage(text=text)))

    return run


def asked(purpose):
    def run(text):
        request = ModelRequest(system="- a: b", messages=(UserMessage(text),), tools=(SPEC,), purpose=purpose)
        asyncio.run(_drain(request))

    return run


def observed(text):
    call = AssistantMessage(calls=(ToolCall(id="1", tool=SPEC.name, args={"query": "x"}),))
    messages = (UserMessage("Search notes for x"), call, ToolMessage(call_id="1", tool=SPEC.name, content=text))
    asyncio.run(_drain(ModelRequest(system="", messages=messages, tools=(SPEC,))))


async def _drain(request):
    async for _ in ReflexModel().stream(request):
        pass


ROUTER = ModelRouter(
    [Domain(destination="a", name="a", about="boats", words=("tug boat", "BT-", "拖船"))], farewell="No."
)

WAYS = {
    "what is stored": Redactor().text,
    "a name that is stored": lambda text: Redactor().value({text: 1}, text),
    "a body": lambda text: why_unfit(text.encode()),
    "a reply, native": speaks("native"),
    "a reply, json": speaks("json"),
    "a reply, text": speaks("text"),
    "arguments": read_arguments,
    "an opinion": read_opinion,
    "references": lambda text: resolve_parameters({"a": text}, {1: {"a": 1}}),
    "an answer": lambda text: find_evidence(text, [SourceText(source="1", origin="call", text="5 rows")]),
    "an observation": lambda text: find_evidence("5 rows", [SourceText(source="1", origin="call", text=text)]),
    "a plan": classify,
    "words": content_words,
    "words of a document": indexed_words,
    "words of a query": asked_words,
    "a title": clean,
    "plain text": reads("a.txt"),
    "markdown": reads("a.md"),
    "a question to reflex": asked("decide"),
    "a question by the words of domains": ROUTER.route_by_words,
    "a result shown by reflex": observed,
    "a unit": lambda text: convert(1, text, "m"),
    "a unit with as many ends": lambda text: convert(1, text + "3" * (len(text) // 2), "m"),
    "an expression": evaluate,
}


@pytest.mark.parametrize("pumps", [pytest.param(FEW, id="few"), pytest.param(PUMPS, id="all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", WAYS)
def test_text_of_strangers_takes_time_in_proportion_to_it(way, pumps):
    def run(text):
        with suppress(GlassloopError):
            WAYS[way](text)

    steep = []
    for pump in pumps:
        for shape in (Shape("", pump, "x"), Shape("plus 5", pump, "")):
            found = growth(run, shape, way)
            if found is not None and found.exponent > LIMIT:
                steep.append(found)
                break
    assert steep == []
