"""Act and observe: the calls of one step, from intent to observation.

Owns what must be true before a call starts (references resolved, limits kept, people asked) and what is recorded when.
`tool_schedule` decides the order of calls, the executor runs them.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial
from time import monotonic

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreAway, ToolError
from glassloop.core.guardrails.checks import CallStopped, check_call, check_result, record_result_rulings
from glassloop.core.labels import OWN
from glassloop.core.loop.approvals.approval_requests import admit_again, admit_decided, admit_or_ask, ask_outcome
from glassloop.core.loop.children.child_log import left_running, relay
from glassloop.core.loop.observations import CallState, refusal, unlogged_result
from glassloop.core.loop.own_tools import OWN_TOOLS
from glassloop.core.loop.policy import why_not_run_repaired
from glassloop.core.loop.think import close_quietly
from glassloop.core.loop.tool_schedule import (
    CallChannel,
    CallFinished,
    CallProgressed,
    CallRelayed,
    CallsStarting,
    PendingCall,
    ScheduleHalted,
    Verdict,
    run_calls,
)
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import ToolSpec
from glassloop.core.planning.references import find_references, resolve_parameters
from glassloop.core.ports import Progress
from glassloop.core.records import ToolCall, ToolResult

BUSY_S = 0.002
"""A turn whose tools wait for nothing keeps the event loop for so long at most."""


def act(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Runs the open calls of the step until all have results, or until only people can go on."""
    calls = turn.state.calls
    if len(calls) == 1:
        (entry,) = calls.values()
        spec = turn.spec_of(entry.call.tool)
        if spec is None or not spec.reports_progress:
            return _alone(turn, entry, spec)
    return _together(turn)


async def _alone(turn: Turn, entry: CallState, spec: ToolSpec | None) -> AsyncGenerator[e.AnyEvent, None]:
    """A step of one call, the most frequent kind: there is no order to keep, and a read that returns at once saves a
    commit."""
    verdict = await _admit(turn, entry, spec)
    if type(verdict) is ToolCall:
        _record_intent(turn, verdict, spec)
        if spec is not None and spec.effect != "read":
            async with aclosing(_effect(turn, verdict)) as run:
                async for event in run:
                    yield event
        elif turn.ports.store is None:
            for event in await turn.commit():
                yield event
            _observe(turn, verdict, await turn.guarded(_execute(turn, verdict)), ran=True)
        elif spec is not None and not spec.waits:
            if monotonic() - turn.busy_since > BUSY_S:
                await _breathe(turn)
            _observe(turn, verdict, await turn.guarded(_execute(turn, verdict)), ran=True)
        else:
            # A read that returns at once shares the commit of its call; one that takes time is shown while it runs.
            turn.raise_if_stopped()
            reading = asyncio.ensure_future(_execute(turn, verdict))
            try:
                await asyncio.sleep(0)
                if not reading.done():
                    for event in await turn.commit():
                        yield event
                _observe(turn, verdict, await turn.guarded(reading), ran=True)
            finally:
                if not reading.done():
                    reading.cancel()
                    await asyncio.wait([reading])
    elif isinstance(verdict, ToolResult):
        _observe(turn, entry.call, verdict)
    if turn.state.open_calls:
        pause(turn)
    for event in await turn.commit():
        yield event


async def _breathe(turn: Turn) -> None:
    """Lets others have the event loop: where neither model nor tools ever wait, nobody could stop the turn."""
    await asyncio.sleep(0)
    turn.busy_since = monotonic()


async def _effect(turn: Turn, call: ToolCall) -> AsyncGenerator[e.AnyEvent, None]:
    """Starts after its intent is on disk, and only while the turn is ours."""
    try:
        stored = await turn.commit(sync=True)
    except StoreAway as error:
        _observe(turn, call, unlogged_result(error))
        return
    for event in stored:
        yield event
    turn.check_lease()
    _observe(turn, call, await turn.guarded(_execute(turn, call)), ran=True)


async def _execute(turn: Turn, call: ToolCall, progress: Progress | None = None) -> ToolResult:
    turn.unstarted.discard(call.id)
    if call.tool in turn.own_tools and (run := OWN_TOOLS[call.tool].run) is not None:
        return msgspec.structs.replace(run(turn, call), labels=OWN)
    result = await turn.ports.tools.execute_tool(call, turn.context(call.id, progress))
    guardrails = turn.ports.guardrails
    return result if guardrails is None else await check_result(turn, guardrails, call, result)


async def _together(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """A step of several calls, or of one that tells its progress."""
    state = turn.state
    _refuse_surplus(turn)
    admitted: set[str] = set()

    async def admit(pending: PendingCall) -> Verdict:
        ahead = sum(not state.calls[name].called for name in admitted)
        verdict = await _admit(turn, state.calls[pending.call.id], turn.spec_of(pending.call.tool), ahead)
        if isinstance(verdict, ToolCall):
            admitted.add(verdict.id)
        return verdict

    updates = run_calls(_pending_calls(turn), admit, partial(_run, turn))
    before = turn.enter()
    try:
        async for update in updates:
            turn.leave(None)
            if isinstance(update, CallProgressed):
                yield _progress(turn, update)
            elif isinstance(update, CallsStarting):
                stored = await _store_intents(turn, update)
                if stored is None:
                    break
                for event in stored:
                    yield event
                if update.effects:
                    turn.check_lease()
            elif isinstance(update, CallRelayed):
                for event in await relay(turn, update):
                    yield event
                if update.sync:
                    turn.check_lease()
                update.answer()
            elif isinstance(update, CallFinished):
                _observe(turn, update.call, update.result, ran=update.ran)
                if state.calls[update.call.id].result is None:
                    break
                if state.open_calls:
                    yield _progress(turn, CallProgressed(update.call.id, "finished", 1.0))
            elif isinstance(update, ScheduleHalted):
                turn.close_calls("halted", f"Not run to its end: the required tool {update.call.tool!r} failed.")
            turn.enter()
    except BaseException as error:
        await close_quietly(updates)
        turn.raise_if_interrupted(error)
        raise
    finally:
        turn.leave(before)
    await close_quietly(updates)
    if state.open_calls and not (turn.leaving and left_running(state)):
        pause(turn)
    for event in await turn.commit():
        yield event


async def _run(turn: Turn, call: ToolCall, channel: CallChannel | None) -> ToolResult | None:
    sub_agent = turn.ports.sub_agents.get(call.tool)
    if sub_agent is None or channel is None:
        return await _execute(turn, call, channel)
    turn.unstarted.discard(call.id)
    result, guardrails = await sub_agent.run(turn, call, channel), turn.ports.guardrails
    return result if guardrails is None or result is None else await check_result(turn, guardrails, call, result)


async def _store_intents(turn: Turn, update: CallsStarting) -> Sequence[e.Durable] | None:
    """The events that were stored before these calls start; None where they cannot be: then no effect starts."""
    for call in update.calls:
        # A child turn that was begun is not called again: it goes on.
        if turn.state.calls[call.id].child is None:
            _record_intent(turn, call, turn.spec_of(call.tool))
    # What came back before goes into the same commit: an effect is known before the next one starts.
    try:
        return await turn.commit(sync=update.effects)
    except StoreAway as error:
        if not update.effects:
            raise
        unlogged = unlogged_result(error)
        turn.close_calls("unlogged", unlogged.error or "", unlogged.metadata)
        return None


def _refuse_surplus(turn: Turn) -> None:
    """A reply may ask for so many calls and no more."""
    most = turn.profile.limits.calls_per_step
    for entry in list(turn.state.calls.values())[most:]:
        if entry.result is None and not entry.called:
            _observe(turn, entry.call, refusal(f"Not run: at most {most} calls a step. Ask again for the rest."))


def _record_intent(turn: Turn, call: ToolCall, spec: ToolSpec | None) -> None:
    """The intent: of every run, also of one that is made again."""
    effect = "read" if spec is None else spec.effect
    turn.unstarted.add(call.id)
    turn.record(e.ToolCalled(**turn.stamp(), step=turn.state.iterations, call=call, effect=effect))


def _observe(turn: Turn, call: ToolCall, result: ToolResult, *, ran: bool = False) -> None:
    """The observation; of an effect cut off in the middle there is none before a person has looked."""
    if ran and result.cause == "in_doubt":
        ask_outcome(turn, call, result.error or "")
    else:
        turn.record(e.ToolReturned(**turn.stamp(), step=turn.state.iterations, call_id=call.id, result=result))
        if turn.ports.guardrails is not None:
            record_result_rulings(turn, turn.ports.guardrails, call.id)


def _pending_calls(turn: Turn) -> list[PendingCall]:
    """The open calls with their places; a call needs those before it in this step that its arguments name."""
    pending, earlier = list[PendingCall](), dict[int, str]()
    for entry in turn.state.calls.values():
        call = entry.call
        if entry.result is None:
            spec = turn.spec_of(call.tool)
            named = find_references(call.args) if earlier else ()
            pending.append(
                PendingCall(
                    call=call,
                    effect=spec.effect if spec else "read",
                    required=spec.required if spec else False,
                    needs=frozenset(earlier[number] for number in named if number in earlier),
                    reports_progress=spec.reports_progress if spec else False,
                )
            )
        earlier[entry.number] = call.id
    return pending


async def _admit(turn: Turn, entry: CallState, spec: ToolSpec | None, ahead: int = 0) -> Verdict:
    """What becomes of a call whose turn has come; `ahead` others are about to start with it.

    What is recorded of a call counts before what the policy says of it today.
    """
    state, limits, call = turn.state, turn.profile.limits, entry.call
    if call.tool in turn.own_tools and (settle := OWN_TOOLS[call.tool].settle) is not None:
        return settle(turn, entry)
    if limits.tool_calls is not None and state.tool_calls + ahead >= limits.tool_calls and not entry.called:
        return refusal(f"Not run: the limit of {limits.tool_calls} tool calls a turn is reached.")
    if spec is not None and (doubt := why_not_run_repaired(call, spec, turn.profile.approvals)) is not None:
        return refusal(doubt)
    try:
        if entry.called:
            return await admit_again(turn, entry, spec)
        if entry.request is not None:
            return await admit_decided(turn, entry, entry.request)
        # What a guardrail wrote holds no references.
        args = call.args if entry.guarded is not None else resolve_parameters(call.args, state.results)
        if args is not call.args:
            call = msgspec.structs.replace(call, args=args)
        if spec is not None and turn.ports.guardrails is not None:
            call = await check_call(turn, turn.ports.guardrails, entry, call)
        # For most calls this is all that provenance costs.
        if spec is not None and (spec.effect != "read" or spec.asks or spec.reaches == "outside"):
            return await admit_or_ask(turn, call, spec)
    except (ToolError, CallStopped) as error:
        return refusal(str(error) or type(error).__name__)
    return call


def _progress(turn: Turn, update: CallProgressed) -> e.ToolProgressed:
    return e.ToolProgressed(
        **turn.transient_stamp(), call_id=update.call_id, message=update.message[:500], fraction=update.fraction
    )


def pause(turn: Turn) -> None:
    """Waits for the people who were asked."""
    pending, questions = turn.pending, turn.questions
    reason: e.PauseReason = "approval" if pending else "question"
    if any(request.reason == "outcome_unknown" for request in pending):
        reason = "outcome_unknown"
    call_ids = (*(request.call.id for request in pending), *(question.call_id for question in questions))
    turn.record(e.TurnWaiting(**turn.stamp(), reason=reason, call_ids=call_ids))
