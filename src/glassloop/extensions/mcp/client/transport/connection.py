"""One life of a server: from its start over its greeting to its end, with the calls in between.

Everything that the SDK does for one server runs in one task, which owns the transport and the session. Calls are tasks
of their own, so that a caller who gives up need not wait for the server to be told. Owns no policy: when to start, how
often, and which tools may be called is the server's.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, assert_never, cast

import anyio
import msgspec
from mcp.client._transport import TransportStreams
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    AudioContent,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    Implementation,
    PaginatedRequestParams,
    RequestId,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import ValidationError

from glassloop.core.errors import ToolError, ToolTimedOut, ToolUnavailable
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.mcp.client.config import HttpLaunch, ServerEntry
from glassloop.extensions.mcp.client.definition import MAX_TOOLS, ListingReader, ToolListing
from glassloop.extensions.mcp.client.tool import AnswerLost
from glassloop.extensions.mcp.client.transport.http import LOST, NOT_SENT, http_connected
from glassloop.extensions.mcp.client.transport.message_filter import MessageFilter
from glassloop.extensions.mcp.client.transport.stdio import ServerProgram, too_large
from glassloop.extensions.mcp.client.untrusted_text import line, masked, plain
from glassloop.tools.context import ToolContext
from glassloop.tools.execution.threads import ToolThreads
from glassloop.tools.result import DONE

MAX_CALLS = 32
CLOSE_S = 6.0
MAX_PICTURE_CHARS = 400_000
"""Of the pictures of one result, in base64: they are kept with it."""
SHOWN_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_FLUSH_S = 0.5
_STDERR_CHARS = 400
_OLDER = (METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION, INVALID_REQUEST, INVALID_PARAMS)

_readers = ToolThreads(limit=4, purpose="MCP listing")

# The SDK logs what servers do wrong; without a handler that would land on the user's terminal.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class ServerConnection:
    """A running server. `changed` is set when it says that its tools are others now."""

    def __init__(self, entry: ServerEntry) -> None:
        self.changed = asyncio.Event()
        self._entry = entry
        self._program: ServerProgram | None = None
        self._greeting: anyio.CancelScope | None = None
        self._greeted = asyncio.Event()
        self._over = asyncio.Event()
        self._session: ClientSession | None = None
        self._dispatcher: _Dispatcher | None = None
        self._fault: BaseException | None = None
        self._task: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[CallToolResult]] = set()

    @property
    def alive(self) -> bool:
        return self._session is not None and not self._over.is_set()

    async def open(self) -> None:
        """Starts the server and greets it; raises `ToolUnavailable` with the reason where that does not work."""
        self._task = asyncio.create_task(self._live(), name=f"mcp {self._entry.name}")
        greeted = asyncio.create_task(self._greeted.wait())
        try:
            await asyncio.wait({self._task, greeted}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            greeted.cancel()
        if not self.alive:
            await self.close()
            raise ToolUnavailable(f"The MCP server {self._entry.name!r} could not be started: {self.reason}.")

    async def close(self) -> None:
        """Ends the server. Never raises for what it does meanwhile, and never takes long."""
        self._over.set()
        if self._greeting is not None:
            self._greeting.cancel()
        if self._calls:
            for call in self._calls:
                call.cancel()
            await asyncio.wait(self._calls, timeout=_FLUSH_S)
        if self._task is not None:
            _, late = await asyncio.wait({self._task}, timeout=CLOSE_S)
            for task in late:
                task.cancel()

    @property
    def reason(self) -> str:
        """Why it does not run, for the end of a sentence: what went wrong, and the end of what it wrote to stderr."""
        fault = _leaf(self._fault)
        if isinstance(fault, TimeoutError):
            why = f"it did not answer the greeting within {self._entry.options.start_s:g} s"
        elif fault is None or (isinstance(fault, MCPError) and fault.code == CONNECTION_CLOSED):
            why = f"it {self._program.ending if self._program else 'closed the connection'}"
        elif isinstance(fault, ToolError | MCPError):
            why = str(fault)
        else:
            why = f"{type(fault).__name__}: {fault}"
        wrote = bytes(self._program.tail).decode("utf-8", "replace") if self._program else ""
        # Masked before anything is cut off: half a secret would not be found.
        why, wrote = masked(why, self._entry.secrets), plain(masked(wrote, self._entry.secrets), len(wrote) + 1)
        tail = f"; it wrote: {line(wrote[-_STDERR_CHARS:], _STDERR_CHARS)}" if wrote else ""
        return f"{line(why, 600)}{tail}".rstrip(".")

    async def list_tools(self) -> ToolListing:
        """All its tools, page by page; raises `ToolUnavailable` with the reason."""
        session, dispatcher = self._session, self._dispatcher
        if session is None or dispatcher is None:
            raise ToolUnavailable(f"The MCP server {self._entry.name!r} does not run.")
        reader, cursor, asked = ListingReader(), "", set[str]()
        try:
            async with asyncio.timeout(self._entry.options.start_s):
                while cursor not in asked:
                    asked.add(cursor)
                    params = PaginatedRequestParams(cursor=cursor) if cursor else None
                    answer = await session.list_tools(params=params)
                    if not await _readers.run(reader.take, {"raw": dispatcher.listed}):
                        break
                    cursor = answer.next_cursor or ""
        except (TimeoutError, MCPError, ValidationError) as error:
            limit = self._entry.options.start_s
            why = f"not within {limit:g} s" if isinstance(error, TimeoutError) else line(_words(error), 300)
            raise ToolUnavailable(f"The MCP server {self._entry.name!r} did not list its tools: {why}.") from error
        return reader.done()

    async def call(self, tool: str, args: dict[str, Json], context: ToolContext) -> ToolResult:
        """Calls a tool. Raises `ToolUnavailable` where nothing was sent, `AnswerLost` where no answer came."""
        if len(self._calls) >= MAX_CALLS:
            raise ToolUnavailable(f"The MCP server {self._entry.name!r} has {MAX_CALLS} calls to do: try again later.")
        task = asyncio.create_task(self._ask(tool, args, context))
        self._calls.add(task)
        task.add_done_callback(self._called)
        limit = self._entry.options.timeout_s
        try:
            done, _ = await asyncio.wait({task}, timeout=limit)
        except asyncio.CancelledError:
            # It tells the server on its way out; nobody waits for that.
            task.cancel()
            raise
        if not done:
            task.cancel()
            raise ToolTimedOut(f"{tool!r} of the MCP server {self._entry.name!r} took longer than {limit:g} s.")
        try:
            return read_result(task.result())
        except asyncio.CancelledError:
            raise AnswerLost(f"The MCP server {self._entry.name!r} was ended during the call.") from None
        except (MCPError, ValidationError) as error:
            raise await self._explained(error) from error

    async def _ask(self, tool: str, args: dict[str, Json], context: ToolContext) -> CallToolResult:
        if self._session is None or not self.alive:
            raise MCPError(NOT_SENT, "it does not run")

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            context.progress(line(message or "", 500), progress / total if total else None)

        # Not `call_tool`: that would run the server's own schema, with its regular expressions, on the event loop.
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=args))
        return await self._session.send_request(request, CallToolResult, progress_callback=tell)

    def _called(self, task: "asyncio.Task[CallToolResult]") -> None:
        self._calls.discard(task)
        if not task.cancelled():
            # Looked at, so that asyncio does not report as lost what nobody wants any more.
            task.exception()

    async def _explained(self, error: MCPError | ValidationError) -> ToolError:
        name = self._entry.name
        if isinstance(error, ValidationError):
            return ToolError(f"The MCP server {name!r} ran the call, but its answer is not valid: {_words(error)}.")
        code, said = error.code, masked(error.message, self._entry.secrets)
        if too_large(self._entry.options.max_bytes) in said or "Server-sent event exceeded" in said:
            return ToolError(f"The MCP server {name!r} ran the call, but {too_large(self._entry.options.max_bytes)}.")
        if code == NOT_SENT:
            return ToolUnavailable(f"The MCP server {name!r} did not get the call: {said}.")
        if code == INVALID_REQUEST and said == "Session terminated":
            self._over.set()
            return ToolUnavailable(f"The MCP server {name!r} has ended our session: the next call opens a new one.")
        if not self.alive and self._task is not None:
            # It may still be on its way to its end, and only then is it known how it ended.
            await asyncio.wait({self._task}, timeout=1.0)
            return AnswerLost(f"The MCP server {name!r} was lost during the call: {self.reason}.")
        if code in (LOST, PARSE_ERROR) or (code == CONNECTION_CLOSED and said.startswith("SSE stream")):
            return AnswerLost(f"The answer of the MCP server {name!r} was lost: {line(said, 300)}.")
        return ToolError(f"The MCP server {name!r} refused the call: {plain(said, 2_000)}")

    async def _live(self) -> None:
        try:
            async with self._transport() as (incoming, outgoing):
                self._dispatcher = _Dispatcher(MessageFilter(incoming, self.changed.set, self._over.set), outgoing)
                who = Implementation(name="glassloop", version="1")
                async with ClientSession(dispatcher=self._dispatcher, client_info=who) as session:
                    with anyio.fail_after(self._entry.options.start_s) as self._greeting:
                        if not self._over.is_set():
                            await _greet(session)
                    self._session = session
                    self._greeted.set()
                    await self._over.wait()
        except Exception as error:
            self._fault = error
        finally:
            self._over.set()

    def _transport(self) -> AbstractAsyncContextManager[TransportStreams]:
        launch, options = self._entry.launch, self._entry.options
        if isinstance(launch, HttpLaunch):
            return http_connected(launch, options)
        self._program = ServerProgram(launch, options.max_bytes)
        return self._program.connected()


class _Dispatcher(JSONRPCDispatcher[TransportContext]):
    """Keeps a page of tools as it came: each is judged by us, and one that is malformed does not cost the others."""

    listed: Any = None

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        *,
        _related_request_id: RequestId | None = None,
    ) -> dict[str, Any]:
        raw = await super().send_raw_request(method, params, opts, _related_request_id=_related_request_id)
        if method != "tools/list":
            return raw
        self.listed = raw.get("tools")
        listed = cast("list[Any]", self.listed) if isinstance(self.listed, list) else []
        return {**raw, "tools": [sound for tool in listed[:MAX_TOOLS] if (sound := _sound(tool)) is not None]}


def _sound(tool: Any) -> dict[str, Any] | None:
    """So much of a tool that the session takes it."""
    found = cast("dict[str, Any]", tool) if isinstance(tool, dict) else {}
    name, schema = found.get("name"), found.get("inputSchema")
    if not isinstance(name, str) or not isinstance(schema, dict):
        return None
    return {"name": name, "inputSchema": {**cast("dict[str, Any]", schema), "type": "object"}}


async def _greet(session: ClientSession) -> None:
    """The handshake that nearly all servers know; the newer one for those that know nothing else."""
    try:
        await session.initialize()
    except MCPError as error:
        if error.code not in _OLDER:
            raise
        await session.discover()


def _leaf(error: BaseException | None) -> BaseException | None:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return line(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}", 200)
    return str(error)


def read_result(answer: CallToolResult) -> ToolResult:
    """The answer as a result; what is too large for one is refused where results are checked."""
    text = "\n".join(_told(block) for block in answer.content)
    data: Json = answer.structured_content
    if answer.is_error:
        raise ToolError(text.strip() or "The server says that the call failed, and not why.")
    if not text and data is not None:
        text = msgspec.json.encode(data).decode()
    if data is None and (pictures := _pictures(answer.content)):
        data = {"images": pictures}
    return ToolResult(success=True, output=text or DONE, data=data)


def _pictures(blocks: Sequence[ContentBlock]) -> list[Json]:
    """The pictures that people can be shown, as far as they fit into a result; models are only told of them."""
    found: list[Json] = []
    left = MAX_PICTURE_CHARS
    for block in blocks:
        if isinstance(block, ImageContent) and block.mime_type in SHOWN_PICTURES and len(block.data) <= left:
            left -= len(block.data)
            found.append({"media_type": block.mime_type, "data": block.data})
    return found


def _told(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            kind = "picture" if isinstance(block, ImageContent) else "sound"
            return f"[a {kind}, {line(block.mime_type, 60)}, {_size(block.data)}: not shown]"
        case ResourceLink():
            return f"[a link to {line(block.title or block.name, 100)}: {line(str(block.uri), 300)}]"
        case EmbeddedResource():
            return _resource(block.resource)
        case _:
            assert_never(block)


def _resource(resource: Any) -> str:
    where = line(str(resource.uri), 300)
    if isinstance(resource, TextResourceContents):
        return f"[{where}]\n{resource.text}"
    return f"[{where}, {line(resource.mime_type or 'of unknown type', 60)}, {_size(resource.blob)}: not shown]"


def _size(base64: str) -> str:
    return f"{len(base64) * 3 // 4:,} bytes"
