"""The files settings are read from: `NAME=value` lines and TOML. What the values mean is not its business."""

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from glassloop.core.errors import UsageError

_MAX_BYTES = 1_000_000
_QUOTED = re.compile(r"""(["'])(.*?)\1\s*(?:#.*)?""")
_COMMENT = re.compile(r"\s#")


def read_dotenv(path: Path) -> dict[str, str]:
    return parse_dotenv(read_settings_file(path), path)


def read_toml(path: Path) -> dict[str, Any]:
    return parse_toml(read_settings_file(path), path)


def parse_dotenv(raw: bytes, path: Path) -> dict[str, str]:
    """`NAME=value` lines; quotes, comments and `export` understood, nothing expanded or executed."""
    found: dict[str, str] = {}
    for line in _text(raw, path).splitlines():
        name, sign, value = line.partition("=")
        words = name.split()
        if words[:1] == ["export"]:
            del words[0]
        if not sign or len(words) != 1 or words[0].startswith("#"):
            continue
        value = value.strip()
        quoted = _QUOTED.fullmatch(value)
        found[words[0]] = quoted[2] if quoted else _COMMENT.split(value, 1)[0].rstrip()
    return found


def parse_toml(raw: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(raw, path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Mend or remove it.") from None


def read_settings_file(path: Path) -> bytes:
    """Its bytes; none where there is no plain file. A pipe or a device of that name would never come to an end."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            raw = _bounded(handle) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}. Mend or remove it.") from None
    if len(raw) > _MAX_BYTES:
        raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes: it cannot be a settings file.")
    return raw


def _bounded(handle: int) -> bytes:
    with os.fdopen(handle, "rb", closefd=False) as file:
        return file.read(_MAX_BYTES + 1)


def _text(raw: bytes, path: Path) -> str:
    try:
        # Editors on Windows begin a file with a byte order mark, which would become part of the first name.
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be read: {error}. Mend or remove it.") from None
