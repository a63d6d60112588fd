"""`/admin`: everybody's sessions, for those who review them."""

from server.authenticated import TOKEN
from server.dialect_turns import ADMIN, LOOKED, TRACE, chat, is_error, scripted


async def test_admin_lists_shows_and_rates_everybodys_sessions(serve, settings):
    _, served = await scripted(serve, [*LOOKED, "Yes."], settings=settings(admin_token=TOKEN, request_rate=0))
    for user in ("ann", "bob"):
        await served.client.post("/chat/react", json=chat(f"{user}?"), headers={"x-user-id": user})
    listed = (await served.client.get("/admin/sessions", headers=ADMIN)).json()
    assert [session["user_id"] for session in listed] == ["bob", "ann"]
    wanted = {"id", "user_id", "channel", "started_at", "ended_at", "message_count", "status", "rating", "rating_note"}
    assert wanted | {"metadata"} <= set(listed[0])
    for given, found in (({"user_id": "ann"}, ["ann"]), ({"limit": 1}, ["bob"]), ({"limit": 1, "offset": 1}, ["ann"]),
                         ({"status": "completed"}, [])):  # fmt: skip
        answer = await served.client.get("/admin/sessions", params=given, headers=ADMIN)
        assert [session["user_id"] for session in answer.json()] == found
    path = f"/admin/sessions/{listed[1]['id']}"
    rated = await served.client.post(f"{path}/rating", json={"rating": "good", "note": "Well."}, headers=ADMIN)
    assert rated.json() == {"status": "ok", "session_id": listed[1]["id"], "rating": "good"}
    whole = (await served.client.get(path, headers=ADMIN)).json()
    assert (whole["rating"], whole["rating_note"]) == ("good", "Well.")
    question, answer = whole["messages"]
    assert (question["role"], question["content"], answer["role"]) == ("user", "ann?", "assistant")
    assert [step["type"] for step in answer["reasoning_trace"]] == TRACE
    assert {"id", "role", "content", "reasoning_trace", "tool_calls", "tokens_prompt", "tokens_completion",
            "latency_ms", "created_at"} <= set(answer)  # fmt: skip


async def test_admin_refuses_in_the_words_of_its_contract(serve, settings):
    _, served = await scripted(serve, ["Yes."], settings=settings(admin_token=TOKEN, request_rate=0))
    session = (await served.client.post("/chat/react", json=chat("x"))).json()["session_id"]
    path = f"/admin/sessions/{session}"
    for headers in ({}, {"admin-token": "wrong"}):
        is_error(await served.client.get("/admin/sessions", headers=headers), 401, "validation_error", "admin")
        is_error(await served.client.get(path, headers=headers), 401, "validation_error")
        answer = await served.client.post(f"{path}/rating", json={"rating": "good"}, headers=headers)
        is_error(answer, 401, "validation_error")
    bad = await served.client.post(f"{path}/rating", json={"rating": "great"}, headers=ADMIN)
    is_error(bad, 400, "validation_error", "great", "good, bad")
    is_error(await served.client.get("/admin/sessions/nothing", headers=ADMIN), 404, "validation_error", "nothing")
    unknown = await served.client.post("/admin/sessions/nothing/rating", json={"rating": "bad"}, headers=ADMIN)
    is_error(unknown, 404, "validation_error", "nothing")


async def test_admin_is_away_where_sessions_are_not_kept(serve, settings):
    given = settings(admin_token=TOKEN, session_store_enabled=False, request_rate=0)
    _, served = await scripted(serve, ["Yes."], settings=given)
    assert (await served.client.post("/chat/react", json=chat("x"))).status_code == 200
    for path in ("/admin/sessions", "/admin/sessions/x"):
        is_error(await served.client.get(path, headers=ADMIN), 503, "system_error", "SESSION_STORE_ENABLED=true")
    answer = await served.client.post("/admin/sessions/x/rating", json={"rating": "good"}, headers=ADMIN)
    is_error(answer, 503, "system_error")
