"""Values of an answer that is JSON, as the text that evidence is looked for in: what its keys and signs say is form."""

import re

_PART = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)(\s{0,8}+:)?+|[][{},]', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


def values_of(answer: str) -> str:
    """The answer with its keys, quotation marks, escapes and brackets blanked, every value in its place."""
    return _PART.sub(_blanked, answer)


def _blanked(found: re.Match[str]) -> str:
    part = found[0]
    if part == ",":
        return ";"
    if part[0] != '"' or found[1]:
        return " " * len(part)
    # One that the end of the answer cut off has no second mark.
    value = part[1:-1] + " " if len(part) > 1 and part.endswith('"') else part[1:]
    return " " + _ESCAPE.sub(lambda escape: " " * len(escape[0]), value)
