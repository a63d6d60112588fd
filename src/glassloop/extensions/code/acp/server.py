"""`AcpServer`: sessions of an editor on a runtime, over the Agent Client Protocol."""

import asyncio
import logging
import os
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Final, get_args

import msgspec

from glassloop import __version__
from glassloop.cli.resources import USER
from glassloop.cli.turn_player import grantable_tools
from glassloop.cli.ui.approval import allowed_words, may_count_for_session
from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch, UnknownName, UsageError
from glassloop.core.loop.approvals.modes import Mode, check_mode
from glassloop.extensions.code.acp import messages as m
from glassloop.extensions.code.acp.connection import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MAX_LINE_BYTES,
    UNKNOWN_METHOD,
    PeerGone,
    RpcConnection,
    RpcError,
    read_params,
)
from glassloop.extensions.code.acp.prompt_parts import question_of
from glassloop.extensions.code.acp.updates import TurnUpdates, retell
from glassloop.projections.pending_approvals import pending
from glassloop.projections.response import why_ended
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.submission import TurnOptions
from glassloop.runtime.ids import new_id
from glassloop.runtime.workspaces import SessionWorkspaces

MAX_SESSIONS: Final = 1_000
"""Known at a time; the one that was used longest ago can be loaded again."""
PAGE: Final = 100
"""Sessions that are looked at for one list."""
MODES: Final[dict[Mode, tuple[str, str]]] = {
    "plan": ("Plan", "Nothing changes before you have approved a plan."),
    "read": ("Read", "No tool that changes something is offered."),
    "ask": ("Ask", "Changes and commands ask you."),
    "edits": ("Edits", "Changes of files need not ask; deleting and commands do."),
}

_log = logging.getLogger("glassloop.code")


class EditorSession:
    """A session of the editor's. `folder` is the workspace as the editor names it."""

    def __init__(self, ident: str, folder: str, mode: Mode) -> None:
        self.id, self.folder = ident, folder
        self.mode: Mode = mode
        self.prompt: PromptState | None = None


class PromptState:
    """One prompt under way. `asking` is the question about a permission that waits for the person."""

    def __init__(self) -> None:
        self.turn_id = ""
        self.cancelled = False
        self.asking: asyncio.Task[m.PermissionResult] | None = None


class AcpServer:
    """One editor at the other end of two streams."""

    def __init__(
        self,
        runtime: Runtime,
        workspaces: SessionWorkspaces,
        wanted: AgentKey,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        mode: Mode = "ask",
    ) -> None:
        self._runtime, self._workspaces, self._wanted = runtime, workspaces, wanted
        self._mode: Mode = mode
        self._connection = RpcConnection(reader, writer, self._handle)
        self._sessions: OrderedDict[str, EditorSession] = OrderedDict()
        self._initialized = False

    async def run(self) -> None:
        """Serves until the editor closes the connection; turns that run or wait then are cancelled."""
        await self._connection.run()

    async def _handle(self, method: str, params: msgspec.Raw) -> object:
        if method == "initialize":
            return self._initialize(read_params(params, m.InitializeParams))
        if not self._initialized:
            raise RpcError(INVALID_REQUEST, "Send `initialize` first.")
        match method:
            case "session/new":
                return await self._new(read_params(params, m.NewSessionParams))
            case "session/load":
                return await self._load(read_params(params, m.LoadSessionParams))
            case "session/list":
                return await self._list(read_params(params, m.ListSessionsParams))
            case "session/prompt":
                return await self._prompt(read_params(params, m.PromptParams))
            case "session/cancel":
                return await self._cancel(read_params(params, m.SessionParams))
            case "session/set_mode":
                return self._set_mode(read_params(params, m.SetModeParams))
            case _:
                raise RpcError(UNKNOWN_METHOD, f"There is no method {method[:100]!r} here.")

    def _initialize(self, params: m.InitializeParams) -> m.InitializeResult:
        if params.protocol_version != m.PROTOCOL_VERSION:
            _log.info("the editor speaks version %r of the protocol", params.protocol_version)
        self._initialized = True
        info = m.AgentInfo(name="glassloop", title="Glassloop", version=__version__)
        return m.InitializeResult(agent_info=info)

    async def _new(self, params: m.NewSessionParams) -> m.SessionResult:
        await asyncio.to_thread(self._workspaces.roots.find, USER, _checked_folder(params))
        session = self._keep(EditorSession(new_id(), params.cwd, self._mode))
        return m.SessionResult(session_id=session.id, modes=_modes(session.mode))

    async def _load(self, params: m.LoadSessionParams) -> m.SessionResult:
        ident, folder = params.session_id, _checked_folder(params)
        known = self._sessions.get(ident)
        if known is not None and known.prompt is not None:
            raise RpcError(INVALID_REQUEST, "This session answers a prompt: cancel that first.")
        await self._runtime.session(ident, USER)
        row = await self._workspaces.choose(USER, ident, folder)
        mode = check_mode(row.mode) if row.mode else "ask"
        async for page in self._runtime.store.turns.session_pages(ident, path_only=True):
            for turn in page:
                events = await self._runtime.store.turns.read(turn.id, skip_unknown=True)
                for update in retell(events, folder):
                    await self._update(ident, update)
        session = self._keep(EditorSession(ident, folder, mode))
        return m.SessionResult(modes=_modes(session.mode))

    async def _list(self, params: m.ListSessionsParams) -> m.SessionList:
        """The sessions that have a folder, or that one, newest first."""
        cursor = params.cursor or "0"
        if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= 9):
            raise UsageError(f"There is no page {cursor!r}: give the cursor that the list before said.")
        find, offset, folder = self._workspaces.roots.find, int(cursor), None
        if params.cwd is not None:
            _, folder = await asyncio.to_thread(find, USER, params.cwd)
        rows = await self._runtime.store.workspaces.of_user(USER)
        page = await self._runtime.store.sessions.list(PAGE, offset, USER)
        found = [
            m.EditorSessionInfo(session_id=each.id, cwd=row.path, title=each.title, updated_at=each.last_active)
            for each in page
            if (row := rows.get(each.id)) is not None and row.path and folder in (None, Path(row.path))
        ]
        return m.SessionList(sessions=found, next_cursor=str(offset + PAGE) if len(page) == PAGE else None)

    def _set_mode(self, params: m.SetModeParams) -> dict[str, object]:
        """From the next prompt on: a turn keeps the mode that it began with."""
        self._session(params.session_id).mode = check_mode(params.mode_id)
        return {}

    async def _cancel(self, params: m.SessionParams) -> None:
        prompt = self._session(params.session_id).prompt
        if prompt is None:
            return
        prompt.cancelled = True
        if prompt.asking is not None:
            prompt.asking.cancel()
        if prompt.turn_id:
            await self._runtime.cancel(prompt.turn_id)

    async def _prompt(self, params: m.PromptParams) -> m.PromptResult:
        session = self._session(params.session_id)
        if session.prompt is not None:
            raise RpcError(INVALID_REQUEST, "This session answers a prompt already: cancel it, or wait.")
        # Before anything is awaited: a cancel may be the next message.
        prompt = session.prompt = PromptState()
        try:
            question = await asyncio.to_thread(question_of, params.prompt, session.folder)
            submitted = await self._runtime.submit(
                question,
                session_id=session.id,
                user=USER,
                wanted=self._wanted,
                channel="cli",
                supersedes=True,
                ask_user=False,
                options=TurnOptions(workspace=session.folder, mode=session.mode),
            )
            prompt.turn_id = submitted.turn_id
            if prompt.cancelled:
                await self._runtime.cancel(prompt.turn_id)
            return m.PromptResult(stop_reason=await self._follow(session, prompt))
        except (asyncio.CancelledError, ConnectionError):
            # The editor is gone: nobody watches, and nobody could be asked.
            await self._runtime.stop_session(session.id)
            raise
        finally:
            session.prompt = None

    async def _follow(self, session: EditorSession, prompt: PromptState) -> m.StopReason:
        """Tells what the turn does until it is over, and asks the person where it waits for them."""
        updates, after = TurnUpdates(session.folder), 0
        while True:
            async for event in self._runtime.watch(prompt.turn_id, after=after):
                after = max(after, event.seq)
                for update in updates.tell(event):
                    await self._update(session.id, update)
            if (finished := updates.finished) is not None:
                if finished.status == "failed":
                    raise RpcError(INTERNAL_ERROR, why_ended(finished))
                return updates.stop_reason
            events = await self._runtime.store.turns.read(prompt.turn_id, skip_unknown=True)
            requests = pending(events)
            if not requests and events[-1].seq <= after:
                await self._runtime.cancel(prompt.turn_id)
                raise RpcError(INTERNAL_ERROR, "The turn waits for what an editor cannot give: it was cancelled.")
            if requests:
                await self._decide(session, prompt, updates, events[0], requests)

    async def _decide(
        self,
        session: EditorSession,
        prompt: PromptState,
        updates: TurnUpdates,
        started: e.Durable,
        requests: tuple[e.ApprovalRequested, ...],
    ) -> None:
        grantable = await grantable_tools(self._runtime, started)
        decisions: list[Approval] = []
        for request in requests:
            options = _options(request, for_session=may_count_for_session(request, grantable))
            asked = m.PermissionParams(
                session_id=session.id, tool_call=updates.request_fields(request), options=options
            )
            chosen = await self._ask(prompt, asked)
            if chosen is None:
                await self._runtime.cancel(prompt.turn_id)
                return
            decisions.append(
                Approval(
                    call_id=request.call.id,
                    digest=request.digest,
                    approved=chosen != "reject_once",
                    by=USER,
                    for_session=chosen == "allow_always",
                )
            )
        try:
            await self._runtime.approve(prompt.turn_id, decisions)
        except ApprovalMismatch as error:
            _log.info("a decision came too late: %s", error)

    async def _ask(self, prompt: PromptState, asked: m.PermissionParams) -> m.OptionKind | None:
        """What the person chose; None where the turn is to be cancelled. What was not offered is a refusal."""
        if prompt.cancelled:
            return None
        ask = self._connection.ask("session/request_permission", asked, m.PermissionResult)
        prompt.asking = asyncio.create_task(ask)
        try:
            outcome = (await prompt.asking).outcome
        except asyncio.CancelledError:
            if not prompt.cancelled:
                raise
            return None
        except PeerGone as error:
            _log.info("nobody could be asked: %s", error)
            return "reject_once"
        finally:
            prompt.asking = None
        if outcome.outcome == "cancelled":
            return None
        for option in asked.options:
            if option.option_id == outcome.option_id:
                return option.kind
        return "reject_once"

    async def _update(self, session_id: str, update: m.SessionUpdate) -> None:
        await self._connection.notify("session/update", m.SessionNotification(session_id=session_id, update=update))

    def _session(self, ident: str) -> EditorSession:
        session = self._sessions.get(ident)
        if session is None:
            raise UnknownName(f"There is no session {ident!r} here: begin one, or load it.")
        self._sessions.move_to_end(ident)
        return session

    def _keep(self, session: EditorSession) -> EditorSession:
        idle = [each.id for each in self._sessions.values() if each.prompt is None]
        if len(self._sessions) >= MAX_SESSIONS and idle:
            del self._sessions[idle[0]]
        self._sessions[session.id] = session
        return session


def _checked_folder(params: m.NewSessionParams) -> str:
    if not params.cwd.startswith("/"):
        raise UsageError(f"`cwd` is an absolute path, not {params.cwd[:100]!r}.")
    if params.mcp_servers:
        _log.warning("the editor's MCP servers are not used: name them in .mcp.json")
    return params.cwd


def _modes(current: Mode) -> m.SessionModes:
    offered = [m.SessionMode(id=mode, name=MODES[mode][0], description=MODES[mode][1]) for mode in get_args(Mode)]
    return m.SessionModes(current_mode_id=current, available_modes=offered)


def _options(request: e.ApprovalRequested, *, for_session: bool) -> list[m.PermissionOption]:
    always = f"Allow{allowed_words(request)} for this session"
    return [
        m.PermissionOption(option_id="allow_once", name="Allow once", kind="allow_once"),
        *([m.PermissionOption(option_id="allow_always", name=always, kind="allow_always")] if for_session else []),
        m.PermissionOption(option_id="reject_once", name="Refuse", kind="reject_once"),
    ]


async def serve_acp(runtime: Runtime, wanted: AgentKey, *, mode: Mode | None = None) -> None:
    """Serves the editor that started this program, over its standard input and output.

    From here on everything else that is printed goes to standard error, also by other programs that are started.
    """
    if runtime.workspaces is None:
        raise UsageError("No folder can be worked in here: `glassloop code --acp` needs the code extension.")
    sys.stdout.flush()
    given, taken = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=MAX_LINE_BYTES)
    try:
        coming, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(given, "rb"))
        going, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(taken, "wb"))
    except ValueError as error:
        raise UsageError("Standard input and output must be pipes: an editor starts this, not a person.") from error
    writer = asyncio.StreamWriter(going, protocol, reader, loop)
    try:
        await AcpServer(runtime, runtime.workspaces, wanted, reader, writer, mode=mode or "ask").run()
    finally:
        coming.close()
        going.close()
