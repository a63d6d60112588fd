"""What reviewers do: find sessions, rate steps, make cases, see figures and what runs; and what they may rename."""

import httpx
import pytest

from glassloop.models.scripted_model import call
from server.authenticated import TOKEN
from server.dialect_turns import ADMIN, LOOKED, WAITS, is_error, scripted


@pytest.fixture
async def reviewed(serve, settings):
    """A server with a session of Ann's that looked something up, and one of Bob's that waits."""
    given = settings(admin_token=TOKEN, request_rate=0, session_rate=0)
    _, served = await scripted(serve, [*LOOKED, *WAITS], settings=given)
    for user, question in (("ann", "What is a cat?"), ("bob", "Write 50% of it")):
        taken = await served.client.post("/api/turns", json={"question": question}, headers={"x-user-id": user})
        await until_still(served.client, taken.json()["turn_id"], {"x-user-id": user})
    return served


async def until_still(client: httpx.AsyncClient, turn: str, headers: dict[str, str]) -> None:
    async with client.stream("GET", f"/api/turns/{turn}/events", headers=headers, timeout=120) as stream:
        async for line in stream.aiter_lines():
            if line in ("event: turn_finished", "event: turn_paused"):
                return


async def listed(served, **filters):
    answer = await served.client.get("/admin/sessions", params=filters, headers=ADMIN)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_sessions_are_found_by_every_filter(reviewed):
    everybody = await listed(reviewed)
    assert [line["user_id"] for line in everybody] == ["bob", "ann"]
    assert [(line["turns"], line["last_status"]) for line in everybody] == [(1, "paused"), (1, "completed")]
    assert everybody[1]["tokens"] > 0
    found = {
        "ann": ({"user_id": "ann"}, {"q": "cat 42"}, {"status": "active"}),
        "bob": ({"q": "50%"}, {"status": "awaiting_approval"}),
    }
    for user, filters in found.items():
        for one in filters:
            assert [line["user_id"] for line in await listed(reviewed, **one)] == [user], one
    for nobody in ({"assistant": "none"}, {"rating": "good"}, {"q": "dog"}, {"until": 1}, {"status": "failed"}):
        assert await listed(reviewed, **nobody) == [], nobody
    assert len(await listed(reviewed, since=1, rating="none", assistant="general")) == 2
    await reviewed.client.post(f"/admin/sessions/{everybody[1]['id']}/rating", json={"rating": "good"}, headers=ADMIN)
    assert [line["user_id"] for line in await listed(reviewed, rating="good")] == ["ann"]


async def test_failed_turns_are_counted_beside_how_the_last_one_ended(reviewed):
    (ann,) = await listed(reviewed, user_id="ann")
    mine = {"x-user-id": "ann"}
    for question in ("/nosuch", "/help"):
        asked = {"question": question, "session_id": ann["id"]}
        taken = await reviewed.client.post("/api/turns", json=asked, headers=mine)
        await until_still(reviewed.client, taken.json()["turn_id"], mine)
    (ann,) = await listed(reviewed, user_id="ann")
    assert (ann["turns"], ann["failed"], ann["last_status"]) == (3, 1, "completed")


async def test_a_step_is_rated_and_the_last_word_counts(reviewed):
    ann = (await listed(reviewed, user_id="ann"))[0]["id"]
    turn = (await reviewed.client.get(f"/api/sessions/{ann}", headers=ADMIN)).json()["turns"][0]["id"]
    for rating in ("bad", "good"):
        body = {"target": "call_1", "rating": rating, "note": "Look again."}
        answer = await reviewed.client.post(f"/admin/turns/{turn}/ratings", json=body, headers=ADMIN)
        assert answer.json() == {"done": True}
    (rated,) = (await reviewed.client.get(f"/admin/sessions/{ann}/ratings", headers=ADMIN)).json()
    assert (rated["turn_id"], rated["target"], rated["rating"], rated["note"]) == (
        turn,
        "call_1",
        "good",
        "Look again.",
    )
    body = {"target": "call_1", "rating": "so so"}
    is_error(await reviewed.client.post(f"/admin/turns/{turn}/ratings", json=body, headers=ADMIN), 400,
             "validation_error", "so so")  # fmt: skip
    gone = await reviewed.client.post("/admin/turns/none/ratings", json={**body, "rating": "bad"}, headers=ADMIN)
    is_error(gone, 404, "validation_error", "none")
    await reviewed.client.delete(f"/api/sessions/{ann}", headers=ADMIN)
    assert await reviewed.runtime.store.ratings.of_session(ann) == ()


async def test_a_turn_becomes_a_case_of_its_assistants_suite(reviewed):
    ann = (await listed(reviewed, user_id="ann"))[0]["id"]
    turn = (await reviewed.client.get(f"/api/sessions/{ann}", headers=ADMIN)).json()["turns"][0]["id"]
    unrated = await reviewed.client.post(f"/admin/turns/{turn}/case", json={}, headers=ADMIN)
    is_error(unrated, 400, "validation_error", "rated")
    made = await reviewed.client.post(f"/admin/turns/{turn}/case", json={"rating": "good"}, headers=ADMIN)
    assert made.status_code == 201
    suite = reviewed.app.state.settings.home_path / "evals" / "reviewed-general.toml"
    assert made.json()["suite"] == str(suite)
    assert "What is a cat?" in suite.read_text("utf-8")


async def test_figures_tell_turns_tools_and_ratings(reviewed):
    ann = (await listed(reviewed, user_id="ann"))[0]["id"]
    await reviewed.client.post(f"/admin/sessions/{ann}/rating", json={"rating": "good"}, headers=ADMIN)
    told = (await reviewed.client.get("/admin/figures", params={"days": 2}, headers=ADMIN)).json()
    assert sum(day["turns"] for day in told["days"]) == 2
    assert sum(day["good"] for day in told["days"]) == 1
    assert sum(day["input_tokens"] for day in told["days"]) > 0
    (look,) = told["tools"]
    assert (look["tool"], look["calls"], look["failed"]) == ("look", 1, 0)
    assert told["turns_read"] == 1
    assert told["p50_ms"] <= told["p95_ms"]
    live = (await reviewed.client.get("/admin/live", headers=ADMIN)).json()
    assert [(turn["user_id"], turn["status"]) for turn in live] == [("bob", "paused")]


async def test_the_use_of_tools_is_told_by_tool_and_assistant(serve, settings):
    script = [call("look", word="x"), call("look", word="x"), call("look"), "Done.", call("look", word="y"), "Done."]
    _, served = await scripted(serve, script, settings=settings(admin_token=TOKEN, request_rate=0))
    for assistant in ("general", "business"):
        asked = {"question": "Look", "assistant": assistant}
        taken = (await served.client.post("/api/turns", json=asked)).json()
        await until_still(served.client, taken["turn_id"], {})
    told = (await served.client.get("/admin/tools", params={"days": 1}, headers=ADMIN)).json()
    assert (told["turns"], told["turns_read"], told["assistants"]) == (2, 2, {"business": 1, "general": 1})
    first, second = told["rows"]
    assert (first["tool"], first["assistant"], first["turns"]) == ("look", "general", 1)
    assert (first["calls"], first["failed"], first["cached"]) == (3, 1, 1)
    assert first["p50_ms"] <= first["p95_ms"] <= first["max_ms"]
    (reason,) = first["reasons"]
    assert "word" in reason
    assert (second["assistant"], second["calls"], second["reasons"]) == ("business", 1, {})
    one = (await served.client.get("/admin/tools", params={"assistant": "business"}, headers=ADMIN)).json()
    assert (one["rows"], one["turns"]) == ([second], 1)
    is_error(await served.client.get("/admin/tools"), 401, "validation_error")


async def test_failures_are_counted_by_their_kind(serve, settings):
    from glassloop.core.errors import ModelRejected

    given = settings(admin_token=TOKEN, request_rate=0)
    _, served = await scripted(serve, [call("look", word="x"), ModelRejected("No.")], settings=given)
    taken = (await served.client.post("/api/turns", json={"question": "Fail"})).json()
    await until_still(served.client, taken["turn_id"], {})
    told = (await served.client.get("/admin/figures", headers=ADMIN)).json()
    assert told["errors"] == {"llm_error": 1}
    assert [line["last_status"] for line in await listed(served, status="failed")] == ["failed"]


async def test_only_operators_review(reviewed):
    for path in ("/admin/figures", "/admin/live", "/admin/sessions/x/ratings"):
        is_error(await reviewed.client.get(path), 401, "validation_error")
    for path, body in (
        ("/admin/turns/x/ratings", {"target": "a", "rating": "bad"}),
        ("/admin/turns/x/case", {}),
        ("/admin/models/examine", {"model": "reflex"}),
    ):
        is_error(await reviewed.client.post(path, json=body), 401, "validation_error")
    examined = await reviewed.client.post("/admin/models/examine", json={"model": "reflex"}, headers=ADMIN)
    is_error(examined, 400, "validation_error", "reflex")


async def test_a_session_is_renamed_and_found_by_its_words_and_only_by_its_owner(reviewed):
    ann, bob = {"x-user-id": "ann"}, {"x-user-id": "bob"}
    session = (await reviewed.client.get("/api/sessions", headers=ann)).json()[0]["id"]
    renamed = await reviewed.client.patch(f"/api/sessions/{session}", json={"title": "  About cats "}, headers=ann)
    assert renamed.json()["title"] == "About cats"
    is_error(await reviewed.client.patch(f"/api/sessions/{session}", json={"title": "x"}, headers=bob), 404,
             "validation_error")  # fmt: skip
    assert (
        await reviewed.client.patch(f"/api/sessions/{session}", json={"title": " "}, headers=ann)
    ).status_code == 422
    for words, found in (("about CATS", [session]), ("dog", []), ("", [session])):
        answer = await reviewed.client.get("/api/sessions", params={"q": words}, headers=ann)
        assert [one["id"] for one in answer.json()] == found
