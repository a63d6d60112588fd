"""Facts in the observations of a question: each value with the keys that lead to it, and the identifiers in prose.

Tells which could fill a parameter, and which of several rows is meant: the first, the largest, the one with that exact
name. `next_call` draws the conclusions. Bounded.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, cast

import msgspec

from glassloop.core.messages import ToolMessage
from glassloop.core.records import Json
from glassloop.core.text_terms import content_words, stem, word_set
from glassloop.extensions.embedded.language.lexicon import SYNONYM, lexicon
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.values import shape
from glassloop.extensions.embedded.language.words import stems

MAX_FACTS: Final = 400
MAX_READ: Final = 200_000
_MAX_VALUE: Final = 200
_MAX_DEPTH: Final = 6
_MAX_ITEMS: Final = 60
_MAX_PROSE: Final = 5_000
_IDENTIFIER: Final = re.compile(
    r"(?<![\w-])[A-Za-z]{1,8}(?:[-_][A-Za-z]{1,8}){0,2}[-_#]?\d[\w-]{0,40}(?![\w-])", re.ASCII
)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_OWN: Final = frozenset(map(stem, word_set("id ids number no nr code key sku name title label ref reference uuid")))
PEOPLE: Final = stems("people")
_FULL_NAME: Final = re.compile(r"[^\W\d_][^\W\d_.'’-]*(?:[ .'’-]+[^\W\d_][^\W\d_.'’-]*){1,3}")
_HOLDERS: Final = stems("holders")
_PLACES: Final = frozenset(map(stem, word_set("city town location place office site destination address station")))


class ObservedFact(msgspec.Struct, frozen=True, kw_only=True):
    """One value; `row` tells apart the things that a list or several observations are about."""

    tool: str
    keys: tuple[str, ...]
    value: Json
    row: tuple[int, ...]

    @property
    def named(self) -> frozenset[str]:
        """The words of its own key."""
        return frozenset(map(stem, name_words(self.keys[-1]))) if self.keys else frozenset()

    @property
    def above(self) -> frozenset[str]:
        return frozenset(stem(word) for key in self.keys[-3:-1] for word in name_words(key))

    @property
    def number(self) -> int | float | None:
        """Its value, where that counts or measures something."""
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        return cast("int | float", self.value) if is_number and not self.names else None

    @property
    def names(self) -> bool:
        """Whether it only says which thing is meant: an identifier, a number of its own."""
        if isinstance(self.value, str):
            return _IDENTIFIER.fullmatch(self.value) is not None and _DAY.match(self.value) is None
        own = self.named & (_OWN - {"name", "titl", "label"})
        return isinstance(self.value, int) and bool(own)


def facts_of(observations: Sequence[ToolMessage]) -> Sequence[ObservedFact]:
    """Everything that was observed, in its order."""
    found: list[ObservedFact] = []
    for place, seen in enumerate(observations):
        if not seen.is_error:
            found += _facts(seen, place)
    return found[:MAX_FACTS]


def feeding(facts: Sequence[ObservedFact], parameter: ParameterHints) -> Sequence[ObservedFact]:
    """Those that could be the parameter's value: by name, by what their key means, in the shape of its examples."""
    able = [fact for fact in facts if not isinstance(fact.value, bool) and _fits(fact.value, parameter)]
    named = [fact for fact in able if _is_called(fact, parameter)]
    if is_of_person(parameter) and (not named or not parameter.nouns - _OWN):
        people = [fact for fact in able if _may_be_person(fact)]
        return [fact for fact in people if _is_person(fact)] or people
    if named or parameter.kind == "identifier":
        return named or [fact for fact in able if isinstance(fact.value, str) and _is_shaped(fact.value, parameter)]
    if parameter.kind == "date":
        return [fact for fact in able if isinstance(fact.value, str) and _DAY.fullmatch(fact.value)]
    return [fact for fact in able if _alike(fact.named - _OWN, parameter)]


def is_looked_up(parameter: ParameterHints) -> bool:
    """Whether it is the kind of thing that another tool finds: figures to compute with are not."""
    if parameter.kind in ("number", "integer"):
        return not {"id", "no", "nr", "number", "code"}.isdisjoint(name_words(parameter.name))
    return parameter.kind not in ("expression", "source unit", "target unit", "array")


def is_of_person(parameter: ParameterHints) -> bool:
    """Whether it wants to be told who is meant."""
    if parameter.kind != "name":
        return False
    told = parameter.nouns | frozenset(map(stem, re.findall(r"[^\W\d_]+", parameter.description.lower())))
    return bool(told & PEOPLE) or bool({"first", "last", "surnam"} & told)


def _is_person(fact: ObservedFact) -> bool:
    """Whether its key is for people, or it is a `name` below one that is."""
    return bool(fact.named & PEOPLE) or (fact.named <= _OWN and bool(fact.above & PEOPLE))


def _may_be_person(fact: ObservedFact) -> bool:
    """Whether it is written like a full name, and not as what a thing is called."""
    value = fact.value
    if not isinstance(value, str) or _FULL_NAME.fullmatch(value) is None:
        return False
    capitals = all(word[:1].isupper() for word in value.split())
    return _is_person(fact) or (capitals and not fact.named & _OWN)


def _is_called(fact: ObservedFact, parameter: ParameterHints) -> bool:
    own, wanted = fact.named, parameter.nouns - _OWN
    if wanted and wanted <= own:
        return True
    return bool(own) and own <= _OWN and bool(wanted) and wanted <= fact.above


def _is_shaped(value: str, parameter: ParameterHints) -> bool:
    return any(parameter.shapes) and parameter.is_shaped(shape(value))


def _facts(seen: ToolMessage, place: int) -> Iterator[ObservedFact]:
    text = seen.content.strip()
    root: Json = None
    if text[:1] in ("{", "[") and len(text) <= MAX_READ:
        try:
            root = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            root = None
    if root is None:
        yield from _in_prose(text, seen.tool, (), (place,))
        return
    waiting: list[tuple[tuple[str, ...], tuple[int, ...], Json]] = [((), (place,), root)]
    for _ in range(MAX_FACTS):
        if not waiting:
            return
        keys, row, value = waiting.pop()
        if isinstance(value, dict) and len(keys) < _MAX_DEPTH:
            members = list(cast("dict[str, Json]", value).items())[:_MAX_ITEMS]
            waiting += [((*keys, key), row, member) for key, member in reversed(members)]
        elif isinstance(value, list) and len(row) < _MAX_DEPTH:
            items = list(enumerate(cast("list[Json]", value)[:_MAX_ITEMS]))
            waiting += [(keys, (*row, at), item) for at, item in reversed(items)]
        elif isinstance(value, str) and " " in value:
            yield ObservedFact(tool=seen.tool, keys=keys, value=value, row=row)
            yield from _in_prose(value, seen.tool, keys, row)
        elif value is not None and not isinstance(value, dict | list):
            yield ObservedFact(tool=seen.tool, keys=keys, value=value, row=row)


def _in_prose(text: str, tool: str, keys: tuple[str, ...], row: tuple[int, ...]) -> Iterator[ObservedFact]:
    """A bare number is all that some tools say; of a text only what names a thing can be told apart."""
    try:
        yield ObservedFact(tool=tool, keys=keys, value=float(text) if "." in text else int(text), row=row)
    except ValueError:
        if not keys and " " in text:
            yield ObservedFact(tool=tool, keys=keys, value=text[:_MAX_PROSE], row=row)
        for match in (*_IDENTIFIER.finditer(text[:_MAX_PROSE]), *_DAY.finditer(text[:_MAX_PROSE])):
            if _DAY.fullmatch(match.group()) or not _DAY.match(match.group()):
                yield ObservedFact(tool=tool, keys=keys, value=match.group(), row=row)


def _alike(named: frozenset[str], parameter: ParameterHints) -> bool:
    """Whether a key means what the parameter does: `total` for `amount`, `owner` for a person, `office` for a place."""
    if parameter.kind == "name" and parameter.nouns & _HOLDERS:
        return bool(named & _HOLDERS)
    if parameter.kind in ("place", "source place", "target place"):
        return bool(named & _PLACES)
    return any((lexicon().english(key) or {}).get(noun, 0.0) >= SYNONYM for key in named for noun in parameter.nouns)


def _fits(value: Json, parameter: ParameterHints) -> bool:
    """Whether it is of the type, and where there are examples, in their shape."""
    match parameter.schema.get("type"):
        case "string" if isinstance(value, str):
            found = (shape(match.group()) for match in _IDENTIFIER.finditer(value))
            return 0 < len(value) <= _MAX_VALUE and (not any(parameter.shapes) or any(map(parameter.is_shaped, found)))
        case "integer":
            return isinstance(value, int)
        case "number":
            return isinstance(value, int | float)
        case _:
            return False


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
