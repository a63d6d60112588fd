"""The values of a line: split at commas outside quotes and brackets, and numbers read once for each text."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, cast, final

import msgspec

NO_GUID: Final = "0000000000000000"
"""Nobody; and the unit of an advanced block that holds nothing."""
OTHER_WIDTH: Final = "another number of fields than this event has"
"""A reason to refuse a line."""
MAX_NUMBERS: Final = 50_000
MAX_DEPTH: Final = 6

_NUMBER = re.compile(r"(-?[0-9]{1,10})(?:\.[0-9]{0,10})?", re.ASCII)
_GUID = re.compile(r"(?:[A-Z][A-Za-z]{1,19}(?:-[0-9A-Fa-f]{1,16}){1,7}|(?:0x)?[0-9A-Fa-f]{16})", re.ASCII)
_SHORT_NUMBERS = re.compile(r"(?:[\[\](),]|[0-9]{1,9}(?![0-9]))*", re.ASCII)
_SQUARE: Final = str.maketrans("()", "[]")
_PIECE = re.compile(r'"[^"]*"|[\[\](),]|[^"\[\](),]+')

Group = list["str | int | Group"]


_gear: Final = msgspec.json.Decoder(list[list[int | list[int]]])


class BadLine(ValueError):
    """A line that cannot be read; the message is the reason that it is counted under."""


@final
class Numbers(dict[str, int]):
    """Texts and their numbers, without what follows a decimal point. Only what fits a column of a fight is a number."""

    def __missing__(self, text: str) -> int:
        value = whole_number(text)
        if len(self) >= MAX_NUMBERS:
            self.clear()
        self[text] = value
        return value


def whole_number(text: str, least: int = -0x80000000, greatest: int = 0x7FFFFFFF) -> int:
    """`nil` is 0, as the game leaves out zeros. Raises `BadLine`."""
    if text == "nil":
        return 0
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise BadLine("a number cannot be read")
    value = int(match[1])
    if not least <= value <= greatest:
        raise BadLine("a number is out of range")
    return value


def is_guid(text: str) -> bool:
    return _GUID.fullmatch(text) is not None


def split_quoted(text: str) -> list[str]:
    """The values between commas, where quotes may hold commas. Quotes stay, as `split` leaves them."""
    values = [""]
    for place, part in enumerate(text.split('"')):
        if place % 2:
            values[-1] += f'"{part}"'
        else:
            first, *others = part.split(",")
            values[-1] += first
            values += others
    return values


def unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def parse_groups(text: str) -> Group:
    """The values of a line in which brackets of both kinds nest, each pair a list. Raises `BadLine`."""
    # Gear is numbers alone, which are read much faster as JSON.
    if _SHORT_NUMBERS.fullmatch(text):
        with suppress(msgspec.DecodeError):
            return cast("Group", _gear.decode(f"[{text.translate(_SQUARE)}]"))
    whole: Group = []
    open_groups = [whole]
    before = ","
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece in "([":
            if len(open_groups) > MAX_DEPTH:
                raise BadLine("brackets nest too deeply")
            inner: Group = []
            open_groups[-1].append(inner)
            open_groups.append(inner)
        elif piece in ")]":
            if len(open_groups) == 1:
                raise BadLine("a bracket is not opened")
            open_groups.pop()
        elif piece != ",":
            open_groups[-1].append(unquoted(piece))
        elif before == ",":
            open_groups[-1].append("")
        before = piece
    if len(open_groups) > 1:
        raise BadLine("a bracket is not closed")
    return whole


def integers(group: Sequence[str | int | Group]) -> list[int]:
    """The numbers directly in a group; what is none is left out."""
    return [
        value if isinstance(value, int) else whole_number(value)
        for value in group
        if isinstance(value, int) or (isinstance(value, str) and _NUMBER.fullmatch(value))
    ]
