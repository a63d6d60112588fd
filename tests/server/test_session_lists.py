"""Lists of conversations over the API: pinned, archived, in folders, temporary."""

import time

from glassloop.models.scripted_model import call
from glassloop.runtime import erasure
from glassloop.runtime.tools.notes import make_tools
from glassloop.runtime.tools.notes_file import NotesFile
from server.test_native import answered


async def listed(client, **wanted):
    found = await client.get("/api/sessions", params=wanted)
    assert found.status_code == 200, found.text
    return [session["id"] for session in found.json()]


async def test_conversations_are_pinned_put_into_folders_and_archived(serve):
    served = await serve(script=["Of cats.", "Of dogs."])
    client = served.client
    cats, dogs = [(await answered(client, f"Of {animal}?"))[0]["session_id"] for animal in ("cats", "dogs")]
    assert await listed(client) == [dogs, cats]
    changed = await client.patch(f"/api/sessions/{cats}", json={"pinned": True, "folder": "Animals"})
    assert (changed.json()["pinned"], changed.json()["folder"]) == (True, "Animals")
    assert await listed(client, pinned=True) == [cats]
    assert await listed(client, pinned=False, folder="") == [dogs]
    assert await listed(client, folder="Animals") == [cats]
    assert (await client.get("/api/sessions/folders")).json() == [{"name": "Animals", "sessions": 1}]
    await client.patch(f"/api/sessions/{dogs}", json={"archived": True})
    assert await listed(client) == [cats]
    assert await listed(client, archived=True) == [dogs]
    assert dogs in await listed(client, q="dogs")
    renamed = {"name": "Animals", "new_name": "Pets"}
    assert (await client.patch("/api/sessions/folders", json=renamed)).json() == {"done": True}
    assert (await client.patch("/api/sessions/folders", json=renamed)).json() == {"done": False}
    assert await listed(client, folder="Pets") == [cats]
    assert (await client.patch(f"/api/sessions/{cats}", json={})).status_code == 422
    assert (await client.patch(f"/api/sessions/{cats}", json={"folder": "x" * 81})).status_code == 422


async def test_a_temporary_conversation_is_listed_nowhere_remembers_nothing_and_is_gone_after_a_day(serve, tmp_path):
    said = ["I know a secret.", call("remember", text="The user has a secret."), "I can't remember that here."]
    served = await serve(script=said, tools=make_tools(tmp_path))
    client, runtime = served.client, served.runtime
    made = await client.post("/api/sessions", json={"temporary": True})
    session = made.json()["id"]
    assert made.json()["temporary"] is True
    await answered(client, "Do you know a secret?", session_id=session)
    _, told = await answered(client, "Remember it!", session_id=session)
    assert "temporary chat, in which nothing is remembered" in str(told)
    assert NotesFile(tmp_path).count("anonymous") == 0
    assert await listed(client) == []
    assert await listed(client, archived=True) == []
    assert await listed(client, q="secret") == []
    await runtime.erasure.erase_temporary()
    assert (await client.get(f"/api/sessions/{session}")).status_code == 200
    day = time.time() - erasure.TEMPORARY_S - 1
    sql = "UPDATE sessions SET last_active = :at WHERE id = :id"
    await runtime.store.engine.write(lambda db: db.run(sql, at=day, id=session))
    await runtime.erasure.erase_temporary()
    assert (await client.get(f"/api/sessions/{session}")).status_code == 404


async def test_everything_of_a_user_means_their_temporary_conversations_too(serve):
    served = await serve(script=["Yes."])
    session = (await served.client.post("/api/sessions", json={"temporary": True})).json()["id"]
    await answered(served.client, "Here?", session_id=session)
    assert (await served.runtime.erasure.count("anonymous"))["sessions"] == 1
    assert (await served.client.delete("/api/me")).json() == {"done": True}
    assert (await served.client.get(f"/api/sessions/{session}")).status_code == 404
