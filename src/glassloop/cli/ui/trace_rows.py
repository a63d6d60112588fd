"""The rows of a trace: what each part of a turn looks like, live and afterwards.

A row holds what is known so far and renders itself; which rows there are, and when they change, is up to `trace`. The
last one has the timeline, a bar with a segment for each step as long as it took, and how much of the answer has a
source. Every text is untrusted: it goes through `safe_text` into `Text`, never through markup.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.constrain import Constrain
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassloop.cli.ui.observation import LINE_CHARS, observed
from glassloop.cli.ui.output import Mark, TerminalStyle, count, duration, money
from glassloop.cli.ui.safe_text import clip, json_line, one_line, safe_text
from glassloop.core import events as e
from glassloop.core.records import ExecutionPlan, Figure, ToolCall, ToolResult
from glassloop.runtime.durable.turn_context import NOTICES

NOTICE_CHARS = 10_000
_TOLD_APART = {"earlier_words": "you said", "context": "given with the question", "asked": "from the request only"}


def evidence_summary(question: str, figures: "Sequence[Figure]") -> str:
    """`all 6 figures sourced, 2 from the question, 1 you said`; empty where there are none."""
    if not figures:
        return ""
    said = [figure for figure in figures if _is_said(question, figure)]
    apart = [figure for figure in figures if figure not in said and figure.origin in _TOLD_APART]
    found = [figure for figure in figures if figure not in said and figure not in apart]
    parts = [f"{len(said):,} from the question"] if said else []
    for origin, words in _TOLD_APART.items():
        if number := sum(figure.origin == origin for figure in apart):
            parts.append(f"{number:,} {words}")
    if not found:
        number, _, words = parts[0].partition(" ")
        return ", ".join((f"{count(int(number.replace(',', '')), 'figure')} {words}", *parts[1:]))
    sourced = sum(figure.source is not None for figure in found)
    if sourced < len(found):
        return ", ".join((f"{sourced:,} of {count(len(found), 'figure')} sourced", *parts))
    return ", ".join((f"{'all ' if sourced > 1 else ''}{count(sourced, 'figure')} sourced", *parts))


def figures_to_tell(figures: "Sequence[Figure]", *, observed: bool) -> "Sequence[Figure]":
    """Where no tool of the turn told anything there was nothing to come from: one without a source is no alarm."""
    return figures if observed else [figure for figure in figures if figure.source is not None]


def missing(question: str, figures: "Sequence[Figure]") -> "Sequence[Figure]":
    """Those that nobody said and nothing holds."""
    return [figure for figure in figures if figure.source is None and not _is_said(question, figure)]


def _is_said(question: str, figure: "Figure") -> bool:
    """Whether the person said it, also where a tool said it again; as part of a longer number it is another one."""
    what = _plain(figure.text)
    before = r"(?<![0-9])(?<![0-9]\.)" if what[:1].isdigit() else ""
    after = r"(?!\.?[0-9])" if what[-1:].isdigit() else ""
    stands = what and re.search(f"{before}{re.escape(what)}{after}", _plain(question))
    return figure.origin == "question" or bool(stands)


def _plain(text: str) -> str:
    return text.replace(",", "").lower()


Kind = Literal["think", "act", "observe", "answer", "trouble", "wait"]

_SHADES: dict[Kind, str] = {"think": "░", "act": "█", "observe": "▒", "answer": "▓", "trouble": "×", "wait": "╌"}
_LETTERS: dict[Kind, str] = {"think": ".", "act": "#", "observe": "o", "answer": "=", "trouble": "x", "wait": "-"}
_WAIT_CELLS = 2


class TimelineSegment(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of a turn. A `wait` for people says nothing about the work, so its length is fixed."""

    kind: Kind
    seconds: float


def draw_timeline(segments: Sequence[TimelineSegment], width: int, terminal: TerminalStyle) -> Text:
    """The segments on one line of at most `width` cells, at least one cell each."""
    timeline = Text(no_wrap=True, overflow="crop")
    for segment, cells in zip(*_fit(segments, width), strict=True):
        timeline.append(_cells(segment.kind, cells, terminal), "faint" if segment.kind == "wait" else segment.kind)
    return timeline


def _fit(segments: Sequence[TimelineSegment], width: int) -> tuple[Sequence[TimelineSegment], Sequence[int]]:
    """Cells by largest remainder; where there are more segments than cells, every so many-th is shown."""
    if len(segments) > width:
        segments = [segments[place * len(segments) // width] for place in range(width)]
    least = [1] * len(segments)
    for place, segment in enumerate(segments):
        if segment.kind == "wait" and sum(least) < width:
            least[place] = _WAIT_CELLS
    weights = [0.0 if segment.kind == "wait" else max(0.0, segment.seconds) for segment in segments]
    total, free = sum(weights), width - sum(least)
    if not total or free <= 0:
        return segments, least
    # What a segment has by right is its share of the whole bar; the minimum already given counts towards it.
    wanted = [max(0.0, weight / total * width - 1) for weight in weights]
    scale = free / sum(wanted) if sum(wanted) else 0.0
    shares = [want * scale for want in wanted]
    cells = [int(share) for share in shares]
    for place in sorted(range(len(shares)), key=lambda p: cells[p] - shares[p])[: free - sum(cells)]:
        cells[place] += bool(shares[place])
    return segments, [a + b for a, b in zip(least, cells, strict=True)]


def _cells(kind: Kind, cells: int, terminal: TerminalStyle) -> str:
    if terminal.ascii:
        return _LETTERS[kind] * cells
    if not terminal.colour or kind == "wait":
        return _SHADES[kind] * cells
    # The last cell is half empty: a gap between segments that costs no width.
    return "▄" * (cells - 1) + "▖"


WIDTH = 100
THOUGHT_CHARS = 600
ARGUMENT_CHARS = 60
CALL_CHARS = 400
STREAMED_CHARS = 6_000
TIMELINE_CELLS = 60
NESTED_CELLS = 4


class TraceRow:
    """A part of the trace. `settled` rows change no more."""

    settled: bool = True

    def render(self, terminal: TerminalStyle) -> RenderableType:
        raise NotImplementedError


class QuestionRow(TraceRow):
    """What was asked, and what was given with it."""

    def __init__(self, text: str, given: Sequence[str] = ()) -> None:
        self.text, self.given = text, given

    def render(self, terminal: TerminalStyle) -> RenderableType:
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(Text(terminal.prompt), Text(safe_text(self.text, 2_000).strip(), "bold", overflow="fold"))
        for each in self.given:
            grid.add_row(Text(""), Text(one_line(each, 300), "soft"))
        return Constrain(Padding(grid, (0, 0, 1, 0)), WIDTH)


class RemarkRow(TraceRow):
    """Something worth knowing that is not a step: a route, a retry, a changed context."""

    def __init__(self, label: str, text: str, style: str = "soft", *, whole: bool = False) -> None:
        self.label, self.text, self.style, self.whole = label, text, style, whole

    @classmethod
    def of_notices(cls, started: e.TurnStarted) -> "Sequence[RemarkRow]":
        """What extensions tell the user as a turn starts, all of it."""
        notices: Sequence[dict[str, str]] = started.settings.get(NOTICES) or ()
        styles = {"error": "trouble"}
        return [cls("note", each["text"], styles.get(each["kind"], "soft"), whole=True) for each in notices]

    @classmethod
    def of_complaint(cls, complaint: str, *, reviewed: bool) -> "RemarkRow":
        """What was sent back to the model: by the review, with what it was told, or since it could not be parsed."""
        if reviewed:
            return cls("review", f"Sent back: {complaint}", "trouble")
        return cls("unread", "The reply could not be parsed; the model tries again.", "trouble")

    def render(self, terminal: TerminalStyle) -> RenderableType:  # noqa: ARG002
        text = safe_text(self.text, NOTICE_CHARS) if self.whole else one_line(self.text, 300)
        return line("", self.label, Text(text, "soft"), style=self.style)


class AgentRow(TraceRow):
    """The end of a sub-agent's turn, and what it took."""

    def __init__(self, assistant: str, finished: e.TurnFinished) -> None:
        self.assistant, self.finished = assistant, finished

    def render(self, terminal: TerminalStyle) -> RenderableType:
        ended, tokens = self.finished, self.finished.input_tokens + self.finished.output_tokens
        parts = ["" if ended.status == "completed" else ended.status, count(ended.iterations, "step")]
        parts += [count(ended.tool_calls, "call") if ended.tool_calls else "", duration(ended.seconds)]
        what = terminal.join(self.assistant, *parts, count(tokens, "token") if tokens else "")
        return line("", "agent", Text(one_line(what, 300), "soft"), style="soft")


class PlanRow(TraceRow):
    """The plan as a checklist that ticks itself off."""

    def __init__(self, plan: ExecutionPlan) -> None:
        self.plan = plan
        self.marks: dict[int, Mark] = {}
        self.settled = False

    def step_for(self, tool: str) -> int | None:
        """The step that a call of this tool would be doing; one that failed may be tried again."""
        free = (s.step_number for s in self.plan.steps if s.tool_name == tool)
        return next((number for number in free if self.marks.get(number, "failed") == "failed"), None)

    def take_over(self, former: "PlanRow") -> None:
        """Keeps the ticks of steps that are the same in both plans."""
        for step in former.plan.steps:
            if former.marks.get(step.step_number) == "done" and step in self.plan.steps:
                self.marks[step.step_number] = "done"

    @property
    def done(self) -> int:
        return sum(self.marks.get(step.step_number) == "done" for step in self.plan.steps)

    def render(self, terminal: TerminalStyle) -> RenderableType:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=3 if terminal.ascii else 2, justify="right", no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_column(no_wrap=True, overflow="ellipsis")
        for step in self.plan.steps[:30]:
            mark = self.marks.get(step.step_number, "open")
            style = {"done": "observe", "open": "soft", "running": "act", "failed": "trouble"}[mark]
            what = Text(one_line(step.description, LINE_CHARS), "soft" if mark == "done" else "")
            grid.add_row(Text(terminal.sign(mark), style), what, Text(one_line(step.tool_name, 40), "faint"))
        return Constrain(Padding(grid, (0, 0, 1, 0)), WIDTH)


class ThoughtRow(TraceRow):
    """Why a step does what it does."""

    def __init__(self, number: int, text: str, *, implied: bool = False, seconds: float | None = None) -> None:
        self.number, self.text, self.implied, self.seconds = number, text, implied, seconds
        self.attempts = 1

    def render(self, terminal: TerminalStyle) -> RenderableType:
        shown = Text(safe_text(self.text, THOUGHT_CHARS).strip(), "soft" if self.implied else "", overflow="fold")
        took = duration(self.seconds) if self.seconds is not None else ""
        note = terminal.join(took, f"{self.attempts} attempts" if self.attempts > 1 else "")
        return line(str(self.number or ""), "think", shown, note)


class CallRow(TraceRow):
    """A tool call and its observation."""

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.result: ToolResult | None = None
        self.progress = ""
        self.waiting = ""
        """What it waits for, if anything."""
        self.decided = ""
        self.child: Any = None
        """The view of the sub-agent's turn that answers it."""

    @property
    def settled(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.result is not None

    def render(self, terminal: TerminalStyle) -> RenderableType:
        note = self.waiting or self.decided
        act = line("", "act", Text(describe_call(self.call), overflow="fold"), note)
        if self.child is not None:
            act = Group(act, Padding(self.child, (0, 0, 0, NESTED_CELLS)))
        if self.result is None:
            return Group(act, line("", "", Text(one_line(self.progress, LINE_CHARS), "soft"))) if self.progress else act
        trouble = "refused" if self.result.requires_confirmation else "failed"
        label, style = ("observe", "observe") if self.result.success else (trouble, "trouble")
        lines = observed(self.result, terminal)
        seen = _Clipped(lines) if self.result.success else Text("\n".join(lines), "trouble", overflow="fold")
        return Group(act, line("", label, seen, _marks(self.result, terminal), style))


class _Clipped:
    """Lines cut to the room there is, though never inside a figure: part of a number is another number."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text in self._lines:
            yield Text(clip(text, options.max_width), no_wrap=True, overflow="crop")


class AnswerRow(TraceRow):
    """The answer: a draft while it streams, then what was given."""

    def __init__(self, text: str, *, number: int = 0) -> None:
        self.text, self.number = text, number
        self.verbatim = False
        self.seconds: float | None = None
        self.partial = False
        self.apart = False
        self.settled = False

    def render(self, terminal: TerminalStyle) -> RenderableType:
        text = self.text if self.settled else self.text[-STREAMED_CHARS:]
        note = terminal.join("truncated" if self.partial else "", duration(self.seconds) if self.seconds else "")
        head = line(str(self.number or ""), "answer", Text(), note)
        # Loaded with the first answer: most commands show none.
        from glassloop.cli.ui.markdown import plain_lines, prose

        body = plain_lines(text) if self.verbatim else prose(text.strip())
        above = [Text()] if self.apart else []
        return Group(*above, head, Padding(body, (0, 0, 1, 3)))


class EndingRow(TraceRow):
    """The end of a turn: its timeline, what it used, and what has no source. `counts`: tokens mean something."""

    def __init__(self, finished: e.TurnFinished, segments: Sequence[TimelineSegment], *, question: str = "") -> None:
        self.finished, self.segments, self.question = finished, segments, question
        self.figures: Sequence[Figure] = ()
        self.counts = True
        self.plan: PlanRow | None = None

    def tell(self, figures: Sequence[Figure], calls: Iterable["CallRow"]) -> None:
        """Which figures of the answer are told of."""
        observed = any(call.result is not None and call.result.success for call in calls)
        self.figures = figures_to_tell(figures, observed=observed)

    def render(self, terminal: TerminalStyle) -> RenderableType:
        done = self.finished
        parts: list[RenderableType] = []
        if done.status == "failed":
            for number, reason in enumerate(done.attempts, start=1):
                parts.append(line("", f"attempt {number}", Text(safe_text(reason, 2_000), "soft"), "", "trouble"))
            parts.append(
                line("", "failed", Text(safe_text(done.error or "The turn failed.", 2_000), "trouble"), "", "trouble")
            )
        elif done.status == "cancelled":
            parts.append(line("", "stopped", Text("The turn was cancelled."), style="trouble"))
        if self.plan is not None and self.plan.plan.steps:
            parts.append(Text(f"Plan: {self.plan.done} of {count(len(self.plan.plan.steps), 'step')} done.", "soft"))
        if self.segments:
            parts.append(draw_timeline(self.segments, TIMELINE_CELLS, terminal))
        parts.append(Text(self._summary(terminal), "soft"))
        if unsourced := missing(self.question, self.figures):
            shown = ", ".join(dict.fromkeys(one_line(figure.text, 60) for figure in unsourced[:20]))
            parts.append(Text.assemble(("No source found for: ", "trouble"), shown))
        return Constrain(Group(*parts), WIDTH)

    def _summary(self, terminal: TerminalStyle) -> str:
        done = self.finished
        tokens = done.input_tokens + done.output_tokens if self.counts else 0
        free = not tokens and not done.cost and not done.unpriced_calls
        return terminal.join(
            # What a turn did not do need not be counted.
            *(count(number, noun) for number, noun in ((done.tool_calls, "tool"), (done.iterations, "step")) if number),
            duration(done.seconds),
            count(tokens, "token") if tokens else "",
            "" if free else money(done.cost, done.unpriced_calls),
            evidence_summary(self.question, self.figures),
        )


def line(number: str, label: str, content: RenderableType, note: str = "", style: str = "") -> RenderableType:
    """One line of the trace: number, kind, what, and how long it took."""
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=2, justify="right", no_wrap=True)
    grid.add_column(width=7, no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_column(justify="right")
    kind = style or label
    grid.add_row(Text(number, kind), Text(label, kind), content, Text(note, "faint"))
    return Constrain(grid, WIDTH)


def describe_call(call: ToolCall) -> str:
    """`tool(argument=value, …)`, shortened."""
    arguments = ", ".join(
        f"{one_line(name, 40)}={json_line(value, ARGUMENT_CHARS)}" for name, value in call.args.items()
    )
    return one_line(f"{call.tool}({arguments}", CALL_CHARS) + ")"


def _marks(result: ToolResult, terminal: TerminalStyle) -> str:
    attempts = result.metadata.get("attempts")
    retried = f"{attempts} attempts" if isinstance(attempts, int) and attempts > 1 else ""
    return terminal.join(duration(result.duration_ms / 1000), "cached" if result.cached else "", retried)
