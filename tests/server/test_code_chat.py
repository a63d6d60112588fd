"""`/api/code-chat`: states and events in order, decisions, sessions, and what is another's."""

import asyncio

import msgspec
import pytest

from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.files.tools import make_tools
from glassloop.models.scripted_model import call
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import FixedWorkspace

QUERY = "/api/code-chat/query"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "code" / "shop"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("x = 1\n")
    (folder / "AGENTS.md").write_text("Use tabs.\n")
    return folder


@pytest.fixture
async def chat(serve, tmp_path, project):
    async def start(script, **options):
        settings = Settings(home=str(tmp_path / "home"), request_rate=0)
        settings = settings.having(CodeSettings(roots=str(tmp_path / "code")))
        tools = make_tools(tmp_path / "home", workspaces=FixedWorkspace(project), settings=settings)
        return await serve(settings, script, tools, **options)

    return start


async def events(response):
    found = []
    async for line in response.aiter_lines():
        if line.startswith("data: "):
            found.append(msgspec.json.decode(line[6:]))
    return found


async def ask(served, query="Hi", **body):
    async with served.client.stream("POST", QUERY, json={"query": query, **body}) as response:
        assert response.status_code == 200, await response.aread()
        return await events(response)


def told(found):
    return [(each["type"], each.get("state")) for each in found]


async def test_an_answer_at_once(chat):
    found = await ask(await chat(["Hello."]))
    assert told(found)[0] == ("state", "planning")
    assert told(found)[-1] == ("answer", "completed")
    assert found[-1]["content"] == "Hello."


async def test_one_tool_goes_through_all_states(chat):
    served = await chat([call("read_file", path="a.py"), "It sets x."])
    found = await ask(served, workspace_path="code/shop")
    kinds = [each for each in told(found) if each[0] != "thought"]
    assert kinds == [
        ("state", "planning"),
        ("state", "planning"),  # The guidance of the folder.
        ("action", "executing"),
        ("observation", "observing"),
        ("state", "planning"),
        ("answer", "completed"),
    ]
    assert "x = 1" in next(each for each in found if each["type"] == "observation")["content"]
    assert next(each for each in found if each["type"] == "action")["tool"]["tool"] == "read_file"


async def test_the_limit_of_steps_is_told_before_the_answer(chat):
    found = await ask(await chat([call("read_file", path="a.py"), "So far."]), max_iterations=1)
    assert found[-2]["content"] == "reached the limit of 1 steps"
    assert found[-1]["content"].startswith("So far.")
    assert told(found)[-2:] == [("error", None), ("answer", "completed")]


async def test_an_unknown_preset_counts_as_balanced_and_is_told_once(chat):
    found = await ask(await chat(["Hello."]), preset="best")
    assert [each["content"] for each in found if "preset" in (each.get("content") or "")] == [
        "There is no preset 'best': balanced is used."
    ]


async def test_a_change_is_shown_confirmed_and_done_and_the_stream_stays_open(chat, project):
    served = await chat([call("write_file", path="a.py", content="x = 2\n"), "Done."])
    found, waiting = [], asyncio.Event()

    async def follow():
        async with served.client.stream("POST", QUERY, json={"query": "Change x", "session_id": "s"}) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    found.append(msgspec.json.decode(line[6:]))
                    if found[-1]["type"] == "diff_preview":
                        waiting.set()

    following = asyncio.create_task(follow())
    await asyncio.wait_for(waiting.wait(), 30)
    shown = found[-1]
    assert (shown["state"], "+x = 2" in shown["content"]) == ("executing", True)
    assert (project / "a.py").read_text() == "x = 1\n"
    address = f"/api/code-chat/confirm/{shown['confirm_id']}"
    wrong = await served.client.post(address, json={"approved": True, "digest": "0" * 64})
    assert wrong.status_code == 409
    done = await served.client.post(address, json={"approved": True, "digest": shown["digest"]})
    assert done.json() == {"done": True}
    again = await served.client.post(address, json={"approved": True, "digest": shown["digest"]})
    assert again.status_code == 409
    await asyncio.wait_for(following, 30)
    assert told(found)[-1] == ("answer", "completed")
    observed = next(each for each in found if each["type"] == "observation")
    assert observed["data"]["change_type"] == "modify"
    assert (project / "a.py").read_text() == "x = 2\n"


async def test_what_nobody_asked_cannot_be_confirmed(chat):
    served = await chat([])
    for ident in ("nothing", "turn.3"):
        answer = await served.client.post(
            f"/api/code-chat/confirm/{ident}", json={"approved": True, "digest": "0" * 64}
        )
        assert answer.status_code == 404


async def test_cancel_stops_a_pending_approval_and_the_next_question_works(chat):
    served = await chat([call("delete_file", path="a.py"), "Hello again."])
    submitted = await served.runtime.submit("Delete it", session_id="s", wanted="code")
    async for _ in served.runtime.watch(submitted.turn_id):
        pass
    assert (await served.client.post("/api/code-chat/cancel/s")).json() == {"cancelled": True}
    assert (await served.client.post("/api/code-chat/cancel/s")).json() == {"cancelled": False}
    assert (await served.client.post("/api/code-chat/cancel/other")).status_code == 404
    found = await ask(served, session_id="s")
    assert told(found)[-1] == ("answer", "completed")


async def test_a_stream_goes_on_after_the_last_event_that_is_known_and_asks_nothing_twice(chat):
    served = await chat([call("read_file", path="a.py"), "It sets x."])
    idents = []
    async with served.client.stream("POST", QUERY, json={"query": "Read"}) as response:
        async for line in response.aiter_lines():
            if line.startswith("id: "):
                idents.append(line[4:])
    headers = {"last-event-id": idents[1]}
    async with served.client.stream("POST", QUERY, json={"query": "Read"}, headers=headers) as response:
        rest = await events(response)
    assert told(rest)[-1] == ("answer", "completed")
    assert told(rest)[0] != ("state", "planning")
    assert len(await served.runtime.store.sessions.list()) == 1


async def test_sessions_are_listed_with_what_they_did_and_can_be_forgotten(chat):
    served = await chat([call("read_file", path="a.py"), "It sets x."])
    await ask(served, "Read it", session_id="s", workspace_path="code/shop")
    (session,) = (await served.client.get("/api/code-chat/sessions")).json()
    assert (session["workspace"], session["turns"], session["tools_used"]) == ("code/shop", 1, ["read_file"])
    assert not session["active"]
    assert (await served.client.delete("/api/code-chat/sessions/s")).json() == {"removed": True}
    assert (await served.client.delete("/api/code-chat/sessions/s")).json() == {"removed": False}
    assert (await served.client.delete("/api/code-chat/sessions/other")).status_code == 404


async def test_folders_are_named_without_a_path_of_the_machine(chat, tmp_path):
    served = await chat([])
    roots = (await served.client.get("/api/code-chat/workspaces")).json()
    assert "code" in [each["name"] for each in roots["entries"]]
    below = await served.client.get("/api/code-chat/workspaces", params={"path": "code"})
    assert below.json()["entries"] == [
        {"name": "shop", "path": "code/shop", "is_git": False, "project_type": "unknown"}
    ]
    assert str(tmp_path) not in below.text
    refused = await served.client.get("/api/code-chat/workspaces", params={"path": "code/../home"})
    assert refused.status_code == 400


async def test_guidance_of_the_folder_is_told_with_the_question_and_counts_as_a_strangers(chat):
    served = await chat(["Hello."])
    await ask(served, session_id="s", workspace_path="code/shop")
    (turn,) = await served.runtime.store.turns.of_session("s")
    started = await served.runtime.store.turns.first(turn.id)
    assert started.settings["context"]["guidance_of_the_folder"]["text"] == (
        "From AGENTS.md in the folder:\nUse tabs.\n"
    )
    assert started.settings["foreign_context"] is True
