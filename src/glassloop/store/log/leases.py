"""Leases: taking a turn in, claiming it, holding it, and noting that it is no longer wanted.

Functions over one connection inside one transaction. `begin` and `claim` need the locks that `locks_to_begin` and
`lock_to_claim` name, taken by whoever runs the transaction.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, TooManyTurns, UnknownName, UsageError
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.errors import SessionBusy, Superseded, TurnHeld
from glassloop.store.log import turn_log
from glassloop.store.log.event_codec import EventBatch, to_batch
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import ANONYMOUS, TurnRow

WINDOW_S = 60.0
"""The length of time that `session_rate` counts in."""

# SQLite uses an index over some of the rows only where a query repeats its condition word for word.
_ALIVE = "status IN ('running', 'paused')"
_ALIVE_IN_SESSION = f"SELECT id, status, user_id FROM turns WHERE session_id = :session AND {_ALIVE} AND id <> :turn"  # noqa: S608
_FULL_SINCE = """SELECT started_at FROM turns WHERE session_id = :session AND started_at > :since
 ORDER BY started_at DESC LIMIT 1 OFFSET :others"""
_RUNNING_OF_USER = f"SELECT count(*) FROM turns WHERE user_id = :user AND status = 'running' AND {_ALIVE}"  # noqa: S608
_NO_PROGRESS = (e.TurnStarted, e.TurnClaimed, e.TurnResumed)


class IntakeLimits(NamedTuple):
    """How many turns of a session may start within a minute, and how many of a named user may run at once; None:
    any."""

    session_rate: int | None = None
    user_turns: int | None = None


class TurnSignal(NamedTuple):
    """What a running turn's worker has to know: whether it is no longer wanted, how many messages were sent to it."""

    turn_id: str
    cancelled: bool
    messages_sent: int


def locks_to_begin(batch: EventBatch, limits: IntakeLimits) -> Sequence[str]:
    """Refuses what is not the beginning of a turn, and limits that would let none in."""
    started = _start_of(batch)
    for name, most in limits._asdict().items():
        if most is not None and most < 1:
            raise UsageError(f"A limit of {most} for {name!r} lets no turn in: give 1 or more, or None for no limit.")
    session, user = column_text(f"session {started.session_id}"), column_text(f"user {started.user}")
    return (session,) if limits.user_turns is None or started.user == ANONYMOUS else (session, user)


def begin(
    db: SqlConnection,
    batch: EventBatch,
    *,
    worker: str,
    lease_until: float,
    supersedes: bool,
    limits: IntakeLimits,
    again: bool,
) -> Sequence[str]:
    """A new turn, unless another one of its session is under way or a limit is reached; the turns it supersedes."""
    started = _start_of(batch)
    alive = db.run(_ALIVE_IN_SESSION, session=started.session_id, turn=batch.turn_id)
    others = tuple(row[0] for row in alive)
    if again and turn_log.is_stored(db, batch):
        return others if supersedes else ()
    if alive and not supersedes:
        turn_id, status, owner = alive[0]
        if owner != column_text(started.user):
            # Whose session it is comes first: nothing of another user's turn is told.
            turn_log.refuse_session(started)
        raise SessionBusy(
            f"Session {started.session_id!r} has a turn that is {status} ({turn_id!r}): "
            "wait for it, decide what it asks, cancel it, or supersede it.",
            turn_id,
        )
    _check_limits(db, started, limits)
    turn_log.append(db, batch, None)
    db.run("UPDATE turns SET worker = :worker, lease_until = :until WHERE id = :turn",
           worker=column_text(worker), until=lease_until, turn=batch.turn_id)  # fmt: skip
    return others


def session_of(batch: EventBatch) -> str:
    """The session of a turn that begins with this batch."""
    return _start_of(batch).session_id


def _start_of(batch: EventBatch) -> e.TurnStarted:
    started = batch.projected[0] if batch.projected else None
    if not isinstance(started, e.TurnStarted):
        raise UsageError(f"A turn begins with 'turn_started', not with {batch.rows[0].kind!r}.")
    return started


def _check_limits(db: SqlConnection, started: e.TurnStarted, limits: IntakeLimits) -> None:
    rate, most = limits
    if rate is not None:
        since = started.at - WINDOW_S
        full = db.run(_FULL_SINCE, session=started.session_id, since=since, others=rate - 1)
        if full:
            wait = min(full[0][0] - since, WINDOW_S)
            raise TooManyTurns(
                f"Session {started.session_id!r} has had {rate} questions within {WINDOW_S:.0f} s, which is its limit: "
                f"ask again in {math.ceil(wait)} s.",
                retry_after=wait,
            )
    if most is not None and started.user != ANONYMOUS:
        running = db.run(_RUNNING_OF_USER, user=column_text(started.user))[0][0]
        if running >= most:
            raise TooManyTurns(
                f"User {started.user!r} has {running} turns running, and {most} is the limit: "
                "wait until one ends, or cancel one.",
                retry_after=1.0,
            )


def lock_to_claim(turn_id: str) -> Sequence[str]:
    return (f"turn {turn_id}",)


def claim(db: SqlConnection, turn_id: str, worker: str, *, now: float, lease_s: float, epoch: int | None) -> int:
    """Takes a turn over: the new epoch. With `epoch`, only if that is still the turn's."""
    row = turn_log.get_turn(db, turn_id)
    if row is None:
        raise UnknownName(f"There is no turn {turn_id!r}.")
    if row.status not in ("running", "paused"):
        raise StoreError(f"Turn {turn_id!r} is {row.status}, so there is nothing to claim.")
    check_free("Turn", row.id, row.worker, row.epoch, row.lease_until, worker=worker, now=now, epoch=epoch)
    since = turn_log.readable_events(db, turn_id, row.claimed_seq)
    progressed = any(not isinstance(event, _NO_PROGRESS) for event in since)
    at_work = row.cpu_work is not None
    claimed = e.TurnClaimed(
        turn_id=turn_id, seq=turn_log.last_seq(db, turn_id) + 1, at=now, worker=worker, epoch=row.epoch + 1
    )
    turn_log.append(db, to_batch(turn_id, [claimed], Redactor()), None)
    db.run(
        """UPDATE turns SET lease_until = :until, claimed_seq = :seq, claims_without_progress = :claims,
 cpu_work = NULL, deaths = :deaths, died_in = coalesce(cpu_work, died_in) WHERE id = :turn""",
        until=now + lease_s,
        seq=claimed.seq,
        # Workers that cannot run it count themselves (`refuse`); one that was lost may have been lost to another turn.
        claims=0 if progressed else row.claims_without_progress,
        # Events of the step may have been lost with the process: what looks like progress may be the same work again.
        deaths=row.deaths + 1 if at_work else (0 if progressed else row.deaths),
        turn=turn_id,
    )
    return claimed.epoch


def refuse(db: SqlConnection, turn_id: str, epoch: int) -> None:
    """Gives a turn up that this epoch's worker cannot run, and counts that."""
    set_lease(db, turn_id, epoch, 0.0)
    db.run("UPDATE turns SET claims_without_progress = claims_without_progress + 1 WHERE id = :turn", turn=turn_id)


def mark(db: SqlConnection, turn_id: str, epoch: int, cpu_work: str | None) -> None:
    """Notes that CPU-bound work begins, or with None that it has ended; nothing where another has the turn by now."""
    db.run("UPDATE turns SET cpu_work = :work WHERE id = :turn AND epoch = :epoch", work=cpu_work, turn=turn_id,
           epoch=epoch)  # fmt: skip


def check_free(
    what: str, ident: str, holder: str, held: int, until: float, *, worker: str, now: float, epoch: int | None
) -> None:
    """Refuses a claim of what another worker holds, or took since `epoch` was read."""
    if epoch is not None and epoch != held:
        raise TurnHeld(
            f"{what} {ident!r} is of epoch {held} and not {epoch}: another worker ({holder!r}) was quicker, leave it."
        )
    if until > now and holder != worker:
        raise TurnHeld(
            f"{what} {ident!r} is held by worker {holder!r} for another {until - now:.1f} s: "
            "claim it when that is over."
        )


def set_lease(db: SqlConnection, turn_id: str, epoch: int, until: float) -> None:
    """Moves the end of a lease, if it is still this epoch's."""
    found = db.run(
        f"UPDATE turns SET lease_until = :until WHERE id = :turn AND epoch = :epoch AND {_ALIVE} RETURNING id",  # noqa: S608
        until=until,
        turn=turn_id,
        epoch=epoch,
    )
    if not found:
        raise Superseded(f"Turn {turn_id!r} is finished or no longer of epoch {epoch}: another worker runs this turn.")


def renew(db: SqlConnection, worker: str, held: Mapping[str, int], until: float) -> Sequence[str]:
    """Moves the end of all these leases, and names those that are no longer the worker's. A turn that waits for
    people stays its worker's until someone decides, without a lease."""
    renewed = db.run(
        f"""UPDATE turns SET lease_until = CASE WHEN status = 'running' THEN :until ELSE 0 END
 WHERE (id, epoch) IN ({db.pairs}) AND worker = :worker AND {_ALIVE} RETURNING id""",  # noqa: S608
        until=until,
        worker=column_text(worker),
        pairs=as_pairs(held),
    )
    kept = {row[0] for row in renewed}
    return tuple(turn_id for turn_id in held if turn_id not in kept)


def as_pairs(held: Mapping[str, int]) -> str:
    """For a statement with the database's `pairs`."""
    return msgspec.json.encode(list(held.items())).decode()


def request_cancel(db: SqlConnection, turn_id: str) -> None:
    """Notes the wish where the turn is not over; its worker sees to it."""
    db.run(f"UPDATE turns SET cancel_requested = 1 WHERE id = :turn AND {_ALIVE}", turn=turn_id)  # noqa: S608
    if turn_log.get_turn(db, turn_id) is None:
        raise UnknownName(f"There is no turn {turn_id!r}.")


def signalled(db: SqlConnection, worker: str) -> Sequence[TurnSignal]:
    found = db.run(
        f"""SELECT id, cancel_requested, messages_sent FROM turns WHERE status = 'running' AND {_ALIVE}
 AND worker = :worker AND (cancel_requested = 1 OR messages_sent > 0)""",  # noqa: S608
        worker=column_text(worker),
    )
    return [TurnSignal(turn_id, bool(cancelled), sent) for turn_id, cancelled, sent in found]


def unfinished(db: SqlConnection, before: float, limit: int) -> Sequence[TurnRow]:
    """Turns without a lease that run, or that wait and are no longer wanted; the longest abandoned first."""
    where = f"""(status = 'running' OR cancel_requested = 1) AND {_ALIVE} AND lease_until < :before
 ORDER BY lease_until, started_at LIMIT :most"""
    return turn_log.turns_where(db, where, before=before, most=limit)
