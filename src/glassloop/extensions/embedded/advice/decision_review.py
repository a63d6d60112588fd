"""Review of a small model's decision: no made-up names, no repeated call, no answer before a tool that must be asked.

The check after a decision; `allowed_values` prevents what can be prevented before it. Pure.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final

import msgspec

from glassloop.core.evidence import QUICK_CHARS
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec
from glassloop.core.records import Advice, Decision, Json, Refusal, ToolCall
from glassloop.extensions.embedded.advice.known_values import MAX_CHARS, MAX_MESSAGES, KnownValues
from glassloop.extensions.embedded.language.parameters import ParameterHints, read_parameters
from glassloop.extensions.embedded.language.small_talk import is_general

UNSAID: Final = "unsaid"
AGAIN: Final = "again"
_EARLY: Final = "early"
_UNSEEN: Final = "unseen"
_NAMES: Final = frozenset({"name", "place", "source place", "target place"})


def hint(text: str) -> str:
    """A line that the model is told, marked as no word of the person's."""
    return f"Hint: {text}"


def review(
    decision: Decision, said: KnownValues, tools: Mapping[str, ToolSpec], messages: Sequence[Message], advice: Advice
) -> Decision:
    """The decision with what nobody said left out, or a complaint where that cannot be."""
    if decision.answer is not None:
        return _reviewed_answer(decision, decision.answer, said, tools, messages, advice)
    calls: list[ToolCall] = []
    for call in decision.calls:
        spec = tools.get(call.tool)
        if spec is None:
            calls.append(call)
            continue
        invented = [p for p in read_parameters(spec) if _is_invented(p, call.args.get(p.name), said)]
        needed = next((parameter for parameter in invented if parameter.required), None)
        if needed is not None:
            value = str(call.args[needed.name])[:60]
            text = hint(f"nobody said that `{needed.name}` is {value!r}. Ask the user for it.")
            return _refused(decision, text, UNSAID, needed.name)
        left_out = {parameter.name for parameter in invented}
        calls.append(_without(call, left_out) if left_out else call)
    if len(calls) == 1 and _was_made(calls[0], messages):
        text = hint("that was observed already. Answer from it, or call another tool.")
        return _refused(decision, text, AGAIN)
    return msgspec.structs.replace(decision, calls=tuple(calls)) if decision.calls else decision


def _reviewed_answer(
    decision: Decision,
    answer: str,
    said: KnownValues,
    tools: Mapping[str, ToolSpec],
    messages: Sequence[Message],
    advice: Advice,
) -> Decision:
    """An answer stands unless a tool had to be called first, or a figure in it is from nowhere."""
    if not advice.answers:
        named = " or ".join(f"`{name}`" for name in advice.tools or ())
        return _refused(decision, hint(f"this cannot be answered yet. First call {named}."), _EARLY)
    general = is_general(said.question) and not said.question.identifiers
    if general or not (said.observed or _may_be_found(said, advice)):
        return decision
    figure = invented_figures(answer, said, messages, tools)
    if figure is None:
        return decision
    text = hint(f"no observation says {figure!r}. Call the tool that tells it, or answer without it.")
    return _refused(decision, text, _UNSEEN)


def _may_be_found(said: KnownValues, advice: Advice) -> bool:
    """Whether a tool could tell what the answer says: one fits, or the question names a thing of its own."""
    asked = said.question
    return bool(advice.tools) and (bool(advice.meant) or bool(asked.proper or asked.identifiers or asked.quoted))


def _is_invented(parameter: ParameterHints, value: Json, said: KnownValues) -> bool:
    return parameter.kind in _NAMES and isinstance(value, str) and not said.holds(value)


def _without(call: ToolCall, names: set[str]) -> ToolCall:
    return msgspec.structs.replace(call, args={key: value for key, value in call.args.items() if key not in names})


def _was_made(call: ToolCall, messages: Sequence[Message]) -> bool:
    made = (each for message in messages if isinstance(message, AssistantMessage) for each in message.calls)
    return any(each.tool == call.tool and each.args == call.args for each in made)


def _refused(decision: Decision, complaint: str, reason: str, parameter: str = "") -> Decision:
    refusal = Refusal(reason=reason, parameter=parameter)
    return Decision(thought=decision.thought, complaint=complaint, refused=refusal)


_SMALL: Final = 12
"""Whole numbers up to here are too often only counted."""

_MAX_NUMBERS: Final = 40
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d{1,9}(?:,\d{3})*(?:\.\d{1,6})?(?![\w-])")
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


def invented_figures(answer: str, said: KnownValues, messages: Sequence[Message], known: Collection[str]) -> str | None:
    """The first figure of the answer that has no source; None where all have one."""
    seen = [message for message in messages[-MAX_MESSAGES:] if isinstance(message, ToolMessage)]
    told = "\n".join(said.texts)
    if len(told) + len(answer) > QUICK_CHARS:
        # Long enough to hold up other turns; and with half of it read, the other half would seem made up.
        return None
    # Also where nothing was observed, so that the model calls a tool. Compiling the shapes of figures takes long.
    from glassloop.core.evidence.figure_links import link_figures
    from glassloop.core.evidence.source_texts import SourceText

    sources = [SourceText(source="question", origin="question", text=told)]
    sources += [
        SourceText(source=message.call_id, origin="call", text=message.content[:MAX_CHARS])
        for message in seen
        if not message.is_error
    ]
    evidence = link_figures(answer, sources, known, always=True)
    loose = [figure for figure in evidence.unsupported if figure.kind in ("number", "date", "identifier")]
    for figure in loose:
        match = _DIGITS.search(figure.text)
        value = float(match.group().replace(",", "")) if match else None
        if figure.kind != "number" or value is None:
            return figure.text
        small = value <= _SMALL and value.is_integer()
        if not small and not _follows(value, _places(match.group() if match else ""), told):
            return figure.text
    return None


def _follows(value: float, places: int, told: str) -> bool:
    """Whether two of the figures that were told make it: their sum, difference, product, quotient or share."""
    numbers = [float(match.group().replace(",", "")) for match in _NUMBER.finditer(told)][:_MAX_NUMBERS]
    slack = max(0.5 * 10**-places, abs(value) * 1e-3)
    return any(abs(made - value) <= slack for a, b in permutations(numbers, 2) for made in _made(a, b))


def _made(a: float, b: float) -> Iterator[float]:
    yield a + b
    yield a - b
    yield a * b
    yield a * b / 100
    if b:
        yield a / b
        yield a / b * 100


def _places(text: str) -> int:
    return len(text.partition(".")[2])
