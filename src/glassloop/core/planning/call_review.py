"""Review of a small model's call: no id, name or year from nowhere, no id of another thing, no call twice. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.protocols.parameter_descriptions import takes_name
from glassloop.core.records import Json, ToolCall

DAY: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?:[T ].{0,40})?")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_YEARS_AWAY: Final = re.compile(
    r"\byears? (?:ago|before|earlier|later|from now)\b|\bvor \w{1,20} Jahr|年[前后]", re.IGNORECASE
)
IDENTIFIER: Final = re.compile(r"(?<![\w.-])[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12}){0,3}[-_#]?\d[\w-]{0,40}", re.ASCII)
_ID_WORDS: Final = frozenset({"id", "ids", "no", "nr", "code", "sku", "ref", "reference", "编号"})
_NAME_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\dA-Za-z_]+")
_ODD: Final = re.compile(r"[\W_]+")
_MAX_ID: Final = 80
_MAX_TOLD: Final = 120
_LETTERS: Final = re.compile(r"[A-Za-z]+", re.ASCII)
_TAKES_WORDS: Final = re.compile(r"\b(?:titles?|words?|texts?|parts? of)\b", re.IGNORECASE)
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_PROPER: Final = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{2,40}")
_MAX_NAME_WORDS: Final = 5
_RUN_OF_DIGITS: Final = re.compile(r"\d{2,12}")


class Problem(NamedTuple):
    """Why a call does not stand: what is told back, the reason in a word, and the parameter."""

    text: str
    reason: str
    parameter: str


def problem_of(
    call: ToolCall, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str = ""
) -> Problem | None:
    """The first thing in a call that nobody gave; None where everything has a source."""
    invented = _invented_id(call, question, messages) or _invented_name(call, question, messages, tools, prompt)
    if invented is not None:
        name, value = invented
        return Problem(f"Nobody gave {value!r} as `{name}`. Find it with a tool, or ask the user for it.", "id", name)
    if (foreign := _foreign_id(call, tools)) is not None:
        name, value, about = foreign
        text = f"{value!r} is no `{name}` ({about}). Find it with a tool, or ask the user for it."
        return Problem(text, "id", name)
    if (strange := _strange_year(call, question, messages)) is not None:
        name, value, year = strange
        text = f"Nobody spoke of the year of {value!r}. It is {year}: {year + value[4:]!r}."
        return Problem(text, "figure", name)
    return None


def _invented_name(
    call: ToolCall, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str
) -> tuple[str, Json] | None:
    """The first parameter for a name with one that stands nowhere, and that value. What a tool writes may be worded by
    the model, and a Chinese question may write a name in another way."""
    spec = tools.get(call.tool)
    if spec is None or spec.effect != "read" or _CHINESE.search(question):
        return None
    known: str | None = None
    for name, value in call.args.items():
        about = _description(spec, name) if isinstance(value, str) and len(value) <= _MAX_ID else None
        if about is None or not takes_name(f"{name.replace('_', ' ')} {about}"):
            continue
        words = _PROPER.findall(str(value))
        if not words or len(str(value).split()) > _MAX_NAME_WORDS:
            continue
        if known is None:
            known = "\n".join((*texts_told(question, messages), prompt)).casefold()
        if any(word.casefold() not in known and word not in about for word in words):
            return name, value
    return None


def texts_told(question: str, messages: Sequence[Message]) -> Iterator[str]:
    """Everything said and observed; what the runtime complained of is nobody's word."""
    yield question
    for message in messages:
        match message:
            case UserMessage(note="complaint"):
                continue
            case AssistantMessage(text=text, calls=()):
                yield text
            case AssistantMessage():
                continue
            case UserMessage(content=content) | ToolMessage(content=content):
                yield content


def _invented_id(call: ToolCall, question: str, messages: Sequence[Message]) -> tuple[str, Json] | None:
    """The first parameter for an id with one that stands nowhere, and that value."""
    known: str | None = None
    for name, value in call.args.items():
        if not _takes_id(name):
            continue
        for each in cast("list[Json]", value) if isinstance(value, list) else (value,):
            text = _id_text(each)
            if text is None:
                continue
            if known is None:
                known = "\n".join(texts_told(question, messages)).casefold()
            if not stands_in(text, known):
                return name, text
    return None


def _foreign_id(call: ToolCall, tools: Mapping[str, ToolSpec]) -> tuple[str, str, str] | None:
    """The first parameter with a value of another form than its description shows, that value, and the description:
    a name where an id is shown, the id of what another parameter takes, or such an id where a name is wanted."""
    spec = tools.get(call.tool)
    if spec is None:
        return None
    kinds: dict[str, set[str]] | None = None
    for name, value in call.args.items():
        about = _description(spec, name) if isinstance(value, str) and len(value) <= _MAX_ID else None
        if about is None or str(value).casefold() in about.casefold():
            continue
        said = f"{name.replace('_', ' ')} {about}"
        takes_words = takes_name(said) or _TAKES_WORDS.search(said) is not None
        shown = set(_prefixes(about))
        is_id = IDENTIFIER.fullmatch(str(value))
        told = about[:_MAX_TOLD].rstrip(". ")
        if is_id is None:
            if shown and not takes_words and _takes_id(name) and not any(map(str.isdigit, str(value))):
                return name, str(value), told
            continue
        if kinds is None:
            kinds = _kinds_of_ids(tools)
        prefix = next(_prefixes(str(value)), "")
        if prefix in shown or not kinds.get(prefix, set[str]()) - {name}:
            continue
        if (shown and not takes_words) or (takes_words and not shown):
            return name, str(value), told
    return None


def _description(spec: ToolSpec, name: str) -> str | None:
    """What a parameter's schema says of it; None where it lists its values, or says nothing."""
    shape = _properties(spec).get(name)
    if not isinstance(shape, dict):
        return None
    whole = cast("dict[str, Json]", shape)
    others = whole.get("anyOf")
    listed = cast("list[Json]", others) if isinstance(others, list) else []
    parts = [whole, *(cast("dict[str, Json]", each) for each in listed if isinstance(each, dict))]
    if any("enum" in part or "const" in part for part in parts):
        return None
    return next((text for part in parts if isinstance(text := part.get("description"), str) and text), None)


def _properties(spec: ToolSpec) -> dict[str, Json]:
    found = spec.parameters.get("properties")
    return cast("dict[str, Json]", found) if isinstance(found, dict) else {}


def _prefixes(text: str) -> Iterator[str]:
    """The letters that the ids in a text begin with."""
    for match in IDENTIFIER.finditer(text):
        if (letters := _LETTERS.match(match.group())) is not None:
            yield letters.group().casefold()


def _kinds_of_ids(tools: Mapping[str, ToolSpec]) -> dict[str, set[str]]:
    """The beginnings of ids that descriptions show, with the names of the parameters that take them."""
    kinds: dict[str, set[str]] = {}
    for spec in tools.values():
        for name in _properties(spec):
            for prefix in _prefixes(_description(spec, name) or ""):
                kinds.setdefault(prefix, set()).add(name)
    return kinds


def _strange_year(call: ToolCall, question: str, messages: Sequence[Message]) -> tuple[str, str, str] | None:
    """The first parameter with a day of a year that nobody spoke of, that day, and the year it is."""
    days = {name: value for name, value in call.args.items() if isinstance(value, str) and DAY.fullmatch(value)}
    notes = (
        [each.content for each in messages if isinstance(each, UserMessage) and each.note == "context"] if days else []
    )
    this = _YEAR.search(notes[-1]) if notes else None
    if this is None or _YEARS_AWAY.search(question):
        return None
    told = {int(match.group()) for text in texts_told(question, messages) for match in _YEAR.finditer(text)}
    for name, day in days.items():
        # The year after is tomorrow's at the end of one, and last year's report is asked for at its beginning.
        if all(abs(int(day[:4]) - year) > 1 for year in told) and not _says_short_year(day, question):
            return name, day, this.group()
    return None


def _says_short_year(day: str, question: str) -> bool:
    """The 22 of "14 feb 22"; the 19 of "19 May" is a day."""
    year, before = day[2:4], r"['’/]" if day[8:10] == day[2:4] else r"(?<!\d)"
    return re.search(rf"{before}{year}(?!\d)", question) is not None


def _takes_id(name: str) -> bool:
    parts = [part.casefold() for part in _NAME_PART.findall(name)]
    return bool(parts) and (parts[-1] in _ID_WORDS or (len(parts) > 1 and parts[-1] in ("number", "numbers")))


def _id_text(value: Json) -> str | None:
    """The value as an id with figures in it; words, codes of languages and days are none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or len(value) > _MAX_ID or not any(map(str.isdigit, value)):
        return None
    return None if DAY.fullmatch(value) else value


def stands_in(text: str, known: str) -> bool:
    """Also with other signs between its parts; `ORD-4711` is given by "order 4711"."""
    wanted = text.casefold()
    if wanted.isdigit():
        return re.search(rf"(?<!\d){wanted}(?!\d)", known) is not None
    if wanted in known or _ODD.sub("", wanted) in _ODD.sub("", known):
        return True
    runs = _RUN_OF_DIGITS.findall(wanted)
    # The figures of another id are not those of this one.
    return bool(runs) and all(re.search(rf"(?<![\d_-])(?<![a-z]){run}(?!\d)", known) for run in runs)


def is_repeated(call: ToolCall, messages: Sequence[Message], tools: Mapping[str, ToolSpec]) -> bool:
    """Whether the same was called for this question, and nothing since then that may have changed what it tells."""
    for message in reversed(messages):
        if isinstance(message, UserMessage) and message.author == "person":
            return False
        for made in message.calls if isinstance(message, AssistantMessage) else ():
            if made.tool == call.tool and made.args == call.args:
                return True
            spec = tools.get(made.tool)
            if spec is None or spec.effect != "read":
                return False
    return False
