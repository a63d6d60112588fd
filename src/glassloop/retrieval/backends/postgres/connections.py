"""Connections of one library to PostgreSQL, kept for the next who needs one; and the lock that one writer holds."""

import queue
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict

from glassloop.core.errors import StoreAway
from glassloop.retrieval.backends.postgres.schema import GRAPH_FROM, Connection, DatabaseLayout, prepare

KEPT = 4
CONNECT_S = 5
POLL_S = 0.02
_OPTIONS = "-c lock_timeout=10s -c jit=off"
_KEY = "hashtextextended(current_schema() || '/retrieval/' || %s, 7)"


class PgConnections:
    """The tables are made with the first one."""

    def __init__(self, url: str, *, pgvector: bool = True, graph_from: int | None = None) -> None:
        self._url = url
        self._pgvector = pgvector
        self._graph_from = graph_from or GRAPH_FROM
        self._idle: queue.LifoQueue[Connection] = queue.LifoQueue(KEPT)
        self._layout: DatabaseLayout | None = None
        self._round = 0
        self._lock = threading.Lock()

    @contextmanager
    def use(self) -> Generator[tuple[Connection, DatabaseLayout]]:
        began = self._round
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connect()
        try:
            if self._layout is None:
                layout = prepare(connection, pgvector=self._pgvector)
                self._layout = msgspec.structs.replace(layout, graph_from=self._graph_from)
            yield connection, self._layout
        except psycopg.OperationalError:
            # The server may have been started again: the others are gone too.
            connection.close()
            self.close()
            raise
        finally:
            self._keep(connection, began)

    def _keep(self, connection: Connection, began: int) -> None:
        """Only one that has nothing under way, and that is not older than the last closing of all."""
        with self._lock:
            idle = not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            if idle and began == self._round and not self._idle.full():
                self._idle.put_nowait(connection)
                return
        connection.close()

    def close(self) -> None:
        """Those that are in use are closed by whoever gives them back."""
        with self._lock, suppress(queue.Empty):
            self._round += 1
            while True:
                self._idle.get_nowait().close()

    def _connect(self) -> Connection:
        given = conninfo_to_dict(self._url)
        return psycopg.connect(
            self._url,
            autocommit=True,
            # A plan for any values of a statement is a bad one here: how many rows a word has decides.
            prepare_threshold=None,
            connect_timeout=int(given.get("connect_timeout") or CONNECT_S),
            application_name=str(given.get("application_name") or "glassloop"),
            options=f"{_OPTIONS} {given.get('options') or ''}",
        )


@contextmanager
def write_lock(connection: Connection, index: str, wait_s: float) -> Generator[None]:
    """One connection writes an index at a time; its lock goes with it, however it ends."""
    until = monotonic() + wait_s
    while not _ask(connection, f"SELECT pg_try_advisory_lock({_KEY})", index):
        if monotonic() >= until:
            raise StoreAway(
                f"The index {index!r} is being written by another process, and was still after {wait_s:g} s: try "
                "again when that is done."
            )
        sleep(POLL_S)
    try:
        yield
    finally:
        if not connection.closed and not connection.broken:
            _ask(connection, f"SELECT pg_advisory_unlock({_KEY})", index)


def _ask(connection: Connection, statement: str, index: str) -> bool:
    row = connection.execute(statement, [index]).fetchone()  # pyright: ignore[reportArgumentType, reportCallIssue]
    return bool(row and row[0])
