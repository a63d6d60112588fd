"""Engine: the one model of this process, with its child, a queue before it, and a cache of prefixes it has read.

Every `EmbeddedModel` with the same options uses the same engine (`find_engine`). Decides who is served when and in
which slot; `process` owns the process, `prefix_cache` the files of read prefixes.
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

import msgspec

from glassloop.core.errors import ModelRejected, ModelUnavailable
from glassloop.core.fair_queue import FairQueue
from glassloop.core.messages import PromptReading, QueueWaiting, TextChunk
from glassloop.core.records import Json
from glassloop.extensions.embedded.llama_http import LlamaConnectionError, LlamaRefused, call, events
from glassloop.extensions.embedded.options import EmbeddedOptions
from glassloop.extensions.embedded.prefix_cache import MIN_PREFIX, PrefixCache, PrefixSlot, PrefixSlots, fingerprint
from glassloop.extensions.embedded.process import LlamaProcess

_log = logging.getLogger(__name__)

SILENCE_S: Final = 120.0
"""Longer than the slowest machine takes for one batch: after it the child is taken for hung."""

_QUICK_S: Final = 60.0
_PREFIXES: Final = 64
_WORTH_TELLING: Final = 128
"""So many tokens take a noticeable time to read, even on a quick machine."""
_FEW: Final = 8
"""Tokens that are not worth writing a state anew for; llama.cpp reads the last one in any case."""
_MARK: Final = "⟪question⟫"

ChatMessage = dict[str, str]


class CompletionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One call: what was said, first of all the system prompt, and what the reply must fit. `opening`: what the
    message after the system prompt begins with in other sessions, too."""

    session: str
    messages: Sequence[ChatMessage]
    schema: dict[str, Json] | None
    max_tokens: int
    opening: str = ""


class CompletionStats(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a call. `evaluated` of the prompt's tokens had to be read, the others were remembered. `seconds`: what
    llama.cpp itself took for it."""

    prompt_tokens: int = 0
    evaluated: int = 0
    output_tokens: int = 0
    cut_off: bool = False
    seconds: float = 0.0


class Engine:
    """Serves one call at a time, sessions in turn. Belongs to the event loop it was made on."""

    def __init__(
        self, options: EmbeddedOptions, *, command: Sequence[str] | None = None, silence_s: float = SILENCE_S
    ) -> None:
        self.options = options
        self._silence_s = silence_s
        self.child = LlamaProcess(options, command=command)
        self.queue = FairQueue(
            options.waiting,
            lambda: ModelUnavailable(f"{options.waiting} calls wait for the embedded model already: try again later."),
        )
        self.users = 0
        self._stopped = False
        self._slots = PrefixSlots(options.conversations)
        self._born = 0
        self._states = PrefixCache(options.states) if options.states else None
        self._fingerprint = ""
        self._parts = 0
        self._prefixes: OrderedDict[str, str] = OrderedDict()
        self._ahead: asyncio.Future[None] | None = None

    async def generate(
        self, work: CompletionRequest
    ) -> AsyncGenerator[QueueWaiting | PromptReading | TextChunk | CompletionStats, None]:
        """Waits for its turn, then streams. Closing it gives the turn on, and stops the child's work."""
        ticket = self.queue.join(work.session)
        if self._ahead is not None:
            self._ahead.cancel()
        try:
            async for place in ticket.places():
                yield QueueWaiting(position=place)
            async with aclosing(self._serve(work)) as pieces:
                async for piece in pieces:
                    yield piece
        except LlamaConnectionError as error:
            raise await self._broken(error) from None
        except LlamaRefused as error:
            raise _translated(error, self.options) from None
        finally:
            ticket.leave()

    async def read_ahead(self, system: str) -> bool:
        """Reads and keeps what prompts with that system prompt begin with, while nobody asks: any call stops it, and
        goes on from where it was."""
        if self._states is None or not self.queue.is_idle or self._stopped:
            return self._states is None
        ticket = self.queue.join("")
        try:
            async for _ in ticket.places():
                pass
            await self._ready()
            if len(self.queue) or self._stopped:
                return False
            self._ahead = asyncio.ensure_future(self._read_prefix({"role": "system", "content": system}))
            await asyncio.wait([self._ahead])
            if self._ahead.cancelled():
                return False
            self._ahead.result()
        except LlamaConnectionError as error:
            raise await self._broken(error) from None
        except LlamaRefused as error:
            raise _translated(error, self.options) from None
        finally:
            ahead, self._ahead = self._ahead, None
            if ahead is not None and ahead.cancel():
                await asyncio.wait([ahead])
            ticket.leave()
        return True

    async def _read_prefix(self, system: ChatMessage) -> None:
        prefix = await self._prefix(system)
        if self._states is None or await asyncio.to_thread(self._states.find, self._key(prefix)) is not None:
            return
        async with aclosing(self._warm(self._slots.take("", self._key(prefix)), prefix)) as warming:
            async for _ in warming:
                pass

    async def stop(self) -> None:
        """Ends its process; calls that still wait are refused."""
        self._stopped = True
        await self.child.stop()

    async def _serve(
        self, work: CompletionRequest
    ) -> AsyncGenerator[PromptReading | TextChunk | CompletionStats, None]:
        if self._stopped:
            # Nobody would end a process that is started now.
            raise ModelUnavailable("The embedded model was closed while this waited for it: ask again.")
        await self._ready()
        prefix = await self._prefix(work.messages[0])
        prompt = await self._written(work.messages)
        slot = self._slots.take(work.session, self._key(prefix))
        ahead = CompletionStats()
        if prompt.startswith(prefix):
            opened = f"{prefix}{work.opening}" if work.opening else ""
            async with aclosing(self._warm(slot, prefix, opened if prompt.startswith(opened) else "")) as warming:
                async for piece in warming:
                    if isinstance(piece, PromptReading):
                        yield piece
                    else:
                        ahead = piece
        body: dict[str, Any] = {
            "prompt": prompt,
            "id_slot": slot.number,
            "n_predict": max(work.max_tokens, 1),
            "temperature": 0.0,
        }
        if work.schema is not None:
            body["json_schema"] = work.schema
        async with aclosing(self._complete(body)) as found:
            async for event in found:
                text = event.get("content")
                if isinstance(text, str) and text:
                    yield TextChunk(text)
                elif (reading := _reading(event)) is not None:
                    yield reading
                if event.get("stop"):
                    yield _done(event, ahead)
                    return
        raise LlamaConnectionError("it broke off before the end of its reply")

    def _complete(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        # Progress is asked for as a sign of life while a long prompt is read.
        body |= {"stream": True, "cache_prompt": True, "return_progress": True}
        return events(self.child.socket, "/completion", body, self._silence_s)

    async def _ready(self) -> None:
        if self._states is not None and not self._fingerprint:
            try:
                await asyncio.to_thread(self._states.prepare)
                self._fingerprint = await asyncio.to_thread(fingerprint, self.options.weights)
            except OSError as error:
                _log.warning("prompts that were read cannot be kept in %s: %s", self.options.states, error)
                self._states = None
        await self.child.ensure()
        if self._born != self.child.births:
            self._born = self.child.births
            self._slots = PrefixSlots(self.options.conversations)
            self._prefixes.clear()

    async def _written(self, messages: Sequence[ChatMessage]) -> str:
        """The messages as the model's own template puts them."""
        reply = await call(self.child.socket, "/apply-template", {"messages": list(messages)}, _QUICK_S)
        return cast(str, reply["prompt"])

    async def _prefix(self, system: ChatMessage) -> str:
        """What every prompt with that system prompt begins with."""
        known = self._prefixes.get(system["content"])
        if known is None:
            known = (await self._written([system, {"role": "user", "content": _MARK}])).partition(_MARK)[0]
            self._prefixes[system["content"]] = known
            if len(self._prefixes) > _PREFIXES:
                self._prefixes.popitem(last=False)
        return known

    def _key(self, prefix: str) -> str:
        options = self.options
        # llama.cpp takes a state back only into as many slots as it was saved from.
        shape = (options.context_tokens, options.conversations, options.cache_type)
        about = (self._fingerprint, self.child.adapter_sha256, self.child.version, shape, prefix)
        return hashlib.sha256(msgspec.json.encode(about)).hexdigest()[:32]

    async def _warm(
        self, slot: PrefixSlot, prefix: str, opened: str = ""
    ) -> AsyncGenerator[PromptReading | CompletionStats, None]:
        """Sees to it that the slot has read the prefix, and with it the opening that it is followed by (`opened`): from
        disk, or once for all. What is kept ends with the latest opening: of another, only the prefix is used. Ends with
        what that took."""
        key = self._key(prefix)
        if slot.prefix == key or self._states is None or len(prefix) < MIN_PREFIX:
            return
        slot.prefix = ""
        is_kept = await self._restored(slot, self._states, key)
        if is_kept and not opened:
            slot.prefix = key
            return
        read = CompletionStats()
        body = {"prompt": opened or prefix, "id_slot": slot.number, "n_predict": 0}
        async with aclosing(self._complete(body)) as found:
            async for event in found:
                if event.get("stop"):
                    read = _done(event, read)
                elif (reading := _reading(event)) is not None:
                    yield reading
        slot.prefix = key
        if not is_kept or read.evaluated > _FEW:
            await self._keep(slot, self._states, key)
        yield read

    async def _restored(self, slot: PrefixSlot, states: PrefixCache, key: str) -> bool:
        name = await asyncio.to_thread(states.find, key)
        if name is None:
            return False
        try:
            await call(self.child.socket, f"/slots/{slot.number}?action=restore", {"filename": name}, _QUICK_S)
        except LlamaRefused as error:
            _log.info("a kept prompt could not be used and is read again: %s", error)
            await asyncio.to_thread(states.drop, name)
            return False
        return True

    async def _keep(self, slot: PrefixSlot, states: PrefixCache, key: str) -> None:
        self._parts += 1
        part = states.part(self._parts)
        try:
            await call(self.child.socket, f"/slots/{slot.number}?action=save", {"filename": part}, _QUICK_S)
        except LlamaRefused as error:
            _log.info("a prompt that was read could not be kept: %s", error)
        else:
            await asyncio.to_thread(states.keep, part, key)

    async def _broken(self, error: LlamaConnectionError) -> ModelUnavailable:
        """The child is gone or hangs: what is left of it is ended, the next call starts another."""
        why = await self.child.obituary()
        await self.child.stop()
        return ModelUnavailable(f"{why.removesuffix('.')} ({error}).")


def _reading(event: dict[str, Any]) -> PromptReading | None:
    """How far the prompt is read; nothing of a prompt that is short, or known already."""
    told = cast("dict[str, Any]", event.get("prompt_progress") or {})
    total, known = int(told.get("total") or 0), int(told.get("cache") or 0)
    return PromptReading(read=int(told.get("processed") or 0), total=total) if total - known >= _WORTH_TELLING else None


def _done(event: dict[str, Any], ahead: CompletionStats) -> CompletionStats:
    """`ahead`: what was read for it before."""
    timings = cast("dict[str, Any]", event.get("timings") or {})
    cached, evaluated = int(timings.get("cache_n") or 0), int(timings.get("prompt_n") or 0)
    return CompletionStats(
        prompt_tokens=cached + evaluated,
        evaluated=evaluated + ahead.evaluated,
        output_tokens=int(timings.get("predicted_n") or 0),
        cut_off=event.get("stop_type") == "limit",
        seconds=ahead.seconds + sum(float(timings.get(part) or 0) for part in ("prompt_ms", "predicted_ms")) / 1000,
    )


def _translated(error: LlamaRefused, options: EmbeddedOptions) -> ModelRejected | ModelUnavailable:
    said = str(error)
    if "context" in said.lower():
        return ModelRejected(
            f"The conversation does not fit in the embedded model's {options.context_tokens:,} tokens: start a new "
            "session, ask for less, or raise GLASSLOOP_EMBEDDED_CONTEXT."
        )
    if error.status >= 500:
        return ModelUnavailable(f"The embedded model failed ({said}): try again.")
    return ModelRejected(f"The embedded model rejected the request ({said}): change it, or use another model.")


_engines: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[EmbeddedOptions, Engine]] = WeakKeyDictionary()


def hold_engine(options: EmbeddedOptions) -> Engine:
    """The engine for these options on the running event loop, made where there is none. `release_engine` it."""
    engines = _engines.setdefault(asyncio.get_running_loop(), {})
    engine = engines.get(options)
    if engine is None:
        engine = engines[options] = Engine(options)
    engine.users += 1
    return engine


async def release_engine(engine: Engine) -> None:
    """The last one to let go of it ends its process."""
    engine.users -= 1
    if engine.users > 0:
        return
    engines = _engines.get(asyncio.get_running_loop(), {})
    if engines.get(engine.options) is engine:
        del engines[engine.options]
    await engine.stop()
