"""Indexed workspaces by their names, each user's own, and the tool that searches them."""

import asyncio

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core.errors import UnknownName, UsageError
from glassloop.models.scripted_model import call
from glassloop.retrieval import Library
from glassloop.retrieval.code.code_contexts import CodeContexts
from glassloop.runtime.tools.code_search import make_tools
from retrieval.code_files import FEW, function, write


@pytest.fixture
async def contexts(tmp_path):
    made = CodeContexts(Library(tmp_path / "library"), tmp_path / "contexts")
    yield made
    await made.aclose()


async def test_a_user_finds_only_in_their_own_workspaces(contexts, tmp_path):
    for user, word in (("ann", "heron"), ("bob", "marmot")):
        (tmp_path / user).mkdir()
        write(tmp_path / user, {"a.py": function(f"{word}_of_{user}")})
        await contexts.create(user, "main", tmp_path / user)
    (hit,) = await contexts.search("ann", "heron_of_ann", min_relevance=FEW)
    assert (hit.document, "heron" in hit.text) == ("a.py", True)
    assert await contexts.search("ann", "marmot", min_relevance=FEW) == []
    with pytest.raises(UnknownName, match="No workspace is indexed yet"):
        await contexts.search("eve", "heron")
    with pytest.raises(UnknownName, match="choose from those there are \\('main'\\)"):
        await contexts.search("ann", "heron", "other")
    await contexts.create("ann", "second", tmp_path / "bob")
    with pytest.raises(UnknownName, match="context_name"):
        await contexts.search("ann", "heron")
    assert [each.name for each in await contexts.of("ann")] == ["main", "second"]
    assert await contexts.remove("ann", "second")
    assert not await contexts.remove("ann", "second")
    assert await contexts.forget_user("ann") == 1
    assert await contexts.of("ann") == []
    assert len(await contexts.search("bob", "marmot", min_relevance=FEW)) == 1


async def test_an_index_that_moves_to_another_folder_forgets_the_first(contexts, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, {f"{name}.py": function(f"heron_{name}")})
    await contexts.create("ann", "main", tmp_path / "one")
    await contexts.create("ann", "main", tmp_path / "two")
    assert [hit.document for hit in await contexts.search("ann", "heron", min_relevance=FEW)] == ["two.py"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb"])
async def test_a_name_that_cannot_be_shown_is_refused(contexts, tmp_path, name):
    with pytest.raises(UsageError, match="cannot name an index"):
        await contexts.create("ann", name, tmp_path)


async def test_a_workspace_that_is_not_there_is_refused(contexts, tmp_path):
    with pytest.raises(UsageError, match="There is no folder 'nowhere'"):
        await contexts.create("ann", "main", tmp_path / "nowhere")


async def test_one_index_too_many_is_refused_and_those_there_are_can_still_be_renewed(tmp_path):
    contexts = CodeContexts(Library(tmp_path / "library"), tmp_path / "contexts", most=1)
    root = tmp_path / "ws"
    root.mkdir()
    try:
        await contexts.create("ann", "main", root)
        with pytest.raises(UsageError, match="limit"):
            await contexts.create("ann", "second", root)
        await contexts.create("ann", "main", root)
        await contexts.create("bob", "main", root)
    finally:
        await contexts.aclose()


async def test_the_tool_answers_with_paths_lines_and_counts(contexts, tmp_path):
    root = tmp_path / "ws"
    root.mkdir()
    write(root, {"src/birds.py": function("find_heron", "looks for herons by the lake")})
    await contexts.create("anonymous", "main", root)
    (found,) = make_tools(tmp_path, contexts)
    assert list(found.parameter_schema["properties"]) == ["query", "context_name", "max_results", "min_relevance"]
    script = [call("search_code", query="find_heron lake"), call("search_code", query="heron", context_name="nope")]
    steps = (await Agent(ScriptedModel([*script, "There."]), [found]).run("Where?")).steps
    result = steps[0].observation
    assert "src/birds.py:1-3" in result.output
    assert "     1\tdef find_heron" in result.output
    assert "is being made" not in result.output
    assert result.data["result_count"] == 1
    assert result.data["tokens_used"] > 5
    assert result.data["top_scores"][0] >= 0.7
    assert "There is no index 'nope'" in steps[1].observation.error
    assert str(tmp_path) not in result.output + steps[1].observation.error


async def test_an_index_that_was_not_read_to_its_end_is_searched_and_told_to_be_in_the_making(contexts, tmp_path):
    root = tmp_path / "ws"
    root.mkdir()
    write(root, {"birds.py": function("find_heron")})
    making = asyncio.create_task(contexts.create("anonymous", "main", root))
    while not await contexts.of("anonymous"):
        await asyncio.sleep(0)
    assert await contexts.is_building("anonymous")
    making.cancel()
    await asyncio.wait([making])
    (found,) = make_tools(tmp_path, contexts)
    script = [call("search_code", query="find_heron", min_relevance=0.1), "There."]
    result = (await Agent(ScriptedModel(script), [found]).run("Where?")).steps[0].observation
    assert "birds.py:1-" in result.output
    assert "is being made just now" in result.output
    assert not await contexts.is_building("anonymous")


async def test_without_an_index_the_tool_names_others_and_who_can_make_one(contexts, tmp_path):
    for given in (None, contexts):
        (found,) = make_tools(tmp_path, given)
        steps = (await Agent(ScriptedModel([call("search_code", query="heron"), "No."]), [found]).run("Where?")).steps
        error = steps[0].observation.error
        assert "No workspace is indexed" in error
        assert "use grep_files" in error
        assert "Only the user" in error and "/index" in error
