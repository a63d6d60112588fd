"""The trace as a view: made-up events in, text out."""

import io
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from glassloop.cli.ui.console import DARK, theme
from glassloop.cli.ui.output import TerminalStyle
from glassloop.cli.ui.trace import TraceView
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage
from glassloop.core.records import (
    Decision,
    Evidence,
    ExecutionPlan,
    Figure,
    PlanStep,
    QualityEvaluation,
    ToolCall,
    ToolResult,
)

Kind = TypeVar("Kind", bound=e.Event)
HOSTILE = "\x1b[31mred\x1b]0;owned\x07\x9b2J\x08\u202eturned[bold]x[/bold] [link=http://evil.example]y[/link]"
PLAN = ExecutionPlan(
    query="q",
    complexity="medium",
    steps=(
        PlanStep(step_number=1, description="Work out the tax", tool_name="calculate"),
        PlanStep(step_number=2, description="Convert the distance", tool_name="convert"),
    ),
    estimated_iterations=3,
)


class Story:
    """Events of one turn, numbered and timed."""

    def __init__(self) -> None:
        self.seq = 0
        self.now = 100.0

    def __call__(self, kind: type[Kind], after: float = 0.0, **fields: Any) -> Kind:
        self.now += after
        self.seq += kind not in e.TRANSIENT
        return kind(turn_id="t", seq=self.seq, at=self.now, **fields)

    def start(self, question: str = "How much?") -> e.TurnStarted:
        names = {"user": "u", "session_id": "s", "assistant": "general", "model": "m"}
        return self(e.TurnStarted, question=question, protocol="native", **names)

    def responded(self, seconds: float = 1.0, purpose: str = "decide", **fields: Any) -> e.ModelResponded:
        fields = {"step": 1, "model": "m", "tier": "balanced", "message": AssistantMessage(), **fields}
        return self(e.ModelResponded, seconds, purpose=purpose, latency_ms=seconds * 1000, **fields)

    def step(self, call: ToolCall, result: ToolResult, thought: str = "", seconds: float = 0.02) -> Iterator[e.Event]:
        yield self.responded(decision=Decision(calls=(call,)))
        yield self(e.ThoughtRecorded, step=1, text=thought or f"Use {call.tool}.", implied=not thought)
        yield self(e.ToolCalled, step=1, call=call, effect="read")
        yield self(e.ToolReturned, seconds, step=1, call_id=call.id, result=result)

    def answer(self, text: str, evidence: Evidence | None = None) -> Iterator[e.Event]:
        yield self.responded(2.0, decision=Decision(answer=text))
        yield self(e.ThoughtRecorded, step=2, text="Answer from what is known.", implied=True)
        yield self(e.AnswerEvaluated, accepted=True, evidence=evidence or Evidence())
        yield self(e.AnswerGiven, text=text)

    def finish(self, status: str = "completed", **fields: Any) -> e.TurnFinished:
        totals = {"iterations": 3, "tool_calls": 2, "input_tokens": 1700, "output_tokens": 204}
        money = {"cost": 0.0012, "unpriced_calls": 0}
        return self(e.TurnFinished, status=status, **{**totals, **money, "seconds": 1.8, **fields})


@pytest.fixture
def story() -> Story:
    return Story()


def shown(view: Any, width: int = 100, *, colour: bool = False) -> str:
    out = io.StringIO()
    system = "truecolor" if colour else None
    console = Console(
        file=out, width=width, force_terminal=colour, color_system=system, theme=theme(DARK), markup=False
    )
    console.print(view)
    return out.getvalue()


def seen(*events: e.Event, terminal: TerminalStyle | None = None) -> TraceView:
    view = TraceView(terminal=terminal or TerminalStyle(colour=False))
    for event in events:
        view.apply(event)
    return view


def call(tool: str, name: str = "c1", **args: Any) -> ToolCall:
    return ToolCall(id=name, tool=tool, args=args)


def test_every_part_of_a_turn_is_shown(story: Story) -> None:
    figures = (
        Figure(text="212.33", kind="number", start=0, end=6, source="c1"),
        Figure(text="52.2", kind="number", start=9, end=13),
    )
    view = seen(
        story.start("How much tax?"),
        story(e.PlanMade, plan=PLAN),
        *story.step(
            call("calculate", expression="1249 * 0.17"),
            ToolResult(success=True, output="212.33", cached=True, duration_ms=18, metadata={"attempts": 3}),
            "The tax comes first.",
        ),
        *story.step(call("convert", "c2", value=84), ToolResult(success=False, error="No such unit.")),
        *story.answer("It is **212.33**.", Evidence(figures=figures, sourced=1)),
        story.finish(),
    )
    text = shown(view)
    for part in (
        "› How much tax?",
        "✓ Work out the tax",
        "✗ Convert the distance",
        "think   The tax comes first.",
        'act     calculate(expression="1249 * 0.17")',
        "observe 212.33",
        "18 ms · cached · 3 attempts",
        "failed  No such unit.",
        "It is 212.33.",
        "2 tools · 3 steps · 1.8 s · 1,904 tokens · $0.0012 · 1 of 2 figures sourced",
        "No source found for: 52.2",
    ):
        assert part in text, part


def test_the_plan_ticks_itself_off_and_a_failed_step_may_be_made_good(story: Story) -> None:
    view = seen(story.start(), story(e.PlanMade, plan=PLAN))
    assert "○ Work out the tax" in shown(view)
    for event in story.step(call("calculate"), ToolResult(success=True, output="1")):
        view.apply(event)
    assert "✓ Work out the tax" in shown(view)
    for event in story.step(call("convert", "c2"), ToolResult(success=False, error="no")):
        view.apply(event)
    assert "✗ Convert the distance" in shown(view)
    view.apply(story(e.PlanAdjusted, plan=PLAN, reason="step 2 failed"))
    assert "○ Convert the distance" in shown(view)
    for event in story.step(call("convert", "c3"), ToolResult(success=True, output="1")):
        view.apply(event)
    assert "✓ Convert the distance" in shown(view)
    assert shown(view).count("Convert the distance") == 1


def test_hostile_text_stays_inert_wherever_it_comes_from(story: Story) -> None:
    plan = ExecutionPlan(
        query="q",
        complexity="medium",
        steps=(PlanStep(step_number=1, description=HOSTILE, tool_name=HOSTILE),),
    )
    evidence = Evidence(figures=(Figure(text=HOSTILE, kind="name", start=0, end=1),))
    bad = call(HOSTILE, **{HOSTILE: HOSTILE})
    events = [
        story.start(HOSTILE),
        story(e.PlanMade, plan=plan),
        story(e.ModelRetried, block=1, attempt=1, wait_s=1.0, reason=HOSTILE, model=HOSTILE),
        story(e.ThoughtDelta, block=2, offset=0, text=HOSTILE),
        story(e.TextDelta, block=2, offset=0, text=HOSTILE),
        story(e.ArgumentsDelta, block=2, offset=0, index=0, tool=HOSTILE, text=HOSTILE),
        *story.step(bad, ToolResult(success=True, output=HOSTILE, data={HOSTILE: HOSTILE}), HOSTILE),
        *story.step(call(HOSTILE, "c2"), ToolResult(success=False, error=HOSTILE), HOSTILE),
        *story.answer(f"# {HOSTILE}\n\n```\n{HOSTILE}\n```\n\n| {HOSTILE} |\n|---|\n", evidence),
        story.finish("failed", error=HOSTILE),
    ]
    view = TraceView(terminal=TerminalStyle())
    for event in events:
        view.apply(event)
        text = shown(view, colour=True)
        ours = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", ours)
        assert "\x1b]" not in text
        assert "\x1b[31m" not in text
    assert "[bold]x[/bold]" in text
    assert "[link=http://evil.example]y[/link]" in text


@given(st.text(max_size=200), st.integers(20, 120))
def test_no_text_breaks_the_view_or_gets_a_control_character_through(text: str, width: int) -> None:
    story = Story()
    view = seen(
        story.start(text),
        *story.step(
            call("look", at=text.encode("utf-8", "replace").decode()), ToolResult(success=True, output=text), text
        ),
        *story.answer(text),
        story.finish(),
    )
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown(view, width))


@pytest.mark.parametrize("width", [20, 40, 60])
def test_a_narrow_terminal_is_never_overrun(story: Story, width: int) -> None:
    long = "a rather long sentence that needs several lines " * 3
    view = seen(
        story.start(long),
        story(e.PlanMade, plan=PLAN),
        *story.step(call("calculate", expression=long), ToolResult(success=True, output=long * 9), long),
        *story.answer(long),
        story.finish(cost=None, unpriced_calls=2),
        terminal=TerminalStyle(ascii=True, colour=False),
    )
    assert max(len(line.rstrip()) for line in shown(view, width).splitlines()) <= width


def test_ascii_needs_nothing_but_ascii(story: Story) -> None:
    view = seen(
        story.start("How much?"),
        story(e.PlanMade, plan=PLAN),
        *story.step(call("calculate"), ToolResult(success=True, output="1", cached=True)),
        *story.answer("One."),
        story.finish(),
        terminal=TerminalStyle(ascii=True, colour=False),
    )
    assert shown(view).isascii()
    assert "[x] Work out the tax" in shown(view)


def test_without_colour_the_timeline_tells_kinds_apart_by_their_characters(story: Story) -> None:
    events = (
        story.start(),
        *story.step(call("calculate"), ToolResult(success=True, output="1"), seconds=0.5),
        *story.step(call("calculate", "c2"), ToolResult(success=False, error="no")),
        *story.answer("One."),
        story.finish(),
    )
    timeline = next(line for line in shown(seen(*events)).splitlines() if line.startswith("░"))
    assert re.fullmatch(r"░+█+▒░+█×▓+ *", timeline)
    ascii_only = shown(seen(*events, terminal=TerminalStyle(ascii=True, colour=False)))
    plain = next(line for line in ascii_only.splitlines() if line.startswith(".."))
    assert re.fullmatch(r"\.+#+o\.+#x=+ *", plain)


def test_what_streams_is_shown_until_it_is_taken_back(story: Story) -> None:
    view = seen(
        story.start(),
        story(e.ThoughtDelta, block=1, offset=0, text="Let me "),
        story(e.ThoughtDelta, block=1, offset=7, text="see."),
        story(e.TextDelta, block=1, offset=0, text="It is **per"),
    )
    assert "Let me see." in shown(view)
    assert "It is **per" in shown(view)
    view.apply(story(e.ModelRetried, block=1, attempt=2, wait_s=2.0, reason="overloaded", model="m"))
    assert "Let me see." not in shown(view)
    assert "overloaded; attempt 2 with m in 2.0 s" in shown(view)
    view.apply(story(e.ModelRetried, block=2, attempt=3, wait_s=4.0, reason="overloaded", model="m"))
    assert shown(view).count("overloaded") == 1
    assert "attempt 3 with m in 4.0 s" in shown(view)
    view.apply(story(e.TextDelta, block=2, offset=0, text="It is nine."))
    assert "It is nine." in shown(view)
    view.apply(story(e.TextDelta, block=3, offset=0, text="No: ten."))
    assert "It is nine." not in shown(view)


def test_a_rejected_draft_gives_way_to_what_is_missing(story: Story) -> None:
    view = seen(
        story.start(),
        story.responded(decision=Decision(answer="A first draft.")),
        story(e.ThoughtRecorded, step=1, text="Answer from what is known.", implied=True),
    )
    assert "A first draft." in shown(view)
    lacking = QualityEvaluation(completeness_score=3, quality_score=5, missing_info=("the price",), needs_retry=True)
    view.apply(story(e.AnswerEvaluated, accepted=False, evidence=Evidence(), evaluation=lacking))
    assert "A first draft." not in shown(view)
    assert "Missing: the price" in shown(view)


def test_a_long_observation_says_how_much_more_there_is(story: Story) -> None:
    rows = [{"sku": f"BRG-{number}"} for number in range(212)]
    view = seen(
        story.start(),
        *story.step(call("levels"), ToolResult(success=True, output="…", data=rows)),
        *story.step(call("text", "c2"), ToolResult(success=True, output="line\n" * 50)),
    )
    assert '{"sku":"BRG-0"}' in shown(view)
    assert "… 208 more" in shown(view)
    assert "… 46 more" in shown(view)


TABLE = """Late orders:

| Order | Vendor | Amount (USD) | Ordered | Due | Status | Days late |
|---|---|---:|---|---|---|---:|
| PO-01613 | Shenzhen Precision Mold Components | 1,775,831.20 | 2026-10-01 | 2026-11-14 10:00 | open | 12 |
| PO-01614 | Acme | 93,258.00 | 2026-10-02 | 2026-11-13 09:00 | partially received | 3 |
"""
FIGURES = ("PO-01613", "1,775,831.20", "93,258.00", "2026-10-01", "2026-11-14", "10:00", "12")


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100, 160])
def test_no_figure_of_a_table_is_cut_however_narrow_the_terminal(story: Story, width: int) -> None:
    text = shown(seen(story.start(), *story.answer(TABLE), story.finish()), width)
    assert "…" not in text
    for figure in FIGURES:
        assert re.search(rf"(?<![\d.,-]){re.escape(figure)}(?![\d,-])", text), (figure, text)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width


def test_a_table_uses_the_room_there_is_and_text_does_not(story: Story) -> None:
    long = "a sentence that goes on and on " * 8
    text = shown(seen(story.start(), *story.answer(f"{long}\n\n{TABLE}"), story.finish()), 160)
    assert any("Shenzhen Precision Mold Components  1,775,831.20" in line for line in text.splitlines())
    assert max(len(line.rstrip()) for line in text.splitlines() if "sentence" in line) <= 90


@pytest.mark.parametrize("width", range(40, 70, 3))
def test_an_observation_is_never_cut_inside_a_figure(story: Story, width: int) -> None:
    rows = [{"sku": "bolts", "amount": 93258.25, "due": "2026-11-14"}] * 9
    looked = story.step(call("levels"), ToolResult(success=True, output="…", data=rows))
    text = shown(seen(story.start(), *looked), width)
    for found in re.findall(r'"amount":([\d.]+)', text):
        assert found == "93258.25"
    for found in re.findall(r'"due":"([\d-]+)', text):
        assert found == "2026-11-14"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"cost": None, "unpriced_calls": 2}, "cost unknown (2 calls)"),
        ({"cost": 0.5, "unpriced_calls": 1}, "$0.5000 and 1 call of unknown cost"),
        ({"cost": 0.0, "unpriced_calls": 0}, "$0.00"),
        ({"cost": 0.00001, "unpriced_calls": 0}, "<$0.0001"),
        ({"tool_calls": 1, "iterations": 1}, "1 tool · 1 step · "),
        ({"seconds": 125.0}, "2 min 5 s"),
        ({"tool_calls": 0, "iterations": 0, "input_tokens": 0, "output_tokens": 0, "cost": 0.0}, "\n1.8 s\n"),
    ],
)
def test_the_line_under_the_timeline_never_makes_a_cost_up(story: Story, fields: dict[str, Any], told: str) -> None:
    assert told in shown(seen(story.start(), *story.answer("One."), story.finish(**fields)))


def test_a_failed_turn_shows_why_and_a_draft_never_given_is_no_answer(story: Story) -> None:
    view = seen(
        story.start(),
        story.responded(decision=Decision(answer="Half an answer.")),
        story(e.ThoughtRecorded, step=1, text="Answer.", implied=True),
        story.finish("failed", error="The model is away: try again."),
    )
    assert "The model is away: try again." in shown(view)
    assert "Half an answer." not in shown(view)


def test_rows_are_taken_once_each_as_they_settle(story: Story) -> None:
    view = TraceView(terminal=TerminalStyle(colour=False), plain=True)
    written = ""
    events = (
        story.start(),
        story(e.PlanMade, plan=PLAN),
        story(e.TextDelta, block=1, offset=0, text="One, perhaps."),
        *story.step(call("calculate"), ToolResult(success=True, output="1"), "First."),
        *story.answer("One."),
        story.finish(),
    )
    for event in events:
        view.apply(event)
        written += "".join(shown(row) for row in view.take())
    for part in ("› How much?", "○ Work out the tax", "First.", "calculate()", "One.", "Plan: 1 of 2 steps done."):
        assert written.count(part) == 1, part
    assert "perhaps" not in written
    assert view.take() == []


def test_a_call_that_waits_for_people_is_hidden_while_they_are_asked(story: Story) -> None:
    asking = call("write", text="x")
    view = seen(
        story.start(),
        story.responded(decision=Decision(calls=(asking,))),
        story(e.ThoughtRecorded, step=1, text="Write it.", implied=False),
        story(e.ApprovalRequested, step=1, call=asking, preview=None, digest="d"),
    )
    view.apply(story(e.TurnWaiting, reason="approval", call_ids=("c1",)))
    assert "write(" not in shown(view)
    view.apply(story(e.ApprovalDecided, call_id="c1", approved=True, digest="d", by="u", args={"text": "y"}))
    view.apply(story(e.TurnResumed))
    edited = call("write", text="y")
    view.apply(story(e.ToolCalled, step=1, call=edited, effect="write"))
    view.apply(story(e.ToolReturned, step=1, call_id="c1", result=ToolResult(success=True, output="done")))
    assert re.search(r'write\(text="y"\) +approved, edited', shown(view))
    assert [segment.kind for segment in view.segments] == ["think", "wait", "act", "observe"]


def test_a_kind_of_event_from_the_future_is_skipped(story: Story) -> None:
    class Unheard(e.Event, frozen=True, kw_only=True, tag="unheard"):
        pass

    view = seen(story.start(), story(Unheard))
    assert "› How much?" in shown(view)
