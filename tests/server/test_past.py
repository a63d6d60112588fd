"""Deleting over the API: what is gone from the store is gone from the index of past conversations."""

import pytest

from server.dialect_turns import scripted
from server.test_native import answered


@pytest.mark.parametrize("path", ["/api/sessions/{}", "/api/me"])
async def test_what_is_deleted_is_gone_from_the_index(serve, path):
    _, served = await scripted(serve, ["The quokka waits."])
    taken, _ = await answered(served.client, "What waits?")
    past = served.runtime.past
    (row,) = await served.runtime.store.list_turns()
    assert [found.turn_id for found in await past.search("quokka", user=row.user_id)] == [taken["turn_id"]]
    assert (await served.client.delete(path.format(taken["session_id"]))).status_code == 200
    assert await past._conversations().search("quokka", user=row.user_id) == []
    assert await past._conversations().kept() == {}
