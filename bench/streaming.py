"""The page while an answer streams: how long its frames take and how hard its renderer works.

    python bench/streaming.py [--before FOLDER] [--tokens N] [--rounds R] [--json FILE]

A provider in this process sends an answer of paragraphs, lists, a table and code at 100 tokens a second, by its own
clock. `glassloop serve` of this checkout, and of the one in `--before`, in turn, show it in a fresh Chromium: first
idle, then with the page kept at the end of the answer. FOLDER is a checkout with a virtual environment and a built
page (`git worktree add FOLDER COMMIT && make -C FOLDER setup && cd FOLDER && scripts/web`).
"""

import argparse
import asyncio
import json
import os
import shutil
import socket
import statistics
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, CDPSession, Page, async_playwright

import bars

RATE = 100
IDLE_SECONDS = 3.0
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
END = "That is all."
SECTION = """
## Section {number}

The pump of line {number} ran for **{number} hours** and stopped *twice*; its log says `E{number}` both times. Nothing
else on the line was affected, and the shift after it started on time.

- Check the valve behind the second filter, as the manual says.
- Replace the seal if it is older than a year.
- Write down what was found, and when.

| part | hours | state |
| --- | ---: | --- |
| seal | {number}00 | worn |
| valve | {number}50 | good |

```python
def hours(parts: list[dict]) -> int:
    # Only those that are worn count.
    return sum(part["hours"] for part in parts if part["state"] == "worn")
```
"""

COUNT = """() => {
  window.frameTimes = [];
  let last = performance.now();
  const next = (now) => {
    window.frameTimes.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""
TAKE = "() => window.frameTimes.splice(0)"


@dataclass
class Figures:
    """Of one state of the project, a value for each round."""

    idle_ms: list[float] = field(default_factory=list[float])
    streaming_ms: list[float] = field(default_factory=list[float])
    cpu_seconds: list[float] = field(default_factory=list[float])


def tokens(count: int) -> list[str]:
    """Pieces of about four characters, as models send them."""
    text = "".join(SECTION.format(number=number) for number in range(1, count // 20 + 2))
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)][: count - 1]
    return [*pieces, f"\n```\n\n{END}"]


class Provider:
    """An endpoint in OpenAI's format that streams one answer at a steady rate."""

    def __init__(self, count: int) -> None:
        self._tokens = tokens(count)
        self.began, self.ended = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[str, None]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next((int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0)
        body = json.loads(await reader.readexactly(length)) if length else {}
        kind = "text/event-stream" if body.get("stream") else "application/json"
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode())
        if body.get("stream") and body.get("tools") is not None:
            await self._stream(writer)
        else:
            writer.write(plain(streamed=bool(body.get("stream"))))
        await writer.drain()
        writer.close()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        self.began.set()
        loop = asyncio.get_running_loop()
        start = loop.time()
        for number, token in enumerate(self._tokens):
            await asyncio.sleep(start + number / RATE - loop.time())
            writer.write(chunk({"content": token}))
            await writer.drain()
        writer.write(chunk({}, "stop") + b"data: [DONE]\n\n")
        self.ended.set()


def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    told = {"id": "b", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [choice]}
    return f"data: {json.dumps(told)}\n\n".encode()


def plain(*, streamed: bool) -> bytes:
    """For what is asked besides the answer: the list of models, a title."""
    if streamed:
        return chunk({"content": "Pumps"}) + chunk({}, "stop") + b"data: [DONE]\n\n"
    return json.dumps({"object": "list", "data": [{"id": "bench", "object": "model"}]}).encode()


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


@asynccontextmanager
async def served(checkout: Path, provider: str) -> AsyncGenerator[str, None]:
    """`glassloop serve` of a checkout, with a home folder of its own."""
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ, "GLASSLOOP_HOME": home, "GLASSLOOP_MODEL": "openai:bench", "OPENAI_API_KEY": "bench",
            "OPENAI_BASE_URL": provider, "GLASSLOOP_MODELS_OFFLINE": "true",
        }  # fmt: skip
        command = [str(checkout / ".venv/bin/glassloop"), "serve", "--port", str(port)]
        with Path(home, "served.log").open("w") as log:
            child = await asyncio.create_subprocess_exec(*command, env=environment, cwd=home, stdout=log, stderr=log)
        try:
            await listening(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            child.terminate()
            await child.wait()


async def listening(port: int) -> None:
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise SystemExit(f"Nothing listens on port {port} after a minute: run `glassloop serve` there to see why.")


async def renderer_seconds(session: CDPSession) -> float:
    found = await session.send("SystemInfo.getProcessInfo")
    return sum(each["cpuTime"] for each in found["processInfo"] if each["type"] == "renderer")


async def keep_at_end(page: Page) -> None:
    """As somebody who reads along: at the end once there is more than fits, then the page keeps it there."""
    await page.mouse.move(640, 400)
    for _ in range(4):
        await asyncio.sleep(1.0)
        await page.mouse.wheel(0, 100_000)


async def show(browser: Browser, url: str, provider: Provider, into: Figures) -> None:
    """One answer, from an idle page to its last word."""
    provider.began.clear()
    provider.ended.clear()
    page = await browser.new_page(viewport={"width": 1440, "height": 900})
    await page.goto(url)
    field_ = page.locator("textarea").first
    await field_.wait_for()
    await asyncio.sleep(1.0)
    await page.evaluate(COUNT)
    await asyncio.sleep(IDLE_SECONDS)
    into.idle_ms.append(bars.p95(await page.evaluate(TAKE)))
    await field_.fill("What did the pumps do?")
    await field_.press("Enter")
    await asyncio.wait_for(provider.began.wait(), 60)
    session = await browser.new_browser_cdp_session()
    before = await renderer_seconds(session)
    await page.evaluate(TAKE)
    await keep_at_end(page)
    await asyncio.wait_for(provider.ended.wait(), 600)
    into.streaming_ms.append(bars.p95(await page.evaluate(TAKE)))
    into.cpu_seconds.append(await renderer_seconds(session) - before)
    await page.get_by_text(END).first.wait_for()


async def measure(asked: argparse.Namespace) -> dict[str, Figures]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise SystemExit(f"There is no Chromium here: install one of {', '.join(NAMES)}.")
    checkouts = {bars.OURS: Path(__file__).parents[1]} | ({"before": asked.before.resolve()} if asked.before else {})
    found = {name: Figures() for name in checkouts}
    provider = Provider(asked.tokens)
    async with provider.serving() as address, async_playwright() as playwright, AsyncExitStack() as servers:
        urls = {name: await servers.enter_async_context(served(each, address)) for name, each in checkouts.items()}
        for _ in range(asked.rounds):
            for name, url in urls.items():
                browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
                await show(browser, url, provider, found[name])
                await browser.close()
    return found


def rows(found: dict[str, Figures]) -> list[bars.Bar]:
    frames = {name: bars.ratios(each.streaming_ms, each.idle_ms) for name, each in found.items()}
    cpu = {name: statistics.median(each.cpu_seconds) for name, each in found.items()}
    told = [
        bars.Bar(title="p95 of a frame while an answer streams, to idle", limit=2,
                 figures={name: statistics.median(each) for name, each in frames.items()},
                 spread=bars.span(frames[bars.OURS])),
        bars.Bar(title="p95 of a frame, idle", unit=" ms",
                 figures={name: statistics.median(each.idle_ms) for name, each in found.items()}),
        bars.Bar(title="CPU of the renderer for one answer", unit=" s", figures=cpu,
                 spread=bars.span(found[bars.OURS].cpu_seconds)),
    ]  # fmt: skip
    if "before" in found:
        each = bars.ratios(found[bars.OURS].cpu_seconds, found["before"].cpu_seconds)
        title = "CPU of the renderer, to the checkout before"
        ratio = {bars.OURS: cpu[bars.OURS] / cpu["before"]}
        told.append(bars.Bar(title=title, limit=0.5, figures=ratio, spread=bars.span(each)))
    return told


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("The page while an answer streams.", 2)
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="another checkout, measured in turn")
    parser.add_argument("--tokens", type=int, default=2_000, help=f"of the answer, sent at {RATE} a second")
    asked = parser.parse_args(arguments)
    return bars.tell(bars.Report(rows=rows(asyncio.run(measure(asked)))), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
