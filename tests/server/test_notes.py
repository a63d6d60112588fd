"""Notes over the API: what assistants remember is seen, changed and deleted by its user alone."""

from glassloop.models.scripted_model import call
from glassloop.runtime.tools.notes import make_tools
from server.authenticated import client_of
from server.test_native import answered


async def test_what_an_assistant_remembered_is_seen_changed_and_deleted(serve, tmp_path):
    said = [call("remember", text="The user likes tea."), "I will."]
    served = await serve(script=said, tools=make_tools(tmp_path))
    client = served.client
    await answered(client, "Remember that I like tea.")
    (note,) = (await client.get("/api/notes")).json()
    assert (note["id"], note["text"], note["integrity"]) == (1, "The user likes tea.", "trusted")
    changed = await client.put("/api/notes/1", json={"text": "The user likes coffee."})
    assert changed.json()["text"] == "The user likes coffee."
    added = await client.post("/api/notes", json={"text": "The user lives in Paris.", "topic": "home"})
    assert (added.status_code, added.json()["id"]) == (201, 2)
    assert [each["id"] for each in (await client.get("/api/notes")).json()] == [2, 1]
    async with client_of(served.app, **{"x-user-id": "bob"}) as bob:
        assert (await bob.get("/api/notes")).json() == []
        assert (await bob.put("/api/notes/1", json={"text": "Mine."})).status_code == 404
        assert (await bob.delete("/api/notes/1")).status_code == 404
    assert (await client.delete("/api/notes/1")).json() == {"done": True}
    assert (await client.delete("/api/notes/1")).status_code == 404
    assert (await client.put("/api/notes/2", json={"text": "  "})).status_code == 422
