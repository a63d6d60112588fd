"""Decisions and answers of people, recorded in the turn that waits for them."""

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import BadArguments
from glassloop.core.loop.approvals.grants import check_grant
from glassloop.core.loop.children.child_log import adopt
from glassloop.core.loop.policy import check_decision
from glassloop.core.loop.turn import Turn
from glassloop.core.loop.user_question import read_answer
from glassloop.core.ports import ToolExecutor
from glassloop.runtime.assistants.agent_parts.sub_agents import child_that_asks
from glassloop.runtime.assistants.result import Answer, Approval


def record_decision(turn: Turn, tools: ToolExecutor, approval: Approval) -> None:
    """Records a decision; raises where it is not for what was shown, or changes the arguments into bad ones."""
    if (asking := child_that_asks(turn, tools, approval.call_id)) is not None:
        record_decision(asking.child, asking.tools, approval)
        adopt(turn, asking.entry, asking.child.take_recorded())
        return
    entry = turn.state.calls.get(approval.call_id)
    pending = entry.request if entry is not None and entry.decision is None else None
    request = check_decision(pending, approval.call_id, approval.digest)
    allowed = ""
    if approval.for_session:
        allowed = check_grant(tools.specs.get(request.call.tool), request, approval.approved, approval.args)
    if approval.args is not None:
        problem = tools.check(msgspec.structs.replace(request.call, args=approval.args))
        if problem is not None:
            raise BadArguments(problem)
    turn.record(
        e.ApprovalDecided(
            **turn.stamp(),
            call_id=approval.call_id,
            approved=approval.approved,
            digest=approval.digest,
            by=approval.by,
            reason=approval.reason,
            args=approval.args,
            scope="session" if approval.for_session else "call",
            allowed=allowed,
        )
    )


def record_answer(turn: Turn, tools: ToolExecutor, answer: Answer) -> None:
    """Records an answer; raises where that call asks nothing, or the answer is empty or too long."""
    if (asking := child_that_asks(turn, tools, answer.call_id)) is not None:
        record_answer(asking.child, asking.tools, answer)
        adopt(turn, asking.entry, asking.child.take_recorded())
        return
    text = read_answer(turn.state.calls.get(answer.call_id), answer.call_id, answer.text)
    turn.record(e.QuestionAnswered(**turn.stamp(), call_id=answer.call_id, text=text, by=answer.by))
