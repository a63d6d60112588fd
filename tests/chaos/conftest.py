"""Places for workers to be killed in. What they said is shown when a test fails, and none outlives its test."""

import shutil

import pytest

from chaos.crew import Crew, Server
from glassloop.runtime.durable import leased_log as owned_log
from postgres_server import new_schema, new_server


@pytest.fixture
def hire(tmp_path):
    """Workers that share the database at a URL."""
    hired = []

    def hire_for(url):
        hired.append(Crew(tmp_path, url))
        return hired[-1]

    yield hire_for
    for crew in hired:
        crew.close()


@pytest.fixture
def file_crew(hire, put_store, tmp_path):
    return hire(f"sqlite:///{put_store(tmp_path / 'log.db')}")


@pytest.fixture
def server_crew(postgres_tables, hire):
    return hire(postgres_tables)


@pytest.fixture(params=["file", "server"])
def crew(request):
    return request.getfixturevalue(f"{request.param}_crew")


@pytest.fixture
def patient(monkeypatch):
    """Effects of this process wait for their log as long as it takes a slow machine to bring it back."""
    monkeypatch.setattr(owned_log, "EFFECT_WAIT_S", 300.0)


@pytest.fixture(scope="session")
def frail_server():
    folder, server = new_server()
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def server(frail_server):
    """A server to be killed; another one than that of all the other tests."""
    with new_schema(frail_server.url) as url:
        yield Server(frail_server, url)
        if frail_server.process.poll() is not None:
            await Server(frail_server, "").start()
