"""Explanations of arguments that do not fit, for a model to mend: each field, what is wrong, what was given."""

import reprlib
from collections.abc import Collection
from typing import Any

from glassloop.tools.suggestion import closest, quote

_FAULTS = 8


class _Brief(reprlib.Repr):
    """A value in a few dozen characters, whatever it is."""

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write very long numbers at all.
        return super().repr_int(x, level) if x.bit_length() < 256 else "a number that long"


_brief = _Brief()
_brief.maxstring = _brief.maxother = 60
_brief.maxlist = _brief.maxdict = _brief.maxtuple = 4
_brief.maxlevel = 3


def explain(tool: str, error: Exception, allowed: Collection[str]) -> str:
    """One sentence per fault, bounded. `error` is what validation raised, Pydantic's or a validator's own."""
    faults = getattr(error, "errors", None)
    if not callable(faults):
        return f"Bad arguments for {tool!r}: {type(error).__name__}: {str(error)[:300]}"
    found: Any = faults(include_url=False, include_context=False)
    told = [_fault(fault, allowed) for fault in found[:_FAULTS]]
    more = f" (and {len(found) - _FAULTS} more faults)" if len(found) > _FAULTS else ""
    names = ", ".join(allowed) if allowed else "none, it takes no arguments"
    return f"Bad arguments for {tool!r}: {'; '.join(told)}{more}. Allowed: {names}."


def _fault(fault: dict[str, Any], allowed: Collection[str]) -> str:
    place: tuple[int | str, ...] = fault["loc"]
    kind: str = fault["type"]
    if not place:
        return (
            f"they must be a JSON object, not {_brief.repr(fault['input'])}" if kind == "model_type" else fault["msg"]
        )
    where = quote(".".join(str(part) for part in place))
    if kind == "missing":
        return f"{where} is missing"
    if kind == "extra_forbidden" and len(place) == 1:
        close = closest(str(place[0]), allowed)
        return f"there is no {where}" + (f" (did you mean {close[0]!r}?)" if close else "")
    return f"{where}: {_lowered(fault['msg'])}, not {_brief.repr(fault['input'])}"


def _lowered(message: str) -> str:
    return f"{message[:1].lower()}{message[1:300]}"
