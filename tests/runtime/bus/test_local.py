"""In one process: every watcher gets the events of its turn, in order, and can cost the others nothing."""

import asyncio

import pytest

from glassloop.core.errors import UsageError
from glassloop.core.ports import Nudge
from glassloop.runtime.bus import open_blocks as blocks
from glassloop.runtime.bus.local import LocalBus
from glassloop.runtime.bus.subscription import MAX_ITEMS
from runtime.bus.watching import arguments, following, pieces, progress, retried, take, text, there, thinking
from store.made_events import answered, finished, paused, started, thought, whole_turn


async def test_every_watcher_of_a_turn_gets_its_events_in_order_and_those_of_no_other(bus):
    first, second, other = bus.subscribe("t1"), bus.subscribe("t1"), bus.subscribe("t2")
    events = [started(), text(0, "a"), progress(), text(1, "b"), answered()]
    for event in events:
        bus.publish(event)
    assert await take(first, 5) == events
    assert await take(second, 5) == events
    assert await there(other) == []


async def test_a_waiting_watcher_wakes_when_something_comes(bus):
    watch = bus.subscribe("t1")
    waiting = asyncio.create_task(following(watch))
    await asyncio.sleep(0)
    bus.publish(progress())
    assert await waiting == progress()


async def test_whoever_comes_late_first_gets_the_open_block_in_one_piece_of_each_kind(bus):
    for event in [
        thinking(0, "Let me "), thinking(7, "see."), text(0, "It "), thinking(11, " Yes."), text(3, "is"),
        arguments(0, "", tool="look"), arguments(0, '{"a":'), arguments(5, "1}"),
        arguments(7, "", index=1, tool="find"), arguments(7, "{}", index=1),
    ]:  # fmt: skip
        bus.publish(event)
    watch = bus.subscribe("t1")
    bus.publish(text(5, " 42."))
    assert await there(watch) == [
        thinking(0, "Let me see. Yes."),
        text(0, "It is"),
        arguments(0, '{"a":1}', tool="look"),
        arguments(7, "{}", index=1, tool="find"),
        text(5, " 42."),
    ]


async def test_a_block_that_is_no_longer_a_draft_is_told_apart_from_its_draft(bus):
    bus.publish(text(0, "It "))
    bus.publish(text(3, "is", draft=False))
    assert await there(bus.subscribe("t1")) == [text(0, "It "), text(3, "is", draft=False)]


@pytest.mark.parametrize("last", [thought(seq=2), paused(seq=2), finished(seq=2), retried()])
async def test_a_block_that_was_closed_or_taken_back_is_not_told_to_late_watchers(bus, last):
    bus.publish(text(0, "It is"))
    bus.publish(last)
    assert await there(bus.subscribe("t1")) == []


async def test_the_block_after_a_retry_is_the_one_late_watchers_get(bus):
    for event in [text(0, "It w"), retried(), text(0, "It ", block=33), text(3, "is", block=33)]:
        bus.publish(event)
    assert await there(bus.subscribe("t1")) == [text(0, "It is", block=33)]


async def test_an_event_from_before_the_block_that_is_shown_later_does_not_close_it(bus):
    bus.publish(text(0, "It is", seq=3))
    bus.publish(thought(seq=3))
    assert await there(bus.subscribe("t1")) == [text(0, "It is", seq=3)]


async def test_a_block_too_long_to_keep_is_told_late_watchers_from_where_they_came(bus):
    words = "x" * 100_000
    for number in range(11):
        bus.publish(text(number * 100_000, words))
    watch = bus.subscribe("t1")
    bus.publish(text(1_100_000, "y"))
    assert await there(watch) == [text(1_100_000, "y")]


async def test_of_too_many_open_blocks_the_oldest_is_forgotten_and_stays_so(bus):
    for number in range(blocks.MAX_TURNS + 1):
        bus.publish(text(0, "a", turn=f"t{number}"))
    bus.publish(text(1, "b", turn="t0"))
    assert await there(bus.subscribe("t0")) == []
    assert await there(bus.subscribe("t1")) == [text(0, "a", turn="t1")]


async def test_all_open_blocks_together_are_bounded(bus):
    words = "x" * 900_000
    for number in range(60):
        bus.publish(text(0, words, turn=f"t{number}"))
    kept = [number for number in range(60) if await there(bus.subscribe(f"t{number}"))]
    assert kept == list(range(60 - blocks.MAX_CHARS_IN_ALL // 900_100, 60))


async def test_a_slow_reader_loses_transients_and_gets_one_nudge_for_what_was_stored(bus):
    watch = bus.subscribe("t1")
    for number in range(MAX_ITEMS + 50):
        bus.publish(progress(str(number)))
    for seq in range(2, 9):
        bus.publish(thought(seq=seq))
        bus.publish(progress("lost"))
    read = await there(watch)
    assert read == [*(progress(str(number)) for number in range(MAX_ITEMS)), Nudge("t1", 8)]
    bus.publish(thought(seq=9))
    assert await there(watch) == [thought(seq=9)]


async def test_a_reader_that_caught_up_gets_what_it_lost_of_the_open_block_in_one_piece(bus):
    watch, words = bus.subscribe("t1"), "".join(chr(97 + number % 26) for number in range(1_500))
    for piece in pieces(words, 1):
        bus.publish(piece)
    assert await take(watch, MAX_ITEMS) == pieces(words[:MAX_ITEMS], 1)
    # Nothing else need come: a model may pause just then.
    assert await there(watch) == [text(MAX_ITEMS, words[MAX_ITEMS:])]
    bus.publish(text(1_500, "!"))
    assert await there(watch) == [text(1_500, "!")]


async def test_one_slow_reader_takes_nothing_from_another(bus):
    bus.subscribe("t1")
    quick = bus.subscribe("t1")
    for number in range(3 * MAX_ITEMS):
        bus.publish(progress(str(number)))
        assert await following(quick) == progress(str(number))


async def test_nudges_that_wait_are_one_and_not_knowing_how_far_outdoes_a_number(bus):
    watch = bus.subscribe("j1")
    bus.nudge("j1", 2)
    bus.nudge("j1", 5)
    bus.nudge("j1", 4)
    assert await there(watch) == [Nudge("j1", 5)]
    bus.nudge("j1", 6)
    bus.nudge("j1")
    bus.nudge("j1", 7)
    assert await there(watch) == [Nudge("j1", 0)]


async def test_a_signal_reaches_everybody_who_listens_but_not_inside_the_call(bus):
    heard = []
    bus.listen(lambda what, topic: heard.append((1, what, topic)))
    bus.listen(lambda what, topic: heard.append((2, what, topic)))
    bus.signal("cancel", "t1")
    assert heard == []
    await asyncio.sleep(0)
    assert heard == [(1, "cancel", "t1"), (2, "cancel", "t1")]


async def test_closing_ends_a_waiting_reader_and_twice_is_fine(bus):
    watch = bus.subscribe("t1")
    waiting = asyncio.create_task(following(watch))
    await asyncio.sleep(0)
    watch.close()
    watch.close()
    with pytest.raises(StopAsyncIteration):
        await waiting
    bus.publish(progress())
    assert [event async for event in watch] == []


async def test_a_closed_bus_lets_its_watchers_read_what_they_have():
    bus = LocalBus()
    watch = bus.subscribe("t1")
    events = whole_turn()
    for event in events:
        bus.publish(event)
    await bus.aclose()
    assert [event async for event in watch] == events
    assert [event async for event in bus.subscribe("t1")] == []
    bus.publish(progress())


async def test_a_reader_that_gives_up_waiting_loses_nothing(bus):
    watch = bus.subscribe("t1")
    assert await there(watch) == []
    bus.publish(progress("a"))
    bus.publish(progress("b"))
    assert await take(watch, 2) == [progress("a"), progress("b")]


async def test_what_is_ready_is_had_without_waiting_and_only_once(bus):
    watch = bus.subscribe("t1")
    assert watch.ready() == []
    bus.publish(progress("a"))
    bus.nudge("t1", 2)
    assert watch.ready() == [progress("a"), Nudge("t1", 2)]
    bus.publish(progress("b"))
    assert await there(watch) == [progress("b")]


async def test_a_second_reader_of_one_subscription_is_refused(bus):
    watch = bus.subscribe("t1")
    waiting = asyncio.create_task(following(watch))
    await asyncio.sleep(0)
    with pytest.raises(UsageError, match="'t1' already has a reader"):
        await anext(watch)
    bus.publish(progress())
    await waiting


def test_how_often_watchers_look_into_the_store_is_told():
    assert LocalBus().poll_s is None
    assert LocalBus(poll_s=0.25).poll_s == 0.25
