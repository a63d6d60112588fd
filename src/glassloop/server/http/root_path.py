"""Path that the server is mounted at: of another application, or of a proxy that takes it off or leaves it on.

Routes, limits and permissions know paths without it; links, cookies and redirects need it.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote

from starlette.types import Scope

from glassloop.core.errors import UsageError

MAX_CHARS = 200
_FORM = re.compile(r"(?:/[A-Za-z0-9._~-]++)++")
_KEY = "mounted_at"


def mounted_at(scope: Scope) -> str:
    """The path under which this request found the server: empty at the root, else such as `/agent`."""
    return scope.get(_KEY, "")


def local_scope(scope: Scope, root_path: str = "") -> Scope:
    """The request as the server's own routes know it. `root_path` is where a proxy has the server, who may have taken
    that off; an application that mounts us says so itself."""
    root = str(scope.get("root_path") or root_path).rstrip("/")
    if not root or _KEY in scope or scope["type"] not in ("http", "websocket"):
        return scope
    path = str(scope["path"])
    # Where a proxy took its part off, the path begins with what the application mounts us under.
    for start in (root, root.removeprefix(str(scope.get("app_root_path", "")))):
        if start and (path == start or path.startswith(f"{start}/")):
            path = path[len(start) :]
            break
    # Quoted, as it becomes part of pages and headers, and an application may mount us at a pattern.
    return {**scope, "path": path, "root_path": "", _KEY: quote(root)}


def check_root_path(given: str, paths: Iterable[str]) -> str:
    """The path from the settings; raises `UsageError` where it is none, or one of the server's own `paths` begins as it
    does: then nobody could tell whether a proxy took it off."""
    root = given.rstrip("/")
    if not root:
        return ""
    if len(root) > MAX_CHARS or _FORM.fullmatch(root) is None or {".", ".."} & set(root.split("/")):
        raise UsageError(
            f"GLASSLOOP_ROOT_PATH is {given[:MAX_CHARS]!r}, which is not a path: write it like /agent, with letters, "
            "digits and -._~ between slashes."
        )
    first = root.split("/")[1]
    if any(path.split("/")[1:2] == [first] for path in paths):
        raise UsageError(
            f"GLASSLOOP_ROOT_PATH starts with /{first}, which the server uses itself: choose another, such as /agent."
        )
    return root
