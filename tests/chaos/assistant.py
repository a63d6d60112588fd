"""An assistant that does what its question says, word by word: any process can go on with a turn of it.

A word is a step, a letter of it a call. What the tools do goes into files that all processes share, line by line, each
written by one `write`: what a killed process has written stays, and no line is torn.
"""

import asyncio
import os
import random
import signal
from pathlib import Path

from pydantic import BaseModel

from glassloop import Agent, Tool, ToolContext, tool
from glassloop.core.cpu_work import LARGE_CHARS, current_mark, run_cpu_bound
from glassloop.core.messages import Abilities, AssistantMessage, CallChunk, Reply, TextChunk, Usage, UserMessage
from glassloop.core.records import ToolCall

LATENCY_S = 0.004
LOOK_S = 0.005
STEPS = {
    "r": "count_read",
    "n": "read_noise",
    "e": "count_effect",
    "i": "count_again",
    "a": "die_after",
    "b": "die_before",
    "A": "die_after_again",
    "B": "die_before_again",
    "h": "hold_effect",
    "p": "count_asked",
    "s": "ask_helper",
    "S": "ask_holder",
    "k": "die_at_work",
    "f": "freeze_at_work",
}
IDEMPOTENT = frozenset({"count_again", "die_after_again", "die_before_again"})
READS = frozenset({"count_read", "read_noise"})
ASKED = frozenset({"count_asked"})
"""A person allows each call of these."""
CHILDREN = {"ask_helper": ("r e", "re i", "p", "rr", "e e", "r p", "ie", "s"), "ask_holder": ("h",)}
"""What sub-agents are asked, by turns; the helper's last task asks another helper."""
NOISE_CHARS = 40_000
GATE = "gate"
THINKS_AT_THE_GATE = "~"
"""Before such a word the model waits for the gate; it asks for what follows the mark."""


def steps_of(question):
    """The calls of each step, by the names of their tools."""
    return [[STEPS[letter] for letter in word.removeprefix(THINKS_AT_THE_GATE)] for word in question.split()]


def is_question(text):
    """Whether it is made of steps: what is told beside a question is none."""
    return set(text.replace(THINKS_AT_THE_GATE, "").replace(" ", "")) <= STEPS.keys()


def task_of(name, number):
    tasks = CHILDREN[name]
    return tasks[(number - 1) % len(tasks)]


def arguments_of(name, number):
    return {"task": task_of(name, number)} if name in CHILDREN else {"number": number}


def answer_to(question):
    return f"All of it is done: {question!r}."


class Diary:
    """The shared files of a test: what was published and what was done, by whom."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def open_gate(self, name=GATE):
        """From now on nobody waits there any more."""
        (self.folder / name).touch()

    async def wait_at(self, gate, where):
        path = self.folder / gate
        if not path.exists():
            self.note("waits", where)
            while not path.exists():
                await asyncio.sleep(LOOK_S)

    def note(self, *words):
        self._append("done", *words, os.getpid())

    def acknowledge(self, *words):
        self._append("published", *words)

    def done(self):
        """Lines of words: what was done, to which key, by which process."""
        return self._lines("done")

    def published(self):
        return self._lines("published")

    @property
    def promises(self):
        """How many events were published."""
        path = self.folder / "published"
        return path.read_bytes().count(b" .\n") if path.exists() else 0

    def _append(self, name, *words):
        file = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            # Who is killed while writing over the end of a page leaves half a line: the full stop tells whole ones.
            os.write(file, f"\n{' '.join(map(str, words))} .\n".encode())
        finally:
            os.close(file)

    def _lines(self, name):
        path = self.folder / name
        lines = path.read_text().splitlines() if path.exists() else []
        return [tuple(line.split()[:-1]) for line in lines if line.endswith(" .")]


class Planned:
    """The model: gives the step that comes after those in the transcript, in pieces and not at once."""

    name = "planned"
    abilities = Abilities()

    def __init__(self, diary, wait_at_gate):
        self._diary = diary
        self._wait_at_gate = wait_at_gate

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        asked, question = next(
            (number, message.content)
            for number, message in reversed(list(enumerate(request.messages)))
            if isinstance(message, UserMessage) and is_question(message.content)
        )
        since = request.messages[asked:]
        made = sum(isinstance(message, AssistantMessage) and bool(message.calls) for message in since)
        words = question.split()
        self._diary.note("asked", f"step-{made + 1}")
        if made < len(words) and words[made].startswith(THINKS_AT_THE_GATE):
            await self._wait_at_gate(f"step-{made + 1}")
        await asyncio.sleep(LATENCY_S)
        if made == len(words):
            message = AssistantMessage(text=answer_to(question))
            for word in message.text.split():
                yield TextChunk(f"{word} ")
        else:
            numbered = list(enumerate(steps_of(question)[made], 1))
            calls = tuple(ToolCall(id="", tool=name, args=arguments_of(name, number)) for number, name in numbered)
            message = AssistantMessage(calls=calls)
            for index, call in enumerate(calls):
                yield CallChunk(index, call.tool, "")
        usage = Usage(input_tokens=10, output_tokens=5, cost=0.0)
        yield Reply(message=message, usage=usage, stop="tool_use" if message.calls else "end_turn", model=self.name)


@tool(effect="read", integrity="trusted", volatile=True)
async def count_read(number: int) -> str:
    """Read a number."""
    await asyncio.sleep(LATENCY_S)
    return f"{number} was read"


@tool(effect="read", integrity="trusted", volatile=True)
async def read_noise(number: int) -> str:
    """Read much that cannot be packed."""
    return random.Random(number).randbytes(NOISE_CHARS // 2).hex()


@tool(effect="read", volatile=True)
async def die_at_work(number: int) -> str:
    """Kill this process in the middle of CPU-bound work."""
    await run_cpu_bound("a hard sum", LARGE_CHARS, lambda: os.kill(os.getpid(), signal.SIGKILL))
    return f"{number} was survived"


@tool(effect="read", volatile=True)
async def freeze_at_work(number: int) -> str:
    """Keep the event loop busy for ever, in the middle of CPU-bound work."""
    await current_mark.get().begin("an endless sum")
    while True:
        number += 1


class Write(Tool):
    """As it does not tell its progress, a step of its own goes another way than one of a function."""

    description = "Write a number."
    effect = "write"
    integrity = "trusted"
    reports_progress = False

    class Input(BaseModel):
        number: int

    def __init__(self, name, act, **dies):
        self.name = name
        self._act = act
        self._dies = dies

    async def execute(self, input, context):  # noqa: A002
        return await self._act(context, input.number, **self._dies)


def make_writes(diary, wait_at_gate):
    async def act(context, number, before=None, after=None):
        key = context.idempotency_key
        diary.note("begun", key)
        await asyncio.sleep(LATENCY_S)
        if before is not None:
            before(key)
        diary.note("did", key)
        if after is not None:
            after(key)
        await asyncio.sleep(LATENCY_S)
        return f"{number} was written"

    def die_once(key):
        """Kills this process; the next one that comes here goes on."""
        try:
            os.close(os.open(diary.folder / f"died-{key}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    @tool(effect="write", integrity="trusted", idempotent=True)
    async def count_again(number: int, context: ToolContext) -> str:
        """Write a number, once however often it is asked to."""
        return await act(context, number)

    @tool(effect="write", integrity="trusted", idempotent=True)
    async def die_after_again(number: int, context: ToolContext) -> str:
        """Write a number, once however often it is asked to, and die."""
        return await act(context, number, after=die_once)

    @tool(effect="write", integrity="trusted", idempotent=True)
    async def die_before_again(number: int, context: ToolContext) -> str:
        """Die, and write a number, once however often it is asked to."""
        return await act(context, number, before=die_once)

    @tool(effect="write", integrity="trusted", confirm=True)
    async def count_asked(number: int, context: ToolContext) -> str:
        """Write a number that a person allows."""
        return await act(context, number)

    @tool(effect="write", integrity="trusted")
    async def hold_effect(number: int, context: ToolContext) -> str:
        """Wait for the gate, then write a number."""
        await wait_at_gate(context.idempotency_key)
        return await act(context, number)

    dying = [Write("die_after", act, after=die_once), Write("die_before", act, before=die_once)]
    return [
        Write("count_effect", act),
        *dying,
        count_again,
        die_after_again,
        die_before_again,
        count_asked,
        hold_effect,
    ]


def make_agent(diary, *, gate=None):
    """An agent that any process makes alike. With a gate it waits wherever it is told to, until that is open."""

    async def wait_at_gate(where):
        if gate is not None:
            await diary.wait_at(gate, where)

    tools = [count_read, read_noise, die_at_work, freeze_at_work, *make_writes(diary, wait_at_gate)]
    model = Planned(diary, wait_at_gate)
    innermost = Agent(model, tools, max_iterations=100, name="innermost")
    helper = Agent(model, [*tools, innermost.as_tool("ask_helper")], max_iterations=100, name="helper")
    return Agent(model, [*tools, helper.as_tool("ask_helper"), innermost.as_tool("ask_holder")], max_iterations=100)
