"""Writing, moving and deleting: what is shown, what is kept, and what is refused."""

import subprocess
import sys
import time

import pytest

from glassloop.core.errors import ToolError
from glassloop.extensions.code.access import OperationRate
from glassloop.extensions.code.undo.kept_store import ChangeOrigin, FileChange, FileVersion, KeptStore, sha256_of


async def test_a_new_file_in_new_folders(pack):
    preview = await pack.preview("write_file", path="a/b/c.txt", content="one\ntwo\n")
    assert (preview["change_type"], preview["original_content"], preview["sha256"]) == ("create", None, None)
    assert preview["diff_lines"] == [
        {"line_number": 1, "type": "add", "content": "one"},
        {"line_number": 2, "type": "add", "content": "two"},
    ]
    assert pack.files() == []
    result = await pack.done("write_file", path="a/b/c.txt", content="one\ntwo\n")
    assert result.output == "Wrote 8 characters to the new file 'a/b/c.txt'."
    assert result.metadata == {"path": "a/b/c.txt", "change_type": "create", "changed": ["a/b/c.txt"], "undo": "/undo"}
    assert result.data["change"]["before"] is None
    assert result.data["change"]["after"] == {"sha256": sha256_of(b"one\ntwo\n"), "size": 8, "mode": 0o644}
    assert "create_dirs" in await pack.refused("write_file", path="x/y.txt", content="", create_dirs=False)


async def test_a_whole_file_keeps_its_encoding_newlines_and_mode(pack):
    pack.put("a.txt", "\ufeffone\r\ntwo\r\n".encode("utf-16-le"), 0o755)
    await pack.done("write_file", path="a.txt", content="ä\nb\n")
    assert pack.bytes("a.txt") == "\ufeffä\r\nb\r\n".encode("utf-16-le")
    assert (pack.root / "a.txt").stat().st_mode & 0o777 == 0o755


async def test_the_preview_holds_the_file_and_a_change_meanwhile_is_not_overwritten(pack):
    pack.put("a.txt", "one\n")
    context = pack.context()
    args = {"path": "a.txt", "content": "two\n"}
    first = await pack.preview("write_file", context, **args)
    assert first["sha256"] == sha256_of(b"one\n")
    pack.put("a.txt", "the user's\n")
    assert "changed after this was approved" in await pack.refused("write_file", context, **args)
    assert (await pack.preview("write_file", context, **args))["sha256"] == sha256_of(b"the user's\n")
    await pack.done("write_file", context, **args)
    assert pack.text("a.txt") == "two\n"


async def test_secrets_in_a_file_are_not_in_its_preview(pack):
    pack.put("a.py", 'password = "hunter2hunter2"\nx = 1\n')
    preview = await pack.preview("edit_file", path="a.py", old="x = 1", new="x = 2")
    assert "hunter2" not in str(preview)


async def test_syntax_errors_that_a_change_brought_in_are_told(pack):
    pack.put("a.py", "x = 1\n")
    result = await pack.done("write_file", path="a.py", content="def f(:\n    return 1\n")
    assert result.data["diagnostics"][0]["line"] == 1
    assert "line 1" in result.output
    fixed = await pack.done("write_file", path="a.py", content="y = 2\n")
    assert fixed.data["diagnostics"] == []


async def test_moves_and_deletes(pack):
    pack.put("a.txt", "one\n")
    pack.put("b.txt", "two\n")
    (pack.root / "folder").mkdir()
    (pack.root / "link").symlink_to("a.txt")
    pack.put(".env", "K=1\n")
    assert "there already" in await pack.refused("move_file", source="a.txt", target="b.txt")
    assert "is a folder" in await pack.refused("delete_file", path="folder")
    assert "is a link" in await pack.refused("delete_file", path="link")
    assert "secrets" in await pack.refused("move_file", source=".env", target="plain.txt")
    assert (await pack.preview("delete_file", path="b.txt"))["change_type"] == "delete"
    moved = await pack.done("move_file", source="a.txt", target="new/c.txt")
    assert (moved.data["change"]["source"], moved.data["change"]["path"]) == ("a.txt", "new/c.txt")
    await pack.done("delete_file", path="b.txt")
    assert pack.files() == [".env", "link", "new/c.txt"]
    assert pack.kept.content(sha256_of(b"two\n")) == b"two\n"


def test_a_delete_can_never_be_allowed_for_a_session(pack):
    grants = {name: each.spec.grant for name, each in pack.tools.items() if each.spec.effect == "write"}
    assert grants.pop("delete_file") == "never"
    assert set(grants.values()) == {"folder"}
    assert all(each.spec.domain == "code" and each.spec.volatile for each in pack.tools.values())


def test_the_rate_is_of_a_session_and_says_how_long_to_wait():
    now = [0.0]
    rate = OperationRate(clock=lambda: now[0])
    for _ in range(100):
        rate.count("ann", "s1")
    now[0] = 20.0
    with pytest.raises(ToolError, match="Wait 40 s"):
        rate.count("ann", "s1")
    rate.count("ann", "s2")
    now[0] = 60.0
    rate.count("ann", "s1")


def test_the_store_forgets_the_oldest_by_age_and_size(tmp_path):
    now = [1_000_000.0]
    kept = KeptStore(tmp_path, days=1, max_bytes=100_000, clock=lambda: now[0])
    contents = [bytes([n]) * 10_000 for n in range(20)]
    for n, content in enumerate(contents):
        version = FileVersion.of(content, 0o600)
        origin = ChangeOrigin(user="ann", session_id="s", turn_id=f"t{n}", call_id="c", root="/r")
        kept.record(origin, [FileChange(path="a", change_type="create", before=None, after=version)], [content])
    kept.prune()
    left = [content for content in contents if kept.content(sha256_of(content)) is not None]
    assert sum(map(len, left)) <= 100_000
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "code" / "kept").rglob("*") if path.is_file()}
    assert modes <= {0o600}
    now[0] += 86_401
    kept.prune()
    assert not any(kept.of_turn("ann", f"t{n}") for n in range(20))


WRITER = """
import asyncio, itertools, sys
from pathlib import Path
from glassloop.extensions.code.files.tools import make_tools
from glassloop.extensions.code.access import OperationRate
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.tool import ToolContext

class One:
    async def of(self, user, session_id):
        return Workspace(root=Path(sys.argv[1]), user=user, session_id=session_id)

async def main():
    tools = {t.name: t for t in make_tools(Path(sys.argv[2]), workspaces=One(), rate=OperationRate(limit=10**9))}
    write = tools["write_file"]
    print("ready", flush=True)
    for n in itertools.count(1):
        text = (str(n % 10) * 99 + chr(10)) * 2000
        await write.execute(write.validate({"path": "a.bin.txt", "content": text}),
            ToolContext(turn_id=f"t{n}", session_id="s", user="ann", call_id="c"))

asyncio.run(main())
"""


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_a_kill_during_a_write_leaves_the_file_whole_and_the_change_known(pack, kills):
    for n in range(kills):
        (pack.root / "a.bin.txt").unlink(missing_ok=True)
        argv = [sys.executable, "-c", WRITER, str(pack.root), str(pack.home)]
        with subprocess.Popen(argv, stdout=subprocess.PIPE) as child:
            assert child.stdout.readline() == b"ready\n"
            while not (pack.root / "a.bin.txt").exists():
                time.sleep(0.001)
            time.sleep(0.003 * (n + 1))
            child.kill()
        raw = pack.bytes("a.bin.txt")
        assert len(raw) == 200_000
        assert set(raw) == {raw[0], 10}
        known = pack.kept.of_session("ann", "s")
        assert any(each.change.after.sha256 == sha256_of(raw) for each in known)
        assert pack.kept.content(sha256_of(raw)) == raw
