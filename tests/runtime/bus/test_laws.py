"""Laws of the bus's parts: whatever is written and however slowly it is read, no text gets a hole or comes twice."""

from hypothesis import given
from hypothesis import strategies as st

from glassloop.core import events as e
from glassloop.runtime.bus.notify_payloads import (
    GapNotice,
    Payloads,
    SignalNotice,
    StoredNotice,
    WatchNotice,
    read_payload,
    split,
)
from glassloop.runtime.bus.open_blocks import NOTHING, BlockExtent, OpenBlocks, joined
from glassloop.runtime.bus.subscription import SubscriptionQueue
from runtime.bus.watching import arguments, progress, text, there, thinking

MAKERS = (text, thinking, arguments)
KINDS = (e.TextDelta, e.ThoughtDelta, e.ArgumentsDelta)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
kinds = st.sampled_from((0, 1, 2))


def written(parts):
    """Pieces of one block, each going on where the last of its kind ended."""
    ends = [0, 0, 0]
    for kind, words in parts:
        yield MAKERS[kind](ends[kind], words)
        ends[kind] += len(words)


def whole(events):
    """The text of each kind; every piece must go on where the one before it ended."""
    found = ["", "", ""]
    for event in events:
        kind = KINDS.index(type(event))
        assert event.offset == len(found[kind])
        found[kind] += event.text
    return found


@given(st.lists(st.tuples(kinds, any_text, st.integers(0, 3)), max_size=60), st.integers(1, 6))
async def test_a_reader_of_any_speed_gets_a_text_without_holes_that_is_whole_once_it_caught_up(steps, limit):
    blocks, read = OpenBlocks(), []
    queue = SubscriptionQueue("t1", blocks, lambda _: None, limit)
    parts = [(kind, words) for kind, words, _ in steps]
    for piece, (_, _, count) in zip(written(parts), steps, strict=True):
        blocks.keep(piece)
        queue.put(piece)
        read += await there(queue, count)
    read += await there(queue)
    ends = whole(written(parts))
    last = text(len(ends[0]), "!")
    blocks.keep(last)
    queue.put(last)
    assert whole(read + await there(queue)) == [ends[0] + "!", *ends[1:]]


@given(st.lists(st.tuples(kinds, any_text), max_size=40), st.data())
def test_what_somebody_lacks_completes_what_they_have(parts, data):
    sent = list(written(parts))
    blocks = OpenBlocks()
    for piece in sent:
        blocks.keep(piece)
    known = sent[: data.draw(st.integers(0, len(sent)))]
    lengths = [len(words) for words in whole(known)]
    have = BlockExtent(32, *lengths) if known else NOTHING
    assert whole([*known, *blocks.after("t1", have)]) == whole(sent)


@given(st.lists(st.tuples(kinds, any_text), max_size=40))
def test_joined_pieces_are_the_same_text(parts):
    sent = list(written(parts))
    assert whole(joined(sent)) == whole(sent)


@given(st.lists(st.tuples(kinds, any_text), max_size=30), st.data())
def test_pieces_from_elsewhere_may_be_lost_or_come_twice_and_still_make_no_hole(parts, data):
    sent, blocks, accepted = list(written(parts)), OpenBlocks(), []
    order = data.draw(st.lists(st.sampled_from(range(len(sent))), max_size=60)) if sent else []
    for number in [*order, *range(len(sent))]:
        part = blocks.novel(sent[number])
        if part is not None and part != "gap":
            blocks.keep(part, foreign=True)
            accepted.append(part)
    assert whole(accepted) == whole(sent)


def test_pieces_of_an_older_block_are_nobodys_and_a_newer_one_ends_it():
    blocks = OpenBlocks()
    blocks.keep(text(0, "It is", block=33), foreign=True)
    assert blocks.novel(text(5, " 41.", block=32)) is None
    assert blocks.novel(text(0, "It is", block=33)) is None
    assert blocks.novel(text(0, "It", block=34)) == text(0, "It", block=34)
    assert blocks.novel(text(2, " was", block=34)) == "gap"
    assert blocks.have("t1") == NOTHING


@given(st.lists(st.tuples(kinds, st.text(st.characters(exclude_categories=["Cs"]), max_size=20_000)), max_size=3))
def test_every_payload_is_short_enough_and_together_they_are_the_text(parts):
    sent = list(written(parts))
    payloads = Payloads("a" * 32, most=64)
    assert all(payloads.add_transient(piece) for piece in sent)
    done = payloads.finish()
    assert all(len(payload.encode()) < 8_000 for payload in done)
    assert whole(entry for payload in done for entry in read_payload(payload, "b")) == whole(sent)


@given(st.text(min_size=1, max_size=5_000), st.integers(300, 2_000))
def test_a_split_piece_has_parts_of_at_most_the_room_there_is(words, room):
    clean = words.encode("utf-8", "replace").decode()
    parts = list(split(text(7, clean), room))
    assert all(len(part) <= room for part in parts)
    assert "".join(e.decode(part).text for part in parts) == clean


def test_half_surrogates_are_replaced_one_by_one():
    payloads = Payloads("a", most=64)
    assert payloads.add_transient(text(0, "a\ud800b"))
    assert payloads.add_transient(progress("\udfff"))
    payloads.add(StoredNotice("\ud800", 1))
    assert read_payload(payloads.finish()[0], "b") == (text(0, "a?b"), progress("?"))


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_no_payload_raises(payload):
    read_payload(payload, "b")


def test_what_cannot_be_read_is_left_out_and_the_rest_is_heard():
    bad = [
        "1", "null", "[]", "{}", '"x"', '{"type":"not known"}', '{"type":"nudge","topic":1,"number":1}',
        '{"type":"nudge","topic":"t","number":-1}', '{"type":"nudge","topic":"' + "t" * 300 + '","number":1}',
        '{"type":"text_delta","turn_id":"t1"}', '{"type":"turn_finished","turn_id":"t1","seq":1,"at":1}',
        '{"type":"watch","topic":"t","block":1,"text":-4,"thought":0,"arguments":0}',
        '{"type":"signal","ident":"a:1","what":["cancel"],"topic":"t"}',
    ]  # fmt: skip
    good = '{"type":"nudge","topic":"t1","number":3,"new_in_a_later_version":1}'
    for entry in bad:
        assert read_payload(f'["a",[{entry},{good}]]', "b") == (StoredNotice("t1", 3),)
    assert read_payload("[" * 5_000, "b") == ()
    assert read_payload('["a",[' + "[" * 5_000 + "]]", "b") == ()


def test_a_process_does_not_hear_itself():
    payloads = Payloads("me", most=64)
    for entry in (GapNotice(), SignalNotice("me:1", "cancel", "t1"), WatchNotice("t1", *NOTHING)):
        payloads.add(entry)
    (payload,) = payloads.finish()
    assert read_payload(payload, "me") == ()
    assert read_payload(payload, "you") == (
        GapNotice(),
        SignalNotice("me:1", "cancel", "t1"),
        WatchNotice("t1", *NOTHING),
    )
