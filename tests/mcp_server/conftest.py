"""The real `glassloop mcp`, started as a client starts it, and the SDK's own client to talk to it."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from mcp.client.stdio import stdio_client

from glassloop.store import open_store
from mcp import Client, StdioServerParameters
from trusting import trust
from waiting import WAIT_S

WAYS = ["auto", pytest.param("legacy", marks=pytest.mark.slow)]
"""How client and server find out what both speak: as since 2026, and by the handshake of before."""
SHARED = pytest.mark.asyncio(loop_scope="session")

_FOREIGN = ("_API_KEY", "_BASE_URL", "GLASSLOOP_", "REACT_", "CONTEXT_", "OLLAMA_", "DATABASE_URL")
_TOOLS = '''
"""Tools that wait for a file, that ask first, and that print where they should not."""

import asyncio
import sys
from pathlib import Path

from glassloop import tool


@tool(effect="read", volatile=True, timeout_s=300)
async def wait_at_door(door: str) -> str:
    """Waits until the door is open."""
    Path(f"{door}.waiting").touch()
    while not Path(f"{door}.open").exists():
        await asyncio.sleep(0.02)
    return "the door is open"


@tool(effect="write", confirm=True)
def note(text: str) -> str:
    """Writes a line."""
    with Path("notes.txt").open("a", encoding="utf-8") as file:
        file.write(f"{text}\\n")
    return f"wrote {text}"


@tool(effect="read", volatile=True)
def shout() -> str:
    """Prints, and reads what is not meant for it."""
    print("printed by a tool", flush=True)
    return f"read {sys.stdin.read()!r}"


@tool(effect="read", volatile=True)
def die() -> str:
    """Fails in a way nobody expects."""
    raise RuntimeError("the secret is in the stack")
'''


class Place:
    """A working folder with an assistant `porter`, a home folder, and what a client needs to start the server."""

    def __init__(self, root: Path, store: Path) -> None:
        self.folder, self.home = root / "work", root / "home"
        self.home.mkdir()
        shutil.copy(store, self.home / "glassloop.db")
        porter = self.folder / "porter"
        porter.mkdir(parents=True)
        (porter / "assistant.toml").write_text('name = "porter"\nprompt = "Help."\ntools = ["tools.py"]\n', "utf-8")
        (porter / "tools.py").write_text(_TOOLS, "utf-8")
        trust(self.folder, self.home)
        kept = {name: value for name, value in os.environ.items() if not any(part in name for part in _FOREIGN)}
        self.environment = {**kept, "GLASSLOOP_HOME": str(self.home)}
        self.errors = (root / "errors").open("w+", encoding="utf-8")

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-m", "glassloop", *options]

    @asynccontextmanager
    async def connect(self, mode: str = "auto", *options: str, **given: object) -> AsyncIterator[Client]:
        program, *arguments = self.command("mcp", *options)
        server = StdioServerParameters(command=program, args=arguments, env=self.environment, cwd=self.folder)
        transport = stdio_client(server, errlog=self.errors)
        async with Client(transport, mode=mode, read_timeout_seconds=WAIT_S, **given) as client:
            yield client

    async def statuses(self, word: str) -> list[str]:
        """How the turns stand whose question has this word, newest first."""
        async with await open_store(str(self.home / "glassloop.db")) as store:
            return [row.status for row in await store.turns.list(1000) if word in row.question]

    def at_door(self, door: str) -> bool:
        """Whether a turn waits there."""
        return (self.folder / f"{door}.waiting").exists()

    def open_door(self, door: str) -> None:
        (self.folder / f"{door}.open").touch()

    @property
    def notes(self) -> list[str]:
        path = self.folder / "notes.txt"
        return path.read_text("utf-8").splitlines() if path.exists() else []

    def told(self) -> str:
        self.errors.seek(0)
        return self.errors.read()


class Person:
    """Whom the client asks: what they were shown, and what they say next."""

    def __init__(self) -> None:
        self.shown = []
        self.says = None

    async def ask(self, _context, params):
        self.shown.append(params)
        if self.says is None:
            await asyncio.Event().wait()
        return self.says


class Talk:
    """A client, its person, and where its server runs."""

    def __init__(self, place: Place, client: Client, person: Person) -> None:
        self.place, self.client, self.person = place, client, person

    async def ask(self, question: str, **arguments: object):
        return await self.client.call_tool("ask", {"question": question, **arguments})


@pytest.fixture
def place(tmp_path: Path, made_database: Path):
    """A place of its own, for servers that are to end."""
    made = Place(tmp_path, made_database)
    yield made
    made.errors.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=WAYS)
async def talk(request, tmp_path_factory, made_database):
    """A server that many tests talk to, as starting one takes seconds; by either way its protocol knows."""
    place, person, over = Place(tmp_path_factory.mktemp("mcp"), made_database), Person(), asyncio.Event()
    opened: asyncio.Future[Client] = asyncio.get_running_loop().create_future()

    async def hold() -> None:
        # What the SDK opens must be closed by the task that opened it, and fixtures have no task of their own.
        async with place.connect(request.param, elicitation_callback=person.ask) as client:
            opened.set_result(client)
            await over.wait()

    holding = asyncio.ensure_future(hold())
    await asyncio.wait([holding, opened], return_when=asyncio.FIRST_COMPLETED)
    yield Talk(place, opened.result(), person)
    over.set()
    await holding
    place.errors.close()


def text_of(result) -> str:
    return result.content[0].text
