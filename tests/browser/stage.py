"""What a test's assistant says and does: a script that can be held up, and tools that wait, ask, fail and tell."""

import asyncio
import time

from glassloop import ScriptedModel, ToolError, tool
from glassloop.core.messages import AssistantMessage, PromptReading, Reply, TextChunk, Usage
from glassloop.core.records import ToolCall, ToolResult
from glassloop.models.scripted_model import call
from glassloop.tools.result import failure

HOLD = "⏸"
"""In the text of a script: here the model waits until the test lets it go on."""

STOCK = [
    {"sku": "BRG-6204", "item": "Ball bearing 6204", "on_hand": 140, "reorder_at": 400},
    {"sku": "INS-PA66", "item": "PA66 GF30 granulate, kg", "on_hand": 820, "reorder_at": 1500},
    *({"sku": f"SKU-{n}", "item": f"Item {n}", "on_hand": 90 + n, "reorder_at": 80} for n in range(8)),
]


KEPT: dict[str, str] = {}


def find(text):
    """A call that finds a text. One that is given it would only repeat it, which is no source."""
    key = "".join(chr(ord("a") + int(digit)) for digit in str(len(KEPT)))
    KEPT[key] = text
    return call("find", key=key)


def think(thought, *calls):
    """A reply that says why it calls."""
    made = tuple(ToolCall(id="", tool=one.tool, args=one.args) for one in calls)
    message = AssistantMessage(thought=thought, calls=made)
    return Reply(
        message=message, usage=Usage(input_tokens=900, output_tokens=52, cost=0.0), stop="tool_use", model="scripted"
    )


class HeldModel(ScriptedModel):
    """Stops wherever its text has `HOLD`."""

    def __init__(self, script, gate) -> None:
        super().__init__(script)
        self._gate = gate

    async def stream(self, request):
        held = False
        async for chunk in super().stream(request):
            if isinstance(chunk, TextChunk) and HOLD in chunk.text:
                before, _, after = chunk.text.partition(HOLD)
                held = True
                yield TextChunk(before)
                await self._gate.wait()
                yield TextChunk(after)
            elif isinstance(chunk, Reply) and held:
                text = chunk.message.text.replace(HOLD, "")
                yield Reply(message=AssistantMessage(text=text), usage=chunk.usage, stop=chunk.stop, model=chunk.model)
            else:
                yield chunk


class SlowReader(ScriptedModel):
    """Reads its first question until the gate is open, at a thousandth part a second of the stage's own time."""

    def __init__(self, script, stage) -> None:
        super().__init__(script)
        self._stage = stage
        self._asked = 0

    async def stream(self, request):
        self._asked += 1
        # Told again and again: whoever comes later sees it too.
        while self._asked == 1 and not self._stage.gate.is_set():
            self._stage.passed += 1.0
            yield PromptReading(read=round(self._stage.passed * 10), total=10_000)
            await asyncio.sleep(0.05)
        async for chunk in super().stream(request):
            yield chunk


class Stage:
    """The model, the tools, and what they did."""

    def __init__(self, script) -> None:
        self.gate, self.word = asyncio.Event(), asyncio.Event()
        self.reached = asyncio.Event()
        self.written: list[str] = []
        self.passed = 0.0
        self.model = HeldModel(script, self.word)
        self.tools = [*self._readers(), *self._writers()]

    def now(self) -> float:
        return time.time() + self.passed

    def open_all(self) -> None:
        self.gate.set()
        self.word.set()

    async def arrived(self) -> None:
        await asyncio.wait_for(self.reached.wait(), 120)
        self.reached.clear()

    def _readers(self):
        @tool(effect="read", volatile=True)
        async def get_inventory_levels(warehouse_id: str, include_reorder: bool = True) -> list:
            """What lies in a warehouse."""
            return STOCK

        @tool(effect="read", volatile=True)
        async def say(text: str) -> str:
            """Gives back what it is given."""
            return text

        @tool(effect="read", volatile=True, name="find")
        async def find_text(key: str) -> str:
            """Gives what is kept under a key."""
            return KEPT[key]

        @tool(effect="read", volatile=True)
        async def hold() -> str:
            """Waits for the gate."""
            self.reached.set()
            await self.gate.wait()
            return f"the gate was open at {time.strftime('%H:%M')}"

        @tool(effect="read", volatile=True)
        async def fail() -> str:
            """Never works."""
            raise ToolError("The warehouse is closed: ask again tomorrow.")

        return get_inventory_levels, say, find_text, hold, fail

    def _writers(self):
        def preview(path: str, text: str, lines: int = 1) -> str:
            added = "\n".join(f"+{line}" for line in text.splitlines())
            return f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-nothing\n{added}"

        @tool(effect="write", confirm=True, preview=preview)
        async def edit_file(path: str, text: str, lines: int = 1) -> str | ToolResult:
            """Writes a file; of one that is called so, nobody hears again."""
            self.written.append(f"{path}: {text} ({lines})")
            if path == "lost.py":
                return failure("The disk was taken out.", cause="in_doubt")
            return f"wrote {path}"

        return (edit_file,)
