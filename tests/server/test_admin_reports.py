"""What operators look at: runs of `glassloop eval`, and who did what; and what users allow, take back and rate."""

import pytest

from glassloop.evals.stored_runs import FOLDER
from server.authenticated import TOKEN
from server.dialect_turns import ADMIN, LOOKED, WAITS, scripted
from server.eval_runs import write_run
from server.test_review import until_still

ANN, BOB = {"x-user-id": "ann"}, {"x-user-id": "bob"}


@pytest.fixture
async def served(serve, settings):
    _, made = await scripted(serve, [*LOOKED, *WAITS], settings=settings(admin_token=TOKEN, request_rate=0))
    return made


async def get(served, path, **params):
    answer = await served.client.get(path, params=params, headers=ADMIN)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_runs_are_listed_with_their_intervals_opened_and_compared(served):
    home = served.settings.home_path
    assert await get(served, "/admin/evals") == []
    write_run(home, "one", 1)
    write_run(home, "two", 3, model="openai:test")
    (home / FOLDER / "broken.jsonl").write_text("nothing of the kind\n")
    lines = {line["name"]: line for line in await get(served, "/admin/evals")}
    assert (lines["one"]["suite"], lines["two"]["model"]) == ("desk", "openai:test")
    share = lines["two"]["summary"]["tool"]
    assert (share["right"], share["of"], share["share"]) == (3, 4, 0.75)
    assert 0 < share["low"] < 0.75 < share["high"] < 1
    assert lines["broken"]["problem"]
    run = await get(served, "/admin/evals/one")
    assert (run["missed"], [miss["case"] for miss in run["misses"]]) == (3, ["case-1", "case-2", "case-3"])
    assert run["misses"][0]["session_id"] == "s1"
    assert run["misses"][0]["problems"] == [{"part": "tool", "expected": "calculate", "got": "none"}]
    found = await get(served, "/admin/evals/compare", before="one", after="two")
    (tool,) = [one for one in found["differences"] if one["measure"] == "tool"]
    assert (tool["difference"], tool["gained"], tool["lost"]) == (0.5, ["case-1", "case-2"], [])


@pytest.mark.parametrize("name", ["none", "%2e%2e", "..%2f..%2fglassloop", "a" * 200])
async def test_only_runs_can_be_opened(served, name):
    write_run(served.settings.home_path, "one", 1)
    assert (await served.client.get(f"/admin/evals/{name}", headers=ADMIN)).status_code == 404


async def test_the_audit_tells_who_decided_rated_and_deleted(served):
    client = served.client
    looked = (await client.post("/api/turns", json={"question": "What is a cat?"}, headers=ANN)).json()
    await until_still(client, looked["turn_id"], ANN)
    waits = (await client.post("/api/turns", json={"question": "Write it"}, headers=BOB)).json()
    await until_still(client, waits["turn_id"], BOB)
    rated = await client.post(
        f"/api/turns/{looked['turn_id']}/rating", json={"rating": "good", "note": "!"}, headers=ANN
    )
    assert rated.json() == {"done": True}
    assert (await client.get(f"/api/sessions/{looked['session_id']}", headers=ANN)).json()["ratings"] == {
        looked["turn_id"]: "good"
    }
    (asked,) = (await client.get(f"/api/turns/{waits['turn_id']}", headers=BOB)).json()["approvals"]
    decision = {"call_id": asked["call"]["id"], "digest": asked["digest"], "approved": False}
    await client.post(f"/api/turns/{waits['turn_id']}/approvals", json={"decisions": [decision]}, headers=BOB)
    await client.delete(f"/api/sessions/{looked['session_id']}", headers=ANN)
    notes = await get(served, "/admin/audit")
    assert [(note["by_user"], note["action"]) for note in notes] == [
        ("ann", "session_deleted"),
        ("bob", "refused"),
        ("ann", "rated"),
    ]
    assert [note["action"] for note in await get(served, "/admin/audit", user_id="bob", action="")] == ["refused"]
    assert "cat" not in str(notes)
    await client.delete("/api/me", headers=BOB)
    deleted, *before = await get(served, "/admin/audit")
    assert (deleted["action"], deleted["by_user"]) == ("user_deleted", deleted["subject"])
    assert [(note["by_user"], note["action"]) for note in before] == [
        ("ann", "session_deleted"),
        (deleted["by_user"], "refused"),
        ("ann", "rated"),
    ]
    assert "bob" not in str([deleted, *before])
