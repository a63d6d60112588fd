"""Who runs a turn: epochs, leases, one turn at a time a session."""

import asyncio

import pytest

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UnknownName, UsageError
from glassloop.core.loop.fold import fold
from glassloop.core.records import ToolCall
from glassloop.store import open_store
from glassloop.store.errors import SessionBusy, Superseded, TurnHeld
from store.made_events import finished, paused, resumed, started, thought, whole_turn


async def test_a_claim_appends_a_new_epoch_and_stops_the_former_owners_writes(store, clock):
    await store.turns.begin([started()], worker="w1", lease_s=30)
    await store.turns.append("t1", [thought()], epoch=0)
    clock.now += 31
    assert await store.turns.claim("t1", "w2", 30) == 1
    log = await store.turns.read("t1")
    assert (log[-1].worker, log[-1].epoch, fold(log).epoch) == ("w2", 1, 1)
    for events in ([thought(seq=3)], [thought(seq=4)]):
        with pytest.raises(Superseded):
            await store.turns.append("t1", events, epoch=0)
    await store.turns.append("t1", [thought(seq=4)], epoch=1)
    with pytest.raises(Superseded):
        await store.turns.renew("t1", 0, 30)


async def test_a_lease_that_runs_is_respected_and_its_own_worker_may_claim_again(store, clock):
    await store.turns.begin([started()], worker="w1", lease_s=30)
    with pytest.raises(TurnHeld, match="'w1'"):
        await store.turns.claim("t1", "w2", 30)
    assert len(await store.turns.read("t1")) == 1
    assert await store.turns.claim("t1", "w1", 30) == 1
    clock.now += 29
    await store.turns.renew("t1", 1, 30)
    clock.now += 29
    with pytest.raises(TurnHeld):
        await store.turns.claim("t1", "w2", 30)
    await store.turns.release("t1", 1)
    assert await store.turns.claim("t1", "w2", 30) == 2


async def test_unfinished_turns_are_those_that_run_without_a_lease(store, clock):
    for name in ("held", "lost", "paused", "done"):
        await store.turns.begin([started(name, session=name)], worker="w1", lease_s=300 if name == "held" else 10)
    await store.turns.append("paused", [paused("paused")])
    await store.turns.append("done", [finished("done", 2)])
    assert await store.turns.unfinished() == ()
    clock.now += 60
    assert [row.id for row in await store.turns.unfinished()] == ["lost"]
    assert {row.id for row in await store.turns.unfinished(clock.now + 1000)} == {"held", "lost"}
    await store.turns.append("paused", [resumed("paused")])
    assert {row.id for row in await store.turns.unfinished()} == {"lost", "paused"}


async def test_a_turn_that_begins_without_a_worker_is_there_to_be_taken_at_once(store):
    await store.turns.begin([started()])
    assert [row.id for row in await store.turns.unfinished()] == ["t1"]
    assert await store.turns.claim("t1", "w1", 30) == 1
    assert await store.turns.unfinished() == ()


async def test_of_two_that_saw_the_same_epoch_the_second_is_told_that_the_first_was_quicker(store, clock):
    await store.turns.begin([started()])
    (row,) = await store.turns.unfinished()
    assert await store.turns.claim("t1", "w1", 30, epoch=row.epoch) == 1
    for worker in ("w1", "w2"):
        with pytest.raises(TurnHeld, match=r"'w1'.*was quicker"):
            await store.turns.claim("t1", worker, 30, epoch=row.epoch)
    clock.now += 31
    with pytest.raises(TurnHeld, match="was quicker"):
        await store.turns.claim("t1", "w2", 30, epoch=row.epoch)
    assert await store.turns.claim("t1", "w2", 30, epoch=1) == 2


async def test_a_worker_renews_all_it_holds_and_is_told_what_it_lost(store, clock):
    for name in ("kept", "done", "taken", "waits", "decided"):
        await store.turns.begin([started(name, session=name)], worker="w1", lease_s=30)
    await store.turns.append("done", [finished("done", 2)])
    for name in ("waits", "decided"):
        await store.turns.append(name, [paused(name)])
    await store.turns.append("decided", [resumed("decided")])
    clock.now += 31
    await store.turns.claim("taken", "w2", 30)
    held = dict.fromkeys(["kept", "done", "taken", "waits", "decided", "unheard"], 0)
    assert set(await store.turns.renew_many("w1", held, 30)) == {"done", "taken", "decided", "unheard"}
    assert [row.id for row in await store.turns.unfinished()] == ["decided"]
    assert (await store.turns.get("kept")).lease_until == clock.now + 30
    assert (await store.turns.get("waits")).lease_until == 0
    assert (await store.turns.get("taken")).worker == "w2"
    assert await store.turns.renew_many("w1", {}, 30) == ()
    assert list(await store.turns.renew_many("w3", {"kept": 0}, 30)) == ["kept"]


@pytest.mark.slow
async def test_a_worker_with_very_many_turns_renews_them_in_one_go(store, clock):
    names = [f"t{number}" for number in range(600)]
    await asyncio.gather(*(store.turns.begin([started(name, session=name)], worker="w1", lease_s=30) for name in names))
    clock.now += 31
    assert await store.turns.renew_many("w1", dict.fromkeys(names, 0), 30) == ()
    assert await store.turns.unfinished() == ()


async def test_a_wish_to_cancel_reaches_the_worker_that_runs_the_turn(store, clock):
    for name, worker in (("mine", "w1"), ("other", "w2"), ("wanted", "w1"), ("waits", "w1"), ("done", "w1")):
        await store.turns.begin([started(name, session=name)], worker=worker, lease_s=30)
    await store.turns.append("waits", [paused("waits")])
    await store.turns.append("done", [finished("done", 2)])
    for name in ("mine", "other", "waits", "done", "mine"):
        await store.turns.request_cancel(name)
    assert [each.turn_id for each in await store.turns.signalled("w1")] == ["mine"]
    assert [each.turn_id for each in await store.turns.signalled("w2")] == ["other"]
    flags = {row.id: row.cancel_requested for row in await store.turns.list()}
    assert flags == {"mine": True, "other": True, "waits": True, "wanted": False, "done": False}
    with pytest.raises(UnknownName, match="'nothing'"):
        await store.turns.request_cancel("nothing")


async def test_whoever_takes_a_cancelled_turn_over_sees_that_it_is_not_wanted(store, clock):
    await store.turns.begin([started()], worker="w1", lease_s=30)
    await store.turns.request_cancel("t1")
    clock.now += 31
    assert [row.cancel_requested for row in await store.turns.unfinished()] == [True]
    await store.turns.claim("t1", "w2", 30)
    assert [each.turn_id for each in await store.turns.signalled("w2")] == ["t1"]


async def test_a_turn_that_waited_is_anybodys_once_it_is_decided(store):
    await store.turns.begin([started()], worker="w1", lease_s=30)
    await store.turns.append("t1", [paused()], epoch=0)
    assert await store.turns.unfinished() == ()
    row = await store.turns.get("t1")
    assert (row.status, row.lease_until) == ("paused", 0)
    decided = e.ApprovalDecided(turn_id="t1", seq=3, at=1.0, call_id="c1", approved=True, digest="d", by="ann")
    await store.turns.append("t1", [decided, resumed(seq=4)])
    assert [row.id for row in await store.turns.unfinished()] == ["t1"]
    assert (await store.turns.get("t1")).worker == ""
    assert await store.turns.claim("t1", "w2", 30) == 1


async def test_a_turn_that_goes_on_without_having_waited_stays_its_workers(store, clock):
    await store.turns.begin([started()])
    epoch = await store.turns.claim("t1", "w1", 30)
    await store.turns.append("t1", [resumed(seq=3)], epoch=epoch)
    row = await store.turns.get("t1")
    assert (row.status, row.worker, row.lease_until) == ("running", "w1", clock.now + 30)


async def test_refusals_are_counted_until_the_turn_gets_further_and_lost_workers_are_not(store, clock):
    await store.turns.begin([started()])
    counts = []
    for worker in ("w1", "w2", "w3"):
        await store.turns.claim("t1", worker, 0)
        clock.now += 1
        counts.append((await store.turns.get("t1")).claims_without_progress)
    assert counts == [0, 0, 0]
    epoch = await store.turns.claim("t1", "w4", 0)
    await store.turns.refuse("t1", epoch)
    epoch = await store.turns.claim("t1", "w5", 0)
    await store.turns.refuse("t1", epoch)
    assert (await store.turns.get("t1")).claims_without_progress == 2
    await store.turns.append("t1", [thought(seq=7)], epoch=epoch)
    await store.turns.claim("t1", "w6", 0)
    assert (await store.turns.get("t1")).claims_without_progress == 0


async def test_workers_lost_within_a_call_are_not_counted(store, clock):
    await store.turns.begin([started()])
    call = ToolCall(id="c1", tool="look", args={})
    await store.turns.append("t1", [e.ToolCalled(turn_id="t1", seq=2, at=1.0, step=1, call=call, effect="read")])
    for seq in (4, 6, 8):
        clock.now += 1
        epoch = await store.turns.claim("t1", "w1", 0)
        again = e.ToolCalled(turn_id="t1", seq=seq, at=1.0, step=1, call=call, effect="read")
        await store.turns.append("t1", [again], epoch=epoch)
    row = await store.turns.get("t1")
    assert (row.claims_without_progress, row.deaths) == (0, 0)


async def test_a_worker_lost_in_marked_work_is_counted_and_one_that_ended_the_work_is_not(store, clock):
    await store.turns.begin([started()])
    seen = []
    for worker, ends in (("w1", False), ("w2", True), ("w3", False), ("w4", True)):
        clock.now += 1
        epoch = await store.turns.claim("t1", worker, 0)
        row = await store.turns.get("t1")
        seen.append((row.deaths, row.died_in, row.cpu_work))
        await store.turns.mark("t1", epoch, f"work of {worker}")
        if ends:
            await store.turns.mark("t1", epoch, None)
    assert seen == [(0, None, None), (1, "work of w1", None), (1, "work of w1", None), (2, "work of w3", None)]
    # Whoever lost the turn meanwhile changes nothing.
    await store.turns.mark("t1", epoch - 1, "old work")
    await store.turns.append("t1", [thought(seq=6)], epoch=epoch)
    await store.turns.claim("t1", "w5", 0)
    assert (await store.turns.get("t1")).deaths == 0


async def test_of_many_workers_that_claim_at_once_one_gets_the_turn(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    await stores[0].turns.begin([started()])
    told = await asyncio.gather(
        *(store.turns.claim("t1", f"w{number}", 60) for number, store in enumerate(stores)), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in told) == ["TurnHeld", "TurnHeld", "int"]
    assert (await stores[0].maintenance.check()).problems == ()
    for store in stores:
        await store.aclose()


async def test_what_cannot_be_claimed_is_refused_with_a_reason(store):
    with pytest.raises(UnknownName, match="'t1'"):
        await store.turns.claim("t1", "w1", 1)
    await store.turns.append("t1", whole_turn())
    with pytest.raises(StoreError, match="completed"):
        await store.turns.claim("t1", "w1", 1)


@pytest.mark.parametrize("waits", [False, True])
async def test_a_session_has_one_turn_at_a_time(store, waits):
    await store.turns.begin([started("t1")])
    if waits:
        await store.turns.append("t1", [paused()])
    with pytest.raises(SessionBusy, match="supersede") as refused:
        await store.turns.begin([started("t2")])
    assert refused.value.turn_id == "t1"
    assert list(await store.turns.read("t2")) == []
    assert list(await store.turns.begin([started("t3")], supersedes=True)) == ["t1"]
    assert list(await store.turns.begin([started("t4", session="other")], supersedes=True)) == []
    assert set(await store.turns.begin([started("t5")], supersedes=True)) == {"t1", "t3"}
    assert set(await store.turns.ids("s1")) == {"t1", "t3", "t5"}


@pytest.mark.parametrize("supersedes", [False, True])
async def test_of_another_users_session_not_even_its_turn_is_told(store, supersedes):
    await store.turns.begin([started("t1")])
    with pytest.raises(UsageError, match="There is no session 's1' of user 'bob'") as refused:
        await store.turns.begin([started("t2", user="bob")], supersedes=supersedes)
    assert "t1" not in str(refused.value)


async def test_of_many_questions_to_one_session_at_once_one_is_taken(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    told = await asyncio.gather(
        *(stores[number % 3].turns.begin([started(f"t{number}")]) for number in range(9)), return_exceptions=True
    )
    assert [result for result in told if not isinstance(result, SessionBusy)] == [()]
    assert len(await stores[0].turns.ids("s1")) == 1
    for store in stores:
        await store.aclose()


async def test_the_next_question_is_taken_when_the_last_one_is_answered(store):
    await store.turns.begin(whole_turn("t1"))
    await store.turns.begin([started("t2")])
    assert set(await store.turns.ids("s1")) == {"t1", "t2"}


async def test_a_turn_begins_with_its_question(store):
    for events in ([], [e.TurnResumed(turn_id="t1", seq=1, at=1.0)]):
        with pytest.raises(UsageError, match="turn_started"):
            await store.turns.begin(events)


async def test_a_session_of_another_user_cannot_be_written_to(store):
    await store.turns.append("t1", whole_turn())
    with pytest.raises(UsageError, match="'s1'"):
        await store.turns.append("t2", [started("t2", user="bob")])
    assert list(await store.turns.ids("s1")) == ["t1"]
    assert (await store.sessions.get("s1")).message_count == 2


async def test_stores_that_race_for_one_number_are_told_apart_and_one_wins(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    await stores[0].turns.append("t1", [started()])
    for seq in range(2, 22):
        told = await asyncio.gather(
            *(store.turns.append("t1", [thought(seq=seq, text=f"{n}")], sync=True) for n, store in enumerate(stores)),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in told) == ["NoneType", "Superseded", "Superseded"]
    assert len(await stores[0].turns.read("t1")) == 21
    for store in stores:
        await store.aclose()
