"""A tool as a question is compared with it: the words of its name and description, its parameters by what fills them.

Read from the schema alone. Words of a description count by their place: what a tool is about stands first, what it
tells besides comes after a colon or a comma.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.text_terms import CJK, has_cjk, word_set
from glassloop.extensions.reflex.question import PhraseIndex
from glassloop.extensions.reflex.words import GENERIC, HARD, NEUTRAL, OWN, PAST, PERIODS, norm

ParameterKind = Literal["choice", "flag", "number", "date", "time", "array", "text"]
Role = Literal["source", "target", ""]

QUERY_NAMES: Final = word_set("query q question search keyword keywords term terms phrase words")
SHAPES: Final = word_set("group_by by sort sort_by order_by trend compare order")
"""Parameters that shape an answer: they are only set where the question says `by` or `per` before their value."""
_SHAPELESS: Final = frozenset(("", "any", "all", "none", None))
_SOURCE, _TARGET = word_set("from source origin start first"), word_set("to target destination end second last")
_MAX_ALIASES: Final = 200
_MAX_EXAMPLES: Final = 600

_WEAK: Final = GENERIC | NEUTRAL | HARD
_WORD = re.compile(rf"(?:(?![{CJK}])[^\W\d_])+(?:[-'](?:(?![{CJK}])[^\W\d_])+)*|[A-Z]\d")
_CHINESE = re.compile(rf"[{CJK}]{{1,20}}")
_ROUND = re.compile(r"\(([^()]{0,400})\)")
_COMMA = re.compile(r"[,，、;；]")
_HEAD_END = re.compile(r"[:,;.]|\s(?:to|of|in|for|from|with|by|at|on|that|which|between|and what|how)\s")
_CLAUSE_END = re.compile(r"[:,;]|\.\s|\.$")
_SAYING = re.compile(r"[\"“]([^\"“”]{2,80})[\"”]")
_FLAG = re.compile(r"\b(true|false) for (\w{1,40})")
_PREFIX = re.compile(r"(?<![\w-])([A-Za-z]{1,12}(?:-[A-Za-z]{1,12})?)-\d")
_ALTERNATIVES = re.compile(
    r"(?::|such as) ((?:[A-Z][a-z]+|[A-Z]{2,6})(?: [a-z]+)?(?:(?:,| or| and) (?:[A-Z][\w ]{1,20})){1,12})"
)
_DATED = re.compile(r"YYYY-MM-DD|\d{4}-\d{2}-\d{2}|\bdate\b", re.IGNORECASE)
_TIMED = re.compile(r"HH:MM", re.IGNORECASE)


class MatchedParameter(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One parameter. `phrases` are what says one of its values, `prefixes` what identifiers for it begin with."""

    name: str
    kind: ParameterKind
    required: bool
    words: frozenset[str]
    phrases: tuple[tuple[str, Json], ...] = ()
    prefixes: frozenset[str] = frozenset()
    role: Role = ""
    named: bool = True
    """Whether it takes names, and not identifiers alone."""
    coded: bool = False
    """Whether it takes codes of letters and digits."""
    values: tuple[Json, ...] = ()
    closed: bool = False
    """Whether the names that it may be given are known: another one is for something else."""
    whole: bool = False
    """Only whole numbers."""
    located: bool = False
    """Whether it says where: what is named after `in` is for it."""

    @cached_property
    def index(self) -> PhraseIndex:
        return PhraseIndex([phrase for phrase, _ in self.phrases])

    @property
    def shapes(self) -> bool:
        return self.name in SHAPES

    @property
    def searches(self) -> bool:
        return self.name in QUERY_NAMES


class ToolWords(msgspec.Struct, frozen=True, kw_only=True):
    """`subject` is what the tool is about, `clause` the rest of the first clause, `listing` what follows."""

    name: str
    effect: str = "read"
    subject: frozenset[str] = frozenset()
    clause: frozenset[str] = frozenset()
    listing: frozenset[str] = frozenset()
    subject_chinese: tuple[str, ...] = ()
    listing_chinese: tuple[str, ...] = ()
    description: str = ""
    parameters: tuple[MatchedParameter, ...] = ()
    sayings: tuple[str, ...] = ()
    """What its description says in quotes: ways to ask for it."""
    is_past: bool = False
    """Whether it is about what is over."""

    @property
    def required(self) -> tuple[MatchedParameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.required)

    @property
    def has_days(self) -> bool:
        """Whether days can be chosen."""
        return any(p.kind == "date" or p.name == "period" for p in self.parameters)

    @property
    def is_own(self) -> bool:
        """Whether it is about what is whoever's who asks, and nobody else's."""
        takes_names = any(p.kind == "text" and p.named and not p.closed for p in self.parameters)
        return not takes_names and not OWN.isdisjoint(self.name.split("_"))

    @property
    def is_search(self) -> bool:
        return self.name.split("_")[0] in ("search", "find", "lookup", "look") or self.description.startswith("search ")


def read_tool(spec: ToolSpec) -> ToolWords:
    """The words of a tool, read once for each description."""
    spec = spec.matched
    return _read(spec.name, spec.description, spec.effect, msgspec.json.encode(spec.parameters))


@lru_cache(maxsize=512)
def _read(name: str, description: str, effect: str, schema: bytes) -> ToolWords:
    sayings = _SAYING.findall(description)
    description = _SAYING.sub(" ", description)
    plain = _ROUND.sub(" ", description)
    head = _HEAD_END.split(plain, maxsplit=1)[0]
    end = _CLAUSE_END.search(plain)
    clause, listing = (plain[: end.start()], plain[end.end() :]) if end else (plain, "")
    cut = _CLAUSE_END.search(description)
    # Up to the end of the first parenthesis, which says the subject in other words.
    whole = description[: description.find(")") + 1] or description
    first = description[: cut.start()] if cut and "(" not in description[: cut.start()] else whole
    # Whose things a tool is about, where its name says so, as in `resolve_my_fights`.
    subject = _stems(f"{name.replace('_', ' ')} {head}") | (OWN & set(name.split("_")))
    return ToolWords(
        name=name,
        effect=effect,
        subject=subject,
        clause=_stems(clause) - subject - PAST,
        listing=_stems(listing) - subject,
        subject_chinese=tuple(_CHINESE.findall(first)),
        listing_chinese=tuple(_CHINESE.findall(description[len(first) :])),
        description=description.lower(),
        parameters=tuple(_parameters(msgspec.json.decode(schema))),
        sayings=tuple(sorted(sayings, key=len, reverse=True)),
        is_past=not PAST.isdisjoint(clause.lower().split()),
    )


def _stems(text: str) -> frozenset[str]:
    return frozenset(norm(word) for word in _WORD.findall(text) if word.lower() not in _WEAK)


def _parameters(schema: Any) -> Iterator[MatchedParameter]:
    whole = _table(schema)
    needed = _list(whole.get("required"))
    for name, value in _table(whole.get("properties")).items():
        yield _parameter(name, _table(value), name in needed)


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _parameter(name: str, schema: dict[str, Any], required: bool) -> MatchedParameter:
    options = [schema, *map(_table, _list(schema.get("anyOf")))]
    choices: list[Json] = next((found for one in options if (found := _list(one.get("enum")))), list[Json]())
    types = (one.get("type") for one in options)
    type_ = next((one for one in types if isinstance(one, str) and one != "null"), "string")
    about = str(schema.get("description", ""))
    title = str(schema.get("title", ""))
    words = frozenset(norm(part) for part in (*name.split("_"), *title.split())) - GENERIC
    kind = _kind(name, type_, choices, about, schema.get("format"))
    coded = kind == "text" and ("code" in name.split("_") or about.startswith("The code "))
    return MatchedParameter(
        name=name,
        kind=kind,
        required=required,
        words=words,
        phrases=tuple(_phrases(name, kind, choices, about, schema.get("examples"))),
        prefixes=frozenset(match.lower() for match in _PREFIX.findall(about)),
        role=_role(name),
        named=not coded and (_PREFIX.search(about) is None or "name" in about.lower()),
        coded=coded,
        closed=any(str(one)[:1].isupper() or "_" in str(one) for one in _list(schema.get("examples"))),
        values=tuple(choices),
        whole=type_ == "integer",
        located=kind == "text" and about.startswith("Where"),
    )


def _kind(name: str, type_: str, choices: Sequence[Json], about: str, form: Json) -> ParameterKind:
    if choices:
        return "choice"
    if type_ == "boolean":
        return "flag"
    if type_ in ("number", "integer"):
        return "number"
    if type_ in ("array", "object"):
        return "array"
    if form == "time" or _TIMED.search(about):
        return "time"
    if form in ("date", "date-time") or _DATED.search(about) or not {"date", "day"}.isdisjoint(name.split("_")):
        return "date"
    return "text"


def _role(name: str) -> Role:
    parts = set(name.split("_"))
    return "source" if parts & _SOURCE else "target" if parts & _TARGET else ""


def _phrases(
    name: str, kind: ParameterKind, choices: Sequence[Json], about: str, examples: Json
) -> Iterator[tuple[str, Json]]:
    if kind == "flag":
        yield from ((said, value == "true") for value, said in _FLAG.findall(about))
        yield name.replace("_", " "), True
        for inside in _ROUND.findall(about):
            yield from ((alias.strip(), True) for alias in _COMMA.split(inside) if alias.strip())
    for choice in (*choices, *_list(examples)[:_MAX_EXAMPLES]):
        if choice in _SHAPELESS or not isinstance(choice, str):
            continue
        yield choice.replace("_", " "), choice
        yield from ((alias, choice) for alias in PERIODS.get(choice, ()))
        said = re.search(rf"(?<!\w){re.escape(choice)} \(([^()]{{1,400}})\)", about) if f"{choice} (" in about else None
        aliases = _COMMA.split(said[1])[:_MAX_ALIASES] if said else ()
        yield from ((alias.strip(), choice) for alias in aliases if alias.strip())
    if kind == "text":
        for said in _ALTERNATIVES.findall(about):
            yield from ((one, one) for one in re.split(r", | or | and ", said) if one and not has_cjk(one))
