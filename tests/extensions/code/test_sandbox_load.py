"""A server beside commands that take all they can: it goes on answering."""

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import time

import httpx
import pytest

from extensions.code.sandbox_machine import OneWorkspace
from glassloop.extensions.code.sandbox.bubblewrap import find_bubblewrap
from glassloop.extensions.code.sandbox.limits import SandboxLimits
from glassloop.extensions.code.sandbox.tools import CommandRunner
from glassloop.tools.context import ToolContext
from waiting import until

PROBES = 60
BUSY = 16
SPIN = "while :; do :; done"
ATTACKS = {
    "fork bomb": f"f() {{ f | f & }}; f; {SPIN}",
    "many busy processes in sessions of their own": f"for i in $(seq 100); do setsid bash -c '{SPIN}' & done; wait",
    "memory": 'python3 -c "x = []\nwhile True: x.append(bytearray(10_000_000))"; ' + SPIN,
    "disk": "while :; do head -c 2000000 /dev/zero > f; rm f; done",
    "output": "yes",
}


@pytest.fixture
async def address(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "GLASSLOOP_HOME": str(tmp_path / "home")}
    server = subprocess.Popen(
        [sys.executable, "-m", "glassloop", "serve", "--port", str(port)],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}/health"

    async def is_up():
        try:
            async with httpx.AsyncClient() as client:
                return (await client.get(url)).status_code in (200, 503)
        except httpx.HTTPError:
            return False

    await until(is_up)
    yield url
    server.terminate()
    server.wait()


async def waits(url):
    """Seconds for each of the probes."""
    took = []
    async with httpx.AsyncClient(timeout=30.0) as client:
        for _ in range(PROBES):
            began = time.perf_counter()
            await client.get(url)
            took.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)
    return took


def p95(took):
    return statistics.quantiles(took, n=20)[-1]


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_server_answers_while_a_command_takes_all_it_can(address, tmp_path, attack):
    sandbox, why = find_bubblewrap()
    if sandbox is None:
        pytest.skip(why)
    load = [subprocess.Popen(["/bin/bash", "-c", SPIN]) for _ in range(BUSY)]
    try:
        calm = await waits(address)
        work = tmp_path / "work"
        work.mkdir()
        runner = CommandRunner(sandbox, OneWorkspace(work), (), SandboxLimits(processes=256, memory=1_000_000_000))
        command = asyncio.ensure_future(runner.run(ATTACKS[attack], 60, False, ToolContext()))
        await asyncio.sleep(1.0)
        attacked = await waits(address)
        command.cancel()
        await asyncio.wait([command])
    finally:
        for each in load:
            each.kill()
            each.wait()
    print(f"{attack}: p95 {p95(calm) * 1e3:.0f} ms, attacked {p95(attacked) * 1e3:.0f} ms, most {max(attacked):.2f} s")
    assert p95(attacked) <= 3 * p95(calm)
    assert max(attacked) <= 2.0
