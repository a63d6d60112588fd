"""Probes that find out what a model can do by asking it, in a few short calls, from the simplest on.

Every probe looks at what comes back, not at what the endpoint claims; only the context length is read off, as asking
for it would cost a context full of tokens. Never raises for what the model does.
"""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, Literal, cast

import msgspec

from glassloop.core.errors import ModelError
from glassloop.core.events import ProtocolName
from glassloop.core.messages import (
    Abilities,
    AssistantMessage,
    Message,
    ModelRequest,
    Reply,
    TextChunk,
    ThoughtChunk,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from glassloop.core.ports import Model
from glassloop.core.protocols import get_protocol
from glassloop.core.protocols.tolerant.think_tags import without_thoughts
from glassloop.core.records import Attachment, Json, Record

Probe = Literal[
    "answers", "streams", "usage", "thinks", "tools", "results", "parallel", "schema", "images", "context", "protocol"
]


class ProbeResult(Record, frozen=True, kw_only=True):
    """One question and its answer. `ok` is None where it could not be found out, or is neither good nor bad."""

    probe: Probe
    ok: bool | None
    detail: str


class Examination(Record, frozen=True, kw_only=True):
    """All of it. Without `abilities` the model did not answer at all, and nothing is recommended."""

    model: str
    at: float
    seconds: float
    findings: tuple[ProbeResult, ...]
    abilities: Abilities | None
    protocol: ProtocolName | None
    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0

    @property
    def works(self) -> bool:
        return self.abilities is not None

    @property
    def error(self) -> str | None:
        """Why it does not answer."""
        return None if self.works else self.findings[0].detail


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


Make = Callable[[Abilities | None], Model]
"""The model, as it is by default or as if it had these abilities. Who makes it closes it."""

Tell = Callable[[ProbeResult], None]

_CODE = "QX-7731"
_LOOK_UP = ToolSpec(
    name="look_up_code",
    description="Gives the secret code of a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string", "description": "name of the city"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    effect="read",
)
_TOOLS = {_LOOK_UP.name: _LOOK_UP}
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 40}, "letters": {"type": "integer"}},
    "required": ["city", "letters"],
    "additionalProperties": False,
}
_HALVES = "Which colours have the left half and the right half of this image? Answer with the two colours."
_PIXELS = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAgAQMAAACYU+zHAAAABlBMVEUAAP///wBW3nahAAAAE0lEQVR42mNgAIL/QMAwysDGAAC+On+Bcjdt7QAA"
    "AABJRU5ErkJggg=="
)
_PICTURE = Attachment(
    name="halves.png", media_type="image/png", size=len(_PIXELS), sha256="halves", width=64, height=32
)
"""Blue on the left, yellow on the right."""
_COUNT = "Write the numbers from 1 to 12 in digits, separated by spaces."
_ONE = "What is the secret code of the city Lima? Use the tool."
_TWO = "What are the secret codes of the cities Lima and Oslo? Look up both at once, in one reply."
_LETTERS = "How many letters has the name of the city Lima?"


async def examine(make: Make, tell: Tell | None = None) -> Examination:
    """What the model can do, and how it is best used. Never raises for what the model does."""
    return await _Examiner(make, tell).run()


class _OwnPicture:
    """Fills `BlobReader` with the one picture there is."""

    async def read(self, sha256: str) -> bytes | None:  # noqa: ARG002
        return _PIXELS


class _Examiner:
    def __init__(self, make: Make, tell: Tell | None) -> None:
        self._make, self._tell = make, tell
        self._asking = ProbeSession()
        self._findings: list[ProbeResult] = []
        self._model = make(None)

    async def run(self) -> Examination:
        began, at = time.perf_counter(), time.time()
        abilities: Abilities | None = None
        protocol: ProtocolName | None = None
        try:
            if await self._answers():
                tools = await self._native_tools()
                schema = await self._schema()
                images = await self._images()
                context = await self._context()
                abilities = msgspec.structs.replace(
                    self._model.abilities, native_tools=tools, json_schema=schema, images=images, context_tokens=context
                )
                protocol = await self._protocol(abilities)
        finally:
            await _close(self._model)
        return Examination(
            model=self._model.name,
            at=at,
            seconds=time.perf_counter() - began,
            findings=tuple(self._findings),
            abilities=abilities,
            protocol=protocol,
            input_tokens=self._asking.input_tokens,
            output_tokens=self._asking.output_tokens,
            calls=self._asking.calls,
        )

    def _find(self, probe: Probe, ok: bool | None, detail: str) -> bool:
        finding = ProbeResult(probe=probe, ok=ok, detail=detail)
        self._findings.append(finding)
        if self._tell is not None:
            self._tell(finding)
        return bool(ok)

    async def _ask(self, abilities: Abilities | None, *messages: Message, **more: Any) -> ProbeReply:
        model = self._model if abilities is None else self._make(abilities)
        more = {"system": SYSTEM, "temperature": 0.0, "max_tokens": REPLY_TOKENS} | more
        try:
            return await self._asking.hear(model, ModelRequest(messages=messages, **more))
        finally:
            if model is not self._model:
                await _close(model)

    async def _answers(self) -> bool:
        heard = await self._ask(None, UserMessage(_COUNT))
        if heard.reply is None:
            return self._find("answers", False, heard.error)
        counted = without_thoughts(heard.text).split()
        right = [word.strip(".,") for word in counted[:12]] == [str(number) for number in range(1, 13)]
        self._find("answers", True, "as asked" if right else f"but not quite as asked: {heard.quote()}")
        several = heard.pieces > 1
        self._find("streams", several, f"in {heard.pieces} pieces" if several else "the whole text came at once")
        usage = heard.reply.usage
        counts = f"{usage.input_tokens} tokens in, {usage.output_tokens} out"
        told = bool(usage.input_tokens and usage.output_tokens)
        self._find("usage", told, counts if told else "not told: limits and costs count what is estimated, or nothing")
        self._thinking(heard)
        return True

    def _thinking(self, heard: ProbeReply) -> None:
        if heard.reply is not None and heard.reply.message.thought:
            self._find("thinks", None, "and says so, apart from its answer")
        elif without_thoughts(heard.text) != heard.text:
            self._find("thinks", None, "in tags within its answer, which are read as thought")
        else:
            self._find("thinks", None, "not that it shows")

    async def _native_tools(self) -> bool:
        can = msgspec.structs.replace(self._model.abilities, native_tools=True)
        heard = await self._ask(can, UserMessage(_ONE), tools=(_LOOK_UP,))
        if heard.reply is None:
            return self._find("tools", False, heard.error)
        calls = heard.reply.message.calls
        right = bool(calls) and calls[0].tool == _LOOK_UP.name and "lima" in str(calls[0].args.get("city", "")).lower()
        if not right:
            what = f"it asked for {calls[0].tool!r} with {calls[0].args!r}" if calls else f"it wrote {heard.quote()}"
            return self._find("tools", False, f"no call that fits: {what}")
        self._find("tools", True, "called with the right argument")
        if not await self._results(can, heard.reply.message):
            return False
        await self._parallel(can)
        return True

    async def _results(self, can: Abilities, called: AssistantMessage) -> bool:
        """Some endpoints give calls and then refuse to hear what came of them."""
        results = [ToolMessage(call_id=call.id, tool=call.tool, content=_CODE) for call in called.calls]
        heard = await self._ask(can, UserMessage(_ONE), called, *results, tools=(_LOOK_UP,))
        if heard.reply is None:
            return self._find("results", False, heard.error)
        used = _CODE.lower() in heard.text.lower()
        return self._find("results", used, "used in the answer" if used else f"not used: {heard.quote()}")

    async def _parallel(self, can: Abilities) -> None:
        heard = await self._ask(can, UserMessage(_TWO), tools=(_LOOK_UP,))
        count = len(heard.reply.message.calls) if heard.reply is not None else 0
        detail = heard.error or (f"{count} calls in one reply" if count > 1 else "one call a reply")
        self._find("parallel", count > 1, detail)

    async def _schema(self) -> bool:
        can = msgspec.structs.replace(self._model.abilities, json_schema=True)
        heard = await self._ask(can, UserMessage(_LETTERS), schema=_SCHEMA)
        if heard.reply is None:
            return self._find("schema", False, heard.error)
        held = _fits(without_thoughts(heard.text))
        return self._find("schema", held, "kept, unasked" if held else f"not kept: {heard.quote()}")

    async def _images(self) -> bool | None:
        """None where it did not answer: what the provider is known for counts then."""
        if self._model.abilities.small:
            return self._find("images", None, "not asked: it reads text only")
        can = msgspec.structs.replace(self._model.abilities, images=True)
        asked = UserMessage(_HALVES, attachments=(_PICTURE,))
        heard = await self._ask(can, asked, blobs=_OwnPicture())
        if heard.reply is None:
            self._find("images", False, heard.error)
            return None
        said = without_thoughts(heard.text).lower()
        seen = -1 < said.find("blue") < said.find("yellow")
        return self._find("images", seen, "seen as they are" if seen else f"not seen: {heard.quote()}")

    async def _context(self) -> int:
        assumed = self._model.abilities.context_tokens
        ask = cast("Callable[[], Awaitable[int | None]] | None", getattr(self._model, "context_length", None))
        told = await ask() if ask is not None else None
        if told is None:
            self._find("context", None, f"{assumed:,} tokens assumed: the endpoint does not tell")
        else:
            self._find("context", True, f"{told:,} tokens")
        return told or assumed

    async def _protocol(self, abilities: Abilities) -> ProtocolName | None:
        """`native` where calls and results work; else the first that leads to the right call, with a tool to use."""
        if abilities.native_tools:
            self._find("protocol", True, "native")
            return "native"
        for name in ("json", "text"):
            protocol = get_protocol(name, abilities)
            framing = protocol.frame(SYSTEM, _TOOLS)
            heard = await self._ask(abilities, UserMessage(_ONE), system=framing.system, schema=framing.schema)
            if heard.reply is not None:
                _, decision = protocol.reader(_TOOLS).finish(heard.reply)
                if decision.calls and decision.calls[0].tool == _LOOK_UP.name:
                    self._find("protocol", True, name)
                    return name
        self._find("protocol", False, "none led to the right call: use another model, or ask it without tools")
        return None


def _fits(text: str) -> bool:
    try:
        found: Any = msgspec.json.decode(text.strip().encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return False
    if not isinstance(found, dict):
        return False
    values = cast("dict[str, Any]", found)
    return values.keys() == {"city", "letters"} and isinstance(values["city"], str) and type(values["letters"]) is int


async def _close(model: Model) -> None:
    close = cast("Callable[[], Awaitable[None]] | None", getattr(model, "aclose", None))
    if close is not None:
        await close()
