"""Processes of our own end with the process that started them, whatever they are doing."""

import os
import signal
import subprocess
import sys

from waiting import until

CHILD = "from glassloop.python_child import end_with_parent; end_with_parent(0.05)\nwhile True: pass"
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, flush=True)
time.sleep(600)
"""


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_child_that_is_busy_ends_with_its_parent():
    parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        assert is_there(child)
        parent.kill()
        await until(lambda: not is_there(child), "the child to end")
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
        if is_there(child):
            os.kill(child, signal.SIGKILL)
