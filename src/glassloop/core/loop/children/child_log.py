"""Child turns inside their parent's log: how their events are wrapped, what they wait for, how they are closed.

A sub-agent's turn is a turn like any other, run by the same loop, but it has no log of its own: each of its events is
one `ChildRecorded` of its parent. `child_run` runs it.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreAway
from glassloop.core.loop.fold import fold
from glassloop.core.loop.observations import CallState
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.tool_schedule import CallChannel, CallRelayed
from glassloop.core.records import Cause

if TYPE_CHECKING:
    from glassloop.core.loop.turn import Turn

CALL_PREFIX = "call_prefix"
"""The setting of a child turn with what the ids of its calls begin with: the numbers of the calls above it."""
MAX_DEPTH = 3
"""Sub-agents below sub-agents; one that calls itself ends there too."""


class ChildLog:
    """The `EventStore` of a child turn: its parent's act phase, which stores them and only then lets it go on."""

    def __init__(self, channel: CallChannel) -> None:
        self._channel = channel

    def append_now(self, turn_id: str, events: Sequence[e.Durable]) -> bool:  # noqa: ARG002
        return False

    async def append(self, turn_id: str, events: Sequence[e.Durable], *, sync: bool = False) -> None:  # noqa: ARG002
        await self._channel.relay(events, sync=sync)


async def relay(turn: "Turn", update: CallRelayed) -> Sequence[e.AnyEvent]:
    """Something happened in a child turn: what is to be shown of it, stored before. Whether an effect of it may start,
    it decides by the error."""
    if type(update.events[0]) in e.TRANSIENT:
        return [
            e.ChildStreamed(**turn.transient_stamp(), call_id=update.call_id, event=event)  # pyright: ignore[reportArgumentType]
            for event in update.events
        ]
    adopt(turn, turn.state.calls[update.call_id], update.events)
    try:
        return await turn.commit(sync=update.sync)
    except StoreAway as error:
        update.answer(error)
        return ()


def adopt(turn: "Turn", entry: CallState, events: Iterable[e.AnyEvent]) -> None:
    """Records durable events of a child turn in its parent's log, each once: after a failed commit they come again."""
    known = entry.child[-1].seq if entry.child else 0
    for event in events:
        if event.seq > known:
            child_event = e.ChildRecorded(**turn.stamp(), call_id=entry.call.id, event=event)  # pyright: ignore[reportArgumentType]
            turn.record(child_event)


def pending_inputs(state: TurnState) -> Sequence[e.ApprovalRequested | e.QuestionAsked]:
    """What people were asked and have not decided or answered, child turns included."""
    found: list[e.ApprovalRequested | e.QuestionAsked] = []
    for entry in state.calls.values():
        if entry.result is not None:
            continue
        if entry.request is not None and entry.decision is None:
            found.append(entry.request)
        elif entry.question is not None and entry.answer is None:
            found.append(entry.question)
        elif entry.child is not None:
            # They are decided in the turn that waits as a whole.
            below = pending_inputs(fold(entry.child))
            found += [msgspec.structs.replace(asked, turn_id=state.turn_id) for asked in below]
    return found


def is_open(entry: CallState) -> bool:
    """Whether a child turn answers the call and is not over."""
    return entry.result is None and bool(entry.child) and not isinstance(entry.child[-1], e.TurnFinished)


def call_prefix(started: e.TurnStarted | None) -> str:
    """What the ids of a turn's calls begin with, so that they are unique in the whole tree of turns."""
    return str(started.settings.get(CALL_PREFIX, "")) if started is not None else ""


def left_running(state: TurnState) -> bool:
    """Whether a child turn was left in the middle, for another worker to go on with."""
    return any(is_open(entry) and not isinstance(entry.child[-1], e.TurnWaiting) for entry in state.calls.values())  # pyright: ignore[reportOptionalSubscript]


def reopen(turn: "Turn", entry: CallState) -> "Turn | None":
    """The child turn of a call as its events tell of it, to record something in it; None where its sub-agent is not
    known any more. Nothing runs it."""
    sub_agent = turn.ports.sub_agents.get(entry.call.tool)
    if sub_agent is None or entry.child is None:
        return None
    child = sub_agent.open(turn, entry.call, entry.child, None)
    ran = turn.children.get(entry.call.id)
    if ran is not None:
        # Whether a call of it had started when it was cut off, only the turn that ran knows.
        child.unstarted, child.children = ran.unstarted, ran.children
    return child


def close_child(turn: "Turn", entry: CallState, cause: Cause, why: str) -> None:
    """Ends the child turn of a call that is given up, with all that is open in it."""
    if not is_open(entry) or (child := reopen(turn, entry)) is None:
        return
    if child.state.status == "paused":
        child.record(e.TurnResumed(**child.stamp()))
    child.close_calls(cause, why)
    child.finish("cancelled")
    adopt(turn, entry, child.take_recorded())
