"""Whether a decision of a small model can stand: no made-up names, no call twice, no answer before a tool that must be
asked.

Owns the check afterwards; what could be kept from being decided was (`values`). Pure.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from glassloop.core.advice import PREFIX
from glassloop.core.messages import AssistantMessage, Message, ToolSpec
from glassloop.core.records import Advice, Decision, Json, ToolCall
from glassloop.models.advice.figures import made_up
from glassloop.models.advice.said import Said
from glassloop.models.reflex.chatter import is_general
from glassloop.models.reflex.parameters import Parameter, read_parameters

ASK: Final = f"{PREFIX} nobody said"
FIRST: Final = f"{PREFIX} this cannot be answered yet. First call"
UNSEEN: Final = f"{PREFIX} no observation says"
AGAIN: Final = f"{PREFIX} that was observed already"
_NAMES: Final = frozenset({"name", "place", "source place", "target place"})


def review(
    decision: Decision, said: Said, tools: Mapping[str, ToolSpec], messages: Sequence[Message], advice: Advice
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
            return _refused(f"{ASK} that `{needed.name}` is {value!r}. Ask the user for it.", decision)
        left_out = {parameter.name for parameter in invented}
        calls.append(_without(call, left_out) if left_out else call)
    if len(calls) == 1 and _was_made(calls[0], messages):
        return _refused(f"{AGAIN}. Answer from it, or call another tool.", decision)
    return msgspec.structs.replace(decision, calls=tuple(calls)) if decision.calls else decision


def _reviewed_answer(
    decision: Decision,
    answer: str,
    said: Said,
    tools: Mapping[str, ToolSpec],
    messages: Sequence[Message],
    advice: Advice,
) -> Decision:
    """An answer stands unless a tool had to be called first, or a figure in it is from nowhere."""
    if not advice.answers:
        named = " or ".join(f"`{name}`" for name in advice.tools or ())
        return _refused(f"{FIRST} {named}.", decision)
    general = is_general(said.question) and not said.question.identifiers
    if general or not (said.observed or _may_be_found(said, advice)):
        return decision
    figure = made_up(answer, said, messages, tools)
    if figure is None:
        return decision
    return _refused(f"{UNSEEN} {figure!r}. Call the tool that tells it, or answer without it.", decision)


def _may_be_found(said: Said, advice: Advice) -> bool:
    """Whether a tool could tell what the answer says: one fits, or the question names a thing of its own."""
    asked = said.question
    fits = advice.text.startswith(f"{PREFIX} `")
    return bool(advice.tools) and (fits or bool(asked.proper or asked.identifiers or asked.quoted))


def _is_invented(parameter: Parameter, value: Json, said: Said) -> bool:
    return parameter.kind in _NAMES and isinstance(value, str) and not said.holds(value)


def _without(call: ToolCall, names: set[str]) -> ToolCall:
    return msgspec.structs.replace(call, args={key: value for key, value in call.args.items() if key not in names})


def _was_made(call: ToolCall, messages: Sequence[Message]) -> bool:
    made = (each for message in messages if isinstance(message, AssistantMessage) for each in message.calls)
    return any(each.tool == call.tool and each.args == call.args for each in made)


def _refused(complaint: str, decision: Decision) -> Decision:
    return Decision(thought=decision.thought, complaint=complaint, refused=True)
