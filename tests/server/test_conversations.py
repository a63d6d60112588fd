"""`/conversations`: every route, every reason why a turn ends, and what is stored with a message."""

import asyncio

import pytest

from glassloop import Limits, ScriptedModel, tool
from glassloop.core.messages import AssistantMessage, Reply, TextChunk, Usage
from glassloop.models.scripted_model import call
from glassloop.runtime.tools.todos import make_tools
from server.authenticated import bearer, told
from server.dialect_turns import FAILS, WAITS, approve, look, write
from server.sse_client import events, opened, read
from waiting import until

STREAM = {"accept": "text/event-stream"}
METADATA = {"tool_interactions", "iteration_count", "stop_reason", "turn_id", "evidence", "sample"}


@tool(effect="read")
async def count_places(city: str) -> dict:
    """Count the places of a city."""
    if city == "Nowhere":
        raise FileNotFoundError(2, "No such file or directory", "/srv/secret/places.parquet")
    return {"places": [{"id": f"p{number}", "visits": number} for number in range(50)],
            "query_metadata": {"sample": True}}  # fmt: skip


async def talk(serve, *script, tools=(), user=None, **options):
    """A server and a conversation at it: a function that says something there."""
    model = script[0] if hasattr(script[0], "stream") else ScriptedModel(script)
    served = await serve(script=model, tools=[look, write, count_places, *tools], **options)
    made = await served.client.post("/conversations")
    assert made.status_code == 201
    path = f"/conversations/{made.json()['id']}"

    async def say(content, **more):
        headers = more.pop("headers", None)
        body = {"content": content, "assistant": "general", **more}
        return await served.client.post(f"{path}/messages", json=body, headers=headers)

    async def messages(**params):
        answer = await served.client.get(f"{path}/messages", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    say.served, say.client, say.path, say.model, say.messages = served, served.client, path, model, messages
    return say


# conversations


async def test_a_conversation_is_made_listed_renamed_and_deleted(serve):
    served = await serve(script=["Yes."])
    client = served.client
    first = (await client.post("/conversations", json={"title": "  Sites "})).json()
    assert set(first) == {"id", "user_id", "title", "created_at", "updated_at", "message_count"}
    assert (first["title"], first["user_id"], first["message_count"]) == ("Sites", "anonymous", 0)
    second = (await client.post("/conversations")).json()
    assert [one["id"] for one in (await client.get("/conversations")).json()] == [second["id"], first["id"]]
    assert [one["id"] for one in (await client.get("/conversations?limit=1&offset=1")).json()] == [first["id"]]
    path = f"/conversations/{first['id']}"
    assert (await client.get(path)).json() == first
    assert (await client.patch(path, json={"title": "Malls"})).json()["title"] == "Malls"
    assert (await client.delete(path)).status_code == 204
    told(await client.get(path), 404)
    for bad in ({"title": ""}, {"title": " "}, {"title": "x" * 201}, {"name": "x"}):
        told(await client.post("/conversations", json=bad), 422)
    told(await client.get("/conversations?limit=201"), 422)


async def test_another_users_conversation_is_not_there(serve, settings):
    served = await serve(settings(auth="keys", request_rate=0), ["Yes."])
    keys = {}
    for user in ("ann", "bob"):
        await served.runtime.store.users.add(user)
        keys[user] = bearer((await served.runtime.store.keys.create(user))[0])
    made = await served.client.post("/conversations", headers=keys["ann"])
    path, client = f"/conversations/{made.json()['id']}", served.client
    said = {"content": "Hi", "assistant": "general"}
    assert (await client.post(f"{path}/messages", json=said, headers=keys["ann"])).status_code == 200
    assert (await client.get("/conversations", headers=keys["bob"])).json() == []
    for method, at, body in (
        ("GET", path, None),
        ("PATCH", path, {"title": "mine"}),
        ("DELETE", path, None),
        ("GET", f"{path}/messages", None),
        ("POST", f"{path}/messages", said),
    ):
        told(await client.request(method, at, json=body, headers=keys["bob"]), 404)
    (kept,) = (await client.get("/conversations", headers=keys["ann"])).json()
    assert (kept["title"], kept["message_count"]) == ("Hi", 2)


# messages


async def test_an_exchange_is_stored_with_the_tools_it_used(serve):
    say = await talk(serve, call("count_places", city="Ulm"), call("look", word="cat"), "There are 50.")
    answer = await say("How many?")
    assert answer.status_code == 200, answer.text
    asked, given = answer.json()["user_message"], answer.json()["assistant_message"]
    assert set(asked) == set(given) == {"id", "conversation_id", "role", "content", "created_at", "metadata"}
    assert (asked["role"], asked["content"], asked["metadata"]) == ("user", "How many?", None)
    assert (given["role"], given["content"]) == ("assistant", "There are 50.")
    about = given["metadata"]
    assert set(about) == METADATA
    used, found, looked, saw = about["tool_interactions"]
    assert used == {"type": "tool_use", "id": used["id"], "name": "count_places", "input": {"city": "Ulm"}}
    assert set(found) == {"type", "tool_use_id", "content", "is_error"}
    assert (found["type"], found["tool_use_id"], found["is_error"]) == ("tool_result", used["id"], False)
    assert len(found["content"]["places"]) == 50
    assert (looked["name"], saw["content"]) == ("look", "cat is 42")
    assert (about["iteration_count"], about["stop_reason"], about["sample"]) == (3, "end_turn", True)
    assert [figure["text"] for figure in about["evidence"]["figures"]] == ["50"]
    assert await say.messages() == [asked, given]
    (one,) = (await say.client.get("/conversations")).json()
    assert (one["message_count"], one["title"]) == (2, "How many?")


async def test_messages_are_the_same_after_export_and_import(serve, tmp_path):
    say = await talk(serve, call("count_places", city="Ulm"), "50.", "Sure.")
    await say("How many?")
    await say("Really?")
    before = await say.messages()
    lines = await say.served.runtime.store.exports.dump(say.path.rpartition("/")[2])
    assert (await say.client.delete(say.path)).status_code == 204
    await say.served.runtime.store.exports.load(lines)
    assert await say.messages() == before


async def test_messages_come_in_pages(serve):
    say = await talk(serve, *["Yes."] * 5)
    store, session = say.served.runtime.store, say.path.rpartition("/")[2]
    await store.sessions.add_message(session, "assistant", "From before.")
    for number in range(5):
        await say(f"Question {number}")
    every = await say.messages()
    assert (every[0]["content"], every[0]["metadata"]) == ("From before.", None)
    assert [one["content"] for one in every[1:3]] == ["Question 0", "Yes."]
    for size in (1, 2, 3, 4):
        page, found = await say.messages(limit=size), []
        while page:
            assert len(page) <= size
            found = page + found
            page = await say.messages(limit=size, before=page[0]["id"])
        assert found == every
    told(await say.client.get(f"{say.path}/messages", params={"before": "x.user"}), 404)
    told(await say.client.get(f"{say.path}/messages", params={"before": "rubbish"}), 400, "rubbish")


async def test_what_cannot_be_said_is_refused_and_not_kept(serve):
    say = await talk(serve, "Yes.")
    for content in ("", " \n", "x" * 200_001, None, 7):
        told(await say(content), 422)
    told(await say("Hi", assistant="generl"), 404, "general")
    told(await say("Hi", odd=1), 422)
    assert await say.messages() == []


async def test_a_second_message_is_refused_while_a_turn_runs(serve):
    class Held(ScriptedModel):
        gate = asyncio.Event()

        async def stream(self, request):
            await self.gate.wait()
            async for chunk in super().stream(request):
                yield chunk

    say = await talk(serve, Held(["Yes.", "Again."]))
    first = asyncio.ensure_future(say("One"))

    async def is_under_way():
        return bool(await say.messages())

    await until(is_under_way, "the first message")
    assert [one["role"] for one in await say.messages()] == ["user"]
    told(await say("Two"), 409)
    say.model.gate.set()
    assert (await first).status_code == 200
    assert (await say("Three")).status_code == 200


async def test_a_turn_that_waits_for_a_person_answers_202_and_goes_on(serve):
    say = await talk(serve, *WAITS)
    answer = await say("Write a.")
    assert answer.status_code == 202
    waits = answer.json()
    assert waits["status"] == "awaiting_approval"
    about = waits["assistant_message"]["metadata"]
    assert (about["stop_reason"], about["iteration_count"]) == ("awaiting_approval", 1)
    assert "your approval of write" in waits["assistant_message"]["content"]
    assert await say.messages() == [waits["user_message"], waits["assistant_message"]]
    told(await say("And?"), 409)
    await approve(say.client, waits)

    async def is_over():
        last = (await say.messages())[-1]["metadata"]
        return last is not None and last["stop_reason"] == "end_turn"

    await until(is_over, "the turn's end")
    (_, given) = await say.messages()
    assert [one["type"] for one in given["metadata"]["tool_interactions"]] == ["tool_use", "tool_result"]


async def test_a_model_that_is_away_answers_502_and_the_message_is_kept(serve):
    say = await talk(serve, *FAILS, "Now.")
    told(await say("Why?"), 502, "says no")
    asked, failed = await say.messages()
    assert asked["content"] == "Why?"
    assert failed["metadata"]["stop_reason"] == "error" and "says no" in failed["content"]
    assert (await say("Again?")).status_code == 200


async def test_a_tool_that_raises_is_told_without_inner_paths_and_the_turn_goes_on(serve):
    say = await talk(
        serve, call("count_places", city="Nowhere"), call("count_place", city="Ulm"), call("look"), "Sorry."
    )
    about = (await say("How many?")).json()["assistant_message"]["metadata"]
    results = [one for one in about["tool_interactions"] if one["type"] == "tool_result"]
    assert [one["is_error"] for one in results] == [True] * 3
    raised, unknown, nonsense = (one["content"] for one in results)
    assert "No such file" in raised and "/srv" not in raised and "secret" not in raised
    assert "count_places" in unknown
    assert "word" in nonsense
    assert about["stop_reason"] == "end_turn"


# why a turn ended


def odd(text, stop_detail="pause_for_tea"):
    return Reply(message=AssistantMessage(text=text), stop="other", stop_detail=stop_detail)


def spent(tool_name, tokens, cost=0.0):
    made = AssistantMessage(calls=(call(tool_name, word="a"),))
    return Reply(message=made, usage=Usage(input_tokens=tokens, cost=cost))


@pytest.mark.parametrize(
    ("script", "limits", "reason", "words"),
    [
        (["Yes."], {}, "end_turn", "Yes."),
        ([call("look", word="a")] * 2 + ["Found."], {"iterations": 2}, "max_iterations", "2 iterations"),
        ([call("look", word="a")] * 3 + ["Found."], {"tool_calls": 1}, "max_tool_calls", "1 tool calls"),
        ([spent("look", 5_000)] * 2, {"tokens": 6_000}, "max_tokens", "6,000 tokens"),
        ([spent("look", 5, 0.75)] * 2, {"cost": 0.5}, "max_cost", "$0.5"),
        ([call("look", word="a")] * 3, {"seconds": 0.0001}, "timeout", "seconds"),
        ([odd("Half.")], {}, "pause_for_tea", "Half."),
        ([Reply(message=AssistantMessage(text="Hal"), stop="max_tokens")], {}, "max_tokens", "longest reply"),
        ([Reply(message=AssistantMessage(text="Hal"), stop="filtered")], {}, "content_filter", "filter"),
    ],
)  # fmt: skip
async def test_every_reason_why_a_turn_ended_is_kept(serve, script, limits, reason, words):
    say = await talk(serve, *script, profile={"limits": Limits(**limits)})
    answer = await say("Look a up.")
    assert answer.status_code == 200, answer.text
    given = answer.json()["assistant_message"]
    assert given["metadata"]["stop_reason"] == reason
    assert words in given["content"]
    assert await say.messages() == list(answer.json().values())


async def test_a_cancelled_turn_keeps_the_message_and_says_so(serve):
    class Endless(ScriptedModel):
        async def stream(self, request):
            yield TextChunk("Once upon a time. ")
            await asyncio.Event().wait()

    say = await talk(serve, Endless([]))
    asking = asyncio.ensure_future(say("Tell me."))

    async def running():
        return await say.served.runtime.store.turns.list(1, status="running")

    (row,) = await until(running, "a turn that runs")
    await say.client.post(f"/api/turns/{row.id}/cancel")
    told(await asking, 409, "cancelled")
    asked, given = await say.messages()
    assert (asked["content"], given["metadata"]["stop_reason"]) == ("Tell me.", "cancelled")


async def test_a_reply_in_which_nothing_can_be_read_is_an_error(serve):
    say = await talk(serve, *[AssistantMessage(text="")] * 4)
    told(await say("Hm?"), 502, "could not be read")
    assert (await say.messages())[-1]["metadata"]["stop_reason"] == "error"


async def test_results_of_calls_made_together_are_told_in_the_order_of_the_calls(serve):
    first_may_end = asyncio.Event()

    @tool(effect="read")
    async def slow() -> str:
        """Wait."""
        await first_may_end.wait()
        return "slow"

    @tool(effect="read")
    async def quick() -> str:
        """Do not wait."""
        first_may_end.set()
        return "quick"

    say = await talk(serve, [call("slow"), call("quick")], "Both.", tools=[slow, quick])
    frames = await read(say.client, f"{say.path}/messages", method="POST", headers=STREAM,
                        json={"content": "Both?", "assistant": "general"})  # fmt: skip
    assert [frame.json["content"] for frame in events(frames, "tool_result")] == ["quick", "slow"]
    kept = (await say.messages())[-1]["metadata"]["tool_interactions"]
    assert [one.get("name") or one["content"] for one in kept] == ["slow", "quick", "slow", "quick"]


# server-sent events


async def stream_of(say, content, **headers):
    body = {"content": content, "assistant": "general"}
    return await read(say.client, f"{say.path}/messages", method="POST", json=body, headers={**STREAM, **headers})


async def test_a_stream_tells_the_exchange_while_it_happens(serve, tmp_path):
    todo = make_tools(tmp_path)
    script = (
        call("todo", action="add", text="look"),
        call("todo", action="list"),
        call("look", word="cat"),
        "It is 42.",
    )
    say = await talk(serve, *script, tools=todo)
    frames = await stream_of(say, "The cat?")
    names = [frame.event for frame in frames]
    assert names == [
        "user_message", "tool_use", "tool_result", "todo", "tool_use", "tool_result", "tool_use", "tool_result",
        "token", "assistant_message",
    ]  # fmt: skip
    assert [frames[0].json, frames[-1].json] == await say.messages()
    (items,) = events(frames, "todo")
    assert items.json == {"items": [{"item": 1, "text": "look", "done": False}]}
    assert "".join(frame.json["text"] for frame in events(frames, "token")) == "It is 42."
    shown = [frame.json for frame in events(frames, "tool_use", "tool_result")]
    assert shown == frames[-1].json["metadata"]["tool_interactions"]
    assert all(frame.id for frame in events(frames, "user_message", "tool_use", "assistant_message"))


async def test_a_stream_tells_a_failure_as_one_error(serve):
    say = await talk(serve, *FAILS)
    frames = await stream_of(say, "Why?")
    assert [frame.event for frame in frames] == ["user_message", "error"]
    assert (frames[-1].json["error_type"], frames[-1].json["success"]) == ("llm_error", False)


async def test_a_stream_that_was_cut_goes_on_after_the_last_event(serve):
    gate = asyncio.Event()

    @tool(effect="read")
    async def wait() -> str:
        """Wait."""
        await gate.wait()
        return "waited"

    say = await talk(serve, call("look", word="cat"), call("wait"), "It is 42.", tools=[wait])
    body = {"content": "The cat?", "assistant": "general"}
    seen = []
    async with opened(say.client, f"{say.path}/messages", method="POST", json=body, headers=STREAM) as frames:
        async for frame in frames:
            seen.append(frame)
            if frame.event == "tool_result":
                break
    gate.set()
    # The turn goes on without its client, and nothing is said a second time.
    rest = await stream_of(say, "The cat?", **{"last-event-id": seen[-1].id})
    assert [frame.event for frame in rest if frame.event != "token"] == ["tool_use", "tool_result", "assistant_message"]
    (first, *_), more = events(rest, "token"), await stream_of_status(say, rest[-1].id)
    assert first.json["reset"] is True
    assert more == 204
    assert [one["role"] for one in await say.messages()] == ["user", "assistant"]
    told(await say("x", headers={**STREAM, "last-event-id": "nothing:1"}), 404)


async def stream_of_status(say, last):
    return (await say("The cat?", headers={**STREAM, "last-event-id": last})).status_code


async def test_a_stream_that_waits_for_a_person_says_so(serve):
    say = await talk(serve, *WAITS)
    frames = await stream_of(say, "Write a.")
    assert [frame.event for frame in frames] == ["user_message", "assistant_message"]
    assert frames[-1].json["metadata"]["stop_reason"] == "awaiting_approval"
