"""Who shares a SQLite file, and who of them is still alive."""

import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from glassloop.core.errors import StoreError
from glassloop.runtime.build import open_runtime
from glassloop.runtime.durable.process_lock import ProcessLock
from glassloop.runtime.settings import Settings
from waiting import until_sync

HOLD = """
import os, subprocess, sys, time
from glassloop.runtime.durable.process_lock import ProcessLock

process_lock = ProcessLock(sys.argv[1])
if "child" in sys.argv:
    print(subprocess.Popen(["sleep", "600"], close_fds=False).pid, flush=True)
if "fork" in sys.argv:
    if not (child := os.fork()):
        time.sleep(600)
        os._exit(0)
    print(child, flush=True)
print(process_lock.name, flush=True)
if "close" in sys.argv:
    sys.stdin.readline()
    process_lock.close()
    print("closed", flush=True)
    sys.stdin.readline()
time.sleep(600)
"""


@pytest.fixture
def begin(tmp_path):
    """Starts a process that holds a lock on the database."""
    processes = []

    def start(*arguments):
        command = [sys.executable, "-W", "ignore", "-c", HOLD, str(tmp_path / "log.db"), *arguments]
        processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait(60)
        process.stdin.close()
        process.stdout.close()


@pytest.fixture
def process_lock(tmp_path):
    made = ProcessLock(tmp_path / "log.db")
    yield made
    made.close()


def line_of(process):
    return process.stdout.readline().strip()


def files_of(folder):
    return {path.name for path in (folder / "log.db.workers").iterdir()}


def test_a_name_tells_host_and_process_and_is_never_the_same_twice(tmp_path):
    first, second = ProcessLock(tmp_path / "log.db"), ProcessLock(tmp_path / "log.db")
    try:
        assert first.name != second.name
        assert first.name.rsplit("-", 2)[1] == str(os.getpid())
        assert first.name.replace("-", "").isalnum()
    finally:
        first.close()
        second.close()


def test_a_process_is_alive_until_it_is_killed_also_while_it_is_stopped(process_lock, begin):
    process = begin()
    name = line_of(process)
    assert not process_lock.is_gone(name)
    process.send_signal(signal.SIGSTOP)
    until_sync(lambda: os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT))
    assert not process_lock.is_gone(name)
    process.kill()
    process.wait(60)
    assert process_lock.is_gone(name)
    assert process_lock.is_gone(name)


@pytest.mark.parametrize("way", ["child", "fork"])
def test_a_killed_process_is_gone_though_a_child_of_it_lives(process_lock, begin, way):
    process = begin(way)
    child, name = int(line_of(process)), line_of(process)
    try:
        assert not process_lock.is_gone(name)
        process.kill()
        process.wait(60)
        # A fork lets go when it first runs, which may be after its parent is gone.
        until_sync(lambda: process_lock.is_gone(name))
        os.kill(child, 0)
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_process_that_closed_is_gone_while_it_runs_on_and_leaves_nothing(process_lock, begin, tmp_path):
    process = begin("close")
    name = line_of(process)
    assert not process_lock.is_gone(name)
    process.stdin.write("\n")
    process.stdin.flush()
    assert line_of(process) == "closed"
    assert process.poll() is None
    assert process_lock.is_gone(name)
    assert files_of(tmp_path) == {process_lock.name}


def test_a_process_lock_is_never_gone_to_itself_nor_to_another_in_the_same_process(process_lock, tmp_path):
    other = ProcessLock(tmp_path / "log.db")
    assert not process_lock.is_gone(process_lock.name)
    assert not process_lock.is_gone(other.name)
    assert not other.is_gone(process_lock.name)
    other.close()
    other.close()
    assert process_lock.is_gone(other.name)
    assert not process_lock.is_gone(process_lock.name)


@pytest.mark.parametrize("name", ["", ".", "..", "../victim", "/etc/passwd", "a/b", "a\\b", "a\0b", "ü", "a" * 500])
def test_an_odd_name_is_gone_and_never_touched_as_a_path(process_lock, tmp_path, name):
    victim = tmp_path / "victim"
    victim.touch()
    assert process_lock.is_gone(name)
    assert victim.exists()


def test_an_absolute_path_as_a_name_removes_nothing(process_lock, tmp_path):
    victim = tmp_path / "victim"
    victim.touch()
    assert process_lock.is_gone(str(victim))
    assert victim.exists()


def test_what_cannot_be_looked_at_is_taken_to_be_alive(process_lock, tmp_path):
    victim = tmp_path / "victim"
    victim.touch()
    (tmp_path / "log.db.workers" / "link").symlink_to(victim)
    assert not process_lock.is_gone("link")
    assert victim.exists()


def test_only_the_owner_may_look_into_the_folder(process_lock, tmp_path):
    folder = tmp_path / "log.db.workers"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / process_lock.name).stat().st_mode) == 0o600


def test_a_database_in_memory_has_no_folder_and_no_other_worker(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    process_lock = ProcessLock(":memory:")
    assert list(tmp_path.iterdir()) == []
    assert not process_lock.is_gone(process_lock.name)
    assert process_lock.is_gone("host-1-abcdef")
    process_lock.close()


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(tmp_path):
    (tmp_path / "log.db.workers").touch()
    with pytest.raises(StoreError, match=r"log\.db\.workers.*move the database"):
        ProcessLock(tmp_path / "log.db")
    with pytest.raises(StoreError, match="nowhere"):
        ProcessLock(tmp_path / "nowhere" / "log.db")


def test_what_killed_processes_left_is_cleared_away_by_the_next_one(begin, tmp_path):
    processes = [begin() for _ in range(3)]
    names = [line_of(process) for process in processes]
    for process in processes[1:]:
        process.kill()
        process.wait(60)
    assert files_of(tmp_path) == set(names)
    last = ProcessLock(tmp_path / "log.db")
    assert files_of(tmp_path) == {names[0], last.name}
    last.close()


def test_those_that_start_at_once_do_not_clear_one_another_away(tmp_path):
    path, together = tmp_path / "log.db", threading.Barrier(6)

    def start_some(_):
        together.wait(60)
        return [ProcessLock(path) for _ in range(25)]

    with ThreadPoolExecutor(6) as threads:
        holders = [process_lock for some in threads.map(start_some, range(6)) for process_lock in some]
    looking = ProcessLock(path)
    assert [process_lock.name for process_lock in holders if looking.is_gone(process_lock.name)] == []
    for process_lock in [looking, *holders]:
        process_lock.close()
    assert files_of(tmp_path) == set()


async def test_a_database_named_by_a_url_has_its_locks_beside_it_whatever_its_folder_is_called(tmp_path):
    folder = tmp_path / "my files"
    folder.mkdir()
    settings = Settings(home=str(tmp_path / "home"), database_url=f"sqlite:///{quote(str(folder / 'log.db'))}")
    async with await open_runtime(settings):
        assert (folder / "log.db").is_file()
        assert (folder / "log.db.workers").is_dir()
