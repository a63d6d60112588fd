"""Statements of the log: appending to it, reading it, and the changes each event makes in the tables around it.

Functions over one connection inside one transaction; each checks all it must before it writes.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, get_args

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import MessagesWaiting, StoreError, UsageError
from glassloop.core.records import Json
from glassloop.store.engine.database import EventRow, SqlConnection, column_json, column_text
from glassloop.store.engine.encryption import Cipher
from glassloop.store.engine.paging import check_literal, newest
from glassloop.store.errors import Superseded
from glassloop.store.log.event_codec import EventBatch, to_event, to_events, unpacked
from glassloop.store.log.turn_tree import place_turn
from glassloop.store.records import BACKGROUND, IMPORTED, Channel, TurnRow, TurnStatus

TITLE_CHARS = 80
PAGE_ROWS, PAGE_BYTES = 64, 256_000
TraceOf = Callable[[Sequence[e.Durable]], Json]
"""What a turn's message shows as its `reasoning_trace`."""

_POSITION = """SELECT (SELECT last FROM events WHERE turn_id = :turn ORDER BY seq DESC LIMIT 1), epoch, status
 FROM turns WHERE id = :turn"""
_EVENTS = "SELECT turn_id, seq, last, at, kind, body FROM events WHERE turn_id = :turn AND last > :after ORDER BY seq"
_INSERT_ENCRYPTED = "INSERT INTO encrypted_events (turn_id, seq, body) VALUES (:turn, :seq, :body)"
_TURN = f"SELECT {', '.join(TurnRow.__struct_fields__)} FROM turns"  # noqa: S608


def append(
    db: SqlConnection,
    batch: EventBatch,
    epoch: int | None,
    *,
    again: bool = False,
    certain: bool = False,
    leave_messages: bool = False,
) -> None:
    """Stores a batch where it belongs, right after the turn's last event, and nowhere else.

    `certain`: a turn's beginning that is there already may fail with the database's own error. `leave_messages`: the
    turn ends though there may be messages that it has not taken in.
    """
    rows = batch.rows
    if rows[0].seq == 1 and certain:
        db.insert_events(rows)
    elif rows[0].seq == 1 or len(rows) > 1 or not db.insert_next(rows[0], epoch):
        if not _fits(db, batch, epoch, again=again):
            return
        db.insert_events(rows)
    for seq, body in batch.encrypted:
        db.run(_INSERT_ENCRYPTED, turn=batch.turn_id, seq=seq, body=body)
    answer: str | None = None
    for mark in batch.projected:
        if isinstance(mark, e.AnswerGiven):
            answer = column_text(mark.text)
        elif isinstance(mark, e.TurnFinished):
            _finished(db, mark, answer, leave_messages)
            answer = None
        else:
            _PROJECTIONS[type(mark)](db, mark)
    if answer is not None:
        db.run("UPDATE turns SET answer = :text WHERE id = :turn", text=answer, turn=batch.turn_id)


def _fits(db: SqlConnection, batch: EventBatch, epoch: int | None, *, again: bool) -> bool:
    """Raises where a batch cannot follow what the turn has; False where it is stored already, and that is fine."""
    turn_id, first = batch.turn_id, batch.rows[0]
    found = db.run(_POSITION, turn=turn_id)
    last, held, status = found[0] if found else (0, 0, None)
    if epoch is not None and epoch < held:
        raise Superseded(f"Turn {turn_id!r} was claimed with epoch {held} and this is epoch {epoch}: "
                         "another worker runs this turn.")  # fmt: skip
    if first.seq != last + 1:
        if again and is_stored(db, batch):
            return False
        raise Superseded(
            f"Event {first.seq} of turn {turn_id!r} is taken or skips one (the last is {last}): "
            "another worker runs this turn."
        )
    if status is None and first.kind != "turn_started":
        raise StoreError(f"Turn {turn_id!r} must start with 'turn_started', not {first.kind!r}.")
    if status not in (None, "running", "paused"):
        raise StoreError(f"Turn {turn_id!r} is {status}: nothing can follow its end.")
    return True


def is_stored(db: SqlConnection, batch: EventBatch) -> bool:
    """Whether the log has exactly these events where they belong."""
    first, last = batch.rows[0].seq, batch.rows[-1].last
    given = [e.encode(event) for row in batch.rows for event in to_events(row)]
    return read_lines(db, batch.turn_id, first - 1, last) == given


def read_lines(db: SqlConnection, turn_id: str, after: int, to: int | None = None) -> list[bytes]:
    """Events as lines of JSON, from after that one to that one, or to the last."""
    return [e.encode(event) for event in read_events(db, turn_id, after) if to is None or event.seq <= to]


def read_events(
    db: SqlConnection, turn_id: str, after: int = 0, *, skip_unknown: bool = False
) -> tuple[e.Durable, ...]:
    """As in `to_events`."""
    rows = read_rows(db, turn_id, after)
    return tuple(event for row in rows for event in to_events(row, after, skip_unknown=skip_unknown))


class EventPage(NamedTuple):
    """Some consecutive events of a turn, the number of the last one that was looked at (0: none), and whether there
    may be more."""

    events: tuple[e.Durable, ...]
    last: int
    more: bool


def read_page(db: SqlConnection, turn_id: str, after: int, *, skip_unknown: bool = False) -> EventPage:
    """The events after that one, about `PAGE_BYTES` of them."""
    found: list[e.Durable] = []
    size = last = 0
    rows = db.run(f"{_EVENTS} LIMIT :most", turn=turn_id, after=after, most=PAGE_ROWS)
    for number, values in enumerate(rows, 1):
        row = unpacked(EventRow(*values))
        found.extend(to_events(row, after, skip_unknown=skip_unknown))
        last = row.last
        size += len(row.body)
        if size >= PAGE_BYTES:
            return EventPage(tuple(found), last, more=number < len(rows) or number == PAGE_ROWS)
    return EventPage(tuple(found), last, more=len(rows) == PAGE_ROWS)


def readable_events(db: SqlConnection, turn_id: str, after: int = 0) -> Sequence[e.Durable]:
    """Those after that event and before the first row that is damaged."""
    found: list[e.Durable] = []
    try:
        for row in read_rows(db, turn_id, after):
            found.extend(to_events(row, skip_unknown=True))
    except StoreError:
        pass
    return found


def first_event(db: SqlConnection, turn_id: str) -> e.TurnStarted | None:
    rows = db.run(f"{_EVENTS} LIMIT 1", turn=turn_id, after=0)
    found = next(iter(to_events(EventRow(*rows[0]), skip_unknown=True)), None) if rows else None
    return found if isinstance(found, e.TurnStarted) else None


def read_unredacted(
    db: SqlConnection, turn_id: str, cipher: Cipher
) -> tuple[tuple[e.Durable, ...], tuple[e.Durable, ...]]:
    """A turn's events with the real values of those that are redacted in the log, for as long as it is not finished;
    and the same as the log has them, each the same object where nothing is redacted.

    Raises `WrongKey` where these cannot be had here.
    """
    found = db.run("SELECT seq, body FROM encrypted_events WHERE turn_id = :turn", turn=turn_id)
    events = read_events(db, turn_id)
    if not found:
        return events, events
    lines = {seq: cipher.decrypt(bytes(body), place(turn_id, seq)) for seq, body in found}
    return tuple(to_event(lines[event.seq]) if event.seq in lines else event for event in events), events


def place(turn_id: str, seq: int) -> str:
    """What an encrypted event is bound to."""
    return f"turn {turn_id!r}, event {seq}"


def read_rows(db: SqlConnection, turn_id: str, after: int) -> list[EventRow]:
    """Those that hold events after that one; the first may hold earlier ones too."""
    return [EventRow(*row) for row in db.run(_EVENTS, turn=turn_id, after=after)]


def last_seq(db: SqlConnection, turn_id: str) -> int:
    return db.run(_POSITION, turn=turn_id)[0][0]


def get_turn(db: SqlConnection, turn_id: str) -> TurnRow | None:
    found = turns_where(db, "id = :turn", turn=turn_id)
    return found[0] if found else None


def turns_of(
    db: SqlConnection, session_id: str, after: str | None, since: float, most: int = 2**31, *, path_only: bool = False
) -> Sequence[TurnRow]:
    """The session's turns in order, from after that one on; from the first where the session has no such turn.
    `path_only`: those that lead to the newest."""
    where = f"session_id = :session AND started_at > :since{' AND on_path = 1' if path_only else ''}"
    values: dict[str, object] = {"session": session_id, "since": since}
    last = None if after is None else get_turn(db, after)
    if last is not None and last.session_id == session_id:
        where += " AND (started_at > :at OR (started_at = :at AND id > :after))"
        values |= {"at": last.started_at, "after": last.id}
    return turns_where(db, f"{where} ORDER BY started_at, id LIMIT :most", **values, most=most)


def turn_ids(db: SqlConnection, session_id: str) -> Sequence[str]:
    found = db.run("SELECT id FROM turns WHERE session_id = :session ORDER BY started_at, id", session=session_id)
    return tuple(row[0] for row in found)


def listed(db: SqlConnection, limit: int, user_id: str | None, status: str | None) -> Sequence[TurnRow]:
    """Newest first."""
    check_literal(status, TurnStatus, "status")
    return tuple(map(_turn, newest(db, _TURN, "started_at", limit, user_id=user_id, status=status)))


def turns_where(db: SqlConnection, where: str, **values: object) -> Sequence[TurnRow]:
    return tuple(map(_turn, db.run(f"{_TURN} WHERE {where}", **values)))


def _turn(row: Sequence[Any]) -> TurnRow:
    fields = dict(zip(TurnRow.__struct_fields__, row, strict=True))
    for name in ("cancel_requested", "unseen", "on_path"):
        fields[name] = bool(fields[name])
    return TurnRow(**fields)


def refuse_session(event: e.TurnStarted) -> NoReturn:
    """For a session that is somebody else's."""
    raise UsageError(f"There is no session {event.session_id!r} of user {event.user!r}: start a new one.")


def title_of(question: str) -> str:
    """The title by rule: its first words."""
    return column_text(" ".join(column_text(question)[: 4 * TITLE_CHARS].split()))[:TITLE_CHARS]


def _started(db: SqlConnection, event: e.TurnStarted) -> None:
    question = column_text(event.question)
    title = title_of(question)
    channel = event.settings.get("channel")
    values = {
        "user": column_text(event.user),
        "at": event.at,
        "assistant": column_text(event.assistant),
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
        channel=channel if channel in get_args(Channel) else "api",
        title=title,
        **values,
    )
    if not owned:
        refuse_session(event)
    db.run(
        """INSERT INTO turns (id, session_id, user_id, assistant, status, epoch, worker, lease_until, claimed_seq,
 claims_without_progress, started_at, question, unseen, previous_turn_id)
 VALUES (:turn, :session, :user, :assistant, 'running', 0, '', 0, 0, 0, :at, :question, :unseen, :previous)""",
        turn=event.turn_id,
        previous=event.previous_turn_id,
        unseen=int(bool(event.settings.get(BACKGROUND)) and not event.settings.get(IMPORTED)),
        question=question,
        **values,
    )
    db.run(
        """INSERT INTO messages (session_id, turn_id, role, content, created_at)
 VALUES (:session, :turn, 'user', :content, :at)""",
        session=event.session_id,
        turn=event.turn_id,
        content=question if db.queryable else None,
        at=event.at,
    )
    if event.previous_turn_id is not None:
        place_turn(db, event)


def _claimed(db: SqlConnection, event: e.TurnClaimed) -> None:
    db.run("UPDATE turns SET epoch = :epoch, worker = :worker WHERE id = :turn",
           epoch=event.epoch, worker=column_text(event.worker), turn=event.turn_id)  # fmt: skip


def _paused(db: SqlConnection, event: e.TurnWaiting) -> None:
    """A paused turn releases its lease."""
    db.run("UPDATE turns SET status = 'paused', lease_until = 0 WHERE id = :turn", turn=event.turn_id)
    _set_session(db, event.turn_id, "awaiting_approval")


def _resumed(db: SqlConnection, event: e.TurnResumed) -> None:
    """A turn that waited is anybody's to run; one that ran stays with the worker that says it goes on."""
    db.run(
        "UPDATE turns SET status = 'running', worker = '', lease_until = 0 WHERE id = :turn AND status = 'paused'",
        turn=event.turn_id,
    )
    _set_session(db, event.turn_id, "active")


def _set_session(db: SqlConnection, turn_id: str, status: str) -> None:
    db.run(
        "UPDATE sessions SET status = :status WHERE id = (SELECT session_id FROM turns WHERE id = :turn)",
        status=status,
        turn=turn_id,
    )


def _finished(db: SqlConnection, event: e.TurnFinished, answer: str | None, leave_messages: bool) -> None:
    """Raises `MessagesWaiting` where the turn would be answered without a message that was sent to it."""
    (session_id, answer, sent), *_ = db.run(
        """UPDATE turns SET status = :status, finished_at = :at, lease_until = 0, error = :error, input_tokens = :read,
 output_tokens = :written, cost = :cost, latency_ms = :latency, answer = coalesce(:answer, answer) WHERE id = :turn
 RETURNING session_id, answer, messages_sent""",
        answer=answer,
        status=event.status,
        at=event.at,
        error=None if event.error is None else column_text(event.error),
        read=event.input_tokens,
        written=event.output_tokens,
        cost=event.cost,
        latency=event.seconds * 1000.0,
        turn=event.turn_id,
    )
    if sent:
        # A message that was withdrawn is not waited for.
        (last,), *_ = db.run("SELECT max(number) FROM turn_messages WHERE turn_id = :turn", turn=event.turn_id)
        if (last or 0) > event.messages and event.status == "completed" and not leave_messages:
            raise MessagesWaiting(f"Turn {event.turn_id!r} has taken in messages up to {event.messages} of {last}.")
        db.run("DELETE FROM turn_messages WHERE turn_id = :turn", turn=event.turn_id)
    db.run("DELETE FROM encrypted_events WHERE turn_id = :turn", turn=event.turn_id)
    says = answer is not None or event.error is not None
    if says:
        db.run(
            """INSERT INTO messages (session_id, turn_id, role, content, tokens_prompt, tokens_completion, latency_ms,
 created_at) VALUES (:session, :turn, 'assistant', :content, :read, :written, :latency, :at)""",
            session=session_id,
            turn=event.turn_id,
            content=(answer or column_text(event.error or "")) if db.queryable else None,
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


def trace_message(db: SqlConnection, batch: EventBatch, trace: TraceOf | None) -> None:
    """Puts what a turn did into its message, where people query that and the batch ends the turn."""
    if not db.queryable or not batch.projected or not isinstance(batch.projected[-1], e.TurnFinished):
        return
    events = readable_events(db, batch.turn_id)
    db.run(
        """UPDATE messages SET reasoning_trace = :trace, tool_calls = :calls WHERE role = 'assistant'
 AND turn_id = :turn AND session_id = (SELECT session_id FROM turns WHERE id = :turn)""",
        trace=column_json(None if trace is None else msgspec.to_builtins(trace(events))),
        calls=column_json(calls_of(events)),
        turn=batch.turn_id,
    )


def calls_of(events: Sequence[e.Durable]) -> list[Json]:
    """The calls of a turn, as its message shows them."""
    return [msgspec.to_builtins(event.call) for event in events if isinstance(event, e.ToolCalled)]


_PROJECTIONS: dict[type[msgspec.Struct], Callable[[SqlConnection, Any], None]] = {
    e.TurnStarted: _started,
    e.TurnClaimed: _claimed,
    e.TurnWaiting: _paused,
    e.TurnResumed: _resumed,
}
