"""A turn of two thousand events: scrolling through it stays smooth."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage, Usage
from glassloop.core.records import Decision, ToolCall, ToolResult

pytestmark = IN_BROWSER

STEPS = 500
FRAMES = """async () => {
  const panel = document.querySelector('#trace-panel'), long = [];
  new PerformanceObserver((list) => list.getEntries().forEach((one) => long.push(one.duration)))
    .observe({ type: 'longtask' });
  const frames = async (by) => {
    const took = [];
    let last = performance.now();
    for (let frame = 0; frame < 200; frame += 1) {
      panel.scrollTop += by;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      took.push(now - last);
      last = now;
    }
    took.sort((one, other) => one - other);
    return { p50: took[100], p95: took[190] };
  };
  const still = await frames(0);
  long.length = 0;
  return { still, moving: await frames(180), longest: Math.max(0, ...long), at: panel.scrollTop };
}"""
"""Frames while nothing moves are the floor: a busy machine is slow at those, too."""


async def long_turn(store):
    """Stored as a turn of so many steps would have been: four events each."""
    head = {"turn_id": "long", "at": 1_790_000_000.0}
    started = {"question": "Look everywhere", "user": "anonymous", "session_id": "far", "assistant": "general"}
    events = [e.TurnStarted(**head, seq=1, model="scripted", protocol="native", **started)]
    for step in range(1, STEPS + 1):
        call = ToolCall(id=f"c{step}", tool="look", args={"place": step, "deep": True})
        more = {
            "model": "scripted",
            "tier": "balanced",
            "usage": Usage(input_tokens=10, output_tokens=5),
            "stop": "tool_use",
        }
        rows = [{"place": step, "row": row, "found": row * step} for row in range(6)]
        made = (
            lambda seq, step=step, call=call, more=more: e.ModelResponded(
                **head, seq=seq, purpose="decide", step=step, latency_ms=12.0, attempts=1, block=step, **more,
                message=AssistantMessage(thought=f"Look at place {step}.", calls=(call,)),
                decision=Decision(thought=f"Look at place {step}.", calls=(call,)),
            ),
            lambda seq, step=step: e.ThoughtRecorded(**head, seq=seq, step=step, text=f"Look at place {step}."),
            lambda seq, step=step, call=call: e.ToolCalled(**head, seq=seq, step=step, call=call, effect="read"),
            lambda seq, step=step, call=call, rows=rows: e.ToolReturned(
                **head, seq=seq, step=step, call_id=call.id, result=ToolResult(success=True, data=rows, duration_ms=3.0)
            ),
        )  # fmt: skip
        events += [make(len(events) + 1 + place) for place, make in enumerate(made)]
    events.append(e.AnswerGiven(**head, seq=len(events) + 1, text="It is nowhere.", reason="answered", block=STEPS + 1))
    totals = {"iterations": STEPS, "tool_calls": STEPS, "input_tokens": 1, "output_tokens": 1, "cost": 0.0}
    events.append(
        e.TurnFinished(**head, seq=len(events) + 1, status="completed", unpriced_calls=0, seconds=9.0, **totals)
    )
    await store.turns.append("long", events)
    return len(events)


async def shown(house, tabs):
    served = await house()
    assert await long_turn(served.runtime.store) > 2_000
    tab = await tabs(served, "/#/s/far", viewport={"width": 1440, "height": 900})
    await tab.see("It is nowhere.")
    await expect(tab.page.locator("#trace-panel .step").first).to_be_visible()
    return tab.page


@pytest.mark.slow
async def test_a_long_turn_scrolls_smoothly(house, tabs):
    page = await shown(house, tabs)
    found = await page.evaluate(FRAMES)
    assert found["at"] > 10_000
    assert found["moving"]["p50"] < max(34, 4 * found["still"]["p50"]), found
    assert found["moving"]["p95"] < max(67, 6 * found["still"]["p95"]), found
