"""Waiting until something is so, and what PostgreSQL says about who waits."""

import asyncio
import time

import psycopg

DEADLINE_S = 60


async def until(condition):
    """Waits until `condition`, run in a thread, holds."""
    end = time.monotonic() + DEADLINE_S
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < end, "it never came to that"
        await asyncio.sleep(0.005)


def waiting(url):
    """How many of a store's connections wait for a lock."""
    asked = """SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'glassloop'
 AND datname = current_database()"""
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(asked).fetchone()[0]
