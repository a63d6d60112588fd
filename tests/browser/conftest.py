"""A real Chromium on a real server: the page as a person uses it.

One browser for all tests, as starting it takes seconds; a context, a server and a store of its own for each.
"""

import asyncio
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright, expect
from starlette.applications import Starlette
from starlette.routing import Mount

from browser.stage import Stage
from glassloop import Agent
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.build import open_runtime
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.settings import Settings
from glassloop.server.app import create_app
from glassloop.server.auth.authentication import Authenticator
from server.listening import listening

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
IN_BROWSER = pytest.mark.asyncio(loop_scope="session")
WAIT_MS = 120_000
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html).join(" ")}`)"""

expect.set_options(timeout=WAIT_MS)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser():
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"There is no Chromium here: install one of {', '.join(NAMES)}.")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield opened
        await opened.close()


@pytest.fixture(scope="session")
def serious():
    """What axe finds on a page that is serious or critical."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: `python scripts/build_web.py` installs it.")
    source = AXE.read_text("utf-8")

    async def find(page) -> list[str]:
        await page.evaluate(source)
        return await page.evaluate(SERIOUS)

    return find


class House:
    """A server with the stage its model plays on; it can be closed, and opened again where it was."""

    def __init__(self, settings: Settings, stage: Stage, kinds=(), mounted="", own_agents=False) -> None:
        self.settings, self.stage, self.kinds, self.mounted = settings, stage, kinds, mounted
        self.own_agents = own_agents or bool(settings.model)
        self.port = 0
        self.most = 12
        self.url = ""
        self.runtime = None
        self._open = AsyncExitStack()

    async def open(self) -> None:
        def make_agent(wanted):
            memory = ConversationMemory(archive=StoreArchive(self.runtime.store))
            return Agent(
                self.stage.model,
                self.stage.tools,
                memory=memory,
                name=wanted.assistant,
                max_iterations=self.most,
                clock=self.stage.now,
                ask_user=True,
            )

        make = None if self.own_agents else make_agent
        self.runtime = await open_runtime(self.settings, make=make, kinds=self.kinds)
        self._open.push_async_callback(self.runtime.aclose, 0.5)
        app = create_app(self.runtime, self.settings, Authenticator(self.settings, self.runtime.store))
        if self.mounted:
            app = Starlette(routes=[Mount(self.mounted, app)])
        address = await self._open.enter_async_context(listening(app, port=self.port))
        self.port = int(address.rpartition(":")[2])
        self.url = f"{address}{self.mounted}"

    async def close(self) -> None:
        opened, self._open = self._open, AsyncExitStack()
        await opened.aclose()


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path):
    """Opens servers whose model plays a script; with `own_agents` those that their settings name answer."""
    opened: list[House] = []

    async def open_one(*script, kinds=(), extensions=(), mounted="", port=0, own_agents=False, **settings):
        given = {"home": str(tmp_path), "request_rate": 0, "session_rate": 0, **settings}
        made = House(Settings(**given).extended(extensions), Stage(script), kinds, mounted, own_agents)
        made.port = port
        opened.append(made)
        await made.open()
        return made

    yield open_one
    for each in opened:
        each.stage.open_all()
        await each.close()


class Tab:
    """A page, and everything that went wrong on it or left it."""

    def __init__(self, page, url: str) -> None:
        self.page, self.url = page, url
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _console(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    @property
    def abroad(self) -> list[str]:
        return [url for url in self.requests if not url.startswith((f"{self.url}/", "data:"))]

    async def ask(self, question: str) -> None:
        await self.page.get_by_role("textbox", name="Question").fill(question)
        await self.page.keyboard.press("Enter")

    async def see(self, text: str, within: str = "#conversation") -> None:
        await expect(self.page.locator(within)).to_contain_text(text)

    @property
    def session(self) -> str:
        return self.page.url.rpartition("#/s/")[2]


@pytest_asyncio.fixture(loop_scope="session")
async def tabs(browser):
    """Opens tabs; at the end none may have complained, or asked anybody else for anything."""
    opened: list[Tab] = []
    contexts = []

    async def open_one(house, where="/", *, beside=None, quiet=True, **options):
        context = beside.page.context if beside else await browser.new_context(**options)
        if not beside:
            contexts.append(context)
            context.set_default_timeout(WAIT_MS)
        tab = Tab(await context.new_page(), house.url)
        tab.quiet = quiet
        opened.append(tab)
        await tab.page.goto(house.url + where)
        return tab

    yield open_one
    for tab in opened:
        assert tab.abroad == []
        if tab.quiet:
            assert tab.complaints == []
    await asyncio.gather(*(context.close() for context in contexts))
