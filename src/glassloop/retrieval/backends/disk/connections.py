"""Pool of connections to one document database, as many as there are threads that search at once."""

import queue
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from glassloop.retrieval.backends.disk import document_db as truth

KEPT = 8


class Connections:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue(KEPT)

    @contextmanager
    def use(self) -> Generator[sqlite3.Connection]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = truth.connect(self._path)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        try:
            self._idle.put_nowait(connection)
        except queue.Full:
            connection.close()

    def close(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return
