"""Undo of commands: what is covered before they run, what is said of the rest, and what is taken back."""

import asyncio
import os
import stat

import pytest

from extensions.code.sandbox_machine import OneWorkspace, git
from glassloop.extensions.code.sandbox.bubblewrap import find_bubblewrap
from glassloop.extensions.code.sandbox.landlock import find_landlock
from glassloop.extensions.code.sandbox.sandbox import NoSandbox
from glassloop.extensions.code.sandbox.snapshot import take_snapshot
from glassloop.extensions.code.sandbox.tools import CommandRunner, command_tool
from glassloop.extensions.code.undo.command_cover import CommandUndo, plan_cover
from glassloop.extensions.code.undo.git_objects import read_blobs, unchanged_blobs
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.extensions.code.undo.undo import Undo
from glassloop.tools.context import ToolContext
from waiting import until

COMMIT = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a")


@pytest.fixture(params=["bubblewrap", "landlock", "off"])
def sandbox(request):
    finders = {"bubblewrap": find_bubblewrap, "landlock": find_landlock, "off": lambda: (NoSandbox(), "")}
    found, why = finders[request.param]()
    if found is None:
        pytest.skip(why)
    return found


class Commands:
    """Runs commands in one folder, and undoes their turns."""

    def __init__(self, base, sandbox, copy_bytes=50_000_000):
        self.root, home = base / "work", base / "home"
        self.root.mkdir()
        kept = KeptStore(home)
        workspaces = OneWorkspace(self.root)
        self.undo = Undo(kept, workspaces)
        self.tool = command_tool(CommandRunner(sandbox, workspaces, (), undo=CommandUndo(home, kept, copy_bytes)))

    def put(self, path, content, mode=0o644):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        place.chmod(mode)

    def commit(self):
        git(self.root, "init", "-q")
        git(self.root, "add", "-A")
        git(self.root, *COMMIT)
        # Older than the index, as files are that were not written this very moment.
        for path in self.root.rglob("*"):
            if path.is_file() and ".git" not in path.parts:
                os.utime(path, (1_700_000_000, 1_700_000_000))
        git(self.root, "update-index", "--refresh")

    async def run(self, line, turn="t1", **arguments):
        context = ToolContext(turn_id=turn, session_id="s", user="ann", call_id="c1")
        return await self.tool.execute({"command": line, **arguments}, context)

    async def undo_warnings(self):
        shown = await self.tool.preview(
            self.tool.validate({"command": "true"}), ToolContext(session_id="s", user="ann")
        )
        return [each for each in shown["warnings"] if "ndo" in each]

    async def take_back(self, turn="t1"):
        plan = await self.undo.plan("ann", turn)
        return await self.undo.apply("ann", turn, plan.digest)

    def modes(self):
        return {path: stat.S_IMODE((self.root / path).stat().st_mode) for path in self.contents()}

    def contents(self):
        below = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return {str(path): (self.root / path).read_bytes() for path in below if ".git" not in path.parts}


@pytest.fixture
def commands(tmp_path, sandbox):
    return Commands(tmp_path.resolve(), sandbox)


@pytest.fixture
def unheld(tmp_path):
    return Commands(tmp_path.resolve(), NoSandbox())


def fill(commands):
    commands.put("a.py", "one\ntwo\nthree\n")
    commands.put("run.sh", "#!/bin/sh\n", 0o755)
    commands.put("data/raw.bin", bytes(range(256)) * 100)
    commands.put("gone.txt", "still needed\n")


CHANGES = "echo 4 >> a.py; chmod 644 run.sh; rm gone.txt; rm data/raw.bin; echo > data/b; mv data/b c; echo 5 >> mine"
"""Some of it is refused by one sandbox or another."""


@pytest.mark.parametrize("versioned", [True, False])
async def test_what_a_command_did_is_taken_back_with_its_turn_and_that_can_be_undone(commands, versioned):
    fill(commands)
    if versioned:
        commands.commit()
    commands.put("mine", "not tracked\n")
    before = commands.contents(), commands.modes()
    result = await commands.run(CHANGES)
    after = commands.contents(), commands.modes()
    assert before != after
    assert result.data["not_undoable"] == []
    assert "Undo cannot" not in result.output
    done = await commands.take_back()
    assert (commands.contents(), commands.modes()) == before
    actions = {each.path: each.action for each in done.files}
    assert {"a.py": "restore", "data/raw.bin": "restore", "mine": "restore"}.items() <= actions.items()
    assert {path for path, action in actions.items() if action == "remove"} == after[0].keys() - before[0].keys()
    await commands.take_back(done.undo_id)
    assert (commands.contents(), commands.modes()) == after


async def test_what_people_changed_since_stays(unheld):
    text = "".join(f"line {n}\n" for n in range(20))
    unheld.put("a.txt", text)
    await unheld.run("sed -i 's/line 3$/LINE/' a.txt")
    unheld.put("a.txt", (unheld.root / "a.txt").read_text().replace("line 15", "mine"))
    await unheld.take_back()
    assert (unheld.root / "a.txt").read_text() == text.replace("line 15", "mine")


async def test_a_second_command_is_covered_with_what_the_first_one_left(unheld):
    unheld.put("a.txt", "one\n")
    await unheld.run("echo two > a.txt", "t1")
    await unheld.run("echo three > a.txt; echo > b", "t2")
    await unheld.take_back("t2")
    assert unheld.contents() == {"a.txt": b"two\n"}
    await unheld.take_back("t1")
    assert unheld.contents() == {"a.txt": b"one\n"}


async def test_what_is_not_covered_is_said_before_and_after(tmp_path):
    commands = Commands(tmp_path.resolve(), NoSandbox(), copy_bytes=10_000)
    commands.put("tracked.bin", b"x" * 20_000)
    commands.commit()
    assert await commands.undo_warnings() == []
    commands.put("big.bin", b"y" * 20_000)
    commands.put("small.txt", "small\n")
    (warning,) = await commands.undo_warnings()
    assert warning == "Undo does not cover 1 file (20 kB), which git does not have as it is: 'big.bin'."
    result = await commands.run("echo 1 > tracked.bin; echo 2 > big.bin; echo 3 > small.txt; ln -s small.txt link")
    assert result.data["not_undoable"] == ["big.bin", "link"]
    assert result.output.endswith("Undo cannot take back: 'big.bin', 'link'")
    await commands.take_back()
    now = commands.contents()
    assert (now["tracked.bin"], now["small.txt"], now["big.bin"]) == (b"x" * 20_000, b"small\n", b"2\n")


async def test_what_a_stopped_or_cancelled_command_did_is_taken_back_too(unheld):
    unheld.put("a.txt", "one\n")
    assert not (await unheld.run("echo two > a.txt; sleep 60", timeout_s=1)).success
    await unheld.take_back()
    assert unheld.contents() == {"a.txt": b"one\n"}
    running = asyncio.ensure_future(unheld.run("echo two > a.txt; echo > started; sleep 60", "t2"))
    await until((unheld.root / "started").exists)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await unheld.take_back("t2")
    assert unheld.contents() == {"a.txt": b"one\n"}


@pytest.mark.parametrize("version", ["2", "4"])
def test_the_index_is_read_as_git_writes_it(unheld, version):
    fill(unheld)
    unheld.put("data/raw2.bin", b"2" * 99)
    unheld.commit()
    unheld.put("later.txt", "later\n")
    git(unheld.root, "add", "-N", "later.txt")
    git(unheld.root, "update-index", "--index-version", version)
    unheld.put("a.py", "changed since\n")
    files = take_snapshot(unheld.root).files
    blobs = unchanged_blobs(unheld.root, files)
    assert sorted(blobs) == ["data/raw.bin", "data/raw2.bin", "gone.txt", "run.sh"]
    found = read_blobs(unheld.root, {blob: files[path].size for path, blob in blobs.items()})
    assert {path: found[blob] for path, blob in blobs.items()} == {
        path: (unheld.root / path).read_bytes() for path in blobs
    }
    assert plan_cover(unheld.root, files).copied == ["later.txt", "a.py"]


def test_contents_that_git_keeps_in_another_form_are_not_taken(unheld):
    unheld.put("a.txt", "one\r\ntwo\r\n")
    git(unheld.root, "init", "-q")
    git(unheld.root, "config", "core.autocrlf", "input")
    unheld.commit()
    files = take_snapshot(unheld.root).files
    blobs = unchanged_blobs(unheld.root, files)
    assert blobs
    assert read_blobs(unheld.root, {blob: files[path].size for path, blob in blobs.items()}) == {}


def test_settings_of_the_repository_run_nothing(unheld):
    unheld.put("a.txt", "one\n")
    unheld.commit()
    for name in ("core.fsmonitor", "core.sshCommand", "remote.origin.uploadpack", "core.pager", "alias.cat-file"):
        git(unheld.root, "config", name, f"!touch {unheld.root}/ran; false")
    blobs = unchanged_blobs(unheld.root, take_snapshot(unheld.root).files)
    assert list(read_blobs(unheld.root, dict.fromkeys(blobs.values(), 4)).values()) == [b"one\n"]
    assert not (unheld.root / "ran").exists()


@pytest.mark.parametrize("broken", [b"", b"DIRC", b"DIRC" + b"\0" * 40, None])
def test_a_broken_index_covers_nothing(unheld, broken):
    unheld.put("a.txt", "one\n")
    unheld.commit()
    index = unheld.root / ".git/index"
    index.write_bytes(index.read_bytes()[:-30] + b"x" * 30 if broken is None else broken)
    assert unchanged_blobs(unheld.root, take_snapshot(unheld.root).files) == {}


async def test_a_pipe_fails_with_any_command_in_it(commands):
    assert (await commands.run("(echo 1 failed; exit 3) | tail -1")).data["exit_code"] == 3
    assert (await commands.run("echo fine | tail -1")).data["exit_code"] == 0
    stopped = await commands.run("yes | head -1")
    assert stopped.output.startswith("exit code 141 (a command in a pipe went on writing after its reader had ended)")


async def test_a_model_is_shown_the_end_of_long_output_and_what_changed(unheld):
    line = "seq 1 5000; echo > made; echo the error"
    context = ToolContext(turn_id="t1", session_id="s", user="ann", call_id="c1", room=lambda: 2_000)
    result = await unheld.tool.execute({"command": line}, context)
    assert len(result.output) <= 2_000
    assert result.output.startswith("exit code 0\n1\n2\n")
    assert "characters left out" in result.output
    assert result.output.endswith("5000\nthe error\n\nNew files: 'made'")
    assert result.data["truncated"]
    assert result.data["output"].count("\n") == 5001
    short = await unheld.run("echo short")
    assert "output" not in short.data
