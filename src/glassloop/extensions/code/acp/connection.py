"""`RpcConnection`: JSON-RPC 2.0 over two streams, one message a line, in both directions.

Owns framing, ids, errors and bounds. Knows nothing of what the methods mean.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

import msgspec

from glassloop.core.errors import GlassloopError, UnknownName, UsageError

MAX_LINE_BYTES: Final = 32_000_000
"""Of one message: a prompt may have images of 5 MB, in base64."""
MAX_REQUESTS: Final = 100
"""Under way at a time."""
MAX_MESSAGE_CHARS: Final = 2_000

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_FOUND = -32002

_log = logging.getLogger("glassloop.code")

T = TypeVar("T")
RpcId = int | str | None


class RpcError(Exception):
    """An error to answer a request with."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class PeerGone(Exception):
    """The other side has closed the connection, or answered a request with an error."""


class _Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """Any message: a request has a method and an id, a notification no id, a response no method."""

    id: RpcId | msgspec.UnsetType = msgspec.UNSET
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_decoder = msgspec.json.Decoder(_Incoming)
_encoder = msgspec.json.Encoder()

Handler = Callable[[str, msgspec.Raw], Awaitable[object]]
"""Does what a method asks; what it returns is the result. Raises `RpcError` or one of our errors."""


class RpcConnection:
    """One connection, until the other side closes it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler) -> None:
        self._reader, self._writer, self._handler = reader, writer, handler
        self._sending = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._last_id = 0

    async def run(self) -> None:
        """Answers until the input ends. What is still under way then is cancelled."""
        try:
            async for line in self._lines():
                if line is None:
                    await self._fail(None, PARSE_ERROR, f"A message has at most {MAX_LINE_BYTES:,} bytes.")
                elif line.strip():
                    await self._take(line)
        except ConnectionError:
            _log.info("the editor reads no more")
        finally:
            for future in self._asked.values():
                future.cancel()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def notify(self, method: str, params: object) -> None:
        """Tells the other side something; waits while it does not read."""
        await self._send({"method": method, "params": params})

    async def ask(self, method: str, params: object, result: type[T]) -> T:
        """A request to the other side, and its result. Raises `PeerGone` where there is none."""
        self._last_id += 1
        ident = self._last_id
        future = self._asked[ident] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"id": ident, "method": method, "params": params})
            return msgspec.json.decode(await future, type=result)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise PeerGone(f"the result of {method} cannot be read: {error}") from error
        finally:
            del self._asked[ident]

    async def _lines(self) -> AsyncGenerator[bytes | None, None]:
        """Each line; None for one that was too long, and is skipped."""
        skips = False
        while True:
            try:
                line = await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as error:
                await self._reader.readexactly(error.consumed)
                skips = True
                continue
            except asyncio.IncompleteReadError:
                return
            yield None if skips else line
            skips = False

    async def _take(self, line: bytes) -> None:
        try:
            message = _decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            code = INVALID_REQUEST if isinstance(error, msgspec.ValidationError) else PARSE_ERROR
            await self._fail(None, code, f"The message cannot be read: {error}")
            return
        if message.method is None:
            self._answered(message)
        elif len(self._tasks) >= MAX_REQUESTS:
            if message.id is not msgspec.UNSET:
                await self._fail(message.id, INVALID_REQUEST, f"At most {MAX_REQUESTS} requests at a time: wait.")
        else:
            task = asyncio.create_task(self._handle(message.method, message.params, message.id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _answered(self, message: _Incoming) -> None:
        future = self._asked.get(message.id) if isinstance(message.id, int) else None
        if future is None or future.done():
            return
        if bytes(message.result):
            future.set_result(message.result)
        else:
            future.set_exception(PeerGone("the editor answered with an error"))

    async def _handle(self, method: str, params: msgspec.Raw, ident: RpcId | msgspec.UnsetType) -> None:
        try:
            result, failed = await self._handler(method, params), None
        except Exception as error:
            result, failed = None, _as_rpc_error(error, method)
        if ident is msgspec.UNSET:
            if failed is not None:
                _log.info("%s was not done: %s", method[:100], failed)
            return
        with suppress(ConnectionError):
            if failed is not None:
                await self._fail(ident, failed.code, str(failed))
            else:
                await self._send({"id": ident, "result": result})

    async def _fail(self, ident: RpcId, code: int, message: str) -> None:
        await self._send({"id": ident, "error": {"code": code, "message": message[:MAX_MESSAGE_CHARS]}})

    async def _send(self, message: dict[str, object]) -> None:
        # JSON writes a line break in a text as `\n`: a message is always one line.
        line = _encoder.encode({"jsonrpc": "2.0", **message}) + b"\n"
        async with self._sending:
            self._writer.write(line)
            await self._writer.drain()


def read_params(params: msgspec.Raw, kind: type[T]) -> T:
    """The parameters of a method; raises `RpcError` for what they cannot be."""
    try:
        return msgspec.json.decode(params, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RpcError(INVALID_PARAMS, f"The parameters cannot be used: {error}") from error


def _as_rpc_error(error: Exception, method: str) -> RpcError:
    match error:
        case RpcError():
            return error
        case UnknownName():
            return RpcError(NOT_FOUND, str(error))
        case UsageError():
            return RpcError(INVALID_PARAMS, str(error))
        case GlassloopError():
            return RpcError(INTERNAL_ERROR, str(error))
        case _:
            _log.error("%s failed", method[:100], exc_info=error)
            return RpcError(INTERNAL_ERROR, "Something unexpected went wrong: `glassloop --debug code --acp` logs it.")
