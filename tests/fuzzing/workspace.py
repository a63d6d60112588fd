"""Folder, event loop, store and server that readers of bytes need, made when the first of them does."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from glassloop.core.messages import ModelRequest, UserMessage
from glassloop.core.ports import Model
from glassloop.retrieval.documents.readers import ProcessReader, Readers
from glassloop.store import open_store
from glassloop.store.store import Store
from models.conftest import Wire

T = TypeVar("T")


class UnhurriedReader(ProcessReader):
    """Stopped by its CPU time only: a busy machine is no fault of the document."""

    def check(self) -> None:
        """Looks at no clock."""


class Workspace:
    """Close it at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.readers = Readers(1, limit_s=1.0, start=UnhurriedReader)
        self._runner = asyncio.Runner()
        self._store: Store | None = None
        self._wire: tuple[Wire, asyncio.Server] | None = None
        self._models: dict[str, Model] = {}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def file(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    @property
    def store(self) -> Store:
        self._store = self._store or self.run(open_store(str(self.folder / "fuzz.db")))
        return self._store

    def stream(self, voice: Any, body: bytes, status: int = 200) -> None:
        """Has the model of a provider read this body."""
        self.run(self._stream(voice, body, status))

    async def _stream(self, voice: Any, body: bytes, status: int) -> None:
        if self._wire is None:
            wire = Wire()
            server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
            wire.url = "http://{}:{}".format(*server.sockets[0].getsockname()[:2])
            self._wire = wire, server
        wire = self._wire[0]
        wire.scripts.clear()
        half = len(body) // 2
        wire.plays([piece for piece in (body[:half], body[half:]) if piece], status=status)
        if voice.name not in self._models:
            self._models[voice.name] = voice.make(wire.url)
        async for _ in self._models[voice.name].stream(ModelRequest(system="", messages=(UserMessage("hi"),))):
            pass

    def close(self) -> None:
        self.readers.close()
        self.run(self._close())
        self._runner.close()

    async def _close(self) -> None:
        for model in self._models.values():
            await getattr(model, "aclose", _nothing)()
        if self._store is not None:
            await self._store.aclose()
        if self._wire is not None:
            self._wire[1].close()


async def _nothing() -> None:
    pass
