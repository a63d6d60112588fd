"""A runtime in the test's own process, whose turns wait at the gate, and those who watch them."""

import asyncio

from chaos.assistant import GATE, Diary, make_agent
from chaos.worker import settings_for, write_down
from glassloop.core import events as e
from glassloop.runtime.build import open_runtime
from waiting import until

WATCH_S = 120.0


class Here:
    """One runtime, what its tools did and what it promised."""

    def __init__(self, runtime, diary):
        self.runtime = runtime
        self.diary = diary

    @classmethod
    async def open(cls, folder, url, **options):
        diary = Diary(folder)
        settings = settings_for(folder, url)
        runtime = await open_runtime(settings, make=lambda _: make_agent(diary, gate=GATE), **options)
        write_down(runtime.bus, diary)
        return cls(runtime, diary)

    async def submit(self, question):
        """Gives who watches the turn."""
        submitted = await self.runtime.submit(question, session_id="s")
        return Watcher(self.runtime, submitted.turn_id)

    async def submit_to_gate(self, question):
        """Returns when the turn waits at the gate, and is watched."""
        watcher = await self.submit(question)
        await until(lambda: self.noted("waits"), "the turn waits at the gate")
        await until(lambda: watcher.seen, "somebody watches the turn")
        return watcher

    def noted(self, *what):
        return [line[0] for line in self.diary.done() if line[0] in what]

    @property
    def effects(self):
        return self.noted("begun", "did")

    def open_gate(self):
        self.diary.open_gate()


class Watcher:
    """What somebody who watches a turn from now on sees."""

    def __init__(self, runtime, turn_id):
        self.turn_id = turn_id
        self.seen = []
        self._runtime = runtime
        self._task = asyncio.create_task(self._watch())

    async def _watch(self):
        async for event in self._runtime.watch(self.turn_id):
            self.seen.append(event)

    async def to_its_end(self):
        """All that was seen."""
        async with asyncio.timeout(WATCH_S):
            await self._task
        return self.seen

    async def stored(self):
        """Waits until the log has all that was shown, and nothing else."""
        shown = [event for event in self.seen if type(event) not in e.TRANSIENT]

        async def is_stored():
            return len(await self._runtime.store.turns.read(self.turn_id)) >= len(shown)

        await until(is_stored, "the log has the whole turn")
        assert list(await self._runtime.store.turns.read(self.turn_id)) == shown
