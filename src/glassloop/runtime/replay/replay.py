"""Replay: runs the loop again on what a turn's log has, and tells where it would go another way today.

Replies, results, previews, history, decisions, times and the order of completion come from the log; the loop, the
assistant's prompt, tools, limits and rules are those of the agent. Nothing real is called and nothing is stored.
"""

from collections.abc import Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.loop.fold import apply
from glassloop.core.loop.policy import Profile
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.turn_loop import run_turn
from glassloop.core.loop.turn_ports import Bounds, TurnPorts
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agent_parts.sub_agents import sub_agents_of
from glassloop.runtime.assistants.agent_parts.turn_options import OWN_LIMITS
from glassloop.runtime.replay.event_diff import Difference, EventDiff, ReplayHalted, is_redacted
from glassloop.runtime.replay.log_segments import check_log, cut, with_digests
from glassloop.runtime.replay.recorded_ports import (
    RecordedCommands,
    RecordedGuardrails,
    RecordedInbox,
    RecordedMemory,
    RecordedModel,
    RecordedShortlist,
    RecordedSubAgent,
    RecordedTools,
)
from glassloop.runtime.replay.recorded_turn import RecordedTurn, Recording


class ReplayReport(msgspec.Struct, frozen=True, kw_only=True):
    """How many events were compared and where they differ; `note` says what a reader should know besides."""

    turn_id: str
    compared: int
    differences: tuple[Difference, ...] = ()
    note: str = ""


async def replay(events: Sequence[e.Durable], agent: Agent, bounds: Bounds | None = None) -> ReplayReport:
    """Compares what the loop makes of a turn's log with what it made of it then. `bounds`: what its user may use.

    Stops at the first event of another kind, and after 20 differences. Raises `UsageError` for a log that cannot be
    followed: with a gap, with unknown kinds of events, or damaged.
    """
    started, end = check_log(events)
    ports = agent.ports_for(started) if bounds is None else bounds.bind(agent.ports_for(started))
    ports = msgspec.structs.replace(ports, store=None)
    then = agent.profile_for(started)
    # The limits of a child turn are what its parent had left, others may be what was asked for.
    kept = {"approvals": then.approvals, "ask_user": then.ask_user, "prompt": then.prompt}
    profile = msgspec.structs.replace(agent.profile, **kept)
    if started.parent_turn_id is not None or OWN_LIMITS in started.settings:
        profile = then
    with_history = bool(started.settings.get("in_session")) or any(isinstance(x, e.HistoryLoaded) for x in events)
    redacted = any(map(is_redacted, events))
    findings, state = EventDiff(), TurnState()
    for segment in cut(with_digests(events) if redacted else events):
        for event in segment.inputs:
            apply(state, event)
        if segment.given_up:
            break
        recording = Recording(segment, findings, redacted=redacted)
        if segment.outputs:
            commands = started.parent_turn_id is None
            recorded = _ports(ports, recording, with_history=with_history, with_commands=commands)
            await _run(profile, recorded, state, recording)
        if findings.enough:
            break
    await _replay_children(events, agent, findings, bounds)
    return ReplayReport(
        turn_id=started.turn_id,
        compared=findings.compared,
        differences=tuple(findings.differences),
        note=_note(end.status, len(events)),
    )


async def _replay_children(
    events: Sequence[e.Durable], agent: Agent, findings: EventDiff, bounds: Bounds | None
) -> None:
    """Replays each child turn with the agent that its call names."""
    tools, logs = dict[str, str](), dict[str, list[e.Durable]]()
    for event in events:
        if isinstance(event, e.ToolCalled):
            tools[event.call.id] = event.call.tool
        elif isinstance(event, e.ChildRecorded):
            logs.setdefault(event.call_id, []).append(event.event)
    sub_agents = sub_agents_of(agent.tools)
    for call_id, log in logs.items():
        if findings.enough:
            return
        sub_agent = sub_agents.get(tools.get(call_id, ""))
        if sub_agent is None:
            findings.missing_agent(log[0], tools.get(call_id, call_id))
            continue
        report = await replay(log, sub_agent.agent, bounds)
        findings.add_child(call_id, report.compared, report.differences)


async def _run(profile: Profile, ports: TurnPorts, state: TurnState, recording: Recording) -> None:
    """Runs one segment to its end, or to where nothing more can be compared."""
    try:
        async for _ in run_turn(RecordedTurn(profile=profile, ports=ports, state=state, recording=recording)):
            pass
        if (left := recording.next) is not None:
            recording.findings.stray(left, f"nothing: the turn is {state.status}")
    except ReplayHalted:
        return


def _ports(base: TurnPorts, recording: Recording, *, with_history: bool, with_commands: bool) -> TurnPorts:
    specs, tools = base.tools.specs, RecordedTools(recording, base.tools)
    listed = any(isinstance(event, e.ToolsShortlisted) for event in recording.segment.outputs)
    return msgspec.structs.replace(
        base,
        models={tier: RecordedModel(recording, model, specs) for tier, model in base.models.items()},
        tools=tools,
        sub_agents={name: RecordedSubAgent(recording, tools) for name in base.sub_agents},
        clock=recording.clock,
        recall=RecordedMemory(recording).recall if with_history else None,
        remember=None,
        shortlist=RecordedShortlist(recording) if listed else None,
        commands=RecordedCommands(recording) if with_commands else None,
        guardrails=RecordedGuardrails(recording),
        inbox=RecordedInbox(recording),
    )


def _note(status: str, count: int) -> str:
    if status == "running":
        return f"The turn is not finished: its log was replayed so far, {count} events."
    if status == "paused":
        return "The turn is waiting for a person: its log was replayed up to that point."
    return ""
