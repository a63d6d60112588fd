"""Versions of turns over the API: replaced, edited, followed from where one likes; what the model is sent then."""

from server.dialect_turns import scripted
from server.test_native import answered, over


def said(model):
    messages = model.requests[-1].messages
    texts = [getattr(one, "content", None) or getattr(one, "text", "") for one in messages]
    return [text for text in texts if text and "<system-note>" not in text]


async def test_a_turn_can_be_replaced_and_the_session_lists_every_version(serve):
    model, served = await scripted(serve, ["One.", "Rejected.", "Later.", "Two.", "After two.", "After rejected."])
    first, _ = await answered(served.client, "A number?")
    session = first["session_id"]
    wrong, _ = await answered(served.client, "Another?", session_id=session)
    later, _ = await answered(served.client, "And?", session_id=session)
    taken = (await served.client.post("/api/turns", json={"replaces": wrong["turn_id"]})).json()
    assert taken["session_id"] == session
    await over(served.client, taken)
    assert said(model) == ["A number?", "One.", "Another?"]
    edited, _ = await answered(served.client, "Yet another?", replaces=wrong["turn_id"])
    assert said(model) == ["A number?", "One.", "Yet another?"]

    view = (await served.client.get(f"/api/sessions/{session}")).json()
    ids = [one["turn_id"] for one in (first, wrong, later, taken, edited)]
    assert [turn["id"] for turn in view["turns"]] == ids
    assert [turn["previous_turn_id"] for turn in view["turns"]] == ["", ids[0], ids[1], ids[0], ids[0]]
    assert [turn["on_path"] for turn in view["turns"]] == [True, False, False, False, True]
    assert [message["content"] for message in view["messages"]] == ["A number?", "One.", "Yet another?", "After two."]

    await answered(served.client, "Which?", session_id=session, previous_turn_id=wrong["turn_id"])
    assert said(model) == ["A number?", "One.", "Another?", "Rejected.", "Which?"]


async def test_a_version_needs_one_thing_to_be_a_version_of(serve):
    _, served = await scripted(serve, ["One."])
    taken, _ = await answered(served.client)
    turn_id = taken["turn_id"]
    for body in (
        {},
        {"continues": turn_id, "question": "More?"},
        {"continues": turn_id, "replaces": turn_id},
        {"replaces": turn_id, "previous_turn_id": turn_id},
    ):
        assert (await served.client.post("/api/turns", json=body)).status_code == 422, body
    refused = await served.client.post("/api/turns", json={"continues": turn_id})
    assert (refused.status_code, "was not stopped" in refused.text) == (400, True)
    assert (await served.client.post("/api/turns", json={"replaces": "nothing"})).status_code == 404
    strange = {"question": "Hi", "session_id": taken["session_id"], "previous_turn_id": "nothing"}
    assert (await served.client.post("/api/turns", json=strange)).status_code == 400
