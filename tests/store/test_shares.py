"""Links to conversations, on every database."""

import pytest

from glassloop.core.errors import UsageError
from store.made_events import whole_turn


async def turns_of(store, share):
    return [turn.id async for page in store.shares.turn_pages(share) for turn in page]


async def test_a_link_leads_to_its_conversation_up_to_what_was_said_then(store):
    await store.turns.append("t1", whole_turn("t1", session="s1"))
    token, made = await store.shares.create("s1", "ann")
    assert made.turn_id == "t1"
    await store.turns.append("t2", whole_turn("t2", session="s1"))
    found = await store.shares.find(token)
    assert found is not None
    assert await turns_of(store, found) == ["t1"]
    assert await store.shares.find(token[:-1]) is None
    assert await store.shares.find("") is None


async def test_a_new_link_ends_the_old_one_and_a_revoked_one_leads_nowhere(store):
    await store.turns.append("t1", whole_turn("t1", session="s1"))
    old, _ = await store.shares.create("s1", "ann")
    new, _ = await store.shares.create("s1", "ann")
    assert await store.shares.find(old) is None
    assert await store.shares.find(new) is not None
    assert await store.shares.revoke("s1")
    assert not await store.shares.revoke("s1")
    assert await store.shares.find(new) is None
    assert await store.shares.of_session("s1") is None


async def test_links_go_with_their_session_and_with_their_user(store):
    for session, turn in (("s1", "t1"), ("s2", "t2")):
        await store.turns.append(turn, whole_turn(turn, session=session))
    first, _ = await store.shares.create("s1", "ann")
    second, _ = await store.shares.create("s2", "ann")
    await store.sessions.delete("s1")
    assert await store.shares.find(first) is None
    await store.users.add("ann")
    await store.users.remove("ann")
    assert await store.shares.find(second) is None


async def test_the_token_is_nowhere_in_the_store(store):
    await store.turns.append("t1", whole_turn("t1", session="s1"))
    token, _ = await store.shares.create("s1", "ann")
    rows = await store.engine.read(lambda db: db.run("SELECT session_id, user_id, digest, turn_id FROM shares"))
    assert len(rows) == 1
    assert token not in str(rows)


async def test_a_conversation_without_an_answer_is_not_shared(store):
    session = await store.sessions.create("ann")
    with pytest.raises(UsageError, match="first answer"):
        await store.shares.create(session.id, "ann")


async def test_a_link_ends_by_itself_when_its_time_is_over(store, clock):
    await store.turns.append("t1", whole_turn("t1", session="s1"))
    token, made = await store.shares.create("s1", "ann", 60.0)
    assert made.expires_at == made.at + 60.0
    assert await store.shares.find(token) is not None
    clock.now += 61.0
    assert await store.shares.find(token) is None
    assert await store.shares.of_session("s1") is None
    again, _ = await store.shares.create("s1", "ann")
    assert await store.shares.find(again) is not None
