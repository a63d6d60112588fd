"""Pages of a session and the use of tools, from the log: the same in both stores."""

import msgspec
import pytest

from glassloop.core.errors import UnknownName
from glassloop.store.tables.message_pages import SaidAlone, SaidTurn
from store.made_events import whole_turn


async def test_a_session_comes_in_pages_from_its_end(store):
    session = await store.sessions.create("ann", title="Old things")
    assert session.title == "Old things"
    alone = await store.sessions.add_message(session.id, "user", "From before.")
    for number in range(4):
        await store.turns.append(f"t{number}", whole_turn(f"t{number}", session=session.id))
    every = await store.message_pages.before(session.id, 100)
    assert isinstance(every[0], SaidAlone) and (every[0].id, every[0].content) == (alone, "From before.")
    assert [one.events[0].turn_id for one in every[1:]] == ["t0", "t1", "t2", "t3"]
    assert [type(event).__name__ for event in every[1].events][-1] == "TurnFinished"
    newest = await store.message_pages.before(session.id, 2)
    assert [one.events[0].turn_id for one in newest] == ["t2", "t3"]
    older = await store.message_pages.before(session.id, 2, turn_id="t1")
    assert [one.events[0].turn_id for one in older if isinstance(one, SaidTurn)] == ["t0", "t1"]
    assert await store.message_pages.before(session.id, 2, number=alone) == []
    with pytest.raises(UnknownName, match="no message of turn 't9'"):
        await store.message_pages.before(session.id, 2, turn_id="t9")


async def test_the_use_of_tools_is_the_same_in_both_stores(store):
    for number, assistant in enumerate(("general", "general", "places")):
        first, *rest = whole_turn(f"t{number}", session=f"s{number}", at=1_700_000_000.0 + number)
        await store.turns.append(f"t{number}", [msgspec.structs.replace(first, assistant=assistant), *rest])
    told = await store.tool_statistics.since(1_600_000_000.0)
    assert [(row.tool, row.assistant, row.calls, row.turns) for row in told.rows] == [
        ("look", "general", 2, 2),
        ("look", "places", 1, 1),
    ]
    assert (told.turns, told.turns_read, told.assistants) == (3, 3, {"general": 2, "places": 1})
    assert (await store.tool_statistics.since(1_600_000_000.0, "places")).turns == 1
    assert (await store.tool_statistics.since(1_800_000_000.0)).rows == ()
