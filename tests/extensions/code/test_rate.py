"""The setting for file operations a minute counts for all tools of a session together."""

from pathlib import Path

import pytest

from glassloop.core.errors import ToolError
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.files.tools import make_tools as file_tools
from glassloop.extensions.code.search.tools import make_tools as search_tools
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import FixedWorkspace
from glassloop.tools.tool import ToolContext


async def test_reads_and_searches_share_the_limit_of_the_settings(tmp_path: Path) -> None:
    settings = Settings().having(CodeSettings(rate=3))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("one\n")
    workspaces = FixedWorkspace(tmp_path / "work")
    tools = {
        each.spec.name: each
        for make in (file_tools, search_tools)
        for each in make(tmp_path / "home", workspaces=workspaces, settings=settings)
    }
    context = ToolContext(session_id="rated", user="ann")
    for _ in range(2):
        assert (await tools["read_file"].execute({"path": "a.txt"}, context)).success
    assert (await tools["glob"].execute({"pattern": "*.txt"}, context)).success
    with pytest.raises(ToolError, match="3 file operations a minute"):
        await tools["read_file"].execute({"path": "a.txt"}, context)
