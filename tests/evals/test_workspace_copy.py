"""Workspaces of suites: each case has a copy of its own, whose files are judged, and the workspace stays as it is."""

import pytest

from evals.shop import suite_of
from glassloop import tool
from glassloop.core.errors import UsageError
from glassloop.evals import workspace_copy
from glassloop.evals.suite_files import read_suite
from glassloop.evals.workspace_copy import read_files
from glassloop.models.scripted_model import call
from glassloop.tools.tool import ToolContext

CASE = """
[[cases]]
id = "{id}"
question = "Q"
files."notes/list.txt" = {{ all = ["Lamp"], none = ["chair"] }}
"""


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "work" / "notes").mkdir(parents=True)
    (tmp_path / "work" / "notes" / "list.txt").write_text("chair\n")
    head = 'name = "shop"\nassistant = "shop"\nworkspace = "work"\napprove = ["put"]\n'
    (tmp_path / "shop.toml").write_text(head + "".join(CASE.format(id=name) for name in ("one", "two")))
    return read_suite(tmp_path / "shop.toml")


@pytest.fixture
def tools(asks):
    """They do what they are told in the session's folder; `seen` are the folders with what was in the list before."""

    def make(name):
        @tool(effect="write", confirm=True, name=name)
        async def change(text: str, context: ToolContext) -> str:
            """Write the list."""
            root = (await asks.runtime.workspaces.of(context.user, context.session_id)).root
            seen.append((root, (root / "notes/list.txt").read_text()))
            (root / "notes/list.txt").write_text(text)
            return "written"

        return change

    seen = []
    return [make("put"), make("overwrite")], seen


async def test_each_case_works_in_a_copy_of_its_own_that_is_judged_and_then_gone(asks, suite, tools, tmp_path):
    made, seen = tools
    script = [call("put", text="a lamp\n"), "Done.", call("put", text="a table\n"), "Done."]
    right, wrong = await asks(suite, script, tools=made)
    assert right.passed
    assert [(each.part, each.expected) for each in wrong.problems] == [("answer", "in notes/list.txt: the word 'Lamp'")]
    assert [text for _, text in seen] == ["chair\n", "chair\n"]
    assert len({root for root, _ in seen}) == 2
    assert all(root.name == "work" and not root.parent.exists() for root, _ in seen)
    assert (tmp_path / "work/notes/list.txt").read_text() == "chair\n"


async def test_only_the_tools_that_the_suite_names_are_approved(asks, suite, tools):
    made, seen = tools
    script = [call("overwrite", text="a lamp\n"), "Done.", call("put", text="lamp"), "Done."]
    refused, approved = await asks(suite, script, tools=made)
    assert (refused.answer, approved.answer) == (False, True)
    assert len(seen) == 1


async def test_a_workspace_that_is_missing_or_too_large_is_told(asks, suite, tools, tmp_path, monkeypatch):
    monkeypatch.setattr(workspace_copy, "MAX_FILES", 0)
    with pytest.raises(UsageError, match="at most 0 files"):
        await asks(suite, ["Done."], tools=tools[0])
    (tmp_path / "work").rename(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="must be a folder"):
        await asks(suite, ["Done."], tools=tools[0], path=tmp_path / "second.jsonl")


def test_a_file_that_is_gone_or_leads_out_of_the_copy_is_not_read(tmp_path):
    (tmp_path / "copy").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "copy" / "out.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "copy" / "here.txt").write_text("here")
    assert read_files(tmp_path / "copy", ["out.txt", "../secret.txt", "gone.txt", "here.txt"]) == {"here.txt": "here"}


async def test_without_a_workspace_a_session_has_no_folder(asks):
    (found,) = await asks(suite_of('[[cases]]\nid = "a"\nquestion = "Q"\ntools = "none"\n'), ["Done."])
    with pytest.raises(UsageError, match="no workspace"):
        await asks.runtime.workspaces.of("eval", found.session_id)
