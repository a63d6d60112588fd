"""Conversion of what a tool returned into a `ToolResult` of plain JSON, within a size limit.

Total: a value that cannot be converted becomes a failed result that says so, and says that the tool did run. Text is
made safe to store: what is not Unicode is replaced.
"""

import math
import os
from collections import deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

import msgspec

from glassloop.core.labels import Labels
from glassloop.core.records import Cause, Json, ToolResult

RESULT_BYTES = 5_000_000
DONE = "done"
ERROR_CHARS = 4_000

_ITEMS = 1_000_000
_decode = msgspec.json.Decoder().decode
_decode_result = msgspec.json.Decoder(ToolResult).decode


class _Unusable(Exception):
    """Why a value cannot be a result."""


def to_result(value: object, duration_ms: float = 0.0, *, limit: int = RESULT_BYTES) -> ToolResult:
    """The value as text to read and, unless it is text, as data. The common small types come first: this is hot."""
    try:
        if type(value) is str:
            return ToolResult(success=True, output=_sized(value, limit), duration_ms=duration_ms)
        if value is None:
            return ToolResult(success=True, output=DONE, duration_ms=duration_ms)
        if type(value) is int:
            return ToolResult(success=True, output=f"{value}", data=value, duration_ms=duration_ms)
        if type(value) is bool:
            return ToolResult(success=True, output="true" if value else "false", data=value, duration_ms=duration_ms)
        if type(value) is float:
            return _from_float(value, duration_ms)
        if isinstance(value, ToolResult):
            return _checked(value, duration_ms, limit)
        encoded = _encode_within(value, limit)
        data = _decode(encoded)
    except Exception as error:
        return failure(f"The tool ran, but its result cannot be used: {_why(value, error)}", duration_ms)
    return ToolResult(
        success=True,
        output=data if type(data) is str else encoded.decode(),
        data=data,
        duration_ms=duration_ms,
    )


def to_json(value: Any, *, limit: int = RESULT_BYTES) -> Json:
    """The value as plain JSON, within the limit; raises `ValueError` with the reason when that cannot be."""
    try:
        return _decode(_encode_within(value, limit))
    except Exception as error:
        raise ValueError(_why(value, error)) from error


def failure(
    error: str,
    duration_ms: float = 0.0,
    metadata: dict[str, Json] | None = None,
    *,
    cause: Cause = "ran",
    labels: Labels | None = None,
) -> ToolResult:
    """A failed result. Never without a reason, and the reason is never without bounds."""
    text = (error if error.isascii() else _clean(error)).strip() or "The tool failed and gave no reason."
    if len(text) > ERROR_CHARS:
        text = f"{text[: ERROR_CHARS - 1]}…"
    return ToolResult(
        success=False,
        error=text,
        duration_ms=duration_ms,
        metadata=metadata or {},
        cause=cause,
        effect_unknown=cause == "in_doubt",
        labels=labels,
    )


def _from_float(value: float, duration_ms: float) -> ToolResult:
    if math.isfinite(value):
        return ToolResult(success=True, output=repr(value), data=value, duration_ms=duration_ms)
    # JSON has no such numbers: the word is the whole result.
    name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return ToolResult(success=True, output=name, duration_ms=duration_ms)


def _sized(text: str, limit: int) -> str:
    if text.isascii():
        size = len(text)
    else:
        text = _clean(text)
        size = len(text.encode())
    if size > limit:
        raise _Unusable(_too_large(size, limit))
    return text


def _checked(result: ToolResult, duration_ms: float, limit: int) -> ToolResult:
    """A tool's own result: its data copied as plain JSON, its failure never without a reason."""
    checked = _decode_result(_encode_within(result, limit))
    if checked.cause != "in_doubt":
        # Whether a call was let run is not the tool's to say.
        checked = msgspec.structs.replace(checked, cause="ran", effect_unknown=False)
    if not checked.success and not checked.error:
        checked = msgspec.structs.replace(checked, error=failure(checked.output).error)
    return checked if checked.duration_ms else msgspec.structs.replace(checked, duration_ms=duration_ms)


def _encode_within(value: Any, limit: int) -> bytes:
    encoded = _encode(value)
    if len(encoded) > limit:
        raise _Unusable(_too_large(len(encoded), limit))
    return encoded


def _encode(value: Any) -> bytes:
    if isinstance(value, (set, frozenset)):
        value = _in_order(cast("Set[Any]", value))
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError):
        # Odd keys or broken text somewhere inside: rebuilt in Python, where each can be mended.
        return _encoder.encode(_plain(value, [0]))


def _plain(value: Any, seen: list[int]) -> Json:
    """The value rebuilt from what JSON knows; `seen` counts its parts, so that a lazy range cannot fill the memory."""
    seen[0] += 1
    if seen[0] > _ITEMS:
        raise _Unusable(f"it has more than {_ITEMS:,} parts; return fewer")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {_key(key): _plain(item, seen) for key, item in items}
    if isinstance(value, (set, frozenset)):
        return [_plain(item, seen) for item in _in_order(cast("Set[Any]", value))]
    if isinstance(value, (list, tuple, deque, range)):
        return [_plain(item, seen) for item in cast("Sequence[Any]", value)]
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name), seen) for name in value.__struct_fields__}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), seen) for field in fields(value)}
    try:
        return _decode(_encoder.encode(value))
    except TypeError:
        return _plain(_known_object(value), seen)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return _clean(key)
    text = _encode(key).decode()
    return text[1:-1] if text.startswith('"') else text


def _known_object(value: object) -> Any:
    """Objects that JSON does not know and whose meaning is plain all the same. Called by the encoder as well."""
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        # The encoder knows these itself: here one is the key of a dict, which JSON cannot have.
        raise TypeError("a key is not text")
    if callable(dump := getattr(type(value), "model_dump", None)):
        return dump(value, mode="json")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[Any]", value))
    if isinstance(value, complex) or type(value).__module__ in ("ipaddress", "zoneinfo"):
        return str(value)
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, Mapping):
        return dict(cast("Mapping[Any, Any]", value))
    if isinstance(value, (Set, deque, Sequence)):
        items = cast("Sequence[Any]", value)
        if len(items) > _ITEMS:
            raise _Unusable(f"it has {len(items):,} parts, the limit is {_ITEMS:,}; return fewer")
        return list(items)
    if callable(tolist := getattr(value, "tolist", None)):
        return tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


_encoder = msgspec.json.Encoder(enc_hook=_known_object)


def _in_order(items: Set[Any]) -> list[Any]:
    """A set has no order of its own; the same set must always read the same."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=repr)


def _clean(text: str) -> str:
    """Text that can be stored: halves of a surrogate pair are joined, lone ones replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _too_large(size: int, limit: int) -> str:
    return f"it has {size:,} bytes, the limit is {limit:,}; return a part or a summary of it"


def _why(value: object, error: Exception) -> str:
    if isinstance(error, _Unusable):
        return f"{error}."
    if isinstance(error, RecursionError):
        return "it is nested too deeply or contains itself; return a flatter value."
    return (
        f"its type is {type(value).__name__!r} and it cannot be written as JSON ({str(error)[:200]}); "
        "return text, numbers, lists, dicts, dataclasses or Pydantic models."
    )
