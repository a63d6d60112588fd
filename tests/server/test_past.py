"""Deleting over the API: what is gone from the store is gone from the index of past conversations."""

import pytest

from glassloop.runtime.tools.notes_file import NotesFile
from glassloop.runtime.tools.todos import Todos
from server.dialect_turns import scripted
from server.test_native import answered


@pytest.mark.parametrize("path", ["/api/sessions/{}", "/api/me"])
async def test_what_is_deleted_is_gone_from_the_index(serve, path):
    _, served = await scripted(serve, ["The quokka waits."])
    taken, _ = await answered(served.client, "What waits?")
    past = served.runtime.past
    (row,) = await served.runtime.store.turns.list()
    assert [found.turn_id for found in await past.search("quokka", user=row.user_id)] == [taken["turn_id"]]
    assert (await served.client.delete(path.format(taken["session_id"]))).status_code == 200
    assert await past._conversations().search("quokka", user=row.user_id) == []
    assert await past._conversations().kept() == {}


async def test_the_to_dos_of_a_session_go_with_it(serve):
    _, served = await scripted(serve, ["Yes."])
    taken, _ = await answered(served.client, "Is it?")
    todos = Todos(NotesFile(served.runtime.knowledge._settings.home_path), redact=str)
    for session in (taken["session_id"], "another"):
        todos.change(session, "", "add", "Feed the quokka", 0)
    assert (await served.client.delete(f"/api/sessions/{taken['session_id']}")).status_code == 200
    assert todos.items(taken["session_id"]) == []
    assert len(todos.items("another")) == 1
