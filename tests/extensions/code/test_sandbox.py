"""`run_command`: what it answers, where its limits are, and that nothing of a command is left."""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import pytest

from extensions.code.sandbox_machine import OneWorkspace, git
from glassloop.core.errors import BadArguments, UsageError
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.sandbox import seccomp
from glassloop.extensions.code.sandbox.bubblewrap import find_bubblewrap
from glassloop.extensions.code.sandbox.landlock import Landlock, find_landlock
from glassloop.extensions.code.sandbox.limits import SandboxLimits
from glassloop.extensions.code.sandbox.prepared_command import SandboxCommand
from glassloop.extensions.code.sandbox.sandbox import NoSandbox, choose, doctor
from glassloop.extensions.code.sandbox.tools import NOT_HELD, CommandRunner, command_tool, make_tools
from glassloop.runtime.settings import Settings
from glassloop.tools.context import ToolContext
from tools.processes import gone
from waiting import until

ROOT = os.geteuid() == 0


@pytest.fixture(params=["bubblewrap", "landlock"])
def sandbox(request):
    found, why = find_bubblewrap() if request.param == "bubblewrap" else find_landlock()
    if found is None:
        pytest.skip(why)
    return found


@pytest.fixture
def bubblewrap():
    found, why = find_bubblewrap()
    if found is None:
        pytest.skip(why)
    return found


def tool_of(sandbox, root, **options):
    return command_tool(CommandRunner(sandbox, OneWorkspace(root), (), **options))


async def run(sandbox, root, command, context=None, *, limits=None, **arguments):
    tool = tool_of(sandbox, root, limits=limits)
    return await tool.execute({"command": command, **arguments}, context or ToolContext())


def running(mark):
    """Processes that have the mark among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return [pid for pid in found if not gone(pid)]


async def test_a_command_gives_its_output_in_order_and_its_exit_code(sandbox, tmp_path):
    result = await run(sandbox, tmp_path, "echo out; echo err >&2; echo $((1+1)); [[ -n x ]] && exit 3")
    assert result.success
    assert result.output == "exit code 3\nout\nerr\n2\n"
    assert result.data["exit_code"] == 3
    assert result.data["sandbox"] == sandbox.name
    assert result.data["truncated"] is False
    assert result.data["duration_ms"] > 0


async def test_changed_files_are_listed(sandbox, tmp_path):
    for name in ("same", "changed", "deleted"):
        (tmp_path / name).write_text("1")
    result = await run(sandbox, tmp_path, "echo 22 > changed; rm deleted; mkdir d; echo > d/new; cat same")
    assert result.data["changed"] == ["changed", "d/new", "deleted"]
    assert (result.data["created"], result.data["deleted"]) == (["d/new"], ["deleted"])
    assert "New files: 'd/new'\nChanged files: 'changed'\nDeleted files: 'deleted'" in result.output


async def test_a_file_written_back_with_its_old_time_is_still_a_changed_file(bubblewrap, tmp_path):
    (tmp_path / "a").write_text("1")
    result = await run(bubblewrap, tmp_path, "touch -r a ref; echo -n 2 > a; touch -r ref a; rm ref")
    assert result.data["changed"] == ["a"]


async def test_output_is_told_while_the_command_runs(sandbox, tmp_path):
    told = []
    context = ToolContext(report=lambda message, _: told.append(message))
    await run(sandbox, tmp_path, "echo one; sleep 0.4; echo two; sleep 0.4; echo three", context)
    assert any("one" in each for each in told)
    assert all(len(each) <= 500 for each in told)


async def test_the_middle_of_much_output_is_left_out(sandbox, tmp_path):
    result = await run(sandbox, tmp_path, "echo first; yes | head -c 5000000; echo last")
    assert result.data["truncated"]
    assert len(result.output) < 101_000
    assert result.output.startswith("exit code 0\nfirst\n")
    assert "bytes left out" in result.output
    assert result.output.endswith("last\n")


async def test_no_path_of_the_machine_and_no_order_to_a_terminal_is_in_the_output(sandbox, tmp_path):
    result = await run(sandbox, tmp_path, r"pwd; echo $PWD/src/a.py; printf '\033[31mred\033[0m\007'")
    assert result.output == "exit code 0\n.\nsrc/a.py\nred"


async def test_a_command_has_a_clean_environment(sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    result = await run(sandbox, tmp_path, "env; cd; echo > ok && echo home is writable")
    assert "secret" not in result.output
    assert "home is writable" in result.output
    names = {line.partition("=")[0] for line in result.output.splitlines() if "=" in line}
    assert {"PATH", "HOME", "LANG", "TERM", "TMPDIR"} <= names
    assert not names & {"USER", "LOGNAME", "PYTHONPATH", "SSH_AUTH_SOCK"}


@pytest.mark.slow
async def test_a_command_that_takes_too_long_is_stopped_with_what_it_said(sandbox, tmp_path):
    result = await run(sandbox, tmp_path, "echo begun; sleep 60", timeout_s=4)
    assert not result.success
    assert result.error == "The command took longer than 4 s and was stopped. Give it more time, or less to do."
    assert "begun" in result.text
    assert result.data["exit_code"] is None


@pytest.mark.parametrize("how", ["cancelled", "left behind"])
async def test_nothing_is_left_of_a_command_with_children(sandbox, tmp_path, how):
    mark = f"{os.getpid()}9{time.monotonic_ns()}"
    children = f"(trap '' TERM; setsid sleep {mark} & sleep {mark}; sleep {mark}) & sleep {mark} & touch begun;"
    work = asyncio.ensure_future(run(sandbox, tmp_path, f"{children} {'wait' if how == 'cancelled' else 'exit 0'}"))
    if how == "cancelled":
        await until(lambda: (tmp_path / "begun").exists() and len(running(mark)) >= 3)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
    else:
        await work
    await until(lambda: not running(mark))


async def test_a_repository_can_be_read_and_not_written(sandbox, tmp_path):
    git(tmp_path, "init", "-q", ".")
    (tmp_path / "a.txt").write_text("a")
    git(tmp_path, "add", ".")
    result = await run(sandbox, tmp_path, "git status --short; git add -f a.txt; git config a.b c; echo b > a.txt")
    assert "A  a.txt" in result.output
    assert (tmp_path / "a.txt").read_text() == "b\n"
    assert "[a]" not in (tmp_path / ".git/config").read_text()


async def test_a_work_tree_is_read_with_the_repository_it_belongs_to(bubblewrap, tmp_path):
    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    git(main, "init", "-q", ".")
    git(main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "the subject")
    git(main, "worktree", "add", "-q", str(tree))
    result = await run(bubblewrap, tree, f"git log --format=%s; touch {main}/.git/x; ls {main}")
    assert "the subject" in result.output
    assert not (main / ".git/x").exists()


async def test_a_file_that_names_a_foreign_folder_as_its_repository_does_not_show_it(bubblewrap, tmp_path):
    secret, root = tmp_path / "secret/worktrees/x", tmp_path / "root"
    secret.mkdir(parents=True)
    (tmp_path / "secret/objects").mkdir()
    (tmp_path / "secret/key").write_text("canary")
    (secret / "gitdir").write_text("/elsewhere/.git\n")
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {secret}\n")
    assert "canary" not in (await run(bubblewrap, root, f"cat {tmp_path}/secret/key")).output


async def test_a_repository_that_a_command_makes_is_told(bubblewrap, tmp_path):
    result = await run(bubblewrap, tmp_path, "git init -q inner")
    assert "'inner/.git'" in result.output
    assert "version control of its own" in result.output


async def test_limits_of_file_size_and_temporary_space_hold_and_the_command_goes_on(bubblewrap, tmp_path):
    limits = SandboxLimits(file_size=1_000_000, temporary=1_000_000)
    line = (
        "head -c 3000000 /dev/zero > big; stat -c %s big; head -c 3000000 /dev/zero > /tmp/f; stat -c %s /tmp/f; true"
    )
    result = await run(bubblewrap, tmp_path, line, limits=limits)
    assert result.data["exit_code"] == 0
    assert (tmp_path / "big").stat().st_size <= 1_000_000


@pytest.mark.slow
async def test_a_command_is_stopped_before_the_disk_is_full(sandbox, tmp_path):
    if not ROOT or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", tmp_path], check=False).returncode:
        pytest.skip("takes a small disk, which only the administrator can mount")
    try:
        line = (
            "i=0; while [ $i -lt 4000 ]; do head -c 100000 /dev/zero > f$i; sleep 0.01; i=$((i+1)); done; echo filled"
        )
        result = await run(sandbox, tmp_path, line)
        assert "nearly full" in result.text
        assert "filled" not in result.text
        left = os.statvfs(tmp_path)
        assert left.f_bavail > 0
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


async def test_processes_are_counted_where_nothing_else_bounds_them(bubblewrap, tmp_path):
    if not ROOT:
        pytest.skip("of the administrator only")
    line = "for i in $(seq 400); do sleep 30 & done; wait; echo all"
    result = await run(bubblewrap, tmp_path, line, limits=SandboxLimits(processes=64, control_groups=False))
    assert "too many processes: at most 64" in result.text


async def test_with_the_network_a_local_server_is_reached(bubblewrap, tmp_path):
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        line = f"(echo > /dev/tcp/127.0.0.1/{port}) && echo connected"
        assert "connected" not in (await run(bubblewrap, tmp_path, line)).output
        assert "connected" in (await run(bubblewrap, tmp_path, line, network=True)).output


async def test_the_preview_shows_the_command_and_what_holds_it(sandbox, tmp_path):
    tool = tool_of(sandbox, tmp_path)
    shown = await tool.preview(tool.validate({"command": "pytest -q"}), ToolContext())
    assert shown == {
        "command": "pytest -q",
        "folder": ".",
        "timeout_s": 120,
        "network": False,
        "sandbox": sandbox.name,
        "warnings": [],
    }
    asked = await tool.preview(tool.validate({"command": "pip install x", "network": True}), ToolContext())
    assert "has the network" in asked["warnings"][0]


async def test_without_a_sandbox_each_command_says_so(tmp_path):
    tool = tool_of(NoSandbox(), tmp_path)
    shown = await tool.preview(tool.validate({"command": "ls"}), ToolContext())
    assert shown["sandbox"] is None
    assert shown["warnings"] == [NOT_HELD]
    assert tool.requires_confirmation
    assert (await run(NoSandbox(), tmp_path, "echo > x; pwd")).data["changed"] == ["x"]


def test_the_tool_is_offered_only_where_something_holds_commands(tmp_path, monkeypatch):
    def offered(setting):
        settings = Settings(home=str(tmp_path)).having(CodeSettings(sandbox=setting))
        return [tool.name for tool in make_tools(tmp_path, OneWorkspace(tmp_path), settings)]

    monkeypatch.setenv("PATH", str(tmp_path))
    assert offered("bubblewrap") == []
    assert offered("off") == ["run_command"]
    assert make_tools(tmp_path) == ()


def test_the_doctor_says_what_is_in_force_and_why(monkeypatch, tmp_path):
    assert doctor("off").in_force == "off"
    assert "GLASSLOOP_CODE_SANDBOX" in doctor("off").why
    monkeypatch.setenv("PATH", str(tmp_path))
    report = doctor("bubblewrap")
    assert report.in_force is None
    assert "install the package bubblewrap" in report.why
    assert choose("auto")[0] is None or doctor("auto").in_force == "landlock"


async def test_commands_that_cannot_be_any_are_refused(bubblewrap, tmp_path):
    for command in ("", "  ", "a\0b", "x" * 20_001):
        with pytest.raises(BadArguments):
            await run(bubblewrap, tmp_path, command)
    for wrong in ({"timeout_s": 0}, {"timeout_s": 601}, {"network": "maybe"}):
        with pytest.raises(BadArguments):
            await run(bubblewrap, tmp_path, "ls", **wrong)


async def test_a_session_without_a_workspace_is_told_the_remedy(bubblewrap):
    class NoWorkspace:
        async def of(self, user, session_id):
            raise UsageError("Choose a folder first.")

    runner = CommandRunner(bubblewrap, NoWorkspace(), ())
    with pytest.raises(Exception, match=r"Choose a folder first\."):
        await runner.run("ls", 10, False, ToolContext())


def test_the_filter_is_made_for_both_processors():
    for machine in ("x86_64", "aarch64"):
        code = seccomp.program((1,), seccomp.UNMOUNTED, among_others=True, machine=machine)
        assert len(code) % 8 == 0
        assert len(code) // 8 < 4_096


AS_NOBODY = """
import asyncio, os, sys
from pathlib import Path
from glassloop.extensions.code.sandbox.bubblewrap import Bubblewrap
from glassloop.extensions.code.sandbox.limits import SandboxLimits
from glassloop.extensions.code.sandbox.tools import CommandRunner
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.context import ToolContext

class One:
    async def of(self, user, session_id):
        return Workspace(root=Path(sys.argv[1]), user=user, session_id=session_id)

os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
line = (
    "echo x > f && echo made by $(stat -c %u f); cat ../secret; touch ../y; "
    "n=0; while [ $n -lt 300 ]; do sleep 5 & n=$((n+1)); done; [ $(jobs | wc -l) -ge 300 ] && echo ESCAPED"
)
runner = CommandRunner(Bubblewrap("/usr/bin/bwrap"), One(), (), SandboxLimits(processes=64))
print(asyncio.run(runner.run(line, 30, False, ToolContext())).text)
"""


@pytest.mark.skipif(not ROOT, reason="becomes another user")
def test_another_user_than_the_administrator_is_held_as_well():
    """In a process of its own, as there is no way back."""
    if find_bubblewrap()[0] is None:
        pytest.skip(find_bubblewrap()[1])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        workspace = Path(folder) / "w"
        workspace.mkdir()
        os.chown(workspace, 65534, 65534)
        (Path(folder) / "secret").write_text("canary")
        ran = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(workspace)], capture_output=True, check=False, cwd="/", timeout=120
        )
        output = (ran.stdout + ran.stderr).decode()
        # Beside the workspace it sees an empty folder of its own.
        assert not (Path(folder) / "y").exists()
    assert "made by 65534" in output, output
    assert "canary" not in output
    assert "ESCAPED" not in output


@pytest.mark.skipif(not ROOT, reason="gives a folder away")
async def test_commands_of_the_administrator_run_as_the_owner_of_the_folder(sandbox):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        workspace = Path(folder) / "w"
        workspace.mkdir()
        os.chown(workspace, 1234, 1234)
        result = await run(sandbox, workspace, "id -u; echo > made; grep CapEff /proc/self/status")
        assert "1234" in result.output
        assert (workspace / "made").stat().st_uid == 1234


async def test_a_workspace_that_is_a_home_folder_hides_its_secrets(sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in (".ssh/id", ".aws/credentials", ".config/x"):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text("canary")
    (tmp_path / ".bashrc").write_text("true\n")
    (tmp_path / "notes").write_text("plain")
    line = "cat .ssh/id .aws/credentials .config/x; cat notes; echo evil >> .bashrc"
    result = await run(sandbox, tmp_path, line)
    assert "canary" not in result.output
    assert "plain" in result.output
    assert (tmp_path / ".bashrc").read_text() == "true\n"


def test_an_older_landlock_refuses_signals_by_the_filter(tmp_path):
    found, why = find_landlock()
    if found is None:
        pytest.skip(why)
    command = SandboxCommand(line=f"kill -0 {os.getpid()} && echo ESCAPED; echo done", root=tmp_path)
    with Landlock(3).prepared(command) as ready:
        ran = subprocess.run(ready.argv, pass_fds=ready.pass_fds, cwd="/", capture_output=True, check=False)
    assert ran.stdout == b"done\n"
    assert msgspec.json.encode(ready.argv)
