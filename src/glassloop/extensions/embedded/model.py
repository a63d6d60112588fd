"""`embedded`: a model on this machine, without an account or a network. What it is asked goes to the shared engine."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from glassloop.core.messages import (
    Abilities,
    AssistantMessage,
    Chunk,
    Message,
    ModelRequest,
    Reply,
    TextChunk,
    ToolMessage,
    Usage,
    UserMessage,
)
from glassloop.extensions.embedded.engine import (
    ChatMessage,
    CompletionRequest,
    CompletionStats,
    Engine,
    hold_engine,
    release_engine,
)
from glassloop.extensions.embedded.grammar_schema import grammar_schema
from glassloop.extensions.embedded.options import EmbeddedOptions
from glassloop.runtime.assistants.context_note import same_all_day

NAME: Final = "embedded"
REPLY_TOKENS: Final = 1500
"""More than a decision within its bounds can take in any language: only unbounded replies are cut off by it."""


class EmbeddedModel:
    """A model in a process of its own, shared by all who ask for the same weights with the same options."""

    def __init__(self, options: EmbeddedOptions) -> None:
        self.options = options
        self._abilities = Abilities(
            native_tools=False,
            json_schema=True,
            small=True,
            tuned=options.tuned,
            context_tokens=options.context_tokens,
            images=False,
        )
        self._held: tuple[asyncio.AbstractEventLoop, Engine] | None = None

    @property
    def name(self) -> str:
        return NAME

    @property
    def abilities(self) -> Abilities:
        return self._abilities

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:  # noqa: ARG002
        """Nothing: it runs here."""
        return 0.0

    @property
    def engine(self) -> Engine:
        """The engine of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._held is None or self._held[0] is not loop:
            self._held = (loop, hold_engine(self.options))
        return self._held[1]

    async def read_ahead(self, system: str) -> bool:
        return await self.engine.read_ahead(system)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        work = CompletionRequest(
            session=request.session,
            messages=chat(request.system, request.messages),
            opening=opening(request.messages),
            schema=None if request.schema is None else grammar_schema(request.schema),
            max_tokens=min(request.max_tokens, REPLY_TOKENS),
        )
        text: list[str] = []
        async with aclosing(self.engine.generate(work)) as pieces:
            async for piece in pieces:
                if isinstance(piece, CompletionStats):
                    yield _reply("".join(text), piece)
                    return
                if isinstance(piece, TextChunk):
                    text.append(piece.text)
                yield piece

    async def aclose(self) -> None:
        """Lets go of the shared process; the last one ends it."""
        held, self._held = self._held, None
        if held is not None and held[0] is asyncio.get_running_loop():
            await release_engine(held[1])


def chat(system: str, messages: Sequence[Message]) -> list[ChatMessage]:
    """The transcript in two roles. Neighbours of one role become one message: some templates insist on turns."""
    found: list[ChatMessage] = [{"role": "system", "content": system}]
    for message in messages:
        match message:
            case UserMessage(content):
                role, text = "user", content
            case AssistantMessage(text=text):
                role = "assistant"
            case ToolMessage(tool=tool, content=content):
                role, text = "user", f"Observation ({tool}): {content}"
        if found[-1]["role"] == role:
            found[-1] = {"role": role, "content": f"{found[-1]['content']}\n\n{text}"}
        else:
            found.append({"role": role, "content": text})
    return found


def opening(messages: Sequence[Message]) -> str:
    """What the first message begins with in all sessions of a day."""
    first = messages[0] if messages else None
    return same_all_day(first.content) if isinstance(first, UserMessage) and first.note == "context" else ""


def _reply(text: str, done: CompletionStats) -> Reply:
    return Reply(
        message=AssistantMessage(text=text, provider=NAME),
        usage=Usage(
            input_tokens=done.prompt_tokens,
            cached_tokens=done.prompt_tokens - done.evaluated,
            output_tokens=done.output_tokens,
            cost=0.0,
        ),
        stop="max_tokens" if done.cut_off else "end_turn",
        model=NAME,
    )
