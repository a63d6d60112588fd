"""What is stored of an event says all that the event does, in every form that rows have had."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect as mi

from glassloop.core import events as e
from glassloop.core.errors import StoreError
from glassloop.core.messages import AssistantMessage
from glassloop.core.records import Decision, ToolCall
from glassloop.store import short_form
from glassloop.store.packing import SHORTEST, unpack
from glassloop.store.redaction import Redactor
from glassloop.store.stored_form import EVENTS_A_ROW, KINDS, Row, to_batch, to_events, to_lines
from store.made_events import returned, thought, whole_turn

WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
NUMBERS = st.integers(-(2**53), 2**53)
AMOUNTS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | AMOUNTS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def drawn(kind):
    """Anything of a type, every field of a record filled."""
    if isinstance(kind, mi.StructType):
        return st.builds(kind.cls, **{field.name: drawn(field.type) for field in kind.fields})
    if isinstance(kind, mi.UnionType):
        return st.one_of([drawn(one) for one in kind.types])
    if isinstance(kind, mi.VarTupleType):
        return st.lists(drawn(kind.item_type), max_size=3).map(tuple)
    if isinstance(kind, mi.DictType):
        return st.dictionaries(WORDS, drawn(kind.value_type), max_size=3)
    if isinstance(kind, mi.LiteralType):
        return st.sampled_from(kind.values)
    simple = {mi.StrType: WORDS, mi.IntType: NUMBERS, mi.FloatType: AMOUNTS, mi.BoolType: st.booleans(),
              mi.NoneType: st.none(), mi.AnyType: VALUES}  # fmt: skip
    return simple[type(kind)]


def event_of(kind):
    fields = {field.name: drawn(field.type) for field in mi.type_info(kind).fields}
    return st.builds(kind, **{**fields, "turn_id": st.just("t1"), "seq": st.just(1)})


EVENTS = st.lists(st.sampled_from(list(KINDS)).flatmap(event_of), min_size=1, max_size=4)


def numbered(events):
    return [msgspec.structs.replace(event, seq=seq) for seq, event in enumerate(events, 1)]


def stored(events):
    batch = to_batch("t1", events, Redactor())
    return [event for row in batch.rows for event in to_events(row)]


def row_of(*items, last=None):
    return Row("t1", 1, last or len(items), 1.0, "thought_recorded", b"[" + b",".join(items) + b"]")


@given(EVENTS)
def test_events_of_every_kind_are_read_back_as_they_were(events):
    events = numbered(events)
    (row,) = to_batch("t1", events, Redactor()).rows
    lines = [e.encode(event) for event in events]
    assert list(to_lines(row)) == lines
    assert [e.encode(event) for event in to_events(row)] == lines


@pytest.mark.parametrize("kind", short_form.NAMES)
def test_the_list_of_a_frequent_kind_names_every_field_it_has(kind):
    assert short_form.is_told(kind)


def test_letters_stand_for_one_kind_each():
    letters = [letter for letter, _ in short_form.NAMES.values()]
    assert len(set(letters)) == len(letters)


def replied(message_calls, decided_calls):
    return e.ModelResponded(
        turn_id="t1", seq=1, at=1.0, purpose="decide", step=1, model="m", tier="fast",
        message=AssistantMessage(calls=message_calls), decision=Decision(calls=decided_calls),
    )  # fmt: skip


def test_calls_that_are_the_messages_own_are_stored_once():
    calls = (ToolCall(id="c1", tool="look", args={"key": "unmistakable"}),)
    event = replied(calls, calls)
    (row,) = to_batch("t1", [event], Redactor()).rows
    assert unpack(row.body).count(b"unmistakable") == 1
    assert stored([event]) == [event]


@pytest.mark.parametrize("other", [True, 1.0])
def test_calls_that_only_count_as_equal_are_stored_as_they_are(other):
    event = replied(
        (ToolCall(id="c1", tool="look", args={"n": 1}),), (ToolCall(id="c1", tool="look", args={"n": other}),)
    )
    (back,) = stored([event])
    assert e.encode(back) == e.encode(event)


def test_a_field_that_a_row_is_too_old_for_has_its_default():
    (back,) = to_events(row_of(b'["t",[1.0,1,"Look."]]'))
    assert back == e.ThoughtRecorded(turn_id="t1", seq=1, at=1.0, step=1, text="Look.", implied=False)


@pytest.mark.parametrize(
    "item",
    [
        b'["t",[1.0,1,"Look.",false,1]]',
        b'["t",[1.0,1]]',
        b'["t",[1.0,"1","Look."]]',
        b'["t",[1.0,1,"Look."],[],0,0]',
        b'["t",1.0]',
        b'["t"]',
        b'["?",[1.0]]',
        b"[]",
        b"[[]]",
        b"1",
        b"null",
        b'"t"',
        b'["m",[1.0],[1,2,3,4,5,6,7],0]',
        b'["m",[1.0],["",null,null,false,false],0]',
        b'{"type":"thought_recorded","turn_id":"t2","seq":1,"at":1.0,"step":1,"text":""}',
        b'{"type":"thought_recorded","turn_id":"t1","seq":2,"at":1.0,"step":1,"text":""}',
    ],
)
def test_a_list_that_stands_for_no_event_is_damage(item):
    row = row_of(item)
    with pytest.raises(StoreError, match="Event 1 of turn 't1' is damaged"):
        list(to_events(row))


@pytest.mark.parametrize("body", [b"[", b"[]", b'[["t",[1.0,1,"Look."]]', b'[["t",[1.0,1,"Look."]],["t",[1.0,1,""]]]'])
def test_a_row_with_more_or_less_than_it_says_is_damage(body):
    row = Row("t1", 1, 1, 1.0, "thought_recorded", body)
    for read in (to_lines, lambda row: list(to_events(row))):
        with pytest.raises(StoreError, match="Event 1 of turn 't1' is damaged"):
            read(row)


def test_an_object_of_an_unknown_kind_among_lists_is_refused_or_skipped():
    row = row_of(b'["t",[1.0,1,"Look."]]', b'{"type":"dream_dreamt","turn_id":"t1","seq":2,"at":1.0}')
    with pytest.raises(StoreError, match="unknown kind 'dream_dreamt': update glassloop"):
        list(to_events(row))
    assert [event.seq for event in to_events(row, skip_unknown=True)] == [1]


def test_rows_of_lines_are_read_as_they_were_written():
    events = whole_turn()
    row = Row("t1", 1, 5, events[0].at, "turn_started", b"\n".join(map(e.encode, events)))
    assert list(to_events(row)) == events
    assert list(to_events(row, 3)) == events[3:]


def test_a_long_piece_becomes_several_rows_in_order():
    events = [thought("t1", seq) for seq in range(1, 2 * EVENTS_A_ROW + 2)]
    batch = to_batch("t1", events, Redactor())
    assert [(row.seq, row.last) for row in batch.rows] == [(1, 64), (65, 128), (129, 129)]
    assert stored(events) == events


def test_long_rows_are_packed_and_short_ones_are_not():
    (short,) = to_batch("t1", [returned(seq=1, output="x" * 20)], Redactor()).rows
    (long,) = to_batch("t1", [returned(seq=1, output="some words " * 200)], Redactor()).rows
    assert short.body.startswith(b"[")
    assert len(long.body) < SHORTEST < len(unpack(long.body))
