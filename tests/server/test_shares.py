"""Sharing over the API: links that anybody can read, and that end when their owner or the operator says so."""

import msgspec
import pytest

from glassloop.server.routes.shares import OPENED_A_MINUTE
from server.authenticated import TOKEN, bearer, client_of
from server.dialect_turns import scripted
from server.test_native import answered


@pytest.fixture
async def shared(serve, settings):
    """A conversation of Ann's, and clients of hers, of Bob and of nobody."""
    given = settings(auth="keys", admin_token=TOKEN, request_rate=0, sharing=True)
    _, served = await scripted(serve, ["The answer.", "A later answer.", "Bob's answer."], settings=given)
    clients = {"nobody": client_of(served.app)}
    for user in ("ann", "bob"):
        await served.runtime.store.users.add(user)
        clients[user] = client_of(served.app, **bearer((await served.runtime.store.keys.create(user))[0]))
    taken, _ = await answered(clients["ann"], "The question?")
    yield served, clients, taken["session_id"]
    for client in clients.values():
        await client.aclose()


async def test_whoever_has_a_link_reads_questions_and_answers_and_nothing_else(shared):
    served, clients, session = shared
    made = await clients["ann"].post(f"/api/sessions/{session}/share")
    assert made.status_code == 201
    token = made.json()["token"]
    await answered(clients["ann"], "A later question?", session_id=session)
    answer = await clients["nobody"].post("/api/shared", json={"token": token})
    assert answer.status_code == 200
    assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    assert answer.headers["cache-control"] == "no-store"
    told = answer.json()
    assert set(told) == {"title", "assistant", "shared_at", "turns"}
    assert [(turn["question"], turn["answer"]) for turn in told["turns"]] == [("The question?", "The answer.")]
    assert set(told["turns"][0]) == {"id", "status", "question", "answer", "started_at"}
    for path in (f"/api/sessions/{session}", f"/api/turns/{told['turns'][0]['id']}"):
        assert (await clients["nobody"].get(path)).status_code == 401
        assert (await clients["bob"].get(path)).status_code == 404
    state = (await clients["ann"].get(f"/api/sessions/{session}/share")).json()
    assert state == {"shared_at": made.json()["shared_at"], "turn_id": told["turns"][0]["id"], "expires_at": None}
    assert token not in str(await served.runtime.store.audit.list())


async def test_a_link_may_be_made_for_some_days(shared):
    _, clients, session = shared
    ann = clients["ann"]
    path = f"/api/sessions/{session}/share"
    made = (await ann.post(path, json={"days": 7})).json()
    assert made["expires_at"] == pytest.approx(made["shared_at"] + 7 * 86_400)
    assert (await ann.get(path)).json()["expires_at"] == made["expires_at"]
    for days in (0, 366, "x"):
        assert (await ann.post(path, json={"days": days})).status_code == 422


async def test_a_link_that_was_withdrawn_or_whose_conversation_is_gone_leads_nowhere(shared):
    served, clients, session = shared
    ann, nobody = clients["ann"], clients["nobody"]

    async def opened(token):
        return (await nobody.post("/api/shared", json={"token": token})).status_code

    token = (await ann.post(f"/api/sessions/{session}/share")).json()["token"]
    assert (await clients["bob"].delete(f"/api/sessions/{session}/share")).status_code == 404
    assert await opened(token) == 200
    assert (await ann.delete(f"/api/sessions/{session}/share")).json() == {"done": True}
    assert await opened(token) == 404
    token = (await ann.post(f"/api/sessions/{session}/share")).json()["token"]
    await ann.delete(f"/api/sessions/{session}")
    assert await opened(token) == 404
    taken, _ = await answered(ann, "Again?")
    token = (await ann.post(f"/api/sessions/{taken['session_id']}/share")).json()["token"]
    assert await opened(token) == 200
    await served.runtime.erasure.erase_user("ann")
    assert await opened(token) == 404
    noted = [entry.action for entry in await served.runtime.store.audit.list()]
    assert noted.count("shared") == 3
    assert noted.count("unshared") == 1


async def test_without_the_setting_nothing_is_shared_and_links_that_were_made_lead_nowhere(shared):
    served, clients, session = shared
    token = (await clients["ann"].post(f"/api/sessions/{session}/share")).json()["token"]
    served.app.state.settings = msgspec.structs.replace(served.app.state.settings, sharing=False)
    assert (await clients["nobody"].post("/api/shared", json={"token": token})).status_code == 404
    refused = await clients["ann"].post(f"/api/sessions/{session}/share")
    assert (refused.status_code, "GLASSLOOP_SHARING" in refused.text) == (503, True)
    assert (await clients["ann"].get(f"/api/sessions/{session}/share")).json()["shared_at"] is None
    assert (await clients["ann"].get("/api/me")).json()["sharing"] is False


async def test_guessing_is_slowed_down(shared):
    _, clients, _ = shared
    for _ in range(OPENED_A_MINUTE):
        assert (await clients["nobody"].post("/api/shared", json={"token": "guess"})).status_code == 404
    held = await clients["nobody"].post("/api/shared", json={"token": "guess"})
    assert (held.status_code, "retry-after" in held.headers) == (429, True)
    assert (await clients["ann"].post("/api/shared", json={"token": "guess"})).status_code == 404
