"""The folder that a session works in, for tools that read and change files.

A session has one, chosen with its first question and kept with the session. Tools learn it from here, offered to
their factories as `workspaces`, never from arguments or the process's working folder. Which folders may be chosen is
decided here too: people name them by a root's name and the path below it, and no other path of the machine is told.
"""

import asyncio
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.root_folder import PathError, RootFolder, check_path
from glassloop.store.tables.workspaces import SessionWorkspace

if TYPE_CHECKING:
    from glassloop.runtime.settings.settings import Settings
    from glassloop.store.store import Store

LOCAL_ROOTS = ("/workspace", "/projects", "/home", "/Users")
"""In `local` mode, where they exist, beside the folder that the program was started in."""
USER = "{user}"
_USER_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@+-]{0,127}")
"""Users whose name can be a folder's."""


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """One session's folder. `root` is its path without links; no message for a user or a model has it."""

    root: Path
    user: str
    session_id: str
    name: str = ""
    """As people may name it."""
    context_name: str | None = None
    """The index of it that the session searches."""

    def open(self) -> RootFolder:
        """The folder, for `with`. Blocks."""
        return RootFolder(self.root)


class Workspaces(Protocol):
    """Finds the folder of a session."""

    async def of(self, user: str, session_id: str) -> Workspace:
        """Raises `UsageError` where the session has none, with the remedy."""
        ...


class FixedWorkspace:
    """One folder for every session: for programs that make an agent without a runtime, and for tests."""

    def __init__(self, root: Path, context_name: str | None = None) -> None:
        self._root, self._context_name = root.resolve(), context_name

    async def of(self, user: str, session_id: str) -> Workspace:
        return Workspace(
            root=self._root,
            user=user,
            session_id=session_id,
            name=self._root.name,
            context_name=self._context_name,
        )


class AllowedRoot(NamedTuple):
    """A folder that people may work in or below; `name` is how they call it."""

    name: str
    path: Path


class AllowedRoots:
    """The folders that each user may work in. Blocks: it looks at the disk."""

    def __init__(self, settings: "Settings", started_in: Path | None = None) -> None:
        self._local = settings.auth == "local"
        self._named = settings.extensions.workspace_roots(settings)
        self._started_in = started_in or Path.cwd()
        self._home = settings.home_path.resolve()
        self._made: tuple[Path, ...] = ()

    @contextmanager
    def allowing(self, folder: Path) -> Generator[None]:
        """Allows everybody one more folder for a while: for programs that make one, such as evaluations."""
        self._made = (*self._made, folder)
        try:
            yield
        finally:
            self._made = tuple(each for each in self._made if each != folder)

    def of(self, user: str) -> Sequence[AllowedRoot]:
        """Widest first, none inside another. Raises `UsageError` where there is none."""
        given = [*self._named, *((*LOCAL_ROOTS, str(self._started_in)) if self._local else ())]
        filled = (each.replace(USER, user) for each in given if USER not in each or _USER_NAME.fullmatch(user))
        every = (*filled, *map(str, self._made))
        paths = {path for each in every if (path := _folder(each)) is not None and not path.is_relative_to(self._home)}
        widest = [path for path in sorted(paths) if not any(path != other and other in path.parents for other in paths)]
        if not widest:
            raise UsageError(
                "No workspace folder is allowed here: the operator of this server can allow one with "
                "GLASSLOOP_CODE_ROOTS, such as /srv/projects or /srv/projects/{user}."
            )
        return [AllowedRoot(_short_name(path, widest), path) for path in widest]

    def find(self, user: str, name: str) -> tuple[str, Path]:
        """The folder that a user names, as `root/folder` or by its whole path: its name and its path without links.
        Raises `UsageError` where it is none that they may work in."""
        try:
            check_path(name)
        except PathError as error:
            raise UsageError(f"That cannot be a workspace: {error}.") from None
        roots = self.of(user)
        # The guard is the resolved path below; what is written only says where to begin.
        choices = (
            [Path(name)]
            if name.startswith("/")
            else [root.path / name[len(root.name) + 1 :] for root in _called(name, roots)]
        )
        for choice in choices or [root.path / name for root in roots]:
            path = _folder(str(choice))
            root = next((each for each in roots if path is not None and path.is_relative_to(each.path)), None)
            if path is not None and root is not None:
                return self.name_of(root, path), self._checked(path, name)
        raise UsageError(
            f"There is no folder {name!r} that you may work in: choose {_listed(roots)}, or one below. The operator "
            "allows others with GLASSLOOP_CODE_ROOTS."
        )

    def name_of(self, root: AllowedRoot, path: Path) -> str:
        """A folder below a root as people may name it."""
        below = path.relative_to(root.path).as_posix()
        return root.name if below == "." else f"{root.name}/{below}"

    def _checked(self, path: Path, name: str) -> Path:
        if path.is_relative_to(self._home) or self._home.is_relative_to(path):
            raise UsageError(
                f"{name!r} cannot be a workspace because it holds Glassloop's own data: choose another folder."
            )
        return path


class SessionWorkspaces:
    """The folders of sessions, as the store keeps them: the same after a restart and on another worker."""

    def __init__(self, store: "Store", roots: AllowedRoots) -> None:
        self._store = store
        self.roots = roots

    async def of(self, user: str, session_id: str) -> Workspace:
        row = await self.find(user, session_id)
        if row is None or not row.path:
            raise UsageError(
                "This session has no workspace: name a folder with its first question (`workspace`), or begin with "
                "`glassloop code PATH`."
            )
        # Asked each time: what may be worked in may have changed, and another server may have other roots.
        name, path = await asyncio.to_thread(self.roots.find, user, row.path)
        context = row.context_name or None
        return Workspace(root=path, user=user, session_id=session_id, name=name, context_name=context)

    async def find(self, user: str, session_id: str) -> SessionWorkspace | None:
        """What is kept of a session, if it is this user's."""
        row = await self._store.workspaces.get(session_id)
        return row if row is not None and row.user_id == user else None

    async def name_of(self, user: str, path: str) -> str:
        """A folder that is kept, as the user may name it; empty where they may not work in it any more."""
        try:
            return (await asyncio.to_thread(self.roots.find, user, path))[0] if path else ""
        except UsageError:
            return ""

    async def choose(
        self, user: str, session_id: str, folder: str | None, context_name: str | None = None, mode: str | None = None
    ) -> SessionWorkspace:
        """Keeps a session's folder, index and mode; None leaves what it has. Raises `UsageError` where the folder may
        not be worked in, or the session has turns in another one."""
        session = await self._store.sessions.get(session_id)
        if session is not None and session.user_id != user:
            raise UnknownName(f"There is no session {session_id!r}: omit it to start a new one.")
        row = await self.find(user, session_id) or SessionWorkspace(session_id=session_id, user_id=user)
        changed = row
        if folder is not None:
            _, path = await asyncio.to_thread(self.roots.find, user, folder)
            if row.path and row.path != str(path) and await self._store.turns.of_session(session_id):
                raise UsageError("This session works in another folder: start a new session for this one.")
            changed = msgspec.structs.replace(changed, path=str(path))
        if context_name is not None:
            changed = msgspec.structs.replace(changed, context_name=context_name)
        if mode is not None:
            changed = msgspec.structs.replace(changed, mode=mode)
        if changed != row:
            await self._store.workspaces.put(changed)
        return changed


def _folder(path: str) -> Path | None:
    """The folder's own path, without links; None where there is none."""
    try:
        found = Path(path).expanduser().resolve(strict=True)
        return found if found.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _called(name: str, roots: Sequence[AllowedRoot]) -> Sequence[AllowedRoot]:
    """The roots that a name begins with."""
    return [root for root in roots if name == root.name or name.startswith(f"{root.name}/")]


def _short_name(path: Path, every: Sequence[Path]) -> str:
    """The last parts of a root's path, as many as tell it from the others."""
    for count in range(1, len(path.parts)):
        name = "/".join(path.parts[-count:])
        if sum("/".join(other.parts[-count:]) == name for other in every) == 1:
            return name
    return path.as_posix().strip("/") or "root"


def _listed(roots: Sequence[AllowedRoot]) -> str:
    return " or ".join(repr(root.name) for root in roots)
