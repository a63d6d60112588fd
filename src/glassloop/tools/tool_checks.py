"""Checks of a tool where it is made: what could only fail later, in a turn, is refused with the remedy."""

import inspect
import math
import re
from typing import TYPE_CHECKING, Any, get_args

from glassloop.core.errors import UsageError
from glassloop.core.labels import Confidentiality, Integrity
from glassloop.core.messages import Effect, Reach
from glassloop.core.records import Json
from glassloop.tools.suggestion import quote

if TYPE_CHECKING:
    from glassloop.tools.tool import Tool

# What all providers take: Gemini wants a letter first, OpenAI at most 64 characters.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
DEFAULT_RETRIES, MAX_RETRIES = 2, 10


def check_tool(made: "Tool") -> None:
    """Refuses what could only fail later, in the middle of a turn."""
    label = quote(made.name)
    if not _NAME.fullmatch(made.name):
        raise UsageError(
            f"{label} cannot be a tool's name: give it a 'name' of letters, digits, '_' or '-', 64 at most, "
            "that begins with a letter or '_'."
        )
    if made.effect not in get_args(Effect):
        raise UsageError(f"Tool {label}: effect {made.effect!r} is not known; use 'read', 'write' or 'external'.")
    _check_labels(made, label)
    if not (_is_number(made.timeout_s) and made.timeout_s > 0):
        raise UsageError(f"Tool {label}: timeout_s is {made.timeout_s!r}; give seconds above 0.")
    if not (_is_number(made.cache_ttl_s) and made.cache_ttl_s >= 0):
        raise UsageError(f"Tool {label}: cache_ttl_s is {made.cache_ttl_s!r}; give seconds, 0 for no cache.")
    _check_retries(made, label)
    for method in (made.execute, made.preview):
        if not inspect.iscoroutinefunction(method):
            raise UsageError(f"Tool {label}: write {method.__name__!r} as 'async def'.")


def _check_labels(made: "Tool", label: str) -> None:
    known = {"integrity": get_args(Integrity), "confidentiality": get_args(Confidentiality), "reaches": get_args(Reach)}
    for name, words in known.items():
        said = getattr(made, name)
        if said not in words and not (name == "reaches" and said is None):
            raise UsageError(f"Tool {label}: {name} {said!r} is not known; use one of {', '.join(map(repr, words))}.")


def check_destinations(made: "Tool", schema: dict[str, Json]) -> None:
    """Refuses destinations that are none of the tool's parameters."""
    if missing := [name for name in made.destinations if name not in schema.get("properties", {})]:
        raise UsageError(
            f"Tool {quote(made.name)}: destinations names {quote(missing[0])}, which is none of its parameters."
        )


def _check_retries(made: "Tool", label: str) -> None:
    retries = made.retries
    if retries is not None and not (_is_number(retries) and int(retries) == retries and 0 <= retries <= MAX_RETRIES):
        raise UsageError(f"Tool {label}: retries is {retries!r}; give a whole number up to {MAX_RETRIES}, 0 for none.")
    if (retries or made.retry_on) and not _is_repeatable(made):
        raise UsageError(
            f"Tool {label} cannot be tried again: its effect could happen twice. Say effect='read' where it has none, "
            "or idempotent=True where doing it twice does no harm; else leave retries out."
        )
    for kind in made.retry_on:
        if not (isinstance(kind, type) and issubclass(kind, Exception)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"Tool {label}: retry_on holds {kind!r}; give a tuple of exception classes.")


def _is_repeatable(made: "Tool") -> bool:
    return made.effect == "read" or made.idempotent


def retries_of(made: "Tool") -> int:
    """As declared, else as its effect allows."""
    if made.retries is None:
        return DEFAULT_RETRIES if made.effect == "read" else 0
    return int(made.retries)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
