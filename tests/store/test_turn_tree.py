"""Versions of turns: which lead to the newest one, what is listed and found of the others."""

import pytest

from glassloop.core.errors import UsageError
from glassloop.store import open_store
from glassloop.store.log.turn_tree import path_to, previous_turns
from glassloop.store.tables.search import SessionFilters
from store.made_events import answered, finished, started

T0 = 1_700_000_000.0


async def say(store, turn, at, answer="It is 42.", **start):
    await store.turns.append(turn, [started(turn, at=T0 + at, **start), answered(turn, 2, answer), finished(turn, 3)])


async def branched(store):
    """First a, b, c; then b2 in place of b, and d after it."""
    for number, turn in enumerate("abc"):
        await say(store, turn, number, f"answer {turn}", question=f"question {turn}")
    await say(store, "b2", 10, "answer otter", question="question otter", previous_turn_id="a")
    await say(store, "d", 11, "answer d", question="question d")


async def path(store, session="s1"):
    return [row.id for row in await store.turns.of_session(session, path_only=True)]


async def test_a_line_stays_a_line_also_where_each_turn_says_what_it_follows(store):
    for number, turn in enumerate("abc"):
        await say(store, turn, number, previous_turn_id="ab"[number - 1] if number else "")
    assert await path(store) == ["a", "b", "c"]
    assert (await store.sessions.get("s1")).branches == 0


async def test_another_version_takes_what_came_after_off_the_path(store):
    await branched(store)
    assert await path(store) == ["a", "b2", "d"]
    rows = await store.turns.of_session("s1")
    assert previous_turns(rows) == {"a": "", "b": "a", "c": "b", "b2": "a", "d": "b2"}
    assert path_to("c", previous_turns(rows)) == ["a", "b", "c"]
    assert (await store.sessions.get("s1")).branches == 1


async def test_going_on_with_a_version_that_was_replaced_brings_it_back(store):
    await branched(store)
    await say(store, "e", 12, previous_turn_id="c")
    assert await path(store) == ["a", "b", "c", "e"]
    await say(store, "f", 13, previous_turn_id="")
    assert await path(store) == ["f"]
    await say(store, "g", 14, previous_turn_id="d")
    assert await path(store) == ["a", "b2", "d", "g"]
    assert (await store.sessions.get("s1")).branches == 4


async def test_turns_whose_times_say_that_they_follow_each_other_end(store):
    await say(store, "a", 10)
    await say(store, "b", 5, previous_turn_id="a")
    await say(store, "c", 20, previous_turn_id="b")
    assert previous_turns(await store.turns.of_session("s1")) == {"b": "a", "a": "b", "c": "b"}
    assert sorted(await path(store)) == ["a", "b", "c"]


async def test_a_turn_of_another_session_cannot_be_followed(store):
    await say(store, "a", 0)
    await say(store, "x", 0, session="s2")
    with pytest.raises(UsageError, match="no turn 'x' to follow"):
        await say(store, "b", 1, previous_turn_id="x")
    assert await path(store) == ["a"]


async def test_messages_are_those_of_the_path_unless_all_are_wanted(store):
    await branched(store)
    said = [message.content for message in await store.sessions.messages("s1")]
    assert said == ["question a", "answer a", "question otter", "answer otter", "question d", "answer d"]
    every = [one async for page in store.sessions.message_pages("s1", path_only=False) for one in page]
    assert [one.content for one in every if one.replaced] == ["question b", "answer b", "question c", "answer c"]
    page = await store.message_pages.before("s1", 200)
    assert [said.events[0].turn_id for said in page] == ["a", "b2", "d"]


async def test_words_of_a_replaced_version_are_found_by_reviewers_only(store):
    await branched(store)
    assert [hit.turn_id for hit in await store.search.find_words("ann", ["otter"])] == ["b2"]
    await say(store, "e", 12, previous_turn_id="c")
    assert not await store.search.find_words("ann", ["otter"])
    assert [one.id for one in await store.search.review(SessionFilters(words=("otter",)))] == ["s1"]


async def test_an_export_has_every_version_and_an_import_the_same_tree(store, clock):
    await branched(store)
    lines = await store.exports.dump("s1")
    async with await open_store("sqlite:///:memory:", clock=clock) as other:
        await other.exports.load(lines)
        assert await path(other) == ["a", "b2", "d"]
        assert (await other.sessions.get("s1")).branches == 1
        assert [row.id for row in await other.turns.of_session("s1")] == ["a", "b", "c", "b2", "d"]
        assert await other.exports.dump("s1") == lines


async def test_an_import_whose_turn_follows_none_of_its_own_is_refused(store, clock):
    await branched(store)
    lines = [
        line.replace(b'"previous_turn_id":"a"', b'"previous_turn_id":"zz"') for line in await store.exports.dump("s1")
    ]
    async with await open_store("sqlite:///:memory:", clock=clock) as other:
        with pytest.raises(UsageError, match="no turn 'zz' to follow"):
            await other.exports.load(lines)
        assert await other.sessions.get("s1") is None
