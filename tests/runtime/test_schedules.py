"""Schedules on both stores and both schedulers: one run for each due time, and what becomes of it."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from glassloop import Agent, Approval, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelRejected, UnknownName, UsageError
from glassloop.models.scripted_model import call
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.schedules import due_runs, schedules
from glassloop.runtime.settings import Settings
from glassloop.store.errors import SessionBusy
from runtime.conftest import close
from waiting import until

MORNING = datetime(2026, 11, 16, 8, 30, tzinfo=UTC).timestamp()
"""A Monday."""
HOUR = 3600.0


@pytest.fixture
def clock(clock):
    clock.now = MORNING
    return clock


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Nothing is started but by the test itself."""
    monkeypatch.setattr(schedules, "POLL_S", 3600.0)


async def polled(runtime):
    """Starts what is due and waits for its end, which is noted; the turns that were started."""
    await runtime.schedules.poll()
    started = [row.turn_id for row in await runtime.schedules.list() if row.is_open]
    for turn_id in started:
        await until(lambda turn_id=turn_id: is_quiet(runtime, turn_id), "the run is over, or waits")
    await runtime.schedules.poll()
    return started


async def is_quiet(runtime, turn_id):
    return (await runtime.turn(turn_id)).status != "running"


async def test_what_recurs_runs_once_for_each_due_time_and_its_result_waits_for_its_user(place, opens, clock):
    runtime = await opens(place, ["All quiet."] * 3, clock=clock)
    row = await runtime.schedules.add("What is new?", user="ann", every="0 9 * * 1-5", timezone="Europe/Paris")
    assert (row.next_at, runtime.schedules.describe(row)) == (
        MORNING - HOUR / 2 + 24 * HOUR,
        "At 09:00 on Monday through Friday (Europe/Paris)",
    )
    assert await polled(runtime) == []
    clock.now = row.next_at
    (turn_id,) = await polled(runtime)
    assert await polled(runtime) == []
    (started, *_) = await runtime.store.turns.read(turn_id)
    assert (started.user, started.session_id, started.question) == ("ann", row.session_id, "What is new?")
    assert (await runtime.session(row.session_id)).channel == "schedule"
    assert [turn.answer for turn in (await runtime.inbox.read("ann")).turns] == ["All quiet."]
    assert ((await runtime.inbox.read("ann")).count, (await runtime.inbox.read("bob")).count) == (1, 0)
    assert await runtime.inbox.mark_seen("bob", [turn_id]) == 0
    assert await runtime.inbox.mark_seen("ann", [turn_id]) == 1
    assert (await runtime.inbox.read("ann")).turns == ()
    clock.now += 24 * HOUR
    assert len(await polled(runtime)) == 1
    assert (await runtime.schedules.get(row.id)).runs == 2


async def test_of_times_that_were_missed_one_is_run_and_told_which_they_were(place, opens, clock):
    runtime = await opens(place, ["Caught up."], clock=clock)
    row = await runtime.schedules.add("What is new?", every="0 * * * *")
    clock.now += 5 * HOUR
    (turn_id,) = await polled(runtime)
    (run,) = await runtime.schedules.runs(row.id)
    assert (run.due_at, run.missed, run.outcome) == (MORNING + 4.5 * HOUR, 4, "started")
    (started, *_) = await runtime.store.turns.read(turn_id)
    assert "Missed before it, and made up for by this answer: 4" in started.settings["instructions"]
    assert (await runtime.schedules.get(row.id)).next_at == MORNING + 5.5 * HOUR


async def test_a_clock_that_went_back_neither_repeats_nor_forgets_a_time(place, opens, clock):
    runtime = await opens(place, ["Done."] * 4, clock=clock)
    row = await runtime.schedules.add("What is new?", every="0 * * * *")
    clock.now += HOUR
    assert len(await polled(runtime)) == 1
    clock.now += 10_000 * HOUR
    assert len(await polled(runtime)) == 1
    clock.now = MORNING
    assert await polled(runtime) == []
    # Nine o'clock had its run; ten o'clock was missed by the wrong clock, and comes.
    assert (await runtime.schedules.get(row.id)).next_at == MORNING + 1.5 * HOUR
    clock.now = MORNING + HOUR
    assert await polled(runtime) == []
    clock.now += HOUR
    assert len(await polled(runtime)) == 1
    dues = [run.due_at for run in await runtime.schedules.runs(row.id)]
    assert len(set(dues)) == len(dues) == 3


async def test_the_next_run_is_skipped_and_told_while_one_waits_for_its_user(place, opens, bench, clock):
    runtime = await opens(place, [call("write", text="x"), "Written."], clock=clock)
    row = await runtime.schedules.add("Write x.", user="ann", every="2h")
    clock.now = row.next_at
    (turn_id,) = await polled(runtime)
    (waiting,) = (await runtime.inbox.read("ann")).turns
    assert (waiting.id, waiting.status, bench.written) == (turn_id, "paused", [])
    await runtime.inbox.mark_seen("ann")
    assert (await runtime.inbox.read("ann")).count == 1
    clock.now += 2 * HOUR
    await runtime.schedules.poll()
    skipped = (await runtime.schedules.runs(row.id))[0]
    assert (skipped.outcome, skipped.turn_id, "waits for you" in skipped.note) == ("skipped", None, True)
    with pytest.raises(SessionBusy, match="in progress"):
        await runtime.schedules.run_now(row.id)
    (asked,) = pending(await runtime.store.turns.read(turn_id))
    await runtime.approve(turn_id, [Approval(call_id=asked.call.id, digest=asked.digest, approved=True, by="ann")])
    await until(lambda: is_quiet(runtime, turn_id), "the run goes on")
    assert [(turn.id, turn.answer) for turn in (await runtime.inbox.read("ann")).turns] == [(turn_id, "Written.")]
    assert bench.written == ["x"]


async def test_what_fails_is_tried_again_then_paused_and_told_and_can_be_resumed(place, opens, clock):
    runtime = await opens(place, [*[ModelRejected("The model is gone.")] * 3, "Back."], clock=clock)
    row = await runtime.schedules.add("What is new?", user="ann", at=clock.now + 60)
    clock.now += 60
    assert len(await polled(runtime)) == 1
    for wait_s in due_runs.RETRY_S:
        assert await polled(runtime) == []
        clock.now += wait_s
        assert len(await polled(runtime)) == 1
    clock.now += 1000 * HOUR
    assert await polled(runtime) == []
    paused = await runtime.schedules.get(row.id)
    assert (paused.status, paused.reason, paused.failures) == ("paused", "failures", 3)
    assert "The model is gone." in paused.note
    assert [each.id for each in (await runtime.inbox.read("ann")).schedules] == [row.id]
    assert [run.attempt for run in await runtime.schedules.runs(row.id)] == [3, 2, 1]
    await runtime.schedules.resume(row.id)
    assert len(await polled(runtime)) == 1
    done = await runtime.schedules.get(row.id)
    assert (done.status, done.reason) == ("ended", "done")


async def test_a_condition_is_looked_at_until_the_assistant_reports_that_it_holds(place, opens, clock):
    script = [
        call("report_condition", met=False, why="The build still runs."), "Not yet.",
        "I forgot to report.",
        call("report_condition", met=True, why="The build is green."), "Now.",
    ]  # fmt: skip
    runtime = await opens(place, script, clock=clock)
    row = await runtime.schedules.add("Is it done?", user="ann", every="10m", until="The build is green.")
    for _ in range(3):
        clock.now = (await runtime.schedules.get(row.id)).next_at
        assert len(await polled(runtime)) == 1
    ended = await runtime.schedules.get(row.id)
    assert (ended.status, ended.reason, ended.runs) == ("ended", "condition", 3)
    assert ended.note == "The condition is true: The build is green."
    assert [each.id for each in (await runtime.inbox.read("ann")).schedules] == [row.id]
    events = await runtime.store.turns.read(ended.turn_id)
    assert any(isinstance(event, e.ToolReturned) and event.result.data["met"] for event in events)


async def test_a_condition_that_never_holds_is_given_up_after_its_runs(place, opens, clock):
    runtime = await opens(place, ["No."] * 3, clock=clock)
    row = await runtime.schedules.add("Is it done?", every="1h", until="It is done.", max_runs=2)
    for _ in range(2):
        clock.now += HOUR
        assert len(await polled(runtime)) == 1
    clock.now += 10 * HOUR
    assert await polled(runtime) == []
    ended = await runtime.schedules.get(row.id)
    assert (ended.reason, ended.note) == ("max_runs", "It ran 2 times. The condition was not reported as true.")


async def started(runtime, row, number):
    """The turns of a schedule once there are so many, whoever looked first: the runtime does so by itself too."""
    await polled(runtime)

    async def all_of_them():
        found = await runtime.store.turns.ids(row.session_id)
        return found if len(found) == number else None

    return await until(all_of_them, "the schedule has run")


async def test_pausing_changing_running_now_and_cancelling(place, opens, clock):
    runtime = await opens(place, ["Done."] * 3, clock=clock)
    row = await runtime.schedules.add("What is new?", user="ann", every="1h")
    await runtime.schedules.pause(row.id, "ann")
    clock.now += 3 * HOUR
    assert await polled(runtime) == []
    assert (await runtime.schedules.resume(row.id, "ann")).next_at == row.next_at + 3 * HOUR
    await runtime.schedules.run_now(row.id, "ann")
    await started(runtime, row, 1)
    changed = await runtime.schedules.change(row.id, "ann", question="What is old?", every="30 12 * * *")
    assert (changed.question, changed.next_at) == ("What is old?", MORNING + 4 * HOUR)
    clock.now = changed.next_at
    turns = await started(runtime, row, 2)
    assert {(await runtime.turn(turn_id)).question for turn_id in turns} == {"What is new?", "What is old?"}
    assert await runtime.schedules.cancel(row.id, "ann")
    assert not await runtime.schedules.cancel(row.id, "ann")
    clock.now += 100 * HOUR
    assert await polled(runtime) == []
    with pytest.raises(UsageError, match="ended: add another"):
        await runtime.schedules.resume(row.id, "ann")


async def test_two_workers_and_one_that_comes_later_start_each_due_time_once(shared, opens, clock):
    first, second = [await opens(shared, ["Done."] * 20, clock=clock) for _ in range(2)]
    rows = [await first.schedules.add(f"Question {n}", user=f"u{n}", at=clock.now + 60) for n in range(12)]
    clock.now += 61
    await asyncio.gather(*(runtime.schedules.poll() for runtime in (first, second) for _ in range(3)))
    await close(second, 5.0)
    third = await opens(shared, ["Done."] * 20, clock=clock)
    await third.schedules.poll()
    for row in rows:
        turns = await first.store.turns.ids(row.session_id)
        assert len(turns) == 1
        await until(lambda turn_id=turns[0]: is_quiet(third, turn_id), "the run is over")


async def test_what_cannot_be_scheduled_is_refused_with_the_remedy(opens, tmp_path, clock):
    settings = Settings(home=str(tmp_path), user_schedules=2, schedule_interval=600)
    runtime = await opens((settings, False), clock=clock)
    add = runtime.schedules.add
    refused = [
        ({}, "either 'at'"),
        ({"every": "1h", "at": clock.now + 5}, "either 'at'"),
        ({"at": datetime.fromtimestamp(clock.now, UTC) - timedelta(days=1)}, "in the past"),
        ({"every": "0 9 * *"}, "five cron fields"),
        ({"every": "61 9 * * *"}, "Bad minute"),
        ({"every": "0 0 30 2 *"}, "five cron fields"),
        ({"every": "0 9 * * *", "timezone": "Mars/Base"}, "no time zone 'Mars/Base'"),
        ({"every": "0 9 * * *", "timezone": "../../etc/passwd"}, "no time zone"),
        ({"every": "0,5 9 * * *"}, "the minimum is 600 s"),
        ({"every": "1d", "ends_at": clock.now + 60}, "later 'ends_at'"),
        ({"every": "1d", "until": " "}, "condition has 0"),
        ({"every": "1d", "max_runs": 0}, "1 to 1,000,000"),
        ({"every": "1d", "wanted": AgentKey("./folder")}, "is a folder"),
    ]
    for given, words in refused:
        with pytest.raises(UsageError, match=words):
            await add("What is new?", user="ann", **given)
    with pytest.raises(UsageError, match="looks like a secret"):
        await add("Log in with sk-" + "a1" * 12, every="1d")
    row = await add("One", user="ann", every="1d")
    await runtime.store.sessions.create("bob", "api", {})
    (his,) = await runtime.store.sessions.list(user_id="bob")
    with pytest.raises(UnknownName, match="no session"):
        await add("Two", user="ann", every="1d", session_id=his.id)
    await add("Two", user="ann", every="1d")
    with pytest.raises(UsageError, match="the limit is 2: cancel one"):
        await add("Three", user="ann", every="1d")
    for deed in (runtime.schedules.pause, runtime.schedules.cancel, runtime.schedules.run_now, runtime.schedules.runs):
        with pytest.raises(UnknownName, match="no schedule"):
            await deed(row.id, "bob")


async def test_schedules_go_with_their_user(place, opens, clock):
    runtime = await opens(place, ["Done."] * 2, clock=clock)
    row = await runtime.schedules.add("What is new?", user="ann", every="1h")
    other = await runtime.schedules.add("What is new?", user="bob", every="1h")
    clock.now += HOUR
    await polled(runtime)
    await runtime.erasure.erase_user("ann")
    assert [each.id for each in await runtime.schedules.list()] == [other.id]
    assert await runtime.store.schedules.runs(row.id) == ()
    clock.now += HOUR
    assert len(await polled(runtime)) == 1
    assert (await runtime.inbox.read("ann")).turns == ()


async def test_a_turn_that_is_submitted_in_the_background_waits_in_the_inbox(place, opens):
    runtime = await opens(place, ["Seen.", "Not seen."])
    await runtime.ask("Watched?", user="ann")
    submitted = await runtime.submit("Not watched?", user="ann", background=True)
    await until(lambda: is_quiet(runtime, submitted.turn_id), "the turn is over")
    assert [turn.answer for turn in (await runtime.inbox.read("ann")).turns] == ["Not seen."]


async def test_a_run_reads_anew_what_an_earlier_one_read():
    stock = [42]

    @tool(effect="read")
    def tables() -> int:
        """Tables in stock."""
        return stock.pop()

    for told, seen in (({}, ["42", "42"]), ({"schedule": {"id": "s"}}, ["42", "61"])):
        stock[:] = [61, 42]
        agent, found = Agent(ScriptedModel([call("tables"), "Done."] * 2), [tables]), []
        for _ in range(2):
            started = agent.started("How many?", session_id="s", settings=told)
            stream = agent.resume([started])
            found += [event.result.output async for event in stream if isinstance(event, e.ToolReturned)]
        assert found == seen
