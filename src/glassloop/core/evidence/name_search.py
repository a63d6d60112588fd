"""Search for names and quotations in a text: whole, and not as a part of longer ones.

A quotation may leave words out (`"payment due … within 14 days"`): then each of its pieces must stand, in order, in one
line of the text. Every search is bounded.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

MAX_TRIES: Final = 32
MAX_PIECES: Final = 6
MAX_LEFT_OUT: Final = 2_000
"""Characters that a quotation may leave out at one place."""
MIN_QUOTED: Final = 8
"""Letters and digits that a shortened quotation has at least: less stands in any text."""

_ELLIPSIS = re.compile(r"[\[(]?(?:…|\.{3})[\])]?")


def is_shortened(name: str) -> bool:
    return "…" in name or "..." in name


def find_name(text: str, name: str, compound: bool) -> Iterator[tuple[int, int]]:
    """Where a name stands on its own; `compound`: it is made of parts, so it must not be a part itself."""
    if not is_shortened(name):
        yield from _find_whole(text, name, compound)
        return
    found = list(_find_whole(text, name, compound))
    yield from found or _find_shortened(text, quoted_pieces(name))


def quoted_pieces(name: str) -> Sequence[str]:
    """What a shortened quotation quotes; nothing where that is too little to tell."""
    pieces = [piece for part in _ELLIPSIS.split(name) if (piece := part.strip())]
    letters = sum(char.isalnum() for piece in pieces for char in piece)
    telling = all(sum(char.isalnum() for char in piece) > 1 for piece in pieces)
    return pieces if letters >= MIN_QUOTED and telling and len(pieces) <= MAX_PIECES else ()


def _find_whole(text: str, name: str, compound: bool) -> Iterator[tuple[int, int]]:
    at = text.find(name)
    for _ in range(MAX_TRIES):
        if at < 0:
            return
        if _stands_alone(text, at, at + len(name), compound):
            yield at, at + len(name)
        at = text.find(name, at + 1)


def _find_shortened(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    for start, end in _find_whole(text, pieces[0], compound=False) if pieces else ():
        line = text.find("\n", end)
        last: int | None = end
        for piece in pieces[1:]:
            last = _next_piece(text, piece, last, line if line >= 0 else len(text))
            if last is None:
                break
        if last is not None:
            yield start, last


def _next_piece(text: str, piece: str, after: int, stop: int) -> int | None:
    """Where the next piece ends, in the same line and not too far on."""
    stop = min(stop, after + MAX_LEFT_OUT)
    at = text.find(piece, after, stop)
    for _ in range(MAX_TRIES):
        if at < 0:
            return None
        if _stands_alone(text, at, at + len(piece), compound=False):
            return at + len(piece)
        at = text.find(piece, at + 1, stop)
    return None


def _stands_alone(text: str, start: int, end: int, compound: bool) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if _is_word(text[start]) and _joins(before[::-1], compound):
        return False
    return not (_is_word(text[end - 1]) and _joins(after, compound))


def _joins(outward: str, compound: bool) -> bool:
    """Whether the characters next to a name make it longer, looking away from it."""
    if not outward:
        return False
    if _is_word(outward[0]):
        return True
    return compound and outward[0] in "-_." and _is_word(outward[1:2])


def _is_word(char: str) -> bool:
    """CJK needs no blanks between words, so only ASCII letters and digits run on."""
    return char.isascii() and char.isalnum()
