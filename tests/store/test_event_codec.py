"""The stored form of an event says all that the event does, and damage is told from it."""

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import inspect as mi

from glassloop.core import events as e
from glassloop.core.errors import StoreError
from glassloop.core.messages import AssistantMessage
from glassloop.core.records import Decision, ToolCall
from glassloop.store.engine.database import EventRow
from glassloop.store.log.event_codec import (
    KINDS,
    LAYOUTS,
    MAX_ROW_EVENTS,
    MIN_COMPRESSED_BYTES,
    row_body,
    to_batch,
    to_events,
)
from glassloop.store.log.redaction import Redactor
from store.made_events import returned, thought

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
        return st.one_of([drawn(one) for one in kind.types if getattr(one, "cls", None) is not e.ChildRecorded])
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
    return EventRow("t1", 1, last or len(items), 1.0, "thought_recorded", b"[" + b",".join(items) + b"]")


@given(EVENTS)
def test_events_of_every_kind_are_read_back_as_they_were(events):
    events = numbered(events)
    batch = to_batch("t1", events, Redactor())
    assume(not batch.redacted)
    (row,) = batch.rows
    lines = [e.encode(event) for event in events]
    assert [e.encode(event) for event in to_events(row)] == lines


FIELDS = {
    "turn_started": "seq at question user session_id assistant model protocol settings forked_from",
    "turn_claimed": "seq at worker epoch",
    "history_loaded": "seq at messages",
    "command_read": "seq at name",
    "route_decided": "seq at farewell",
    "tools_shortlisted": "seq at tools of",
    "plan_made": "seq at",
    "plan_adjusted": "seq at reason",
    "model_responded": "seq at purpose step model tier stop latency_ms attempts block",
    "thought_recorded": "seq at step text implied",
    "tool_called": "seq at step effect",
    "approval_requested": "seq at step preview digest reason doubt",
    "approval_decided": "seq at call_id approved digest by reason args scope",
    "tool_returned": "seq at step call_id",
    "context_compacted": "seq at left_out summary tokens_before tokens_after",
    "answer_evaluated": "seq at accepted block",
    "answer_given": "seq at text reason partial block",
    "turn_paused": "seq at reason call_ids",
    "turn_resumed": "seq at worker",
    "turn_finished": "seq at status iterations tool_calls input_tokens output_tokens cost unpriced_calls seconds"
    " error error_type reference",
}
RECORDS = {
    "decision": "thought calls answer complaint unreadable refused",
    "route": "destination reasoning secondary_domains confidence",
    "plan": "query complexity steps estimated_iterations",
    "message": "text thought calls provider opaque",
    "usage": "input_tokens output_tokens cached_tokens cost",
    "call": "id tool args mended",
    "result": "success output error data metadata requires_confirmation cached duration_ms cause effect_unknown",
    "evidence": "figures sourced",
    "evaluation": "completeness_score quality_score missing_info needs_retry suggestions",
}
HELD = {"command_read": "decision", "route_decided": "route", "plan_made": "plan",
        "plan_adjusted": "plan", "model_responded": "message decision usage", "tool_called": "call",
        "approval_requested": "call", "tool_returned": "result", "answer_evaluated": "evidence evaluation"}  # fmt: skip


def starts_with(found, stored):
    return tuple(found)[: len(stored.split())] == tuple(stored.split())


@pytest.mark.parametrize("kind", FIELDS)
def test_the_order_of_values_that_rows_have_stays_and_new_ones_come_last(kind):
    layout = LAYOUTS[kind]
    assert starts_with(layout.fields, FIELDS[kind])
    assert starts_with(layout.records, HELD.get(kind, ""))
    assert all(starts_with(names, RECORDS.get(name, "")) for name, names in layout.records.items())


def replied(message_calls, decided_calls):
    return e.ModelResponded(
        turn_id="t1", seq=1, at=1.0, purpose="decide", step=1, model="m", tier="fast",
        message=AssistantMessage(calls=message_calls), decision=Decision(calls=decided_calls),
    )  # fmt: skip


def test_calls_that_are_the_messages_own_are_stored_once():
    calls = (ToolCall(id="c1", tool="look", args={"key": "unmistakable"}),)
    event = replied(calls, calls)
    (row,) = to_batch("t1", [event], Redactor()).rows
    assert row_body(row.body).count(b"unmistakable") == 1
    assert stored([event]) == [event]


@pytest.mark.parametrize("other", [True, 1.0])
def test_calls_that_only_count_as_equal_are_stored_as_they_are(other):
    event = replied(
        (ToolCall(id="c1", tool="look", args={"n": 1}),), (ToolCall(id="c1", tool="look", args={"n": other}),)
    )
    (back,) = stored([event])
    assert e.encode(back) == e.encode(event)


def test_a_field_that_a_row_is_too_old_for_has_its_default():
    (back,) = to_events(row_of(b'["thought_recorded",[1,1.0,1,"Look."]]'))
    assert back == e.ThoughtRecorded(turn_id="t1", seq=1, at=1.0, step=1, text="Look.", implied=False)


@pytest.mark.parametrize(
    "item",
    [
        b'["thought_recorded",[1,1.0,1,"Look.",false,1]]',
        b'["thought_recorded",[1,1.0,1]]',
        b'["thought_recorded",[1,1.0,"1","Look."]]',
        b'["thought_recorded",[1,1.0,1,"Look."],[]]',
        b'["thought_recorded",[2,1.0,1,"Look."]]',
        b'["thought_recorded",[]]',
        b'["thought_recorded",1.0]',
        b'["thought_recorded"]',
        b"[]",
        b"[[]]",
        b"1",
        b"null",
        b'"thought_recorded"',
        b'["tool_called",[1,1.0,1,"read"]]',
        b'["tool_called",[1,1.0,1,"read"],{"id":"c1","tool":"look"}]',
        b'["model_responded",[1,1.0,"decide",1,"m","fast"],[""],[1,2,3,4,5,6,7]]',
        b'["model_responded",[1,1.0,"decide",1,"m","fast"],null,["",0]]',
    ],
)
def test_a_list_that_stands_for_no_event_is_damage(item):
    row = row_of(item)
    with pytest.raises(StoreError, match="Event 1 of turn 't1' is damaged"):
        list(to_events(row))


LOOK = b'["thought_recorded",[1,1.0,1,"Look."]]'


@pytest.mark.parametrize("body", [b"[", b"[]", b"[" + LOOK, b"[" + LOOK + b"," + LOOK + b"]", b"x\x01cut"])
def test_a_row_with_more_or_less_than_it_says_is_damage(body):
    with pytest.raises(StoreError, match="Event 1 of turn 't1' is damaged"):
        list(to_events(EventRow("t1", 1, 1, 1.0, "thought_recorded", body)))


def test_an_event_of_an_unknown_kind_is_refused_or_skipped():
    row = row_of(LOOK, b'["dream_dreamt",[2,1.0]]')
    with pytest.raises(StoreError, match="unknown kind 'dream_dreamt': update glassloop"):
        list(to_events(row))
    assert [event.seq for event in to_events(row, skip_unknown=True)] == [1]


def test_a_long_piece_becomes_several_rows_in_order():
    events = [thought("t1", seq) for seq in range(1, 2 * MAX_ROW_EVENTS + 2)]
    batch = to_batch("t1", events, Redactor())
    assert [(row.seq, row.last) for row in batch.rows] == [(1, 64), (65, 128), (129, 129)]
    assert stored(events) == events


def test_long_rows_are_compressed_and_short_ones_are_not():
    (short,) = to_batch("t1", [returned(seq=1, output="x" * 20)], Redactor()).rows
    (long,) = to_batch("t1", [returned(seq=1, output="some words " * 200)], Redactor()).rows
    assert short.body.startswith(b"[")
    assert len(long.body) < MIN_COMPRESSED_BYTES < len(row_body(long.body))
