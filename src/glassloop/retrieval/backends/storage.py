"""Storage of a library's indexes: a folder, or PostgreSQL."""

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from glassloop.core.errors import StoreAway, UnknownName, UsageError
from glassloop.own_folder import make_own
from glassloop.retrieval.backends.backend import Backend
from glassloop.retrieval.collections.conversation_ledger import ConversationLedger, FileLedger

if TYPE_CHECKING:
    from glassloop.retrieval.backends.postgres.backend import PostgresBackend

LEDGER = "ledger.db"


class IndexStorage(Protocol):
    def names(self) -> list[str]: ...

    def identify(self, name: str, *, make: bool) -> object:
        """What tells the index of that name from another that takes its place later. Quick."""
        ...

    def open(self, name: str, *, make: bool) -> Backend: ...

    def ledger(self, name: str) -> ConversationLedger:
        """Of the conversations in the index of that name."""
        ...

    def close(self) -> None: ...


class FolderStorage:
    """A folder for each index; a file in it says its name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        found: list[str] = []
        for path in self._folder.glob("*/name"):
            with suppress(OSError):
                found.append(path.read_text("utf-8"))
        return sorted(found)

    def identify(self, name: str, *, make: bool) -> object:
        folder = self._of(name)
        if make and not (folder / "name").is_file():
            make_own(folder)
            (folder / "name").write_text(name, "utf-8")
        try:
            return (folder / "name").stat().st_ino
        except OSError as error:
            there = ", ".join(map(repr, self.names()[:20])) or "none yet"
            raise UnknownName(
                f"There is no index {name!r}: make it first, or choose from those there are ({there})."
            ) from error

    def open(self, name: str, *, make: bool) -> Backend:  # noqa: ARG002
        from glassloop.retrieval.backends.disk.backend import DiskBackend

        return DiskBackend(self._of(name), name)

    def ledger(self, name: str) -> ConversationLedger:  # noqa: ARG002
        return FileLedger(self._folder / LEDGER)

    def close(self) -> None:
        """Each index closes what it holds."""

    def _of(self, name: str) -> Path:
        readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40].lower()
        return self._folder / f"{readable or 'index'}-{hashlib.blake2b(name.encode(), digest_size=6).hexdigest()}"


class PostgresStorage:
    """Tables in a database. Nothing is asked of it before an index is used."""

    def __init__(self, url: str, *, pgvector: bool, graph_from: int | None) -> None:
        try:
            from glassloop.retrieval.backends.postgres.schema import PgConnections
        except ImportError as error:
            raise UsageError(
                f"Indexes in PostgreSQL need the extra: pip install 'glassloop[postgres]' ({error})."
            ) from error
        self._connections: PgConnections = PgConnections(url, pgvector=pgvector, graph_from=graph_from)
        self._backends: dict[str, PostgresBackend] = {}

    def names(self) -> list[str]:
        import psycopg

        from glassloop.retrieval.backends.postgres.backend import names

        try:
            with self._connections.use() as (connection, _):
                return names(connection)
        except psycopg.Error as error:
            raise StoreAway(f"The indexes cannot be listed ({error}): check the database, then try again.") from error

    def identify(self, name: str, *, make: bool) -> object:
        """Names are all there is; what is to be made is made with its next use."""
        if make and name in self._backends:
            self._backends[name].make = True
        return name

    def open(self, name: str, *, make: bool) -> Backend:
        from glassloop.retrieval.backends.postgres.backend import PostgresBackend

        opened = self._backends[name] = PostgresBackend(self._connections, name, make=make)
        return opened

    def ledger(self, name: str) -> ConversationLedger:
        from glassloop.retrieval.backends.postgres.conversation_ledger import PgLedger

        return PgLedger(self._connections, name)

    def close(self) -> None:
        self._connections.close()
