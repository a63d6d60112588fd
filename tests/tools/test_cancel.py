"""A cancelled call: the thread that serves it learns of it, and nobody hears from it any more."""

import asyncio
import logging
import math
import threading
import time

import pytest
from pydantic import BaseModel

from glassloop import Agent, Limits, ScriptedModel, Tool, tool
from glassloop.core import events as e
from glassloop.core.errors import ToolUnavailable, UsageError
from glassloop.models.scripted_model import call
from glassloop.tools.context import ToolCancelled, ToolContext
from glassloop.tools.execution import threads
from glassloop.tools.process.program import run_process, run_process_sync
from loop_clock import pass_time
from tools.processes import gone, lines_of
from volatile_store import VolatileStore
from waiting import until


class Worker:
    """A plain tool that works until it is told to stop, or for a minute."""

    def __init__(self, **options):
        self.begun = threading.Event()
        self.ended = threading.Event()
        self.saw = []

        @tool(**options)
        def work(context: ToolContext) -> str:
            """Works."""
            self.begun.set()
            try:
                self.saw.append(context.wait(60))
                context.raise_if_cancelled()
                return "done"
            finally:
                self.ended.set()

        self.tool = work

    async def begins(self):
        assert await asyncio.to_thread(self.begun.wait, 60)

    async def ends(self):
        assert await asyncio.to_thread(self.ended.wait, 60)
        await until(lambda: threads.shared.abandoned == 0)


@pytest.fixture(autouse=True)
def no_complaints(caplog):
    """What nobody waits for is nobody's failure: not one record above a warning."""
    yield
    assert [record for record in caplog.records if record.levelno > logging.WARNING] == []


def test_a_context_made_by_hand_is_not_cancelled():
    context = ToolContext()
    context.raise_if_cancelled()
    assert not context.cancelled
    assert not context.wait(0.0)
    assert not context.wait(-1.0)


async def test_everyone_who_waits_for_a_cancellation_hears_it():
    cancellation = threading.Event()
    context = ToolContext(cancellation=cancellation)
    waiting = [asyncio.create_task(asyncio.to_thread(context.wait, 60)) for _ in range(3)]
    assert not await asyncio.to_thread(context.wait, 0.01)
    cancellation.set()
    assert await asyncio.wait_for(asyncio.gather(*waiting), 60) == [True, True, True]
    assert await asyncio.to_thread(context.wait, math.inf)
    with pytest.raises(ToolCancelled):
        context.raise_if_cancelled()


async def test_a_cancelled_task_is_seen_in_its_thread(bench):
    worker = Worker()
    task = asyncio.create_task(bench(worker.tool).call("work", {}))
    await worker.begins()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await worker.ends()
    assert worker.saw == [True]


async def test_the_timeout_of_a_tool_is_seen_in_its_thread(bench):
    worker = Worker(timeout_s=600)
    task = asyncio.create_task(bench(worker.tool).call("work", {}))
    await worker.begins()
    pass_time(600)
    result = await task
    assert (result.error, result.cause) == ("'work' timed out after 600 s.", "in_doubt")
    await worker.ends()
    assert worker.saw == [True]


def test_a_worker_that_shuts_down_is_seen_in_the_thread(bench):
    worker = Worker()

    async def main():
        task = asyncio.create_task(bench(worker.tool).call("work", {}))
        await worker.begins()
        return task

    asyncio.run(main())
    assert worker.ended.wait(60)
    assert worker.saw == [True]


async def test_a_tool_that_catches_all_errors_is_stopped_all_the_same(bench):
    begun, steps = threading.Event(), []

    @tool
    def stubborn(context: ToolContext) -> None:
        """Catches what it can."""
        begun.set()
        steps.append(context.wait(60))
        try:
            context.raise_if_cancelled()
        except Exception:
            steps.append("caught")
        steps.append("went on")

    task = asyncio.create_task(bench(stubborn).call("stubborn", {}))
    await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    await asyncio.wait([task])
    await until(lambda: threads.shared.abandoned == 0)
    assert steps == [True]


async def test_an_attempt_after_a_failed_one_is_not_cancelled(bench):
    seen = []

    @tool(effect="read", volatile=True, retries=1)
    def flaky(context: ToolContext) -> str:
        """Fails once."""
        seen.append(context)
        if len(seen) == 1:
            raise ToolUnavailable("away")
        return f"cancelled: {context.cancelled}"

    async def at_once(seconds):
        return None

    assert (await bench(flaky, sleep=at_once).call("flaky", {})).output == "cancelled: False"
    assert [context.cancelled for context in seen] == [True, False]


class Crunch(Tool):
    """An async tool that does its work in a thread of its own choice."""

    name = "crunch"

    class Input(BaseModel):
        pass

    def __init__(self):
        self.begun, self.saw = threading.Event(), []

    async def execute(self, asked, context, /):
        return await asyncio.to_thread(self._work, context)

    def _work(self, context):
        context.progress("on it")
        self.begun.set()
        self.saw.append(context.wait(60))
        context.progress("too late")


@pytest.mark.parametrize("form", ["class", "function"])
async def test_the_thread_of_an_async_tool_is_told_and_heard_too(bench, form):
    crunch, heard = Crunch(), []
    made = crunch
    if form == "function":

        @tool(name="crunch")
        async def made(context: ToolContext) -> None:
            """Crunches."""
            await asyncio.to_thread(crunch._work, context)

    def hear(message, fraction):
        heard.append((message, threading.current_thread() is threading.main_thread()))

    task = asyncio.create_task(bench(made).call("crunch", {}, progress=hear))
    await asyncio.to_thread(crunch.begun.wait, 60)
    await until(lambda: heard)
    task.cancel()
    await asyncio.wait([task])
    await until(lambda: crunch.saw)
    assert (crunch.saw, heard) == ([True], [("on it", True)])


async def test_waiting_on_the_event_loop_is_refused_with_the_remedy():
    with pytest.raises(UsageError, match=r"await asyncio\.sleep\(\)"):
        ToolContext().wait(1)
    with pytest.raises(UsageError, match=r"await run_process\(\)"):
        run_process_sync(["true"], ToolContext())


async def cancelled(stream, begins, *, after_s=60.0):
    """Listens, cancels when the work has begun, and gives the events; the stream must end within `after_s` of that."""

    async def listen():
        return [event async for event in stream]

    listening = asyncio.create_task(listen())
    await begins()
    stream.cancel()
    asked = time.monotonic()
    async with asyncio.timeout(60):
        events = await listening
    assert time.monotonic() - asked < after_s
    assert events[-1].status == "cancelled"
    return events


def outcomes(events):
    return [(event.result.cause, event.result.effect_unknown) for event in events if isinstance(event, e.ToolReturned)]


async def test_cancelling_a_turn_stops_the_thread_of_its_tool():
    worker = Worker(effect="read")
    stream = Agent(ScriptedModel([call("work")]), [worker.tool]).stream("Go")
    events = await cancelled(stream, worker.begins)
    await worker.ends()
    assert worker.saw == [True]
    assert outcomes(events) == [("cancelled", False)]


async def test_an_effect_that_goes_on_in_its_thread_is_unknown_and_its_late_result_is_not_recorded():
    begun, released, ran = threading.Event(), threading.Event(), []

    @tool(effect="write")
    def alter() -> str:
        """Knows nothing of being cancelled."""
        begun.set()
        ran.append(released.wait(60))
        return "altered"

    async def begins():
        assert await asyncio.to_thread(begun.wait, 60)

    store = VolatileStore()
    stream = Agent(ScriptedModel([call("alter"), "Never said."]), [alter], store=store).stream("Go")
    before = threads.shared.abandoned
    events = await cancelled(stream, begins)
    assert threads.shared.abandoned == before + 1
    assert outcomes(events) == [("cancelled", True)]
    released.set()
    await until(lambda: threads.shared.abandoned == before)
    assert ran == [True]
    stored = await store.read(stream.turn_id)
    assert outcomes(stored) == [("cancelled", True)]
    assert isinstance(stored[-1], e.TurnFinished)


async def test_the_time_limit_of_a_turn_stops_the_thread_of_its_tool():
    worker = Worker(effect="read")
    agent = Agent(ScriptedModel([call("work")]), [worker.tool], limits=Limits(seconds=600))
    task = asyncio.create_task(agent.run("Go"))
    await worker.begins()
    pass_time(600)
    response = await asyncio.wait_for(task, 60)
    assert "limit of 600 seconds" in response.text
    await worker.ends()
    assert worker.saw == [True]


async def test_a_required_call_that_fails_stops_the_threads_of_the_others():
    worker = Worker(effect="read")

    @tool(effect="read", required=True)
    async def fail() -> str:
        """Fails when the other has begun."""
        await worker.begins()
        raise ValueError("no")

    agent = Agent(ScriptedModel([[call("work"), call("fail")], "Over."]), [worker.tool, fail])
    await asyncio.wait_for(agent.run("Go"), 60)
    await worker.ends()
    assert worker.saw == [True]


TREE = "echo $$ > pids; sleep 100 & echo $! >> pids; wait"


def tree_tool(folder, form):
    if form == "async":

        @tool(effect="external")
        async def grow() -> str:
            """Runs a tree of processes."""
            return (await run_process(["sh", "-c", TREE], cwd=folder)).text

    else:

        @tool(effect="external")
        def grow(context: ToolContext) -> str:
            """Runs a tree of processes."""
            return run_process_sync(["sh", "-c", TREE], context, cwd=folder).text

    return grow


async def cut_down(tmp_path, form, after_s):
    async def begins():
        await until(lambda: len(lines_of(tmp_path / "pids")) == 2)

    stream = Agent(ScriptedModel([call("grow")]), [tree_tool(tmp_path, form)]).stream("Go")
    events = await cancelled(stream, begins, after_s=after_s)
    assert outcomes(events) == [("cancelled", True)]
    pids = [int(line) for line in lines_of(tmp_path / "pids")]
    if form == "async":
        assert all(gone(pid) for pid in pids)
    await until(lambda: all(gone(pid) for pid in pids))
    await until(lambda: threads.shared.abandoned == 0)


@pytest.mark.parametrize("form", ["async", "plain"])
async def test_cancelling_a_turn_ends_the_processes_of_its_tool(tmp_path, form):
    await cut_down(tmp_path, form, after_s=60.0)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["async", "plain"])
async def test_a_turn_whose_tool_runs_a_process_is_cancelled_within_a_second(tmp_path, form):
    await cut_down(tmp_path, form, after_s=1.0)


@pytest.mark.slow
async def test_a_turn_whose_tool_runs_in_a_thread_is_cancelled_within_a_second():
    worker = Worker(effect="read")
    await cancelled(Agent(ScriptedModel([call("work")]), [worker.tool]).stream("Go"), worker.begins, after_s=1.0)
    await worker.ends()
