"""Keys and addresses entered while a server runs: kept for the owner alone, in force at once, never shown."""

import asyncio
import stat

import pytest

from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings, load_settings
from glassloop.runtime.settings.connections import FILE
from provider_lists import KEY, provider_server
from server.authenticated import TOKEN, bearer

NAMES = ["openai:fake-gpt", "openai:fake-mini"]


@pytest.fixture
def provider():
    with provider_server() as server:
        yield server


@pytest.fixture
async def own_agents(serve, settings):
    """A server whose agents are made of its settings, as `glassloop serve` has them."""

    async def start(**changes):
        return await serve(settings(request_rate=0, titles=False, **changes), make=None)

    return start


async def enter(served, provider, **body):
    given = {"key": KEY, "address": f"{provider.address}/v1", **body}
    return await served.client.put("/api/connections/openai", json=given)


async def asked(served, **body):
    """The events of a turn, once it is over."""
    taken = (await served.client.post("/api/turns", json={"question": "Hello there", **body})).json()
    assert "turn_id" in taken, taken
    for _ in range(600):
        view = (await served.client.get(f"/api/turns/{taken['turn_id']}")).json()
        if view["status"] not in ("running", "paused"):
            break
        await asyncio.sleep(0.05)
    return [event async for page in served.runtime.store.turns.pages(taken["turn_id"]) for event in page]


async def test_a_key_that_was_entered_answers_the_next_question_without_a_restart(own_agents, provider):
    served = await own_agents()
    before = (await served.client.get("/api/models/available")).json()
    assert before["default"] in ("reflex", "embedded")
    told = await enter(served, provider)
    assert told.status_code == 200, told.text
    assert [one["name"] for one in told.json()["models"]] == NAMES
    assert told.json()["default"] == "openai:fake-gpt"
    events = await asked(served)
    (responded,) = [event for event in events if type(event).__name__ == "ModelResponded"]
    assert responded.model == "openai:fake-gpt"
    assert responded.message.text == "Hello from fake-gpt."
    assert events[0].model == "openai:fake-gpt"


async def test_any_model_of_the_list_can_be_asked_with_an_effort_and_the_log_names_both(own_agents):
    with provider_server(("fake-mini", "gpt-oss-20b")) as provider:
        served = await own_agents()
        await enter(served, provider)
        listed = (await served.client.get("/api/models/available")).json()["models"]
        efforts = {one["name"]: one["efforts"] for one in listed}
        assert efforts["openai:gpt-oss-20b"] == ["low", "medium", "high"]
        assert efforts["openai:fake-mini"] == []
        events = await asked(served, model="openai:gpt-oss-20b", effort="high")
        assert events[0].settings["wanted"]["model"] == "openai:gpt-oss-20b"
        assert events[0].settings["wanted"]["effort"] == "high"
        assert provider.bodies[-1]["reasoning_effort"] == "high"
        await asked(served, model="openai:gpt-oss-20b")
        assert "reasoning_effort" not in provider.bodies[-1]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"key": "wrong-0123456789"}, "The key was refused"),
        ({"address": "http://127.0.0.1:9/v1"}, "cannot be reached"),
        ({"suffix": "/nothing"}, "There is no list of models"),
        ({"address": "ftp://somewhere"}, "not a server address"),
        ({"key": "två nycklar"}, "invalid characters"),
        ({"key": "", "address": ""}, "Give a key or an address"),
    ],
)
async def test_what_the_provider_refuses_is_told_and_not_kept(own_agents, provider, body, says):
    served = await own_agents()
    if suffix := body.pop("suffix", ""):
        body["address"] = f"{provider.address}{suffix}"
    told = await enter(served, provider, **body)
    assert told.status_code == 400
    assert says in told.json()["error"]
    assert KEY not in told.text
    assert "wrong-0123456789" not in told.text
    assert not (served.settings.home_path / FILE).exists()
    assert (await served.client.get("/api/connections")).json()[1]["source"] == "none"


async def test_a_server_that_lists_nothing_can_be_kept_untested(own_agents, provider):
    served = await own_agents()
    told = await enter(served, provider, address=f"{provider.address}/nothing", untested=True)
    assert told.status_code == 200
    assert told.json()["models"] == []
    available = (await served.client.get("/api/models/available")).json()
    assert available["problems"][0]["provider"] == "openai"


async def test_the_key_is_in_no_answer_log_database_export_or_audit(own_agents, provider, caplog):
    served = await own_agents()
    caplog.set_level("DEBUG")
    provider.says = f"Your key is {KEY}."
    told = [await enter(served, provider)]
    events = await asked(served, question=f"What is {KEY} good for?")
    session = events[0].session_id
    paths = ("/api/connections", "/api/models", "/api/models/available", f"/api/sessions/{session}", "/metrics")
    told += [await served.client.get(path) for path in (*paths, f"/api/sessions/{session}/export", "/api/sessions")]
    told += [await served.client.put("/api/connections/openai", json={"key": KEY * 400})]
    assert [one.status_code for one in told][:5] == [200] * 5
    assert not [one.url for one in told if KEY in one.text]
    assert KEY not in caplog.text
    (entry,) = await served.runtime.store.audit.list(action="connection_changed")
    assert (entry.subject, entry.detail) == ("openai", "key and address entered")
    await served.runtime.store.engine.write(lambda db: None)
    home = served.settings.home_path
    holding = [path.name for path in home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert holding == [FILE]
    assert stat.S_IMODE((home / FILE).stat().st_mode) == 0o600
    assert KEY not in repr(served.settings)


async def test_only_operators_connect_and_users_choose_what_the_rules_open_to_them(serve, settings, provider):
    served = await serve(settings(request_rate=0, auth="keys", admin_token=TOKEN, titles=False), make=None)
    await served.runtime.store.users.add("ada")
    key, _ = await served.runtime.store.keys.create("ada")
    admin = {"admin-token": TOKEN}
    body = {"key": KEY, "address": f"{provider.address}/v1"}
    refused = await served.client.put("/api/connections/openai", json=body, headers=bearer(key))
    assert refused.status_code == 401
    for method, path in (("GET", "/api/connections"), ("DELETE", "/api/connections/openai")):
        assert (await served.client.request(method, path, headers=bearer(key))).status_code == 401
    default = {"model": "openai:fake-mini"}
    assert (await served.client.put("/api/models/default", json=default, headers=bearer(key))).status_code == 401
    assert (await served.client.put("/api/connections/openai", json=body, headers=admin)).status_code == 200

    async def names():
        listed = (await served.client.get("/api/models/available", headers=bearer(key))).json()
        return [one["name"] for one in listed["models"] if one["provider"] == "openai"], listed["found"]

    assert await names() == (["openai:fake-gpt"], [])
    turn = {"question": "Hello", "model": "openai:fake-mini"}
    assert (await served.client.post("/api/turns", json=turn, headers=bearer(key))).status_code == 403
    rule = {"subject": "user:ada", "models": ["openai:fake-m*"]}
    assert (await served.client.put("/admin/access", json=rule, headers=admin)).status_code == 200
    assert (await names())[0] == ["openai:fake-mini"]
    assert (await served.client.post("/api/turns", json=turn, headers=bearer(key))).status_code == 202
    other = {"question": "Hello", "model": "openai:fake-gpt"}
    assert (await served.client.post("/api/turns", json=other, headers=bearer(key))).status_code == 403


async def test_a_removed_connection_is_out_of_force_and_so_is_its_default(own_agents, provider):
    served = await own_agents()
    await enter(served, provider)
    assert (await served.client.put("/api/models/default", json={"model": "openai:fake-mini"})).status_code == 200
    assert (await asked(served))[0].model == "openai:fake-mini"
    assert (await served.client.delete("/api/connections/openai")).json() == {"done": True}
    assert (await served.client.delete("/api/connections/openai")).json() == {"done": False}
    left = (await served.client.get("/api/models/available")).json()
    assert left["default"] in ("reflex", "embedded")
    assert not [one for one in left["models"] if one["provider"] == "openai"]


async def test_what_the_environment_sets_counts_and_is_not_sent_to_an_address_of_the_page(serve, settings, provider):
    from glassloop.extensions.openai import OpenAISettings

    served = await serve(settings(OpenAISettings(api_key="of-the-environment"), request_rate=0), make=None)
    told = await enter(served, provider, key="")
    assert told.status_code == 400
    assert "set in the environment" in told.json()["error"]
    assert provider.asked == []
    connection = next(
        one for one in (await served.client.get("/api/connections")).json() if one["provider"] == "openai"
    )
    assert (connection["source"], connection["has_key"]) == ("settings", True)


async def test_another_process_of_the_home_folder_has_the_key_at_its_next_turn(own_agents, provider, tmp_path):
    served = await own_agents()
    other = await open_runtime(Settings(home=str(tmp_path), titles=False))
    try:
        assert (await other.ask("Hello there")).response != "Hello from fake-gpt."
        await enter(served, provider)
        await asyncio.sleep(1.1)
        assert (await other.ask("Hello there")).response == "Hello from fake-gpt."
    finally:
        await other.aclose()
    loaded = load_settings({"GLASSLOOP_HOME": str(tmp_path)}, tmp_path)
    assert loaded.chosen_model == "openai:fake-gpt"


async def test_lists_are_kept_and_asked_for_again_after_a_change(own_agents, provider):
    served = await own_agents()
    await enter(served, provider)
    for _ in range(3):
        assert (await served.client.get("/api/models/available")).status_code == 200
    assert provider.asked == ["/v1/models"] * 2
    provider.models.append("fake-max")
    await enter(served, provider)
    listed = (await served.client.get("/api/models/available")).json()["models"]
    assert "openai:fake-max" in [one["name"] for one in listed]
