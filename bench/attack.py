"""One user attacks while 20 others work: latencies of the others and of `/livez`, and the server's memory.

    python bench/attack.py [--rounds R] [--seconds S] [--only PART ...] [--json FILE]

A server as `glassloop serve` starts it, with keys and our limits, in a process of its own, on loopback only. Rounds are
interleaved: the others alone, beside a program that keeps a core busy, beside the attack. The attack has a process (of
low priority, as it stands for another machine) and an address of its own, and does all of it at once: half heads,
sessions and streams that it does not read, uploads and imports, questions that are slow to read. Before that, memory is
measured with 40 readers of a long session that read nothing. It stops by itself within four minutes.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

import bars
from glassloop.core import events as e
from glassloop.store import open_store
from glassloop.store.store import Store

USERS, ATTACKER = 20, "mallory"
PAUSE_S, PROBE_S = 1.0, 0.1
DEADLINE_S, PATIENCE_S = 200.0, 20.0
LONG_TURNS, LONG_CHARS = 120, 100_000
"""Each text is in the session twice, as a message and in its turn: 24 MB."""
READERS, HALF_HEADS, STREAMS = 40, 310, 50
MAX_CONNECTIONS = 300
NICENESS = 10
BEGAN = time.monotonic()
ADDRESS = "127.0.0.2"
ALONE, BUSY, ATTACKED = "alone", "beside a busy program", "attacked"
QUESTION = "What is 2+2?"
PARTS = {"half_heads": 1, "idle_readers": 1, "idle_streams": 1, "uploads": 1, "imports": 1, "slow_questions": 5}
"""The parts of the attack, and how many of each go on at once."""
SLOW = ("plus 5" + " " * 3_000 + "x", "乘(" * 40_000, "2+" * 40_000, "a" + "\n" * 90_000 + "b")
CONTEXT = {"query": QUESTION, "context": {"a": "eyJaaaaaaaa-" * 80_000}}


@dataclass(frozen=True)
class Served:
    """A server, and those who may ask it."""

    url: str
    process: subprocess.Popen[bytes]
    keys: dict[str, str]
    session: str

    def client(self, user: str) -> httpx.AsyncClient:
        return client_of(self.url, self.keys[user])

    def megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def client_of(url: str, key: str, address: str | None = None) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(verify=False, local_address=address)
    headers = {"authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=url, headers=headers, timeout=PATIENCE_S, transport=transport)


async def add_long_session(store: Store) -> str:
    session, text = "long", "x" * LONG_CHARS

    async def add(number: int) -> None:
        facts: dict[str, Any] = {"turn_id": f"long-{number}", "at": time.time()}
        started = e.TurnStarted(seq=1, question=text, user=ATTACKER, session_id=session, assistant="general",
                                model="reflex", protocol="native", **facts)  # fmt: skip
        finished = e.TurnFinished(seq=2, status="cancelled", iterations=0, tool_calls=0, input_tokens=0,
                                  output_tokens=0, cost=0.0, unpriced_calls=0, seconds=0.0, error=None,
                                  **facts)  # fmt: skip
        await store.turns.begin([started, finished])

    # The store groups their commits.
    await asyncio.gather(*map(add, range(LONG_TURNS)))
    return session


@asynccontextmanager
async def serving(home: str) -> AsyncGenerator[Served, None]:
    keys: dict[str, str] = {}
    async with await open_store(f"sqlite:///{home}/glassloop.db") as store:
        for user in (ATTACKER, *(f"user{number}" for number in range(USERS))):
            await store.users.add(user)
            keys[user] = (await store.keys.create(user))[0]
        session = await add_long_session(store)
    settings = {"HOME": home, "MODEL": "reflex", "AUTH": "keys", "MAX_CONNECTIONS": str(MAX_CONNECTIONS),
                "MODELS_OFFLINE": "true", "EMBEDDER": "none"}  # fmt: skip
    env = {**os.environ, **{f"GLASSLOOP_{name}": value for name, value in settings.items()}}
    command = [sys.executable, "-m", "glassloop", "serve", "--port", "0"]
    with Path(home, "served.log").open("wb") as log:
        process = subprocess.Popen(command, env=env, cwd=home, stdout=subprocess.PIPE, stderr=log)
    try:
        assert process.stdout is not None
        first = await asyncio.to_thread(process.stdout.readline)
        yield Served(first.decode().split()[-1], process, keys, session)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.to_thread(process.wait, 15)
        except subprocess.TimeoutExpired:
            process.kill()


@dataclass
class Phase:
    """Seconds that turns and probes took, and the requests that failed."""

    turn: list[float] = field(default_factory=list[float])
    livez: list[float] = field(default_factory=list[float])
    failed: list[str] = field(default_factory=list[str])


async def ask(client: httpx.AsyncClient) -> None:
    taken = await client.post("/api/turns", json={"question": QUESTION, "model": "reflex"})
    taken.raise_for_status()
    events = await client.get(taken.json()["events"])
    if '"status":"completed"' not in events.text:
        raise httpx.HTTPError(f"a turn was not completed: {events.text[-200:]}")


async def probe(client: httpx.AsyncClient) -> None:
    (await client.get("/livez")).raise_for_status()


async def work(served: Served, seconds: float) -> Phase:
    """All users ask and one probes, for so long."""
    phase = Phase()
    ready = asyncio.Barrier(USERS + 1)

    async def repeat(
        number: int, did: list[float], pause: float, do: Callable[[httpx.AsyncClient], Awaitable[None]]
    ) -> None:
        async with served.client(f"user{number}") as client:
            # Connecting and the first import of what a request needs are not measured.
            await probe(client)
            await ready.wait()
            await asyncio.sleep(number / USERS * pause)
            until = time.perf_counter() + seconds
            while (began := time.perf_counter()) < until:
                try:
                    await do(client)
                except httpx.HTTPError as error:
                    phase.failed.append(f"{type(error).__name__}: {error}")
                did.append(time.perf_counter() - began)
                await asyncio.sleep(pause)

    users = [repeat(number, phase.turn, PAUSE_S, ask) for number in range(USERS)]
    await asyncio.gather(*users, repeat(0, phase.livez, PROBE_S, probe))
    return phase


class Attack:
    """All of it at once, in a process of its own. `told` counts answers by part and status."""

    def __init__(self, url: str, key: str, session: str, *only: str) -> None:
        self._url, self._key, self._session = url, key, session
        host, _, port = url.removeprefix("http://").partition(":")
        self._where = host, int(port)
        self.told: Counter[str] = Counter()
        self._only = only

    async def run(self) -> None:
        chosen = [getattr(self, f"_{name}") for name in self._only or PARTS for _ in range(PARTS[name])]
        await asyncio.gather(*map(self._repeat, chosen))

    async def _repeat(self, part: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await part()
            except (httpx.HTTPError, OSError) as error:
                self.told[f"{part.__name__[1:]} {type(error).__name__}"] += 1
            await asyncio.sleep(0.05)

    def _note(self, part: str, answer: httpx.Response) -> httpx.Response:
        self.told[f"{part} {answer.status_code}"] += 1
        return answer

    async def _hold(self, heads: Sequence[bytes], seconds: float) -> None:
        """Opens a connection for each, sends that, and reads nothing."""
        opened: list[asyncio.StreamWriter] = []
        try:
            for head in heads:
                _, writer = await asyncio.open_connection(*self._where, limit=1_024, local_addr=(ADDRESS, 0))
                opened.append(writer)
                writer.write(head)
            await asyncio.sleep(seconds)
        finally:
            for writer in opened:
                writer.transport.abort()

    def _get(self, path: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\nhost: {self._where[0]}\r\nauthorization: Bearer {self._key}\r\n\r\n".encode()

    async def _half_heads(self) -> None:
        await self._hold([b"GET / HTTP/1.1\r\nx-half: "] * HALF_HEADS, 1.0)
        self.told["half_heads"] += HALF_HEADS

    async def _idle_readers(self) -> None:
        await self._hold([self._get(f"/api/sessions/{self._session}")] * READERS, 5.0)
        self.told["idle_readers"] += READERS

    async def _idle_streams(self) -> None:
        await self._hold([self._get(f"/api/turns/long-{number}/events") for number in range(STREAMS)], 2.0)
        self.told["idle_streams"] += STREAMS

    async def _slow_questions(self) -> None:
        async with client_of(self._url, self._key, ADDRESS) as client:
            for question in SLOW:
                taken = self._note("question", await client.post("/api/turns", json={"question": question}))
                if taken.is_success:
                    await client.get(taken.json()["events"])
            self._note("context", await client.post("/api/agent/execute", json=CONTEXT))

    async def _uploads(self) -> None:
        await self._import("/api/knowledge", {"name": "a.html"}, b"<a " * 300_000)

    async def _imports(self) -> None:
        line = b'11/15 20:00:00.000  SPELL_DAMAGE,Player-1-1,"A",0x511,0x0,Creature-1,"B",0xa48,0x0,1,"C",0x1,9\n'
        await self._import("/api/raids/imports", {"name": "a.txt", "purpose": "raids"}, line * 80_000)

    async def _import(self, path: str, params: dict[str, str], content: bytes) -> None:
        async with client_of(self._url, self._key, ADDRESS) as client:
            made = self._note("upload", await client.post("/api/uploads", params=params, content=content))
            if made.is_success:
                self._note("import", await client.post(path, json={"upload_id": made.json()["id"]}))

    async def read_nothing(self, readers: int, settled: Callable[[], Awaitable[None]]) -> None:
        """Holds that many readers of the long session until the caller has looked."""
        holding = asyncio.ensure_future(self._hold([self._get(f"/api/sessions/{self._session}")] * readers, 3_600.0))
        try:
            await settled()
        finally:
            holding.cancel()
            with suppress(asyncio.CancelledError):
                await holding


async def attack_until_told(*given: str) -> None:
    """The child: until its standard input ends."""
    os.nice(NICENESS)
    attack = Attack(*given)
    running = asyncio.ensure_future(attack.run())
    await asyncio.wait([running, asyncio.ensure_future(asyncio.to_thread(sys.stdin.read))],
                       return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    print(json.dumps(attack.told))


async def attacked(served: Served, seconds: float, told: Counter[str], only: Sequence[str]) -> Phase:
    command = [sys.executable, __file__, "--child", served.url, served.keys[ATTACKER], served.session, *only]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        # It has begun when its first connections are there.
        await asyncio.sleep(2.0)
        phase = await work(served, seconds)
        out, _ = await asyncio.to_thread(child.communicate, b"", PATIENCE_S)
    finally:
        child.kill()
    told.update(json.loads(out))
    return phase


@contextmanager
def busy_program() -> Any:
    program = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        program.kill()
        program.wait()


async def idle_readers_megabytes(served: Served) -> float:
    """What the server holds more at most while nobody reads what it sends."""
    before, most = served.megabytes(), 0.0

    async def look() -> None:
        nonlocal most
        for _ in range(50):
            await asyncio.sleep(0.1)
            most = max(most, served.megabytes())

    await Attack(served.url, served.keys[ATTACKER], served.session).read_nothing(READERS, look)
    return most - before


@dataclass
class Found:
    """All that was measured."""

    phases: dict[str, list[Phase]] = field(default_factory=lambda: {ALONE: [], BUSY: [], ATTACKED: []})
    told: Counter[str] = field(default_factory=Counter[str])
    idle_mb: float = 0.0
    grown_mb: float = 0.0
    ended: bool = False

    def p95s(self, what: str, phase: str) -> list[float]:
        return [bars.p95(getattr(each, what)) for each in self.phases[phase]]


def tell_time(over: str) -> None:
    print(f"{time.monotonic() - BEGAN:6.1f} s  {over}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)


async def measure(rounds: int, seconds: float, only: Sequence[str]) -> Found:
    found = Found()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        async with asyncio.timeout(DEADLINE_S), serving(home) as served:
            tell_time("served")
            await work(served, 1.0)
            tell_time("warm")
            found.idle_mb = await idle_readers_megabytes(served)
            before = served.megabytes()
            tell_time("idle readers")
            for _ in range(rounds):
                found.phases[ALONE].append(await work(served, seconds))
                tell_time(ALONE)
                with busy_program():
                    found.phases[BUSY].append(await work(served, seconds))
                tell_time(BUSY)
                found.phases[ATTACKED].append(await attacked(served, seconds, found.told, only))
                tell_time(ATTACKED)
                found.grown_mb = max(found.grown_mb, served.megabytes() - before)
            found.ended = served.process.poll() is not None
    return found


def rows(found: Found) -> list[bars.Bar]:
    def bar(title: str, values: Sequence[float], limit: float | None = None, unit: str = "x") -> bars.Bar:
        return bars.Bar(title=title, figures={bars.OURS: statistics.median(values)}, limit=limit, unit=unit,
                        spread=bars.span(values))  # fmt: skip

    def ratios(what: str, to: str) -> list[float]:
        return bars.ratios(found.p95s(what, ATTACKED), found.p95s(what, to))

    failed = [reason for phases in found.phases.values() for phase in phases for reason in phase.failed]
    slowest = max(max(phase.livez) for phase in found.phases[ATTACKED])
    told = [
        bar("others' turns, p95, attacked to alone", ratios("turn", ALONE), 2),
        bar("`/livez`, p95, attacked to beside a busy program", ratios("livez", BUSY), 3),
        bar("`/livez`, slowest, attacked", [slowest], 2, " s"),
        bar("others' requests that failed", [len(failed)], 0, ""),
        bar("the server ended", [int(found.ended)], 0, ""),
    ]
    idle = bar(f"memory more, {READERS} idle readers of a session of 24 MB", [found.idle_mb], unit=" MB")
    shown = [
        bar(f"{title}, p95, {phase}", [each * 1e3 for each in found.p95s(what, phase)], unit=" ms")
        for what, title in (("turn", "others' turns"), ("livez", "`/livez`"))
        for phase in found.phases
    ]
    more = bar("memory more, attacked", [found.grown_mb], unit=" MB")
    return [*bars.asked_by("#21", told), idle, more, *shown]


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("One user attacks while 20 others work.", 3)
    parser.add_argument("--seconds", type=float, default=8.0, help="how long each part of a round takes")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=(), help="parts of the attack; else all of them")
    parser.add_argument("--child", nargs="+", metavar="URL KEY SESSION", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        asyncio.run(attack_until_told(*asked.child))
        return 0
    # Ended from outside, it still ends the server that it started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found = asyncio.run(measure(asked.rounds, asked.seconds, asked.only))
    print("The attack:", ", ".join(f"{what}: {count:,}" for what, count in sorted(found.told.items())))
    for reason in [reason for phases in found.phases.values() for phase in phases for reason in phase.failed][:5]:
        print("Failed:", reason)
    return bars.tell(bars.Report(rows=rows(found)), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
