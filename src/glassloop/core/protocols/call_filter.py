"""Filter for calls in a stream of text: what may be one is held back, the rest goes on to the protocol's machine.

Stands between the think tags and the machine of every protocol, so that a call in the words of any model is read and
never shown. What a call looks like is `call_tags`' and `written_calls`'.
"""

import re
from typing import Final, Literal, Protocol

from glassloop.core.protocols.reply_outcome import ReplyOutcome, Tools
from glassloop.core.protocols.tolerant.call_marks import MARKS
from glassloop.core.protocols.tolerant.call_prefix import CallPrefix
from glassloop.core.protocols.tolerant.repair import mark_mended
from glassloop.core.protocols.tolerant.think_tags import TextHandler
from glassloop.core.protocols.tolerant.written_calls import after_space, read_bare_calls

_FENCE: Final = "```"
_MARK_CHARS: Final = max(map(len, MARKS))
_BEGINNINGS: Final = frozenset(mark[:end] for mark in (*MARKS, _FENCE) for end in range(1, len(mark)))
_FIRST: Final = re.compile(r"[<\[`]")
_OBJECT: Final = re.compile(r"\s*+(?:\[\s*+)?+(?:(\{)|(.)|\Z)", re.DOTALL)
_mark: re.Pattern[str] | None = None
"""Compiled when it is first needed: that takes longer than any import of the core."""


class ReplyMachine(TextHandler, Protocol):
    """A protocol's way through a reply's text: writes what can be shown into its sink, then says what it was."""

    @property
    def takes_calls(self) -> bool:
        """Whether a call may begin here: not inside of an answer, a string or another call."""
        ...

    def lead(self) -> str:
        """Calls followed: what came so far was thinking. Gives it back where it was shown as text."""
        ...

    def end(self) -> ReplyOutcome:
        """Write what was held back."""
        ...


class CallFilter:
    """The filter of one reply. Without `objects` the machine reads JSON itself, with whatever tags around it."""

    __slots__ = ("_held", "_machine", "_objects", "_prefix", "_state", "_tail", "_tools", "_worded")

    def __init__(self, tools: Tools, machine: ReplyMachine, *, objects: bool) -> None:
        self._tools = tools
        self._machine = machine
        self._objects = objects
        self._state: Literal["start", "text", "opening", "tagged", "call"] = "start"
        self._prefix = CallPrefix(tools, objects=objects)
        self._held: list[str] = []
        self._tail = ""
        self._worded = False

    @property
    def plain(self) -> bool:
        """Whatever comes next can be shown, as long as it holds no `<`, `[` or backtick."""
        return self._state == "text" and not self._tail

    @property
    def verbatim(self) -> bool:
        return self._state == "call" or self._machine.verbatim

    def push(self, text: str) -> None:
        if not self._tools:
            self._state = "text"
            self._machine.push(text)
            return
        text, self._tail = self._tail + text, ""
        at = 0
        while at < len(text):
            match self._state:
                case "start":
                    at = self._begin(text, at)
                case "text":
                    at = self._pass(text, at)
                case "opening":
                    if not self._prefix.refutes(text, at):
                        break
                    text = "".join((*self._held, text)) if self._held else text
                    at = self._reject(text, 0 if self._held else at)
                case "tagged":
                    at = self._follow(text, at)
                case "call":
                    break
        if self._state in ("opening", "call"):
            self._held.append(text[at:])

    def cut(self) -> None:
        self._machine.push(self._release())
        self._machine.cut()
        self._state = "start"
        self._worded = False

    def end(self) -> ReplyOutcome:
        state, held = self._state, self._release()
        found = None
        if state == "opening":
            found = read_bare_calls(held, self._tools)
        elif state in ("tagged", "call"):
            from glassloop.core.protocols.tolerant.call_tags import read_tagged_calls

            found = read_tagged_calls(held, self._tools)
        if found is None or found.answer:
            self._machine.push(found.answer if found else held)
            return self._machine.end()
        lead = self._machine.lead()
        # Shown behind words of an answer it may be an example.
        mend = "guessed" if state == "opening" and lead and self._worded else None
        calls = tuple(mark_mended(call, mend) for call in found.calls)
        return ReplyOutcome(thought=lead, calls=calls, complaint=found.complaint)

    def _release(self) -> str:
        held = "".join((*self._held, self._tail))
        self._held, self._tail = [], ""
        self._state = "text"
        return held

    def _begin(self, text: str, at: int) -> int:
        """Only a reply's first visible characters can be calls without a tag or a fence."""
        first = after_space(text, at)
        self._machine.push(text[at:first])
        if first < len(text):
            self._state = "text"
            if text[first] == "[" or (text[first] == "{" and self._objects):
                self._open()
        return first

    def _open(self) -> None:
        if self._machine.takes_calls:
            self._state = "opening"
            self._prefix = CallPrefix(self._tools, objects=self._objects)

    def _reject(self, text: str, at: int) -> int:
        """No call after all: what was held back is text, and marks count in it."""
        self._held = []
        self._state = "text"
        passed = at + len(_FENCE) if text.startswith(_FENCE, at) else at
        self._machine.push(text[at:passed])
        return passed

    def _pass(self, text: str, at: int) -> int:
        found = (_mark or _compiled_mark()).search(text, at)
        begin = found.start() if found else _mark_beginning(text, at)
        if begin > at:
            self._machine.push(text[at:begin])
            self._worded = self._worded or not text[at:begin].isspace()
        if begin == len(text):
            return begin
        if found is None and self._machine.takes_calls:
            self._tail = text[begin:]
            return len(text)
        fenced = found is not None and found[0] == _FENCE
        if found is None or not self._machine.takes_calls or (fenced and (self._machine.verbatim or not self._objects)):
            end = found.end() if found else len(text)
            self._machine.push(text[begin:end])
            return end
        if fenced:
            self._open()
        else:
            self._state = "tagged"
        return begin

    def _follow(self, text: str, at: int) -> int:
        """After a mark: is it one, or do words only speak about it?"""
        # Imported late: few models write calls into their text.
        from glassloop.core.protocols.tolerant.call_tags import begins_call

        mark = (_mark or _compiled_mark()).match(text, at)
        end = mark.end() if mark else at
        begins = begins_call(text, at, self._tools)
        if begins and not self._objects:
            found = _OBJECT.match(text, end)
            begins = found[2] is not None if found and found.lastindex else None
        if begins is None:
            self._tail = text[at:]
            return len(text)
        if begins:
            self._state = "call"
            return at
        self._state = "text"
        self._machine.push(text[at:end])
        return end


def _compiled_mark() -> re.Pattern[str]:
    global _mark
    _mark = re.compile("|".join(map(re.escape, (*MARKS, _FENCE))))
    return _mark


def may_hold_calls(text: str) -> bool:
    """Whether it is worth looking for calls in a complete text."""
    return text.lstrip()[:1] in ("{", "[") or (_mark or _compiled_mark()).search(text) is not None


def _mark_beginning(text: str, at: int) -> int:
    """Where the beginning of a mark stands at the end of `text`, or its length."""
    for first in _FIRST.finditer(text, max(at, len(text) - _MARK_CHARS)):
        if text[first.start() :] in _BEGINNINGS:
            return first.start()
    return len(text)
