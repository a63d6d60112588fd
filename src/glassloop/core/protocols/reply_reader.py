"""Reader of one reply: in pieces for those who watch, whole for the decision, both through the same machine.

The decision is read from the complete reply by a fresh machine, so it cannot depend on how the stream was cut. The
protocol's machine gives the text its meaning; think tags are removed before it sees anything.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

from glassloop.core.messages import Reply
from glassloop.core.ports import Delta
from glassloop.core.protocols.call_filter import CallFilter, ReplyMachine
from glassloop.core.protocols.reply_outcome import Tools, decide, native_outcome
from glassloop.core.protocols.tolerant.think_tags import ThinkTags, without_thoughts
from glassloop.core.records import Decision


class DeltaSink:
    """Collects what can be shown; neighbours of one kind become one delta."""

    __slots__ = ("_deltas", "_fresh", "_kind", "_last", "_parts", "_tool")

    def __init__(self) -> None:
        self._deltas: list[Delta] = []
        self._parts: list[str] = []
        self._kind = ""
        self._tool = ""
        self._last = ""
        self._fresh = False

    @property
    def thought_of(self) -> bool:
        """Some thought was written."""
        return bool(self._last)

    def begin_thought(self) -> None:
        """The next thought is one of its own: a line break parts it from the one before."""
        self._fresh = True

    def think(self, text: str) -> None:
        if not text:
            return
        if self._fresh:
            self._fresh = False
            if self._last and not self._last.isspace():
                text = "\n" + text
        self._last = text[-1]
        self._write("thought", text)

    def say(self, text: str) -> None:
        self._write("text", text)

    def argue(self, text: str, tool: str) -> None:
        """A piece of a call's arguments."""
        self._write("arguments", text, tool)

    def _write(self, kind: str, text: str, tool: str = "") -> None:
        if not text:
            return
        if kind != self._kind or tool != self._tool:
            self._close()
            self._kind = kind
            self._tool = tool
        self._parts.append(text)

    def _close(self) -> None:
        if self._parts:
            self._deltas.append(Delta(self._kind, "".join(self._parts), self._tool))
            self._parts = []

    def drain(self) -> Sequence[Delta]:
        """What came since the last call."""
        if not self._parts and not self._deltas:
            return ()
        self._close()
        deltas, self._deltas = self._deltas, []
        return deltas


MachineOf = Callable[[Tools, DeltaSink], ReplyMachine]


class ReplyReader:
    """The `StreamReader` of every protocol. `objects`: JSON in the text may be a call; else the machine reads it."""

    def __init__(self, tools: Tools, machine_of: MachineOf, *, objects: bool = True) -> None:
        self._tools = tools
        self._machine_of = machine_of
        self._objects = objects

    @cached_property
    def _sink(self) -> DeltaSink:
        """Made with the first piece: many replies are calls without a word."""
        return DeltaSink()

    @cached_property
    def _calls(self) -> CallFilter:
        return CallFilter(self._tools, self._machine_of(self._tools, self._sink), objects=self._objects)

    @cached_property
    def _tags(self) -> ThinkTags:
        return ThinkTags(self._calls, self._sink)

    def feed(self, text: str) -> Sequence[Delta]:
        if "<" not in text and self._tags.idle:
            self._calls.push(text)
        else:
            self._tags.feed(text)
        return self._sink.drain()

    def finish(self, reply: Reply) -> tuple[Sequence[Delta], Decision]:
        self._tags.end()
        self._calls.end()
        return self._sink.drain(), self._decide(reply)

    def _decide(self, reply: Reply) -> Decision:
        sink = DeltaSink()
        calls = CallFilter(self._tools, self._machine_of(self._tools, sink), objects=self._objects)
        tags = ThinkTags(calls, sink)
        tags.feed(reply.message.text)
        unclosed = tags.open
        tags.end()
        outcome = calls.end()
        deltas = sink.drain()
        thought = "".join(delta.text for delta in deltas if delta.kind == "thought")
        if reply.message.calls or reply.garbled:
            outcome = native_outcome(reply, "\n".join((outcome.thought, outcome.answer)), self._tools)
        return decide(reply, outcome, thought, unclosed=unclosed)


def thought_in(text: str, machine_of: MachineOf) -> str:
    """The reasoning a reply's text gives in its protocol's own words; think tags and everything else left out."""
    sink = DeltaSink()
    machine = machine_of({}, sink)
    machine.push(without_thoughts(text))
    machine.end()
    return "".join(delta.text for delta in sink.drain() if delta.kind == "thought").strip()
