"""A server as a process of its own, around the talker: `python -m server.process HOME URL PORT [GATE]`.

Says where it listens; ends in order on SIGTERM. With a gate no answer comes to its end until that file is there, and
no turn is waited for.
"""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from glassloop.runtime.settings import Settings
from glassloop.server.lifecycle import StopTimes, open_serving
from server.talker import Talker, make_agent

TESTS = Path(__file__).parent.parent
START_S = 60


async def serve(home, url, port, gate=None):
    settings = Settings(home=home, database_url=url, request_rate=0, session_rate=0, user_turns=0)
    made = {}

    async def wait():
        while not Path(gate).exists():
            await asyncio.sleep(0.005)

    model = Talker(wait=wait if gate else None)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    grace = StopTimes(turns_s=0.1) if gate else None
    opening = open_serving(
        settings, "127.0.0.1", int(port), make=lambda _: make_agent(made["store"], model), grace=grace
    )
    async with opening as serving:
        made["store"] = serving.runtime.store
        print(serving.url, flush=True)
        await serving.run(stopping)


class Process:
    """A server that runs elsewhere."""

    def __init__(self, home, url, *, port=0, gate=None):
        command = [sys.executable, "-m", "server.process", str(home), url, str(port), *([str(gate)] if gate else [])]
        environment = {**os.environ, "PYTHONPATH": str(TESTS)}
        self._log = (Path(home) / "server.log").open("a")
        self._process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=self._log, text=True, cwd=home
        )

    def ready(self):
        """Where it listens, once it does."""
        self.url = self._process.stdout.readline().strip()
        assert self.url, f"the server did not start: {Path(self._log.name).read_text()[-2000:]}"
        return self.url

    @property
    def port(self):
        return int(self.url.rpartition(":")[2])

    def stop(self, number=signal.SIGTERM):
        """How it ended."""
        self._process.send_signal(number)
        return self._process.wait(START_S)

    def close(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(START_S)
        self._process.stdout.close()
        self._log.close()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
