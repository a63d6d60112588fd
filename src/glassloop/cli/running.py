"""What a command works on, for as long as it runs: the store, or a runtime around it, on an event loop."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from glassloop.cli.streams import complain
from glassloop.core.errors import StoreAway, UsageError
from glassloop.runtime.assistants import absolute
from glassloop.runtime.build import open_runtime, open_settings_store, store_url
from glassloop.runtime.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.store.engine.urls import file_of, is_postgres
from glassloop.store.store import Store

GRACE_S = 2.0


@contextmanager
def running(settings: Settings, *, stored: bool = False) -> Generator[tuple[asyncio.Runner, Runtime]]:
    """An event loop and the runtime on it. Turns of lost processes are left to `glassloop resume` and to servers.

    `stored`: about what is stored, and so never in memory instead.
    """
    if stored:
        _refuse_memory(settings)
    with asyncio.Runner() as runner:
        runtime = runner.run(open_runtime(settings, keeps=False) if stored else _open(settings))
        try:
            yield runner, runtime
        finally:
            runner.run(runtime.aclose(GRACE_S))


@contextmanager
def storing(settings: Settings, *, made: bool = False) -> Generator[tuple[asyncio.Runner, Store]]:
    """An event loop and the store on it, for commands that run no turns. `made`: never one that is not there yet."""
    _refuse_memory(settings)
    url = store_url(settings)
    if made and not is_postgres(url) and not Path(file_of(url)).exists():
        raise UsageError(f"There is no database {file_of(url)!r}: set DATABASE_URL or GLASSLOOP_HOME to where one is.")
    with asyncio.Runner() as runner:
        store = runner.run(open_settings_store(settings))
        try:
            yield runner, store
        finally:
            runner.run(store.aclose())


def _refuse_memory(settings: Settings) -> None:
    if not settings.session_store_enabled:
        raise UsageError("Nothing is stored while SESSION_STORE_ENABLED is false: set it to true.")


async def _open(settings: Settings) -> Runtime:
    try:
        return await open_runtime(settings, keeps=False)
    except StoreAway as error:
        complain(f"{error} What is said now is kept in memory only.")
        return await open_runtime(msgspec.structs.replace(settings, session_store_enabled=False), keeps=False)


def where(assistant: str) -> str:
    """The assistant as a turn remembers it: a folder by its whole path, so that it is found again from elsewhere."""
    return absolute(assistant, Path.cwd())
