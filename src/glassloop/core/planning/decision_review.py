"""Review of a small model's decision: no figure from nowhere in an answer, no call that `call_review` objects to.

Small models make up what they were not told. What is sent back is told back as a complaint, once. Pure.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice, permutations
from typing import TYPE_CHECKING, Final, cast

from glassloop.core.evidence import QUICK_CHARS, has_figures
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.planning.call_review import DAY, IDENTIFIER, is_repeated, problem_of, stands_in, texts_told
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
_EQUATION: Final = re.compile(
    r"(?<![\d.,+*/×x÷−-])(?<![+*/×x÷−-] )(\d[\d.,]{0,20}(?: ?[-+*/×x÷−] ?\d[\d.,]{0,20}){1,40}) ?= ?-?(\d[\d.,]{0,20})"
)
"""A whole sum, never the last terms of a longer one."""
_AGAINST: Final = re.compile(r"\b(\d[\d,]{0,20}(?:\.\d{1,9})?) against (\d[\d,]{0,20}(?:\.\d{1,9})?)\b")
_OPERATOR: Final = re.compile(r" ?([-+*/×x÷−]) ?")
_WORD: Final = re.compile(r"[^\W\d_]{2,7}|[一二两三四五六七八九十]")
_DIGITS: Final = re.compile(r"\d[\d,]{0,20}(?:\.\d{1,9})?")
_COUNT_WORD: Final = re.compile(r"[^\W\d_\u3400-\u9fff]{1,9}|[\u3400-\u9fff]")
_AMOUNT: Final = re.compile(r"(?<![\w.,-])\d[\d,]{0,20}(?:\.\d{1,9})?(?![\d-])")
"""No part of an id or of a date."""
_HALF: Final = re.compile(r"\bhalf\b|\bhalb|半", re.IGNORECASE)
MAX_SPOKEN: Final = 4_000
_SOME_DAY: Final = date(2026, 1, 1)
_DENIAL: Final = re.compile(r"\b(?:no|not|none|nothing|cannot|kein\w{0,3}|nicht)\b|n['’]t\b|[没无不未]", re.IGNORECASE)


def review(
    decision: Decision, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str = ""
) -> Decision:
    """The decision, or a complaint that says why it does not stand (`refused`). Names in `prompt` count as given."""
    recent = messages[-MAX_MESSAGES:]
    if decision.answer is not None:
        return _reviewed_answer(decision, decision.answer, question, recent, tools)
    for call in decision.calls:
        if (problem := problem_of(call, question, recent, tools, prompt)) is not None:
            return _refused(decision, *problem)
        if (unsaid := unsaid_amount(call, question, recent, tools, prompt)) is not None:
            name, value = unsaid
            text = f"Nobody gave {value!r} as `{name}`. Find it with a tool, or ask the user for it."
            return _refused(decision, text, "figure", name)
    if len(decision.calls) == 1 and is_repeated(decision.calls[0], recent, tools):
        text = "That was observed already. Answer from it, or call another tool."
        return _refused(decision, text, "repeated", decision.calls[0].tool)
    return decision


def _refused(decision: Decision, complaint: str, reason: str, parameter: str = "") -> Decision:
    refusal = Refusal(reason=reason, parameter=parameter)
    return Decision(thought=decision.thought, complaint=complaint, refused=refusal)


def unsaid_amount(
    call: ToolCall, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str = ""
) -> tuple[str, Json] | None:
    """The first number or day in a call that changes something which nobody said and which follows from nothing that
    was told; None where there is none."""
    spec = tools.get(call.tool)
    if spec is None or spec.effect != "write":
        return None
    shapes = cast("dict[str, Json]", spec.parameters.get("properties") or {})
    heard = [each for each in messages if not (isinstance(each, UserMessage) and each.note == "context")]
    said = [question, *(each.content for each in heard if isinstance(each, UserMessage) and each.author == "person")]
    told = "\n".join((*texts_told(question, heard), prompt))
    for name, value in call.args.items():
        shape = shapes.get(name)
        if isinstance(value, bool) or (
            isinstance(shape, dict) and value == cast("dict[str, Json]", shape).get("default")
        ):
            continue
        if isinstance(value, int | float):
            if not _is_amount_said(abs(float(value)), said, told):
                return name, value
        elif isinstance(value, str) and DAY.fullmatch(value) and value not in told and not _is_day_said(said):
            return name, value
    return None


def _is_amount_said(value: float, said: Sequence[str], told: str) -> bool:
    """Whether it is told, or two numbers that people said make it: their sum, difference or product."""
    from glassloop.core.evidence.computed.relative_days import NUMBER_WORDS

    if any(_value(match.group()) == value for match in _AMOUNT.finditer(told)):
        return True
    spoken = "\n".join(said)[:MAX_SPOKEN]
    words = (NUMBER_WORDS.get(match.group().casefold(), 0) for match in _COUNT_WORD.finditer(spoken))
    numbers = [float(count) for count in words if count] + [0.5] * (_HALF.search(spoken) is not None)
    numbers += [_value(match.group()) for match in islice(_AMOUNT.finditer(spoken), _MAX_NUMBERS)]
    pairs = permutations(numbers[:_MAX_NUMBERS], 2)
    return any(value in (a, a * 60, a * 24) for a in numbers) or any(value in (a + b, a - b, a * b) for a, b in pairs)


def _is_day_said(said: Sequence[str]) -> bool:
    """Whether people spoke of any day: which one they meant is not judged here."""
    from glassloop.core.evidence.computed.relative_days import days_meant

    return any(_AMOUNT.search(text) or next(days_meant(text, _SOME_DAY), None) is not None for text in said)


def _reviewed_answer(
    decision: Decision, answer: str, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec]
) -> Decision:
    """Figures count where a tool observed something, or where the question names a thing that one could tell of;
    elsewhere only those of a sum in the thought."""
    if not has_figures(answer):
        return decision
    told = "\n".join(texts_told(question, messages))
    observed = any(isinstance(message, ToolMessage) for message in messages)
    if observed or (tools and IDENTIFIER.search(question)):
        figure = invented_figure(answer, question, messages, tools, decision.thought)
    else:
        figures = (match.group() for match in islice(_DIGITS.finditer(answer), _MAX_WORKED))
        figure = next((each for each in figures if _right_result(decision.thought, each, told)), None)
    if figure is None:
        return decision
    made = _right_result(decision.thought, figure, told)
    way = f"{made}: answer with that." if made else "Call the tool that tells it, or answer without it."
    text = f"No observation says {figure!r}. {way}"
    return _refused(decision, text, "figure")


def invented_figure(
    answer: str, question: str, messages: Sequence[Message], known: Collection[str], thought: str = ""
) -> str | None:
    """The first figure of the answer that has no source; None where all have one."""
    told = list(texts_told(question, messages))
    if len(answer) + sum(map(len, told)) > QUICK_CHARS:
        # Long enough to hold up other turns; and with half of it read, the other half would seem made up.
        return None
    # Compiling the shapes of figures takes long.
    from glassloop.core.evidence.figure_links import link_figures

    evidence = link_figures(answer, _sources(answer, question, messages), known, always=True)
    for figure in evidence.unsupported:
        if figure.kind not in ("number", "date", "identifier"):
            continue
        if figure.kind == "identifier" and stands_in(figure.text, question.casefold()):
            continue
        match = _DIGITS.search(figure.text)
        value = float(match.group().replace(",", "")) if match else None
        if figure.kind != "number" or match is None or value is None:
            return figure.text
        is_counted = value <= _SMALL and value.is_integer()
        if not is_counted and not _follows(value, len(match.group().partition(".")[2]), told, thought):
            return figure.text
    return None


def _sources(answer: str, question: str, messages: Sequence[Message]) -> "list[SourceText]":
    from glassloop.core.evidence.source_texts import SourceText

    spoken = [each for each in messages if not isinstance(each, ToolMessage)]
    context = [each for each in spoken if isinstance(each, UserMessage) and each.note == "context"]
    said = "\n".join(texts_told(question, [each for each in spoken if each not in context]))
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
    from glassloop.core.evidence.computed.relative_days import NUMBER_WORDS

    known = {abs(float(match.group().replace(",", ""))) for match in _NUMBER.finditer(told)} | _COMMON
    known |= {float(NUMBER_WORDS.get(each.group().casefold(), 0)) for each in _COUNT_WORD.finditer(told[:MAX_SPOKEN])}
    found = _DIGITS.search(figure)
    value = _value(found.group()) if found else 0.0
    for match in islice(_EQUATION.finditer(thought), _MAX_WORKED):
        parts = _OPERATOR.split(match[1])
        values, result = [_value(part) for part in parts[::2]], _value(match[2])
        made = _result(values, parts[1::2]) if known.issuperset(values) else None
        if made is not None and abs(abs(made) - result) <= max(0.005, abs(made) * 1e-3):
            known.add(result)
        elif made is not None and result == value:
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
