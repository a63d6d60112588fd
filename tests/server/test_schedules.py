"""Schedules and the inbox over HTTP: a user's own, and nobody else's."""

import time

from glassloop.runtime.schedules import schedules
from glassloop.runtime.settings import Settings
from waiting import until


async def test_a_schedule_is_added_run_paused_changed_and_cancelled_and_its_result_waits(serve):
    served = await serve(script=["All quiet."])
    client = served.client
    new = {"question": "What is new?", "every": "0 9 * * 1-5", "timezone": "Europe/Paris"}
    added = await client.post("/api/schedules", json=new)
    assert added.status_code == 201
    schedule = added.json()
    assert schedule["when"] == "At 09:00 on Monday through Friday (Europe/Paris)"
    assert schedule["next_at"] > time.time()
    address = f"/api/schedules/{schedule['id']}"
    assert [each["id"] for each in (await client.get("/api/schedules")).json()] == [schedule["id"]]
    started = await client.post(f"{address}/run")
    assert started.status_code == 202

    async def inbox():
        found = (await client.get("/api/inbox")).json()
        return found if found["count"] else None

    found = await until(inbox, "the result is in the inbox")
    assert [(turn["id"], turn["answer"]) for turn in found["turns"]] == [(started.json()["turn_id"], "All quiet.")]
    assert (await client.post("/api/inbox/seen", json={"ids": [started.json()["turn_id"]]})).json() == {"done": True}
    assert (await client.get("/api/inbox", params={"limit": 0})).json()["count"] == 0
    assert (await client.post(f"{address}/pause")).json()["status"] == "paused"
    assert (await client.post(f"{address}/resume")).json()["status"] == "active"
    changed = await client.patch(address, json={"every": "2h"})
    assert changed.json()["when"] == "Every 2 hours (Europe/Paris)"
    runs = (await client.get(address)).json()["runs"]
    assert [run["outcome"] for run in runs] == ["started"]
    assert (await client.delete(address)).json() == {"done": True}
    assert (await client.delete(address)).json() == {"done": False}
    assert (await client.post(f"{address}/resume")).status_code == 400
    wrong = await client.post("/api/schedules", json={"question": "What is new?", "every": "often"})
    assert (wrong.status_code, "five cron fields" in wrong.json()["error"]) == (400, True)


async def test_another_users_schedule_does_not_exist(serve, tmp_path):
    settings = Settings(home=str(tmp_path), auth="keys", request_rate=0)
    served = await serve(settings)
    store, headers = served.runtime.store, []
    for user in ("ann", "bob"):
        await store.users.add(user)
        headers.append({"authorization": f"Bearer {(await store.keys.create(user))[0]}"})
    ann, bob = headers
    new = {"question": "What is new?", "every": "@daily"}
    schedule = (await served.client.post("/api/schedules", json=new, headers=ann)).json()
    address = f"/api/schedules/{schedule['id']}"
    calls = [("GET", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/resume"), ("POST", "/run")]
    for method, path in calls:
        assert (await served.client.request(method, address + path, headers=bob)).status_code == 404
    assert (await served.client.patch(address, json={"every": "2h"}, headers=bob)).status_code == 404
    assert (await served.client.get("/api/schedules", headers=bob)).json() == []
    assert (await served.client.get(address, headers=ann)).status_code == 200


async def test_a_turn_in_the_background_and_one_at_a_time_wait_in_the_inbox(serve, monkeypatch):
    monkeypatch.setattr(schedules, "POLL_S", 0.05)
    served = await serve(script=["Found it.", "Later."])
    turn = (await served.client.post("/api/turns", json={"question": "Look.", "background": True})).json()
    await served.client.post("/api/schedules", json={"question": "Later?", "at": time.time() + 0.5})

    async def both():
        found = (await served.client.get("/api/inbox")).json()
        return found["turns"] if found["count"] == 2 else None

    turns = await until(both, "both results are in the inbox")
    assert turn["turn_id"] in {each["id"] for each in turns}
