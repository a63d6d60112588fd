"""`/api/code-chat`: what a session remembers and forgets, what stopped turns leave behind, and what sub-agents ask."""

from glassloop import Agent, ScriptedModel
from glassloop.extensions.code.chat.memory import MemoryManager
from glassloop.extensions.code.files.tools import make_tools
from glassloop.extensions.code.sandbox.tools import make_tools as command_tools
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.models.scripted_model import call
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.durable.submission import TurnOptions
from server.code_chats import ask, confirm, following, told
from waiting import until


def memory_of(served, **options):
    return MemoryManager(served.runtime.store, served.runtime.workspaces, "anonymous", **options)


async def test_turns_and_files_in_memory_are_bounded_and_a_file_touched_again_moves_to_the_end(chat, project):
    names = [f"f{number}.py" for number in range(7)]
    for name in names:
        (project / name).write_text(f"name = '{name}'\n" + "#" * 600)
    reads = [[call("read_file", path=name) for name in (*names, "f3.py")], "Read."]
    served = await chat([*reads, *("More.",) * 21])
    for number in range(22):
        await ask(served, f"Question {number}", session_id="s", workspace_path="code/shop")
        if number == 0:
            files = (await memory_of(served).get("s")).files
            assert [file.path for file in files] == ["f2.py", "f4.py", "f5.py", "f6.py", "f3.py"]
            assert all(file.content == (project / file.path).read_text()[:500] for file in files)
    memory = await memory_of(served).get("s")
    assert [turn.query for turn in memory.turns] == [f"Question {number}" for number in range(2, 22)]
    assert memory.get_context_for_prompt().count("User: ") == 5


async def test_a_session_begins_with_what_is_given_and_given_values_replace(chat):
    served = await chat(["Hello."])
    memory = memory_of(served)
    new = await memory.get_or_create(workspace_path="code/shop")
    assert (new.workspace, new.context_name, new.turns) == ("code/shop", None, ())
    assert new.session_id
    again = await memory.get_or_create(new.session_id, context_name="main")
    assert (again.session_id, again.workspace, again.context_name) == (new.session_id, "code/shop", "main")
    assert await memory.get("nowhere") is None
    await ask(served, session_id=new.session_id)
    assert len((await memory.get_or_create(new.session_id)).turns) == 1


async def test_sessions_that_are_idle_for_too_long_are_forgotten_and_their_log_stays(chat):
    served = await chat(["One.", "Two."])
    for session in ("s", "t"):
        await ask(served, session_id=session, workspace_path="code/shop")
    address = "/api/code-chat/sessions/cleanup"
    assert (await served.client.post(address, json={})).json() == {"removed": 0}
    assert (await served.client.post(address, json={"hours": 0}, headers={"x-user-id": "bob"})).json() == {"removed": 0}
    assert (await served.client.post(address, json={"hours": 0})).json() == {"removed": 2}
    assert (await served.client.post(address, json={"hours": 0})).json() == {"removed": 0}
    assert (await memory_of(served).get("s")).turns == ()
    assert len(await served.runtime.store.turns.of_session("s")) == 1


async def test_tools_and_presets_are_listed(chat):
    served = await chat([])
    tools = {each["name"]: each for each in (await served.client.get("/api/code-chat/tools")).json()}
    assert (tools["read_file"]["requires_confirmation"], tools["delete_file"]["requires_confirmation"]) == (False, True)
    assert tools["edit_file"]["parameters"]["required"] == ["path", "old", "new"]
    assert set((await served.client.get("/api/code-chat/presets")).json()) == {"speed", "balanced", "quality"}


async def watched(served, turn_id):
    async for _ in served.runtime.watch(turn_id):
        pass


async def context_of_last(served, session_id="s"):
    last = (await served.runtime.store.turns.of_session(session_id))[-1]
    return (await served.runtime.store.turns.first(last.id)).settings["context"]


async def test_what_a_cancelled_turn_did_is_told_with_the_next_question_once(chat, project, tmp_path):
    def commands(settings, workspace):
        return command_tools(tmp_path / "home", workspaces=workspace, settings=settings)

    script = [
        call("write_file", path="a.py", content="x = 2\n"),
        call("run_command", command="echo made > made.txt"),
        call("run_command", command="touch begun; sleep 300"),
        *("I see.", "Yes."),
    ]
    served = await chat(script, more=commands)
    submitted = await served.runtime.submit(
        "Change x", session_id="s", wanted="code", options=TurnOptions(workspace="code/shop")
    )
    for _ in range(3):
        await watched(served, submitted.turn_id)
        (asked,) = pending(await served.runtime.store.turns.read(submitted.turn_id))
        await served.runtime.approve(submitted.turn_id, [Approval.of(asked, True)])
    await until((project / "begun").exists)
    assert (await served.client.post("/api/code-chat/cancel/s")).json() == {"cancelled": True}
    await watched(served, submitted.turn_id)
    await ask(served, session_id="s")
    stopped = (await context_of_last(served))["stopped_before_its_end"]
    assert (stopped["question"], stopped["files_changed"]) == ("Change x", ["a.py", "made.txt", "begun"])
    assert stopped["commands_run"] == [
        {"command": "echo made > made.txt", "ended": "exit code 0"},
        {"command": "touch begun; sleep 300", "ended": "stopped before its end"},
    ]
    await ask(served, session_id="s")
    assert "stopped_before_its_end" not in await context_of_last(served)


async def test_what_a_cancelled_turn_did_not_do_is_not_told(chat):
    served = await chat([call("delete_file", path="a.py"), "Hello again."])
    async with following(served, session_id="s", workspace_path="code/shop"):
        assert (await served.client.post("/api/code-chat/cancel/s")).json() == {"cancelled": True}
    await ask(served, session_id="s")
    assert "stopped_before_its_end" not in await context_of_last(served)


async def test_what_a_sub_agent_asks_is_shown_and_confirmed(chat, project, tmp_path):
    change = call("write_file", path="a.py", content="x = 2\n")

    def helper(settings, workspace):
        own = make_tools(tmp_path / "home", workspaces=workspace, settings=settings)
        return [Agent(ScriptedModel([change, "Changed."]), own, name="helper").as_tool(description="Changes files.")]

    served = await chat([call("helper", task="Set x to 2."), "Done."], more=helper)
    async with following(served, session_id="s", workspace_path="code/shop") as found:
        shown = found[-1]
        assert (shown["tool"]["tool"], "+x = 2" in shown["content"]) == ("write_file", True)
        assert (await confirm(served, shown)).json() == {"done": True}
        assert (await confirm(served, shown)).status_code == 409
    assert told(found)[-1] == ("answer", "completed")
    assert (project / "a.py").read_text() == "x = 2\n"


async def test_kept_changes_are_erased_with_their_session_and_their_user(chat, tmp_path):
    writes = [call("write_file", path=f"{name}.py", content=f"{name} = 2\n") for name in "abc"]
    served = await chat([one for write in writes for one in (write, "Done.")])
    bob = {"x-user-id": "bob"}
    for session, headers in (("s", None), ("t", None), ("u", bob)):
        await ask(served, session_id=session, workspace_path="code/shop", mode="edits", headers=headers)
    kept = KeptStore(tmp_path / "home")

    def left():
        files = [path for path in (tmp_path / "home" / "code" / "kept").rglob("*") if len(path.name) == 64]
        return [len(kept.of_session(*each)) for each in (("anonymous", "s"), ("anonymous", "t"), ("bob", "u"))], len(
            files
        )

    assert left() == ([1, 1, 1], 4)
    await served.runtime.erasure.erase_sessions(["s"], by="test")
    assert left() == ([0, 1, 1], 2)
    await served.runtime.erasure.erase_user("anonymous")
    assert left() == ([0, 0, 1], 1)
