"""Import of other chats over the API: an upload becomes conversations that go on."""

from foreign_chats import as_json, as_zip, chatgpt_chat, open_webui_chat
from glassloop.store.records import IMPORTED
from server.dialect_turns import scripted
from server.test_native import answered
from waiting import until


async def imported(client, data, status="completed"):
    upload = (await client.post("/api/uploads", params={"name": "export"}, content=data)).json()
    taken = await client.post("/api/sessions/import", json={"upload_id": upload["id"]})
    assert taken.status_code == 202, taken.text

    async def over():
        return (await client.get(f"/api/jobs/{taken.json()['id']}")).json()["status"] == status

    await until(over, f"an import that is {status}")
    return (await client.get(f"/api/jobs/{taken.json()['id']}")).json()


async def test_conversations_of_chatgpt_and_open_webui_go_on_here(serve):
    model, served = await scripted(serve, ["Of course."])
    client = served.client
    data = as_zip(conversations__json=as_json(chatgpt_chat(), open_webui_chat(), {"nothing": 1}))
    job = await imported(client, data)
    assert job["result"] == {"imported": 2, "turns": 6, "present": 0, "unreadable": 1}
    assert (await client.get("/api/uploads")).json() == []
    sessions = {each["title"]: each for each in (await client.get("/api/sessions")).json()}
    assert sessions["The moon"]["metadata"] == {"imported_from": "chatgpt"}
    assert sessions["Colours"]["pinned"] is True
    moon = sessions["The moon"]["id"]
    view = (await client.get(f"/api/sessions/{moon}")).json()
    said = [message["content"] for message in view["messages"]]
    assert said == ["How far is the moon?", "384,400 km.", "In miles?", "About 238,900 miles."]
    assert [turn["on_path"] for turn in view["turns"]] == [False, True, False, True]
    started = await served.runtime.store.turns.first(view["turns"][0]["id"])
    assert (started.settings[IMPORTED], started.model) == (True, "gpt-4o")
    await answered(client, "And back?", session_id=moon)
    told = [getattr(one, "content", None) or getattr(one, "text", "") for one in model.requests[-1].messages]
    assert "About 238,900 miles." in told
    assert "Mils are small." not in told
    assert moon in [each["id"] for each in (await client.get("/api/sessions", params={"q": "miles"})).json()]


async def test_what_was_imported_before_stays_and_what_is_no_export_is_told(serve):
    _, served = await scripted(serve, [])
    first = await imported(served.client, as_json(chatgpt_chat()))
    again = await imported(served.client, as_json(chatgpt_chat(title="Renamed there"), open_webui_chat()))
    assert (first["result"]["imported"], again["result"]["imported"], again["result"]["present"]) == (1, 1, 1)
    failed = await imported(served.client, b"no export", "failed")
    assert "ChatGPT" in failed["error"]
    assert (await served.client.post("/api/sessions/import", json={"upload_id": "0" * 32})).status_code == 404
