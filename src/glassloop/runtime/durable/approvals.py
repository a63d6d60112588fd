"""Approvals and answers: what people decide about the calls of a turn, or answer to its questions, stored; and
approvals granted for the rest of a session where asked.

A grant is stored after the decision that gave it: if only the decision is stored, the tool just asks again.
"""

import logging
from collections.abc import Sequence
from typing import cast

import msgspec

from glassloop.core import events as e
from glassloop.core.call_terms import GrantKind
from glassloop.core.errors import ApprovalMismatch, StoreError, UsageError
from glassloop.core.loop.approvals.grants import is_covered
from glassloop.core.loop.policy import GRANTED_S, tool_digest
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import ToolSpec
from glassloop.core.ports import EventBus, Granted
from glassloop.core.records import Json
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agent_parts.sub_agents import called_tool
from glassloop.runtime.assistants.decisions import record_answer, record_decision
from glassloop.runtime.assistants.result import Answer, Approval
from glassloop.store.errors import Superseded
from glassloop.store.store import Store
from glassloop.store.tables.governance.audit import Action
from glassloop.store.tables.grants import Grant

_log = logging.getLogger(__name__)

_ACTIONS: dict[tuple[bool, str], Action] = {(True, "session"): "allowed", (True, "call"): "approved"}


async def decide(
    store: Store,
    bus: EventBus,
    agent: Agent,
    events: Sequence[e.Durable],
    approvals: Sequence[Approval],
    answers: Sequence[Answer],
) -> bool | None:
    """Stores decisions and answers about what is pending after these events; whether the turn goes on now. None:
    somebody decided at the same moment, look again."""
    turn = agent.turn(events, store=None)
    for approval in approvals:
        _refuse_early(turn, approval.call_id)
        record_decision(turn, agent.tools, _with_secrets(approval, turn.pending, store))
    for answer in answers:
        _refuse_early(turn, answer.call_id)
        record_answer(turn, agent.tools, answer)
    resumes = turn.state.status == "paused" and not turn.pending and not turn.questions
    if resumes:
        turn.record(e.TurnResumed(**turn.stamp()))
    decided = await turn.commit()
    try:
        await store.turns.append(turn.state.turn_id, tuple(decided), sync=True)
    except Superseded:
        return None
    for event in decided:
        bus.publish(store.turns.as_stored(event))
    for event in decided:
        decision, started = e.innermost(event), turn.state.started
        if isinstance(decision, e.ApprovalDecided | e.QuestionAnswered) and started is not None:
            tool, spec = called_tool(agent, turn.state, event)
            try:
                if isinstance(decision, e.ApprovalDecided):
                    await _keep(store, decision, started, spec, tool)
                else:
                    await store.audit.record("answered", started.turn_id, by=decision.by, session_id=started.session_id)
            except StoreError as error:
                _log.warning("what was decided about %s counts, but is not noted: %s", tool, error)
    return resumes


async def resume_with_deps(
    store: Store, bus: EventBus, agent: Agent, events: Sequence[e.Durable], *, given: bool
) -> None:
    """Stores that a turn goes on which waits for its dependencies: they are `given`, or its agent makes them."""
    turn_id = events[0].turn_id
    waiting = next((event for event in reversed(events) if isinstance(event, e.TurnWaiting)), None)
    if waiting is None or waiting.reason != "dependencies":
        raise UsageError(f"Turn {turn_id!r} is waiting for a person: approve, refuse or answer its request.")
    if not given and not agent.makes_deps:
        raise UsageError(
            f"Turn {turn_id!r} is waiting for its dependencies: resume it with deps, or give its agent a deps_factory."
        )
    turn = agent.turn(events, store=None)
    turn.record(e.TurnResumed(**turn.stamp()))
    resumed = await turn.commit()
    await store.turns.append(turn_id, tuple(resumed), sync=True)
    for event in resumed:
        bus.publish(store.turns.as_stored(event))


def _refuse_early(turn: Turn, call_id: str) -> None:
    """Whoever runs a turn writes its log: what a sub-agent asks meanwhile is decided when the whole turn waits."""
    if turn.state.status == "running" and call_id not in turn.state.calls:
        raise ApprovalMismatch(f"Turn {turn.state.turn_id!r} is not waiting yet: decide about {call_id!r} when it is.")


def _with_secrets(approval: Approval, pending: Sequence[e.ApprovalRequested], store: Store) -> Approval:
    """A person who edits arguments is shown them redacted: what they left so is what stood there."""
    request = next((one for one in pending if one.call.id == approval.call_id), None)
    if approval.args is None or request is None:
        return approval
    real = request.call.args
    return msgspec.structs.replace(approval, args=_restored(approval.args, store.turns.redacted(real), real))


def _restored(edited: Json, shown: Json, real: Json) -> Json:
    """What was edited, with the real value wherever it is still as it was shown."""
    if edited == shown:
        return real
    if isinstance(edited, dict) and isinstance(shown, dict):
        before = cast("dict[str, Json]", shown)
        return {
            name: _restored(value, before[name], real[name]) if name in before and name in real else value
            for name, value in cast("dict[str, Json]", edited).items()
        }
    if isinstance(edited, list) and isinstance(shown, list):
        items, before = cast("list[Json]", edited), cast("list[Json]", shown)
        if len(items) == len(before):
            return [_restored(*each) for each in zip(items, before, real, strict=True)]
    return cast("Json", edited)


async def _keep(
    store: Store, event: e.ApprovalDecided, started: e.TurnStarted, spec: ToolSpec | None, tool: str
) -> None:
    if event.scope == "session" and spec is not None and started.settings.get("in_session"):
        await store.grants.add(
            Grant(
                session_id=started.session_id,
                tool=tool,
                scope=event.allowed,
                effect=spec.effect,
                digest=tool_digest(spec),
                by_user=event.by,
                turn_id=started.turn_id,
                at=event.at,
                until=event.at + GRANTED_S,
            )
        )
    action = _ACTIONS.get((event.approved, event.scope), "refused")
    detail = f"for {event.allowed}" if event.allowed else ""
    await store.audit.record(action, tool, by=event.by, session_id=started.session_id, detail=detail)


MAY_HOLD = (e.ApprovalRequested, e.ChildRecorded)
"""Events that may tell of a call that was held."""


async def note_held(store: Store, started: e.TurnStarted | None, event: e.AnyEvent) -> None:
    """Notes in the audit that a call waits for a person, as it may follow from untrusted text or take confidential
    text outside. What was said is in the log alone."""
    request = e.innermost(event)
    if not isinstance(request, e.ApprovalRequested) or request.why is None or started is None:
        return
    tool, why = request.call.tool, request.why
    if why.kind not in ("untrusted", "confidential"):
        return
    detail = f"{why.kind}: {why.tool or why.origin}"
    try:
        await store.audit.record("held", tool, by=started.user, session_id=started.session_id, detail=detail)
    except StoreError as error:
        _log.warning("that a call of turn %s was held is not noted: %s", started.turn_id, error)


def grants_of(store: Store) -> Granted:
    """Asked before each call: what was taken back a moment ago does not count any more, whoever runs the turn."""

    async def granted(started: e.TurnStarted, spec: ToolSpec, kind: GrantKind, scopes: Sequence[str]) -> str | None:
        if not started.settings.get("in_session"):
            return None
        try:
            found = await store.grants.of_tool(started.session_id, spec.name, tool_digest(spec))
        except StoreError as error:
            _log.warning("whether %s is allowed in %s is not known, so it asks: %s", spec.name, started.turn_id, error)
            return None
        covers = is_covered(kind, scopes, [grant.scope for grant in found])
        return found[-1].by_user if covers else None

    return granted
