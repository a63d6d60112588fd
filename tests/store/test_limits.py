"""Limits at the door: how many turns of a session start within a minute, how many of a user run at once."""

import asyncio

import psycopg
import pytest

from glassloop.core.errors import TooManyTurns, UsageError
from glassloop.store import open_store
from glassloop.store.errors import SessionBusy, Superseded
from store.conditions import DEADLINE_S, until, waiting
from store.made_events import answered, finished, paused, started, thought

NOW = 1_700_000_000.0


async def ask(store, turn, at, **options):
    """A question at that second, answered at once."""
    await store.turns.begin([started(turn, at=NOW + at), answered(turn), finished(turn, 3)], **options)


async def test_a_session_asks_so_often_a_minute_and_is_told_when_to_ask_again(store):
    for number, at in enumerate([0, 20, 40]):
        await ask(store, f"t{number}", at, session_rate=3)
    with pytest.raises(TooManyTurns, match=r"'s1'.* 3 .*again in 15 s") as refused:
        await ask(store, "t3", 45, session_rate=3)
    assert refused.value.retry_after == pytest.approx(15)
    assert list(await store.turns.read("t3")) == []
    await store.turns.begin([started("other", session="s2", at=NOW + 45)], session_rate=3)
    await ask(store, "t3", 60, session_rate=3)
    with pytest.raises(TooManyTurns) as refused:
        await ask(store, "t4", 61, session_rate=3)
    assert refused.value.retry_after == pytest.approx(19)


async def test_a_limit_that_became_smaller_is_kept_from_then_on(store):
    for number, at in enumerate([0, 10, 20]):
        await ask(store, f"t{number}", at)
    with pytest.raises(TooManyTurns) as refused:
        await ask(store, "t3", 30, session_rate=2)
    assert refused.value.retry_after == pytest.approx(40)
    await ask(store, "t3", 70, session_rate=2)


async def test_a_user_has_so_many_turns_running_and_those_that_wait_do_not_count(store):
    for name in ("a", "b"):
        await store.turns.begin([started(name, session=name)], user_turns=2)
    with pytest.raises(TooManyTurns, match=r"'ann'.* 2 .*cancel one") as refused:
        await store.turns.begin([started("c", session="c")], user_turns=2)
    assert refused.value.retry_after == 1.0
    await store.turns.begin([started("bob", session="bob", user="bob")], user_turns=2)
    await store.turns.append("a", [paused("a")])
    await store.turns.begin([started("c", session="c")], user_turns=2)
    await store.turns.append("b", [finished("b", 2)])
    await store.turns.begin([started("d", session="d")], user_turns=2)
    with pytest.raises(TooManyTurns):
        await store.turns.begin([started("e", session="e")], user_turns=2)


async def test_those_who_are_not_named_are_not_one_user(store):
    for number in range(4):
        await store.turns.begin([started(f"t{number}", session=f"s{number}", user="anonymous")], user_turns=2)
    with pytest.raises(SessionBusy):
        await store.turns.begin([started("t4", session="s0", user="anonymous")], user_turns=2)


async def test_a_busy_session_is_said_to_be_busy_before_any_limit(store):
    await store.turns.begin([started("t1")])
    with pytest.raises(SessionBusy):
        await store.turns.begin([started("t2")], session_rate=1, user_turns=1)


@pytest.mark.parametrize("limit", [{"session_rate": 0}, {"user_turns": -1}])
async def test_a_limit_that_lets_nothing_in_is_a_mistake(store, limit):
    with pytest.raises(UsageError, match="None for no limit"):
        await store.turns.begin([started()], **limit)


async def test_many_at_once_of_many_users_never_exceed_the_limit_and_never_block_one_another(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    asked = [(f"u{number % 4}", f"t{number}") for number in range(60)]
    told = await asyncio.gather(
        *(
            stores[number % 3].turns.begin([started(turn, session=turn, user=user)], user_turns=2, session_rate=5)
            for number, (user, turn) in enumerate(asked)
        ),
        return_exceptions=True,
    )
    assert {type(result) for result in told} == {tuple, TooManyTurns}
    assert sorted(row.user_id for row in await stores[0].turns.list()) == [
        "u0",
        "u0",
        "u1",
        "u1",
        "u2",
        "u2",
        "u3",
        "u3",
    ]
    for store in stores:
        await store.aclose()


async def test_many_at_once_of_one_session_never_exceed_its_rate(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    told = await asyncio.gather(
        *(stores[n % 3].turns.begin([started(f"t{n}")], session_rate=4, supersedes=True) for n in range(12)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, TooManyTurns) for result in told) == 8
    assert len(await stores[0].turns.ids("s1")) == 4
    for store in stores:
        await store.aclose()


@pytest.mark.parametrize("same", ["user", "session"])
async def test_one_who_comes_while_another_is_being_let_in_waits_and_is_counted_after_it(postgres_tables, same):
    async with await open_store(postgres_tables) as first, await open_store(postgres_tables) as second:
        session = (await first.sessions.create("ann")).id
        with psycopg.connect(postgres_tables) as other:
            # The first has counted, and now waits for this row.
            other.execute("SELECT 1 FROM sessions WHERE id = %s FOR UPDATE", [session])
            limits = {"user_turns": 1} if same == "user" else {"session_rate": 1, "supersedes": True}
            one = asyncio.create_task(first.turns.begin([started("t1", session=session)], **limits))
            await until(lambda: waiting(postgres_tables) == 1)
            where = session if same == "session" else "another"
            two = asyncio.create_task(second.turns.begin([started("t2", session=where)], **limits))
            await until(lambda: two.done() or waiting(postgres_tables) == 2)
        assert await asyncio.wait_for(one, DEADLINE_S) == ()
        with pytest.raises(TooManyTurns):
            await asyncio.wait_for(two, DEADLINE_S)


async def test_a_beginning_of_unknown_fate_may_be_tried_again(store, clock):
    first = [started(), thought()]
    await store.turns.begin(first, worker="w1", lease_s=30, session_rate=1, user_turns=1)
    clock.now += 5
    assert await store.turns.begin(first, worker="w1", lease_s=30, session_rate=1, user_turns=1, again=True) == ()
    await store.turns.append("t1", [finished()])
    assert await store.turns.begin(first, session_rate=1, user_turns=1, again=True) == ()
    assert len(await store.turns.read("t1")) == 3
    assert len(await store.sessions.messages("s1")) == 1


async def test_trying_again_with_other_events_is_refused(store):
    await store.turns.begin([started()])
    with pytest.raises(Superseded):
        await store.turns.begin([started(question="Another?")], again=True)
    assert (await store.turns.get("t1")).question == "What is it?"


async def test_a_first_try_is_never_taken_for_a_second(store):
    await store.turns.begin([started()])
    with pytest.raises(Superseded):
        await store.turns.begin([started()])


async def test_trying_again_tells_which_turns_are_superseded(store):
    await store.turns.begin([started("old")])
    for again in (False, True, True):
        told = await store.turns.begin([started("new", at=NOW + 1)], supersedes=True, again=again)
        assert list(told) == ["old"]
