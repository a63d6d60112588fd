"""Questions to the code assistant over HTTP, for tests: a folder with two files, a server, and its streams."""

import asyncio
from contextlib import asynccontextmanager

import msgspec
import pytest

from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.files.tools import make_tools
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import FixedWorkspace

QUERY = "/api/code-chat/query"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "code" / "shop"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("x = 1\n")
    (folder / "AGENTS.md").write_text("Use tabs.\n")
    return folder


@pytest.fixture
async def chat(serve, tmp_path, project):
    """`more` makes further tools of the settings and the folder."""

    async def start(script, more=None, **options):
        settings = Settings(home=str(tmp_path / "home"), request_rate=0)
        settings = settings.having(CodeSettings(roots=str(tmp_path / "code"), sandbox="off"))
        workspace = FixedWorkspace(project)
        tools = make_tools(tmp_path / "home", workspaces=workspace, settings=settings)
        return await serve(settings, script, (*tools, *(more(settings, workspace) if more else ())), **options)

    return start


async def events(response):
    found = []
    async for line in response.aiter_lines():
        if line.startswith("data: "):
            found.append(msgspec.json.decode(line[6:]))
    return found


async def ask(served, query="Hi", headers=None, **body):
    async with served.client.stream("POST", QUERY, json={"query": query, **body}, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        return await events(response)


def told(found):
    return [(each["type"], each.get("state")) for each in found]


@asynccontextmanager
async def following(served, query="Hi", until="diff_preview", **body):
    """The events of a question, which go on while the block runs: it begins with the first of the type `until`, and all
    are there at its end."""
    found, reached = [], asyncio.Event()

    async def follow():
        async with served.client.stream("POST", QUERY, json={"query": query, **body}) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    found.append(msgspec.json.decode(line[6:]))
                    if found[-1]["type"] == until:
                        reached.set()

    task = asyncio.create_task(follow())
    await asyncio.wait_for(reached.wait(), 30)
    yield found
    await asyncio.wait_for(task, 30)


async def confirm(served, shown, approved=True, **body):
    address = f"/api/code-chat/confirm/{shown['confirm_id']}"
    return await served.client.post(address, json={"approved": approved, "digest": shown["digest"], **body})
