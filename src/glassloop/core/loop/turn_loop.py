"""The loop: think → act → observe → answer, one phase after the other until the turn ends or waits.

`next_phase` is the whole control flow, a rule over the folded state; so a turn that was interrupted anywhere goes on
from its log alone. Each phase is a generator of events in a file of its own.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from functools import partial

from glassloop.core import events as e
from glassloop.core.errors import TurnLost
from glassloop.core.guardrails.checks import admit_turn
from glassloop.core.loop.act import act, ask_outcome, pause
from glassloop.core.loop.children.child_log import adopt, is_open, reopen
from glassloop.core.loop.compaction import can_compact, compact
from glassloop.core.loop.conclude import abandon, cancel, conclude, fail, synthesize
from glassloop.core.loop.interruption import Interrupted
from glassloop.core.loop.policy import stop_reason
from glassloop.core.loop.prepare import (
    adjust,
    load_history,
    max_tools,
    plan,
    provide_deps,
    read_command,
    route,
    shortlist,
    take_messages,
)
from glassloop.core.loop.think import close_quietly, think
from glassloop.core.loop.turn import Turn

Phase = Callable[[Turn], AsyncGenerator[e.AnyEvent, None]]


async def run_turn(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Runs a turn on from where its state stands, to its end or to a pause.

    Closing the generator, or cancelling the task that drives it, ends the turn as cancelled: its log is closed
    properly though nobody sees the last events. `turn.interrupt` does the same and shows them. A worker that must go
    leaves the turn as it is (`stop_after_phase`, `survives_cancel`); one that lost it raises `TurnLost` and writes
    nothing.
    """
    guardrails = turn.ports.guardrails
    if guardrails is not None and not turn.log and "input" in guardrails.stages:
        error = await admit_turn(turn, guardrails)
        for event in () if error is None else await fail(turn, error):
            yield event
    timer = _watch(turn)
    try:
        for event in await turn.commit():
            yield event
        while turn.state.status == "running" and not turn.leaving:
            phase: AsyncGenerator[e.AnyEvent, None] | None = None
            try:
                phase = next_phase(turn)(turn)
                async for event in phase:
                    yield event
            except Interrupted:
                close_interrupted(turn)
                for event in await turn.commit():
                    yield event
            except (asyncio.CancelledError, GeneratorExit):
                if phase is not None:
                    await close_quietly(phase)
                raise
            except TurnLost:
                raise
            except Exception as error:
                if _is_cancelled():
                    raise asyncio.CancelledError from error
                for event in await fail(turn, error):
                    yield event
        if turn.leaving:
            for event in await turn.commit():
                yield event
    except (asyncio.CancelledError, GeneratorExit):
        if not turn.survives_cancel:
            await abandon(turn)
        raise
    finally:
        if timer is not None:
            timer.cancel()
        if turn.ports.remember is not None and turn.state.answer is not None and turn.is_stored:
            await turn.ports.remember(turn.log)
        if turn.ports.observer is not None and turn.state.status in ("completed", "failed", "cancelled"):
            await turn.ports.observer.ended(turn.log)


def next_phase(turn: Turn) -> Phase:
    """What comes next."""
    state, profile = turn.state, turn.profile
    if turn.interrupted == "cancelled":
        return cancel
    if turn.needs_deps:
        return provide_deps
    if state.open_calls:
        return act
    if turn.has_messages and (state.iterations or state.draft is not None):
        return take_messages
    if state.draft is not None or state.command is not None or state.answer is not None:
        return conclude
    if turn.interrupted is None and state.iterations == 0 and (first := _preparation(turn)) is not None:
        return first
    if turn.has_messages:
        return take_messages
    reason = turn.interrupted or stop_reason(state, profile.limits, turn.clock()) or _spent(turn)
    if reason is not None:
        return partial(synthesize, reason=reason)
    if state.plan_failed is not None:
        return adjust
    if state.tokens > turn.window and can_compact(state.messages, profile.keep_recent):
        return compact
    return think


def _preparation(turn: Turn) -> Phase | None:
    """What comes before the first step."""
    state, ports = turn.state, turn.ports
    if ports.recall is not None and not state.history_loaded:
        return load_history
    if ports.commands is not None and state.question.startswith("/"):
        return read_command
    if ports.router is not None and state.route is None:
        return route
    if ports.shortlist is not None and state.shortlist is None and max_tools(turn) is not None:
        return shortlist
    if turn.profile.planner and state.plan is None:
        return plan
    return None


def _spent(turn: Turn) -> e.EndReason | None:
    """Which budget leaves no room for another call."""
    limits = turn.profile.limits
    if limits.cost is None and limits.tokens is None:
        return None
    return turn.room(turn.model("decide"), turn.prompt_tokens())[1]


def _watch(turn: Turn) -> asyncio.TimerHandle | None:
    """Ends what is under way when the turn's seconds are over."""
    seconds = turn.profile.limits.seconds
    if seconds is None:
        return None
    left = seconds - (turn.clock() - turn.state.started_at)
    return asyncio.get_running_loop().call_later(max(0.0, left), turn.interrupt, "seconds")


def _is_cancelled() -> bool:
    """Whether somebody cancelled this task and what was under way turned that into another error."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def close_interrupted(turn: Turn) -> None:
    """What was under way is given up. An effect cut off by a limit is not: a person looks whether it took place."""
    if turn.interrupted != "cancelled":
        if ask_in_children(turn):
            pause(turn)
            return
        for entry in turn.state.calls.values():
            cut_off = entry.called and entry.result is None and entry.call.id not in turn.unstarted
            spec = turn.ports.tools.specs.get(entry.call.tool)
            if entry.decision is not None or not cut_off or entry.effect == "read":
                continue
            if not (spec is not None and spec.idempotent):
                if entry.request is None:
                    ask_outcome(turn, entry.call, "It was cut off: the time of this turn is over.")
                pause(turn)
                return
    cancelled = turn.interrupted == "cancelled"
    turn.close_calls("cancelled" if cancelled else "stopped", "Stopped before it finished.")


def ask_in_children(turn: Turn) -> bool:
    """Whether a child turn now waits for a person who looks whether an effect of it took place."""
    waits = False
    for entry in turn.state.calls.values():
        if not is_open(entry) or (child := reopen(turn, entry)) is None:
            continue
        child.interrupted = turn.interrupted
        close_interrupted(child)
        recorded = child.take_recorded()
        if recorded and isinstance(recorded[-1], e.TurnWaiting):
            adopt(turn, entry, recorded)
            waits = True
    return waits
