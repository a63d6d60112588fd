"""Replay: runs the loop again on what a turn's log has, and tells where it would go another way today.

Replies, results, previews, history, decisions, times and the order of completion come from the log; the loop, the
assistant's prompt, tools, limits and rules are those of the agent. Nothing real is called and nothing is stored.
"""

from collections.abc import Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.loop import run_turn
from glassloop.core.policy import Profile
from glassloop.core.state import State, apply
from glassloop.core.turn import Ports
from glassloop.runtime.agent import Agent
from glassloop.runtime.differences import Difference, Findings, Halt, is_redacted
from glassloop.runtime.recorded import RecordedTurn, Tape
from glassloop.runtime.recorded_ports import (
    RecordedAdvisor,
    RecordedCommands,
    RecordedMemory,
    RecordedModel,
    RecordedShortlist,
    RecordedTools,
)
from glassloop.runtime.segments import check_log, cut, with_digests


class ReplayReport(msgspec.Struct, frozen=True, kw_only=True):
    """How many events were compared and where they differ; `note` says what a reader should know besides."""

    turn_id: str
    compared: int
    differences: tuple[Difference, ...] = ()
    note: str = ""


async def replay(events: Sequence[e.Durable], agent: Agent) -> ReplayReport:
    """Compares what the loop makes of a turn's log with what it made of it then.

    Stops at the first event of another kind, and after 20 differences. Raises `UsageError` for a log that cannot be
    followed: with a gap, with unknown kinds of events, or damaged.
    """
    started, end = check_log(events)
    # The agent's own ports, with the protocol that the replies were written in.
    base = agent.turn(events[:1], store=None)
    profile = msgspec.structs.replace(agent.profile, approvals=base.profile.approvals)
    with_history = bool(started.settings.get("in_session")) or any(isinstance(x, e.HistoryLoaded) for x in events)
    redacted = any(map(is_redacted, events))
    findings, state = Findings(), State()
    for segment in cut(with_digests(events) if redacted else events):
        for event in segment.inputs:
            apply(state, event)
        if segment.given_up:
            break
        tape = Tape(segment, findings, redacted=redacted)
        if segment.outputs:
            await _run(profile, _ports(base.ports, tape, with_history), state, tape)
        if findings.enough:
            break
    return ReplayReport(
        turn_id=started.turn_id,
        compared=findings.compared,
        differences=tuple(findings.differences),
        note=_note(end.status, len(events)),
    )


async def _run(profile: Profile, ports: Ports, state: State, tape: Tape) -> None:
    """Runs one segment to its end, or to where nothing more can be compared."""
    try:
        async for _ in run_turn(RecordedTurn(profile=profile, ports=ports, state=state, tape=tape)):
            pass
        if (left := tape.next) is not None:
            tape.findings.stray(left, f"nothing: the turn is {state.status}")
    except Halt:
        return


def _ports(base: Ports, tape: Tape, with_history: bool) -> Ports:
    specs = base.tools.specs
    advised = any(map(_is_advised, tape.segment.outputs))
    listed = any(isinstance(event, e.ToolsShortlisted) for event in tape.segment.outputs)
    return msgspec.structs.replace(
        base,
        models={tier: RecordedModel(tape, model, specs) for tier, model in base.models.items()},
        tools=RecordedTools(tape, base.tools),
        clock=tape.clock,
        recall=RecordedMemory(tape).recall if with_history else None,
        remember=None,
        shortlist=RecordedShortlist(tape) if listed else None,
        advisor=RecordedAdvisor(tape, base.protocol.name) if advised else None,
        commands=RecordedCommands(tape),
    )


def _is_advised(event: e.Durable) -> bool:
    sent_back = (
        isinstance(event, e.ModelResponded) and event.decision is not None and event.decision.refused is not None
    )
    return sent_back or isinstance(event, e.AdviceGiven)


def _note(status: str, count: int) -> str:
    if status == "running":
        return f"The turn is not finished: its log was replayed as far as it goes, {count} events."
    if status == "paused":
        return "The turn waits for people: its log was replayed up to there."
    return ""
