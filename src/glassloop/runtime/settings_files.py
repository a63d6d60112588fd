"""The files settings are read from: `NAME=value` lines and TOML. What the values mean is `settings`' business."""

import re
import tomllib
from pathlib import Path
from typing import Any

from glassloop.core.errors import UsageError

_MOST_BYTES = 1_000_000
_QUOTED = re.compile(r"""(["'])(.*?)\1\s*(?:#.*)?""")
_COMMENT = re.compile(r"\s#")


def read_dotenv(path: Path) -> dict[str, str]:
    """`NAME=value` lines; quotes, comments and `export` understood, nothing expanded or executed."""
    found: dict[str, str] = {}
    for line in _text(path).splitlines():
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


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Mend or remove it.") from None


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path} is larger than {_MOST_BYTES:,} bytes: it cannot be a settings file.")
        # Editors on Windows begin a file with a byte order mark, which would become part of the first name.
        return path.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}. Mend or remove it.") from None
