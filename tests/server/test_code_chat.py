"""`/api/code-chat`: states and events in order, decisions, sessions, and what is another's."""

import asyncio
import os

from glassloop.core.errors import ModelUnavailable
from glassloop.extensions.code.chat.routes import stream_frames
from glassloop.extensions.code.sandbox.tools import make_tools as command_tools
from glassloop.models.scripted_model import call
from glassloop.tools.tool import tool
from server.code_chats import QUERY, ask, confirm, events, following, told


async def test_an_answer_at_once(chat):
    found = await ask(await chat(["Hello."]))
    assert [each for each in told(found) if each[0] != "thought"] == [("state", "planning"), ("answer", "completed")]
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


async def test_without_a_model_the_answer_at_the_limit_names_what_was_found_and_changed(chat, project):
    broken = ModelUnavailable("away")
    script = [call("read_file", path="a.py"), call("write_file", path="b.py", content="y = 1\n"), *[broken] * 9]
    served = await chat(script)
    found = await ask(served, session_id="s", workspace_path="code/shop", max_iterations=2, mode="edits")
    answer = found[-1]["content"]
    assert ("- read_file a.py: " in answer, (project / "b.py").exists()) == (True, True)
    assert "Files changed: b.py. `/undo` takes these changes back." in answer


async def test_an_unknown_preset_counts_as_balanced_and_is_told_once(chat):
    found = await ask(await chat(["Hello."]), preset="best")
    assert [each["content"] for each in found if "preset" in (each.get("content") or "")] == [
        "There is no preset 'best': balanced is used."
    ]


async def test_a_change_is_shown_confirmed_and_done_and_the_stream_stays_open(chat, project):
    served = await chat([call("write_file", path="a.py", content="x = 2\n"), "Done."])
    async with following(served, "Change x", session_id="s") as found:
        shown = found[-1]
        assert (shown["state"], "+x = 2" in shown["content"]) == ("executing", True)
        assert (project / "a.py").read_text() == "x = 1\n"
        assert (await confirm(served, {**shown, "digest": "0" * 64})).status_code == 409
        assert (await confirm(served, shown)).json() == {"done": True}
        assert (await confirm(served, shown)).status_code == 409
    assert told(found)[-1] == ("answer", "completed")
    observed = next(each for each in found if each["type"] == "observation")
    assert observed["data"]["change_type"] == "modify"
    assert (project / "a.py").read_text() == "x = 2\n"


async def test_what_is_allowed_for_a_folder_is_not_asked_again(chat, project):
    writes = [call("write_file", path="a.py", content=f"x = {number}\n") for number in (2, 3)]
    served = await chat([*writes, "Done."])
    async with following(served, "Change x", session_id="s", workspace_path="code/shop") as found:
        assert found[-1]["data"]["why"]["kind"] == "declared"
        wrong = await confirm(served, found[-1], allow="command")
        assert (wrong.status_code, "by folder" in wrong.text) == (400, True)
        assert (await confirm(served, found[-1], allow="folder")).json() == {"done": True}
    assert [each["type"] for each in found].count("diff_preview") == 1
    assert (project / "a.py").read_text() == "x = 3\n"


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


async def test_guidance_is_shown_once_and_again_when_it_changed(chat, project):
    served = await chat(["One.", "Two.", "Three."])

    async def shown():
        found = await ask(served, session_id="s", workspace_path="code/shop")
        return [each["content"] for each in found if "guidance of this folder" in (each.get("content") or "")]

    assert len(await shown()) == 1
    assert await shown() == []
    (project / "AGENTS.md").write_text("Use spaces.\n")
    (text,) = await shown()
    assert "From AGENTS.md in the folder:\nUse spaces." in text


async def test_files_and_the_project_are_told_with_the_next_question(chat, project):
    (project / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    served = await chat([call("read_file", path="a.py"), "It sets x.", "Yes."])
    await ask(served, session_id="s", workspace_path="code/shop")
    await ask(served, session_id="s")
    last = (await served.runtime.store.turns.of_session("s"))[-1]
    context = (await served.runtime.store.turns.first(last.id)).settings["context"]
    assert context["project"] == "type: python\nname: shop"
    (file,) = context["recently_touched_files"]
    assert file == {"path": "a.py", "content": "x = 1\n"}


async def test_an_action_that_cannot_be_read_is_told_back_and_the_turn_goes_on(chat):
    served = await chat(['Thought: hm\nAction: read_file(path="a.py"', "Answer: I could not read it."])
    found = await ask(served, protocol="text")
    (error,) = [each for each in found if each["type"] == "error"]
    assert (error["state"], bool(error["content"])) == ("planning", True)
    assert told(found)[-1] == ("answer", "completed")


async def test_a_failure_is_the_last_event(chat):
    found = await ask(await chat([ValueError("broken")]))
    assert told(found)[-1] == ("error", "error")
    assert [kind for kind, _ in told(found) if kind in ("answer", "cancelled", "error")] == ["error"]


async def test_cancel_reaches_a_model_call_and_the_next_question_works(chat):
    calls = []

    async def script(_request):
        calls.append(1)
        return await asyncio.Event().wait() if len(calls) == 1 else "Hello again."

    served = await chat(script)
    async with following(served, until="state", session_id="s") as found:
        await asyncio.wait_for(_until(lambda: calls), 30)
        assert (await served.client.post("/api/code-chat/cancel/s")).json() == {"cancelled": True}
    assert told(found)[-1] == ("cancelled", "cancelled")
    assert told(await ask(served, session_id="s"))[-1] == ("answer", "completed")


async def test_cancel_reaches_a_tool_and_the_next_question_works(chat):
    begun = asyncio.Event()

    @tool(effect="read", volatile=True)
    async def look() -> str:
        """Looks for ever."""
        begun.set()
        return str(await asyncio.Event().wait())

    served = await chat([call("look"), "Hello again."], more=lambda *_: [look])
    async with following(served, until="action", session_id="s") as found:
        await asyncio.wait_for(begun.wait(), 30)
        assert (await served.client.post("/api/code-chat/cancel/s")).json() == {"cancelled": True}
    assert told(found)[-1] == ("cancelled", "cancelled")
    assert told(await ask(served, session_id="s"))[-1] == ("answer", "completed")


async def test_cancel_reaches_a_command_with_its_children_and_the_next_question_works(chat, project, tmp_path):
    def commands(settings, workspace):
        return command_tools(tmp_path / "home", workspaces=workspace, settings=settings)

    line = "(sleep 300; touch late) & echo $! > child; wait"
    served = await chat([call("run_command", command=line), "Hello again."], more=commands)
    async with following(served, session_id="s", workspace_path="code/shop") as found:
        assert (await confirm(served, found[-1])).json() == {"done": True}
        await asyncio.wait_for(_until(lambda: (project / "child").is_file() and (project / "child").read_text()), 30)
        assert (await served.client.post("/api/code-chat/cancel/s")).json() == {"cancelled": True}
    assert told(found)[-1] == ("cancelled", "cancelled")
    child = int((project / "child").read_text())
    await asyncio.wait_for(_until(lambda: not _runs(child)), 30)
    assert told(await ask(served, session_id="s"))[-1] == ("answer", "completed")


async def test_a_stream_ends_when_nobody_decides_for_long_and_can_be_joined_again(chat):
    served = await chat([call("delete_file", path="a.py"), "Done."])
    submitted = await served.runtime.submit("Delete it", session_id="s", wanted="code")
    frames = [frame async for frame in stream_frames(served.runtime, submitted.turn_id, 0, wait_s=0.0)]
    assert b"still waiting for you" in frames[-1]
    assert (await served.runtime.turn(submitted.turn_id)).status == "paused"


async def test_a_turn_is_taken_back_as_shown_and_the_next_question_is_told(chat, project):
    served = await chat([call("write_file", path="a.py", content="x = 2\n"), "Done.", "I see."])
    async with following(served, session_id="s", workspace_path="code/shop") as found:
        await confirm(served, found[-1])
    turn = found[-1]["turn_id"]
    address = f"/api/code-chat/changes/{turn}"
    assert [each["file_path"] for each in (await served.client.get(address)).json()["files"]] == ["a.py"]
    plan = (await served.client.get(f"{address}/undo")).json()
    assert (await served.client.post(f"{address}/undo", json={"digest": "0" * 64})).status_code == 409
    done = await served.client.post(f"{address}/undo", json={"digest": plan["digest"]})
    assert (done.status_code, (project / "a.py").read_text()) == (200, "x = 1\n")
    await ask(served, session_id="s")
    last = (await served.runtime.store.turns.of_session("s"))[-1]
    context = (await served.runtime.store.turns.first(last.id)).settings["context"]
    assert context["taken_back_by_the_user"]["files"] == ["a.py"]


async def test_a_file_that_an_undo_left_in_conflict_is_told_and_listed_as_that(chat, project):
    edits = [call("write_file", path="a.py", content="x = 2\n"), call("write_file", path="b.py", content="y = 1\n")]
    served = await chat([*edits, "Done.", "I see."])
    found = await ask(served, session_id="s", workspace_path="code/shop", mode="edits")
    turn = found[-1]["turn_id"]
    (project / "a.py").write_text("x = 3\n")
    address = f"/api/code-chat/changes/{turn}"
    plan = (await served.client.get(f"{address}/undo")).json()
    await served.client.post(f"{address}/undo", json={"digest": plan["digest"]})
    changed = (await served.client.get(address)).json()
    assert (changed["undone"], changed["conflicts"]) == (True, ["a.py"])
    await ask(served, session_id="s")
    last = (await served.runtime.store.turns.of_session("s"))[-1]
    context = (await served.runtime.store.turns.first(last.id)).settings["context"]
    assert context["taken_back_by_the_user"]["files"] == ["b.py"]
    (left,) = context["left_in_conflict"]["files"].items()
    assert left == ("a.py", "'a.py' was changed since in the same lines (1–1), so it is left as it is.")


async def test_what_is_anothers_is_not_there(chat):
    served = await chat([call("write_file", path="a.py", content="x = 2\n"), "Done."])
    bob = {"x-user-id": "bob"}
    async with following(served, session_id="s", workspace_path="code/shop") as found:
        shown = found[-1]
        address, body = f"/api/code-chat/confirm/{shown['confirm_id']}", {"approved": True, "digest": shown["digest"]}
        statuses = [(await served.client.post(address, json=body, headers=bob)).status_code]
        statuses.append((await served.client.post("/api/code-chat/cancel/s", headers=bob)).status_code)
        await confirm(served, shown)
    turn = found[-1]["turn_id"]
    for path in (f"changes/{turn}", f"changes/{turn}/undo", "sessions/s/files"):
        statuses.append((await served.client.get(f"/api/code-chat/{path}", headers=bob)).status_code)
    undone = await served.client.post(f"/api/code-chat/changes/{turn}/undo", json={"digest": "0" * 64}, headers=bob)
    statuses.append(undone.status_code)
    statuses.append((await served.client.delete("/api/code-chat/sessions/s", headers=bob)).status_code)
    joined = await served.client.post(QUERY, json={"query": "Hi"}, headers={**bob, "last-event-id": f"{turn}:1"})
    statuses.append(joined.status_code)
    assert set(statuses) == {404}
    assert (await served.client.get("/api/code-chat/sessions", headers=bob)).json() == []


async def _until(fact):
    while not fact():
        await asyncio.sleep(0.01)


def _runs(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
