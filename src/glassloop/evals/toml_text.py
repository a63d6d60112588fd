"""Values as TOML text, on one line each. Python reads TOML and does not write it."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml(value: object) -> str:
    """A value as it stands behind an equals sign. None has no form: leave it out."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        inside = ", ".join(f"{toml_key(key)} = {toml(part)}" for key, part in table.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(toml(part) for part in cast('Sequence[object]', value))}]"
    raise TypeError(f"{type(value).__name__} has no form in TOML")


def toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but for the one control character that JSON lets stand.
    whole = text.encode("utf-8", "replace").decode()
    return msgspec.json.encode(whole).decode().replace("\x7f", "\\u007f")
