"""Which package index this machine uses: asked of the same places as pip and uv do, since no address stands here.

The environment, then pip's and uv's own files, then what pip itself would use. Blocks: to be called in a thread.
"""

import configparser
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from glassloop.models.weights.errors import SourceAway
from glassloop.python_child import find_interpreters, python_code_child

VARIABLES = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
ASK_S = 20.0
_SECTIONS = ("download", "install", "global")
_ASK_PIP = """
import sys
try:
    import pip
except ImportError:
    import ensurepip, pathlib
    sys.path[:0] = map(str, (pathlib.Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
from pip._internal.models.index import PyPI
print(PyPI.simple_url)
"""


class Index(msgspec.Struct, frozen=True):
    """The address of an index, and who says so."""

    url: str
    origin: str


def find_index(environ: Mapping[str, str], interpreters: Sequence[str] | None = None) -> Index:
    """The index in force. Raises `SourceAway` where there is none, and says what to set."""
    for variable in VARIABLES:
        if value := environ.get(variable, "").strip():
            # uv's variable may give the index a name before its address.
            return Index(value.split("=", 1)[1] if _is_named(value) else value, variable)
    for path in _pip_files(environ):
        if url := _from_pip(path):
            return Index(url, str(path))
    for path in _uv_files(environ):
        if url := _from_uv(path):
            return Index(url, str(path))
    for interpreter in find_interpreters() if interpreters is None else interpreters:
        if url := _ask(interpreter):
            return Index(url, "pip")
    raise SourceAway(f"no package index is known here: set {VARIABLES[0]} to the address of one")


def _is_named(value: str) -> bool:
    return "=" in value.partition("://")[0]


def _pip_files(environ: Mapping[str, str]) -> Iterator[Path]:
    """pip's files, the one that counts most first."""
    if given := environ.get("PIP_CONFIG_FILE"):
        if given != os.devnull:
            yield Path(given)
        return
    yield Path(sys.prefix) / ("pip.ini" if sys.platform == "win32" else "pip.conf")
    home = Path(environ.get("HOME") or Path.home())
    if sys.platform == "win32":
        yield Path(environ.get("APPDATA") or home) / "pip" / "pip.ini"
        yield home / "pip" / "pip.ini"
        yield Path(environ.get("PROGRAMDATA") or "C:/ProgramData") / "pip" / "pip.ini"
        return
    if sys.platform == "darwin":
        yield home / "Library" / "Application Support" / "pip" / "pip.conf"
    yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf"
    yield home / ".pip" / "pip.conf"
    for folder in (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep):
        yield Path(folder) / "pip" / "pip.conf"
    yield Path("/etc/pip.conf")


def _from_pip(path: Path) -> str | None:
    parser = configparser.RawConfigParser()
    try:
        parser.read(path, "utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        return None
    for section in _SECTIONS:
        for key in ("index-url", "index_url"):
            if url := parser.get(section, key, fallback="").strip():
                return url
    return None


def _uv_files(environ: Mapping[str, str]) -> Iterator[Path]:
    if given := environ.get("UV_CONFIG_FILE"):
        yield Path(given)
    home = Path(environ.get("HOME") or Path.home())
    yield Path(environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA") or home / ".config") / "uv" / "uv.toml"
    yield Path("/etc/uv/uv.toml")


def _from_uv(path: Path) -> str | None:
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    entries: Any = found.get("index")
    for entry in cast("list[Any]", entries) if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            table = cast("dict[str, Any]", entry)
            if table.get("default") is True and isinstance(table.get("url"), str):
                return table["url"]
    url: Any = found.get("index-url")
    return url if isinstance(url, str) and url else None


def _ask(interpreter: str) -> str | None:
    """What that interpreter's pip uses by default. Isolated: nothing of the working folder is run."""
    argv, cwd, env = python_code_child(interpreter, _ASK_PIP)
    try:
        done = subprocess.run(  # noqa: S603
            argv, cwd=cwd, env=env, capture_output=True, text=True, timeout=ASK_S, check=False
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    url = done.stdout.strip()
    return url if done.returncode == 0 and "://" in url else None
