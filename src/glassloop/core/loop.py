"""The loop: think → act → observe → answer, one phase after the other until the turn ends or waits.

`next_phase` is the whole control flow, a rule over the folded state; so a turn that was interrupted anywhere goes on
from its log alone. Each phase is a generator of events in a file of its own.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from functools import partial

from glassloop.core import events as e
from glassloop.core.act import act
from glassloop.core.conclude import abandon, cancel, conclude, fail, synthesize
from glassloop.core.context import can_compact, compact
from glassloop.core.policy import stop_reason
from glassloop.core.prepare import adjust, load_history, plan, read_command, route
from glassloop.core.think import think
from glassloop.core.turn import Turn

ADJUSTMENTS_A_TURN = 2

Phase = Callable[[Turn], AsyncGenerator[e.AnyEvent, None]]
_log = logging.getLogger(__name__)


async def run_turn(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Runs a turn on from where its state stands, to its end or to a pause.

    Closing the generator, or cancelling the task that drives it, ends the turn as cancelled: its log is closed
    properly though nobody sees the last events. `turn.interrupt` does the same and shows them.
    """
    timer = _watch(turn)
    try:
        for event in await turn.commit():
            yield event
        while turn.state.status == "running":
            phase: AsyncGenerator[e.AnyEvent, None] | None = None
            try:
                phase = next_phase(turn)(turn)
                async for event in phase:
                    yield event
            except (asyncio.CancelledError, GeneratorExit) as stop:
                if phase is not None:
                    await phase.aclose()
                if isinstance(stop, GeneratorExit) or not _interrupted(turn):
                    raise
                turn.close_calls("Stopped before it finished.")
            except Exception as error:
                _log.debug("turn %s failed", turn.state.turn_id, exc_info=error)
                for event in await fail(turn, error):
                    yield event
    except (asyncio.CancelledError, GeneratorExit):
        await abandon(turn)
        raise
    finally:
        if timer is not None:
            timer.cancel()
        if turn.ports.remember is not None and turn.state.answer is not None:
            await turn.ports.remember(turn.log)


def next_phase(turn: Turn) -> Phase:
    """What comes next."""
    state, profile, ports = turn.state, turn.profile, turn.ports
    if turn.interrupted == "cancelled":
        return cancel
    if state.open_calls:
        return act
    if state.draft is not None or state.command is not None:
        return conclude
    if state.iterations == 0 and (first := _preparation(turn)) is not None:
        return first
    if state.plan_failed is not None and profile.planner and state.adjustments < ADJUSTMENTS_A_TURN:
        return adjust
    reason = turn.interrupted or stop_reason(state, profile.limits, turn.clock()) or _unaffordable(turn)
    if reason is not None:
        return partial(synthesize, reason=reason)
    window = profile.context_tokens or ports.models["balanced"].abilities.context_tokens * 3 // 4
    if state.tokens > window and can_compact(state.messages, profile.keep_recent):
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
    if turn.profile.planner and state.plan is None:
        return plan
    return None


def _unaffordable(turn: Turn) -> e.EndReason | None:
    limits = turn.profile.limits
    if limits.cost is None:
        return None
    _, model = turn.model("decide")
    return None if turn.affordable(model, turn.state.tokens, turn.profile.max_tokens) else "cost"


def _watch(turn: Turn) -> asyncio.TimerHandle | None:
    """Ends what is under way when the turn's seconds are over."""
    seconds = turn.profile.limits.seconds
    if seconds is None:
        return None
    left = seconds - (turn.clock() - turn.state.started_at)
    return asyncio.get_running_loop().call_later(max(0.0, left), turn.interrupt, "seconds")


def _interrupted(turn: Turn) -> bool:
    """Whether this cancellation was our own; if so it is taken back, as `asyncio.timeout` does."""
    task = asyncio.current_task()
    if not turn.interrupting or task is None:
        return False
    turn.interrupting = False
    return task.uncancel() == 0
