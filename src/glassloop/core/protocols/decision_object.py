"""Decision made by one complete JSON object: a call, an answer, an unusable decision, or none.

Names are taken in any case and under the names other frameworks taught models. An object with members of its own is
data that somebody asked for, not a decision, unless its action or its tool says otherwise.
"""

from typing import Final, Literal, cast

import msgspec

from glassloop.core.protocols.reply_outcome import Tools, bad_arguments
from glassloop.core.protocols.tolerant.repair import mark_mended, match_name, read_arguments, repair_call
from glassloop.core.protocols.tolerant.written_calls import (
    UNKNOWN,
    answer_of,
    listed_calls,
    plain_key,
    read_call,
    read_calls,
    says_answer,
    text_of,
)
from glassloop.core.records import Json, Mend, ToolCall

Field = Literal["reasoning", "action", "tool", "args", "response"]

_FIELDS: Final[dict[str, Field]] = {
    "reasoning": "reasoning",
    "thought": "reasoning",
    "thoughts": "reasoning",
    "thinking": "reasoning",
    "action": "action",
    "tool": "tool",
    "toolname": "tool",
    "args": "args",
    "arguments": "args",
    "parameters": "args",
    "params": "args",
    "toolargs": "args",
    "toolinput": "args",
    "actioninput": "args",
    "response": "response",
    "answer": "response",
    "finalanswer": "response",
}
_WEAK_FIELDS: Final[dict[str, Field]] = {"name": "tool", "function": "tool", "input": "args"}
"""Names that data has as well: they count beside the others but do not make an object a decision."""

_CALLS: Final = frozenset({"tool", "call", "toolcall", "usetool", "calltool", "act", "function", "functioncall"})
_NOTHING: Final = frozenset({"", "none", "null", "n/a"})

_SHAPES: Final = (
    'send one JSON object with "reasoning", "action": "tool", "tool" and "args", '
    'or with "reasoning", "action": "answer" and "response".'
)
BROKEN: Final = f"The decision was not valid JSON: {_SHAPES}"
CUT_OFF: Final = f"The decision ended before it was complete: {_SHAPES}"
_INCOMPLETE: Final = f"The decision names neither a tool nor a response: {_SHAPES}"


class ObjectDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One of the three where the object is a decision; nothing where it is data."""

    calls: tuple[ToolCall, ...] = ()
    answer: str = ""
    complaint: str = ""

    @property
    def decided(self) -> bool:
        return bool(self.calls or self.answer or self.complaint)


def field_of(key: str) -> Field | None:
    """The decision's member that `key` stands for."""
    plain = plain_key(key)
    return _FIELDS.get(plain) or _WEAK_FIELDS.get(plain)


def makes_decision(key: str) -> bool:
    return plain_key(key) in _FIELDS


def is_action_word(name: str) -> bool:
    """Whether an action of that name would not be taken for the tool of that name."""
    return says_answer(name) or plain_key(name) in _CALLS


def says_tool(action: str, tools: Tools) -> bool:
    return plain_key(action) in _CALLS or match_name(action, tools) is not None


def read_decision(value: Json, tools: Tools, *, repeated: bool = False) -> ObjectDecision:
    """What a complete object decides, also where it is wrapped in another one. `repeated`: a key came twice in it."""
    listed = listed_calls(value)
    if listed:
        found = read_calls(value, tools, "guessed" if repeated else None)
        return (
            ObjectDecision(calls=tuple(found))
            if isinstance(found, list)
            else ObjectDecision(complaint=found or UNKNOWN)
        )
    members = _members(value)
    if not members and isinstance(value, dict) and len(cast("dict[str, Json]", value)) == 1:
        (value,) = cast("dict[str, Json]", value).values()
        members = _members(value)
    decision = _rule(members, tools, whole=_is_whole(value))
    return _mended(decision, "guessed") if repeated or _is_ambiguous(value, members, tools) else decision


def read_cut_off_decision(value: Json, tools: Tools) -> ObjectDecision:
    """What an object decides that was never closed: only what is complete in it counts."""
    decision = read_decision(value, tools)
    if decision.answer or (decision.calls and ("args" in _members(value) or listed_calls(value))):
        return _mended(decision, "closed")
    return ObjectDecision(complaint=CUT_OFF)


def _mended(decision: ObjectDecision, mend: Mend) -> ObjectDecision:
    if not decision.calls:
        return decision
    return ObjectDecision(calls=tuple(mark_mended(call, mend) for call in decision.calls))


def _is_ambiguous(value: Json, members: dict[Field, Json], tools: Tools) -> bool:
    """Whether two members say what the tool or its arguments are: one of them stands, and it may be the wrong one."""
    fields = [field_of(key) for key in cast("dict[str, Json]", value)] if isinstance(value, dict) else []
    named = {match_name(_word(members.get(field)), tools) for field in ("tool", "action")} - {None}
    return len(named) > 1 or fields.count("args") > 1 or fields.count("tool") > 1


def _members(value: Json) -> dict[Field, Json]:
    found: dict[Field, Json] = {}
    if isinstance(value, dict):
        for key, member in cast("dict[str, Json]", value).items():
            field = field_of(key)
            if field is not None:
                found.setdefault(field, member)
    return found


def _is_whole(value: Json) -> bool:
    """Whether an object has no members but a decision's."""
    keys = list(cast("dict[str, Json]", value)) if isinstance(value, dict) else []
    return any(map(makes_decision, keys)) and all(map(field_of, keys))


def _rule(members: dict[Field, Json], tools: Tools, *, whole: bool) -> ObjectDecision:
    for field in ("tool", "action"):
        if isinstance(members.get(field), dict):
            return _rule_nested(members[field], tools)
    action = _word(members.get("action"))
    finished = _finished(action, members, tools)
    answer = text_of(members.get("response")) or finished
    tool = _named_tool(action, members, tools)
    if answer and (finished or says_answer(action)):
        return ObjectDecision(answer=answer)
    if tool and (match_name(tool, tools) or says_tool(action, tools) or whole):
        return _rule_call(tool, members, tools)
    if answer and (action or whole):
        return ObjectDecision(answer=answer)
    if whole or says_answer(action):
        return ObjectDecision(complaint=_INCOMPLETE)
    return ObjectDecision()


def _finished(action: str, members: dict[Field, Json], tools: Tools) -> str:
    """The answer of `{"action": "Final Answer", "action_input": "42"}`, where no tool has that name."""
    named = action if says_answer(action) else _word(members.get("tool"))
    return answer_of(named, members.get("args"), tools) if "response" not in members else ""


def _named_tool(action: str, members: dict[Field, Json], tools: Tools) -> str:
    tool = _word(members.get("tool"))
    if match_name(tool, tools) or says_answer(action) or plain_key(action) in _CALLS:
        return tool
    if match_name(action, tools) or (not tool and "args" in members):
        return action
    return tool


def _rule_call(tool: str, members: dict[Field, Json], tools: Tools) -> ObjectDecision:
    args = read_arguments(members.get("args"), tools.get(match_name(tool, tools) or ""))
    if args is None:
        return ObjectDecision(complaint=bad_arguments(tool, tools))
    return ObjectDecision(calls=(repair_call(ToolCall(id="", tool=tool, args=args), tools),))


def _rule_nested(value: Json, tools: Tools) -> ObjectDecision:
    found = read_call(value, tools)
    if isinstance(found, ToolCall):
        return ObjectDecision(calls=(found,))
    return ObjectDecision(complaint=found or _INCOMPLETE)


def _word(value: Json) -> str:
    word = value.strip() if isinstance(value, str) else ""
    return "" if word.lower() in _NOTHING else word
