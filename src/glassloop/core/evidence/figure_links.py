"""Links from the figures of an answer to where they came from.

The answer's figures are indexed, then the source texts are read once, latest first, and every match is offered to its
figure. Of equal values the one whose row and label stand around the figure is taken, else the one of the neighbouring
figures, else the latest. Beyond what a source holds, only lengths of its lists and what `computed` works out count
as found. Questions back to the person, periods that are only offered, our own commands, and code without a digit need
no source.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from msgspec import structs

from glassloop.core.evidence.answer_layout import (
    SMALL,
    AnswerLayout,
    NearbyText,
    NeighbourVotes,
    fit,
    speaks_of,
    tells_of_failure,
)
from glassloop.core.evidence.claims import EQUAL, FAILED, ROUNDED, SAID, AnswerClaims, Offer, is_of_failure
from glassloop.core.evidence.computed.computation import Computation, Observed
from glassloop.core.evidence.contradictions import ToldFigure, contradicts
from glassloop.core.evidence.data_paths import DataPaths
from glassloop.core.evidence.figures import FigureMark, plain, read_figures
from glassloop.core.evidence.locations import NamedFiles
from glassloop.core.evidence.questions import OfferSpans, QuestionSpans
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.evidence.sources import ASKED, HANDICAPS, SourceScan
from glassloop.core.evidence.units.number_style import language_of, with_grouping
from glassloop.core.records import Evidence, Figure

_DIGIT = re.compile(r"\d")
_ORDINAL = re.compile(r"[0-9]{1,3}(?:st|nd|rd|th)")
_PERIOD = re.compile(r"[QHqh][1-4]|(?:19|20)[0-9]{2}")
_WORD_END = re.compile(r"[\w./:#~+-]{1,40}\Z", re.ASCII)
_WORD_START = re.compile(r"[\w./:#~+-]{1,40}", re.ASCII)
_MARKS = ".:/-+~#"
_COMMAND = "glassloop "
_EXACT = EQUAL + 1

MAX_FIGURES = 500
MAX_BESIDE = 40
MAX_ANSWER = 200_000
"""Characters of an answer that are read."""


def link_figures(
    answer: str, sources: Sequence[SourceText], known: Collection[str], *, always: bool = False
) -> Evidence:
    """See `find_evidence`; `always` also where no tool observed anything."""
    read = with_grouping(answer[:MAX_ANSWER], lambda: _question(sources))
    marks = [
        mark
        for mark in islice(read_figures(read), MAX_FIGURES)
        if answer[mark.start : mark.end] not in known and not answer.startswith(_COMMAND, mark.start)
    ]
    if not marks or not (always or any(source.observed for source in sources)):
        return Evidence()
    claims = AnswerClaims(plain(answer), marks)
    scan = SourceScan(claims)
    for number in range(len(sources) - 1, -1, -1):
        if claims.settled:
            break
        if not scan.spent or sources[number].origin in HANDICAPS:
            scan.read(number, sources[number])
    if not claims.complete:
        scan.derive()
    chosen = _ChoiceOfSources(answer, sources, claims, scan).choose(marks)
    figures = tuple(_needing(answer, chosen, sources))
    return Evidence(figures=figures, sourced=sum(one.source is not None and one.origin != "asked" for one in figures))


def _question(sources: Sequence[SourceText]) -> str:
    return next((source.text for source in reversed(sources) if source.origin == "question"), "")


def _needing(answer: str, figures: Sequence[Figure], sources: Sequence[SourceText]) -> Iterator[Figure]:
    """The figures that have a source, or ought to."""
    asking, offering = QuestionSpans(answer[:MAX_ANSWER]), OfferSpans(answer[:MAX_ANSWER])
    files = NamedFiles(() if all(each.source is not None for each in figures) else sources)
    for figure in figures:
        linked = figure if figure.source is not None else files.link(answer, figure)
        linked = linked if linked.source is not None else _in_whole_word(answer, linked, sources)
        needless = linked.source is None and (
            asking.hold(figure.start)
            or (_is_period(figure) and offering.hold(figure.start))
            or _is_code(answer, figure)
            or _ORDINAL.fullmatch(figure.text)
        )
        if not needless:
            yield linked


def _in_whole_word(answer: str, figure: Figure, sources: Sequence[SourceText]) -> Figure:
    """The figure with a source where the word that it is a part of stands in one: `HO.05.e`, `71-0719`."""
    start, end = max(0, figure.start - MAX_BESIDE), figure.end + MAX_BESIDE
    before, after = _WORD_END.search(answer[start : figure.start]), _WORD_START.match(answer[figure.end : end])
    word = f"{before[0] if before else ''}{answer[figure.start : figure.end]}{after[0] if after else ''}".rstrip(_MARKS)
    word = word.lstrip(_MARKS)
    if len(word) <= len(figure.text):
        return figure
    whole = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
    for source in reversed(sources):
        if source.failed or source.sourced is not None or any(word in str(args) for args in source.args):
            continue
        if (found := whole.search(source.text)) is not None:
            return structs.replace(figure, source=source.source, origin=source.origin, found=found[0])
    return figure


def _is_period(figure: Figure) -> bool:
    return figure.kind == "date" or _PERIOD.fullmatch(figure.text) is not None


def _is_code(answer: str, figure: Figure) -> bool:
    """A command, an argument, a file: in backticks as code is, and without a digit it states no value."""
    before = answer[max(0, figure.start - 8) : figure.start].rstrip()
    return figure.kind == "name" and before.endswith("`") and _DIGIT.search(figure.text) is None


class _ChoiceOfSources:
    """Which of its offers each figure of an answer is told to have."""

    def __init__(self, answer: str, sources: Sequence[SourceText], claims: AnswerClaims, scan: SourceScan) -> None:
        self._answer = answer
        self._scan = scan
        self._sources = sources
        self._claims = claims
        self._paths: dict[int, DataPaths] = {}
        self._english = language_of(answer) == "english"

    def choose(self, marks: Sequence[FigureMark]) -> list[Figure]:
        shown = [part for mark in marks for part in self._shown(mark)]
        layout = AnswerLayout(self._answer[:MAX_ANSWER], [(mark.start, mark.end) for mark in shown])
        found = [self._candidates(mark, layout) for mark in shown]
        votes = NeighbourVotes(layout)
        for mark, offers in zip(shown, found, strict=True):
            if len(offers) == 1:
                votes.add(mark.start, offers[0][1].source, _row(offers[0][1]))
        picked: list[tuple[FigureMark, Offer | None]] = []
        for mark, offers in zip(shown, found, strict=True):
            backed = {
                (source, row): votes.of(mark.start, source, row)
                for source, row in {(one.source, _row(one)) for _, one in offers}
            }
            agreed = [
                (score + backed[one.source, _row(one)], -one.rank, one.source, -at, one)
                for at, (score, one) in enumerate(offers)
            ]
            picked.append((mark, max(agreed)[-1] if agreed else None))
        return self._figures(picked, layout)

    def _shown(self, mark: FigureMark) -> Sequence[FigureMark]:
        best = self._claims.best_rank
        split = mark.parts and best(mark) is None and None not in map(best, mark.parts)
        return mark.parts if split else (mark,)

    def _candidates(self, mark: FigureMark, layout: AnswerLayout) -> Sequence[tuple[int, Offer]]:
        """The offers that nothing contradicts, each with how well it agrees with what stands around the figure."""
        offers = self._claims.offers(mark)
        failed = any(is_of_failure(one.rank) for one in offers)
        if not offers or (len(offers) == 1 and not failed and (mark.kind != "number" or offers[0].place is None)):
            return [(0, one) for one in offers]
        near = layout.around(mark.start, mark.end)
        if failed:
            offers = [one for one in offers if not is_of_failure(one.rank) or self._is_error(one, near)]
        offers = self._uncontradicted(mark, near, offers)
        best = min((one.rank for one in offers), default=0)
        fits = {id(one.place): fit(near, one.place) for one in {id(one.place): one for one in offers}.values()}
        scored = [(fits[id(one.place)], one) for one in offers if one.rank <= max(best, _EXACT)]
        if best <= _EXACT and not any(speaks_of(near, one.place) for _, one in scored):
            # A rounded value that the answer speaks of is nearer than an equal one that it does not.
            scored += [(fits[id(one.place)], one) for one in offers if _is_spoken_of(one, near)]
        if best < SAID and mark.count is not None and mark.count < SMALL and not any(score for score, _ in scored):
            # Small numbers are everywhere: one that nothing connects with the figure is not what the person said.
            said = [(0, one) for one in offers if one.rank // SAID in (1, 2)]
            return said[:1] or scored
        return scored

    def _uncontradicted(self, mark: FigureMark, near: NearbyText, offers: Sequence[Offer]) -> list[Offer]:
        """A value is offered once for each of its readings: its place is judged once."""
        told, judged, kept = self._told(mark), dict[tuple[int, str], bool](), list[Offer]()
        for one in offers:
            key = id(one.place), one.found
            if key not in judged:
                judged[key] = one.place is not None and contradicts(near, one.place, told, one.found)
            if not judged[key]:
                kept.append(one)
        return kept

    def _told(self, mark: FigureMark) -> ToldFigure:
        line = self._answer.rfind("\n", max(0, mark.start - MAX_BESIDE), mark.start) + 1
        before = self._answer[max(line, mark.start - MAX_BESIDE) : mark.start]
        after = self._answer[mark.end : mark.end + MAX_BESIDE]
        unit = mark.kind if mark.kind != "number" else mark.readings[0].unit if mark.readings else ""
        return ToldFigure(unit, self._answer[mark.start : mark.end], mark.count, before, after, self._english)

    def _is_error(self, offer: Offer, near: NearbyText) -> bool:
        return offer.rank <= FAILED + _EXACT and tells_of_failure(near, offer.place)

    def _figures(self, picked: Sequence[tuple[FigureMark, Offer | None]], layout: AnswerLayout) -> list[Figure]:
        figures = [self._figure(mark, offer, layout) for mark, offer in picked]
        if all(figure.source is not None for figure in figures):
            return figures
        observed = Observed(self._sources, self._scan.records, self._scan.tables())
        working = Computation(self._answer, layout, observed)
        for (mark, offer), figure in zip(picked, figures, strict=True):
            working.add(mark, figure, offer.place.label if offer is not None and offer.place is not None else "")
        return [working.explain(mark, figure) for (mark, _), figure in zip(picked, figures, strict=True)]

    def _figure(self, mark: FigureMark, offer: Offer | None, layout: AnswerLayout) -> Figure:
        text = self._answer[mark.start : mark.end]
        if offer is None:
            return Figure(text=text, kind=mark.kind, start=mark.start, end=mark.end)
        source = self._sources[offer.source]
        path = offer.place.path if offer.place is not None else ()
        if not path and source.data is not None:
            if offer.source not in self._paths:
                self._paths[offer.source] = DataPaths(source.data)
            path = self._paths[offer.source].find(offer.found, layout.around(mark.start, mark.end))
        worked_out = offer.place is None and offer.found.startswith(("sum of", "mean of", "difference of"))
        return Figure(
            text=text,
            kind=mark.kind,
            start=mark.start,
            end=mark.end,
            source=source.source,
            origin="asked" if offer.rank >= ASKED else "computed" if worked_out else source.origin,
            found=offer.found,
            path=path,
        )


def _is_spoken_of(offer: Offer, near: NearbyText) -> bool:
    return ROUNDED <= offer.rank <= ROUNDED + 1 and speaks_of(near, offer.place)


def _row(offer: Offer) -> int | None:
    return None if offer.place is None or offer.place.row is None else id(offer.place.row)
