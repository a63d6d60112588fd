"""Workers as real processes, to be killed, stopped and woken; and a person who decides what they ask."""

import asyncio
import multiprocessing
import os
import signal
from contextlib import suppress
from pathlib import Path

from chaos.assistant import ASKED, Diary, make_agent
from chaos.worker import ShiftedClock, run, settings_for, submit_missing
from glassloop import Approval
from glassloop.core.errors import StoreAway
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.build import open_runtime
from tools.processes import state_of
from waiting import WAIT_S, until

IMPORTED = ("glassloop.runtime.bus.postgres", "glassloop.runtime.schedulers.queue", "glassloop.store.engine.postgres")
PATIENCE_S = 0.1
LEASE_S = 2.0

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["pytest", "chaos.worker", "chaos.secrets_assistant", *IMPORTED])


async def ended(runtime, questions, wait_s=WAIT_S):
    """Waits until no turn of these sessions runs or asks any more."""

    async def are_over():
        with suppress(StoreAway):
            rows = [await last_turn(runtime, session_id) for session_id in questions]
            return all(row is not None and row.status not in ("running", "paused") for row in rows)

    await until(are_over, "all turns are at their end", wait_s)


async def asks(runtime, session_id):
    """Waits until the session's turn asks; gives the turn and what it asks."""

    async def is_paused():
        row = await last_turn(runtime, session_id)
        return row if row is not None and row.status == "paused" else None

    row = await until(is_paused, f"the turn of {session_id!r} asks")
    (request,) = pending(await runtime.store.turns.read(row.id))
    return row.id, request


async def last_turn(runtime, session_id):
    rows = await runtime.store.turns.of_session(session_id)
    return rows[-1] if rows else None


class Server:
    """A PostgreSQL to be killed, and a schema there."""

    def __init__(self, server, url):
        self.url = url
        self._server = server

    async def kill(self):
        await asyncio.to_thread(self._server.kill)

    async def start(self):
        """As soon as the processes that a killed server left behind let go of its memory."""

        async def is_up():
            with suppress(RuntimeError):
                await asyncio.to_thread(self._server.start)
                return True

        await until(is_up, "the server is back")


class Worker:
    """One process. Forked from one that has imported everything, so that many can be killed in a short time."""

    def __init__(self, orders):
        self.log = Path(orders["log"])
        self.process = _processes.Process(target=run, args=(orders,), name=self.log.stem)
        self.process.start()
        self.pid = str(self.process.pid)

    @property
    def alive(self):
        return self.process.is_alive()

    def kill(self):
        self.process.kill()
        self._wait()

    async def freeze(self):
        """Stops it, and comes back when it has stopped: a signal takes its time."""
        os.kill(self.process.pid, signal.SIGSTOP)
        # It is the child of the process that forked it, so that the system tells us nothing of it by itself.
        await until(lambda: state_of(self.process.pid)[:1] in (["T"], []), f"{self.log.stem} stands still")

    def wake(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def end(self):
        """Lets it go in peace; its exit code."""
        self.process.terminate()
        return self._wait()

    def _wait(self):
        self.process.join(WAIT_S)
        assert not self.alive, f"{self.log.stem} does not end"
        return self.process.exitcode

    def said(self):
        return self.log.read_text() if self.log.exists() else ""


class Crew:
    """The workers of one test on one database, and what they did."""

    def __init__(self, folder, url):
        self.folder = folder
        self.url = url
        self.queue = url.startswith("postgres")
        self.lease_s = LEASE_S if self.queue else None
        self.diary = Diary(folder)
        self.workers = []

    def start(self, questions=None, *, gate=None, **more):
        """A worker; `more` are further orders, such as other `work` than running turns."""
        orders = {
            "folder": str(self.folder),
            "url": self.url,
            "queue": self.queue,
            "lease_s": self.lease_s,
            "questions": questions or {},
            "gate": gate,
            "log": str(self.folder / f"worker-{len(self.workers) + 1}.log"),
            **more,
        }
        worker = Worker(orders)
        self.workers.append(worker)
        return worker

    async def begin(self, runtime, questions, **options):
        """A worker, and questions for it; on a file it submits them itself, as only then it runs them."""
        if not self.queue:
            return self.start(questions, **options)
        await submit_missing(runtime, questions)
        return self.start(**options)

    @property
    def alive(self):
        return [worker for worker in self.workers if worker.alive]

    async def open_runtime(self):
        """One that submits, decides and looks, and runs nothing."""
        return await open_runtime(
            settings_for(self.folder, self.url),
            make=lambda wanted: make_agent(self.diary),
            queue=self.queue,
            runs_turns=False,
            recovers_turns=False,
            clock=ShiftedClock(self.folder),
        )

    def did(self, what, key=None, worker=None):
        """The lines of the diary about this."""
        return [
            line
            for line in self.diary.done()
            if line[0] == what and (key is None or line[1] == key) and (worker is None or line[-1] == worker.pid)
        ]

    async def ready(self, worker):
        await until(lambda: self.did("ready", worker=worker) or not worker.alive, "a worker is ready")
        assert worker.alive, worker.said()

    def close(self):
        for worker in self.workers:
            if worker.alive:
                worker.kill()
        for worker in self.workers:
            print(f"--- {worker.log.name}, pid {worker.pid}, ended with {worker.process.exitcode}")
            print(worker.said())


class Person:
    """Decides what turns ask, by turns: run it again, leave it as it is. With `async with`, all the time."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.decisions = 0

    async def __aenter__(self):
        self._deciding = asyncio.create_task(self._decide_for_ever())
        return self

    async def __aexit__(self, *_):
        self._deciding.cancel()
        await asyncio.wait([self._deciding])
        if not self._deciding.cancelled():
            self._deciding.result()

    async def _decide_for_ever(self):
        while True:
            with suppress(StoreAway):
                await self.decide_all()
            await asyncio.sleep(PATIENCE_S)

    async def decide_all(self):
        for row in await self.runtime.store.turns.list(1000, status="paused"):
            for request in pending(await self.runtime.store.turns.read(row.id)):
                self.decisions += 1
                await self.decide(row.id, request, approved=self.decisions % 2 == 0)

    async def decide(self, turn_id, request, *, approved):
        assert request.reason == "outcome_unknown" or request.call.tool in ASKED
        decision = Approval(call_id=request.call.id, digest=request.digest, approved=approved, by="the test")
        await self.runtime.approve(turn_id, [decision])
