"""A server that is a program of its own: started, fed, read line by line, and ended with all it started.

Its lines and what it says on stderr are bounded. It gets its own environment and none of our secrets, and is killed
with us, however we end. What the lines mean is the session's.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from glassloop.core.errors import ToolError
from glassloop.extensions.mcp.client.config import StdioLaunch
from glassloop.extensions.mcp.client.transport.message_filter import RateBudget
from glassloop.tools.execution.threads import ToolThreads
from glassloop.tools.process.pipes import Pipes
from glassloop.tools.process.process_group import ProcessGroup
from glassloop.tools.process.program import PASSED_ON

TAIL_BYTES = 8_192
BYTES_PER_S = 8_000_000
GRACE_S = 1.0
"""From the end of its stdin to SIGTERM."""

_CHUNK = 65_536
_LINE_COST = 20_000
"""In bytes: reading a message takes time however short it is."""

_TICK_S = 0.25
_OUTGOING = 64
_EDGE = 512
_ID_FIRST = re.compile(rb'\A\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,')
_ID_LAST = re.compile(rb',\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')

T = TypeVar("T")

_threads = ToolThreads(limit=16, purpose="MCP server")

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]


class ServerProgram:
    """One run of a server's program. `tail` is the end of what it wrote to stderr."""

    def __init__(self, launch: StdioLaunch, limit: int) -> None:
        self._launch = launch
        self._limit = limit
        self._process: subprocess.Popen[bytes] | None = None
        self._group: ProcessGroup | None = None
        self.tail = bytearray()

    @property
    def ending(self) -> str:
        """How it ended, for the middle of a sentence."""
        status = None if self._process is None else self._process.poll()
        if status is None:
            return "closed the connection"
        if status >= 0:
            return f"ended with status {status}"
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
        return f"was ended by signal {-status}"

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[Streams, None]:
        """The program runs inside, and is gone outside."""
        # Cancelled while the thread starts it, there would be a program that nobody knows of.
        process = self._process = await _surely(self._start)
        to_session, incoming = anyio.create_memory_object_stream[Incoming](0)
        outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](_OUTGOING)
        try:
            async with _Pipes.of(process) as pipes, anyio.create_task_group() as tasks:
                tasks.start_soon(self._read, pipes.out, to_session)
                tasks.start_soon(self._listen, pipes.err)
                tasks.start_soon(self._write, pipes.into, from_session, to_session)
                tasks.start_soon(self._watch, process, to_session)
                try:
                    yield incoming, outgoing
                finally:
                    with anyio.CancelScope(shield=True):
                        await self._end(pipes.into)
                    tasks.cancel_scope.cancel()
        finally:
            for stream in (to_session, incoming, outgoing, from_session):
                stream.close()
            await _surely(self._finish)

    def _start(self) -> "subprocess.Popen[bytes]":
        launch = self._launch
        ours = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        try:
            process = subprocess.Popen(  # noqa: S603
                [launch.command, *launch.args],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=launch.cwd,
                env={"LANG": "C.UTF-8", **ours, **launch.env},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ToolError(_refusal(launch, error)) from error
        self._group = ProcessGroup(process)
        return process

    async def _read(self, pipe: asyncio.StreamReader, lines: MemoryObjectSendStream[Incoming]) -> None:
        budget, cutter = RateBudget(BYTES_PER_S, 2 * BYTES_PER_S), _Lines(self._limit)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async with lines:
                async for chunk in _chunks(pipe, budget):
                    for message in cutter.cut(chunk):
                        await asyncio.sleep(budget.take(_LINE_COST))
                        if message is not None:
                            await lines.send(message)
        # Who cannot write cannot end either.
        async for _ in _chunks(pipe, budget):
            pass

    async def _listen(self, pipe: asyncio.StreamReader) -> None:
        async for chunk in _chunks(pipe, RateBudget(BYTES_PER_S, 2 * BYTES_PER_S)):
            self.tail += chunk
            del self.tail[:-TAIL_BYTES]

    async def _write(
        self,
        pipe: asyncio.StreamWriter,
        messages: MemoryObjectReceiveStream[SessionMessage],
        lines: MemoryObjectSendStream[Incoming],
    ) -> None:
        # A server that takes nothing any more is lost, also while it still talks.
        with lines, suppress(ConnectionError, RuntimeError):
            async with messages:
                async for item in messages:
                    pipe.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                    await pipe.drain()

    async def _watch(self, process: "subprocess.Popen[bytes]", lines: MemoryObjectSendStream[Incoming]) -> None:
        """Sees the end of a program whose pipes are held open by what it started."""
        # A thread that waits would take the end from whoever else asks for it.
        while process.poll() is None:  # noqa: ASYNC110
            await asyncio.sleep(_TICK_S)
        await asyncio.sleep(_TICK_S)
        lines.close()

    async def _end(self, pipe: asyncio.StreamWriter) -> None:
        """Its stdin ends, which asks it to end; who does not is ended."""
        transport = pipe.transport
        # What it has not read by now it never will, and a full pipe would not close.
        transport.abort() if transport.get_write_buffer_size() else transport.close()
        with anyio.move_on_after(GRACE_S):
            while self._process is not None and self._process.poll() is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await _threads.run(self._finish, {})

    def _finish(self) -> None:
        process, group = self._process, self._group
        if process is not None and group is not None:
            self._group = None
            with Pipes(process, b"", 0) as pipes:
                group.end(pipes)


async def _surely(work: Callable[[], T]) -> T:
    """Does the work in a thread to its end, also for one who is cancelled meanwhile."""
    with anyio.CancelScope(shield=True):
        return await _threads.run(work, {})
    raise asyncio.CancelledError


async def _chunks(pipe: asyncio.StreamReader, budget: RateBudget) -> AsyncGenerator[bytes, None]:
    with suppress(ConnectionError):
        while chunk := await pipe.read(_CHUNK):
            yield chunk
            await asyncio.sleep(budget.take(len(chunk)))


class _Pipes:
    """A program's three pipes on the event loop; closed with the `async with`."""

    def __init__(self, out: asyncio.StreamReader, err: asyncio.StreamReader, into: asyncio.StreamWriter) -> None:
        self.out, self.err, self.into = out, err, into

    @classmethod
    @asynccontextmanager
    async def of(cls, process: "subprocess.Popen[bytes]") -> AsyncGenerator["_Pipes", None]:
        loop, transports = asyncio.get_running_loop(), list[asyncio.BaseTransport]()
        into, from_out, from_err = process.stdin, process.stdout, process.stderr
        # From here on they are the event loop's: whoever ends the process must not read them as well.
        process.stdin = process.stdout = process.stderr = None

        async def reader(pipe: Any) -> asyncio.StreamReader:
            made = asyncio.StreamReader(limit=_CHUNK)
            transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(made), pipe)
            transports.append(transport)
            return made

        try:
            out, err = await reader(from_out), await reader(from_err)
            protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader())
            transport, _ = await loop.connect_write_pipe(lambda: protocol, into)
            transports.append(transport)
            yield cls(out, err, asyncio.StreamWriter(transport, protocol, None, loop))
        finally:
            for transport in transports:
                if not transport.is_closing():
                    transport.close()


class _Lines:
    """Bytes in, messages out. A line beyond the limit is never held: what is known of it becomes an error."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._passed = False

    def cut(self, chunk: bytes) -> Iterator[Incoming | None]:
        """A message for each line that ended; None for what is none: programs write other things to stdout, too."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._add(part)
            if self._held[:1].isspace() or self._held.startswith(b"{"):
                yield self._too_large() if self._passed else self._message()
            self._held.clear()
            self._passed = False
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._held += part
        if len(self._held) > self._limit:
            # Its beginning and its end stay: one of them names the request it answers.
            self._passed = True
            del self._held[_EDGE:-_EDGE]

    def _message(self) -> Incoming | None:
        try:
            return _parsed(bytes(self._held))
        except ValueError:
            pass
        try:
            # Texts cut in the middle of a character are sent as halves, which are no text: their call would never end.
            whole = json.dumps(json.loads(self._held.decode("utf-8", "replace")), ensure_ascii=False)
            return _parsed(whole.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None

    def _too_large(self) -> Incoming | None:
        found = _ID_FIRST.search(bytes(self._held[:_EDGE])) or _ID_LAST.search(bytes(self._held[-_EDGE:]))
        if found is None:
            return None
        error = ErrorData(code=INTERNAL_ERROR, message=too_large(self._limit))
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error))


def _parsed(line: bytes) -> SessionMessage:
    return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))


def too_large(limit: int) -> str:
    return (
        f"the answer has more than {limit:,} bytes; ask for less, "
        'or allow more with "max_bytes" under "glassloop" in the server\'s entry'
    )


def _refusal(launch: StdioLaunch, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError) and error.filename == launch.cwd:
        return f'there is no folder {launch.cwd!r} to run it in: name one that exists as its "cwd"'
    if isinstance(error, FileNotFoundError):
        return f"there is no program {launch.command!r} here: install it, or give its full path"
    if isinstance(error, PermissionError):
        return f"{launch.command!r} may not be run by this user"
    return f"{launch.command!r} could not be started: {getattr(error, 'strerror', None) or error}"
