"""What waits for other processes is bounded, and what must not be lost is not."""

from glassloop.core import events as e
from glassloop.runtime.bus.notify_payloads import GapNotice, SignalNotice, StoredNotice, WatchNotice, read_payload
from glassloop.runtime.bus.open_blocks import NOTHING, BlockExtent
from glassloop.runtime.bus.outbox import MAX_PAYLOADS, MAX_SIGNALS, MAX_TOPICS, TIMES_SAID, Outbox
from runtime.bus.watching import pieces, progress, text


def entries(outbox):
    return [entry for payload in outbox.take() for entry in read_payload(payload, "you")]


def test_nudges_of_a_topic_are_one_and_keep_their_place_among_its_pieces():
    outbox = Outbox("me")
    for piece in pieces("It is 42.", 2):
        outbox.transient(piece)
    outbox.nudge("t1", 2)
    outbox.nudge("t1", 3)
    outbox.transient(text(0, "And", block=64, seq=3))
    outbox.nudge("t2", 9)
    assert entries(outbox) == [
        text(0, "It is 42."),
        StoredNotice("t1", 3),
        text(0, "And", block=64, seq=3),
        StoredNotice("t2", 9),
    ]
    assert outbox.take() == []


def test_a_hundred_nudges_travel_in_one_payload():
    outbox = Outbox("m" * 32)
    for number in range(100):
        outbox.nudge(f"{number:032}", number)
    assert len(outbox.take()) == 1


def test_a_flood_of_transients_fills_so_many_payloads_and_leaves_out_no_nudge():
    outbox = Outbox("me")
    for number in range(3_000):
        outbox.transient(progress("€" * 2_000, turn=f"t{number}"))
        outbox.nudge(f"t{number}", number + 1)
    payloads = outbox.take()
    found = [entry for payload in payloads for entry in read_payload(payload, "you")]
    assert [entry.number for entry in found if isinstance(entry, StoredNotice)] == list(range(1, 3_001))
    assert sum(isinstance(entry, e.ToolProgressed) for entry in found) == MAX_PAYLOADS
    assert len(payloads) < MAX_PAYLOADS + 30


def test_transients_that_wait_are_bounded_however_many_come():
    outbox = Outbox("me")
    for number in range(50_000):
        outbox.transient(progress(f"{number:0100}"))
    assert len(entries(outbox)) < 5_000


def test_a_message_too_long_for_a_payload_is_not_kept():
    outbox = Outbox("me")
    outbox.transient(progress("x" * 8_000))
    assert outbox.take() == []


def test_of_a_text_too_long_for_one_flush_the_beginning_is_sent():
    outbox = Outbox("me")
    outbox.transient(text(0, "x" * 900_000))
    found = "".join(entry.text for entry in entries(outbox))
    assert 400_000 < len(found) < 500_000


def test_with_too_many_topics_everybody_is_told_to_look():
    outbox = Outbox("me")
    for number in range(MAX_TOPICS + 1):
        outbox.nudge(f"t{number}", 1)
        outbox.watch(f"t{number}", NOTHING)
    found = entries(outbox)
    assert found[0] == GapNotice()
    assert len(found) == 1 + 2 * MAX_TOPICS


def test_when_nobody_can_be_reached_only_signals_and_that_something_was_missed_are_kept():
    outbox = Outbox("me")
    outbox.signal("cancel", "t1")
    outbox.nudge("t1", 2)
    assert entries(outbox) == [SignalNotice("me:1", "cancel", "t1"), StoredNotice("t1", 2)]
    outbox.nudge("t1", 3)
    outbox.transient(text(0, "a"))
    outbox.watch("t2", NOTHING)
    outbox.signal("cancel", "t2")
    outbox.miss()
    assert entries(outbox) == [GapNotice(), SignalNotice("me:1", "cancel", "t1"), SignalNotice("me:2", "cancel", "t2")]


def test_a_signal_is_said_so_often_and_then_no_more():
    outbox = Outbox("me")
    outbox.signal("cancel", "t1")
    for _ in range(TIMES_SAID):
        outbox.repeat_signals()
        assert entries(outbox) == [SignalNotice("me:1", "cancel", "t1")]
        outbox.sent()
        assert entries(outbox) == []
    outbox.repeat_signals()
    assert entries(outbox) == []


def test_of_too_many_signals_the_oldest_go():
    outbox = Outbox("me")
    for number in range(MAX_SIGNALS + 1):
        outbox.signal("cancel", f"t{number}")
    assert [signal.topic for signal in entries(outbox)] == [f"t{number}" for number in range(1, MAX_SIGNALS + 1)]


def test_of_what_a_watcher_has_the_latest_is_told():
    outbox = Outbox("me")
    outbox.watch("t1", NOTHING)
    outbox.watch("t1", BlockExtent(32, 5, 0, 0))
    assert entries(outbox) == [WatchNotice("t1", 32, 5, 0, 0)]


def test_a_nudge_without_a_number_outdoes_those_with_one():
    outbox = Outbox("me")
    for number in (4, 0, 5):
        outbox.nudge("j1", number)
    assert entries(outbox) == [StoredNotice("j1", 0)]
