"""Many event streams at once: what each takes of memory, and how late events come, beside a stream of bare uvicorn.

    python bench/sse.py [--turns N] [--rounds R] [--json FILE]

Three processes on one machine: a server as `glassloop serve` starts it, a bare ASGI application under uvicorn that
sends the same events, and the clients. A model writes 100 tokens in about a second, for all turns from one moment on.
Late is from an event's own time to when its bytes reached the client. In the last part 50 more clients are connected
that do not read. Prints a summary with the bar of each figure; exits with 1 when one is missed.
"""

import argparse
import asyncio
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvloop

import bars
import peers_folder
from glassloop.core import events as e
from glassloop.core.messages import Abilities, AssistantMessage, Chunk, ModelRequest, Reply, TextChunk, UserMessage

TOKENS, TOKEN_S = 100, 0.01
WARM, STALLED = 50, 50
WORD = "another "
LONG = "x" * 4_000_000
READ_BYTES = 4096
DEADLINE_S = 120.0
BARE, STUCK = "bare uvicorn", "stalled"

_EVENT = re.compile(rb'data: \{"type":"(\w+)","turn_id":"[^"]*","seq":\d+,"at":([0-9.e+]+)[^\n]*\n\n')


class Starter:
    """SIGUSR1 lets everybody go, SIGUSR2 has those wait who come from then on."""

    def __init__(self) -> None:
        self._go = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, self._go.set)
        loop.add_signal_handler(signal.SIGUSR2, self._go.clear)

    async def wait(self) -> None:
        await self._go.wait()


class Model:
    """Writes its tokens when all may start; a question of one word, everything at once."""

    name = "bench"
    abilities = Abilities()

    def __init__(self, starter: Starter) -> None:
        self._starter = starter

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return 0.0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        question = next(message.content for message in request.messages if isinstance(message, UserMessage))
        if question == "long":
            yield Reply(message=AssistantMessage(text=LONG))
            return
        await self._starter.wait()
        pause = pace()
        for _ in range(TOKENS):
            await asyncio.sleep(pause)
            yield TextChunk(WORD)
        yield Reply(message=AssistantMessage(text=WORD * TOKENS))


def pace() -> float:
    """Seconds a token: not all streams end at the same moment."""
    return TOKEN_S * random.uniform(0.5, 1.5)


async def serve_ours(folder: str) -> None:
    from glassloop import Agent
    from glassloop.cli.run_until_signal import service_log
    from glassloop.runtime.settings import Settings
    from glassloop.server.lifecycle import open_serving

    settings = Settings(home=folder, request_rate=0, user_turns=0, session_rate=0, max_turns=100_000)
    model = Model(Starter())
    with service_log(settings):
        async with open_serving(settings, "127.0.0.1", 0, make=lambda _: Agent(model)) as serving:
            await serving.run(told(serving.url))


async def serve_bare(_folder: str) -> None:
    import uvicorn

    starter = Starter()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": b"event: turn_started\n\n", "more_body": True})
        await starter.wait()
        pause = pace()
        for number in range(TOKENS):
            await asyncio.sleep(pause)
            event = e.TextDelta(
                turn_id=scope["path"], seq=2, at=time.time(), block=0, offset=number * len(WORD), text=WORD
            )
            body = b"event: text_delta\ndata: " + e.encode(event) + b"\n\n"
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"event: turn_finished\n\n", "more_body": False})

    place = socket.create_server(("127.0.0.1", 0), backlog=2048)
    config = uvicorn.Config(app, loop="none", lifespan="off", log_config=None, access_log=False, backlog=2048)
    server = uvicorn.Server(config)
    stopping = told(f"http://127.0.0.1:{place.getsockname()[1]}")
    serving = asyncio.create_task(server.serve([place]))
    await stopping.wait()
    server.should_exit = True
    await serving


def told(url: str) -> asyncio.Event:
    """Says where, and is set when whoever asked for the server is gone."""
    print(url, flush=True)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, stopping.set)
    return stopping


class Server:
    """A server in a process of its own."""

    def __init__(self, kind: str, folder: str) -> None:
        command = [sys.executable, __file__, "--child", kind, "--folder", folder]
        with Path(folder, f"{kind}.log").open("w") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().rpartition(":")[2])

    def hold(self) -> None:
        self._process.send_signal(signal.SIGUSR2)

    def go(self) -> None:
        self._process.send_signal(signal.SIGUSR1)

    def megabytes(self) -> float:
        """What the process holds now."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()


@contextmanager
def running(kind: str, folder: str) -> Any:
    server = Server(kind, folder)
    try:
        yield server
    finally:
        server.close()


class Client(asyncio.Protocol):
    """Asks, follows the events, and keeps what came when; it is read when everything is over."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.came: list[tuple[float, bytes]] = []
        self.begun: asyncio.Future[None] = loop.create_future()
        self.over: asyncio.Future[None] = loop.create_future()
        self._taken: asyncio.Future[bytes] = loop.create_future()
        self._transport: Any = None
        self._answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._taken.done():
            self._answer += data
            if self._answer.endswith(b"}"):
                self._taken.set_result(self._answer)
            return
        self.came.append((time.time(), data))
        if not self.begun.done() and b"turn_started" in data:
            self.begun.set_result(None)
        if data.endswith(b"0\r\n\r\n") and not self.over.done():
            self.over.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        for waits in (self.begun, self.over):
            waits.cancel()

    async def ask(self, question: str = "Tell me something.") -> str:
        """Takes a question to the server; where its events are."""
        body = json.dumps({"question": question}).encode()
        self._send("POST", "/api/turns", f"content-type: application/json\r\ncontent-length: {len(body)}\r\n", body)
        return json.loads((await self._taken).partition(b"\r\n\r\n")[2])["events"]

    async def follow(self, path: str) -> None:
        if not self._taken.done():
            self._taken.set_result(b"")
        self._send("GET", path)
        await self.begun

    def stop_reading(self) -> None:
        self._transport.pause_reading()

    def close(self) -> None:
        self._transport.close()

    def _send(self, method: str, path: str, headers: str = "", body: bytes = b"") -> None:
        self._transport.write(f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{headers}\r\n".encode() + body)

    def lates(self) -> dict[bool, list[float]]:
        """Seconds from each event to here; those that may be gathered (text) apart from those that are stored."""
        found: dict[bool, list[float]] = {True: [], False: []}
        rest = b""
        for at, data in self.came:
            rest += data
            end = 0
            for event in _EVENT.finditer(rest):
                end = event.end()
                if event[1] != b"turn_started":
                    found[event[1] == b"text_delta"].append(at - float(event[2]))
            rest = rest[end:]
        return found


async def connect(server: Server) -> Client:
    plain = socket.socket(proto=socket.IPPROTO_TCP)
    plain.setblocking(False)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", server.port))
    _, client = await asyncio.get_running_loop().create_connection(Client, sock=plain)
    return client


async def stream_all(server: Server, turns: int, *, asks: bool) -> "Round":
    """That many streams at once, from their beginning to their end."""
    server.hold()
    clients = [await connect(server) for _ in range(turns)]

    async def begin(client: Client, number: int) -> None:
        await client.follow(await client.ask() if asks else f"/{number}")

    for first in range(0, turns, 100):
        chosen = clients[first : first + 100]
        await asyncio.gather(*(begin(client, first + number) for number, client in enumerate(chosen)))
    most = server.megabytes()
    began = time.time()
    server.go()
    ends = asyncio.gather(*(client.over for client in clients), return_exceptions=True)
    deadline = time.monotonic() + DEADLINE_S
    while not ends.done() and time.monotonic() < deadline:
        await asyncio.wait([ends], timeout=0.1)
        most = max(most, server.megabytes())
    for client in clients:
        client.close()
    return Round(clients, began, most)


async def stall(server: Server, count: int) -> list[Client]:
    """Clients in the middle of a long stream that take no more of it."""
    asking = await connect(server)
    path = await asking.ask("long")
    await asking.follow(path)
    await asking.over
    asking.close()
    stalled = [await connect(server) for _ in range(count)]
    for client in stalled:
        await client.follow(path)
        client.stop_reading()
    return stalled


class Round:
    """What was seen of many streams: how late events were, how long it took until all were over, the most memory."""

    def __init__(self, clients: Sequence[Client], began: float, megabytes: float) -> None:
        self.clients = clients
        self.megabytes = megabytes
        self.seconds = max(client.came[-1][0] for client in clients) - began
        self.failed = sum(not client.over.done() or client.over.cancelled() for client in clients)
        lates = [client.lates() for client in clients]
        self.text = sorted(late for one in lates for late in one[True])
        self.stored = sorted(late for one in lates for late in one[False])
        expected = TOKENS * len(clients)
        # Pieces of an answer that is stored by then need not come.
        if not self.failed and not 0.95 * expected <= len(self.text) <= expected:
            raise RuntimeError(f"{len(self.text):,} pieces of text came and not {expected:,}: mend the benchmark.")

    def ms(self, share: float, of: str = "text") -> float:
        values: list[float] = getattr(self, of)
        return values[min(len(values) - 1, int(share * len(values)))] * 1e3 if values else float("nan")


async def measure(turns: int, rounds: int, ours: Server, bare: Server) -> list[bars.Bar]:
    await stream_all(ours, WARM, asks=True)
    await stream_all(bare, WARM, asks=False)
    before = ours.megabytes()
    seen: dict[str, list[Round]] = {BARE: [], bars.OURS: [], STUCK: []}
    for _ in range(rounds):
        seen[BARE].append(await stream_all(bare, turns, asks=False))
        seen[bars.OURS].append(await stream_all(ours, turns, asks=True))
        stalled = await stall(ours, STALLED)
        seen[STUCK].append(await stream_all(ours, turns, asks=True))
        for client in stalled:
            client.close()
    show(seen)
    # Later rounds use again what the first one made room for.
    return judge(seen, (seen[bars.OURS][0].megabytes - before) / turns)


def middle(found: Sequence[Round], figure: Callable[[Round], float]) -> float:
    return statistics.median(figure(one) for one in found)


def show(seen: dict[str, list[Round]]) -> None:
    for name, found in seen.items():
        text = [middle(found, lambda one, share=share: one.ms(share)) for share in (0.5, 0.99)]
        line = f"  {name}: all over in {middle(found, lambda one: one.seconds):.1f} s; "
        line += f"text p50 {text[0]:.1f} ms, p99 {text[1]:.1f} ms"
        if name != BARE:
            stored = [middle(found, lambda one, share=share: one.ms(share, "stored")) for share in (0.5, 0.99)]
            line += f"; stored events p50 {stored[0]:.1f} ms, p99 {stored[1]:.1f} ms"
        print(line)


def judge(seen: dict[str, list[Round]], each: float) -> list[bars.Bar]:
    failed = sum(one.failed for name in (bars.OURS, STUCK) for one in seen[name])
    turns = len(seen[bars.OURS][0].clients)
    took = {name: [one.seconds for one in found] for name, found in seen.items()}
    slower = bars.ratios(took[bars.OURS], took[BARE])
    found = [
        bars.Bar(title=f"of {turns:,} streams at once not ended", limit=0, unit="", figures={bars.OURS: failed}),
        bars.Bar(title="memory of a stream", limit=0.2, unit=" MB", figures={bars.OURS: each}),
        bars.Bar(title="all over, to bare uvicorn's", limit=4, source=bars.OWN, spread=bars.span(slower),
                 figures={bars.OURS: statistics.median(slower)}),
    ]  # fmt: skip
    for title, share, most in (("p50", 0.5, 250), ("p99", 0.99, 1000)):
        late = {name: [one.ms(share) for one in of] for name, of in seen.items()}
        stuck = bars.ratios(late.pop(STUCK), late[bars.OURS])
        found += [
            bars.Bar(title=f"an event is late, {title}", limit=most, unit=" ms", source=bars.OWN,
                     figures={name: statistics.median(each) for name, each in late.items()},
                     spread=bars.span(late[bars.OURS])),
            bars.Bar(title=f"with {STALLED} stalled clients, to without, {title}", limit=1.5,
                     figures={bars.OURS: statistics.median(stuck)}, spread=bars.span(stuck)),
        ]  # fmt: skip
    return bars.asked_by("#4", found)


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("Many event streams at once, beside bare uvicorn.", 3)
    parser.add_argument("--turns", type=int, default=1000, help="streams at once")
    parser.add_argument("--child", choices=["ours", "bare"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        uvloop.run({"ours": serve_ours, "bare": serve_bare}[asked.child](asked.folder))
        return 0
    peers_folder.HOME.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=peers_folder.HOME) as folder,
        running("ours", folder) as ours,
        running("bare", folder) as bare,
    ):
        found = uvloop.run(measure(asked.turns, asked.rounds, ours, bare))
    return bars.tell(bars.Report(rows=found), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
