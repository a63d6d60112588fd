"""The way of every tool of this pack to the files of its session: the workspace, the rate, and what is refused.

Opens the session's workspace for a call and turns what goes wrong beneath it into one sentence that names the path as
the model gave it, never one of the machine. Where a path leads is decided by `root_folder` alone; the rules about
names here (version control, secrets, blocked folders) look at paths whose links are resolved.
"""

import asyncio
import errno
import logging
import math
import os
import threading
import time
import unicodedata
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice
from typing import TypeVar

from glassloop.core.errors import ToolError, UsageError
from glassloop.core.ports import Clock
from glassloop.retrieval.code.workspace import NEVER
from glassloop.root_folder import NotOrdinaryError, OutsideRootError, PathError, RootFolder
from glassloop.runtime.workspaces import Workspace, Workspaces
from glassloop.tools.tool import ToolContext

RATE = 100
"""File operations of a session a minute."""
RATE_S = 60.0
MAX_SESSIONS = 1_000
"""Whose operations are counted at a time."""
SHOWN_CHARS = 300
"""Of a path in a message."""
NEAREST, MAX_PARTS, MAX_NAMES = 3, 40, 2_000
"""Names that are told for one that is not there; folders on the way, and names in each, that are compared."""

VERSION_CONTROL = frozenset((".git", ".hg", ".svn"))
SECRET_NAMES = (
    *(".env", ".env.*", ".envrc", "*.env", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_*_sk", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.ppk"),
    *("*.keystore", "*.kdbx", "*.asc", "*.gpg", ".git-credentials", ".dockercfg", "credentials", "credentials.*"),
    *("secrets.*", "*_secrets.*", "*-secrets.*", "service-account*.json", "*serviceaccount*.json", "client_secret*"),
    *("*.tfvars", "*.tfstate", "*.ovpn", "kubeconfig", ".terraformrc", ".boto", ".s3cfg", "auth.json", "token.json"),
)
SECRET_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"))
NO_SECRETS = ("*.example", "*.sample", "*.template", "*.dist", "*.pub", "*.py", "*.md", "*.rst", "*.html")
"""Names that only look like those of secrets."""

logger = logging.getLogger("glassloop.code")
logger.addHandler(logging.NullHandler())

T = TypeVar("T")


class SecurityError(ToolError):
    """A path that leads out of the workspace, or to what no tool may change."""


class OperationRate:
    """Counts operations by session. For any thread."""

    def __init__(self, limit: int = RATE, clock: Clock = time.monotonic) -> None:
        self.limit = limit
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def count(self, user: str, session_id: str) -> None:
        """One operation more; raises `ToolError` where there were too many in the last minute."""
        now = self._clock()
        with self._lock:
            times = self._sessions.setdefault((user, session_id), deque())
            self._sessions.move_to_end((user, session_id))
            while len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
            while times and times[0] <= now - RATE_S:
                times.popleft()
            if len(times) >= self.limit:
                wait = math.ceil(times[0] + RATE_S - now)
                raise ToolError(
                    f"Not done: {self.limit} file operations a minute is the limit of a session. "
                    f"Wait {wait} s, or do first what needs no files; then use fewer, wider calls."
                )
            times.append(now)


@cache
def shared_rate(limit: int = RATE) -> OperationRate:
    """The one of this process for all tools, by the limit of the settings."""
    return OperationRate(limit)


class ViolationCount:
    """How often a path was refused that leads out of a workspace, in this process. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.total = 0

    def add(self) -> None:
        with self._lock:
            self.total += 1


violations = ViolationCount()


class WorkspaceFiles:
    """The workspace of one call, open. For the thread that it was opened in."""

    def __init__(self, workspace: Workspace, root: RootFolder) -> None:
        self.workspace = workspace
        self.root = root

    @contextmanager
    def refusing(self, path: str) -> Generator[None]:
        """Tells what goes wrong with a path in words for the model; a violation also to the operator."""
        try:
            yield
        except ToolError as error:
            if isinstance(error, SecurityError):
                self._warn(path, str(error))
            raise
        except (PathError, OSError) as error:
            refused = self.missing(path) if isinstance(error, FileNotFoundError) else refusal(path, error)
            if isinstance(refused, SecurityError):
                self._warn(path, "outside the workspace")
            raise refused from None

    def missing(self, path: str) -> ToolError:
        """For a path that leads to nothing, with the names that are most like it."""
        near = " or ".join(shown(each) for each in self._nearest(path))
        remedy = f"did you mean {near}?" if near else "check the path, or list its folder."
        return ToolError(f"There is no file or folder {shown(path)} in the workspace: {remedy}")

    def _nearest(self, path: str) -> list[str]:
        """Paths that differ from this one in the first part that is not there."""
        above = ""
        parts = [] if path.startswith("/") else [part for part in path.split("/") if part not in ("", ".")]
        for part in parts[:MAX_PARTS]:
            try:
                folder = self.root.open_folder(above or ".").descriptor
            except (PathError, OSError):
                return []
            try:
                with os.scandir(folder) as entries:
                    names = [entry.name for entry in islice(entries, MAX_NAMES)]
            finally:
                os.close(folder)
            if part not in names:
                plain = {name.casefold(): name for name in names}
                found = get_close_matches(part.casefold(), plain, NEAREST)
                return [f"{above}{plain[name]}" for name in found]
            above += f"{part}/"
        return []

    def _warn(self, path: str, why: str) -> None:
        work = self.workspace
        violations.add()
        logger.warning(
            "refused a path of session %s of %r in %s: %r (%s)", work.session_id, work.user, work.root, path[:1000], why
        )


class Access:
    """Opens workspaces for calls. `workspaces` is None where the runtime offers none: then every call is refused."""

    def __init__(self, workspaces: Workspaces | None, rate: OperationRate | None = None) -> None:
        self._workspaces = workspaces
        self._rate = rate or shared_rate()

    async def workspace(self, context: ToolContext) -> Workspace:
        """The folder of the session that calls."""
        if self._workspaces is None:
            raise ToolError("This session has no workspace: start it in a folder, such as `glassloop code PATH`.")
        try:
            return await self._workspaces.of(context.user, context.session_id)
        except UsageError as error:
            raise ToolError(str(error)) from error

    async def run(self, context: ToolContext, work: Callable[[WorkspaceFiles], T], *, counted: bool = True) -> T:
        """Does blocking work in a thread with the session's workspace open. Previews are not `counted`."""
        workspace = await self.workspace(context)
        if counted:
            self._rate.count(context.user, context.session_id)
        return await asyncio.to_thread(_with_root, workspace, work)


def _with_root(workspace: Workspace, work: Callable[[WorkspaceFiles], T]) -> T:
    with open_workspace(workspace) as files:
        return work(files)


@contextmanager
def open_workspace(workspace: Workspace) -> Generator[WorkspaceFiles]:
    """The files of a workspace, for one thread. Blocks."""
    try:
        root = workspace.open()
    except OSError:
        logger.warning("the workspace %s of session %s cannot be opened", workspace.root, workspace.session_id)
        raise ToolError("The folder of this session cannot be opened: check that it is still there.") from None
    with root:
        root.guard = guard_change
        yield WorkspaceFiles(workspace, root)


def refusal(path: str, error: Exception) -> ToolError:
    """The sentence for a model about what `root_folder` raised for a path."""
    name = shown(path)
    if isinstance(error, PathError):
        return ToolError(f"The path {name} {error}.")
    if isinstance(error, OutsideRootError):
        return SecurityError(f"{name} is outside the workspace: give a path inside it.")
    if isinstance(error, NotOrdinaryError):
        return ToolError(
            f"{name} is no ordinary file but a device, pipe or socket: only files and folders can be used."
        )
    if isinstance(error, IsADirectoryError):
        return ToolError(f"{name} is a folder: give the path of a file.")
    if isinstance(error, NotADirectoryError):
        return ToolError(f"{name} is not a folder, or a part of the path is none: check the path.")
    if isinstance(error, FileExistsError):
        return ToolError(f"{name} is there already: choose another name, or change the file that is there.")
    if isinstance(error, PermissionError):
        return ToolError(f"{name} may not be opened or changed by the account that runs this: ask the user.")
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ELOOP:
        return ToolError(f"{name} leads over too many links, or in a circle: give the path of the file itself.")
    why = os.strerror(number) if number else "unknown error"
    return ToolError(f"{name} cannot be used: {why}.")


def shown(path: str) -> str:
    """A path fit for a message: control, bidirectional and other invisible characters written out, bounded."""
    written = "".join(_written(char) for char in path[:SHOWN_CHARS])
    return f"'{written}{'…' if len(path) > SHOWN_CHARS else ''}'"


def _written(char: str) -> str:
    if char.isascii() and char.isprintable():
        return char
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return char.encode("unicode_escape", "surrogatepass").decode("ascii")
    return char


def _plain(part: str) -> str:
    """A name as file systems that ignore case, and characters that nobody sees, compare it."""
    visible = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", visible).casefold().rstrip(". ")


def is_version_control(path: str) -> bool:
    """Whether a path without links lies in the folder of a version control system, or is that folder."""
    return any(_plain(part) in VERSION_CONTROL for part in path.split("/"))


def is_blocked(path: str) -> bool:
    """Whether a path without links lies in a folder of what was fetched or made: not listed unless named outright."""
    return any(part in NEVER or part == "venv" for part in path.split("/"))


def is_secret(path: str) -> bool:
    """Whether a path without links is by its name one of keys, passwords or tokens."""
    *folders, name = (_plain(part) for part in path.split("/"))
    if not SECRET_FOLDERS.isdisjoint(folders):
        return not name.endswith(".pub")
    if any(fnmatchcase(name, pattern) for pattern in NO_SECRETS):
        return False
    return any(fnmatchcase(name, pattern) for pattern in SECRET_NAMES)


def guard_change(path: str) -> None:
    """For `root_folder`: refuses to change what version control keeps. `path` is without links."""
    if is_version_control(path):
        raise SecurityError(f"{shown(path)} belongs to version control: no tool changes what is in there.")
