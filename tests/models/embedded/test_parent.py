"""The child does not outlive its parent, however that one ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import until_sync

PARENT = """
import asyncio, os, sys
from pathlib import Path
from glassloop.core.messages import ModelRequest, UserMessage
from glassloop.extensions.embedded.model import EmbeddedModel
from glassloop.extensions.embedded.options import EmbeddedOptions

async def main():
    model = EmbeddedModel(EmbeddedOptions(weights=Path(sys.argv[1]), conversations=1))
    async for _ in model.stream(ModelRequest(system="S", messages=(UserMessage("Q"),), max_tokens=1400)):
        if sys.argv[2] == "fork" and os.fork() == 0:
            # A relative that keeps the pipe open.
            os.close(1)
            signal = __import__("signal")
            signal.pause()
        print(model.engine.child.pid, model.engine.child.socket, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["alone", "fork"])
def test_a_killed_parent_takes_its_child_with_it(weights: Path, way: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(weights), way], stdout=subprocess.PIPE, text=True, process_group=0
    )
    assert parent.stdout is not None
    try:
        pid, socket = parent.stdout.readline().split()
        assert _runs(int(pid))
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait(60)
        until_sync(lambda: not _runs(int(pid)) and not Path(socket).parent.exists(), "the end of the child")
    finally:
        os.killpg(parent.pid, signal.SIGKILL) if way == "fork" else parent.kill()
        parent.wait(60)
        parent.stdout.close()


def _runs(pid: int) -> bool:
    """A zombie that nobody has collected yet does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc/self").exists()
