"""Decision protocol `native`: the provider's own tool calls; text without a call is the answer.

Calls that a model wrote into its text instead are held back here and read by `written_calls`; they are never shown.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from glassloop.core.events import ProtocolName
from glassloop.core.messages import Message, Reply, ToolMessage, ToolSpec
from glassloop.core.ports import Delta, Framing, StreamReader
from glassloop.core.protocols.reply_outcome import ReplyOutcome, Tools
from glassloop.core.protocols.reply_reader import DeltaSink, ReplyReader
from glassloop.core.protocols.tolerant.call_prefix import CallPrefix
from glassloop.core.protocols.tolerant.repair import is_declared
from glassloop.core.protocols.tolerant.written_calls import TAG, after_space, read_written_calls
from glassloop.core.protocols.tool_catalog import offered
from glassloop.core.protocols.transcript import shorten_observation
from glassloop.core.records import Decision

_OPENERS: Final = "{[`"
_TAG_BEGINNINGS: Final = frozenset(TAG[:end] for end in range(1, len(TAG)))


class NativeProtocol:
    """Asks with the tools themselves; nothing about them is said in the prompt."""

    name: ProtocolName = "native"

    def frame(self, prompt: str, tools: Mapping[str, ToolSpec], shortlist: Sequence[str] | None = None) -> Framing:
        return Framing(system=prompt, tools=tuple(offered(tools, shortlist).values()))

    def render(self, message: Message, observation_chars: int) -> Message:
        return shorten_observation(message, observation_chars) if type(message) is ToolMessage else message

    def reader(self, tools: Mapping[str, ToolSpec]) -> StreamReader:
        return NativeReader(tools)


class NativeReader(ReplyReader):
    """Plain text goes straight through: this is the path of every token of every answer."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools, NativeMachine)
        self._plain = False

    def finish(self, reply: Reply) -> tuple[Sequence[Delta], Decision]:
        """Calls without a word beside them, as their tools declare them: most steps of most turns end so."""
        message, tools = reply.message, self._tools
        if message.calls and not message.text and not reply.garbled:
            for call in message.calls:
                if not is_declared(call, tools):
                    break
            else:
                return (), Decision(thought=message.thought.strip(), calls=message.calls)
        elif not message.calls and not reply.garbled and self._shown_plainly(message.text):
            return (), Decision(thought=message.thought.strip(), answer=message.text.strip())
        return super().finish(reply)

    def _shown_plainly(self, text: str) -> bool:
        """Whether all of the text is an answer and, if it streamed, was shown as such."""
        if "<" in text or not (bare := text.lstrip()) or (self._tools and bare[0] in _OPENERS):
            return False
        return self._plain or "_sink" not in vars(self)

    def feed(self, text: str) -> Sequence[Delta]:
        if self._plain and "<" not in text:
            return (Delta("text", text),) if text else ()
        self._tags.feed(text)
        self._plain = self._tags.idle and isinstance(self._machine, NativeMachine) and self._machine.plain
        return self._sink.drain()


class NativeMachine:
    """Text is shown as it comes, except where it begins like a call."""

    __slots__ = ("_all", "_cut_at", "_held", "_opening", "_sink", "_state", "_tools")

    def __init__(self, tools: Tools, sink: DeltaSink) -> None:
        self._tools = tools
        self._sink = sink
        self._state: Literal["start", "opening", "plain", "tagged", "call"] = "start"
        self._opening = CallPrefix()
        self._held: list[str] = []
        self._all: list[str] = []
        self._cut_at = 0

    @property
    def plain(self) -> bool:
        """Whatever comes next can be shown, as long as it holds no angle bracket."""
        return self._state == "plain" and not self._held

    @property
    def verbatim(self) -> bool:
        return self._state == "call"

    def push(self, text: str) -> None:
        self._all.append(text)
        if self._state == "start":
            text = text.lstrip()
            if not text:
                return
            self._state = "opening" if self._tools and text[0] in _OPENERS else "plain"
        if self._state == "opening":
            self._held.append(text)
            if not self._opening.refutes(text):
                return
            text = self._release()
        if self._state != "call":
            self._show(text)

    def cut(self) -> None:
        if self._state != "call":
            self._sink.say(self._release())
            self._cut_at = len(self._all)
            self._state = "start"
            self._opening = CallPrefix()

    def end(self) -> ReplyOutcome:
        after = "".join(self._all[self._cut_at :])
        before = "".join(self._all[: self._cut_at]) if after.strip() else ""
        text = after if before else "".join(self._all)
        verdict = read_written_calls(text, self._tools) if self._tools else None
        if verdict is None:
            self._sink.say(self._release())
            return ReplyOutcome(thought=before, answer=text)
        return ReplyOutcome(thought=f"{before}\n{verdict.thought}", calls=verdict.calls, complaint=verdict.complaint)

    def _release(self) -> str:
        held = "".join(self._held)
        self._held = []
        self._state = "plain"
        return held

    def _show(self, text: str) -> None:
        if not self._tools:
            self._sink.say(text)
            return
        if self._state == "plain":
            text = self._release() + text
        begin = seek = 0
        while begin < len(text):
            if self._state == "tagged":
                begin = seek = self._after_tag(text, begin)
                if not self.plain:
                    return
            found = text.find("<", seek)
            if found < 0:
                break
            seek = found + 1
            if text.startswith(TAG, found):
                self._sink.say(text[begin:found])
                self._held = [TAG]
                self._state = "tagged"
                begin = seek = found + len(TAG)
            elif len(text) - found < len(TAG) and text[found:] in _TAG_BEGINNINGS:
                self._sink.say(text[begin:found])
                self._held = [text[found:]]
                return
        self._sink.say(text[begin:])

    def _after_tag(self, text: str, at: int) -> int:
        """A tag is meant as a call if an object or a list follows; otherwise the answer speaks about tags."""
        begin, at = at, after_space(text, at)
        self._held.append(text[begin:at])
        if at < len(text):
            if text[at] in "{[":
                self._state = "call"
            else:
                self._sink.say(self._release())
        return at
