"""Surroundings of a figure in its answer: the words, names and columns that say which of equal values is meant."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from glassloop.core.evidence.places import Place, RowTable, words_of

_ENDS = (re.compile(r"[.;!?](?=\s)|[。；！？\n]"), re.compile(r"\n"), re.compile(r"\n[ \t]*\n"))
_CLAUSE = re.compile(r"[,;()（），；。\n]|[.!?](?=\s)")
_JOINT = re.compile(
    r"\s(?:and|or|of|in|on|at|to|for|with|by|but|against|und|oder|von|im|am|zu|für|mit|bei|as|than|per|a|an|the)\s"
)
_FAILURE = re.compile(
    r"\b(?:fail|error|unavailab|unknown|refus|reject|denie|denied|unreachable|time[sd]? ?out|cannot|can't|could ?n[o']t"
    r"|Fehler|fehlgeschlagen|nicht verfügbar)|失败|错误|无法|超时|拒绝",
    re.IGNORECASE,
)
_SHORT = 3
"""Letters of the words that stand in any two sentences."""
_LOOK = 120
_SENTENCE = 300
_PARAGRAPH = 1_000
_NOUN_CHARS = 40
SMALL = 1_000


class NearbyText(NamedTuple):
    """Words beside a figure: `noun` what follows it at once, `before` and `after` those of its clause, `sentence` and
    `clause` as text in small letters. In a table, the column's head is the noun and the row is the clause."""

    noun: frozenset[str]
    near: frozenset[str]
    sentence: str
    clause: str
    tabular: bool


class AnswerLayout:
    """An answer by its sentences, lines and paragraphs, with the figures in them."""

    def __init__(self, answer: str, spans: Sequence[tuple[int, int]]) -> None:
        self._answer = answer
        self._lowered = answer.lower() if len(answer.lower()) == len(answer) else answer
        self._starts = sorted(start for start, _ in spans)
        self._stops = sorted(end for _, end in spans)
        self._tops: dict[int, int] = {}
        self._around: dict[tuple[int, int], NearbyText] = {}
        self._ends = [[end.end() for end in pattern.finditer(answer)] for pattern in _ENDS]

    def scopes(self, at: int) -> tuple[tuple[int, int], ...]:
        """The sentence, line and paragraph of a place, by level and number."""
        return tuple((level, bisect_right(ends, at)) for level, ends in enumerate(self._ends))

    def paragraph(self, at: int) -> str:
        """The text of a paragraph, in small letters; of a long one what stands around the place."""
        first, last = self._bounds(2, at)
        return self._lowered[max(first, at - _PARAGRAPH) : min(last, at + _PARAGRAPH)]

    def around(self, start: int, end: int) -> NearbyText:
        """What stands around a figure."""
        if (start, end) not in self._around:
            self._around[start, end] = self._read_around(start, end)
        return self._around[start, end]

    def _read_around(self, start: int, end: int) -> NearbyText:
        line, text = self._bounds(1, start), self._lowered
        if text.count("|", *line) > 1:
            row = text[line[0] : line[1]]
            head = words_of(self._head(line[0], text.count("|", line[0], start)))
            return NearbyText(head, head, row, row, True)
        first, last = self._bounds(0, start)
        before = text[max(first, self._before(start), start - _LOOK) : start]
        after = text[end : min(last, self._after(end), end + _LOOK)]
        clause_before = _CLAUSE.split(before)[-1]
        clause_after = _CLAUSE.split(after, maxsplit=1)[0]
        noun = _JOINT.split(f" {clause_after[:_NOUN_CHARS]} ", maxsplit=1)[0]
        if clause_before.rstrip(" *_").endswith((":", "：")):
            # The label stands before the colon: "Late: 6 orders".
            noun = clause_before
        wide = text[max(first, start - _LOOK) : min(last, end + _LOOK)]
        cut = start - max(first, start - _LOOK)
        clause = _CLAUSE.split(wide[:cut])[-1] + wide[cut : cut + end - start]
        clause += _CLAUSE.split(wide[cut + end - start :], maxsplit=1)[0]
        return NearbyText(
            words_of(" ".join(noun.split()[:3])),
            words_of(f"{clause_before} {clause_after}"),
            text[max(first, start - _SENTENCE) : min(last, end + _SENTENCE)],
            clause,
            False,
        )

    def _bounds(self, level: int, at: int) -> tuple[int, int]:
        ends = self._ends[level]
        place = bisect_right(ends, at)
        return ends[place - 1] if place else 0, ends[place] if place < len(ends) else len(self._answer)

    def _before(self, at: int) -> int:
        place = bisect_right(self._stops, at) - 1
        return self._stops[place] if place >= 0 else 0

    def _after(self, at: int) -> int:
        place = bisect_left(self._starts, at)
        return self._starts[place] if place < len(self._starts) else len(self._answer)

    def _head(self, line: int, column: int) -> str:
        """The head of a table's column."""
        text, top, passed = self._lowered, line, list[int]()
        while top not in self._tops:
            passed.append(top)
            above = text.rfind("\n", 0, max(0, top - 1)) + 1
            if not top or "|" not in text[above:top]:
                break
            top = above
        top = self._tops.get(top, top)
        self._tops.update(dict.fromkeys(passed, top))
        cells = text[top : text.find("\n", top)].split("|", column + 1) if top < line else []
        return cells[column] if column < len(cells) else ""


def fit(near: NearbyText, place: Place | None) -> int:
    """How well a place agrees with what stands around a figure."""
    if place is None:
        return 0
    label = words_of(place.label)
    score = 3 * len(label & near.noun) + 2 * len(label & near.near)
    if label and label <= near.near | near.noun:
        score += 2
    above = words_of(" ".join(str(part) for part in place.path[:-1]))
    score += bool(above & near.near)
    if place.row is not None and place.table is not None:
        score += 6 if _is_named(place.table, place.row, near) else 0
    if place.owner is not None:
        score += 3 if _is_named(place.owner.table, place.owner.row, near) else 0
    return score


def speaks_of(near: NearbyText, place: Place | None) -> bool:
    """Whether a word of the place's label stands beside the figure."""
    return place is not None and bool(words_of(place.label) & (near.noun | near.near))


def _is_named(table: RowTable, row: Mapping[str, Any], near: NearbyText) -> bool:
    """In the clause of the figure, or in its sentence where the clause names none."""
    named = table.named_in(near.clause) or (near.sentence != near.clause and table.named_in(near.sentence)) or ()
    return any(each is row for each in named)


def tells_of_failure(near: NearbyText, place: Place | None) -> bool:
    """Whether the answer says of a figure what an error says of it."""
    shared = words_of(place.label) & (near.near | near.noun) if place is not None else ()
    telling = sum(len(word) > _SHORT for word in shared)
    return telling > 1 or (telling == 1 and _FAILURE.search(near.sentence) is not None)


class NeighbourVotes:
    """The sources and rows of the figures of each sentence, line and paragraph: what stands together is of one."""

    def __init__(self, layout: AnswerLayout) -> None:
        self._layout = layout
        self._cast: set[tuple[int, int, str, int]] = set()

    def add(self, at: int, source: int, row: int | None) -> None:
        for level, number in self._layout.scopes(at):
            self._cast.add((level, number, "source", source))
            if row is not None:
                self._cast.add((level, number, "row", row))

    def of(self, at: int, source: int, row: int | None) -> int:
        """How much the neighbours speak for a source and a row in it."""
        votes = 0
        for (level, number), by_row, by_source in zip(self._layout.scopes(at), (6, 6, 0), (6, 5, 4), strict=True):
            votes = max(votes, by_source * ((level, number, "source", source) in self._cast))
            if row is not None and by_row and (level, number, "row", row) in self._cast:
                return votes + by_row
        return votes
