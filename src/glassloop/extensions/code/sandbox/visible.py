"""The part of the machine that a command sees beside its workspace, the same for every sandbox.

A list of what is seen, and not of what is not: programs and libraries of the system, and those of the user that are
known to hold no secrets. All else, above all home folders, Glassloop's own and the sockets of services, is not there.
Blocks.
"""

import os
import pwd
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store"),
    *("/var/lib/ca-certificates", "/sys/devices/system/cpu"),
)

TOOLCHAINS: Final = (
    *(".local/bin", ".local/lib", ".local/share/uv/python", ".local/share/uv/tools", ".local/share/mise/installs"),
    *(".pyenv", ".rustup", ".cargo/bin", ".nvm", ".volta", ".asdf", ".bun/bin", ".deno/bin", ".sdkman/candidates"),
    *("go/bin", "go/pkg/mod", ".rbenv", ".rvm", ".ghcup/bin", ".ghcup/ghc", ".elan", ".juliaup", ".dotnet"),
    *("miniconda3", "anaconda3", "miniforge3", "mambaforge"),
)
"""In a home folder."""

SECRETS: Final = (
    *(".ssh", ".aws", ".config", ".gnupg", ".kube", ".docker", ".azure", ".oci", ".netrc", ".npmrc", ".pypirc"),
    *(".git-credentials", ".password-store", ".mozilla", ".thunderbird", ".local/share/keyrings", ".pki", ".boto"),
    *(".local/share/uv/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".m2/settings.xml"),
    *(".gem/credentials", ".pgpass", ".my.cnf", ".s3cfg", ".terraform.d", ".vault-token", ".claude", ".codex"),
    *(".gemini", ".bash_history", ".zsh_history", ".python_history", ".psql_history", ".glassloop"),
)
"""In a home folder that is itself, or is in, the workspace."""

STARTUP: Final = (".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile")
"""There as well: what runs at the next login is not the command's to write."""

HOMES: Final[Mapping[str, str]] = {"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "GOMODCACHE": "go/pkg/mod"}
"""Variables that tell programs where they are, as HOME is another folder."""

_PRIVATE_S = 60.0
_MAX_LOOKED_AT = 50_000


class VisiblePaths(msgspec.Struct, frozen=True, kw_only=True):
    """`folders`: read-only; one that is a link stands with where it leads. `hidden`: below them or the workspace, not
    to be seen. `protected`: below the workspace, read-only."""

    folders: tuple[tuple[str, str | None], ...]
    hidden: tuple[str, ...]
    protected: tuple[str, ...]
    variables: Mapping[str, str]


def visible_paths(
    root: Path, own: Iterable[Path], protected: Sequence[str] = (), user: int | None = None
) -> VisiblePaths:
    """For a workspace. `own` are files and folders of Glassloop's: its home and its settings. `protected` are paths
    from the root. `user`: whom the command runs as, where that is not whom this process does."""
    homes = _homes(user)
    folders = [(path, _link(path)) for path in SYSTEM if os.path.lexists(path)]
    folders += [(f"{home}/{name}", None) for home in homes[:1] for name in TOOLCHAINS if _is_folder(f"{home}/{name}")]
    seen = [path for path, link in folders if link is None]
    secrets = [f"{home}/{name}" for home in homes for name in SECRETS]
    startup = [f"{home}/{name}" for home in homes for name in STARTUP]
    hidden = [path for path in (*map(_real, own), *secrets) if _below(path, (str(root),)) or _below(path, seen)]
    # A folder of ours that has the workspace in it is hidden by not being listed; what else is seen in it stays.
    hidden = [path for path in hidden if not _below(str(root), (path,))]
    if os.geteuid() == 0:
        hidden += _private()
    return VisiblePaths(
        folders=tuple(folders),
        hidden=tuple(dict.fromkeys(path for path in hidden if os.path.lexists(path))),
        protected=(
            *(f"{root}/{path}" for path in protected),
            *(path for path in startup if _below(path, (str(root),)) and os.path.lexists(path)),
        ),
        variables=_variables(homes[0], [*seen, str(root)]),
    )


def settings_files(home: Path, folder: Path) -> list[Path]:
    """Where Glassloop's own things lie: its home, and the settings in the folder it was started in."""
    return [home, folder / "glassloop.toml", folder / ".env"]


def _variables(home: str, seen: Sequence[str]) -> dict[str, str]:
    """The whole environment of a command."""
    places = [*os.environ.get("PATH", "").split(":"), "/usr/local/bin", "/usr/bin", "/bin"]
    path = [place for place in dict.fromkeys(places) if place.startswith("/") and _below(_real(place), seen)]
    extra = {name: f"{home}/{place}" for name, place in HOMES.items() if _is_folder(f"{home}/{place}")}
    language = {"LANG": "C.UTF-8", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "CI": "1"}
    return {"PATH": ":".join(path), "HOME": "/tmp/home", "TMPDIR": "/tmp", **language, **extra}  # noqa: S108


def _homes(user: int | None) -> list[str]:
    """Home folders, without links; that of the user first."""
    everybody = pwd.getpwall()
    theirs = [entry.pw_dir for entry in everybody if entry.pw_uid == user] or ["/nonexistent"]
    first = [os.path.expanduser("~")] if user is None else theirs  # noqa: PTH111
    found = map(_real, (*first, *(entry.pw_dir for entry in everybody), os.path.expanduser("~")))  # noqa: PTH111
    return [home for home in dict.fromkeys(found) if home.count("/") > 1 or home in ("/root", "/nonexistent")]


_private_found: tuple[float, list[str]] = (-_PRIVATE_S, [])


def _private() -> list[str]:
    """What only the administrator may read: a sandbox started by them could, as the files' owner."""
    global _private_found
    if time.monotonic() - _private_found[0] > _PRIVATE_S:
        looked = _unreadable("/etc", 6, [_MAX_LOOKED_AT]), _unreadable("/opt", 2, [_MAX_LOOKED_AT])
        _private_found = time.monotonic(), [path for each in looked for path in each]
    return _private_found[1]


def _unreadable(folder: str, depth: int, left: list[int]) -> Iterator[str]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        left[0] -= 1
        if left[0] < 0:
            return
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            continue
        if not mode & stat.S_IROTH:
            yield entry.path
        elif stat.S_ISDIR(mode) and depth > 1:
            yield from _unreadable(entry.path, depth - 1, left)


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def _link(path: str) -> str | None:
    return os.readlink(path) if os.path.islink(path) else None  # noqa: PTH114, PTH115


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)  # noqa: PTH112, PTH114


def _real(path: str | Path) -> str:
    return os.path.realpath(path)
