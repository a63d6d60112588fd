"""Secrets in questions, arguments and results, over approvals, killed servers and the queue: real where they are used,
and afterwards nowhere."""

import asyncio
import re
import secrets
import sqlite3
import zlib
from contextlib import suppress

import httpx
import psycopg
import pytest

from chaos import secrets_assistant as assistant
from chaos.crew import last_turn
from glassloop.runtime.build import open_runtime
from glassloop.server.app import create_app
from glassloop.server.auth.authentication import Authenticator
from waiting import until

SERVERS = 2
AT_ONCE = 4
LEASE_S = 8.0
"""Long enough for a machine that has much else to do: turns that lose their lease are no part of this."""
TURNS_A_SESSION = 2
IDS = re.compile(r"{(\w+)}")
SHOWN = {"/api/sessions/s0", "/api/sessions/s0/export", "/admin/sessions/s0", "/admin/audit/export"}
"""Some of the answers that have to be among those that were looked at."""
DEATHS = ["", assistant.AFTER_SAVING, "", "", assistant.AFTER_SIGNING_UP, "", "", ""]


class Servers:
    """Servers that are killed and replaced, and a page that looks at what they do."""

    def __init__(self, crew, runtime):
        self.crew = crew
        self.runtime = runtime
        self.marker = f"q{secrets.token_hex(6)}z"
        self.told = []
        self.shown = set()
        self.app = create_app(runtime, runtime.context.settings, Authenticator(runtime.context.settings, runtime.store))
        self.page = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app),
            base_url="http://127.0.0.1",
            headers={"admin-token": assistant.TOKEN},
        )

    @classmethod
    async def open(cls, crew):
        settings = assistant.settings_for(crew.folder, crew.url)
        options = {"queue": crew.queue, "runs_turns": False, "recovers_turns": False}
        runtime = await open_runtime(settings, make=lambda _: assistant.make_agent(crew.diary, ""), **options)
        return cls(crew, runtime)

    async def __aenter__(self):
        self._keeping = asyncio.create_task(self._keep_servers())
        return self

    async def stop(self):
        """Lets the servers end in order."""
        self._keeping.cancel()
        await asyncio.wait([self._keeping])
        for worker in self.crew.alive:
            assert worker.end() == 0

    async def __aexit__(self, *_):
        self._keeping.cancel()
        await self.page.aclose()
        await self.runtime.aclose(1.0)

    async def _keep_servers(self):
        while True:
            while len(self.crew.alive) < SERVERS:
                self.crew.start(work=assistant.serve, marker=self.marker, lease_s=LEASE_S if self.crew.queue else None)
            await asyncio.sleep(assistant.LOOK_S)

    def addresses(self):
        alive = {worker.pid for worker in self.crew.alive}
        return [line[1] for line in self.crew.did("ready") if line[-1] in alive]

    async def get(self, url, **options):
        answer = await self.page.get(url, **options)
        assert answer.status_code < 500 or url == "/metrics", (url, answer.text)
        self.told.append((url, answer.content))
        if answer.status_code == 200:
            self.shown.add(url)
        return answer

    async def ask(self, session_id, account, dies):
        """One turn to its end; a person allows whatever it asks."""
        known = len(await self.runtime.store.turns.ids(session_id))
        body = {"question": assistant.question_of(self.marker, account, dies), "session_id": session_id}

        async def is_taken():
            for address in self.addresses()[-1:]:
                with suppress(httpx.TransportError):
                    async with httpx.AsyncClient(timeout=30) as client:
                        answer = await client.post(f"{address}/api/turns", json=body)
                    assert answer.status_code in (200, 201, 202, 409), answer.text
            return len(await self.runtime.store.turns.ids(session_id)) > known

        async def is_over():
            await asyncio.sleep(assistant.LOOK_S)
            row = await last_turn(self.runtime, session_id)
            if row.status == "paused":
                await self.allow(row.id)
            return row if row.status not in ("running", "paused") else None

        await until(is_taken, f"the turn of {account} is taken")
        row = await until(is_over, f"the turn of {account} is over")
        assert row.status == "completed", await self.runtime.store.turns.read(row.id)

    async def allow(self, turn_id):
        shown = (await self.get(f"/api/turns/{turn_id}")).json()
        decisions = [
            {"call_id": asked["call"]["id"], "digest": asked["digest"], "approved": True}
            for asked in shown["approvals"]
        ]
        if decisions:
            await self.page.post(f"/api/turns/{turn_id}/approvals", json={"decisions": decisions})

    async def look_everywhere(self, session_ids):
        """Every answer that needs no more than the ids of a session and its turns, and the metrics of all servers."""
        for session_id in session_ids:
            for turn_id in await self.runtime.store.turns.ids(session_id):
                await self._look_at({"session_id": session_id, "conversation_id": session_id, "turn_id": turn_id})
        for address in self.addresses():
            async with httpx.AsyncClient() as client:
                answer = await client.get(f"{address}/metrics", headers={"admin-token": assistant.TOKEN})
            assert "glassloop_turns" in answer.text
            self.told.append((f"{address}/metrics", answer.content))

    async def _look_at(self, ids):
        seen = {url for url, _ in self.told}
        for path, item in self.app.openapi()["paths"].items():
            given = item.get("get", {"parameters": [{"in": "query", "required": True}]}).get("parameters", ())
            needed = any(each["required"] and each["in"] != "path" for each in given)
            if not needed and set(IDS.findall(path)) <= ids.keys() and path.format(**ids) not in seen:
                await self.get(path.format(**ids))


def stored_in(url):
    """Every cell of every table."""
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as database:
            database.text_factory = bytes
            names = [row[0].decode() for row in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
            return [(name, cells(row)) for name in names for row in database.execute(f'SELECT * FROM "{name}"')]
    with psycopg.connect(url) as database:
        query = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()"
        names = [row[0] for row in database.execute(query)]
        return [(name, cells(row)) for name in names for row in database.execute(f"SELECT * FROM {name}")]


def cells(row):
    """The row's values as bytes; what is packed as it was before."""
    return b" ".join(unpacked(bytes(cell)) if isinstance(cell, bytes) else repr(cell).encode() for cell in row)


def unpacked(cell):
    try:
        return zlib.decompress(cell)
    except zlib.error:
        return cell


def files_below(folder):
    return [(path.name, path.read_bytes()) for path in folder.rglob("*") if path.is_file()]


def leaks(marker, told):
    """Where the marker of the run's secrets stands, with what stands around it."""
    wanted = re.compile(re.escape(marker.encode()), re.IGNORECASE)
    found = [(name, match, content) for name, content in told for match in wanted.finditer(content)]
    return [f"{name}: {content[max(0, at.start() - 150) : at.end() + 60]!r}" for name, at, content in found]


async def run_turns(crew, turns):
    async with await Servers.open(crew) as servers:
        accounts = [f"{number:03}" for number in range(turns)]
        sessions = {
            f"s{first}": accounts[first : first + TURNS_A_SESSION] for first in range(0, turns, TURNS_A_SESSION)
        }
        room = asyncio.Semaphore(AT_ONCE)

        async def converse(session_id, asked):
            async with room:
                for account in asked:
                    await servers.ask(session_id, account, DEATHS[int(account) % len(DEATHS)])

        async with asyncio.TaskGroup() as group:
            for session_id, asked in sessions.items():
                group.create_task(converse(session_id, asked))
        await until(lambda: len(servers.addresses()) == SERVERS, "all servers are up")
        await servers.look_everywhere(sessions)
        assert servers.shown >= SHOWN
        found = leaks(servers.marker, servers.told) + leaks(servers.marker, files_below(crew.folder))
        await servers.stop()
    took = {line[1] for line in crew.did("took")}
    for account in accounts:
        assert {assistant.digest_of(value) for value in assistant.taken_by_tools(servers.marker, account)} <= took, (
            account
        )
    print(f"{len(crew.did('died'))} kills, {len(servers.told)} answers")
    assert len(crew.did("died")) == sum(bool(DEATHS[int(account) % len(DEATHS)]) for account in accounts)
    stored = stored_in(crew.url)
    assert b"Set account-000 up" in b"".join(content for _, content in stored)
    found += leaks(servers.marker, stored) + leaks(servers.marker, files_below(crew.folder))
    assert not found, f"{len(found)}: " + "\n".join(dict.fromkeys(found[:40]))


@pytest.mark.slow
async def test_secrets_reach_the_tools_over_a_kill_and_are_nowhere_afterwards(file_crew):
    await run_turns(file_crew, turns=2)


@pytest.mark.slow
async def test_secrets_reach_the_tools_over_a_kill_and_the_queue_and_are_nowhere_afterwards(server_crew):
    await run_turns(server_crew, turns=6)


@pytest.mark.slow
async def test_the_secrets_of_a_hundred_turns_reach_the_tools_and_are_nowhere_afterwards(crew):
    await run_turns(crew, turns=100)
