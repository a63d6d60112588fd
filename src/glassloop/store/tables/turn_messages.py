"""Messages that people sent to turns which run or wait, until the turn is over.

A message is numbered in the transaction that looks whether the turn still takes it, and a turn cannot end before it has
taken in every number: so none is lost, and none is taken in twice. The turn's row has the number up to which they were
taken in, written in the transaction that reads them: only a message after it can be withdrawn. Fills the port `Inbox`.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from glassloop.core.errors import UnknownName
from glassloop.core.loop.inbox import MAX_MESSAGES, IncomingMessage, over, read_message, too_many
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.encryption import Cipher
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import Record

_COUNT = """UPDATE turns SET messages_sent = messages_sent + 1
 WHERE id = :turn AND status IN ('running', 'paused') AND messages_sent < :most RETURNING messages_sent"""
_ADD = """INSERT INTO turn_messages (turn_id, number, at, by_user, text, encrypted)
 VALUES (:turn, :number, :at, :by, :text, :encrypted)"""
_LOCK = "UPDATE turns SET messages_taken = messages_taken WHERE id = :turn RETURNING messages_taken"
"""Readers and withdrawals of a turn's messages wait for one another."""
_TAKE = "UPDATE turns SET messages_taken = :number WHERE id = :turn"
_WAITING = """SELECT number, text, by_user FROM turn_messages JOIN turns ON turns.id = turn_messages.turn_id
 WHERE turn_id = :turn AND number > messages_taken ORDER BY number"""
_WITHDRAW = "DELETE FROM turn_messages WHERE turn_id = :turn AND number = :number RETURNING number"
_AFTER = """SELECT number, by_user, text, encrypted FROM turn_messages WHERE turn_id = :turn AND number > :number
 ORDER BY number"""


class WaitingMessage(Record, frozen=True, kw_only=True):
    """A message that its turn has not taken in. `number` counts those of the turn from 1."""

    number: int
    text: str
    by: str


class TurnMessageTable:
    """Messages by turn. What redaction takes out of one lies encrypted beside it, as with events."""

    def __init__(self, engine: StoreEngine, redactor: Redactor, cipher: Cipher) -> None:
        self._engine = engine
        self._redactor = redactor
        self._cipher = cipher

    async def send(self, turn_id: str, text: str, by: str) -> int:
        """Keeps a message for the turn, and says its number. Raises `UsageError` where the turn takes none."""
        text, now = read_message(text), self._engine.clock()
        shown = column_text(self._redactor.text(text))

        def work(db: SqlConnection) -> int:
            counted = db.run(_COUNT, turn=turn_id, most=MAX_MESSAGES)
            if not counted:
                _refuse(db, turn_id)
            number: int = counted[0][0]
            encrypted = None if shown == text else self._cipher.encrypt(text.encode(), _place(turn_id, number))
            db.run(_ADD, turn=turn_id, number=number, at=now, by=column_text(by), text=shown, encrypted=encrypted)
            return number

        return await self._engine.write(work, sync=True)

    async def after(self, turn_id: str, number: int) -> Sequence[IncomingMessage]:
        """As they were written, those after that number, in order. They count as taken in from now on."""

        def work(db: SqlConnection) -> Sequence[Sequence[Any]]:
            db.run(_LOCK, turn=turn_id)
            rows = db.run(_AFTER, turn=turn_id, number=number)
            if rows:
                db.run(_TAKE, turn=turn_id, number=rows[-1][0])
            return rows

        # Most turns have none, and reading waits for no writer.
        if not await self._engine.read(lambda db: db.run(_AFTER, turn=turn_id, number=number)):
            return []
        return [self._message(turn_id, *row) for row in await self._engine.write(work)]

    async def waiting(self, turn_id: str) -> Sequence[WaitingMessage]:
        """Those that the turn has not taken in, as they may be shown."""
        rows = await self._engine.read(lambda db: db.run(_WAITING, turn=turn_id))
        return [WaitingMessage(number=number, text=text, by=by) for number, text, by in rows]

    async def withdraw(self, turn_id: str, number: int) -> bool:
        """Takes a message back; false where the turn has taken it in, or is over."""

        def work(db: SqlConnection) -> bool:
            waits = any(number > taken for (taken,) in db.run(_LOCK, turn=turn_id))
            return waits and bool(db.run(_WITHDRAW, turn=turn_id, number=number))

        return await self._engine.write(work, sync=True)

    def _message(self, turn_id: str, number: int, by: str, text: str, encrypted: bytes | None) -> IncomingMessage:
        if encrypted is not None:
            text = self._cipher.decrypt(bytes(encrypted), _place(turn_id, number)).decode()
        return IncomingMessage(number=number, text=text, by=by, admitted=True)


def _place(turn_id: str, number: int) -> str:
    """What an encrypted message is bound to."""
    return f"turn {turn_id!r}, message {number}"


def _refuse(db: SqlConnection, turn_id: str) -> NoReturn:
    found = db.run("SELECT status FROM turns WHERE id = :turn", turn=turn_id)
    if not found:
        raise UnknownName(f"There is no turn {turn_id!r}.")
    status = found[0][0]
    raise too_many(turn_id) if status in ("running", "paused") else over(turn_id, status)
