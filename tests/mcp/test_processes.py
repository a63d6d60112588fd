"""What becomes of a server's processes."""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from tools.processes import gone
from waiting import until

HOST = """
import asyncio, sys
from pathlib import Path
from glassloop.extensions.mcp.client.servers import open_mcp

async def main():
    servers = await open_mcp(Path(sys.argv[1]), patience_s=60)
    print(servers.status[0].state, flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


async def test_closing_ends_a_server_with_all_it_started(place: Any) -> None:
    await place.odd_tools("parent")
    await until(lambda: len(place.pids) == 2)
    assert not any(gone(pid) for pid in place.pids)
    await place.opened[0].aclose()
    assert all(gone(pid) for pid in place.pids)


async def test_closing_ends_a_server_that_does_not_want_to_end(place: Any) -> None:
    await place.odd_tools("stays")
    await place.opened[0].aclose()
    assert all(gone(pid) for pid in place.pids)


async def test_a_server_whose_child_holds_its_pipes_is_seen_to_have_died(place: Any) -> None:
    await place.odd_tools("parent")
    await until(lambda: len(place.pids) == 2)
    os.kill(place.pids[0], signal.SIGKILL)
    servers = place.opened[0]
    await until(lambda: servers.status[0].state == "failed")
    assert "was ended by SIGKILL" in servers.status[0].reason
    await until(lambda: all(gone(pid) for pid in place.pids))


async def test_a_server_is_killed_with_us_however_we_end(place: Any) -> None:
    place.write(place.home, odd=place.odd("stays"))
    host = subprocess.Popen([sys.executable, "-c", HOST, str(place.home)], stdout=subprocess.PIPE)
    assert host.stdout is not None
    assert host.stdout.readline() == b"running\n"
    assert not any(gone(pid) for pid in place.pids)
    host.kill()
    host.communicate()
    await until(lambda: all(gone(pid) for pid in place.pids))


@pytest.mark.slow
def test_servers_work_on_the_event_loop_that_the_http_server_uses(place: Any) -> None:
    place.write(place.home, odd=place.odd("dies", confirm=False))
    program = HOST.replace("asyncio.run(main())", "import uvloop; uvloop.run(main())").replace(
        "await asyncio.sleep(3600)",
        "from glassloop.tools.registry import ToolRegistry\n"
        "    tools = ToolRegistry(servers.tools)\n"
        "    print((await tools.execute('odd__echo', {'text': 'hi'})).output)\n"
        "    print((await tools.execute('odd__misbehave')).cause)\n"
        "    await servers.aclose()",
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(place.home)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("running\nhi\nin_doubt\n", "")
