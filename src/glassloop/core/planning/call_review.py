"""Review of a small model's call: no id, name, year, number or day from nowhere, no id of another thing, no call twice.

Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Final, NamedTuple, cast

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.planning.told_figures import AMOUNT, MAX_SPOKEN, is_amount_said, said_by_people, texts_told
from glassloop.core.protocols.parameter_descriptions import (
    description_of,
    example_in,
    parts_of,
    takes_identifier,
    takes_name,
)
from glassloop.core.records import Json, ToolCall

_DAY: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?:[T ].{0,40})?")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_YEARS_AWAY: Final = re.compile(
    r"\byears? (?:ago|before|earlier|later|from now)\b|\bvor \w{1,20} Jahr|年[前后]", re.IGNORECASE
)
IDENTIFIER: Final = re.compile(r"(?<![\w.-])[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12}){0,3}[-_#]?\d[\w-]{0,40}", re.ASCII)
_REFERENCE: Final = re.compile(
    r"(?<![\w./-])[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12}){0,3}[-_#]?\d(?:[\w-]|/(?=\w)){0,40}", re.ASCII
)
"""Also with parts behind a slash: `D901/4`."""
_CODE: Final = re.compile(r"[A-Z]{2,12}(?:[-_/][A-Z]{1,12}){0,3}", re.ASCII)
_RUN: Final = re.compile(r"[A-Za-z]+|\d+", re.ASCII)
_JOINS: Final = re.compile(r"[-_#]+")
_ID_WORDS: Final = frozenset({"id", "ids", "no", "nr", "code", "sku", "ref", "reference", "编号"})
_NAME_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\dA-Za-z_]+")
_ODD: Final = re.compile(r"[\W_]+")
_MAX_ID: Final = 80
_MAX_TOLD: Final = 120
_MAX_TAKERS: Final = 2
_PLAIN: Final = "a9"
_PLACE: Final = re.compile(r"[A-Za-z]\d{1,4}", re.ASCII)
"""A letter and a number, where the letter may be a row: `N12` and `C20`."""
_NUMBERED: Final = re.compile(r"(?<![^\W_])([A-Za-z])-?(\d{1,9})(?!\w)", re.ASCII)
_FIELD: Final = re.compile(r"(?<![^\W_])(\w{1,40})[\"']?[:=] ?[\"']?([\w./-]{1,80})")
_LETTERS: Final = re.compile(r"[A-Za-z]+", re.ASCII)
_TAKES_WORDS: Final = re.compile(r"\b(?:titles?|words?|texts?|parts? of)\b", re.IGNORECASE)
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_PROPER: Final = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{2,40}")
_MAX_NAME_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]{4,40}")
_ALIKE: Final = 0.85
_MIN_COUNTED: Final = 3
_MONTH: Final = re.compile(
    r"\b(?:(?i:jan(?:uary|uar)?|feb(?:ruary|ruar)?|apr(?:il)?|ju[nl][eyi]|aug(?:ust)?|sep(?:t(?:ember)?)?|o[ck]t(?:ober)?"
    r"|nov(?:ember)?|de[cz](?:ember)?)|Ma(?:y|rch|i)|März)\b|[一二三四五六七八九十]月"
)
"""In small letters, "may" and "march" are words of their own."""
_SOME_DAY: Final = date(2026, 1, 1)
_RUN_OF_DIGITS: Final = re.compile(r"\d{2,12}")
_NOBODY_GAVE: Final = "Nobody gave {!r} as `{}`. Find it with a tool, or ask the user for it."


class Problem(NamedTuple):
    """Why a call does not stand: what is told back, the reason in a word, and the parameter."""

    text: str
    reason: str
    parameter: str


def problem_of(
    call: ToolCall, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str = ""
) -> Problem | None:
    """The first thing in a call that nobody gave; None where everything has a source."""
    invented = _invented_id(call, question, messages, tools, prompt) or _invented_name(
        call, question, messages, tools, prompt
    )
    if invented is not None:
        name, value = invented
        return Problem(_NOBODY_GAVE.format(value, name), "id", name)
    if (foreign := _foreign_id(call, messages, tools)) is not None:
        name, value, about = foreign
        takers = _takers_of(value, tools, messages)
        text = f"{value!r} is no `{name}` ({takers or about}). Find it with a tool, or ask the user for it."
        return Problem(text, "id", name)
    if (strange := _strange_year(call, question, messages, prompt)) is not None:
        name, value, year = strange
        text = f"Nobody spoke of the year of {value!r}. It is {year}: {year + value[4:]!r}."
        return Problem(text, "figure", name)
    if (unsaid := _unsaid_amount(call, question, messages, tools, prompt)) is not None:
        return Problem(_NOBODY_GAVE.format(unsaid[1], unsaid[0]), "figure", unsaid[0])
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
        if about is None or not takes_name(f"{_words(name)} {about}"):
            continue
        words = _PROPER.findall(str(value))
        if not words or len(str(value).split()) > _MAX_NAME_WORDS:
            continue
        if known is None:
            known = "\n".join((*texts_told(question, messages), prompt)).casefold()
        if any(word not in about and not _is_told(word.casefold(), known) for word in words):
            return name, value
    return None


def _is_told(word: str, known: str) -> bool:
    """Whether it stands in a text, also mistyped."""
    return word in known or bool(get_close_matches(word, set(_WORD.findall(known[-MAX_SPOKEN:])), 1, _ALIKE))


def _invented_id(
    call: ToolCall, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str
) -> tuple[str, Json] | None:
    """The first parameter for an id with one that stands nowhere, and that value; also for a day or an id that only
    stands as an example in the parameter's description."""
    spec, known, told = tools.get(call.tool), "", ""
    for name, value in call.args.items():
        about = (_description(spec, name) or "") if spec is not None else ""
        shown = example_in(about)
        is_sole = len(set(_REFERENCE.findall(about))) <= 1
        for each in cast("list[Json]", value) if isinstance(value, list) else (value,):
            is_shown = is_sole and each == shown and any(map(str.isdigit, shown))
            text = shown if is_shown else _id_text(each) if _takes_id(name) else None
            if text is None or (_DAY.fullmatch(text) is not None and _is_day_said(said_by_people(question, messages))):
                continue
            if not known:
                known = "\n".join((*texts_told(question, messages), prompt)).casefold()
                heard = [message for message in messages if not _is_context(message)]
                told = "\n".join(texts_told(question, heard)).casefold()
            if not stands_in(text, known, told):
                return name, text
    return None


def _foreign_id(
    call: ToolCall, messages: Sequence[Message], tools: Mapping[str, ToolSpec]
) -> tuple[str, str, str] | None:
    """The first parameter with a value of another form than its description shows, that value, and the description:
    a name where an id is shown, the id of what another parameter takes, or such an id where a name is wanted. What a
    tool told under the parameter's own name fits it."""
    spec = tools.get(call.tool)
    if spec is None:
        return None
    kinds: dict[str | tuple[str, str], set[str]] | None = None
    for name, value in call.args.items():
        about = _description(spec, name) if isinstance(value, str) and len(value) <= _MAX_ID else None
        if about is None or str(value).casefold() in about.casefold() or _is_named_so(name, str(value), messages):
            continue
        said = f"{_words(name)} {about}"
        takes_words = takes_name(said) or _TAKES_WORDS.search(said) is not None
        shown = set(map(_form, _REFERENCE.findall(about)))
        told = about[:_MAX_TOLD].rstrip(". ")
        if _REFERENCE.fullmatch(str(value)) is None:
            is_word = not any(map(str.isdigit, str(value))) and _CODE.fullmatch(str(value)) is None
            if shown and not takes_words and _takes_id(name) and is_word:
                return name, str(value), told
            continue
        if kinds is None:
            kinds = _kinds_of_ids(tools)
        form, shapes = _form(str(value)), {shape for _, shape in shown}
        if _PLACE.fullmatch(str(value)) and any(map(_PLACE.fullmatch, _REFERENCE.findall(about))):
            continue
        is_other = form[0] not in {prefix for prefix, _ in shown} and _of_others(kinds.get(form), name)
        if not is_other and not (shapes and form[1] not in shapes and _of_others(kinds.get(form[1]), name)):
            continue
        if (shown and not takes_words) or (takes_words and not shown and not takes_identifier(about)):
            return name, str(value), told
    return None


def _is_named_so(name: str, value: str, messages: Sequence[Message]) -> bool:
    """Whether a result has the value in a field of this name: `"berth": "N12"`, `berth: N12`. The `id` of one thing is
    none of another."""
    wanted = (name.casefold(), value.casefold())
    if wanted[0] in _ID_WORDS:
        return False
    texts = (each.content.casefold() for each in messages if isinstance(each, ToolMessage))
    return any(match.groups() == wanted for text in texts if wanted[1] in text for match in _FIELD.finditer(text))


def _of_others(takers: set[str] | None, name: str) -> bool:
    return bool(takers) and name not in takers


def _description(spec: ToolSpec, name: str) -> str | None:
    """What a parameter's schema says of it; None where it lists its values, or says nothing."""
    schema = _properties(spec).get(name)
    listed = any("enum" in part or "const" in part for part in parts_of(schema))
    return None if listed else description_of(schema) or None


def _properties(spec: ToolSpec) -> dict[str, Json]:
    found = spec.parameters.get("properties")
    return cast("dict[str, Json]", found) if isinstance(found, dict) else {}


def _form(identifier: str) -> tuple[str, str]:
    """The letters it begins with; its runs of letters and of figures, and its slashes: `d` and `a9/9` of `D901/4`."""
    letters = _LETTERS.match(identifier)
    shape = _RUN.sub(lambda run: "9" if run.group().isdigit() else "a", identifier)
    return letters.group().casefold() if letters is not None else "", _JOINS.sub("", shape)


def _kinds_of_ids(tools: Mapping[str, ToolSpec]) -> dict[str | tuple[str, str], set[str]]:
    """The forms and the shapes of ids that descriptions show, with the names of the parameters that take them."""
    kinds: dict[str | tuple[str, str], set[str]] = {}
    for _, name, form in _shown_forms(tools.values()):
        kinds.setdefault(form, set()).add(name)
        kinds.setdefault(form[1], set()).add(name)
    return kinds


def _shown_forms(specs: Iterable[ToolSpec]) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """A tool, a parameter of it, and the form of an id that its description shows."""
    for spec in specs:
        for name in _properties(spec):
            for shown in _REFERENCE.findall(_description(spec, name) or ""):
                yield spec.name, name, _form(shown)


def _takers_of(identifier: str, tools: Mapping[str, ToolSpec], messages: Sequence[Message]) -> str:
    """The reading tools that take such an id, as they are told. Empty where there is none, or where one has been asked
    for it."""
    asked = {
        call.tool
        for each in messages
        if isinstance(each, AssistantMessage)
        for call in each.calls
        if identifier in call.args.values()
    }
    form = _form(identifier)
    shown = list(_shown_forms(spec for spec in tools.values() if spec.effect == "read"))
    found = {tool: name for tool, name, each in shown if each == form}
    if not found and len(form[1]) > len(_PLAIN):
        # Letters and a number look alike in many ids.
        found = {tool: name for tool, name, each in shown if each[1] == form[1]}
    told = [f"{tool} takes it as `{name}`" for tool, name in found.items()]
    return ", ".join(told[:_MAX_TAKERS]) if asked.isdisjoint(found) else ""


def _strange_year(
    call: ToolCall, question: str, messages: Sequence[Message], prompt: str
) -> tuple[str, str, str] | None:
    """The first parameter with a day of a year that nobody spoke of, that day, and the year it is."""
    days = {name: value for name, value in call.args.items() if isinstance(value, str) and _DAY.fullmatch(value)}
    notes = (
        [each.content for each in messages if isinstance(each, UserMessage) and each.note == "context"] if days else []
    )
    this = _YEAR.search(notes[-1]) if notes else None
    if this is None or _YEARS_AWAY.search(question):
        return None
    told = {int(year.group()) for text in (*texts_told(question, messages), prompt) for year in _YEAR.finditer(text)}
    for name, day in days.items():
        # The year after is tomorrow's at the end of one, and last year's report is asked for at its beginning.
        if all(abs(int(day[:4]) - year) > 1 for year in told) and not _says_short_year(day, question):
            return name, day, this.group()
    return None


def _says_short_year(day: str, question: str) -> bool:
    """The 22 of "14 feb 22"; the 19 of "19 May" is a day."""
    year, before = day[2:4], r"['’/]" if day[8:10] == day[2:4] else r"(?<!\d)"
    return re.search(rf"{before}{year}(?!\d)", question) is not None


def _unsaid_amount(
    call: ToolCall, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str
) -> tuple[str, Json] | None:
    """The first parameter of a tool that changes something with a number or a day that nobody said and that follows
    from nothing people said, and that value."""
    spec = tools.get(call.tool)
    if spec is None or spec.effect != "write":
        return None
    heard = [each for each in messages if not _is_context(each)]
    said = said_by_people(question, messages)
    told: str | None = None
    for name, value in call.args.items():
        shape = _properties(spec).get(name)
        default = cast("dict[str, Json]", shape).get("default") if isinstance(shape, dict) else None
        is_day = isinstance(value, str) and _DAY.fullmatch(value) is not None
        if value == default or isinstance(value, bool) or not (is_day or isinstance(value, int | float)):
            continue
        if told is None:
            told = "\n".join((*texts_told(question, heard), prompt))
        if isinstance(value, int | float):
            is_said = is_amount_said(abs(float(value)), said, told) or _is_place(name, value, told)
            if not is_said and not _is_counted(value, call, heard):
                return name, value
        elif str(value) not in told and not _is_day_said(said):
            return name, value
    return None


def _is_place(name: str, value: float, told: str) -> bool:
    """`L10` tells the `line` 10; `B12` does not tell how many `bunks`."""
    letter, is_many = name[:1].casefold(), name.endswith("s")
    places = _NUMBERED.finditer("" if is_many else told)
    return any(match[1].casefold() == letter and int(match[2]) == value for match in places)


def _is_counted(value: float, call: ToolCall, messages: Sequence[Message]) -> bool:
    """Whether another text of the call stands so often in something observed: `count` beside what is to be replaced."""
    texts = [each for each in call.args.values() if isinstance(each, str) and len(each) >= _MIN_COUNTED]
    observed = [message.content for message in messages if isinstance(message, ToolMessage)]
    return any(content.count(text) == value for content in observed for text in texts)


def _is_day_said(said: Sequence[str]) -> bool:
    """Whether people spoke of any day or month: which one they meant is not judged here."""
    from glassloop.core.evidence.computed.relative_days import days_meant

    return any(
        AMOUNT.search(text) or _MONTH.search(text) or next(days_meant(text, _SOME_DAY), None) is not None
        for text in said
    )


def _is_context(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.note == "context"


def _words(name: str) -> str:
    """The name of a parameter as words: `customerName`, `customer_name`."""
    return " ".join(_NAME_PART.findall(name)) or name


def _takes_id(name: str) -> bool:
    parts = [part.casefold() for part in _NAME_PART.findall(name)]
    return bool(parts) and (parts[-1] in _ID_WORDS or (len(parts) > 1 and parts[-1] in ("number", "numbers")))


def _id_text(value: Json) -> str | None:
    """The value as an id with figures in it; words, codes of languages and days are none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or len(value) > _MAX_ID or not any(map(str.isdigit, value)):
        return None
    return None if _DAY.fullmatch(value) else value


def stands_in(text: str, known: str, told: str = "") -> bool:
    """Also with other signs between its parts; `ORD-4711` is given by "order 4711", where somebody said or observed
    that: 14 days of a prompt, or the time of the day, give no `S-14`."""
    wanted = text.casefold()
    if wanted.isdigit():
        return re.search(rf"(?<!\d){wanted}(?!\d)", known) is not None
    if wanted in known or _ODD.sub("", wanted) in _ODD.sub("", known):
        return True
    runs = _RUN_OF_DIGITS.findall(wanted)
    # The figures of another id are not those of this one.
    return bool(runs) and all(re.search(rf"(?<![\d_-])(?<![a-z]){run}(?!\d)", told or known) for run in runs)


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
