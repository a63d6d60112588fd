"""Processes of our own end with the process that started them, whatever they are doing."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress

CHILD = """
from glassloop.python_child import end_with_parent
end_with_parent(0.05)
print("ready", flush=True)
while True: pass
"""
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, flush=True)
time.sleep(600)
"""


async def test_a_child_that_is_busy_ends_with_its_parent():
    parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert parent.stdout.readline() == b"ready\n"
    try:
        parent.kill()
        # The pipe ends when both are gone.
        async with asyncio.timeout(60):
            assert await asyncio.to_thread(parent.stdout.read) == b""
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        parent.kill()
        parent.wait()
        parent.stdout.close()
