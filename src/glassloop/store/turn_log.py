"""The log of turns: appending to it, claiming a turn, and what each event changes in the tables around it.

Functions over one connection inside one transaction; each checks all it must before it writes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UnknownName, UsageError
from glassloop.store.database import Database
from glassloop.store.errors import SessionBusy, Superseded, TurnHeld
from glassloop.store.records import TurnRow
from glassloop.store.redaction import Redactor
from glassloop.store.stored_form import Batch, Row, plain, to_batch, to_line

TITLE_CHARS = 80
AT_ONCE = 16
"""Rows that are checked and stored by one statement; more are checked first."""

_POSITION = """SELECT (SELECT max(seq) FROM events WHERE turn_id = :turn), epoch, status FROM turns WHERE id = :turn"""
_EVENTS = "SELECT turn_id, seq, at, kind, body FROM events WHERE turn_id = :turn AND seq > :after ORDER BY seq"
_TURN = f"SELECT {', '.join(TurnRow.__struct_fields__)} FROM turns"  # noqa: S608
_PROGRESS = """SELECT 1 FROM events WHERE turn_id = :turn AND seq > :after
 AND kind NOT IN ('turn_started', 'turn_claimed', 'turn_resumed') LIMIT 1"""


def append(db: Database, batch: Batch, epoch: int | None, *, again: bool = False) -> None:
    """Stores a batch where it belongs, right after the turn's last event, and nowhere else."""
    turn_id, rows = batch.turn_id, batch.rows
    if not batch.marks and len(rows) <= AT_ONCE and db.insert_next(rows, epoch):
        return
    found = db.run(_POSITION, turn=turn_id)
    last, held, status = found[0] if found else (0, 0, None)
    first = rows[0].seq
    if epoch is not None and epoch < held:
        raise Superseded(f"Turn {turn_id!r} was claimed with epoch {held} and this is epoch {epoch}: "
                         "another worker runs this turn.")  # fmt: skip
    if first != last + 1:
        if again and _lines(read_rows(db, turn_id, first - 1)[: len(rows)]) == _lines(rows):
            return
        raise Superseded(
            f"Event {first} of turn {turn_id!r} is taken or skips one (the last is {last}): "
            "another worker runs this turn."
        )
    if status is None and rows[0].kind != "turn_started":
        raise StoreError(f"Turn {turn_id!r} must start with 'turn_started', not {rows[0].kind!r}.")
    if status not in (None, "running", "paused"):
        raise StoreError(f"Turn {turn_id!r} is {status}: nothing can follow its end.")
    db.insert_events(rows)
    answer: str | None = None
    for mark in batch.marks:
        if isinstance(mark, e.AnswerGiven):
            answer = plain(mark.text)
        elif isinstance(mark, e.TurnFinished):
            _finished(db, mark, answer)
            answer = None
        else:
            _PROJECTIONS[type(mark)](db, mark)
    if answer is not None:
        db.run("UPDATE turns SET answer = :text WHERE id = :turn", text=answer, turn=turn_id)


def _lines(rows: Sequence[Row]) -> list[bytes]:
    return [to_line(row) for row in rows]


def read_rows(db: Database, turn_id: str, after: int) -> list[Row]:
    return [Row(*row) for row in db.run(_EVENTS, turn=turn_id, after=after)]


def begin(db: Database, batch: Batch, *, worker: str, lease_until: float, supersedes: bool) -> None:
    """A new turn, unless another one of its session is under way."""
    started = batch.marks[0] if batch.marks else None
    if not isinstance(started, e.TurnStarted):
        raise UsageError(f"A turn begins with 'turn_started', not with {batch.rows[0].kind!r}.")
    db.lock(f"session {started.session_id}")
    if not supersedes:
        alive = db.run(
            "SELECT id, status FROM turns WHERE session_id = :session AND status IN ('running', 'paused') LIMIT 1",
            session=started.session_id,
        )
        if alive:
            turn_id, status = alive[0]
            raise SessionBusy(
                f"Session {started.session_id!r} has a turn that is {status} ({turn_id!r}): "
                "wait for it, decide what it asks, cancel it, or supersede it.",
                turn_id,
            )
    append(db, batch, None)
    db.run("UPDATE turns SET worker = :worker, lease_until = :until WHERE id = :turn",
           worker=worker, until=lease_until, turn=batch.turn_id)  # fmt: skip


def claim(db: Database, turn_id: str, worker: str, *, now: float, lease_s: float) -> int:
    """Takes a turn over: the new epoch."""
    db.lock(f"turn {turn_id}")
    row = get_turn(db, turn_id)
    if row is None:
        raise UnknownName(f"There is no turn {turn_id!r}.")
    if row.status not in ("running", "paused"):
        raise StoreError(f"Turn {turn_id!r} is {row.status}: there is nothing left to claim.")
    if row.lease_until > now and row.worker != worker:
        raise TurnHeld(
            f"Turn {turn_id!r} is held by worker {row.worker!r} for another {row.lease_until - now:.1f} s: "
            "claim it when that is over."
        )
    progressed = bool(db.run(_PROGRESS, turn=turn_id, after=row.claimed_seq))
    last = db.run(_POSITION, turn=turn_id)[0][0]
    claimed = e.TurnClaimed(turn_id=turn_id, seq=last + 1, at=now, worker=worker, epoch=row.epoch + 1)
    append(db, to_batch(turn_id, [claimed], Redactor()), None)
    db.run(
        """UPDATE turns SET lease_until = :until, claimed_seq = :seq, claims_without_progress = :claims
 WHERE id = :turn""",
        until=now + lease_s,
        seq=claimed.seq,
        claims=1 if progressed else row.claims_without_progress + 1,
        turn=turn_id,
    )
    return claimed.epoch


def set_lease(db: Database, turn_id: str, epoch: int, until: float) -> None:
    """Moves the end of a lease, if it is still this epoch's."""
    found = db.run(
        """UPDATE turns SET lease_until = :until WHERE id = :turn AND epoch = :epoch
 AND status IN ('running', 'paused') RETURNING id""",
        until=until,
        turn=turn_id,
        epoch=epoch,
    )
    if not found:
        raise Superseded(f"Turn {turn_id!r} is finished or no longer of epoch {epoch}: another worker runs this turn.")


def get_turn(db: Database, turn_id: str) -> TurnRow | None:
    found = _turns(db.run(f"{_TURN} WHERE id = :turn", turn=turn_id))
    return found[0] if found else None


def turns_of(db: Database, session_id: str) -> Sequence[TurnRow]:
    return _turns(db.run(f"{_TURN} WHERE session_id = :session ORDER BY started_at, id", session=session_id))


def turn_ids(db: Database, session_id: str) -> Sequence[str]:
    found = db.run("SELECT id FROM turns WHERE session_id = :session ORDER BY started_at, id", session=session_id)
    return tuple(row[0] for row in found)


def unfinished(db: Database, before: float, limit: int) -> Sequence[TurnRow]:
    sql = f"{_TURN} WHERE status = 'running' AND lease_until < :before ORDER BY lease_until LIMIT :most"
    return _turns(db.run(sql, before=before, most=limit))


def _turns(rows: Sequence[tuple[Any, ...]]) -> Sequence[TurnRow]:
    return tuple(TurnRow(**dict(zip(TurnRow.__struct_fields__, row, strict=True))) for row in rows)


def _started(db: Database, event: e.TurnStarted) -> None:
    question = plain(event.question)
    title = plain(" ".join(question[: 4 * TITLE_CHARS].split()))[:TITLE_CHARS]
    channel = event.settings.get("channel")
    values = {
        "user": plain(event.user),
        "at": event.at,
        "assistant": plain(event.assistant),
        "session": event.session_id,
    }
    owned = db.run(
        """INSERT INTO sessions (id, user_id, channel, started_at, last_active, message_count, status, metadata, title,
 assistant) VALUES (:session, :user, :channel, :at, :at, 1, 'active', '{}', :title, :assistant)
 ON CONFLICT (id) DO UPDATE SET last_active = excluded.last_active, message_count = sessions.message_count + 1,
 status = 'active', ended_at = NULL,
 title = CASE WHEN sessions.title = '' THEN excluded.title ELSE sessions.title END,
 assistant = CASE WHEN sessions.assistant = '' THEN excluded.assistant ELSE sessions.assistant END
 WHERE sessions.user_id = excluded.user_id RETURNING id""",
        channel=channel if channel in ("web", "api", "cli") else "api",
        title=title,
        **values,
    )
    if not owned:
        raise UsageError(f"There is no session {event.session_id!r} of user {event.user!r}: start a new one.")
    db.run(
        """INSERT INTO turns (id, session_id, user_id, assistant, status, epoch, worker, lease_until, claimed_seq,
 claims_without_progress, started_at, question)
 VALUES (:turn, :session, :user, :assistant, 'running', 0, '', 0, 0, 0, :at, :question)""",
        turn=event.turn_id,
        question=question,
        **values,
    )
    db.run(
        """INSERT INTO messages (session_id, turn_id, role, created_at) VALUES (:session, :turn, 'user', :at)""",
        session=event.session_id,
        turn=event.turn_id,
        at=event.at,
    )


def _claimed(db: Database, event: e.TurnClaimed) -> None:
    db.run("UPDATE turns SET epoch = :epoch, worker = :worker WHERE id = :turn",
           epoch=event.epoch, worker=plain(event.worker), turn=event.turn_id)  # fmt: skip


def _paused(db: Database, event: e.TurnPaused) -> None:
    _set_status(db, event.turn_id, "paused", "awaiting_approval")


def _resumed(db: Database, event: e.TurnResumed) -> None:
    _set_status(db, event.turn_id, "running", "active")


def _set_status(db: Database, turn_id: str, turn: str, session: str) -> None:
    db.run("UPDATE turns SET status = :status WHERE id = :turn", status=turn, turn=turn_id)
    db.run(
        "UPDATE sessions SET status = :status WHERE id = (SELECT session_id FROM turns WHERE id = :turn)",
        status=session,
        turn=turn_id,
    )


def _finished(db: Database, event: e.TurnFinished, answer: str | None) -> None:
    (session_id, answer), *_ = db.run(
        """UPDATE turns SET status = :status, finished_at = :at, lease_until = 0, error = :error, input_tokens = :read,
 output_tokens = :written, cost = :cost, latency_ms = :latency, answer = coalesce(:answer, answer) WHERE id = :turn
 RETURNING session_id, answer""",
        answer=answer,
        status=event.status,
        at=event.at,
        error=None if event.error is None else plain(event.error),
        read=event.input_tokens,
        written=event.output_tokens,
        cost=event.cost,
        latency=event.seconds * 1000.0,
        turn=event.turn_id,
    )
    says = answer is not None or event.error is not None
    if says:
        db.run(
            """INSERT INTO messages (session_id, turn_id, role, tokens_prompt, tokens_completion, latency_ms,
 created_at) VALUES (:session, :turn, 'assistant', :read, :written, :latency, :at)""",
            session=session_id,
            turn=event.turn_id,
            read=event.input_tokens,
            written=event.output_tokens,
            latency=event.seconds * 1000.0,
            at=event.at,
        )
    db.run(
        """UPDATE sessions SET message_count = message_count + :more, last_active = :at, status = 'active'
 WHERE id = :session""",
        more=int(says),
        at=event.at,
        session=session_id,
    )


_PROJECTIONS: dict[type[msgspec.Struct], Callable[[Database, Any], None]] = {
    e.TurnStarted: _started,
    e.TurnClaimed: _claimed,
    e.TurnPaused: _paused,
    e.TurnResumed: _resumed,
}
