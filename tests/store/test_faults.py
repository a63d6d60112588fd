"""Nothing acknowledged is lost, nothing is half stored, nothing is said to be stored that is not."""

import asyncio
import random
import sqlite3
import subprocess
import sys
import threading
from collections import Counter

import pytest

from glassloop.core.errors import StoreAway
from glassloop.store import open_store
from store.made_events import started, thought

WRITER = """
import asyncio, sys
sys.path.insert(0, sys.argv[3])
from glassloop.store import open_store
from store.made_events import started, thought

async def work(store, name):
    await store.turns.append(name, [started(name, session=name)])
    print(name, 1, flush=True)
    seq = 2
    while seq < 30_000:
        events, sync = [thought(name, seq + more) for more in range(3)], seq % 5 == 0
        if sync or not store.turns.append_now(name, events):
            await store.turns.append(name, events, sync=sync)
        else:
            await asyncio.sleep(0)
        seq += 3
        print(name, seq - 1, flush=True)

async def main():
    async with await open_store(sys.argv[1]) as store:
        await asyncio.gather(*(work(store, f"{sys.argv[2]}-{number}") for number in range(4)))

asyncio.run(main())
"""


def write(url, name, tests):
    command = [sys.executable, "-c", WRITER, url, name, str(tests)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def acknowledged(lines):
    last = {}
    for line in lines:
        if line.endswith("\n"):
            name, seq = line.split()
            last[name] = int(seq)
    return last


def noise(length):
    """Text that cannot be packed."""
    return random.Random(length).randbytes(length // 2).hex()


@pytest.fixture
def tests(request):
    return request.config.rootpath / "tests"


async def verify(url, told):
    async with await open_store(url) as store:
        assert (await store.maintenance.check()).problems == ()
        for name, seq in told.items():
            stored = len(await store.turns.read(name))
            assert stored >= seq
            assert (stored - 1) % 3 == 0


@pytest.mark.slow
async def test_a_writer_killed_at_any_moment_loses_nothing_it_was_told_is_stored(shared_url, tests):
    await (await open_store(shared_url)).aclose()
    chance, told = random.Random(7), {}
    for number in range(10):
        process = write(shared_url, f"run{number}", tests)
        lines = [process.stdout.readline() for _ in range(chance.randint(1, 120))]
        process.kill()
        lines += process.stdout.readlines()
        process.wait(60)
        process.stdout.close()
        told |= acknowledged(lines)
    assert len(told) >= 10
    await verify(shared_url, told)


async def test_two_processes_write_to_one_store_at_once(shared_url, tests):
    await (await open_store(shared_url)).aclose()
    processes = [write(shared_url, name, tests) for name in ("a", "b")]
    lines = {process: [process.stdout.readline() for _ in range(150)] for process in processes}
    for process in processes:
        process.kill()
        lines[process] += process.stdout.readlines()
        process.wait(60)
        process.stdout.close()
    told = acknowledged(line for some in lines.values() for line in some)
    assert Counter(name[0] for name in told) == {"a": 4, "b": 4}
    await verify(shared_url, told)


async def test_a_full_disk_is_an_error_and_nothing_else_and_passes_with_it(tmp_path):
    url = f"sqlite:///{tmp_path / 'log.db'}?max_page_count=160"
    async with await open_store(url) as store:
        await store.turns.append("big", [started("big", session="big")])
        await store.turns.append("t1", [started()])
        seq = 2
        with pytest.raises(StoreAway, match="no room left"):
            while seq < 1000:
                await store.turns.append(
                    "big", [thought("big", seq, noise(5000)), thought("big", seq + 1, noise(5000))]
                )
                seq += 2
        assert len(await store.turns.read("big")) == seq - 1
        with pytest.raises(StoreAway, match="no room left"):
            await store.turns.append("big", [thought("big", seq, noise(200_000))], sync=True)
        assert len(await store.turns.read("big")) == seq - 1
        assert await store.sessions.delete("big")
        await store.turns.append("t1", [thought(text=noise(5000))])
        assert len(await store.turns.read("t1")) == 2
        assert (await store.maintenance.check()).problems == ()


async def test_of_appends_that_share_a_commit_the_one_without_room_fails_alone(tmp_path):
    async with await open_store(f"sqlite:///{tmp_path / 'log.db'}?max_page_count=160") as store:
        for name in ("a", "b", "c"):
            await store.turns.append(name, [started(name, session=name)])
        told = await asyncio.gather(
            store.turns.append("a", [thought("a")], sync=True),
            store.turns.append("b", [thought("b", text=noise(500_000))], sync=True),
            store.turns.append("c", [thought("c")], sync=True),
            return_exceptions=True,
        )
        assert [type(result).__name__ for result in told] == ["NoneType", "StoreAway", "NoneType"]
        assert [len(await store.turns.read(name)) for name in ("a", "b", "c")] == [2, 1, 2]


@pytest.mark.parametrize("sync", [False, True])
async def test_the_event_loop_goes_on_while_a_commit_waits(tmp_path, sync):
    path = tmp_path / "log.db"
    async with await open_store(f"sqlite:///{path}?busy_timeout=600000") as store:
        await store.turns.append("t1", [started()])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        begun, loop = threading.Event(), asyncio.get_running_loop()

        async def append():
            begun.set()
            await store.turns.append("t1", [thought()], sync=sync)

        def loop_answers():
            begun.wait(60)
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(60)

        answer = loop.run_in_executor(None, loop_answers)
        task = asyncio.create_task(append())
        await answer
        for _ in range(100):
            await asyncio.sleep(0)
            assert len(await store.turns.read("t1")) == 1
        assert not task.done()
        other.execute("COMMIT")
        other.close()
        await asyncio.wait_for(task, 60)
        assert len(await store.turns.read("t1")) == 2
