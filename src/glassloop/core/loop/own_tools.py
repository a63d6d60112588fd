"""Tools of the runtime itself: a plan, a question to the person, reading on in a result, a search for further tools.

Each says when a turn offers it and what becomes of a call. A tool of the assistant's with its name takes its place.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from glassloop.core import events as e
from glassloop.core.loop.approvals.modes import PRESENT_PLAN, offer_plan, settle_plan
from glassloop.core.loop.observations import CallState
from glassloop.core.loop.tool_schedule import Verdict
from glassloop.core.loop.user_question import ASK_SPEC, ASK_USER, answered, read_question
from glassloop.core.messages import ToolSpec
from glassloop.core.planning.planner import PLAN_SPEC, UPDATE_PLAN, classify, read_plan
from glassloop.core.protocols.result_pages import READ_RESULT, read_result
from glassloop.core.protocols.tool_search import FIND_TOOLS, find_tools, find_tools_spec
from glassloop.core.records import ToolCall, ToolResult

if TYPE_CHECKING:
    from glassloop.core.loop.turn import Turn


class OwnTool(msgspec.Struct, frozen=True, kw_only=True):
    """`offer` gives its spec where the turn has it. A call is settled by the loop itself, or run as a read."""

    offer: "Callable[[Turn], ToolSpec | None]"
    settle: "Callable[[Turn, CallState], Verdict] | None" = None
    run: "Callable[[Turn, ToolCall], ToolResult] | None" = None


def own_specs(turn: "Turn") -> dict[str, ToolSpec]:
    """Those on offer now, in an order that never changes."""
    taken = turn.ports.tools.specs
    found = ((name, own.offer(turn)) for name, own in OWN_TOOLS.items() if name not in taken)
    return {name: spec for name, spec in found if spec is not None}


def _offer_plan(turn: "Turn") -> ToolSpec | None:
    return PLAN_SPEC if turn.profile.planner and turn.able_to_read else None


def _record_plan(turn: "Turn", entry: CallState) -> ToolResult:
    """The model's own plan, checked. A single step for a complex question is told back, once."""
    state = turn.state
    read = read_plan(state.question, entry.call.args, turn.ports.tools.specs, state.iterations)
    if isinstance(read, str):
        return ToolResult(success=False, error=read, cause="planned")
    made, former = read.plan, state.plan.steps if state.plan is not None else ()
    if len(made.steps) < 2 and classify(state.question) == "complex" and not state.plan_told_back:
        error = "This question has several parts: plan at least two steps, or go on without a plan."
        return ToolResult(success=False, error=error, cause="planned")
    known = {step.description for step in former if step.step_number in state.plan_done}
    done = {*read.done, *(step.step_number for step in made.steps if step.description in known)}
    if former:
        reason = "" if made.steps == former else "by the model"
        turn.record(e.PlanAdjusted(**turn.stamp(), plan=made, reason=reason, done=tuple(sorted(done))))
    else:
        turn.record(e.PlanMade(**turn.stamp(), plan=made, done=tuple(sorted(done))))
    return ToolResult(success=True, output=f"Plan noted: {len(made.steps)} steps, {len(done)} done.", cause="planned")


def _offer_question(turn: "Turn") -> ToolSpec | None:
    """A question that was asked is answered, whichever model goes on with the turn."""
    is_open = any(entry.question is not None for entry in turn.state.calls.values())
    return ASK_SPEC if is_open or (turn.profile.ask_user and turn.able_to_read) else None


def _ask_user(turn: "Turn", entry: CallState) -> Verdict:
    """Asks the person, and waits; once they answered, their words are the result."""
    if entry.answer is not None:
        return answered(entry.answer.text)
    if entry.question is None:
        read = read_question(entry.call.args)
        if isinstance(read, str):
            return ToolResult(success=False, error=read, cause="refused")
        turn.record(
            e.QuestionAsked(
                **turn.stamp(),
                step=turn.state.iterations,
                call_id=entry.call.id,
                question=read.text,
                options=read.options,
            )
        )
    return None


def _offer_reading(turn: "Turn") -> ToolSpec | None:
    """Assistants have the reading of results from the start, so that their prefix stays the same."""
    return READ_RESULT if turn.state.cut_results or (turn.tells_context and turn.ports.tools.specs) else None


def _read_result(turn: "Turn", call: ToolCall) -> ToolResult:
    # Pages that are read side by side share the room of their step: none of them is cut again.
    return read_result(call.args, turn.state.cut_results, turn.state.room.of_one(len(turn.state.calls)))


def _offer_search(turn: "Turn") -> ToolSpec | None:
    return find_tools_spec(hidden) if turn.able_to_read and (hidden := turn.hidden_tools) else None


OWN_TOOLS: dict[str, OwnTool] = {
    UPDATE_PLAN: OwnTool(offer=_offer_plan, settle=_record_plan),
    ASK_USER: OwnTool(offer=_offer_question, settle=_ask_user),
    READ_RESULT.name: OwnTool(offer=_offer_reading, run=_read_result),
    PRESENT_PLAN: OwnTool(offer=offer_plan, settle=settle_plan),
    FIND_TOOLS: OwnTool(offer=_offer_search, run=lambda turn, call: find_tools(call.args, turn.hidden_tools)),
}
