"""Stores by the settings: where turns are stored, how a store is opened, and how a process is known on it."""

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassloop.core.ports import Clock
from glassloop.runtime.durable.worker_identity import LEASE_S, LeaseIdentity, LockIdentity, WorkerIdentity
from glassloop.runtime.settings import Settings
from glassloop.store import open_store
from glassloop.store.engine.urls import MEMORY, file_of, is_postgres

if TYPE_CHECKING:
    from glassloop.store.engine.encryption import Cipher
    from glassloop.store.store import Store

FILE_NAME = "glassloop.db"
KEY_FILE = "encryption.key"


def store_url(settings: Settings) -> str:
    """Where turns are stored."""
    if not settings.session_store_enabled:
        return MEMORY
    return settings.database_url or str(settings.home_path / FILE_NAME)


def cipher_of(settings: Settings) -> "Cipher":
    """What encrypts with the key that all servers and workers of a database share."""
    from glassloop.store.engine.encryption import Cipher

    key = settings.encryption_key
    return Cipher.from_text(key) if key else Cipher.from_file(settings.home_path / KEY_FILE)


async def open_settings_store(settings: Settings, url: str | None = None, *, clock: Clock = time.time) -> "Store":
    """The store of these settings, or the one at that URL with their key; keys that are set never reach it."""
    return await open_store(
        store_url(settings) if url is None else url,
        secrets=settings.secrets,
        clock=clock,
        trace=_trace,
        cipher=cipher_of(settings),
        branches=settings.extensions.branches,
    )


def worker_identity(url: str, lease_s: float | None = None, clock: Clock = time.time) -> WorkerIdentity:
    """This process among those that use the database. Blocks: for a SQLite file it takes a lock."""
    if is_postgres(url):
        return LeaseIdentity(LEASE_S if lease_s is None else lease_s, clock)
    path = file_of(url)
    return LockIdentity(path if path == MEMORY else os.path.realpath(path))


def _trace(events: Sequence[object]) -> object:
    from glassloop.projections.reasoning_trace import reasoning_trace

    return reasoning_trace(events)  # pyright: ignore[reportArgumentType]
