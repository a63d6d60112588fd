"""Bytes under way of each user: request bodies that are held, and answers that wait for their client to read them.

Answers are sent in pieces, so that of a client that does not read one piece waits in the connection and not all of it.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from starlette.types import Message, Send

PIECE_BYTES = 65_536
ROOM_S = 90.0
"""How long the next part of an answer waits for room; by then whoever takes nothing was let go."""


class ByteBudget:
    """At most so many bytes of each name; the first that one holds may be more."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._held: dict[str, int] = {}
        self._freed: dict[str, asyncio.Event] = {}

    @contextmanager
    def account(self, name: str) -> Generator["ByteAccount"]:
        """What one request holds; all of it is given back at the end."""
        opened = ByteAccount(self, name)
        try:
            yield opened
        finally:
            opened.give_back()

    def take(self, name: str, count: int) -> bool:
        held = self._held.get(name, 0)
        if held and held + count > self._each:
            return False
        self._held[name] = held + count
        return True

    async def take_later(self, name: str, count: int, seconds: float) -> bool:
        """Whether there was room for them within that time."""
        try:
            async with asyncio.timeout(seconds):
                while not self.take(name, count):
                    await self._freed.setdefault(name, asyncio.Event()).wait()
        except TimeoutError:
            return False
        return True

    def give(self, name: str, count: int) -> None:
        left = self._held.get(name, 0) - count
        if left > 0:
            self._held[name] = left
        else:
            self._held.pop(name, None)
        if (freed := self._freed.pop(name, None)) is not None:
            freed.set()


class ByteAccount:
    """Of one request."""

    def __init__(self, budget: ByteBudget, name: str) -> None:
        self._budget = budget
        self._name = name
        self._held = 0

    def take(self, count: int) -> bool:
        """Whether there was room for so many more."""
        if count and not self._budget.take(self._name, count):
            return False
        self._held += count
        return True

    async def take_later(self, count: int, seconds: float) -> bool:
        """The same, after waiting for room."""
        if not await self._budget.take_later(self._name, count, seconds):
            return False
        self._held += count
        return True

    def give(self, count: int) -> None:
        self._budget.give(self._name, count)
        self._held -= count

    def give_back(self) -> None:
        if self._held:
            self._budget.give(self._name, self._held)
            self._held = 0


class AnswerCutOff(Exception):
    """An answer under way has no room for its next part: its connection ends."""


class PacedSend:
    """Sends large bodies in pieces. An answer that says it is large and has no room in the account is left out, and
    `refused` says so; a large part of one whose size nobody knew before waits for room, and where none comes the answer
    is cut off."""

    def __init__(self, send: Send, account: ByteAccount, room_s: float = ROOM_S) -> None:
        self._send = send
        self._room_s = room_s
        self._account = account
        self._counted = False
        self.refused = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            size = _length(message)
            self._counted = size > PIECE_BYTES
            self.refused = self._counted and not self._account.take(size)
        if self.refused:
            return
        body: bytes = message.get("body", b"")
        if len(body) <= PIECE_BYTES:
            await self._send(message)
        elif self._counted:
            await self._send_pieces(message, body)
        elif await self._account.take_later(len(body), self._room_s):
            await self._send_pieces(message, body)
            self._account.give(len(body))
        else:
            raise AnswerCutOff

    async def _send_pieces(self, message: Message, body: bytes) -> None:
        view, more = memoryview(body), message.get("more_body", False)
        for begin in range(0, len(body), PIECE_BYTES):
            end = begin + PIECE_BYTES
            rest = more or end < len(body)
            await self._send({"type": "http.response.body", "body": bytes(view[begin:end]), "more_body": rest})


def _length(start: Message) -> int:
    told = dict(start.get("headers", ())).get(b"content-length", b"")
    return int(told) if told.isdigit() else 0
