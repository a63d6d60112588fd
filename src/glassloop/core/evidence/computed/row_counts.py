"""Counts of rows: those that have a quoted text, and those that have a value which the answer names beside the number.

Only where all rows were seen: of a part of them nothing can be counted.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from glassloop.core.evidence.answer_layout import AnswerLayout
from glassloop.core.evidence.computed.operands import Computed
from glassloop.core.evidence.figures import FigureMark, plain
from glassloop.core.evidence.name_search import MAX_TRIES, find_name, quoted_pieces
from glassloop.core.evidence.places import ObservedTable
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure

MAX_COUNT: Final = MAX_TRIES - 1
MAX_QUOTES: Final = 4
MAX_WORDS: Final = 4
"""Words of a value that is named beside a number."""
_LOOK: Final = 60

_PARTIAL = re.compile(
    r"\b(?:rows|lines|results|records|items|showing|first|top) [0-9,]+ (?:of|von) [0-9,]+"
    r"|\bmore (?:rows|lines|results|items)\b"
    r'|\btruncated\b(?!":? ?false)|"(?:has_more|more|partial)": ?true|"next(?:_page|_cursor|_offset)?": ?["0-9]',
    re.IGNORECASE,
)
_TOTAL = re.compile(r'"(?:total|count|total_count|total_rows|matches|found)": ?([0-9]{1,12})')
_WORD = re.compile(r"[^\s|*_`\"“”(),;:]+")
_LABEL_END = re.compile(r"[*_`\"”]{0,3} ?(?:[:：=(（]|\|) ?[*_(（]{0,3}$")


class RowCounts:
    """The quotations of an answer, and the tables it was made from."""

    def __init__(
        self, answer: str, layout: AnswerLayout, sources: Sequence[SourceText], tables: Sequence[ObservedTable]
    ) -> None:
        self._lowered = answer.lower() if len(answer.lower()) == len(answer) else answer
        self._layout = layout
        seen = (one for one in sources if one.origin in ("call", "earlier_call") and not one.failed)
        self._observed = {one.source: one for one in seen}
        self._sources = sources
        self._tables = tables
        self._partial: dict[tuple[int, int], bool] = {}
        self._quotes: dict[tuple[int, int], list[tuple[str, str]]] = {}

    def add_quote(self, mark: FigureMark, figure: Figure) -> None:
        """A quotation with a source."""
        if figure.source in self._observed:
            quotes = self._quotes.setdefault(self._layout.scopes(mark.start)[0], [])
            quotes.append((plain(figure.text).lower(), figure.source))

    def explain(self, mark: FigureMark) -> Computed | None:
        if mark.count is None or not 1 < mark.count <= MAX_COUNT:
            return None
        return self._with_quote(mark, mark.count) or self._with_value(mark, mark.count)

    def _with_quote(self, mark: FigureMark, count: int) -> Computed | None:
        quotes = self._quotes.get(self._layout.scopes(mark.start)[0], [])
        for quote, ident in quotes if len(quotes) <= MAX_QUOTES else ():
            source = self._observed[ident]
            if not is_partial(source, 0) and _rows_with(quote, source.text) == count:
                return f"count of “{quote}”", ident
        return None

    def _with_value(self, mark: FigureMark, count: int) -> Computed | None:
        """`3 partial`, `partial: 3`, `partial (3)`, `| partial | 3 |`."""
        named = list(self._named(mark)) if self._tables else ()
        for source, rows in self._tables:
            for name in named:
                if count in rows.counts_of(name) and not self._is_partial(source, len(rows.rows)):
                    return f"count of {name}", self._sources[source].source
        return None

    def _is_partial(self, source: int, rows: int) -> bool:
        if (source, rows) not in self._partial:
            self._partial[source, rows] = is_partial(self._sources[source], rows)
        return self._partial[source, rows]

    def _named(self, mark: FigureMark) -> Iterator[str]:
        after = self._lowered[mark.end : mark.end + _LOOK]
        words = list(_WORD.finditer(after.split("\n", 1)[0]))[:MAX_WORDS]
        if words and not after[: words[0].start()].strip(" *_"):
            yield from (after[words[0].start() : last.end()].rstrip(".!?") for last in words)
        before = self._lowered[max(0, mark.start - _LOOK) : mark.start].rsplit("\n", 1)[-1]
        if (end := _LABEL_END.search(before)) is not None:
            before = before[: end.start()].rstrip()
            words = list(_WORD.finditer(before))[-MAX_WORDS:]
            yield from (before[first.start() :] for first in words)


def is_partial(source: SourceText, rows: int) -> bool:
    """Whether there is more than was shown."""
    if source.cut or _PARTIAL.search(source.text) is not None:
        return True
    return rows > 0 and any(int(found[1]) > rows for found in _TOTAL.finditer(source.text))


def _rows_with(quote: str, text: str) -> int:
    """Lines with a quotation; in data, how often it stands there."""
    lowered = plain(text).lower()
    found = list(find_name(lowered, quote, compound=False))
    if text[:1] in ("{", "["):
        return len(found) if len(quoted_pieces(quote)) <= 1 else 0
    return len({lowered.rfind("\n", 0, start) for start, _ in found})
