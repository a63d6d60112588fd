"""Answers and messages to turns over the native API."""

from glassloop import ScriptedModel
from glassloop.core.loop.user_question import ASK_USER
from glassloop.models.scripted_model import call
from server.dialect_turns import is_error
from server.test_native import ask, over


async def test_a_question_is_answered_and_a_message_reaches_the_turn(serve):
    model = ScriptedModel([call(ASK_USER, question="Which?", options=["a", "b"]), "It is b."])
    served = await serve(script=model, profile={"ask_user": True})
    taken = await ask(served.client)
    view = await over(served.client, taken, "paused")
    (asked,) = view["questions"]
    assert (asked["question"], asked["options"]) == ("Which?", ["a", "b"])
    assert "your answer to: Which?" in view["response"]["error"]
    path = f"/api/turns/{taken['turn_id']}"
    sent = await served.client.post(f"{path}/messages", json={"text": "Briefly"})
    assert (sent.status_code, sent.json()) == (202, {"number": 1})
    answer = {"call_id": asked["call_id"], "text": "b"}
    is_error(await served.client.post(f"{path}/answers", json={**answer, "call_id": "other"}), 409, "validation_error")
    is_error(await served.client.post("/api/turns/other/answers", json=answer), 404, "validation_error")
    is_error(await served.client.post("/api/turns/other/messages", json={"text": "x"}), 404, "validation_error")
    assert (await served.client.post(f"{path}/answers", json=answer)).json() == {"done": True}
    assert (await over(served.client, taken))["questions"] == []
    assert [each.content for each in model.requests[-1].messages[-2:]] == ["The user answered: b", "Briefly"]
    is_error(await served.client.post(f"{path}/messages", json={"text": "x"}), 400, "validation_error", "ask again")
