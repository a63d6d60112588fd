"""A server with the places assistant as a process of its own: `python -m extensions.places.load_server HOME`.

Says where it listens; ends when its standard input does. `reflex` decides: what is measured is ours.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassloop.runtime.settings import Settings
from glassloop.server.lifecycle import open_serving

TESTS = Path(__file__).resolve().parents[2]
STOP_S = 60


async def serve(home: str) -> None:
    settings = Settings(home=home, auth="keys", model="reflex", embedder="none", models_offline=True)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        # At its end standard input can always be read: left in, it would be asked without a pause.
        loop.remove_reader(sys.stdin)
        stopping.set()

    loop.add_reader(sys.stdin, stop)
    async with open_serving(settings, "127.0.0.1", 0) as serving:
        print(serving.url, flush=True)
        await serving.run(stopping)


@contextmanager
def load_server(home: Path) -> Iterator[str]:
    """Where it listens; at the end it is gone."""
    command = [sys.executable, "-m", "extensions.places.load_server", str(home)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    with (
        (home / "server.log").open("w") as log,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdin is not None and process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, f"the server did not start: {(home / 'server.log').read_text()[-2000:]}"
        try:
            yield url
        finally:
            process.stdin.close()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
