"""Memory of a session, as a view on its turns in the log: the same after a restart and on another worker.

Keeps nothing of its own. What the model is told of it stands in the first event of each turn, so that a replay tells
the same.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import ToolResult
from glassloop.extensions.code.chat.file_heads import file_heads
from glassloop.extensions.code.project.project_info import ProjectInfo, describe
from glassloop.runtime.ids import new_id
from glassloop.runtime.workspaces import SessionWorkspaces
from glassloop.store.log.turn_tree import turns_up_to
from glassloop.store.records import Session, TurnRow
from glassloop.store.store import Store

MAX_TURNS = 20
MAX_FILES = 5
FILE_CHARS = 500
TOLD_TURNS = 5
TOLD_CHARS = 200
SESSION_TIMEOUT_HOURS = 24.0
ASSISTANT = "code"
LOOKS = frozenset(("list_directory", "glob", "code_map"))
"""Tools whose path is the folder that they looked at, and no file."""


class RememberedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One question with its answer; `timestamp` in seconds since the epoch."""

    query: str
    response: str
    tools_used: tuple[str, ...]
    timestamp: float


class TouchedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read or changed, with its beginning as it is now."""

    path: str
    content: str


class ConversationMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What a session is remembered by."""

    session_id: str
    workspace: str = ""
    context_name: str | None = None
    turns: tuple[RememberedTurn, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    project: ProjectInfo | None = None
    created_at: str = ""
    last_activity: str = ""

    def get_context_for_prompt(self, include_file_context: bool = True) -> str:
        """The memory as a text for a model, under its headings."""
        parts = [f"## Workspace\n{self.workspace}"] if self.workspace else []
        if self.project is not None:
            parts.append(f"## Project\n{self.project.summary}")
        if self.turns:
            said = (f"User: {each.query[:TOLD_CHARS]}\nAssistant: {each.response[:TOLD_CHARS]}" for each in self.turns)
            parts.append("## Recent conversation\n" + "\n".join(list(said)[-TOLD_TURNS:]))
        if self.files and include_file_context:
            shown = (f"### {each.path}\n{each.content}" for each in self.files)
            parts.append("## Recently accessed files\n" + "\n".join(shown))
        return "\n\n".join(parts)

    def clear(self) -> "ConversationMemory":
        """The memory without its turns, files and project. `MemoryManager.remove` forgets them for good."""
        return msgspec.structs.replace(self, turns=(), files=(), project=None)

    @property
    def tools_used(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tool for turn in self.turns for tool in turn.tools_used))


class MemoryManager:
    """The memories of one user's sessions."""

    def __init__(
        self,
        store: Store,
        workspaces: SessionWorkspaces,
        user: str,
        session_timeout_hours: float = SESSION_TIMEOUT_HOURS,
    ) -> None:
        self._store = store
        self._workspaces = workspaces
        self._user = user
        self._timeout_s = session_timeout_hours * 3600.0

    async def get_or_create(
        self, session_id: str | None = None, workspace_path: str | None = None, context_name: str | None = None
    ) -> ConversationMemory:
        """The memory of a session, which begins with it where there is none; given values replace."""
        session_id = session_id or new_id()
        if workspace_path is not None or context_name is not None:
            await self._workspaces.choose(self._user, session_id, workspace_path, context_name)
        found = await self.get(session_id)
        if found is not None:
            return found
        row = await self._workspaces.find(self._user, session_id)
        name = await self._workspaces.name_of(self._user, row.path if row else "")
        context = (row.context_name or None) if row else None
        project = await self._project(session_id)
        return ConversationMemory(session_id=session_id, workspace=name, context_name=context, project=project)

    async def get(
        self, session_id: str, *, project: bool = True, previous_turn_id: str | None = None
    ) -> ConversationMemory | None:
        """The memory of a session of this user; None where there is none. `project`: with what its folder is.
        `previous_turn_id`: only up to that turn."""
        session = await self._store.sessions.get_owned(session_id, self._user)
        if session is None:
            return None
        found = await self._read(session, previous_turn_id)
        return msgspec.structs.replace(found, project=await self._project(session_id)) if project else found

    async def remove(self, session_id: str) -> bool:
        """Forgets the turns and files of a session, which the log keeps; whether there was anything to forget."""
        session = await self._store.sessions.get_owned(session_id, self._user)
        if session is None:
            raise UnknownName(f"There is no session {session_id!r}.")
        if not await self._turns(session):
            return False
        await self._store.sessions.forget(session_id)
        return True

    async def cleanup_stale_sessions(self) -> int:
        """Forgets those that are idle for too long; how many."""
        before, removed = self._store.engine.clock() - self._timeout_s, 0
        for session in await self.sessions():
            if datetime.fromisoformat(session.last_active).timestamp() < before:
                removed += await self.remove(session.id)
        return removed

    async def sessions(self) -> Sequence[Session]:
        """Those with the code assistant, newest first."""
        found = await self._store.sessions.list(1000, user_id=self._user)
        return [session for session in found if session.assistant == ASSISTANT]

    async def _turns(self, session: Session, previous_turn_id: str | None = None) -> Sequence[TurnRow]:
        every = turns_up_to(await self._store.turns.of_session(session.id), previous_turn_id)
        rows = [row for row in every if row.started_at > _forgotten(session)]
        return [row for row in rows if row.status == "completed"][-MAX_TURNS:]

    async def _project(self, session_id: str) -> ProjectInfo | None:
        try:
            return await asyncio.to_thread(describe, (await self._workspaces.of(self._user, session_id)).root)
        except (UsageError, OSError):
            return None

    async def _read(self, session: Session, previous_turn_id: str | None) -> ConversationMemory:
        row = await self._workspaces.find(self._user, session.id)
        files: dict[str, None] = {}
        turns: list[RememberedTurn] = []
        for turn in await self._turns(session, previous_turn_id):
            events = await self._store.turns.read(turn.id, skip_unknown=True)
            turns.append(
                RememberedTurn(
                    query=turn.question,
                    response=turn.answer or "",
                    tools_used=_tools_in(events),
                    timestamp=turn.started_at,
                )
            )
            _add_touched(files, events)
        return ConversationMemory(
            session_id=session.id,
            workspace=await self._workspaces.name_of(self._user, row.path if row else ""),
            context_name=(row.context_name or None) if row else None,
            turns=tuple(turns),
            files=await self._touched(session.id, list(files)[-MAX_FILES:]),
            created_at=session.started_at,
            last_activity=session.last_active,
        )

    async def _touched(self, session_id: str, paths: Sequence[str]) -> tuple[TouchedFile, ...]:
        if not paths:
            return ()
        try:
            workspace = await self._workspaces.of(self._user, session_id)
            heads = await asyncio.to_thread(file_heads, workspace, paths, FILE_CHARS)
        except (UsageError, OSError):
            return ()
        return tuple(TouchedFile(path=path, content=text) for path, text in heads.items())


def _tools_in(events: Sequence[e.Durable]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.call.tool for each in events if isinstance(each, e.ToolCalled)))


class TouchedInLog:
    """The files that a session read or changed last, those of the turn that runs among them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def touched(self, user: str, session_id: str) -> Sequence[str]:
        """Paths from the workspace, the last one last; none of a session of somebody else."""
        session = await self._store.sessions.get_owned(session_id, user)
        if session is None:
            return ()
        files: dict[str, None] = {}
        rows = await self._store.turns.of_session(session.id, since=_forgotten(session), path_only=True)
        for turn in rows[-TOLD_TURNS:]:
            _add_touched(files, await self._store.turns.read(turn.id, skip_unknown=True))
        return list(files)[-MAX_FILES:]

    async def question(self, user: str, turn_id: str) -> str:
        """What a turn of the user's was asked; empty where there is none."""
        started = await self._store.turns.first(turn_id) if turn_id else None
        return "" if started is None or started.user != user else started.question


def _forgotten(session: Session) -> float:
    return 0.0 if session.forgotten_at is None else datetime.fromisoformat(session.forgotten_at).timestamp()


def _add_touched(files: dict[str, None], events: Sequence[e.Durable]) -> None:
    """A file that is touched again moves to the end. Calls made together count in the order they were made."""
    returned = {each.call_id: each.result for each in events if isinstance(each, e.ToolReturned)}
    calls = (each.call for each in events if isinstance(each, e.ToolCalled) and each.call.tool not in LOOKS)
    for result in (returned[call.id] for call in calls if call.id in returned):
        if path := _touched(result):
            files.pop(path, None)
            files[path] = None


def _touched(result: ToolResult) -> str:
    path = result.metadata.get("path")
    return path if result.success and isinstance(path, str) else ""
