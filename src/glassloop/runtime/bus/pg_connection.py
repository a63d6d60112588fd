"""PostgreSQL connection that is opened again whenever it is lost. The bus decides what is sent over it."""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

FIRST_WAIT_S = 0.5
MAX_WAIT_S = 10.0
CONNECT_S = 5
STATEMENT_S = 10.0

# A notification need not be on disk, and a peer that is gone must be noticed though nothing is sent.
_OPTIONS = "-c synchronous_commit=off"
_DEFAULTS = {
    "connect_timeout": CONNECT_S,
    "application_name": "glassloop bus",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
_NOTIFY = "SELECT pg_notify(%s, payload) FROM unnest(%s::text[]) AS payload"

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

_log = logging.getLogger(__name__)


async def connect(url: str) -> Connection:
    given = conninfo_to_dict(url)
    parameters: dict[str, Any] = {name: given.get(name) or value for name, value in _DEFAULTS.items()}
    parameters["options"] = f"{_OPTIONS} {given.get('options') or ''}"
    return await psycopg.AsyncConnection.connect(url, autocommit=True, client_encoding="utf8", **parameters)


async def channel_of(connection: Connection) -> str:
    """Where those who share this schema meet: as a digest, because a channel's name has 63 bytes at most."""
    found = await (await connection.execute("SELECT current_schema()")).fetchone()
    schema = str(found[0]) if found else ""
    return f"glassloop_{hashlib.sha256(schema.encode()).hexdigest()[:32]}"


async def listen(connection: Connection, channel: str) -> None:
    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))


async def notify(connection: Connection, channel: str, payloads: list[str]) -> None:
    """All of them, in order, in one commit."""
    async with asyncio.timeout(STATEMENT_S):
        await connection.execute(_NOTIFY, [channel, payloads])


async def stay_connected(url: str, first: Connection, serve: Callable[[Connection], Awaitable[None]]) -> None:
    """Serves one connection after the other, until `serve` returns. Waits longer each time, unless it went well."""
    loop = asyncio.get_running_loop()
    connection: Connection | None = first
    wait = FIRST_WAIT_S
    while True:
        began = loop.time()
        try:
            connection = connection or await connect(url)
            try:
                await serve(connection)
            finally:
                await connection.close()
        except Exception as error:
            # The edge of the bus: whatever goes wrong, those who publish must not feel it.
            connection = None
            if loop.time() - began > MAX_WAIT_S:
                wait = FIRST_WAIT_S
            _log.warning("no notifications for now, trying again in %.1f s: %s", wait, error)
        else:
            return
        await asyncio.sleep(wait)
        wait = min(2 * wait, MAX_WAIT_S)
