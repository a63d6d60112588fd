"""A reply while it streams in: collects the pieces, bounds them, and makes the one `Reply` at the end.

The same for every provider; which event means what is the adapter's business. It also remembers the order in which
text, calls and a provider's own blocks came (`layout`), for providers that want them back in that order.
"""

from typing import Any

from glassloop.core.errors import ModelRejected
from glassloop.core.messages import (
    CUT_SHORT,
    AssistantMessage,
    CallChunk,
    GarbledCall,
    Reply,
    StopReason,
    TextChunk,
    ThoughtChunk,
    Usage,
)
from glassloop.core.records import Json, ToolCall
from glassloop.models.provider_kit.call_arguments import read_arguments, writable
from glassloop.models.provider_kit.failures import FailureOrigin, blocked, stopped_oddly

MAX_CHARS = 2_000_000
"""Of text, thought and arguments together."""

MAX_REASON_CHARS = 100

_ENTRY_CHARS = 32


class CallBuilder:
    """One tool call being written. `whole`: the provider said that it is, so that no text means no arguments."""

    __slots__ = ("id", "index", "name", "pieces", "whole")

    def __init__(self, index: int, call_id: str, name: str) -> None:
        self.index = index
        self.id = call_id
        self.name = name
        self.pieces: list[str] = []
        self.whole = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class ReplyBuilder:
    """What has come so far."""

    def __init__(self, origin: FailureOrigin) -> None:
        self._origin = origin
        self._left = MAX_CHARS
        self._text: list[str] = []
        self._thought: list[str] = []
        self.calls: list[CallBuilder] = []
        self.garbled: list[GarbledCall] = []
        self.layout: list[dict[str, Any]] = []

    def add_text(self, text: str, signature: str = "", place: dict[str, Any] | None = None) -> TextChunk:
        """A signed piece of text keeps its place of its own; unsigned ones that follow one another are one. `place`:
        one that was made for it."""
        text = self._take(text)
        self._text.append(text)
        last = self.layout[-1] if self.layout else None
        if place is not None:
            place["chars"] += len(text)
        elif last is not None and not signature and last["type"] == "text" and "signature" not in last:
            last["chars"] += len(text)
        else:
            self.place("text", signature, chars=len(text))
        return TextChunk(text)

    def add_thought(self, text: str) -> ThoughtChunk:
        text = self._take(text)
        self._thought.append(text)
        return ThoughtChunk(text)

    def open_call(self, call_id: str, name: str, signature: str = "") -> CallBuilder:
        call = CallBuilder(len(self.calls), self._take(call_id), self._take(name))
        self.calls.append(call)
        self.place("call", signature)
        return call

    def name_call(self, call: CallBuilder, name: str) -> CallChunk:
        """More of a name that came in pieces, or all of it again."""
        if not call.pieces and name != call.name:
            call.name = self._take(name if name.startswith(call.name) else call.name + name)
        return CallChunk(call.index, call.name)

    def add_arguments(self, call: CallBuilder, text: str) -> CallChunk:
        text = self._take(text)
        call.pieces.append(text)
        return CallChunk(call.index, "", text)

    def place(self, kind: str, signature: str = "", **kept: Any) -> dict[str, Any]:
        """Notes that a part of this kind came here, with what the provider wants back along with it."""
        self.count(_ENTRY_CHARS + len(signature))
        entry: dict[str, Any] = {"type": kind, **kept}
        if signature:
            entry["signature"] = signature
        self.layout.append(entry)
        return entry

    def count(self, chars: int) -> None:
        """Takes `chars` from the bound, for parts that are kept but not streamed."""
        self._left -= chars
        if self._left < 0:
            raise ModelRejected(
                f"{self._origin.name} wrote more than {MAX_CHARS} characters in one reply: "
                "lower its token limit, or ask for less at once."
            )

    def finish(
        self, stop: StopReason, usage: Usage, *, provider: str, opaque: Json = None, reason: str = "refusal"
    ) -> Reply:
        """The whole reply. A refusal, or an end for a reason that nobody knows, is no reply without a word but an error
        that names it. `reason` is the provider's own word."""
        text = "".join(self._text)
        calls = self._read_calls(limited=stop in CUT_SHORT)
        if stop in ("refusal", "filtered") and not text and not calls and not self.garbled:
            raise blocked(self._origin, reason)
        if stop == "other" and not text and not calls and not self.garbled:
            raise stopped_oddly(self._origin, reason)
        if calls and stop in ("end_turn", "other"):
            stop = "tool_use"
        message = AssistantMessage(
            text=text, thought="".join(self._thought), calls=tuple(calls), provider=provider, opaque=opaque
        )
        return Reply(
            message=message,
            usage=usage,
            stop=stop,
            stop_detail=self._origin.clean(reason)[:MAX_REASON_CHARS] if stop == "other" else "",
            model=self._origin.name,
            garbled=tuple(self.garbled),
        )

    def _read_calls(self, *, limited: bool) -> list[ToolCall]:
        made: list[ToolCall] = []
        readable: list[bool] = []
        for call in self.calls:
            # Only the last call can have been cut by the limit, and then it is not worth mending.
            cut = limited and call.index == len(self.calls) - 1
            text = call.text
            read = read_arguments(text, mend=not cut)
            readable.append(read is not None)
            if read is None:
                self.garbled.append(GarbledCall(id=call.id, tool=call.name, text=text))
                continue
            mended = read.mended
            if mended == "absent":
                mended = "closed" if cut else None if call.whole else "absent"
            made.append(ToolCall(id=call.id, tool=call.name, args=read.args, mended=mended))
        order = iter(readable)
        # In place: the adapter may have handed this very list over as the message's opaque part.
        self.layout[:] = [entry for entry in self.layout if entry["type"] != "call" or next(order, False)]
        return made

    def _take(self, text: str) -> str:
        self.count(len(text))
        return writable(text)
