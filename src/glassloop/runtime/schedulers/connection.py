"""Procrastinate's way to PostgreSQL: one connection for its statements, and one that listens.

Every commit waits for the disk, though the queue is no journal: a killed server that forgot the last of its jobs would
give their numbers to others, and whoever still holds one would take the wrong job off.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import psycopg
from procrastinate import PsycopgConnector
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import UndefinedFunction, UndefinedObject, UndefinedTable
from psycopg.pq import TransactionStatus
from psycopg.sql import SQL, Identifier

from glassloop.core.errors import StoreAway, StoreError
from glassloop.store.engine.postgres import explain as explain_refusal
from glassloop.store.engine.postgres import without_password

# What Procrastinate has to say goes to whoever listens for it, and nowhere where nobody does.
logging.getLogger("procrastinate").addHandler(logging.NullHandler())

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

CONNECT_S = 5
TIMEOUT_S = 10.0
SILENCE_S = 30.0
"""How long the listening connection hears nothing before it is tried."""

_OPTIONS = "-c synchronous_commit=on -c idle_in_transaction_session_timeout=60s"
_A_JOB_CAME = '{"type": "job_inserted", "job_id": 0}'


async def _connect(url: str) -> Connection:
    given = conninfo_to_dict(url)
    return await psycopg.AsyncConnection.connect(
        url,
        autocommit=True,
        connect_timeout=int(given.get("connect_timeout") or CONNECT_S),
        application_name=str(given.get("application_name") or "glassloop-queue"),
        options=f"{_OPTIONS} {given.get('options') or ''}",
    )


class SingleConnectionPool:
    """What Procrastinate takes for a pool.

    A real one goes on trying by itself while the server is away, and lets everyone wait for that; this one fails at
    once, and connects anew when it is next used.
    """

    def __init__(self, url: str, patience_s: float) -> None:
        self._url = url
        self._patience_s = patience_s
        self._lock = asyncio.Lock()
        self._open: Connection | None = None
        self._closed = False

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection, None]:
        try:
            async with asyncio.timeout(self._patience_s), self._lock:
                if self._closed:
                    raise psycopg.OperationalError("this process has closed it")
                connection = await self._ready()
                try:
                    yield connection
                finally:
                    if connection.info.transaction_status != TransactionStatus.IDLE:
                        await connection.close()
        except TimeoutError as error:
            raise psycopg.OperationalError(f"no answer in {self._patience_s:g} s") from error

    async def close(self) -> None:
        """For good."""
        async with self._lock:
            self._closed = True
            if self._open is not None:
                await self._open.close()

    async def _ready(self) -> Connection:
        if self._open is not None:
            try:
                await self._open.execute("")
            except psycopg.OperationalError:
                await self._open.close()
            else:
                return self._open
        self._open = await _connect(self._url)
        return self._open


class QueueConnector(PsycopgConnector):
    """Connects by itself when it is used, until `close_async`."""

    def __init__(self, url: str, patience_s: float = TIMEOUT_S) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._url = url
        self._patience_s = patience_s
        self._one = SingleConnectionPool(url, patience_s)

    @property
    def pool(self) -> Any:
        return self._one

    async def close_async(self) -> None:
        await self._one.close()

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Every sound on the channels means that a job came: what it says is anybody's word, and not read."""
        async with await _connect(self._url) as connection:
            for channel in channels:
                await connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
            # Jobs that came before we listened made no sound.
            await on_notification(channel="", payload=_A_JOB_CAME)
            while True:
                async with aclosing(connection.notifies(timeout=SILENCE_S)) as sounds:
                    async for sound in sounds:
                        await on_notification(channel=sound.channel, payload=_A_JOB_CAME)
                async with asyncio.timeout(self._patience_s):
                    await connection.execute("")


def explain(url: str, error: Exception) -> StoreError:
    """In words, and without the password, why the queue did not do it."""
    where = without_password(url)
    cause = error.__cause__ if isinstance(error, ConnectorException) else error
    said = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
    if isinstance(cause, UndefinedTable | UndefinedFunction | UndefinedObject):
        return StoreError(
            f"There is no queue in {where!r}: open the store there to create one ({said}).",
            shown="The database has no queue: contact the operator of this server.",
        )
    if isinstance(cause, psycopg.Error):
        return explain_refusal(where, cause)
    if isinstance(cause, OSError):
        return StoreAway(
            f"The queue in {where!r} cannot be reached: check that the server is running ({said})",
            shown="The queue cannot be reached: try again in a moment.",
        )
    return StoreError(
        f"The queue in {where!r} cannot be used ({said}).",
        shown="The queue is not available: contact the operator of this server.",
    )
