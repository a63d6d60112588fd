"""The durable event log and the tables around it: SQLite by default, PostgreSQL by URL, memory for tests.

Importing this is light: drivers and migrations are imported when a store is opened.
"""

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from glassloop.core.ports import Clock, Ids

if TYPE_CHECKING:
    from glassloop.store.engine.encryption import Cipher
    from glassloop.store.engine.migrate import MigrationBranch
    from glassloop.store.log.turn_log import TraceOf
    from glassloop.store.store import Store


async def open_store(
    url: str,
    *,
    secrets: Iterable[str] = (),
    clock: Clock = time.time,
    ids: Ids | None = None,
    trace: "TraceOf | None" = None,
    cipher: "Cipher | None" = None,
    branches: "Sequence[MigrationBranch]" = (),
) -> "Store":
    """Opens, and where needed makes or upgrades, the store at `url`: a path, `sqlite:///path`, or `postgresql://…`.

    `secrets` are values that are never stored in the clear. `cipher` encrypts what is redacted in the log of a turn,
    until the turn ends: without one, no other process can go on with a turn that holds secrets. `trace` turns a turn's
    events into what its message shows as `reasoning_trace`. `branches` are tables of extensions, made and upgraded with
    the store's own; `clock` and `ids` are for tests. Raises `StoreAway` for what cannot be reached for now, plain
    `StoreError` for what is damaged, of another version, or not ours, and then changes nothing.
    """
    import asyncio

    from glassloop.store.engine.encryption import Cipher
    from glassloop.store.engine.engine import StoreEngine
    from glassloop.store.log.redaction import Redactor
    from glassloop.store.store import Store

    def opened() -> Store:
        engine = StoreEngine(url, clock, ids, branches)
        return Store(engine, Redactor(secrets), cipher or Cipher.for_this_process(), trace)

    return await asyncio.to_thread(opened)
