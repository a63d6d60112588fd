"""The ending of a turn that nobody runs, from its log as far as that can be read."""

from collections.abc import Sequence

from glassloop.core import events as e
from glassloop.core.errors import ErrorType, GlassloopError
from glassloop.core.loop.fold import fold
from glassloop.core.loop.state import TurnState
from glassloop.store.records import TurnRow
from glassloop.store.store import Store


async def end_turn(
    store: Store, row: TurnRow, epoch: int, at: float, why: str | None, error_type: ErrorType = "system_error"
) -> e.TurnFinished:
    """Stores and returns the last event: the turn failed for that reason, or was cancelled where there is none."""
    finished = e.TurnFinished(
        turn_id=row.id,
        seq=await store.turns.last_seq(row.id) + 1,
        at=at,
        status="cancelled" if why is None else "failed",
        **_as_far_as_known(await store.turns.read_sound(row.id)).totals,
        seconds=at - row.started_at,
        error=why,
        error_type=None if why is None else error_type,
    )
    await store.turns.append(row.id, [finished], epoch=epoch)
    return finished


def gave_up(claims: int) -> str:
    return f"Failed: {claims} workers tried this turn and none made progress."


def _as_far_as_known(events: Sequence[e.Durable]) -> TurnState:
    try:
        return fold(events)
    except (GlassloopError, KeyError):
        return TurnState()
