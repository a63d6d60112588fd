"""The native API: turns, sessions, jobs and what there is, as its own clients use it."""

import asyncio
import re

import msgspec
import pytest

from glassloop import ScriptedModel
from glassloop.core.errors import UsageError
from glassloop.runtime.assistants.assistant_files import list_assistants
from glassloop.runtime.durable.jobs import JobKind
from glassloop.server.http.responses import described
from server.authenticated import TOKEN, bearer
from server.dialect_turns import FAILS, LOOKED, WAITS, is_error, scripted
from server.sse_client import opened, read
from waiting import until


async def ask(client, question="The cat?", **more):
    answer = await client.post("/api/turns", json={"question": question, **more})
    assert answer.status_code == 202, answer.text
    taken = answer.json()
    assert taken["events"] == f"/api/turns/{taken['turn_id']}/events"
    return taken


async def turn(client, taken):
    return (await client.get(f"/api/turns/{taken['turn_id']}")).json()


async def over(client, taken, status="completed"):
    async def is_so():
        return (await turn(client, taken))["status"] == status

    await until(is_so, f"a turn that is {status}")
    return await turn(client, taken)


async def answered(client, question="The cat?", **more):
    taken = await ask(client, question, **more)
    return taken, await over(client, taken)


class Held(ScriptedModel):
    """Says nothing until it may."""

    def __init__(self, script):
        super().__init__(script)
        self.gate = asyncio.Event()

    async def stream(self, request):
        await self.gate.wait()
        async for chunk in super().stream(request):
            yield chunk


# turns


async def test_a_turn_shows_how_it_stands_and_what_it_answered(serve):
    _, served = await scripted(serve, LOOKED)
    taken, view = await answered(served.client)
    assert (view["id"], view["session_id"]) == (taken["turn_id"], taken["session_id"])
    assert (view["question"], view["assistant"], view["approvals"]) == ("The cat?", "general", [])
    assert view["response"]["response"] == "It is 42."
    assert view["finished_at"] >= view["started_at"]


async def test_a_second_question_waits_its_turn_unless_it_supersedes(serve):
    model = Held(["Late.", "Sooner."])
    served = await serve(script=model)
    first = await ask(served.client)
    more = {"question": "And?", "session_id": first["session_id"]}
    busy = await served.client.post("/api/turns", json=more)
    is_error(busy, 409, "validation_error", "supersede")
    assert busy.json()["details"]["turn_id"] == first["turn_id"]
    second = await ask(served.client, "And?", session_id=first["session_id"], supersedes=True)
    model.gate.set()
    assert (await over(served.client, first, "cancelled"))["response"]["success"] is False
    await over(served.client, second)


async def test_a_turn_is_cancelled_once(serve):
    served = await serve(script=Held([]))
    taken = await ask(served.client)
    path = f"/api/turns/{taken['turn_id']}/cancel"
    assert (await served.client.post(path)).json() == {"done": True}
    await over(served.client, taken, "cancelled")
    assert (await served.client.post(path)).json() == {"done": False}


async def paused(serve, script=WAITS):
    _, served = await scripted(serve, script)
    taken = await ask(served.client, "Write a.")
    view = await over(served.client, taken, "paused")
    (asked,) = view["approvals"]
    decision = {"call_id": asked["call"]["id"], "digest": asked["digest"], "approved": True}
    return served, taken, decision


async def decide(served, taken, *decisions):
    return await served.client.post(f"/api/turns/{taken['turn_id']}/approvals", json={"decisions": list(decisions)})


async def test_an_approved_call_runs_and_a_refused_one_does_not(serve):
    for approved, said in ((True, "wrote a"), (False, "")):
        served, taken, decision = await paused(serve)
        assert (await decide(served, taken, {**decision, "approved": approved})).json() == {"done": True}
        view = await over(served.client, taken)
        assert view["response"]["steps"][0]["observation"]["output"] == said
        # Only what was decided: not again, and not afterwards.
        assert (await decide(served, taken, decision)).status_code in (400, 409)


async def test_null_is_as_good_as_absent(serve):
    served, taken, decision = await paused(serve, [*WAITS, "Yes."])
    nulls = dict.fromkeys(("reason", "args", "for_session"))
    assert (await decide(served, taken, {**decision, **nulls})).json() == {"done": True}
    await over(served.client, taken)
    await answered(served.client, **dict.fromkeys(("session_id", "assistant", "model", "supersedes")))


async def test_a_decision_counts_only_for_what_was_shown(serve):
    served, taken, decision = await paused(serve)
    is_error(await decide(served, taken, {**decision, "digest": "0" * 64}), 409, "validation_error")
    is_error(await decide(served, taken, {**decision, "call_id": "other"}), 409, "validation_error", "other")
    is_error(await decide(served, taken, decision, decision), 409, "validation_error")
    assert (await turn(served.client, taken))["status"] == "paused"


async def test_changed_arguments_that_cannot_work_are_refused_and_nothing_is_stored(serve):
    served, taken, decision = await paused(serve)
    is_error(await decide(served, taken, {**decision, "args": {"txt": "b"}}), 400, "tool_error", "txt")
    assert (await turn(served.client, taken))["status"] == "paused"
    assert (await decide(served, taken, {**decision, "args": {"text": "b"}})).json() == {"done": True}
    view = await over(served.client, taken)
    assert view["response"]["steps"][0]["observation"]["output"] == "wrote b"


async def test_a_turn_that_needs_nothing_is_not_resumed(serve):
    served, taken, _ = await paused(serve)
    path = f"/api/turns/{taken['turn_id']}/resume"
    is_error(await served.client.post(path), 400, "validation_error", "waiting for")
    await served.client.post(f"/api/turns/{taken['turn_id']}/cancel")
    is_error(await served.client.post(path), 400, "validation_error", "cancelled")


async def test_a_fork_goes_on_from_before_a_step_as_a_new_turn(serve):
    _, served = await scripted(serve, [*LOOKED, "It is 43."])
    taken, _ = await answered(served.client)
    answer = await served.client.post(f"/api/turns/{taken['turn_id']}/fork", json={"step": 2})
    assert answer.status_code == 202
    forked = answer.json()
    assert forked["session_id"] != taken["session_id"]
    assert (await over(served.client, forked))["response"]["response"] == "It is 43."
    far = await served.client.post(f"/api/turns/{taken['turn_id']}/fork", json={"step": 99})
    is_error(far, 400, "validation_error", "99")


@pytest.mark.parametrize("script", [LOOKED, FAILS, WAITS], ids=["answered", "failed", "waiting"])
async def test_a_replay_finds_no_difference_however_a_turn_ended(serve, script):
    _, served = await scripted(serve, script)
    taken = await ask(served.client)

    async def has_stopped():
        return (await turn(served.client, taken))["status"] != "running"

    await until(has_stopped, "the turn's end")
    answer = await served.client.post(f"/api/turns/{taken['turn_id']}/replay")
    assert answer.status_code == 200, answer.text
    assert answer.json()["differences"] == []


# sessions


async def test_a_session_is_made_listed_shown_rated_and_deleted(serve):
    _, served = await scripted(serve, LOOKED)
    client = served.client
    made = await client.post("/api/sessions", json={"metadata": {"colour": "red"}})
    assert made.status_code == 201
    session = made.json()["id"]
    taken, _ = await answered(client, session_id=session)
    assert taken["session_id"] == session
    (listed,) = (await client.get("/api/sessions")).json()
    assert (listed["id"], listed["title"], listed["metadata"]) == (session, "The cat?", {"colour": "red"})
    shown = (await client.get(f"/api/sessions/{session}")).json()
    assert [message["content"] for message in shown["messages"]] == ["The cat?", "It is 42."]
    assert [(one["id"], one["status"]) for one in shown["turns"]] == [(taken["turn_id"], "completed")]
    over = await client.patch(f"/api/sessions/{session}", json={"status": "completed", "title": "Cats"})
    assert (over.json()["status"], over.json()["title"]) == ("completed", "Cats")
    assert over.json()["ended_at"]
    assert [one["id"] for one in (await client.get("/api/sessions?status=completed")).json()] == [session]
    assert (await client.patch(f"/api/sessions/{session}", json={})).status_code == 422
    assert (await client.post(f"/api/sessions/{session}/rating", json={"rating": "bad"})).json() == {"done": True}
    bad = await client.post(f"/api/sessions/{session}/rating", json={"rating": "so so"})
    is_error(bad, 400, "validation_error", "so so", "good, bad")
    assert (await client.delete(f"/api/sessions/{session}")).json() == {"done": True}
    is_error(await client.get(f"/api/sessions/{session}"), 404, "validation_error", session)
    is_error(await client.get(f"/api/turns/{taken['turn_id']}"), 404, "validation_error")


async def test_an_export_can_be_read_as_markdown_and_as_json(serve):
    _, served = await scripted(serve, [*LOOKED[:-1], "It is **black**."])
    taken, _ = await answered(served.client, "Which colour?")
    path = f"/api/sessions/{taken['session_id']}/export"
    text = await served.client.get(path, params={"format": "markdown"})
    assert text.headers["content-type"].startswith("text/markdown")
    assert "filename*=UTF-8''Which-colour.md" in text.headers["content-disposition"]
    assert text.text.startswith("# Which colour?\n")
    assert "## You\n\nWhich colour?\n\n## Assistant\n\nIt is **black**.\n\nSources:\n\n- ``look(" in text.text
    whole = await served.client.get(path, params={"format": "json"})
    assert whole.headers["content-disposition"].endswith(".json")
    assert [message["content"] for message in whole.json()["messages"]] == ["Which colour?", "It is **black**."]
    assert (await served.client.get(path, params={"format": "exe"})).status_code == 422


async def test_an_export_is_what_import_takes(serve):
    _, served = await scripted(serve, LOOKED)
    taken, view = await answered(served.client)
    path = f"/api/sessions/{taken['session_id']}"
    exported = await served.client.get(f"{path}/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    assert f'filename="{taken["session_id"]}.jsonl"' in exported.headers["content-disposition"]
    named = exported.headers["content-disposition"].partition("; filename*=UTF-8''")[2]
    assert re.fullmatch(r"[\w%-]+\.jsonl", named)
    assert not named.startswith(taken["session_id"])
    await served.client.delete(path)
    await served.runtime.store.exports.load(exported.content.splitlines())
    assert await turn(served.client, taken) == view


async def test_a_label_of_a_session_is_no_store(serve):
    _, served = await scripted(serve, [])
    answer = await served.client.post("/api/sessions", json={"metadata": {"all": "x" * 20_000}})
    is_error(answer, 422, "validation_error", "10,000")


async def test_deleting_a_session_stops_what_runs_in_it(serve):
    served = await serve(script=Held([]))
    taken = await ask(served.client)
    assert (await served.client.delete(f"/api/sessions/{taken['session_id']}")).json() == {"done": True}
    await until(lambda: not served.runtime.running, "the end of the turn")


async def test_everything_of_a_user_can_be_deleted_and_nothing_of_others(serve):
    model = Held(["Yes."])
    served = await serve(script=model)
    ann, bob = {"x-user-id": "ann"}, {"x-user-id": "bob"}
    for user in (ann, bob):
        await served.client.post("/api/uploads", params={"name": "a.txt"}, content=b"a", headers=user)
        await served.client.post("/api/sessions", json={}, headers=user)
    await served.client.post("/api/turns", json={"question": "x"}, headers=ann)
    assert (await served.client.delete("/api/me", headers=ann)).json() == {"done": True}
    await until(lambda: not served.runtime.running, "the end of the turn")
    for path in ("/api/sessions", "/api/uploads", "/api/jobs"):
        assert (await served.client.get(path, headers=ann)).json() == []
    assert len((await served.client.get("/api/sessions", headers=bob)).json()) == 1
    assert len((await served.client.get("/api/uploads", headers=bob)).json()) == 1
    assert (await served.client.delete("/api/me", headers=ann)).json() == {"done": False}


async def test_with_everything_of_a_user_their_keys_and_cookies_go_and_nobody_elses(serve, settings):
    served = await serve(settings(auth="keys", admin_token=TOKEN, request_rate=0), ["Yes."])
    store, client = served.runtime.store, served.client
    keys, page = {}, {"origin": served.url}
    for user in ("ann", "bob"):
        await store.users.add(user)
        keys[user] = bearer((await store.keys.create(user))[0])
    other, _ = await store.keys.create("ann")
    await client.post("/api/sign-in", json={"key": other}, headers=page)
    csrf = (await client.get("/api/me")).json()["csrf_token"]
    await client.post("/api/sessions", json={}, headers=keys["ann"])
    gone = await client.delete("/api/me", headers={**page, "x-csrf-token": csrf})
    assert (gone.status_code, gone.json()) == (200, {"done": True})
    for who, status in ((keys["ann"], 401), (bearer(other), 401), ({}, 401), (keys["bob"], 200)):
        assert (await client.get("/api/sessions", headers=who)).status_code == status
    assert [key.user_id for key in await store.keys.list()] == ["bob"]
    # The operator is known by the token, and that is the server's.
    for _ in range(2):
        assert (await client.delete("/api/me", headers={"admin-token": TOKEN})).json() == {"done": False}


# jobs


async def counting(serve):
    """A server with a job that goes on when it may, and stops when it must."""
    gate = asyncio.Event()

    async def count(context, params):
        context.progress("half", 0.5)
        await gate.wait()
        return {"counted": params["to"]}

    _, served = await scripted(serve, [], kinds=[JobKind(name="count", run=count)])
    job = await served.runtime.jobs.submit("count", {"to": 3})
    return served, job.id, gate


async def test_a_job_is_listed_followed_and_ends_with_its_result(serve):
    served, job, gate = await counting(serve)
    assert [one["id"] for one in (await served.client.get("/api/jobs")).json()] == [job]
    seen = []
    async with opened(served.client, f"/api/jobs/{job}/events") as frames:
        async for frame in frames:
            seen.append(frame)
            if frame.json["fraction"] == 0.5:
                gate.set()
    assert {frame.event for frame in seen} == {"job"}
    assert [frame.id for frame in seen] == [f"{job}:{frame.json['version']}" for frame in seen]
    assert (seen[-1].json["status"], seen[-1].json["result"]) == ("completed", {"counted": 3})
    assert (await served.client.get(f"/api/jobs/{job}")).json() == seen[-1].json
    assert (await served.client.get("/api/jobs", params={"status": "running"})).json() == []
    assert len(await read(served.client, f"/api/jobs/{job}/events")) == 1


async def test_a_job_is_cancelled_once(serve):
    served, job, _ = await counting(serve)
    path = f"/api/jobs/{job}"
    assert (await served.client.post(f"{path}/cancel")).json() == {"done": True}

    async def is_cancelled():
        return (await served.client.get(path)).json()["status"] == "cancelled"

    await until(is_cancelled, "the job's end")
    assert (await served.client.post(f"{path}/cancel")).json() == {"done": False}


async def test_streams_of_jobs_end_without_an_error_when_the_server_does(serve, caplog):
    served, job, _ = await counting(serve)
    async with opened(served.client, f"/api/jobs/{job}/events") as frames:
        await anext(frames)
        await served.runtime.bus.aclose()
        assert {frame.json["status"] async for frame in frames} <= {"running"}
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


# what there is


async def test_assistants_tools_and_models_are_listed(serve):
    _, served = await scripted(serve, [])
    listed = (await served.client.get("/api/assistants")).json()
    assert [one["name"] for one in listed] == [one.name for one in list_assistants(served.settings)]
    assert all(one["installed"] for one in listed)
    assert [one["name"] for one in listed if one["default"]] == ["general"]
    tools = (await served.client.get("/api/assistants/general/tools")).json()
    assert {one["name"]: (one["effect"], one["confirm"]) for one in tools} == {
        "look": ("read", False),
        "write": ("write", True),
    }
    assert tools[0]["parameters"]["properties"] == {"word": {"type": "string"}}
    assert [one["server"] for one in tools] == [None, None]
    is_error(await served.client.get("/api/assistants/nobody/tools"), 404, "validation_error", "nobody")
    models = (await served.client.get("/api/models")).json()
    assert set(models) == {"default", "providers", "weights", "examined"}
    assert models["default"] == "reflex"


async def test_what_is_not_there_and_how_it_is_not_taken_is_told(serve):
    _, served = await scripted(serve, [])
    is_error(await served.client.get("/api/nothing"), 404, "validation_error", "/docs")
    is_error(await served.client.put("/api/turns"), 405, "validation_error", "PUT")


async def test_a_refused_method_is_told_with_all_that_the_path_takes(serve):
    _, served = await scripted(serve, [])
    taken = {
        "/api/turns": "POST",
        "/api/sessions": "GET, POST",
        "/api/sessions/x": "GET, PATCH, DELETE",
        "/api/me": "GET, PATCH, DELETE",
        "/api/uploads/x": "GET, DELETE",
        "/": "GET, HEAD",
        "/assets/x.js": "GET, HEAD",
    }
    for path, methods in taken.items():
        assert (await served.client.put(path)).headers.get_list("allow") == [methods]
    document = served.app.openapi()["paths"]
    for path, operations in document.items():
        told = (await served.client.request("TRACE", path.replace("{", "").replace("}", ""))).headers["allow"]
        assert {method.upper() for method in operations} <= set(told.split(", ")), path


async def test_every_record_of_the_document_has_one_meaning(serve):
    class ApprovalDecision(msgspec.Struct):
        another: str

    _, served = await scripted(serve, [])
    document = served.app.openapi()
    assert "approved" in document["components"]["schemas"]["ApprovalDecision"]["properties"]
    assert served.app.openapi() is document
    served.app.get("/another", responses=described(ApprovalDecision, "another"))(lambda: None)
    served.app.openapi_schema = None
    with pytest.raises(UsageError, match="ApprovalDecision"):
        served.app.openapi()
