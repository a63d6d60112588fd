"""Choice among several values that were found: the first, the largest, the one with that exact name.

Chooses among rows by the question's own words. Where those do not say, all are left, and the model or the person
chooses.
"""

import re
from collections.abc import Sequence
from typing import Final

from glassloop.core.records import Json
from glassloop.core.text_terms import content_words
from glassloop.extensions.embedded.advice.observed_facts import ObservedFact
from glassloop.extensions.embedded.language.question import ParsedQuestion

MAX_VALUES: Final = 12
_FIRST: Final = re.compile(r"\b(?:first|top|erste[rns]?)\b|第一", re.IGNORECASE)
_LAST: Final = re.compile(r"\b(?:last|bottom|letzte[rns]?)\b|最后", re.IGNORECASE)
_MOST_OF: Final = re.compile(
    r"\b(?:(?:most|largest|biggest|highest|greatest|longest|dearest|most\s+expensive|maximum|latest|newest|meisten?|"
    r"größte[rns]?|höchste[rns]?)\s*([^\W\d_]*))|最(?:多|大|高|贵)",
    re.IGNORECASE,
)
_LEAST_OF: Final = re.compile(
    r"\b(?:(?:fewest|least|smallest|lowest|cheapest|shortest|minimum|earliest|oldest|wenigsten?|kleinste[rns]?|"
    r"billigste[rns]?)\s*([^\W\d_]*))|最(?:少|小|低|便宜)",
    re.IGNORECASE,
)


_EACH: Final = re.compile(
    r"\b(?:each|both|all|every|respectively|are|were|alle|beide|jede[rsn]?|jeweils)\b|都|各|每", re.IGNORECASE
)


def asks_each(question: ParsedQuestion) -> bool:
    """Whether it is about all of those that were found."""
    return _EACH.search(question.text) is not None


def pick_values(
    found: Sequence[ObservedFact], facts: Sequence[ObservedFact], question: ParsedQuestion, used: Sequence[str]
) -> tuple[Json, ...]:
    """The values of those that are meant, each once; none where there are too many to choose from."""
    rows = list(dict.fromkeys(fact.row for fact in found))
    if len(rows) > 1:
        chosen = _extreme(rows, facts, question) or _called_so(rows, facts, used) or rows
        found = [fact for fact in found if fact.row in chosen]
    values = list(dict.fromkeys(fact.value for fact in found if isinstance(fact.value, str | int | float)))
    return tuple(values) if len(values) <= MAX_VALUES else ()


def _extreme(
    rows: Sequence[tuple[int, ...]], facts: Sequence[ObservedFact], question: ParsedQuestion
) -> Sequence[tuple[int, ...]] | None:
    text = question.text
    for pattern, choose in ((_MOST_OF, max), (_LEAST_OF, min)):
        said = pattern.search(text)
        if said is None:
            continue
        measured = _measured(rows, facts, set(content_words(said[1] or "")))
        if measured:
            return [choose(measured)[1]]
    if _FIRST.search(text):
        return rows[:1]
    return rows[-1:] if _LAST.search(text) else None


def _measured(
    rows: Sequence[tuple[int, ...]], facts: Sequence[ObservedFact], words: set[str]
) -> Sequence[tuple[float, tuple[int, ...]]]:
    """Each row's figure: under a key that is named, or the only one that all of them have."""
    numbers = [fact for fact in facts if fact.number is not None and fact.row in rows and fact.keys]
    named = [fact for fact in numbers if fact.named & words]
    keys = {fact.keys for fact in named or numbers}
    if len(keys) != 1:
        return ()
    found = [(float(fact.number or 0), fact.row) for fact in named or numbers]
    return found if len(found) == len(rows) else ()


def _called_so(
    rows: Sequence[tuple[int, ...]], facts: Sequence[ObservedFact], used: Sequence[str]
) -> Sequence[tuple[int, ...]] | None:
    """The row with exactly what was looked up; a longer name only holds it."""
    wanted = {value.casefold() for value in used}
    exact = [
        fact.row
        for fact in facts
        if fact.row in rows and isinstance(fact.value, str) and fact.value.casefold() in wanted and not fact.names
    ]
    return exact if len(exact) == 1 else None
