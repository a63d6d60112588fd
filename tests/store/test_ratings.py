"""What reviewers ask the store for, on every database: sessions by filters, ratings of steps, figures over time."""

import msgspec
import pytest

from glassloop.core import events as e
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import ToolCall, ToolResult
from glassloop.store.tables.search import SessionFilters
from store.made_events import whole_turn

DAY = 86_400.0


async def put(store, turn, session, *, user="ann", at=1.0, status="completed", assistant="general"):
    """A turn with one call, as it would have been stored then."""
    head = {"turn_id": turn}
    asked = {"question": f"What is {turn}?", "user": user, "session_id": session, "assistant": assistant}
    result = ToolResult(success=status == "completed", output="42", error=None, duration_ms=5.0)
    error = {"error": "No.", "error_type": "tool_error"} if status == "failed" else {}
    totals = {"iterations": 1, "tool_calls": 1, "input_tokens": 10, "output_tokens": 5, "cost": 0.25}
    events = [
        e.TurnStarted(**head, seq=1, at=at, model="m", protocol="native", **asked),
        e.ToolCalled(**head, seq=2, at=at, step=1, call=ToolCall(id="c1", tool="look"), effect="read"),
        e.ToolReturned(**head, seq=3, at=at, step=1, call_id="c1", result=result),
        e.TurnFinished(**head, seq=4, at=at + 2, status=status, unpriced_calls=0, seconds=2.0, **totals, **error),
    ]
    await store.turns.append(turn, events)


async def found(store, **filters):
    return [line.id for line in await store.search.review(SessionFilters(**filters))]


async def test_sessions_are_found_by_what_they_are_newest_first(store):
    await put(store, "t1", "s1", at=1 * DAY)
    await put(store, "t2", "s2", at=2 * DAY, user="bob", assistant="business", status="failed")
    await put(store, "t3", "s2", at=2 * DAY + 9, user="bob", assistant="business")
    await store.sessions.add_rating("s1", "good")
    assert await found(store) == ["s2", "s1"]
    for filters in ({"user_id": "bob"}, {"assistant": "business"}, {"rating": "none"}, {"status": "failed"},
                    {"since": 2 * DAY}, {"words": ("WHAT", "t3")}):  # fmt: skip
        assert await found(store, **filters) == ["s2"], filters
    for filters in ({"rating": "good"}, {"until": 2 * DAY}, {"words": ("t1",), "user_id": "ann"}):
        assert await found(store, **filters) == ["s1"], filters
    for filters in ({"status": "running"}, {"status": "awaiting_approval"}, {"words": ("100%",)}, {"user_id": "cid"}):
        assert await found(store, **filters) == [], filters
    line, _ = await store.search.review(SessionFilters())
    assert (line.turns, line.tokens, line.cost, line.last_status) == (2, 30, 0.5, "completed")
    assert [one.id for one in await store.search.review(SessionFilters(), limit=1, offset=1)] == ["s1"]
    with pytest.raises(UsageError):
        await store.search.review(SessionFilters(), limit=5000)


async def test_evals_are_in_no_list_and_no_figure_unless_asked_for(store):
    await put(store, "t1", "s1", at=DAY)
    await put(store, "t2", "s2", at=1.1 * DAY, user="eval", status="failed")
    await put(store, "t3", "s3", at=2.1 * DAY, user="eval")
    await store.sessions.add_rating("s3", "good")
    assert await found(store) == ["s1"]
    assert await found(store, user_id="eval") == ["s3", "s2"]
    assert [each.id for each in await store.sessions.list(evals=False)] == ["s1"]
    assert [each.id for each in await store.sessions.list(user_id="eval", evals=False)] == ["s3", "s2"]
    assert len(await store.sessions.list()) == 3
    for _ in range(2):
        told = await store.statistics.since(DAY)
        assert [(day.turns, day.failed, day.good) for day in told.days] == [(1, 0, 0), (0, 0, 0)]
        assert [(look.tool, look.calls) for look in told.tools] == [("look", 1)]
        assert (told.errors, told.turns_read) == ({}, 1)


async def test_a_step_is_rated_once_by_its_last_word_and_forgotten_with_its_session(store):
    await put(store, "t1", "s1")
    await store.ratings.rate_step("t1", "c1", "bad", "no", "ann")
    await store.ratings.rate_step("t1", "c1", "good", None, "bob")
    (rated,) = await store.ratings.of_session("s1")
    assert (rated.target, rated.rating, rated.note, rated.by_user) == ("c1", "good", None, "bob")
    with pytest.raises(UnknownName):
        await store.ratings.rate_step("none", "c1", "bad", None, "ann")
    with pytest.raises(UsageError):
        await store.ratings.rate_step("t1", "c1", "so so", None, "ann")
    await store.sessions.delete("s1")
    assert await store.ratings.of_session("s1") == ()


async def test_figures_are_told_day_by_day(store):
    await put(store, "t1", "s1", at=DAY)
    await put(store, "t2", "s2", at=1.5 * DAY, status="failed")
    await put(store, "t3", "s3", at=2.5 * DAY)
    await store.turns.append("t4", whole_turn("t4")[:1])
    await store.sessions.add_rating("s3", "bad")
    told = await store.statistics.since(DAY)
    by_day = {day.day: day for day in told.days}
    assert by_day["1970-01-03"].bad == 1
    first = by_day["1970-01-02"]
    assert (first.turns, first.failed, first.input_tokens, first.cost) == (2, 1, 20, 0.5)
    assert (told.p50_ms, told.p95_ms) == (2000.0, 2000.0)
    (look,) = told.tools
    assert (look.tool, look.calls, look.failed, look.p50_ms) == ("look", 3, 1, 5.0)
    assert told.errors == {"tool_error": 1}
    assert told.turns_read == 3


async def test_figures_follow_what_happens_after_they_were_told(store):
    async def days():
        return {day.day: (day.turns, day.failed, day.good) for day in (await store.statistics.since(DAY)).days}

    await put(store, "t1", "s1", at=1.2 * DAY)
    await put(store, "t2", "s2", at=3.2 * DAY)
    assert await days() == await days() == {"1970-01-02": (1, 0, 0), "1970-01-04": (1, 0, 0)}
    await put(store, "t3", "s3", at=1.5 * DAY, status="failed")
    await store.sessions.add_rating("s2", "good")
    assert await days() == {"1970-01-02": (2, 1, 0), "1970-01-04": (1, 0, 1)}
    waiting = [msgspec.structs.replace(event, at=5.5 * DAY) for event in whole_turn("t4", session="s4")]
    await store.turns.append("t4", waiting[:1])
    assert (await days())["1970-01-06"] == (1, 0, 0)
    await store.turns.append("t4", [*waiting[1:-1], msgspec.structs.replace(waiting[-1], status="failed")])
    assert (await days())["1970-01-06"] == (1, 1, 0)
    await store.sessions.delete("s3")
    await store.sessions.delete("s4")
    assert await days() == {"1970-01-02": (1, 0, 0), "1970-01-04": (1, 0, 1)}
    assert {tool.tool: tool.calls for tool in (await store.statistics.since(DAY)).tools} == {"look": 2}
