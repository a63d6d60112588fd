"""Missing arguments found in what a tool returned: under the parameter's own name, or in the shape of its examples.

Refuses to guess: a value under another name, of no known shape, is not used.
"""

import re
from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from glassloop.core.messages import ToolMessage
from glassloop.core.records import Json
from glassloop.core.text_terms import stem, word_set
from glassloop.extensions.embedded.language.lexicon.lexicon import SYNONYM, lexicon
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words

MAX_VALUES = 500
MAX_READ = 200_000
_MAX_SCANNED = 20_000
_MAX_VALUE = 200
_MAX_DEPTH = 6
_MAX_ITEMS = 100
_IDENTIFIER = re.compile(r"(?<![\w-])([A-Za-z]{1,8}(?:[-_][A-Za-z]{1,8}){0,2}[-_]?)\d[\w-]{0,40}", re.ASCII)
_PEOPLE = frozenset(
    map(
        stem,
        word_set("employee person colleague owner assignee manager contact responsible lead author recipient driver"),
    )
)
_PLACES = frozenset(map(stem, word_set("city town location place office site destination address station")))
_OWN = frozenset({"id", "number", "no", "code", "name", "key", "nr"})


def observed(observations: Sequence[ToolMessage], parameter: ParameterHints, *, only: bool = False) -> Json:
    """The first value that fits, of the latest observation that has one; with `only`, where there is but one."""
    for seen in reversed(observations):
        if not seen.is_error:
            named = list(_by_name(seen, parameter))
            values = (
                named or list(_by_meaning(seen, parameter)) or list(_by_shape(seen.content[:_MAX_SCANNED], parameter))
            )
            if values:
                return values[0] if not only or all(value == values[0] for value in values) else None
    return None


def _by_name(seen: ToolMessage, parameter: ParameterHints) -> Iterator[Json]:
    wanted = parameter.nouns - {stem(word) for word in _OWN}
    own = {stem(word) for word in _OWN}
    for path, value in _values(seen.content):
        named = {stem(word) for word in name_words(path[-1])}
        above = {stem(word) for part in path[-3:-1] for word in name_words(part)}
        same = path[-1] == parameter.name or bool(wanted and wanted <= named)
        if not same and named <= own:
            same = bool(wanted and wanted <= above)
        if same and fits(value, parameter):
            yield value


def _by_meaning(seen: ToolMessage, parameter: ParameterHints) -> Iterator[Json]:
    own = {stem(word) for word in _OWN}
    for path, value in _values(seen.content):
        if alike({stem(word) for word in name_words(path[-1])} - own, parameter) and fits(value, parameter):
            yield value


def alike(named: set[str], parameter: ParameterHints) -> bool:
    """Whether a key means what the parameter does: `total` for `amount`, `owner` for a person, `office` for a place."""
    if parameter.kind == "name" and parameter.nouns & _PEOPLE:
        return bool(named & _PEOPLE)
    if parameter.kind in ("place", "source place", "target place"):
        return bool(named & _PLACES)
    return any((lexicon().english(key) or {}).get(noun, 0.0) >= SYNONYM for key in named for noun in parameter.nouns)


def _by_shape(text: str, parameter: ParameterHints) -> Iterator[str]:
    return (match.group() for match in _IDENTIFIER.finditer(text) if parameter.is_shaped(match[1].upper()))


def fits(value: Json, parameter: ParameterHints) -> bool:
    match parameter.schema.get("type"):
        case "string":
            shaped = not any(parameter.shapes) or (isinstance(value, str) and any(_by_shape(value, parameter)))
            return isinstance(value, str) and 0 < len(value) <= _MAX_VALUE and shaped
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return False


def _values(content: str) -> Iterator[tuple[tuple[str, ...], Json]]:
    """The scalars of a JSON text with the keys that lead to them, in their order; bounded."""
    text = content.strip()
    if text[:1] not in ("{", "[") or len(text) > MAX_READ:
        return
    try:
        root = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return
    waiting: list[tuple[tuple[str, ...], Json]] = [(("",), root)]
    for _ in range(MAX_VALUES):
        if not waiting:
            return
        path, value = waiting.pop()
        if isinstance(value, dict) and len(path) <= _MAX_DEPTH:
            items = list(cast("dict[str, Json]", value).items())[:_MAX_ITEMS]
            waiting += [((*path, key), item) for key, item in reversed(items)]
        elif isinstance(value, list) and len(path) <= _MAX_DEPTH:
            waiting += [(path, item) for item in reversed(cast("list[Json]", value)[:_MAX_ITEMS])]
        elif not isinstance(value, dict | list):
            yield path, value
