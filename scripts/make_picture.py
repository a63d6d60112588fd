"""Draws docs/images/trace.svg: the trace of a real turn, as the terminal shows it.

The loop, the tools, the checks and the view are the real ones; what the model says is written here, and the clock moves
by itself, so that the picture comes out the same every time. Fonts are named, never fetched.
"""

import asyncio
import io
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.terminal_theme import TerminalTheme

from glassloop.cli.ui.console import DARK, theme
from glassloop.cli.ui.trace import TraceView
from glassloop.core.messages import AssistantMessage, Chunk, ModelRequest, Reply, Usage
from glassloop.core.records import ToolCall
from glassloop.models.scripted_model import ScriptedModel, call
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.assistant_files import find_assistant, load_parts
from glassloop.runtime.settings import Settings
from glassloop.tools.execution.orchestrator import ToolOrchestrator

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "trace.svg"
COLUMNS = 94

QUESTION = "A flat of 74 m² costs 1,180 a month plus 18% charges. What is that a year, and per square foot?"
PLAN = """{"complexity": "medium", "steps": [
 {"description": "Rent and charges for a year", "tool_name": "calculate", "parameters": {}},
 {"description": "The size in square feet", "tool_name": "convert_units", "parameters": {}},
 {"description": "One by the other", "tool_name": "calculate", "parameters": {}, "depends_on": 2}]}"""
ANSWER = """\
The flat costs **16,708.80 a year**, charges included. It has 796.53 square feet, so that is **20.98 per square foot**.

Flats nearby go for about 23."""
GRADES = '{"completeness_score": 9, "quality_score": 9, "missing_info": [], "needs_retry": false}'

SCRIPT = (
    (1.1, "", PLAN, (), (612, 96)),
    (
        1.4,
        "The yearly cost and the size do not depend on each other: both at once.",
        "",
        (
            call("calculate", expression="1180 * 1.18 * 12"),
            call("convert_units", value=74, from_unit="m²", to_unit="square feet"),
        ),
        (731, 64),
    ),
    (0.9, "Now one by the other.", "", (call("calculate", expression="round(16708.8 / 796.53, 2)"),), (902, 38)),
    (2.3, "", ANSWER, (), (978, 61)),
    (0.7, "", GRADES, (), (344, 27)),
)

FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A turn in the terminal">
<style>
.{unique_id}-matrix {{ font-family: "JetBrains Mono", ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
<rect x="1" y="1" width="100%" height="100%" rx="14" fill="#141517"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g>
</svg>
"""


class Clock:
    """Time that passes when somebody looks, and when the model thinks."""

    def __init__(self) -> None:
        self.now = 1_763_164_800.0

    def __call__(self) -> float:
        self.now += 0.0004
        return self.now


class PacedModel(ScriptedModel):
    """Says its lines, each after its own time."""

    def __init__(self, replies: Sequence[Reply], pauses: Sequence[float], clock: Clock) -> None:
        super().__init__(replies)
        self._pauses = iter(pauses)
        self._time = clock

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        self._time.now += next(self._pauses)
        async for chunk in super().stream(request):
            yield chunk


def reply(thought: str, text: str, calls: Sequence[ToolCall], tokens: tuple[int, int]) -> Reply:
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1], cost=tokens[0] * 3e-7 + tokens[1] * 1.5e-6)
    message = AssistantMessage(thought=thought, text=text, calls=tuple(calls))
    return Reply(message=message, usage=usage, model="scripted")


async def play(home: Path) -> TraceView:
    """The turn, seen to its end."""
    clock, settings = Clock(), Settings(home=str(home))
    general = find_assistant("general", settings, home)
    model = PacedModel([reply(*line[1:]) for line in SCRIPT], [line[0] for line in SCRIPT], clock)
    tools = ToolOrchestrator(load_parts(general, Settings(home=str(home))).tools, clock=clock)
    view = TraceView()
    async for event in Agent(model, tools, profile=general.profile(settings), clock=clock).stream(QUESTION):
        view.apply(event)
    return view


def draw(view: TraceView) -> str:
    console = Console(
        record=True,
        width=COLUMNS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        theme=theme(DARK),
        markup=False,
        highlight=False,
    )
    console.print(Padding(view, (0, 2, 1, 2)))
    dark = TerminalTheme((20, 21, 23), (236, 234, 230), [(117, 124, 133)] * 8)
    return console.export_svg(theme=dark, code_format=FORMAT, unique_id="trace", font_aspect_ratio=0.6)


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        view = asyncio.run(play(Path(home)))
    if view.finished is None or view.finished.status != "completed":
        print("The turn did not complete: mend the script in scripts/make_picture.py.", file=sys.stderr)
        return 1
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text("\n".join(line.rstrip() for line in draw(view).splitlines()) + "\n", "utf-8")
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
