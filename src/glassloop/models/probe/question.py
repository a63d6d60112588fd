"""One short question to a model, and what came back of it. Never raises for what the model does."""

import asyncio
from contextlib import aclosing

import msgspec

from glassloop.core.errors import ModelError
from glassloop.core.messages import ModelRequest, Reply, TextChunk, ThoughtChunk
from glassloop.core.ports import Model

TIMEOUT_S = 120.0
REPLY_TOKENS = 400
SYSTEM = "You are a careful assistant. Do exactly what is asked, in as few words as possible."


class ProbeReply(msgspec.Struct, frozen=True, kw_only=True):
    """`reply`, or the reason why there is none. `pieces`: how many pieces of text came before the end."""

    reply: Reply | None = None
    error: str = ""
    pieces: int = 0

    @property
    def text(self) -> str:
        return "" if self.reply is None else self.reply.message.text

    def quote(self, most: int = 80) -> str:
        """The beginning of its text, for a sentence about it."""
        text = " ".join(self.text[: 4 * most].split())
        return repr(text if len(text) <= most else f"{text[: most - 1]}…")


class ProbeSession:
    """Asks, and counts what that costs."""

    def __init__(self) -> None:
        self.calls = self.input_tokens = self.output_tokens = 0

    async def hear(self, model: Model, request: ModelRequest) -> ProbeReply:
        self.calls += 1
        pieces = 0
        try:
            async with asyncio.timeout(TIMEOUT_S), aclosing(model.stream(request)) as chunks:
                async for chunk in chunks:
                    if isinstance(chunk, Reply):
                        self.input_tokens += chunk.usage.input_tokens
                        self.output_tokens += chunk.usage.output_tokens
                        return ProbeReply(reply=chunk, pieces=pieces)
                    pieces += isinstance(chunk, TextChunk | ThoughtChunk)
        except ModelError as error:
            return ProbeReply(error=str(error))
        except TimeoutError:
            return ProbeReply(error=f"It did not answer within {TIMEOUT_S:.0f} s.")
        return ProbeReply(error="Its stream ended without a reply.")
