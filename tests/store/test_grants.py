"""Grants and notes of who did what, on every database."""

import msgspec
import pytest

from glassloop.core.errors import UsageError
from glassloop.store.tables.governance.audit import BY_COMMAND
from glassloop.store.tables.grants import Grant
from store.made_events import whole_turn

GRANT = Grant(
    session_id="s1", tool="edit", effect="write", digest="d1", by_user="ann", turn_id="t1", at=1.0, until=1e12
)


async def test_a_grant_counts_for_its_session_its_tool_and_the_tool_as_it_was(store):
    await store.grants.add(GRANT)
    await store.grants.add(msgspec.structs.replace(GRANT, tool="old", until=1.0))
    assert await store.grants.of_session("s1") == (GRANT,)
    assert list(await store.grants.of_tool("s1", "edit", "d1")) == [GRANT]
    for session, tool, digest in (
        ("s2", "edit", "d1"),
        ("s1", "drop", "d1"),
        ("s1", "edit", "d2"),
        ("s1", "old", "d1"),
    ):
        assert not await store.grants.of_tool(session, tool, digest)
    again = msgspec.structs.replace(GRANT, digest="d2", by_user="bob")
    await store.grants.add(again)
    assert await store.grants.of_session("s1") == (again,)
    assert await store.grants.revoke("s1", "edit")
    assert await store.grants.of_session("s1") == ()


async def test_grants_go_with_their_session(store):
    await store.turns.append("t1", whole_turn("t1", session="s1"))
    await store.grants.add(GRANT)
    await store.sessions.delete("s1")
    assert await store.grants.of_session("s1") == ()


async def test_notes_tell_who_did_what_newest_first(store):
    await store.audit.record("approved", "edit", by="ann", session_id="s1")
    await store.audit.record("rated", "s1", by="bob", session_id="s1", detail="good")
    await store.users.add("cid")
    _, key = await store.keys.create("cid")
    await store.keys.revoke(key.id)
    told = [(note.action, note.subject, note.by_user) for note in await store.audit.list()]
    assert told == [
        ("key_revoked", "cid", BY_COMMAND),
        ("key_made", "cid", BY_COMMAND),
        ("user_added", "cid", BY_COMMAND),
        ("rated", "s1", "bob"),
        ("approved", "edit", "ann"),
    ]
    assert [note.detail for note in await store.audit.list(by="bob")] == ["good"]
    assert [note.subject for note in await store.audit.list(action="approved")] == ["edit"]
    assert [note.action for note in await store.audit.list(1, 1)] == ["key_made"]
    with pytest.raises(UsageError):
        await store.audit.list(5000)
