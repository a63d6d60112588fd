"""Who may use and spend what: on every way in, for tools and sub-agents, over restarts; and the audit to take away."""

import json

import msgspec
import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.access import AccessRule
from glassloop.models.scripted_model import call
from server.authenticated import TOKEN, bearer
from waiting import until

ADMIN = {"admin-token": TOKEN}
EXPENSIVE = "openai:gpt-5-pro-most-expensive"


@tool(effect="read")
async def look(word: str = "") -> str:
    """Look something up."""
    return "42"


@tool(effect="write")
async def wipe() -> str:
    """Wipe the disk."""
    raise AssertionError("nobody may run this")


@pytest.fixture
def given(settings):
    def make(**changes):
        return settings(
            **{"auth": "keys", "admin_token": TOKEN, "request_rate": 0, "model": "openai:cheap-mini", **changes}
        )

    return make


async def key_of(served, user):
    await served.runtime.store.users.add(user)
    return bearer((await served.runtime.store.keys.create(user))[0])


async def rule(served, subject, **fields):
    answer = await served.client.put("/admin/access", json={"subject": subject, **fields}, headers=ADMIN)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def ask(served, headers, question="What is it?", **fields):
    """The turn of a question, when it is over."""
    taken = await served.client.post("/api/turns", json={"question": question, **fields}, headers=headers)
    assert taken.status_code == 202, taken.text
    return await ended(served, taken.json()["turn_id"])


async def ended(served, turn_id):
    async def is_over():
        return (await served.runtime.turn(turn_id)).status not in ("running", "paused")

    await until(is_over, "the end of a turn")
    return await served.runtime.store.turns.read(turn_id)


@pytest.mark.parametrize("model", [EXPENSIVE, "OpenAI:gpt-5-pro", "ollama:x", "anthropic:claude-opus-9"])
async def test_nobody_chooses_another_model_on_the_operators_key(serve, given, model):
    served = await serve(given(), ["Hello."])
    ann = await key_of(served, "ann")
    refused = await served.client.post("/api/turns", json={"question": "Hi", "model": model}, headers=ann)
    assert refused.status_code == 403
    assert "openai:cheap-mini" in refused.json()["error"]
    assert "127.0.0.1" not in refused.text
    assert "11434" not in refused.text
    assert await served.runtime.store.turns.list() == ()
    for name in ("openai:cheap-mini", "reflex"):
        assert (await ask(served, ann, model=name))[-1].status in ("completed", "failed")


async def test_a_rule_opens_models_to_a_group_and_the_settings_file_counts_before_it(serve, given):
    fixed = {"group:staff": AccessRule(models=("openai:*", "scripted"))}
    served = await serve(given(access=fixed), ["One.", "Two."])
    ann, bob = await key_of(served, "ann"), await key_of(served, "bob")
    await served.runtime.store.access.set_groups("ann", ["staff"])
    assert (await ask(served, ann, model=EXPENSIVE))[-1].status == "completed"
    body = {"question": "Hi", "model": EXPENSIVE}
    assert (await served.client.post("/api/turns", json=body, headers=bob)).status_code == 403
    changed = await served.client.put("/admin/access", json={"subject": "group:staff", "models": []}, headers=ADMIN)
    assert changed.status_code == 400
    assert "settings file" in changed.json()["error"]
    await rule(served, "user:bob", models=["openai:*", "scripted"])
    assert (await ask(served, bob, model=EXPENSIVE))[-1].status == "completed"
    gone = await served.client.delete("/admin/access", params={"subject": "user:bob"}, headers=ADMIN)
    assert gone.json() == {"done": True}
    assert (await served.client.post("/api/turns", json=body, headers=bob)).status_code == 403


WAYS = {
    "/api/turns": {"question": "Hi", "assistant": "business"},
    "/v1/chat/completions": {"model": "business", "messages": [{"role": "user", "content": "Hi"}]},
    "/chat/react": {"model": "x", "assistant": "business", "messages": [{"role": "user", "content": "Hi"}]},
    "/api/agent/execute": {"query": "Hi", "assistant": "business"},
    "/api/analyze/stream": {"question": "Hi", "assistant": "business"},
    "/api/schedules": {"question": "Hi", "assistant": "business", "every": "@daily"},
}


async def test_an_assistant_that_a_user_may_not_use_is_refused_on_every_way_in_and_listed_on_none(serve, given):
    served = await serve(given(), ["One."])
    ann = await key_of(served, "ann")
    await rule(served, "user:ann", assistants=["general"])
    for path, body in WAYS.items():
        refused = await served.client.post(path, json=body, headers=ann)
        assert refused.status_code == 403, (path, refused.text)
        assert "business" in refused.text
    made = (await served.client.post("/conversations", json={}, headers=ann)).json()
    message = {"content": "Hi", "assistant": "business"}
    refused = await served.client.post(f"/conversations/{made['id']}/messages", json=message, headers=ann)
    assert refused.status_code == 403
    assert await served.runtime.store.turns.list() == ()
    assert await served.runtime.store.schedules.list() == ()
    listed = (await served.client.get("/v1/models", headers=ann)).json()["data"]
    assert {card["id"] for card in listed} == {"general"}
    listed = (await served.client.get("/api/assistants", headers=ann)).json()
    assert {one["name"] for one in listed} == {"general"}
    assert (await served.client.get("/v1/models/business", headers=ann)).status_code == 404
    assert (await served.client.get("/api/assistants/business/tools", headers=ann)).status_code == 403


async def test_a_tool_that_a_user_may_not_use_is_not_offered_and_a_forged_call_is_refused(serve, given):
    model = ScriptedModel([call("wipe"), "Done."])
    served = await serve(given(), model, [look, wipe], profile={"max_iterations": 4})
    ann = await key_of(served, "ann")
    await rule(served, "*", tools=["*", "!wipe"])
    events = await ask(served, ann)
    assert [spec.name for spec in model.requests[0].tools] == ["look"]
    assert "wipe" not in model.requests[0].system
    (returned,) = [event for event in events if isinstance(event, e.ToolReturned)]
    assert not returned.result.success
    assert "may not use" in returned.result.error
    typed = await ask(served, ann, question="/tool wipe {}")
    assert not any(isinstance(event, e.ToolReturned) and event.result.success for event in typed)
    tools = (await served.client.get("/api/assistants/general/tools", headers=ann)).json()
    assert [one["name"] for one in tools] == ["look"]


async def test_sub_agents_are_bound_by_what_the_user_may_use(serve, given):
    inner = ScriptedModel([call("wipe"), "Nothing."])
    helper = Agent(inner, [look, wipe], name="helper")
    secret = Agent(ScriptedModel(["Never."]), [], name="secret")
    outer = ScriptedModel([call("helper", task="Look"), call("secret", task="Tell"), "Done."])
    served = await serve(given(), outer, [helper.as_tool(), secret.as_tool()])
    ann = await key_of(served, "ann")
    await rule(served, "user:ann", tools=["*", "!wipe"], assistants=["general", "helper"])
    events = await ask(served, ann)
    assert [spec.name for spec in outer.requests[0].tools] == ["helper"]
    assert [spec.name for spec in inner.requests[0].tools] == ["look"]
    assert events[-1].status == "completed"
    assert "may not use the tool 'secret'" in str(events)


async def test_a_fork_a_steer_and_a_schedule_are_refused_once_the_assistant_is_taken_away(serve, given):
    served = await serve(given(), ["One.", "Two."])
    ann = await key_of(served, "ann")
    turn = (await ask(served, ann))[0].turn_id
    forked = await served.client.post(f"/api/turns/{turn}/fork", json={"step": 1, "model": EXPENSIVE}, headers=ann)
    assert forked.status_code == 403
    await rule(served, "user:ann", assistants=["code"])
    for path, body in (("fork", {"step": 1}), ("replay", None), ("messages", {"text": "And?"})):
        refused = await served.client.post(f"/api/turns/{turn}/{path}", json=body, headers=ann)
        assert refused.status_code == 403, (path, refused.text)


async def test_a_user_without_the_model_in_force_is_answered_by_the_first_of_theirs(serve, given):
    served = await serve(given(), ["One."])
    ann = await key_of(served, "ann")
    await rule(served, "user:ann", models=["scripted", "reflex"])
    events = await ask(served, ann)
    assert events[0].settings["wanted"]["model"] == "scripted"
    await rule(served, "user:ann", models=["ollama:*"])
    refused = await served.client.post("/api/turns", json={"question": "Hi"}, headers=ann)
    assert refused.status_code == 403
    assert "scripted" in refused.json()["error"]


async def test_a_call_that_may_pass_the_limit_of_the_day_is_not_made_and_says_when_it_resets(serve, given):
    model = ScriptedModel(["One.", "Two.", "Three."], price=0.0001)
    served = await serve(given(), model, profile={"limits": None})
    ann, bob = await key_of(served, "ann"), await key_of(served, "bob")
    await rule(served, "user:ann", dollars_per_day=1.0)
    assert (await ask(served, ann))[-1].status == "completed"
    mine = (await served.client.get("/api/me/access", headers=ann)).json()
    assert 0 < mine["today"]["dollars"] < 0.01
    assert mine["limits"]["dollars_per_day"] == 1.0
    await rule(served, "user:ann", dollars_per_day=0.3)
    end = (await ask(served, ann))[-1]
    assert end.status == "failed"
    assert "Your limit of $0.30 per day is reached" in end.error
    assert "00:00 UTC" in end.error
    assert len(model.requests) == 1
    assert (await served.client.get("/api/me/access", headers=ann)).json()["today"] == mine["today"]
    await rule(served, "user:ann", dollars_per_day=0)
    refused = await served.client.post("/api/turns", json={"question": "Hi"}, headers=ann)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    assert (await ask(served, bob))[-1].status == "completed"
    shown = (await served.client.get("/admin/spending", headers=ADMIN)).json()
    assert {each["user"]: each["limits"]["dollars_per_day"] for each in shown} == {"ann": 0, "bob": None}
    assert all(each["today"]["dollars"] > 0 for each in shown)


async def test_a_model_without_a_price_counts_by_its_tokens(serve, given):
    served = await serve(given(), ScriptedModel(["One.", "Two."], price=None))
    ann = await key_of(served, "ann")
    await rule(served, "*", dollars_per_day=5.0)
    assert "No price is known" in (await ask(served, ann))[-1].error
    await rule(served, "*", dollars_per_day=5.0, tokens_per_day=100_000)
    assert (await ask(served, ann))[-1].status == "completed"
    assert (await served.client.get("/api/me/access", headers=ann)).json()["today"]["tokens"] > 10
    await rule(served, "*", tokens_per_day=10)
    refused = await served.client.post("/api/turns", json={"question": "Hi"}, headers=ann)
    assert "10 tokens per day" in refused.json()["error"]


async def test_what_was_spent_before_a_limit_and_before_a_restart_counts(serve, given):
    first = await serve(given(), ScriptedModel(["One."], price=0.01))
    ann = await key_of(first, "ann")
    cost = (await ask(first, ann))[-1].cost
    assert cost > 0
    second = await serve(given(access={"*": AccessRule(dollars_per_day=cost)}), ScriptedModel(["Two."], price=0.01))
    refused = await second.client.post("/api/turns", json={"question": "Hi"}, headers=ann)
    assert refused.status_code == 429


async def test_who_deletes_themselves_is_named_so_in_the_audit_and_sheds_no_rule(serve, given):
    served = await serve(given(), ["One."])
    ann = await key_of(served, "ann")
    await rule(served, "user:ann", models=["scripted"])
    assert (await served.client.delete("/api/me", headers=ann)).status_code == 200
    noted = (await served.client.get("/admin/audit", headers=ADMIN)).json()
    by = {each["by_user"] for each in noted if each["action"] in ("user_removed", "user_deleted")}
    assert len(by) == 1 and by.pop().startswith("user-")
    rules = (await served.client.get("/admin/access", headers=ADMIN)).json()["rules"]
    assert "user:ann" in {each["subject"] for each in rules}


async def test_the_audit_is_exported_and_verified(serve, given):
    served = await serve(given(), ["One."])
    await rule(served, "user:ann", models=["*"])
    found = (await served.client.get("/admin/audit/verification", headers=ADMIN)).json()
    assert (found["entries"], found["problems"]) == (1, [])
    kept = f"{found['last']}:{found['digest']}"
    again = await served.client.get("/admin/audit/verification", params={"kept": kept}, headers=ADMIN)
    assert again.json()["problems"] == []
    assert (await served.client.get("/admin/audit/verification?kept=x", headers=ADMIN)).status_code == 400
    exported = await served.client.get("/admin/audit/export", headers=ADMIN)
    (line,) = [json.loads(line) for line in exported.text.splitlines()]
    assert (line["action"], line["subject"], line["by_user"]) == ("access_changed", "ann", "admin")
    assert line["digest"] == found["digest"]


async def test_a_program_that_opens_a_runtime_itself_is_not_restricted(serve, given):
    rules = {"*": AccessRule(models=(), assistants=(), tools=())}
    served = await serve(given(access=rules), ["One."], enforces_access=False)
    submitted = await served.runtime.submit("Hi", user="ann")
    assert (await ended(served, submitted.turn_id))[-1].status == "completed"
    assert msgspec.to_builtins(rules["*"])["models"] == ()
