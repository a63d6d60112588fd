"""Review of a small model's decision: no figure from nowhere in an answer, no call that `call_review` objects to.

Small models make up what they were not told. What is sent back is told back as a complaint, once. Pure.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import TYPE_CHECKING, Final

from glassloop.core.evidence import QUICK_CHARS, has_figures
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.planning.call_review import IDENTIFIER, is_repeated, problem_of, stands_in
from glassloop.core.planning.told_figures import NUMBER, counts_in, number_of, read_number, texts_told
from glassloop.core.records import Decision, Refusal, ToolCall

if TYPE_CHECKING:
    from glassloop.core.evidence.source_texts import SourceText

MAX_MESSAGES: Final = 60
_SMALL: Final = 12
"""Whole numbers up to here are too often only counted."""

_MAX_NUMBERS: Final = 40
_MAX_WORKED: Final = 8
_COMMON: Final = frozenset({24.0, 60.0, 100.0, 1000.0})
"""Factors that nobody has to name: hours, minutes, percent, thousands."""
_NUMBER: Final = re.compile(
    r"(?<!\d[.,])(?<![-.])(?<![^\W\u3400-\u9fff])-?\d{1,9}(?:,\d{3}){0,6}(?:\.\d{1,6})?(?!-|[^\W\u3400-\u9fff])"
)
"""Also beside Chinese characters."""
_IN_NAME: Final = re.compile(r"(?<=[A-Za-z]_)\d{1,4}(?=_[A-Za-z]|[A-Z]?\b)")
"""Of a field: `rate_per_30_min`, `pitch_at_18C`."""
_YEAR: Final = re.compile(r"(?<!\d)\d{4}(?=-\d\d-\d\d)")
_EQUATION: Final = re.compile(
    r"(?<![\d.,+*/×x÷−-])(?<![+*/×x÷−-] )(\d[\d.,]{0,20}(?: ?[-+*/×x÷−] ?\d[\d.,]{0,20}){1,40}) ?= ?-?(\d[\d.,]{0,20})"
)
"""A whole sum, never the last terms of a longer one."""
_CLOCK: Final = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_DAY_MINUTES: Final = 24 * 60
_REST: Final = re.compile(r",? (?:rest|remainder|left)\b", re.IGNORECASE)
_AGAINST: Final = re.compile(r"\b(\d[\d,]{0,20}(?:\.\d{1,9})?) against (\d[\d,]{0,20}(?:\.\d{1,9})?)\b")
_OPERATOR: Final = re.compile(r" ?([-+*/×x÷−]) ?")
_DENIAL: Final = re.compile(r"\b(?:no|not|none|nothing|cannot|kein\w{0,3}|nicht)\b|n['’]t\b|[没无不未]", re.IGNORECASE)


def review(
    decision: Decision, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str = ""
) -> Decision:
    """The decision, or a complaint that says why it does not stand (`refused`). Names in `prompt` count as given."""
    recent = messages[-MAX_MESSAGES:]
    if decision.answer is not None:
        return _reviewed_answer(decision, decision.answer, question, recent, tools, prompt)
    for call in decision.calls:
        if (problem := problem_of(call, question, recent, tools, prompt)) is not None:
            return _refused(decision, *problem)
    if len(decision.calls) == 1 and is_repeated(decision.calls[0], recent, tools):
        text = "That was observed already. Answer from it, or call another tool."
        return _refused(decision, text, "repeated", tool=decision.calls[0].tool)
    return decision


def doubt_of(
    decision: Decision, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], prompt: str = ""
) -> Refusal | None:
    """What `review` objects to in the effects of a decision that cannot be sent back any more."""
    recent = messages[-MAX_MESSAGES:]
    for call in decision.calls:
        spec = tools.get(call.tool)
        if spec is None or not spec.is_effect:
            continue
        if (problem := problem_of(call, question, recent, tools, prompt)) is not None:
            return Refusal(reason=problem.reason, parameter=problem.parameter, tool=call.tool)
        if is_repeated(call, recent, tools):
            return Refusal(reason="repeated", tool=call.tool)
    return None


def _refused(decision: Decision, complaint: str, reason: str, parameter: str = "", tool: str = "") -> Decision:
    refusal = Refusal(reason=reason, parameter=parameter, tool=tool)
    return Decision(thought=decision.thought, complaint=complaint, refused=refusal)


def _reviewed_answer(
    decision: Decision,
    answer: str,
    question: str,
    messages: Sequence[Message],
    tools: Mapping[str, ToolSpec],
    prompt: str,
) -> Decision:
    """Figures count where a tool observed something, or where the question names a thing that one could tell of;
    elsewhere only those of a sum in the thought."""
    if not has_figures(answer):
        return decision
    told = "\n".join((*texts_told(question, messages), prompt))
    wrong = _wrong_sums(decision.thought, told) if len(told) <= QUICK_CHARS else {}
    if any(isinstance(message, ToolMessage) for message in messages) or (tools and IDENTIFIER.search(question)):
        figure = invented_figure(answer, question, messages, tools, decision.thought, prompt)
    else:
        figure = next((each for each in NUMBER.findall(answer) if number_of(each) in wrong), None)
    if figure is None:
        return decision
    right = wrong.get(number_of(figure))
    way = f"{right}: answer with that." if right else "Call the tool that tells it, or answer without it."
    text = f"No observation says {figure!r}. {way}"
    return _refused(decision, text, "figure")


def invented_figure(
    answer: str, question: str, messages: Sequence[Message], known: Collection[str], thought: str = "", prompt: str = ""
) -> str | None:
    """The first figure of the answer that has no source; None where all have one."""
    told = [*texts_told(question, messages), prompt]
    if len(answer) + sum(map(len, told)) > QUICK_CHARS:
        # Long enough to hold up other turns; and with half of it read, the other half would seem made up.
        return None
    # Compiling the shapes of figures takes long.
    from glassloop.core.evidence.figure_links import link_figures

    evidence = link_figures(answer, _sources(answer, question, messages, prompt), known, always=True)
    for figure in evidence.unsupported:
        if figure.kind not in ("number", "date", "identifier"):
            continue
        if figure.kind == "identifier" and stands_in(figure.text, question.casefold()):
            continue
        match = NUMBER.search(figure.text)
        if figure.kind == "date" and _is_time_made(figure.text, told):
            continue
        if figure.kind != "number" or match is None:
            return figure.text
        value, places = read_number(match.group())
        is_counted = value <= _SMALL and value.is_integer()
        if not is_counted and not _follows(value, places, told, thought):
            return figure.text
    return None


def _sources(answer: str, question: str, messages: Sequence[Message], prompt: str) -> "list[SourceText]":
    from glassloop.core.evidence.source_texts import SourceText

    spoken = [each for each in messages if not isinstance(each, ToolMessage)]
    context = [each for each in spoken if isinstance(each, UserMessage) and each.note == "context"]
    said = "\n".join(texts_told(question, [each for each in spoken if each not in context]))
    found = [
        SourceText(source="context", origin="context", text=text)
        for text in (prompt, *(each.content for each in context[-1:]))
    ]
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
    rounding = 0.5 * 10**-places
    whole = "\n".join(told)
    read = [float(match.group().replace(",", "")) for match in (*_NUMBER.finditer(whole), *_IN_NAME.finditer(whole))]
    if any(abs(abs(each) - value) <= rounding for each in read):
        return True
    times = _times_in(whole)
    if any(abs(b - a) in (value, value * 60) for a, b in permutations(times, 2)):
        return True
    numbers, slack = read[:_MAX_NUMBERS], max(rounding, abs(value) * 1e-3)
    numbers += {count for text in told for count in counts_in(text) if count > 1}
    numbers += _worked_out(thought, {*numbers, *read, *_years_in(told)})
    return any(abs(abs(each) - value) <= slack for each in numbers) or any(
        abs(made - value) <= slack for a, b in permutations(map(abs, numbers), 2) for made in _made(a, b)
    )


def _times_in(text: str) -> list[int]:
    """The first times of the day in a text, each once, in minutes."""
    found = (int(match[1]) * 60 + int(match[2]) for match in _CLOCK.finditer(text))
    return list(islice(dict.fromkeys(found), _MAX_NUMBERS))


def _is_time_made(written: str, told: Sequence[str]) -> bool:
    """Whether a time of the day is so many minutes or hours, as were told, before or after another one."""
    match = _CLOCK.fullmatch(written.strip())
    if match is None:
        return False
    whole, time = "\n".join(told), int(match[1]) * 60 + int(match[2])
    spans = {float(each.group().replace(",", "")) for each in _NUMBER.finditer(_CLOCK.sub(" ", whole))}
    # An article is no hour.
    spans |= {count for text in told for count in counts_in(text) if count > 1}
    apart = {abs(time - each) for each in _times_in(whole)}
    return any(each in spans or each / 60 in spans or _DAY_MINUTES - each in spans for each in apart)


def _years_in(told: Iterable[str]) -> set[float]:
    """The years of the days that were told: what is how old is worked out with them."""
    return {float(match.group()) for text in told for match in _YEAR.finditer(text)}


def _worked_out(thought: str, numbers: Collection[float]) -> list[float]:
    """The results of equations in a thought that are right and whose operands were told or worked out before."""
    found: list[float] = []
    for match in islice(_EQUATION.finditer(thought), _MAX_WORKED):
        parts = _OPERATOR.split(match[1])
        values, result = [number_of(part) for part in parts[::2]], number_of(match[2])
        known = {*map(abs, numbers), *found, *_COMMON}
        if all(each in known or (each <= _SMALL and each.is_integer()) for each in values):
            made = _result(values, parts[1::2])
            if made is not None and abs(abs(made) - result) <= max(0.005, abs(made) * 1e-3):
                found.append(result)
    return found


def _wrong_sums(thought: str, told: str) -> dict[float, str]:
    """The results of wrong sums of told figures, each with the right one; a comparison counts as a difference."""
    equations, compared = list(islice(_EQUATION.finditer(thought), _MAX_WORKED)), _AGAINST.search(thought)
    if not equations and compared is None:
        return {}
    known = {number_of(match.group()) for match in _NUMBER.finditer(told)} | _COMMON | set(counts_in(told))
    known |= _years_in([told])
    found: dict[float, str] = {}
    for match in equations:
        parts = _OPERATOR.split(match[1])
        values, result = [number_of(part) for part in parts[::2]], number_of(match[2])
        made = _result(values, parts[1::2]) if known.issuperset(values) else None
        if made is not None and abs(abs(made) - result) <= max(0.005, abs(made) * 1e-3):
            known.add(result)
        elif made is not None and not (made // 1 == result and _REST.match(thought, match.end())):
            found.setdefault(result, f"{match[1]} = {round(made, 2):.12g}")
    if compared is not None:
        high, low = sorted((compared[1], compared[2]), key=number_of, reverse=True)
        made = round(number_of(high) - number_of(low), 2)
        results = {number_of(each) for each in NUMBER.findall(thought[compared.end() :])} - {made}
        if known.issuperset((number_of(high), number_of(low))):
            found |= {each: f"{high} - {low} = {made:.12g}" for each in results if each not in found}
    return found


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
