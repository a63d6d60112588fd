"""Where sessions are listed: pinned, archived, in folders, or nowhere; on every database."""

import pytest

from glassloop.core.errors import UsageError
from glassloop.store.tables.sessions import MAX_FOLDER_CHARS, SessionPlaces
from store.made_events import whole_turn


async def ids(store, **wanted):
    return [session.id for session in await store.sessions.list(9, user_id="ann", listed=SessionPlaces(**wanted))]


@pytest.fixture
async def three(store, clock):
    made = []
    for title in ("One", "Two", "Three"):
        made.append((await store.sessions.create("ann", title=title)).id)
        clock.now += 1.0
    await store.sessions.create("bob", title="Bob's")
    return made


async def test_pinned_and_archived_sessions_are_listed_apart(store, three):
    one, two, three_ = three
    await store.sessions.place(one, pinned=True)
    await store.sessions.place(two, archived=True)
    assert await ids(store, archived=False) == [three_, one]
    assert await ids(store, archived=False, pinned=True) == [one]
    assert await ids(store, archived=False, pinned=False) == [three_]
    assert await ids(store, archived=True) == [two]
    await store.sessions.place(one, archived=True)
    found = await store.sessions.get(one)
    assert (found.pinned, found.archived) == (False, True)
    await store.sessions.place(one, archived=False)
    assert one in await ids(store, archived=False)


async def test_folders_are_counted_renamed_and_emptied(store, three):
    one, two, three_ = three
    await store.sessions.place(one, folder="  Stock   and  sales ")
    await store.sessions.place(two, folder="Stock and sales")
    await store.sessions.place(three_, folder="Home")
    assert [(each.name, each.sessions) for each in await store.sessions.folders("ann")] == [
        ("Home", 1),
        ("Stock and sales", 2),
    ]
    assert await store.sessions.folders("bob") == ()
    assert await ids(store, folder="Stock and sales") == [two, one]
    assert await ids(store, folder="") == []
    assert await store.sessions.rename_folder("bob", "Home", "Mine") == 0
    assert await store.sessions.rename_folder("ann", "Stock and sales", "Home") == 2
    assert [(each.name, each.sessions) for each in await store.sessions.folders("ann")] == [("Home", 3)]
    assert await store.sessions.rename_folder("ann", "Home", "") == 3
    assert await store.sessions.folders("ann") == ()
    with pytest.raises(UsageError, match="limit"):
        await store.sessions.place(one, folder="x" * (MAX_FOLDER_CHARS + 1))


async def test_a_temporary_session_is_listed_and_found_nowhere_and_is_old_after_a_while(store, clock):
    session = await store.sessions.create("ann", temporary=True)
    await store.turns.append("t1", whole_turn("t1", session=session.id, user="ann"))
    assert await ids(store) == []
    assert await ids(store, temporary=None) == [session.id]
    question = (await store.turns.get("t1")).question
    assert await store.search.find_words("ann", question.split()[:1]) == ()
    assert await store.sessions.temporary_idle(3600.0, 10) == ()
    clock.now += 7200.0
    assert await store.sessions.temporary_idle(3600.0, 10) == (session.id,)


async def test_where_a_session_is_listed_goes_with_its_export(store, three):
    await store.sessions.place(three[0], pinned=True, folder="Home")
    lines = await store.exports.dump(three[0])
    await store.sessions.delete(three[0])
    await store.exports.load(lines)
    found = await store.sessions.get(three[0])
    assert (found.pinned, found.folder) == (True, "Home")
