"""The session interface, and the sessions and messages that turns leave behind."""

import uuid

import psycopg
import pytest

from glassloop.core.errors import UnknownName, UsageError
from glassloop.store import open_store
from store.made_events import answered, finished, paused, resumed, started, whole_turn


async def test_a_new_session_has_an_id_and_is_active_and_empty(store, clock):
    made = await store.sessions.create("ann", "web", {"page": 3})
    assert uuid.UUID(made.id)
    assert (made.user_id, made.channel, made.metadata, made.status) == ("ann", "web", {"page": 3}, "active")
    assert (made.message_count, made.rating, made.ended_at) == (0, None, None)
    assert made.started_at == "2023-11-14T22:13:20+00:00"
    assert await store.sessions.get(made.id) == made
    assert await store.sessions.get("nothing") is None


async def test_messages_are_kept_in_order_with_what_they_cost(store):
    session = await store.sessions.create("ann", "api", {})
    await store.sessions.add_message(session.id, "user", "Hi")
    metrics = {"tokens_prompt": 10, "tokens_completion": 5, "latency_ms": 1.5}
    trace = [{"type": "think", "content": "Greet."}]
    await store.sessions.add_message(
        session.id, "assistant", "Hello", trace, [{"id": "c1", "tool": "look", "args": {}}], metrics
    )
    first, second = await store.sessions.messages(session.id)
    assert (first.role, first.content, first.tokens_prompt) == ("user", "Hi", None)
    assert (second.reasoning_trace, second.tool_calls[0]["tool"]) == (trace, "look")
    assert (second.tokens_prompt, second.tokens_completion, second.latency_ms) == (10, 5, 1.5)
    assert (await store.sessions.get(session.id)).message_count == 2


async def test_lists_are_newest_first_and_filtered(store, clock):
    ids = []
    for number in range(6):
        clock.now += 1
        ids.append((await store.sessions.create(f"user{number % 2}", "api")).id)
    await store.sessions.update_status(ids[0], "completed")
    listed = [session.id for session in await store.sessions.list()]
    assert listed == ids[::-1]
    assert [s.id for s in await store.sessions.list(limit=2, offset=1)] == [ids[4], ids[3]]
    assert [s.id for s in await store.sessions.list(user_id="user0")] == [ids[4], ids[2], ids[0]]
    assert [s.id for s in await store.sessions.list(status="completed")] == [ids[0]]
    assert [s.id for s in await store.sessions.list(user_id="user1", status="completed")] == []


async def test_a_session_is_shown_to_its_own_user_only(store):
    session = await store.sessions.create("ann")
    assert await store.sessions.get_owned(session.id, "ann") == session
    assert await store.sessions.get_owned(session.id, "bob") is None
    assert await store.sessions.get_owned("nothing", "ann") is None


async def test_a_forgotten_session_says_since_when_and_keeps_its_log(store, clock):
    await store.turns.append("t1", whole_turn("t1"))
    assert (await store.sessions.get("s1")).forgotten_at is None
    clock.now += 100
    await store.sessions.forget("s1")
    assert (await store.sessions.get("s1")).forgotten_at == "2023-11-14T22:15:00+00:00"
    assert list(await store.turns.read("t1")) == whole_turn("t1")
    assert [s.forgotten_at for s in await store.sessions.list()] == ["2023-11-14T22:15:00+00:00"]


async def test_the_turns_after_one_and_after_a_moment_come_in_order(store):
    for turn, at in (("c", 10.0), ("a", 20.0), ("b", 20.0), ("d", 30.0)):
        await store.turns.append(turn, [started(turn, at=at), finished(turn, 2)])
    await store.turns.append("x", whole_turn("x", session="other", at=15.0))

    async def ids(*asked):
        return [row.id for row in await store.turns.of_session("s1", *asked)]

    assert await ids() == ["c", "a", "b", "d"]
    assert await ids("c") == ["a", "b", "d"]
    assert await ids("a") == ["b", "d"]
    assert await ids("d") == []
    assert await ids(None, 10.0) == ["a", "b", "d"]
    assert await ids("a", 20.0) == ["d"]
    assert await ids("c", 5.0) == ["a", "b", "d"]
    assert await ids("x") == await ids("nothing") == await ids()


async def test_operators_see_the_newest_turns_of_all_or_of_some(store):
    for number in range(6):
        turn, user = f"t{number}", f"user{number % 2}"
        await store.turns.append(turn, [started(turn, session=turn, user=user, at=float(number + 1))])
    await store.turns.append("t3", [finished("t3", 2, status="failed", error="No model.")])

    async def ids(*asked, **wanted):
        return [row.id for row in await store.turns.list(*asked, **wanted)]

    assert await ids() == ["t5", "t4", "t3", "t2", "t1", "t0"]
    assert await ids(2) == ["t5", "t4"]
    assert await ids(user_id="user1") == ["t5", "t3", "t1"]
    assert await ids(status="failed") == ["t3"]
    assert await ids(user_id="user0", status="failed") == []
    assert await ids(limit=1, user_id="user1", status="running") == ["t5"]
    for wrong in ({"limit": 100_000}, {"limit": -1}, {"status": "asleep"}):
        with pytest.raises(UsageError):
            await store.turns.list(**wrong)


async def test_a_list_holds_fifty_unless_told_otherwise(store):
    for _ in range(51):
        await store.sessions.create("ann")
    assert len(await store.sessions.list()) == 50
    assert len(await store.sessions.list(limit=100)) == 51


async def test_completing_a_session_ends_it_and_a_new_turn_opens_it_again(store):
    await store.turns.append("t1", whole_turn("t1"))
    await store.sessions.update_status("s1", "completed")
    assert (await store.sessions.get("s1")).ended_at is not None
    await store.turns.append("t2", [started("t2")])
    session = await store.sessions.get("s1")
    assert (session.status, session.ended_at) == ("active", None)


async def test_sessions_that_nobody_used_for_a_while_are_completed_and_no_others(store, clock):
    now = clock()
    await store.turns.append("t1", whole_turn("t1"))
    await store.turns.append("t2", [started("t2", session="runs", at=now)])
    quiet = await store.sessions.create("ann")
    clock.now += 100.0
    fresh = await store.sessions.create("ann")
    assert await store.sessions.complete_idle(50.0) >= 1
    found = {one.id: one.status for one in await store.sessions.list()}
    assert (found[quiet.id], found[fresh.id], found["runs"]) == ("completed", "active", "active")
    assert (await store.sessions.get(quiet.id)).ended_at == quiet.last_active


async def test_a_rating_is_good_or_bad_with_a_note(store):
    session = await store.sessions.create("ann")
    await store.sessions.add_rating(session.id, "bad", "Wrong month.")
    rated = await store.sessions.get(session.id)
    assert (rated.rating, rated.rating_note) == ("bad", "Wrong month.")
    with pytest.raises(UsageError, match="'great'"):
        await store.sessions.add_rating(session.id, "great")


async def test_what_does_not_exist_is_refused_by_name(store):
    for work in (
        store.sessions.add_rating("nothing", "good", ""),
        store.sessions.update_status("nothing", "active"),
        store.sessions.add_message("nothing", "user", "Hi"),
        store.sessions.save_summary("nothing", "x", "t1"),
        store.sessions.forget("nothing"),
        store.exports.dump("nothing"),
    ):
        with pytest.raises(UnknownName, match="'nothing'"):
            await work
    session = await store.sessions.create("ann")
    for work in (
        store.sessions.create("ann", "fax"),
        store.sessions.update_status(session.id, "asleep"),
        store.sessions.add_message(session.id, "robot", "Hi"),
        store.sessions.list(limit=-1),
        store.sessions.list(limit=100_000),
        store.sessions.list(status="asleep"),
    ):
        with pytest.raises(UsageError):
            await work
    assert (await store.sessions.get(session.id)).message_count == 0


async def test_a_turn_leaves_a_session_with_its_question_and_answer(store):
    await store.turns.append("t1", whole_turn(question="  What is\n it? ", settings={"channel": "cli"}))
    session = await store.sessions.get("s1")
    assert (session.user_id, session.title, session.assistant) == ("ann", "What is it?", "general")
    assert (session.channel, session.message_count) == ("cli", 2)
    question, answer = await store.sessions.messages("s1")
    assert (question.role, question.content, question.turn_id) == ("user", "  What is\n it? ", "t1")
    assert (answer.role, answer.content) == ("assistant", "It is 42.")
    assert (answer.tokens_prompt, answer.tokens_completion, answer.latency_ms) == (10, 5, 1500.0)
    assert answer.tool_calls == [{"id": "c1", "tool": "look", "args": {"key": "a"}, "mended": None}]
    row = await store.turns.get("t1")
    assert (row.status, row.question, row.answer, row.cost) == ("completed", "  What is\n it? ", "It is 42.", 0.25)


async def test_a_session_shows_that_it_waits_for_approval(store):
    await store.turns.append("t1", [started(), paused()])
    assert [(await store.sessions.get("s1")).status, (await store.turns.get("t1")).status] == [
        "awaiting_approval",
        "paused",
    ]
    assert [s.id for s in await store.sessions.list(status="awaiting_approval")] == ["s1"]
    await store.turns.append("t1", [resumed()])
    assert (await store.sessions.get("s1")).status == "active"


async def test_a_failed_turn_says_why_and_a_cancelled_one_says_nothing(store):
    await store.turns.append("t1", [started(), finished(seq=2, status="failed", error="No model.")])
    await store.turns.append("t2", [started("t2"), finished("t2", 2, status="cancelled")])
    assert [message.content for message in await store.sessions.messages("s1")] == [
        "What is it?",
        "No model.",
        "What is it?",
    ]


async def test_a_trace_is_told_by_the_function_that_was_given(url):
    async with await open_store(url, trace=lambda events: [event.seq for event in events]) as store:
        await store.turns.append("t1", whole_turn())
        assert [message.reasoning_trace for message in await store.sessions.messages("s1")] == [None, [1, 2, 3, 4, 5]]


async def test_a_summary_is_kept_with_the_turn_it_reaches(store):
    await store.turns.append("t1", [started(), answered(), finished()])
    await store.sessions.save_summary("s1", "They asked what it is.", "t1")
    session = await store.sessions.get("s1")
    assert (session.summary, session.summary_turn_id) == ("They asked what it is.", "t1")


async def test_postgresql_can_be_asked_for_what_was_said_and_done(postgres_tables):
    def trace(events):
        return [{"type": type(event).__name__, "nul": "a\x00b"} for event in events]

    async with await open_store(postgres_tables, trace=trace) as store:
        await store.turns.append("t1", whole_turn("t1", question="What is it?"))
        lines = await store.exports.dump("s1")
        await store.sessions.delete("s1")
        assert await store.exports.load(lines) == "s1"
        await store.turns.append("t2", whole_turn("t2"))
        answer = (await store.sessions.messages("s1"))[-1].content
        assert len(await store.sessions.messages("s1")) == 4
    query = """SELECT role, content, reasoning_trace->0->>'type', reasoning_trace->0->>'nul', tool_calls->0->>'tool',
 pg_typeof(reasoning_trace)::text FROM messages ORDER BY id"""
    with psycopg.connect(postgres_tables) as connection:
        rows = connection.execute(query).fetchall()
    asked = ("user", "What is it?", None, None, None, "jsonb")
    told = ("assistant", answer, "TurnStarted", "a\ufffdb", "look", "jsonb")
    assert rows == [asked, told, asked, told]
