"""The audit of code tools: what was done, refused and failed, its quota, and the count of violations."""

import pytest

from glassloop.core.errors import ToolError
from glassloop.extensions.code import audit
from glassloop.extensions.code.access import violations
from glassloop.extensions.code.files.tools import make_tools
from glassloop.extensions.code.metrics import ViolationCollector
from glassloop.runtime.workspaces import FixedWorkspace
from glassloop.store import open_store
from glassloop.store.tables.governance.operations import ToolOperation
from glassloop.tools.tool import ToolContext

CONTEXT = ToolContext(turn_id="t", session_id="s", user="ann", call_id="c")


@pytest.fixture
async def store(tmp_path):
    async with await open_store(f"sqlite:///{tmp_path}/audit.db") as opened:
        yield opened


@pytest.fixture
def tools(store, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.py").write_text("x = 1\n")
    made = make_tools(tmp_path / "home", workspaces=FixedWorkspace(tmp_path / "work"), store=store)
    return {each.name: each for each in made}


async def run(tool, **arguments):
    return await tool.start(tool.validate(arguments), CONTEXT)


async def test_calls_are_recorded_with_what_they_did(store, tools):
    await run(tools["read_file"], path="a.py")
    await run(tools["write_file"], path="b.py", content="yes\n")
    written, read = await store.operations.list(kind="code")
    assert (read.tool, read.path, read.operation, read.bytes, read.outcome) == ("read_file", "a.py", "read", 6, "done")
    assert (written.path, written.operation, written.bytes) == ("b.py", "create", 4)
    assert (read.user_id, read.session_id, read.turn_id, read.call_id) == ("ann", "s", "t", "c")


async def test_a_path_that_leads_out_is_recorded_counted_and_logged(store, tools, caplog):
    before = violations.total
    with pytest.raises(ToolError):
        await run(tools["read_file"], path="../outside")
    with pytest.raises(ToolError):
        await tools["write_file"].preview(tools["write_file"].validate({"path": "/etc/x", "content": ""}), CONTEXT)
    rows = await store.operations.list(kind="code", outcome="refused")
    assert [(row.path, "outside the workspace" in row.why) for row in rows] == [("/etc/x", True), ("../outside", True)]
    assert violations.total == before + 2
    (metric,) = ViolationCollector().collect()
    assert metric.samples[0].value == violations.total
    assert "refused a path of session s" in caplog.text


async def test_the_tools_are_offered_as_before(tools, tmp_path):
    for plain in make_tools(tmp_path / "home", workspaces=FixedWorkspace(tmp_path / "work")):
        assert tools[plain.name].spec == plain.spec
        assert tools[plain.name].has_terms == plain.has_terms


async def test_each_kind_has_a_quota_and_the_oldest_go_first(store):
    for kind, count in (("code", 5), ("other", 2)):
        for number in range(count):
            row = ToolOperation(
                kind=kind, user_id="ann", session_id="s", turn_id="t", call_id=str(number), tool="x", outcome="done"
            )
            await store.operations.record(row)
    assert await store.operations.prune("code", 0.0, 3) == 2
    assert [row.call_id for row in await store.operations.list(kind="code")] == ["4", "3", "2"]
    assert await store.operations.prune("code", store.engine.clock() + 1, 3) == 3
    assert len(await store.operations.list()) == 2
    assert (audit.MAX_ROWS, audit.KEEP_DAYS) == (1_000_000, 90.0)
    await store.maintenance.delete_user("ann")
    assert await store.operations.list() == []
