"""Weights by the API: who may have them downloaded, and that nothing is where that is off."""

import pytest

from server.authenticated import TOKEN, bearer


@pytest.mark.parametrize(
    ("body", "name"), [({"name": "embedded"}, "embedded"), ({"name": "minilm"}, "minilm"), ({}, "embedded")]
)
async def test_whoever_uses_a_server_alone_may_start_a_pull_of_the_named_weights_or_the_first(
    serve, settings, body, name
):
    served = await serve(settings(request_rate=0), runs_turns=False)
    answer = await served.client.post("/api/models/pull", json=body)
    assert answer.status_code == 202
    assert answer.json()["kind"] == "pull"
    (job,) = (await served.client.get("/api/jobs")).json()
    assert job["id"] == answer.json()["id"]
    assert (await served.runtime.store.jobs.get(job["id"])).params["name"] == name


async def test_of_many_users_only_an_operator_may(serve, settings):
    served = await serve(settings(request_rate=0, auth="keys", admin_token=TOKEN), runs_turns=False)
    await served.runtime.store.users.add("ada")
    key, _ = await served.runtime.store.keys.create("ada")
    assert (await served.client.post("/api/models/pull", json={}, headers=bearer(key))).status_code == 401
    told = {**bearer(key), "admin-token": TOKEN}
    assert (await served.client.post("/api/models/pull", json={}, headers=told)).status_code == 202


async def test_nothing_is_downloaded_where_that_is_off(serve, settings):
    served = await serve(settings(request_rate=0, models_offline=True))
    answer = await served.client.post("/api/models/pull", json={})
    assert answer.status_code == 400
    assert "GLASSLOOP_MODELS_OFFLINE" in answer.json()["error"]
    assert (await served.client.get("/api/jobs")).json() == []


async def test_weights_that_nobody_has_are_not_found(serve, settings):
    served = await serve(settings(request_rate=0), runs_turns=False)
    answer = await served.client.post("/api/models/pull", json={"name": "gpt"})
    assert answer.status_code == 404
    assert "'gpt'" in answer.json()["error"]
