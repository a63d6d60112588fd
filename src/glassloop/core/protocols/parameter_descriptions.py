"""Reads from a description of a parameter how its values are written, and whether a name will do. Pure."""

import re
from typing import Final, cast

from glassloop.core.records import Json

_EXAMPLE_CHARS: Final = 24
_SHOWN: Final = re.compile(
    r"\b(?i:such as|like|e\.g\.|for example|written as|as)\s+[\"'`]?((?=[^\s\"'`,;()]*[\dA-Z])[^\s\"'`,;()]{2,24}?)"
    r"(?=[\"'`]|\s*$|\s\(|[.,;:)]{1,2}(?:\s|$)|\s+or\b)"
)
"""An example in the words of a description. It has a digit or a capital, as words of a sentence have not."""
_NAME: Final = re.compile(r"\b(?:(?:nick|sur)?names?|titles?)\b(?! (?:it|its|them|the)\b)", re.IGNORECASE)
"""The noun: in "the card names it" it is a verb."""
_NO_NAME: Final = re.compile(
    r"\b(?:not?|never|without|instead of)\b[^.;,]{0,24}\b(?:(?:nick|sur)?names?|titles?)\b"
    r"|(?:names?|titles?)\b[^.;,]{0,16}\b(?:not|never)\b",
    re.IGNORECASE,
)
_IDENTIFIER: Final = re.compile(r"\b(id|number|code|reference|key|plate|tag)s?\b", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\([^()]{0,200}\)")
_ANOTHER_TOOL: Final = re.compile(r"[^\W_]_[^\W_]|[a-z][A-Z][a-z]|\btool\b")
_CLAUSE_END: Final = re.compile(r"[.;:,()]\s")
_OF_ANOTHER_TOOL: Final = re.compile(
    r"(?:[^\W_]_[a-z0-9]{1,40}(?:_[a-z0-9]{1,40}){0,4}|[a-z][A-Z][A-Za-z0-9]{1,40})(?:\(\))? "
    r"(?:finds?|has|gives?|tells?|lists?|shows?|names?|returns?|knows?|looks?)\b"
    r"|\b(?:see|use|from|by|via|with|call) (?:[a-z0-9]{1,40}_[a-z0-9]|[a-z]{1,40}[A-Z][a-z])"
)
"""`find_customers finds it by name`, `see findOwner`."""


def takes_name(description: str) -> bool:
    """Whether a name will do, or a title. What is said of another tool does not count: `(find_routes finds it by
    name)`."""
    own = _own(description)
    return _NAME.search(own) is not None and _NO_NAME.search(own) is None


def takes_identifier(description: str) -> bool:
    """Whether it speaks of an id, a number or a code of its own."""
    return _IDENTIFIER.search(_own(description)) is not None


def _own(description: str) -> str:
    """Without what is said of another tool."""
    own = _ASIDE.sub(lambda aside: "" if _ANOTHER_TOOL.search(aside.group()) else aside.group(), description)
    return "; ".join(clause for clause in _CLAUSE_END.split(own) if not _OF_ANOTHER_TOOL.search(clause))


def how_written(schema: Json) -> str:
    """How a value is written, where the schema or its description shows it: ` like SKU-100`, ` like P01 or by name`."""
    shape = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
    shown = shape.get("examples")
    first = cast("list[Json]", shown)[0] if isinstance(shown, list) and shown else None
    if isinstance(first, str | int | float) and len(str(first)) <= _EXAMPLE_CHARS:
        return f" like {first}"
    description = description_of(schema)
    found = _SHOWN.search(description)
    if found is None:
        return ""
    by_name = _is_identifier(description[: found.start()]) and takes_name(description)
    return f" like {found.group(1)}{' or by name' if by_name else ''}"


def example_in(description: str) -> str:
    """The example that it shows of a value; empty where it shows none."""
    found = _SHOWN.search(description)
    return found.group(1) if found is not None else ""


def _is_identifier(before: str) -> bool:
    """Whether the example after these words is one of an id and not of a name: what was said last counts."""
    identifiers = [*_IDENTIFIER.finditer(before)]
    return _NAME.search(before, identifiers[-1].end() if identifiers else 0) is None


def name_or_identifier(parameter: str, schema: Json) -> str:
    """What a text is whose description says that a name will do: `: name or id`. Empty where the parameter's own name
    says so."""
    description = description_of(schema)
    if any(word in parameter.lower() for word in ("name", "title")) or not takes_name(description):
        return ""
    other = _IDENTIFIER.search(description)
    return f": name or {other.group(1).lower()}" if other else ": name"


def parts_of(schema: Json) -> list[dict[str, Json]]:
    """A parameter's schema, and those of which one has to fit (`anyOf`)."""
    whole = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
    others = whole.get("anyOf")
    listed = cast("list[Json]", others) if isinstance(others, list) else []
    return [whole, *(cast("dict[str, Json]", each) for each in listed if isinstance(each, dict))]


def description_of(schema: Json) -> str:
    """What a parameter's schema says of it; empty where it says nothing."""
    found = (part.get("description") for part in parts_of(schema))
    return next((text for text in found if isinstance(text, str) and text), "")
