"""One server over all its lives: started when it is needed, started again when it died, and not without end.

Owns when it runs and which of its tools may be called. How it is spoken to is the connection's, which is imported with
the SDK when a server is first started: that takes a second or two, in a thread.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING

from glassloop.core.errors import ToolError, ToolUnavailable, UnknownName, UsageError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.mcp.client.config import ServerEntry
from glassloop.extensions.mcp.client.definition import ServerState, ServerStatus, ToolDefinition, ToolForm, ToolStatus
from glassloop.extensions.mcp.client.server_records import KnownTool, KnownTools, ServerRecords
from glassloop.extensions.mcp.client.tool import LATE, McpTool, alias_of, confirms, effect_of, tool_name
from glassloop.tools.context import ToolContext
from glassloop.tools.execution.threads import ToolThreads

if TYPE_CHECKING:
    from glassloop.extensions.mcp.client.transport.connection import ServerConnection

RESTARTS = 5
WINDOW_S = 600.0
RELIST_S = 1.0
"""At most so often is a server listed anew because it says that its tools changed."""

threads = ToolThreads(limit=4, purpose="MCP file")


class ManagedServer:
    """A server of some file. `trusted`: it may be started."""

    def __init__(
        self,
        entry: ServerEntry,
        ledger: ServerRecords,
        seen: KnownTools | None,
        *,
        trusted: bool,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.entry = entry
        self.trusted = trusted
        self._ledger = ledger
        self._clock = clock
        self._seen = seen or KnownTools()
        self._made: dict[tuple[str, bool], McpTool] = {}
        self._connection: ServerConnection | None = None
        self._opening: asyncio.Task[ServerConnection] | None = None
        self._following: asyncio.Task[None] | None = None
        self._starts: deque[float] = deque(maxlen=RESTARTS + 1)
        self._failure = ""
        self._closed = False

    @property
    def startable(self) -> bool:
        return self.trusted and not self.entry.disabled

    @property
    def known(self) -> bool:
        """Whether its tools were listed by this very entry before, so that it need not run to offer them."""
        return self._seen.entry == self.entry.digest

    @property
    def tools(self) -> Sequence[McpTool]:
        """The tools that may be called now. The same tool stays the same object."""
        if not self.startable or not self.known:
            return ()
        every = [self._seen.tools[name] for name in self._seen.listed if self._wanted(name)]
        now = {(known.accepted.digest, known.late): known.accepted for known in every if known.pending is None}
        self._made = {key: self._made.get(key) or self._tool(tool, late=key[1]) for key, tool in now.items()}
        return list(self._made.values())

    def _tool(self, definition: ToolDefinition, *, late: bool) -> McpTool:
        return McpTool(self.entry, definition, self.call, late=late)

    def learn(self, seen: KnownTools | None) -> None:
        """Takes what another process may have written."""
        self._seen = seen or KnownTools()

    async def connect(self) -> "ServerConnection":
        """The running server, started where it does not run; callers share one start."""
        if self._connection is not None and self._connection.alive:
            return self._connection
        if self._opening is None or self._opening.done():
            self._admit_start()
            self._opening = asyncio.create_task(self._open())
            self._opening.add_done_callback(_looked_at)
        # A caller who gives up does not stop the start for the others.
        await asyncio.wait({self._opening})
        return self._opening.result()

    async def relist(self) -> None:
        """Lists a running server anew; one that does not run is started and listed."""
        if self._connection is not None and self._connection.alive:
            await self._list(self._connection)
        else:
            await self.connect()

    async def call(self, definition: ToolDefinition, args: dict[str, Json], context: ToolContext) -> ToolResult:
        connection = await self.connect()
        if problem := self._problem(definition):
            raise ToolError(problem)
        return await connection.call(definition.name, args, context)

    async def accept(self, tool: str, digest: str | None) -> None:
        """A person takes a changed or new tool as it is now."""
        known = self._seen.tools.get(tool)
        if known is None or tool not in self._seen.listed:
            raise UnknownName(f"The MCP server {self.entry.name!r} has no tool {tool!r}: list its tools to see them.")
        if known.pending is None and not known.late:
            return
        arguments = {"entry": self.entry, "tool": tool, "digest": digest or (known.pending or known.accepted).digest}
        self._seen = await threads.run(self._ledger.accept, arguments)

    async def close(self) -> None:
        self._closed = True
        for task in (self._following, self._opening):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})
        if self._connection is not None:
            await self._connection.close()

    @property
    def status(self) -> ServerStatus:
        state, reason = self._state()
        tools = [self._tool_status(self._seen.tools[name]) for name in self._seen.listed] if self.known else []
        refused = self._seen.refused if self.known else {}
        return ServerStatus(
            name=self.entry.name,
            file=self.entry.file,
            own=self.entry.own,
            state=state,
            reason=reason,
            launch=self.entry.shown(),
            notes=(*self.entry.notes, *(self._seen.notes if self.known else ())),
            tools=(*tools, *(ToolStatus(tool=name, state="refused", reason=why) for name, why in refused.items())),
        )

    def _state(self) -> tuple[ServerState, str]:
        if self.entry.disabled:
            return "disabled", ""
        if not self.trusted:
            return "untrusted", f"{self.entry.file} is not your own file: trust its folder as it is to start this."
        if self._opening is not None and not self._opening.done():
            return "starting", ""
        if self._connection is not None:
            if self._connection.alive:
                return "running", ""
            return "failed", f"It runs no more: {self._connection.reason}. The next call starts it again."
        return ("failed", self._failure) if self._failure else ("idle", "")

    def _tool_status(self, known: KnownTool) -> ToolStatus:
        now, accepted = known.pending or known.accepted, known.accepted
        options = LATE if known.late else self.entry.options
        state, reason = "offered", ""
        if known.pending is not None:
            state, reason = "withheld", "It has changed since it was accepted: read it again, then approve it."
        elif not self._wanted(now.name):
            state, reason = "left_out", 'It is not among the "tools" of the entry.'
        elif known.late:
            state, reason = "new", "It came after the first listing, and asks before each call until it is approved."
        effect = effect_of(options, now)
        return ToolStatus(
            tool=now.name,
            state=state,
            reason=reason,
            name=tool_name(alias_of(self.entry.name), now.name),
            description=now.description,
            accepted_description="" if known.late else accepted.description,
            effect=effect,
            confirm=effect != "read" and confirms(options, now.name),
            digest=now.digest,
            accepted=_form(accepted) if known.pending else None,
            now=_form(now) if known.pending or known.late else None,
        )

    def _wanted(self, tool: str) -> bool:
        return self.entry.options.tools is None or tool in self.entry.options.tools

    def _problem(self, definition: ToolDefinition) -> str:
        """Why this tool may not be called, now that the server has said what it has."""
        name, server = definition.name, self.entry.name
        known = self._seen.tools.get(name)
        if known is None or name not in self._seen.listed:
            return f"The MCP server {server!r} does not offer {name!r} any more."
        if known.pending is not None:
            return (
                f"Not called: the MCP server {server!r} describes {name!r} otherwise than when it was accepted. "
                "A person must approve it first."
            )
        if known.accepted.digest != definition.digest:
            return f"Not called: {name!r} of the MCP server {server!r} has changed. Its new form can be used next turn."
        return ""

    def _admit_start(self) -> None:
        """Refuses a start that comes too soon, or once too often."""
        name, now = self.entry.name, self._clock()
        if self._closed or not self.startable:
            raise ToolUnavailable(
                f"The MCP server {name!r} may not be started: it is closed or disabled, or its folder not trusted."
            )
        while self._starts and now - self._starts[0] > WINDOW_S:
            self._starts.popleft()
        count = len(self._starts)
        again = self._starts[0] + WINDOW_S if count > RESTARTS else 0.0
        if count > 1:
            again = max(again, self._starts[-1] + 2.0 ** (count - 2))
        if now < again:
            raise ToolUnavailable(
                f"The MCP server {name!r} does not stay up (started {count} times): it is started again in "
                f"{again - now:.0f} s at the earliest. {self._failure}".rstrip()
            )

    async def _open(self) -> "ServerConnection":
        self._starts.append(self._clock())
        await self._leave()
        module = await threads.run(import_module, {"name": "glassloop.extensions.mcp.client.transport.connection"})
        connection: ServerConnection = module.ServerConnection(self.entry)
        try:
            await connection.open()
            await self._list(connection)
        except BaseException as error:
            self._failure = str(error) or "It was closed while it started."
            await connection.close()
            raise
        self._failure = ""
        self._connection = connection
        self._following = asyncio.create_task(self._follow(connection))
        return connection

    async def _leave(self) -> None:
        """Lets go of a connection that is over."""
        if self._following is not None:
            self._following.cancel()
        if self._connection is not None:
            connection, self._connection = self._connection, None
            self._failure = connection.reason
            await connection.close()

    async def _list(self, connection: "ServerConnection") -> None:
        listing = await connection.list_tools()
        try:
            self._seen = await threads.run(self._ledger.compare, {"entry": self.entry, "listing": listing})
        except UsageError as error:
            raise ToolUnavailable(f"The tools of {self.entry.name!r} cannot be remembered: {error}") from error

    async def _follow(self, connection: "ServerConnection") -> None:
        while True:
            await connection.changed.wait()
            connection.changed.clear()
            try:
                await self._list(connection)
            except ToolError as error:
                self._failure = str(error)
            await asyncio.sleep(RELIST_S)


def _form(definition: ToolDefinition) -> ToolForm:
    return ToolForm(
        description=definition.description,
        parameters=definition.parameters,
        read_only=definition.read_only,
        idempotent=definition.idempotent,
    )


def _looked_at(task: "asyncio.Task[ServerConnection]") -> None:
    if not task.cancelled():
        task.exception()
