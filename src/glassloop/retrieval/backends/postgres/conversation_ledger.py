"""Ledger of the sessions and turns in the index of conversations, for every server on the database.

As the ledger in a file: only ids and hashes, written down before anything goes into the index. It belongs to the index
by its row and is deleted with it.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

import psycopg

from glassloop.retrieval.backends.postgres.document_writer import plain
from glassloop.retrieval.backends.postgres.schema import LOCK, Connection, PgConnections, run
from glassloop.retrieval.collections.conversation_ledger import IndexedSession

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS retrieval_talks (index_id bigint NOT NULL REFERENCES retrieval_indexes ON DELETE "
    "CASCADE, id text NOT NULL, owner text NOT NULL, mark text NOT NULL, PRIMARY KEY (index_id, id))",
    "CREATE INDEX IF NOT EXISTS retrieval_talks_of_owner ON retrieval_talks (index_id, owner)",
    "CREATE TABLE IF NOT EXISTS retrieval_talk_turns (index_id bigint NOT NULL, session text NOT NULL, id text NOT "
    "NULL, ended boolean NOT NULL, PRIMARY KEY (index_id, session, id), FOREIGN KEY (index_id, session) REFERENCES "
    "retrieval_talks (index_id, id) ON DELETE CASCADE)",
)
_INDEX = "(SELECT id FROM retrieval_indexes WHERE name = %s)"


class PgLedger:
    """Of the index of that name. The tables are made when they are first needed."""

    faults: tuple[type[Exception], ...] = (psycopg.Error,)

    def __init__(self, connections: PgConnections, index: str) -> None:
        self._connections = connections
        self._index = index
        self._made = False

    def sessions(self, ids: Sequence[str] | None = None, owner: str | None = None) -> dict[str, IndexedSession]:
        """Of these, of this owner, or all."""
        where, values = "", list[object]()
        if ids is not None:
            where, values = " AND id = ANY(%s)", [[plain(each) for each in ids]]
        elif owner is not None:
            where, values = " AND owner = %s", [owner]
        sql = f"SELECT id, owner, mark FROM retrieval_talks WHERE index_id = {_INDEX}{where}"  # noqa: S608
        with self._use() as connection:
            return {row[0]: IndexedSession(*row) for row in run(connection, sql, [self._index, *values])}

    def ended(self, session: str) -> set[str]:
        """The turns of a session that are in the index whole."""
        sql = f"SELECT id FROM retrieval_talk_turns WHERE index_id = {_INDEX} AND session = %s AND ended"  # noqa: S608
        with self._use() as connection:
            return {str(row[0]) for row in run(connection, sql, [self._index, plain(session)])}

    def begin(self, sessions: Iterable[str], owner: str) -> None:
        """Something of these is about to go in."""
        with self._use() as connection:
            connection.execute("INSERT INTO retrieval_indexes (name) VALUES (%s) ON CONFLICT DO NOTHING", [self._index])
            run(
                connection,
                f"INSERT INTO retrieval_talks SELECT {_INDEX}, id, %s, '' FROM unnest(%s::text[]) AS new (id) "  # noqa: S608
                "ON CONFLICT DO NOTHING",
                [self._index, owner, sorted(map(plain, sessions))],
            )

    def add(self, turns: Iterable[tuple[str, str, bool]]) -> None:
        """Turns that went in, by session and id; whether they had ended. Not of sessions that were removed since."""
        given = {(plain(session), plain(turn)): ended for session, turn, ended in turns}
        values = [(session, turn, ended) for (session, turn), ended in sorted(given.items())]
        with self._use() as connection:
            run(
                connection,
                "INSERT INTO retrieval_talk_turns SELECT t.index_id, t.id, new.id, new.ended FROM "  # noqa: S608
                "unnest(%s::text[], %s::text[], %s::boolean[]) AS new (session, id, ended) JOIN retrieval_talks t "
                f"ON t.index_id = {_INDEX} AND t.id = new.session "
                "ON CONFLICT (index_id, session, id) DO UPDATE SET ended = excluded.ended",
                [*([each[place] for each in values] for place in range(3)), self._index],
            )

    def mark(self, marks: Iterable[tuple[str, str]]) -> None:
        """All that there was of these sessions is in."""
        given = sorted((plain(session), mark) for session, mark in marks)
        with self._use() as connection:
            run(
                connection,
                "UPDATE retrieval_talks t SET mark = new.mark FROM unnest(%s::text[], %s::text[]) AS new (id, mark) "  # noqa: S608
                f"WHERE t.index_id = {_INDEX} AND t.id = new.id",
                [[session for session, _ in given], [mark for _, mark in given], self._index],
            )

    def remove(self, sessions: Sequence[str]) -> None:
        with self._use() as connection:
            sql = f"DELETE FROM retrieval_talks WHERE index_id = {_INDEX} AND id = ANY(%s)"  # noqa: S608
            run(connection, sql, [self._index, [plain(each) for each in sessions]])

    def clear(self) -> None:
        with self._use() as connection:
            run(connection, f"DELETE FROM retrieval_talks WHERE index_id = {_INDEX}", [self._index])  # noqa: S608

    def close(self) -> None:
        """Connections are the library's."""

    @contextmanager
    def _use(self) -> Generator[Connection]:
        """In one transaction."""
        with self._connections.use() as (connection, _):
            if not self._made:
                self._make(connection)
            with connection.transaction():
                yield connection

    def _make(self, connection: Connection) -> None:
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            for statement in _SCHEMA:
                run(connection, statement)
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
        self._made = True
