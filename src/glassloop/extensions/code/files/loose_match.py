"""The loosest form of a match: whole lines by their words, however blanks, blank lines, quotes and dashes are written.

Also without what models quote beside the text: line numbers, a fence, blank lines around it. Lines that `new` has from
`old` stay as the file has them; of a line that is changed, so do the words that it shares with it. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from glassloop.extensions.code.files.indentation import indent_of, reindented
from glassloop.extensions.code.files.quotes import TYPOGRAPHIC, fold_quotes

_MARKS = str.maketrans({**dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"), "\u2026": "..."})
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2009\u200a\u202f\u3000"), " ")
_PLAIN = {**TYPOGRAPHIC, **_MARKS}
_NUMBER = re.compile(r"[ ]*+(\d{1,7})(?:\t|: ?|[ ]?\| ?|\u2192|[ ]{2})")
_FENCE = re.compile(r"(`{3,}|~{3,})[\w+.-]*")


class LooseSpan(NamedTuple):
    """Lines of the file, from 0 and the last one included, and the text for them without a last newline."""

    first: int
    last: int
    text: str


def fold(line: str) -> str:
    """The words of a line with one blank between them, and all kinds of quotes, dashes and dots the same."""
    return " ".join(fold_quotes(line.translate(_MARKS)).split())


def loose_spans(lines: Sequence[str], old: str, new: str) -> list[LooseSpan]:
    """All places of the first reading of `old` that is there at all."""
    have = [(place, folded) for place, line in enumerate(lines) if (folded := fold(line))]
    texts = [folded for _, folded in have]
    for mine, wanted in _readings(_split(old), _split(new)):
        given = [line for line in mine if line.strip()]
        folded = [fold(line) for line in given]
        found: list[LooseSpan] = []
        at = 0
        while folded and at + len(folded) <= len(texts):
            if texts[at] != folded[0] or texts[at : at + len(folded)] != folded:
                at += 1
                continue
            places = [place for place, _ in have[at : at + len(folded)]]
            text = _Rewriting(lines, places, mine, wanted).text()
            if text is None:
                return []
            found.append(LooseSpan(places[0], places[-1], text))
            at += len(folded)
        if found:
            return found
    return []


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").translate(_BLANKS).split("\n")


def _readings(old: list[str], new: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """As given, without a fence, without line numbers; each without the blank lines around it."""
    yield _without_ends(old, new)
    plain = [_without_fence(lines) for lines in (old, new)]
    if plain[0] != old:
        yield _without_ends(plain[0], plain[1])
    bare = _without_numbers(plain[0])
    if bare is not None:
        yield _without_ends(bare, _without_numbers(plain[1]) or plain[1])


def _without_ends(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Blank lines at the ends are left out of both; those that only `new` has stay."""
    for _ in range(2):
        mine, theirs = _leading(old), _leading(new)
        old, new = old[mine:][::-1], new[min(mine, theirs) :][::-1]
    return old, new


def _leading(lines: Sequence[str]) -> int:
    return next((count for count, line in enumerate(lines) if line.strip()), len(lines))


def _without_fence(lines: list[str]) -> list[str]:
    first, end = _leading(lines), len(lines) - _leading(lines[::-1])
    if end - first > 2 and (fence := _FENCE.fullmatch(lines[first].strip())) and lines[end - 1].strip() == fence[1]:
        return lines[first + 1 : end - 1]
    return lines


def _without_numbers(lines: list[str]) -> list[str] | None:
    """None where not every line has the number after the last one's."""
    found = [_NUMBER.match(line) for line in lines]
    numbers = [int(each[1]) for each in found if each]
    if len(numbers) < sum(bool(line.strip()) for line in lines):
        return None
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    return [line[each.end() :] if each else line for line, each in zip(lines, found, strict=True)]


class _Rewriting:
    """`new` as the file would have it, for one place of `old`."""

    def __init__(self, lines: Sequence[str], places: Sequence[int], old: Sequence[str], new: Sequence[str]) -> None:
        self._lines = lines
        self._places = places
        self._old, self._new = _Numbered(old), _Numbered(new)
        self._there = [lines[place] for place in places]
        self._typographic = any(mark in line for line in self._there for mark in map(chr, _PLAIN))

    def text(self) -> str | None:
        indented = reindented(self._old.lines, self._there, self._new.lines, self._lines)
        if indented is None:
            return None
        origin = self._origins()
        written: list[str] = []
        for number, line in enumerate(indented):
            written += [""] * self._blank_lines(number, origin)
            written.append(self._line(number, line, origin))
        return "\n".join([*written, *[""] * self._new.after])

    def _origins(self) -> list[tuple[int, bool]]:
        """For each line of `new` that of `old` it comes from, -1 for none, and whether it is the same."""
        folded = [[fold(line) for line in each.lines] for each in (self._old, self._new)]
        found = [(-1, False)] * len(folded[1])
        for kind, a, b, c, d in SequenceMatcher(None, *folded, autojunk=False).get_opcodes():
            if kind == "equal" or (kind == "replace" and b - a == d - c):
                found[c:d] = [(mine, kind == "equal") for mine in range(a, b)]
        return found

    def _blank_lines(self, number: int, origin: Sequence[tuple[int, bool]]) -> int:
        """Before a line: as many as the file has where `new` has as many as `old`."""
        wanted, mine = self._new.blank[number], origin[number][0]
        if not number or mine <= 0:
            return wanted
        before = origin[number - 1][0]
        for first in (before + 1 if 0 <= before < mine else mine, mine):
            if wanted == sum(self._old.blank[first : mine + 1]):
                return self._places[mine] - self._places[first - 1] - (mine - first) - 1
        return wanted

    def _line(self, number: int, line: str, origin: Sequence[tuple[int, bool]]) -> str:
        mine, same = origin[number]
        if same:
            return self._there[mine]
        if mine < 0:
            return self._plain(line)
        return indent_of(line) + self._words(self._old.lines[mine], self._there[mine], line)

    def _words(self, old: str, there: str, new: str) -> str:
        """The words of a changed line; those of `old` with what the file has for them, and the blanks between."""
        theirs = re.findall(r"\S+|\s+", there.strip())
        words, gaps = theirs[::2], [*theirs[1::2], " "]
        wanted = new.split()
        written: list[str] = []
        matcher = SequenceMatcher(None, [fold(word) for word in old.split()], [fold(word) for word in wanted], False)
        if len(words) != len(old.split()):
            return self._plain(new.strip())
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind == "equal":
                written += (part for place in range(a, b) for part in (words[place], gaps[place]))
            else:
                for count, word in enumerate(wanted[c:d]):
                    gap = gaps[a + count] if b - a == d - c else " "
                    written += (self._plain(word), gap)
        return "".join(written).rstrip()

    def _plain(self, text: str) -> str:
        return text if self._typographic else text.translate(_PLAIN)


class _Numbered:
    """The lines that are not blank, with how many blank ones are before each, and after the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines: list[str] = []
        self.blank: list[int] = []
        count = 0
        for line in lines:
            if line.strip():
                self.lines.append(line)
                self.blank.append(count)
                count = 0
            else:
                count += 1
        self.after = count
