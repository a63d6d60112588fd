"""Review of a small model's decision: no figure, no year and no id from nowhere or of another thing, no call twice.

Small models make up what they were not told. What is sent back is told back as a complaint, once. Pure.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import TYPE_CHECKING, Final, cast

from glassloop.core.evidence import QUICK_CHARS, has_figures
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.records import Decision, Json, Refusal, ToolCall

if TYPE_CHECKING:
    from glassloop.core.evidence.source_texts import SourceText

MAX_MESSAGES: Final = 60
_SMALL: Final = 12
"""Whole numbers up to here are too often only counted."""

_MAX_NUMBERS: Final = 40
_MAX_WORKED: Final = 8
_COMMON: Final = frozenset({24.0, 60.0, 100.0, 1000.0})
"""Factors that nobody has to name: hours, minutes, percent, thousands."""
_NUMBER: Final = re.compile(r"(?<![\w.,-])-?\d{1,9}(?:,\d{3}){0,6}(?:\.\d{1,6})?(?![\w-])")
_EQUATION: Final = re.compile(r"(\d[\d.,]{0,20}(?: ?[-+*/×x÷−] ?\d[\d.,]{0,20}){1,8}) ?= ?-?(\d[\d.,]{0,20})")
_AGAINST: Final = re.compile(r"\b(\d[\d,]{0,20}(?:\.\d{1,9})?) against (\d[\d,]{0,20}(?:\.\d{1,9})?)\b")
_OPERATOR: Final = re.compile(r" ?([-+*/×x÷−]) ?")
_WORD: Final = re.compile(r"[^\W\d_]{2,7}|[一二两三四五六七八九十]")
_DIGITS: Final = re.compile(r"\d[\d,]{0,20}(?:\.\d{1,9})?")
_IDENTIFIER: Final = re.compile(r"(?<![\w.-])[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12}){0,3}[-_#]?\d[\w-]{0,40}", re.ASCII)
_DENIAL: Final = re.compile(r"\b(?:no|not|none|nothing|cannot|kein\w{0,3}|nicht)\b|n['’]t\b|[没无不未]", re.IGNORECASE)
_DAY: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?:[T ].{0,40})?")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_YEARS_AWAY: Final = re.compile(
    r"\byears? (?:ago|before|earlier|later|from now)\b|\bvor \w{1,20} Jahr|年[前后]", re.IGNORECASE
)
_ID_WORDS: Final = frozenset({"id", "ids", "no", "nr", "code", "sku", "ref", "reference", "编号"})
_NAME_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\dA-Za-z_]+")
_ODD: Final = re.compile(r"[\W_]+")
_MAX_ID: Final = 80
_MAX_TOLD: Final = 120
_LETTERS: Final = re.compile(r"[A-Za-z]+", re.ASCII)
_NAMES: Final = re.compile(r"\b(?:names?|titles?|words?|texts?|parts? of)\b", re.IGNORECASE)
_RUN_OF_DIGITS: Final = re.compile(r"\d{2,12}")


def review(decision: Decision, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec]) -> Decision:
    """The decision, or a complaint that says why it does not stand (`refused`)."""
    recent = messages[-MAX_MESSAGES:]
    if decision.answer is not None:
        return _reviewed_answer(decision, decision.answer, question, recent, tools)
    for call in decision.calls:
        if (invented := _invented_id(call, question, recent)) is not None:
            name, value = invented
            text = f"Nobody gave {value!r} as `{name}`. Find it with a tool, or ask the user for it."
            return _refused(decision, text, "id", name)
        if (foreign := _foreign_id(call, tools)) is not None:
            name, value, told = foreign
            text = f"{value!r} is no `{name}` ({told}). Find it with a tool, or ask the user for it."
            return _refused(decision, text, "id", name)
        if (strange := _strange_year(call, question, recent)) is not None:
            name, value, year = strange
            text = f"Nobody spoke of the year of {value!r}. It is {year}: {year + value[4:]!r}."
            return _refused(decision, text, "figure", name)
    if len(decision.calls) == 1 and _is_repeated(decision.calls[0], recent, tools):
        return _refused(decision, "That was observed already. Answer from it, or call another tool.", "repeated")
    return decision


def _refused(decision: Decision, complaint: str, reason: str, parameter: str = "") -> Decision:
    refusal = Refusal(reason=reason, parameter=parameter)
    return Decision(thought=decision.thought, complaint=complaint, refused=refusal)


def _reviewed_answer(
    decision: Decision, answer: str, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec]
) -> Decision:
    """Figures count where a tool observed something, or where the question names a thing that one could tell of."""
    observed = any(isinstance(message, ToolMessage) for message in messages)
    if not has_figures(answer) or not (observed or (tools and _IDENTIFIER.search(question))):
        return decision
    figure = invented_figure(answer, question, messages, tools, decision.thought)
    if figure is None:
        return decision
    made = _right_result(decision.thought, figure, "\n".join(_told(question, messages)))
    way = f"{made}: answer with that." if made else "Call the tool that tells it, or answer without it."
    text = f"No observation says {figure!r}. {way}"
    return _refused(decision, text, "figure")


def invented_figure(
    answer: str, question: str, messages: Sequence[Message], known: Collection[str], thought: str = ""
) -> str | None:
    """The first figure of the answer that has no source; None where all have one."""
    told = list(_told(question, messages))
    if len(answer) + sum(map(len, told)) > QUICK_CHARS:
        # Long enough to hold up other turns; and with half of it read, the other half would seem made up.
        return None
    # Compiling the shapes of figures takes long.
    from glassloop.core.evidence.figure_links import link_figures

    evidence = link_figures(answer, _sources(answer, question, messages), known, always=True)
    for figure in evidence.unsupported:
        if figure.kind not in ("number", "date", "identifier"):
            continue
        if figure.kind == "identifier" and _stands_in(figure.text, question.casefold()):
            continue
        match = _DIGITS.search(figure.text)
        value = float(match.group().replace(",", "")) if match else None
        if figure.kind != "number" or match is None or value is None:
            return figure.text
        is_counted = value <= _SMALL and value.is_integer()
        if not is_counted and not _follows(value, len(match.group().partition(".")[2]), told, thought):
            return figure.text
    return None


def _told(question: str, messages: Sequence[Message]) -> Iterator[str]:
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


def _sources(answer: str, question: str, messages: Sequence[Message]) -> "list[SourceText]":
    from glassloop.core.evidence.source_texts import SourceText

    spoken = [each for each in messages if not isinstance(each, ToolMessage)]
    context = [each for each in spoken if isinstance(each, UserMessage) and each.note == "context"]
    said = "\n".join(_told(question, [each for each in spoken if each not in context]))
    found = [SourceText(source="context", origin="context", text=each.content) for each in context[-1:]]
    found.append(SourceText(source="question", origin="question", text=said))
    calls = {call.id: call for each in messages if isinstance(each, AssistantMessage) for call in each.calls}
    for each in messages:
        if isinstance(each, ToolMessage):
            # An error repeats what it was called with, which an answer may deny; what it adds was observed.
            repeats = each.is_error and not _DENIAL.search(answer)
            text = _without_arguments(each.content, calls.get(each.call_id)) if repeats else each.content
            found.append(SourceText(source=each.call_id, origin="call", text=text))
    return found


def _without_arguments(text: str, call: ToolCall | None) -> str:
    for value in call.args.values() if call is not None else ():
        text = text.replace(str(value), " ") if str(value) else text
    return text if call is not None else ""


def _follows(value: float, places: int, told: Sequence[str], thought: str) -> bool:
    """Whether it is told with another sign, or two of the figures that were told, or worked out of them in the
    thought, make it: their sum, difference, product, quotient or share."""
    from glassloop.core.evidence.computed.relative_days import NUMBER_WORDS

    rounding = 0.5 * 10**-places
    read = [float(match.group().replace(",", "")) for match in _NUMBER.finditer("\n".join(told))]
    if any(abs(abs(each) - value) <= rounding for each in read):
        return True
    numbers, slack = read[:_MAX_NUMBERS], max(rounding, abs(value) * 1e-3)
    said = (NUMBER_WORDS.get(match.group().casefold(), 0) for match in _WORD.finditer(told[0]))
    numbers += {float(count) for count in said if count > 1}
    numbers += _worked_out(thought, numbers)
    return any(abs(abs(each) - value) <= slack for each in numbers) or any(
        abs(made - value) <= slack for a, b in permutations(map(abs, numbers), 2) for made in _made(a, b)
    )


def _worked_out(thought: str, numbers: Sequence[float]) -> list[float]:
    """The results of equations in a thought that are right and whose operands were told or worked out before."""
    found: list[float] = []
    for match in islice(_EQUATION.finditer(thought), _MAX_WORKED):
        parts = _OPERATOR.split(match[1])
        values, result = [_value(part) for part in parts[::2]], _value(match[2])
        known = {*map(abs, numbers), *found, *_COMMON}
        if all(each in known or (each <= _SMALL and each.is_integer()) for each in values):
            made = _result(values, parts[1::2])
            if made is not None and abs(abs(made) - result) <= max(0.005, abs(made) * 1e-3):
                found.append(result)
    return found


def _right_result(thought: str, figure: str, told: str) -> str:
    """The wrong sum of told figures that made this one, with its right result; a comparison counts as a difference."""
    known = {abs(float(match.group().replace(",", ""))) for match in _NUMBER.finditer(told)}
    found = _DIGITS.search(figure)
    value = _value(found.group()) if found else 0.0
    for match in islice(_EQUATION.finditer(thought), _MAX_WORKED):
        parts = _OPERATOR.split(match[1])
        values = [_value(part) for part in parts[::2]]
        made = _result(values, parts[1::2]) if _value(match[2]) == value and known.issuperset(values) else None
        if made is not None and abs(abs(made) - value) > max(0.005, abs(made) * 1e-3):
            return f"{match[1]} = {round(made, 2):.12g}"
    match = _AGAINST.search(thought)
    if match is None or value not in [_value(each) for each in _DIGITS.findall(thought[match.end() :])]:
        return ""
    high, low = sorted((match[1], match[2]), key=_value, reverse=True)
    made = round(_value(high) - _value(low), 2)
    return f"{high} - {low} = {made:.12g}" if made != value and known.issuperset((_value(high), _value(low))) else ""


def _value(text: str) -> float:
    match = _DIGITS.match(text)
    return float(match.group().replace(",", "")) if match else 0.0


def _result(values: Sequence[float], operators: Sequence[str]) -> float | None:
    """Products and quotients first; None for a division by nothing."""
    terms = [values[0]]
    for operator, value in zip(operators, values[1:], strict=True):
        if operator in "*×x":
            terms[-1] *= value
        elif operator in "/÷":
            if not value:
                return None
            terms[-1] /= value
        else:
            terms.append(value if operator == "+" else -value)
    return sum(terms)


def _made(a: float, b: float) -> Iterator[float]:
    yield from (a + b, a - b, a * b, a * b / 100)
    if b:
        yield from (a / b, a / b * 100)


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
                known = "\n".join(_told(question, messages)).casefold()
            if not _stands_in(text, known):
                return name, text
    return None


def _foreign_id(call: ToolCall, tools: Mapping[str, ToolSpec]) -> tuple[str, str, str] | None:
    """The first parameter with a value of another form than its description shows, that value, and the description:
    a name where an id is shown, the id of what another parameter takes, or such an id where a name is wanted."""
    spec = tools.get(call.tool)
    kinds: dict[str, set[str]] | None = None
    for name, value in call.args.items() if spec is not None else ():
        about = _description(spec, name) if isinstance(value, str) and len(value) <= _MAX_ID else None
        if about is None or str(value).casefold() in about.casefold():
            continue
        takes_name = bool(_NAMES.search(f"{name.replace('_', ' ')} {about}"))
        shown = set(_prefixes(about))
        is_id = _IDENTIFIER.fullmatch(str(value))
        told = about[:_MAX_TOLD].rstrip(". ")
        if is_id is None:
            if shown and not takes_name and _takes_id(name) and not any(map(str.isdigit, str(value))):
                return name, str(value), told
            continue
        if kinds is None:
            kinds = _kinds_of_ids(tools)
        prefix = _LETTERS.match(str(value))
        elsewhere = kinds.get(prefix.group().casefold(), set()) if prefix is not None else set()
        if prefix is None or prefix.group().casefold() in shown or not elsewhere - {name}:
            continue
        if (shown and not takes_name) or (takes_name and not shown):
            return name, str(value), told
    return None


def _description(spec: ToolSpec, name: str) -> str | None:
    """What a parameter's schema says of it; None where it lists its values, or says nothing."""
    properties = spec.parameters.get("properties")
    shape = properties.get(name) if isinstance(properties, dict) else None
    parts: list[Json] = [shape]
    if isinstance(shape, dict) and isinstance(shape.get("anyOf"), list):
        parts += cast("list[Json]", shape["anyOf"])
    found = [part for part in parts if isinstance(part, dict)]
    if any("enum" in part or "const" in part for part in found):
        return None
    return next((text for part in found if isinstance(text := part.get("description"), str) and text), None)


def _prefixes(text: str) -> Iterator[str]:
    """The letters that the ids in a text begin with."""
    for match in _IDENTIFIER.finditer(text):
        if (letters := _LETTERS.match(match.group())) is not None:
            yield letters.group().casefold()


def _kinds_of_ids(tools: Mapping[str, ToolSpec]) -> dict[str, set[str]]:
    """The beginnings of ids that descriptions show, with the names of the parameters that take them."""
    kinds: dict[str, set[str]] = {}
    for spec in tools.values():
        properties = spec.parameters.get("properties")
        for name in properties if isinstance(properties, dict) else ():
            for prefix in _prefixes(_description(spec, name) or ""):
                kinds.setdefault(prefix, set()).add(name)
    return kinds


def _strange_year(call: ToolCall, question: str, messages: Sequence[Message]) -> tuple[str, str, str] | None:
    """The first parameter with a day of a year that nobody spoke of, that day, and the year it is."""
    days = {name: value for name, value in call.args.items() if isinstance(value, str) and _DAY.fullmatch(value)}
    notes = (
        [each.content for each in messages if isinstance(each, UserMessage) and each.note == "context"] if days else []
    )
    this = _YEAR.search(notes[-1]) if notes else None
    if this is None or _YEARS_AWAY.search(question):
        return None
    told = {int(match.group()) for text in _told(question, messages) for match in _YEAR.finditer(text)}
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
    return None if _DAY.fullmatch(value) else value


def _stands_in(text: str, known: str) -> bool:
    """Also with other signs between its parts; `ORD-4711` is given by "order 4711"."""
    wanted = text.casefold()
    if wanted.isdigit():
        return re.search(rf"(?<!\d){wanted}(?!\d)", known) is not None
    if wanted in known or _ODD.sub("", wanted) in _ODD.sub("", known):
        return True
    runs = _RUN_OF_DIGITS.findall(wanted)
    # The figures of another id are not those of this one.
    return bool(runs) and all(re.search(rf"(?<![\d_-])(?<![a-z]){run}(?!\d)", known) for run in runs)


def _is_repeated(call: ToolCall, messages: Sequence[Message], tools: Mapping[str, ToolSpec]) -> bool:
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
