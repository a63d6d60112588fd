"""Schedulers to test, the queue's where the store has made it, and work that says what happens to it."""

import asyncio
from collections import Counter

import psycopg
import pytest

from glassloop.runtime.schedulers.in_process import InProcessScheduler
from glassloop.runtime.schedulers.queue import QueueScheduler
from postgres_server import empty
from waiting import until


def rows(url, sql="SELECT status::text FROM procrastinate_jobs ORDER BY id"):
    with psycopg.connect(url, autocommit=True) as connection:
        return [row[0] for row in connection.execute(sql).fetchall()]


class Performed:
    """Work that goes on until it is let go, each piece by itself or all at once."""

    def __init__(self):
        self.begun = []
        self.ended = []
        self.cancelled = []
        self.running = Counter()
        self.most = 0
        self.gates = {}
        self.all = asyncio.Event()

    def gate(self, ident):
        return self.gates.setdefault(ident, asyncio.Event())

    async def __call__(self, work, ident):
        self.begun.append((work, ident))
        self.running[ident] += 1
        self.most = max(self.most, self.running.total())
        try:
            if not self.all.is_set():
                await self.gate(ident).wait()
            self.ended.append((work, ident))
        except asyncio.CancelledError:
            self.cancelled.append((work, ident))
            raise
        finally:
            self.running[ident] -= 1

    async def has_begun(self, *idents):
        await until(lambda: set(idents) <= {ident for _, ident in self.begun})


@pytest.fixture
def queue_url(made_schema):
    """Where the store has made an empty queue."""
    empty(made_schema)
    return made_schema


@pytest.fixture
async def performed():
    return Performed()


@pytest.fixture(params=["in process", "queue"])
async def make(request):
    """Makes schedulers that are stopped at the end, and sees to it that they leave nothing running."""
    made = []
    url = request.getfixturevalue("queue_url") if request.param == "queue" else None

    def build(concurrency=10):
        made.append(QueueScheduler(url, concurrency) if url else InProcessScheduler(concurrency))
        return made[-1]

    yield build
    for scheduler in made:
        await scheduler.stop(0)
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})
