"""Source texts of an answer: everything the model saw from which a figure may come, each with what it is worth.

Made from the transcript as the model saw it, so that nothing counts which was cut away before it was shown. Words of
the model's own (answers, summaries, arguments) vouch for nothing but what had a source when it said it.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

import msgspec

from glassloop.core.evidence.figures import read_figures
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from glassloop.core.records import FigureOrigin, Json, ToolResult

MAX_ARGUMENTS = 2_000
MAX_ARGUMENT_CHARS = 20_000

_CUT_NOTE = re.compile(r"\[…[^\]\n]{0,200}+\]")
_PAGE_NOTE = re.compile(r"^\[([a-z]{1,20}+) [\d,]{1,20}+–[\d,]{1,20}+ of ([\d,]{1,20}+)[^\n]{0,500}+$", re.MULTILINE)
_FACTUAL_NOTES = frozenset({"context", "file"})
"""Notes of the runtime that state facts; the others are plans and complaints."""


class SourceText(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One text. `source` is a call's id or the origin again; of a `sourced` text only these figures count.

    `data` is the value an observation's text was made of, used to name the place of a figure and never as a source.
    """

    source: str
    origin: FigureOrigin
    text: str
    failed: bool = False
    sourced: tuple[str, ...] | None = None
    data: Json = None
    args: tuple[Json, ...] = ()
    """Of the call, and of earlier calls with an effect: what it repeats of these it did not observe."""

    cut: bool = False
    """Whether only a part of an observation was shown."""

    observed: bool = True
    """Whether it shows that a tool observed something: an observation does, and an answer that had one to go by."""


def source_texts(
    messages: Sequence[Message],
    question: str,
    results: Mapping[str, ToolResult] | None = None,
    writers: Collection[str] = (),
) -> list[SourceText]:
    """The sources of a transcript, oldest first. `results` are those of this turn, `writers` the tools that keep what
    they are given. Whatever stands before the last time the question was asked is of earlier turns."""
    asked = max((at for at, message in enumerate(messages) if _is_question(message, question)), default=-1)
    args: dict[str, Json] = {}
    written: list[Json] = []
    found: list[SourceText] = []
    for at, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            mine, result = (*written, args.get(message.call_id)), (results or {}).get(message.call_id)
            earlier = at < asked and result is None
            found.append(_observed(message, result, mine, earlier))
        elif isinstance(message, AssistantMessage):
            for call in message.calls:
                args[call.id] = call.args
                if call.tool in writers:
                    written.append(call.args)
            if message.sourced:
                found.append(_said("earlier_answer", message.text, message.sourced, observed=True))
        else:
            found += _told(message, at == asked, at > asked >= 0)
    return found


def _is_question(message: Message, question: str) -> bool:
    return isinstance(message, UserMessage) and message.author == "person" and message.content == question


def _told(message: UserMessage, is_question: bool, after: bool) -> Iterator[SourceText]:
    if message.author == "person":
        yield _said("question" if is_question or after else "earlier_words", message.content)
    elif message.note in _FACTUAL_NOTES:
        yield _said("context", message.content)
    elif message.sourced:
        yield _said("earlier_answer", message.content, message.sourced)


def _said(
    origin: FigureOrigin, text: str, sourced: tuple[str, ...] | None = None, *, observed: bool = False
) -> SourceText:
    return SourceText(source=origin, origin=origin, text=text, sourced=sourced, observed=observed)


def _observed(message: ToolMessage, result: ToolResult | None, args: tuple[Json, ...], earlier: bool) -> SourceText:
    text = message.content
    if "[" in text:
        # Which part is shown is our own figure; how many rows there are is the tool's.
        text = _PAGE_NOTE.sub(r"\2 \1", _CUT_NOTE.sub("", text))
    cut = text != message.content
    return SourceText(
        source=message.call_id,
        origin="earlier_answer" if message.sourced is not None else "earlier_call" if earlier else "call",
        text=text,
        failed=message.is_error,
        sourced=message.sourced,
        data=None if result is None else result.data,
        args=tuple(each for each in args if each),
        cut=cut,
    )


class RepeatedArguments:
    """The figures of a call's own arguments. A result that has one of them only repeats it."""

    def __init__(self, args: Sequence[Json]) -> None:
        self.numbers: set[float] = set()
        self.moments: set[str] = set()
        self._texts: list[str] = []
        left = [*args]
        for _ in range(MAX_ARGUMENTS):
            if not left:
                break
            value = left.pop()
            if isinstance(value, dict):
                left += value.values()
            elif isinstance(value, list):
                left += value
            elif isinstance(value, str):
                self._read(value[:MAX_ARGUMENT_CHARS])
            elif type(value) in (int, float) and -1e15 < cast("float", value) < 1e15:
                self.numbers.add(float(cast("float", value)))

    def _read(self, text: str) -> None:
        self._texts.append(text.lower())
        for mark in read_figures(text, prose=False):
            self.numbers.update(reading.value for reading in mark.readings)
            self.moments.update(part for moment in mark.moments for part in moment.parts())

    def holds(self, name: str) -> bool:
        return any(name in text for text in self._texts)
