"""Servers to test: the whole application around a runtime whose agents play a script."""

from contextlib import AsyncExitStack
from typing import NamedTuple

import httpx
import msgspec
import pytest

from glassloop import Agent, ScriptedModel
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.build import open_runtime
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.settings import Settings
from glassloop.server.auth.authentication import Authenticator
from server.authenticated import database, door, key, store  # noqa: F401
from server.code_chats import chat, project  # noqa: F401
from server.listening import listening


class Served(NamedTuple):
    """A server that runs: where, with what, and a client for it."""

    url: str
    app: object
    runtime: object
    settings: Settings
    client: httpx.AsyncClient


@pytest.fixture
async def serve(tmp_path, put_store):
    """Starts servers, each around a runtime of its own; all are gone at the end.

    `script` is what the model answers, or a model; `profile` goes to the agent, `options` to `open_runtime`;
    `make=None` has agents made of the settings. Without
    `settings` it is a SQLite file in a folder of the test, in `local` mode, without a limit of requests.
    """
    from glassloop.server.app import create_app

    async with AsyncExitStack() as stack:

        async def start(settings=None, script=(), tools=(), *, port=0, headers=None, profile=None, **options):
            settings = settings or Settings(home=str(tmp_path), request_rate=0)
            put_store(settings.home_path / "glassloop.db")
            model = script if hasattr(script, "stream") else ScriptedModel(script)
            made = {}

            def make_agent(wanted):
                memory = ConversationMemory(archive=StoreArchive(made["runtime"].store))
                return Agent(model, tools, memory=memory, name=wanted.assistant, **(profile or {}))

            options = {"enforces_access": True, "make": make_agent, **options}
            runtime = made["runtime"] = await open_runtime(settings, **options)
            stack.push_async_callback(runtime.aclose, 1.0)
            app = create_app(runtime, settings, Authenticator(settings, runtime.store))
            url = await stack.enter_async_context(listening(app, port=port))
            client = httpx.AsyncClient(base_url=url, timeout=60.0, headers=headers)
            await stack.enter_async_context(client)
            return Served(url, app, runtime, settings, client)

        yield start


@pytest.fixture
def settings(tmp_path):
    """Settings of a server on a SQLite file, changed as a test wants."""

    def make(*of_extensions, **changes):
        return msgspec.structs.replace(Settings(home=str(tmp_path)).having(*of_extensions), **changes)

    return make
