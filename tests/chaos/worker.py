"""A worker, as a process of its own: `run` is all it does.

Runs turns until it is told to end, or is killed. It looks for what others left all the time, and writes down every
durable event that it publishes: that is what it has promised to be stored.
"""

import asyncio
import hashlib
import logging
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from chaos.assistant import Diary, make_agent
from glassloop.core import events as e
from glassloop.core.errors import StoreAway, UnknownName
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings
from glassloop.runtime.watchdog import watchdog

LOOK_S = 0.05
FROZEN_S = 1.0
"""CPU time of the loop without a tick, after which a worker ends."""


def fingerprint(event):
    return hashlib.sha256(e.encode(event)).hexdigest()


def settings_for(folder, url):
    return Settings(home=str(folder), database_url=url, session_rate=0, user_turns=0)


def write_down(bus, diary):
    """Every durable event on its way to those who watch; not those of a turn that said it goes on in memory."""
    publish, delayed = bus.publish, set()

    def publish_and_note(event):
        if isinstance(event, e.LogDelayed):
            delayed.add(event.turn_id)
            diary.note("delayed", event.turn_id)
        elif type(event) not in e.TRANSIENT and event.turn_id not in delayed:
            diary.acknowledge(event.turn_id, event.seq, fingerprint(event))
        publish(event)

    bus.publish = publish_and_note


class ShiftedClock:
    """The clock of schedules: the machine's, moved by as many seconds as a file of the test says."""

    def __init__(self, folder):
        self._file = Path(folder) / "clock"

    def __call__(self):
        try:
            return time.time() + float(self._file.read_text())
        except FileNotFoundError:
            return time.time()

    def move(self, seconds):
        """For all processes at once: the file is replaced as a whole."""
        new = self._file.with_suffix(".new")
        new.write_text(str(self() - time.time() + seconds))
        new.replace(self._file)


async def submit_missing(runtime, questions):
    """Each question in a session of its own, whether this process or an earlier one submits it."""
    for session_id, question in questions.items():
        try:
            await runtime.session(session_id)
        except UnknownName:
            await runtime.submit(question, session_id=session_id)


async def work(orders):
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("procrastinate").setLevel(logging.WARNING)
    diary = Diary(orders["folder"])
    runtime = await open_runtime(
        settings_for(orders["folder"], orders["url"]),
        make=lambda wanted: make_agent(diary, gate=orders["gate"]),
        queue=orders["queue"],
        lease_s=orders["lease_s"],
        clock=ShiftedClock(orders["folder"]),
    )
    write_down(runtime.bus, diary)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    diary.note("ready", runtime.worker)
    await submit_missing(runtime, orders["questions"])
    looks = 0
    watching = watchdog(FROZEN_S)
    watching.__enter__()
    while not ended.is_set():
        with suppress(StoreAway):
            await runtime.reconcile()
            await runtime.schedules.poll()
            looks += 1
            diary.note("looked", looks)
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), LOOK_S)
    watching.__exit__(None, None, None)
    await runtime.aclose(5.0)


async def replace_a_turn(orders):
    """A worker that asks two questions and then another in place of the second, which waits at the gate."""
    runtime = await open_runtime(
        settings_for(orders["folder"], orders["url"]),
        make=lambda wanted: make_agent(Diary(orders["folder"]), gate=orders["gate"]),
        queue=orders["queue"],
        lease_s=orders["lease_s"],
    )
    before, first, edited = orders["asked"]
    for question in (before, first):
        asked = await runtime.submit(question, session_id="s")
        async for _ in runtime.watch(asked.turn_id):
            pass
    await runtime.versions.regenerate(asked.turn_id, edited)
    await asyncio.Event().wait()


def run(orders):
    """Until it is told to end. What it has to say goes into the file of its orders."""
    output = os.open(orders["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(output, stream)
    asyncio.run(orders.get("work", work)(orders))
