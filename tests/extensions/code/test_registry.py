"""The tools of the code assistant as its file names them: which there are, what they do, and which ask."""

from pathlib import Path

import pytest

from glassloop.extensions.code.extension import CodeSettings
from glassloop.runtime.assistants.assistant_files import find_assistant, load_parts
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import FixedWorkspace
from glassloop.tools.registry import ToolRegistry

READS = {"read_file", "list_directory", "glob", "grep_files", "search_code", "code_map", "find_symbol"} | {
    "find_references"
}
WRITES = {"write_file", "edit_file", "multi_edit", "apply_patch", "move_file"}


@pytest.fixture
def registry(tmp_path: Path) -> ToolRegistry:
    settings = Settings(home=str(tmp_path / "home"), model="reflex").having(CodeSettings(sandbox="off"))
    more = {"workspaces": FixedWorkspace(tmp_path)}
    return load_parts(find_assistant("code", settings), settings, more).tools


def test_the_tools_are_those_of_the_contract(registry: ToolRegistry) -> None:
    others = {"delete_file", "run_command", "web_search", "todo", "search_past_conversations"}
    assert set(registry.specs) == READS | WRITES | others


def test_what_changes_something_asks_and_says_how_it_can_be_allowed(registry: ToolRegistry) -> None:
    specs = registry.specs
    assert {name for name, spec in specs.items() if spec.confirm} == WRITES | {"delete_file", "run_command"}
    assert {specs[name].effect for name in READS} == {"read"}
    assert {(specs[name].effect, specs[name].grant) for name in WRITES} == {("write", "folder")}
    assert (specs["delete_file"].effect, specs["delete_file"].grant) == ("write", "never")
    assert (specs["run_command"].effect, specs["run_command"].grant) == ("external", "command")
    assert (specs["web_search"].effect, specs["web_search"].confirm) == ("external", False)
    assert specs["read_file"].grant == "never"


def test_every_tool_of_the_pack_is_of_the_domain_code_and_volatile(registry: ToolRegistry) -> None:
    own = [spec for name, spec in registry.specs.items() if name not in ("todo", "search_past_conversations")]
    assert all(spec.domain == "code" and spec.volatile for spec in own)


def test_the_prompt_leaves_a_small_model_its_room(tmp_path: Path) -> None:
    found = find_assistant("code", Settings(home=str(tmp_path / "home"), model="reflex"))
    assert len(found.prompt) / 4 <= 600
    assert len(found.prompt_brief) / 4 <= 150
