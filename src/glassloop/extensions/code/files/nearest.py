"""The lines of a file that come nearest to what an edit looked for, to be shown where it was refused. Pure."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from glassloop.extensions.code.files.text_match import MatchedSpan

MAX_SHOWN = 12
"""Lines of a place."""
MAX_PLACES = 20
MAX_COMPARED = 4_000
_AROUND = 2
_LINE_CHARS = 200
_WORD_CHARS = 400


def nearest_lines(lines: Sequence[str], old: Sequence[str]) -> str:
    """The stretch with most of the lines that were looked for. Where that lacks the longest of them, also the one with
    the line most like it: short lines stand anywhere."""
    wanted = [line.strip() for line in old]
    voted = _by_votes(lines, wanted)
    longest = max(wanted, key=len)
    if voted is not None and longest in (line.strip() for line in lines[voted : voted + len(wanted)]):
        return _stretch(lines, voted, len(old))
    likely = _by_likeness(lines, wanted)
    if voted is None or abs(voted - likely) <= len(old):
        return _stretch(lines, likely if voted is None else voted, len(old))
    return f"{_stretch(lines, likely, len(old))}\nor\n{_stretch(lines, voted, len(old))}"


def _stretch(lines: Sequence[str], first: int, count: int) -> str:
    begin = max(0, first - _AROUND)
    return numbered(lines, begin, min(len(lines), first + count + _AROUND, begin + MAX_SHOWN))


def numbered(lines: Sequence[str], begin: int, end: int) -> str:
    return "\n".join(f"{number + 1:>6}\t{_cut(lines[number])}" for number in range(begin, end))


def places(lines: Sequence[str], spans: Sequence[MatchedSpan]) -> str:
    """The first line of each place with its number."""
    shown = "\n".join(f"{span.first_line:>6}\t{_cut(lines[span.first_line - 1])}" for span in spans[:MAX_PLACES])
    rest = [str(span.first_line) for span in spans[MAX_PLACES : MAX_PLACES * 10]]
    return f"{shown}\nand in lines {', '.join(rest)}" if rest else shown


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}…"


def _by_votes(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Each line of the file that is one of the wanted says where the whole would begin; rare lines say more."""
    offsets: dict[str, list[int]] = {}
    for place, line in enumerate(wanted):
        if line:
            offsets.setdefault(line, []).append(place)
    have = [line.strip() for line in lines]
    often = Counter(line for line in have if line in offsets)
    votes: Counter[int] = Counter()
    for number, line in enumerate(have):
        for place in offsets.get(line, ())[:20]:
            votes[max(0, number - place)] += max(1, min(len(line), 40) * 100 // often[line])
    return max(votes, key=lambda first: (votes[first], -first)) if votes else None


def _by_likeness(lines: Sequence[str], wanted: Sequence[str]) -> int:
    """Where the longest wanted line stands that some line of the file is like."""
    target = max(range(len(wanted)), key=lambda place: len(wanted[place]))
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(wanted[target][:_WORD_CHARS])
    best, found = 0.0, 0
    for number, line in enumerate(lines[:MAX_COMPARED]):
        matcher.set_seq1(line.strip()[:_WORD_CHARS])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, found = ratio, number
    return max(0, found - target)
