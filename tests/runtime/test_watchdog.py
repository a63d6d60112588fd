"""The watchdog ends a process whose event loop works without a pause, and no other."""

import signal
import subprocess
import sys
import textwrap

import pytest

from glassloop.runtime.watchdog import EXIT_CODE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Timers on the CPU time of a thread are Linux's.")


def ended(body, limit_s=0.2):
    """A process that runs these lines on a loop that is watched."""
    program = f"""
import asyncio, itertools, resource, time
from glassloop.runtime.watchdog import watchdog

async def stand_still():
{textwrap.indent(textwrap.dedent(body), "    ")}

async def main():
    with watchdog({limit_s}):
        await asyncio.create_task(stand_still(), name="turn 17")
        print("went on")

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
asyncio.run(main())
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


def test_a_loop_that_works_without_a_pause_ends_its_process_and_says_whose_work_it_was():
    done = ended("while True: pass")
    assert done.returncode == EXIT_CODE
    assert "without a pause on turn 17" in done.stderr
    assert "while True: pass" not in done.stdout
    assert "stand_still" in done.stderr


def test_where_python_gets_no_chance_the_process_is_aborted_and_its_stack_written():
    # One call that never comes back to the interpreter: no handler in Python runs before it is over.
    done = ended("any(itertools.repeat(0))")
    assert done.returncode == -signal.SIGABRT
    assert "Fatal Python error: Aborted" in done.stderr
    assert "stand_still" in done.stderr


@pytest.mark.slow
def test_waiting_and_work_with_pauses_end_nothing():
    done = ended(
        """
        time.sleep(2.0)
        for _ in range(4):
            until = time.thread_time() + 0.45
            while time.thread_time() < until:
                pass
            await asyncio.sleep(1.05)
        """,
        limit_s=1.5,
    )
    assert (done.returncode, done.stdout) == (0, "went on\n"), done.stderr


@pytest.mark.slow
def test_work_in_a_thread_ends_nothing():
    done = ended("await asyncio.to_thread(lambda: [None for _ in iter(lambda: time.thread_time() < 2.0, False)])", 1.5)
    assert (done.returncode, done.stdout) == (0, "went on\n"), done.stderr
