"""Passages to show for ranked chunks: the same text once, neighbours joined, within a token budget. Pure."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Protocol

import msgspec

from glassloop.core.ports import Passage
from glassloop.retrieval.backends.backend import PassageChoice, QueryVector, ResultLimits
from glassloop.retrieval.documents.code import LANGUAGES
from glassloop.retrieval.index.sources import ChunkRow
from glassloop.retrieval.query.query_parser import LexicalHits
from glassloop.retrieval.query.search_query import (
    Candidate,
    SearchQuery,
    Why,
    best_by_words,
    fresh_cosines,
    in_order,
    scores_of,
)
from glassloop.retrieval.query.search_terms import count_tokens

MAX_ALSO = 10
MAX_JOINED = 6


class _Taken(msgspec.Struct):
    """Chunks that stand side by side, with the best of what is said of them."""

    rows: list[ChunkRow]
    score: float
    relevance: float
    why: Why
    also: list[str]
    tokens: int

    def touches(self, row: ChunkRow) -> bool:
        mine = self.rows
        if row.document != mine[0].document or len(mine) >= MAX_JOINED:
            return False
        return row.ordinal in (mine[0].ordinal - 1, mine[-1].ordinal + 1)


class RankedSources(Protocol):
    """What a backend knows of the chunks that a question may see, on one state of the index."""

    def cosines(self, chunks: Sequence[int], meaning: QueryVector) -> dict[int, float]:
        """Of these chunks, where they have a vector, and of the nearest there are."""
        ...

    def unspaced(self, chunks: Sequence[int]) -> dict[int, float]:
        """Of those chunks that are still there and may be seen."""
        ...

    def rows(self, chunks: Sequence[int]) -> Mapping[int, ChunkRow]: ...


def choose_passages(
    question: SearchQuery, found: LexicalHits, meaning: QueryVector | None, wanted: ResultLimits, sources: RankedSources
) -> PassageChoice:
    best = list(best_by_words(found))
    cosines: dict[int, float] = {}
    if meaning is not None:
        known = sources.cosines(best, meaning)
        cosines = fresh_cosines(best, known, meaning.more, meaning.vector) | known
    unspaced = sources.unspaced(list(scores_of(found, cosines).keys() | cosines.keys()))
    ranked = in_order(question, found, cosines, unspaced)
    # Some more than are asked for, as some will be joined or passed over.
    good = [each for each in ranked if each.relevance >= wanted.min_relevance][: 4 * wanted.max_results + 10]
    missing = [chunk for chunk in best if chunk in unspaced and chunk not in cosines]
    return PassageChoice(
        passages=fit_budget(good, sources.rows([each.chunk for each in good]), wanted),
        missing=missing if meaning is not None else [],
    )


def fit_budget(candidates: Sequence[Candidate], rows: Mapping[int, ChunkRow], wanted: ResultLimits) -> list[Passage]:
    """The best that fit: what is too long for the rest of the budget is passed over, and shorter ones still go in."""
    taken: list[_Taken] = []
    by_text: dict[str, _Taken] = {}
    left = wanted.token_budget
    for candidate in candidates:
        row = rows.get(candidate.chunk)
        if row is None:
            continue
        text = " ".join(row.text.split()).casefold()
        if (twin := by_text.get(text)) is not None:
            if row.name not in twin.also and len(twin.also) < MAX_ALSO and row.document != twin.rows[0].document:
                twin.also.append(row.name)
            continue
        size = count_tokens(row.text[row.overlap :]) if row.overlap else row.tokens
        beside = next((each for each in taken if each.touches(row)), None)
        if (beside is None and len(taken) >= wanted.max_results) or max(row.tokens, size) > left:
            continue
        left -= row.tokens
        by_text[text] = beside = _take(taken, beside, row, candidate)
    return [_passage(each) for each in taken]


def _take(taken: list[_Taken], beside: _Taken | None, row: ChunkRow, candidate: Candidate) -> _Taken:
    if beside is None:
        beside = _Taken([row], candidate.score, candidate.relevance, candidate.why, [], row.tokens)
        taken.append(beside)
        return beside
    beside.rows = sorted([*beside.rows, row], key=lambda each: each.ordinal)
    beside.relevance = max(beside.relevance, candidate.relevance)
    if beside.why != candidate.why:
        beside.why = "both"
    beside.tokens += row.tokens
    # The chunk between two passages makes them one; the first of them is the better one.
    other = next((each for each in taken if each is not beside and each.touches(row)), None)
    if other is not None:
        beside.rows = sorted([*beside.rows, *other.rows], key=lambda each: each.ordinal)
        beside.relevance = max(beside.relevance, other.relevance)
        beside.also = list(dict.fromkeys([*beside.also, *other.also]))
        beside.tokens += other.tokens
        beside.why = beside.why if beside.why == other.why else "both"
        taken.remove(other)
    return beside


def _passage(taken: _Taken) -> Passage:
    first, last = taken.rows[0], taken.rows[-1]
    shared = _shared([row.headings for row in taken.rows])
    text = join_passages(taken.rows, None if PurePosixPath(first.name).suffix.lower() in LANGUAGES else len(shared))
    return Passage(
        document=first.name,
        text=text,
        title=first.title,
        domain=first.domain,
        headings=shared,
        first_line=first.first_line,
        last_line=last.last_line,
        page=first.page,
        score=round(taken.score, 4),
        relevance=round(taken.relevance, 4),
        why=taken.why,
        tokens=count_tokens(text),
        also=tuple(taken.also),
    )


def join_passages(rows: Sequence[ChunkRow], headed_after: int | None = None) -> str:
    """Neighbours as one text: what the second repeats of the first is said once. `headed_after`: each section stands
    under its headings but for so many, which all of them share."""
    text, above = "", ()
    for place, row in enumerate(rows):
        repeated, rest = row.text[: row.overlap], row.text[row.overlap :]
        headings = () if headed_after is None else row.headings[headed_after:]
        if headings != above:
            text += ("\n" if place else "") + "".join(f"## {heading}\n" for heading in headings) + row.text
            above = headings
        elif place:
            text += ("\n" if not repeated or "\n" in repeated[-2:] else " ") + rest
        else:
            text = row.text
    return text


def _shared(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    shared = paths[0]
    for path in paths[1:]:
        same = [left for left, right in zip(shared, path, strict=False) if left == right]
        shared = tuple(same)
    return shared
