"""Decision protocol `native`: the provider's own tool calls; text without a call is the answer.

Calls that a model wrote into its text instead are held back and read by `call_filter`; they are never shown.
"""

from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.events import ProtocolName
from glassloop.core.messages import AssistantMessage, Message, Reply, ToolMessage, ToolSpec, UserMessage
from glassloop.core.ports import Delta, Framing, StreamReader
from glassloop.core.protocols.call_filter import CallFilter, may_hold_calls
from glassloop.core.protocols.reply_outcome import ReplyOutcome, Tools
from glassloop.core.protocols.reply_reader import DeltaSink, ReplyReader
from glassloop.core.protocols.tolerant.repair import is_declared
from glassloop.core.protocols.tool_catalog import offered
from glassloop.core.protocols.transcript import fenced, with_shown_content
from glassloop.core.records import Decision, ToolCall


class NativeProtocol:
    """Asks with the tools themselves; nothing about them is said in the prompt."""

    name: ProtocolName = "native"

    def frame(self, prompt: str, tools: Mapping[str, ToolSpec], shortlist: Sequence[str] | None = None) -> Framing:
        wanted = offered(tools, shortlist)
        return Framing(system=prompt, tools=tuple(spec for name, spec in tools.items() if name in wanted))

    def render(self, message: Message) -> Message:
        if type(message) is ToolMessage:
            return with_shown_content(message)
        if type(message) is AssistantMessage and message.calls and message.text:
            text = without_calls(message.text, message.calls)
            return message if text == message.text else msgspec.structs.replace(message, text=text)
        return fenced(message) if type(message) is UserMessage else message

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
        if "<" in text or not (bare := text.lstrip()):
            return False
        if self._tools and (bare[0] in "{[" or "```" in text or "[TOOL_CALLS]" in text):
            return False
        return self._plain or "_sink" not in vars(self)

    def feed(self, text: str) -> Sequence[Delta]:
        if self._plain and "<" not in text and "[" not in text and "`" not in text:
            return (Delta("text", text),) if text else ()
        self._tags.feed(text)
        self._plain = self._tags.idle and self._calls.plain
        return self._sink.drain()


class NativeMachine:
    """Text is shown as it comes, without the blanks before it."""

    __slots__ = ("_all", "_cut_at", "_sink", "_started")

    verbatim = False
    takes_calls = True

    def __init__(self, _tools: Tools, sink: DeltaSink) -> None:
        self._sink = sink
        self._all: list[str] = []
        self._cut_at = 0
        self._started = False

    def push(self, text: str) -> None:
        self._all.append(text)
        text = text if self._started else text.lstrip()
        if text:
            self._started = True
            self._sink.say(text)

    def cut(self) -> None:
        self._cut_at = len(self._all)
        self._started = False

    def lead(self) -> str:
        return "".join(self._all)

    def end(self) -> ReplyOutcome:
        after = "".join(self._all[self._cut_at :])
        before = "".join(self._all[: self._cut_at]) if after.strip() else ""
        return ReplyOutcome(thought=before, answer=after if before else "".join(self._all))


def without_calls(text: str, calls: Sequence[ToolCall]) -> str:
    """What a model wrote before `calls`, if it wrote them into its text: a transcript shows them once."""
    if not may_hold_calls(text):
        return text
    tools = {call.tool: ToolSpec(name=call.tool, description="", parameters={}) for call in calls}
    found = CallFilter(tools, NativeMachine(tools, DeltaSink()), objects=True)
    found.push(text)
    outcome = found.end()
    return outcome.thought.rstrip() if outcome.calls else text
