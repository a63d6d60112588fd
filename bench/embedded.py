"""The embedded model beside llama.cpp itself: whole turns from an empty home, speed, memory, the event loop.

    python bench/embedded.py [--weights FILE] [--threads N] [--rounds R] [--tokens N] [--only turns|speed] [--json FILE]

Turns: `general` is asked two questions that need a tool, in two sessions; each turn's seconds stand beside those that
llama.cpp itself took for the same tokens, with the first also those for loading the weights. The first question is
asked again in another home and another process, where the prompt was read ahead, as `glassloop models pull` does it.
Speed: both sides use the same process, threads and prompt, in turns, so that a busy machine slows both: llama.cpp is
asked by a plain socket in another process and reports its own speed, the embedded model is streamed as a turn would; a
second process has the same weights without the adapter.
Prints the rows with their bars; exits with 1 when one is missed, with 0 when there are no weights.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bars
from glassloop.core.messages import Abilities, ModelRequest, Reply, TextChunk, ToolSpec, UserMessage
from glassloop.core.ports import ReadsAhead
from glassloop.core.protocols import get_protocol
from glassloop.extensions.embedded import embedded_options
from glassloop.extensions.embedded.adapters import choose_adapter
from glassloop.extensions.embedded.engine import CompletionStats, Engine, hold_engine, release_engine
from glassloop.extensions.embedded.llama_http import call
from glassloop.extensions.embedded.model import EmbeddedModel, chat
from glassloop.extensions.embedded.options import EmbeddedOptions, default_threads
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import load_settings

LOOP_MS = 50
MISSING = "the embedded model: its weights are not in GLASSLOOP_HOME (`glassloop models pull` gets them)"
PROMPT = "You look things up in a warehouse and answer in one sentence."
WORDS = ("partition", "supplier", "weight", "price", "delivery")
FIRST_S, NEXT_S, OWN_RATIO = 30.0, 15.0, 1.3
QUESTIONS = ("What is 18% of 2,450?", "Convert 26.2 miles to kilometers")
LONG = "Count upwards from one, in words, one number a line, as far as you can."

ASK = """
import json, socket, sys
address, body = sys.argv[1], sys.argv[2].encode()
link = socket.socket(socket.AF_UNIX)
link.connect(address)
link.sendall(b"POST /completion HTTP/1.1\\r\\nHost: x\\r\\nContent-Type: application/json\\r\\nConnection: close\\r\\n"
             b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
reply = b""
while piece := link.recv(65536):
    reply += piece
print(json.dumps(json.loads(reply.partition(b"\\r\\n\\r\\n")[2])["timings"]))
"""


def tools() -> dict[str, ToolSpec]:
    parameters: Any = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
    return {
        f"find_{word}": ToolSpec(name=f"find_{word}", description=f"The {word} of an item.", parameters=parameters)
        for word in WORDS
    }


class LoopWatch:
    """The longest the event loop was held, by the clock and by its own CPU time, which no other program adds to."""

    def __init__(self) -> None:
        self.wall_s = self.cpu_s = 0.0

    @contextmanager
    def watching(self) -> Iterator[None]:
        handle: Any = asyncio.events.Handle
        plain = handle._run

        def run(this: Any) -> None:
            wall, cpu = time.perf_counter(), time.thread_time()
            plain(this)
            self.wall_s = max(self.wall_s, time.perf_counter() - wall)
            self.cpu_s = max(self.cpu_s, time.thread_time() - cpu)

        handle._run = run
        try:
            yield
        finally:
            handle._run = plain


async def streamed(model: EmbeddedModel, request: ModelRequest) -> tuple[float, Reply]:
    """Tokens a second between the first and the last piece, as a client sees them."""
    first = last = 0.0
    reply: Reply | None = None
    async for chunk in model.stream(request):
        if isinstance(chunk, TextChunk):
            last = time.perf_counter()
            first = first or last
        elif isinstance(chunk, Reply):
            reply = chunk
    assert reply is not None
    return (reply.usage.output_tokens - 1) / max(last - first, 1e-9), reply


async def raw(model: EmbeddedModel, request: ModelRequest, tokens: int) -> float:
    """Tokens a second as llama.cpp itself counts them."""
    socket = model.engine.child.socket
    messages = chat(request.system, request.messages)
    prompt = (await call(socket, "/apply-template", {"messages": messages}, 60))["prompt"]
    body = {"prompt": prompt, "n_predict": tokens, "temperature": 0.0, "id_slot": 1, "cache_prompt": True}
    command = [sys.executable, "-S", "-c", ASK, socket, json.dumps(body)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
    timings = json.loads(done.stdout)
    return (timings["predicted_n"] - 1) / (timings["predicted_ms"] / 1000)


class OwnTime:
    """The seconds that llama.cpp itself took for what an engine was asked, and how many tokens."""

    def __init__(self, engine: Engine) -> None:
        self.seconds, self.read, self.written, self.calls = 0.0, 0, 0, 0
        generate = engine.generate

        async def counted(work: Any) -> Any:
            async for piece in generate(work):
                if isinstance(piece, CompletionStats):
                    self.seconds += piece.seconds
                    self.read += piece.evaluated
                    self.written += piece.output_tokens
                    self.calls += 1
                yield piece

        engine.generate = counted  # pyright: ignore[reportAttributeAccessIssue]


def memory_mb(pid: int | None) -> float:
    """The most that the child's memory was, the mapped weights included."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


async def read_prompt_ahead() -> None:
    """The prompt of `general` alone, in a process that ends with it."""
    async with await open_runtime(load_settings()) as runtime:
        agent = await runtime.agents.for_key(AgentKey("general"))
        model = agent.main_model
        assert isinstance(model, ReadsAhead)
        began = time.perf_counter()
        await model.read_ahead(agent.first_request().system)
        print(f"the prompt was read ahead in {time.perf_counter() - began:.1f} s", flush=True)


async def measure_turns(*asked: tuple[str, str, float]) -> list[bars.Bar]:
    """Questions, each with a title and a bar, from the start of everything to the end of the answer."""
    settings = load_settings()
    options = embedded_options(settings)
    assert options is not None
    engine = hold_engine(options)
    rows: list[bars.Bar] = []
    try:
        for number, (title, question, limit) in enumerate(asked):
            own, began = OwnTime(engine), time.perf_counter()
            async with await open_runtime(settings) as runtime:
                answer = (await runtime.ask(question, wanted="general")).response
            took = time.perf_counter() - began
            own_s = own.seconds + (0 if number else engine.child.load_s)
            tokens = f"{own.read} tokens read and {own.written} written in {own.calls} calls"
            print(f"{question!r}: {took:.1f} s, llama.cpp's own {own.seconds:.1f} s for {tokens};", end=" ")
            print(f"loaded in {engine.child.load_s:.1f} s; {answer!r}", flush=True)
            rows += [
                bars.Bar(title=title, limit=limit, unit=" s", figures={bars.OURS: took}),
                bars.Bar(title=f"{title}, to llama.cpp's own seconds", limit=OWN_RATIO,
                         figures={bars.OURS: took / max(own_s, 1e-9)}),
            ]  # fmt: skip
        rows.append(bars.Bar(title="memory of the child", limit=3000, unit=" MB",
                             figures={bars.OURS: memory_mb(engine.child.pid)}))  # fmt: skip
    finally:
        await release_engine(engine)
    return rows


async def measure_adapter(options: EmbeddedOptions, rounds: int, tokens: int) -> list[bars.Bar]:
    """llama.cpp's own seconds a token, with the adapter to without."""
    if options.adapter is None:
        return []
    bare = EmbeddedOptions(weights=options.weights, threads=options.threads, conversations=2)
    tuned, plain = EmbeddedModel(options), EmbeddedModel(bare)
    long = ModelRequest(system=PROMPT, messages=(UserMessage(LONG),), max_tokens=tokens, session="speed")
    speeds: list[tuple[float, float]] = []
    try:
        for model in (tuned, plain):
            await streamed(model, long)
        for number in range(rounds):
            speeds.append((await raw(tuned, long, tokens), await raw(plain, long, tokens)))
            told = "with the adapter {:.2f}, without {:.2f} tokens/s".format(*speeds[-1])
            print(f"round {number + 1}: {told}", flush=True)
    finally:
        await tuned.aclose()
        await plain.aclose()
    slower = bars.ratios([without for _, without in speeds], [with_it for with_it, _ in speeds])
    return [bars.Bar(title="seconds a token with the adapter, to without", limit=1.25, spread=bars.span(slower),
                     figures={bars.OURS: statistics.median(slower)})]  # fmt: skip


async def measure(options: EmbeddedOptions, rounds: int, tokens: int) -> list[bars.Bar]:
    model, watch = EmbeddedModel(options), LoopWatch()
    try:
        long = ModelRequest(system=PROMPT, messages=(UserMessage(LONG),), max_tokens=tokens, session="speed")
        await streamed(model, long)
        ours: list[float] = []
        theirs: list[float] = []
        for number in range(rounds):
            theirs.append(await raw(model, long, tokens))
            with watch.watching():
                ours.append((await streamed(model, long))[0])
            print(f"round {number + 1}: llama.cpp {theirs[-1]:.2f}, embedded {ours[-1]:.2f} tokens/s", flush=True)
        framing = get_protocol("json", Abilities(small=True)).frame(PROMPT, tools())
        read: list[int] = []
        for question in ("Where is the blue lamp?", "And what does it weigh?"):
            request = ModelRequest(
                system=framing.system, schema=framing.schema, messages=(UserMessage(question),), session="decide"
            )
            with watch.watching():
                usage = (await streamed(model, request))[1].usage
            read.append(usage.input_tokens - usage.cached_tokens)
            print(f"{question!r}: {usage.input_tokens} tokens, {read[-1]} of them read, {usage.output_tokens} written")
    finally:
        await model.aclose()
    print(f"event loop held at most {watch.wall_s * 1000:.1f} ms by the clock")
    slower = bars.ratios(theirs, ours)
    return bars.asked_by("#5", [
        bars.Bar(title="seconds a token, to llama.cpp's own", limit=1.1, spread=bars.span(slower),
                 figures={bars.OURS: statistics.median(slower)}),
        bars.Bar(title="read for a second question", limit=40, unit=" tokens", figures={bars.OURS: float(read[1])}),
        bars.Bar(title="event loop held, its own CPU", limit=LOOP_MS, unit=" ms",
                 figures={bars.OURS: watch.cpu_s * 1000}),
    ])  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("The embedded model beside llama.cpp itself.", 3)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--tokens", type=int, default=40)
    parser.add_argument("--only", choices=("turns", "speed"))
    asked = parser.parse_args(arguments)
    set_up = embedded_options(load_settings())
    weights = asked.weights or (set_up.weights if set_up else None)
    if weights is None:
        return bars.tell(bars.Report(left_out=[MISSING]), asked.json)
    adapter = choose_adapter(None, weights) if set_up is None or asked.weights else None
    path = adapter.path if adapter else set_up.adapter if set_up and not asked.weights else None
    found: list[bars.Bar] = []
    rounds, tokens = max(asked.rounds, 1), max(asked.tokens, 8)
    with tempfile.TemporaryDirectory() as folder:
        if asked.only != "speed":
            os.environ |= {"GLASSLOOP_HOME": folder, "GLASSLOOP_MODEL": "embedded",
                           "GLASSLOOP_EMBEDDED_WEIGHTS": str(weights), "GLASSLOOP_EMBEDDED_THREADS": str(asked.threads),
                           "GLASSLOOP_EMBEDDED_ADAPTER": str(path or "none")}  # fmt: skip
            first, following = QUESTIONS
            turns = asyncio.run(measure_turns(("first answer", first, FIRST_S), ("next answer", following, NEXT_S)))
            os.environ["GLASSLOOP_HOME"] = f"{folder}/pulled"
            asyncio.run(read_prompt_ahead())
            again = asyncio.run(measure_turns(("first answer after a pull", first, FIRST_S)))
            found += bars.asked_by("#24", [*turns, *(row for row in again if not row.title.startswith("memory"))])
        options = EmbeddedOptions(
            weights=weights.absolute(), adapter=path, threads=asked.threads, conversations=2,
            states=Path(folder) / "speed",
        )  # fmt: skip
        if asked.only != "turns":
            found += asyncio.run(measure(options, rounds, tokens))
            found += bars.asked_by("#24", asyncio.run(measure_adapter(options, rounds, tokens)))
    return bars.tell(bars.Report(rows=found), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
