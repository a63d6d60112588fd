"""`/api/code-chat`: indexes of folders, passages that go with a question, and what folders are."""

from glassloop.models.scripted_model import call
from glassloop.runtime.tools.code_search import make_tools as search_tools
from server.code_chats import ask, told

CONTEXTS = "/api/code-chat/contexts"
HERON = 'def count_herons(river):\n    """How many herons stand in a river."""\n    return len(river.herons)\n'


async def made(served, name="main", workspace="code/shop", headers=None):
    """The index, once its job is over."""
    answer = await served.client.post(CONTEXTS, json={"name": name, "workspace_path": workspace}, headers=headers)
    assert answer.status_code == 202, answer.text
    async for row in served.runtime.jobs.watch(answer.json()["id"]):
        job = row
    assert job.status == "completed", job.error


async def test_a_folder_is_indexed_by_a_job_listed_and_removed(chat, project, tmp_path):
    (project / "birds.py").write_text(HERON)
    served = await chat([])
    assert (await served.client.get(CONTEXTS)).json() == []
    await made(served)
    listed = await served.client.get(CONTEXTS)
    (context,) = listed.json()
    assert (context["name"], context["workspace"], context["state"]) == ("main", "code/shop", "ready")
    assert (context["files"] >= 2, context["passages"] >= 2, context["updated_at"] > 0) == (True, True, True)
    assert str(tmp_path) not in listed.text
    bob = {"x-user-id": "bob"}
    assert (await served.client.get(CONTEXTS, headers=bob)).json() == []
    assert (await served.client.delete(f"{CONTEXTS}/main", headers=bob)).status_code == 404
    assert (await served.client.delete(f"{CONTEXTS}/main")).json() == {"removed": True}
    assert (await served.client.delete(f"{CONTEXTS}/main")).status_code == 404


async def test_no_folder_outside_the_roots_is_indexed(chat):
    served = await chat([])
    for path in ("code/../home", "/etc/ssl/none", "code/nothing"):
        answer = await served.client.post(CONTEXTS, json={"name": "main", "workspace_path": path})
        assert answer.status_code == 400, path


async def test_passages_go_with_a_question_and_are_told_as_context(chat, project):
    (project / "birds.py").write_text(HERON)
    served = await chat(["One."])
    await made(served)
    found = await ask(served, "count herons in a river", session_id="s", context_name="main", use_cgrag=True)
    assert told(found)[:2] == [("state", "planning"), ("context", "planning")]
    assert ("def count_herons" in found[1]["content"], found[1]["data"][0]["path"]) == (True, "birds.py")
    (turn,) = await served.runtime.store.turns.of_session("s")
    started = await served.runtime.store.turns.first(turn.id)
    assert started.settings["foreign_context"] is True
    assert len(started.settings["context"]["passages"]) <= 5


async def test_an_index_that_is_not_there_is_an_error_that_does_not_end_the_turn(chat):
    found = await ask(await chat(["Hello."]), context_name="other", use_cgrag=True)
    (error,) = [each for each in found if each["type"] == "error"]
    assert (error["state"], "indexed" in error["content"]) == ("planning", True)
    assert told(found)[-1] == ("answer", "completed")


def indexed_tools(project):
    """Makes the tool over a runtime that is there later: append it to the list."""
    runtimes = []

    class Indexes:
        async def search(self, *args, **options):
            return await runtimes[0].context.code_indexes.search(*args, **options)

        async def is_building(self, *args):
            return await runtimes[0].context.code_indexes.is_building(*args)

        async def index_of(self, user, root):
            return await runtimes[0].context.code_indexes.index_of(user, root)

    class Folders:
        async def of(self, user, session_id):
            return await runtimes[0].workspaces.of(user, session_id)

    return lambda *_: search_tools(project, Indexes(), Folders()), runtimes


async def test_a_search_in_a_folder_without_an_index_offers_one_and_then_finds_it_by_the_folder(chat, project):
    (project / "birds.py").write_text(HERON)
    other = project.parent / "other"
    other.mkdir()
    (other / "fish.py").write_text(HERON.replace("heron", "trout"))
    tools, runtimes = indexed_tools(project)
    served = await chat([call("search_code", query="count_herons", min_relevance=0.1), "Done."] * 3, more=tools)
    runtimes.append(served.runtime)

    async def searched():
        found = await ask(served, session_id="s", workspace_path="code/shop")
        return next(each for each in found if each["type"] == "observation")["content"]

    assert ("Error" in (none := await searched()), "/index" in none, "Index this folder" in none) == (True, True, True)
    await made(served, "second", "code/other")
    assert ("birds.py" in (some := await searched()), "/index" in some) == (False, True)
    await made(served, None)
    assert ("birds.py:" in (found := await searched()), "/index" in found) == (True, False)
    assert [each["name"] for each in (await served.client.get(CONTEXTS)).json()] == ["code-shop", "second"]


async def test_the_tool_searches_the_index_of_the_session_as_the_files_are_now(chat, project):
    (project / "birds.py").write_text(HERON)
    tools, runtimes = indexed_tools(project)
    look = call("search_code", query="count_herons", min_relevance=0.1)
    change = call("search_code", query="count_marmots", min_relevance=0.1)
    served = await chat([look, "Found.", change, "Found."], more=tools)
    runtimes.append(served.runtime)
    await made(served)
    await made(served, "second", "code")
    wanted = {"session_id": "s", "workspace_path": "code/shop", "context_name": "main"}
    found = await ask(served, **wanted)
    assert "birds.py:" in next(each for each in found if each["type"] == "observation")["content"]
    (project / "deep" / "er").mkdir(parents=True)
    (project / "deep" / "er" / "hills.py").write_text(HERON.replace("heron", "marmot"))
    served.runtime.context.code_indexes.note_changes(project, ["deep/er/hills.py"])
    found = await ask(served, session_id="s")
    assert "deep/er/hills.py:" in next(each for each in found if each["type"] == "observation")["content"]


async def test_folders_are_told_with_what_they_are(chat, project):
    (project / "pyproject.toml").write_text('[project]\nname = "shop"\nversion = "1.2"\n')
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    served = await chat([])
    below = await served.client.get("/api/code-chat/workspaces", params={"path": "code"})
    (entry,) = below.json()["entries"]
    assert (entry["project_type"], entry["is_git"]) == ("python", True)
    info = (await served.client.get("/api/code-chat/workspaces/info", params={"path": "code/shop"})).json()
    assert (info["type"], info["name"], info["version"], info["branch"]) == ("python", "shop", "1.2", "main")
    outside = await served.client.get("/api/code-chat/workspaces/info", params={"path": "/etc"})
    assert outside.status_code == 400
