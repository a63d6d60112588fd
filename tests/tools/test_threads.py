"""Plain functions run in threads: the event loop goes on, and what is left behind harms no one."""

import asyncio
import contextvars
import inspect
import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from glassloop.core.errors import ToolUnavailable
from glassloop.tools.execution.threads import ToolThreads
from glassloop.tools.tool import ToolContext, tool
from loop_clock import pass_time

language = contextvars.ContextVar("language", default="en")


async def test_a_blocking_function_does_not_block_the_event_loop(bench):
    loop, begun, released = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    @tool
    def block() -> str:
        """Block until the loop lets go."""
        loop.call_soon_threadsafe(begun.set)
        return "released" if released.wait(60) else "stuck"

    async def let_go() -> None:
        await begun.wait()
        released.set()

    result, _ = await asyncio.wait_for(asyncio.gather(bench(block).call("block", {}), let_go()), 60)
    assert result.output == "released"


async def test_it_runs_in_another_thread_with_the_callers_context_variables(bench):
    @tool
    def where() -> list:
        """Tell."""
        return [
            threading.current_thread() is threading.main_thread(),
            threading.current_thread().daemon,
            language.get(),
        ]

    language.set("fr")
    assert (await bench(where).call("where", {})).data == [False, True, "fr"]


async def test_several_run_at_the_same_time(bench):
    meeting = threading.Barrier(3, timeout=60)

    @tool(effect="read", volatile=True)
    def meet() -> int:
        """Wait for the others."""
        return meeting.wait()

    made = bench(meet)
    results = await asyncio.gather(*(made.call("meet", {}) for _ in range(3)))
    assert sorted(result.data for result in results) == [0, 1, 2]


async def test_a_function_that_hangs_times_out(bench):
    begun, released = threading.Event(), threading.Event()

    @tool(timeout_s=600)
    def hang() -> None:
        """Hang."""
        begun.set()
        released.wait(60)

    task = asyncio.create_task(bench(hang).call("hang", {}))
    assert await asyncio.to_thread(begun.wait, 60)
    pass_time(600)
    result = await task
    assert (result.error, result.cause) == ("'hang' timed out after 600 s.", "in_doubt")
    released.set()


async def test_a_function_that_was_left_behind_is_not_heard_any_more(bench):
    loop, begun, done = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    released, heard = threading.Event(), []

    @tool
    def hang(context: ToolContext) -> None:
        """Hang."""
        context.progress("on it")
        loop.call_soon_threadsafe(begun.set)
        released.wait(60)
        context.progress("too late")
        loop.call_soon_threadsafe(done.set)

    call = asyncio.create_task(bench(hang).call("hang", {}, progress=lambda *said: heard.append(said)))
    await asyncio.wait_for(begun.wait(), 60)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    released.set()
    await asyncio.wait_for(done.wait(), 60)
    assert heard == [("on it", None)]


async def test_progress_from_a_thread_arrives_in_the_loop_before_the_result(bench):
    heard = []

    @tool
    def count(to: int, context: ToolContext) -> str:
        """Count."""
        for number in range(to):
            context.progress(f"at {number}", number / to)
        return "counted"

    def hear(message: str, fraction: float | None) -> None:
        heard.append((message, fraction, threading.current_thread() is threading.main_thread()))

    await bench(count).call("count", {"to": 4}, progress=hear)
    assert heard == [("at 0", 0.0, True), ("at 1", 0.25, True), ("at 2", 0.5, True), ("at 3", 0.75, True)]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StopIteration("end"), "RuntimeError: raised StopIteration: end"),
        (SystemExit(3), "SystemExit: 3"),
        (CancelledError(), "CancelledError: what the tool waited for was cancelled."),
        (ValueError("bad"), "ValueError: bad"),
    ],
)
async def test_whatever_a_function_raises_is_its_failure(bench, error, told):
    @tool
    def fail() -> None:
        """Fail."""
        raise error

    assert (await bench(fail).call("fail", {})).error == told


async def test_a_plain_function_may_return_something_to_await(bench):
    async def later() -> str:
        return "later"

    @tool
    def now() -> object:
        """Put it off."""
        return later()

    assert (await bench(now).call("now", {})).output == "later"


async def test_no_more_threads_are_started_than_allowed():
    threads, inside, most = ToolThreads(limit=2), [], []
    lock = threading.Lock()

    def work() -> None:
        with lock:
            inside.append(1)
            most.append(len(inside))
        with lock:
            inside.pop()

    await asyncio.gather(*(threads.run(work, {}) for _ in range(50)))
    assert len(most) == 50
    assert max(most) <= 2


async def test_a_call_cancelled_while_it_queues_never_runs():
    threads, released, ran = ToolThreads(limit=1), threading.Event(), []
    busy = asyncio.create_task(threads.run(lambda: released.wait(60), {}))
    queued = asyncio.create_task(threads.run(lambda: ran.append(1), {}))
    await asyncio.sleep(0)
    queued.cancel()
    with pytest.raises(asyncio.CancelledError):
        await queued
    released.set()
    await busy
    await threads.run(lambda: None, {})
    assert ran == []


async def test_a_thread_whose_call_was_given_up_counts_as_abandoned_until_it_is_back():
    threads, begun, released = ToolThreads(limit=1), threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        released.wait(60)

    call = asyncio.create_task(threads.run(hang, {}))
    await asyncio.to_thread(begun.wait, 10)
    assert threads.abandoned == 0
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert threads.abandoned == 1
    released.set()
    await threads.run(lambda: None, {})
    assert threads.abandoned == 0


async def test_a_call_cancelled_while_it_queues_leaves_no_abandoned_thread():
    threads, begun, released = ToolThreads(limit=1), threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        released.wait(60)

    busy = asyncio.create_task(threads.run(hang, {}))
    await asyncio.to_thread(begun.wait, 10)
    queued = asyncio.create_task(threads.run(hang, {}))
    await asyncio.sleep(0)
    queued.cancel()
    await asyncio.wait([queued])
    assert threads.abandoned == 0
    released.set()
    await busy


async def test_something_to_await_that_comes_too_late_is_put_away():
    threads, begun, released, late = ToolThreads(limit=1), threading.Event(), threading.Event(), []

    async def later() -> str:
        return "later"

    def now() -> object:
        begun.set()
        released.wait(60)
        late.append(later())
        return late[0]

    call = asyncio.create_task(threads.run(now, {}))
    await asyncio.to_thread(begun.wait, 10)
    call.cancel()
    await asyncio.wait([call])
    released.set()
    await threads.run(lambda: None, {})
    assert inspect.getcoroutinestate(late[0]) == inspect.CORO_CLOSED


async def test_a_queue_that_is_full_says_so():
    threads, released = ToolThreads(limit=1, waiting=2), threading.Event()
    calls = [asyncio.create_task(threads.run(lambda: released.wait(60), {})) for _ in range(8)]
    done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_EXCEPTION, timeout=60)
    released.set()
    results = await asyncio.gather(*calls, return_exceptions=True)
    refused = [result for result in results if isinstance(result, ToolUnavailable)]
    assert done
    assert len(refused) >= 5
    assert "All 1 tool threads are busy" in str(refused[0])


def test_a_function_that_never_returns_does_not_keep_the_process_alive():
    code = (
        "import asyncio, threading\n"
        "from glassloop.tools.tool import tool\n"
        "from glassloop.tools.registry import ToolRegistry\n"
        "@tool(timeout_s=0.05)\n"
        "def hang() -> None:\n"
        "    'Hang.'\n"
        "    threading.Event().wait()\n"
        "print(asyncio.run(ToolRegistry([hang]).execute('hang')).error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("'hang' timed out after 0.05 s.\n", 0)
