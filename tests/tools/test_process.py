"""Programs run for a tool: what they get, what is kept of what they say, and that nothing is left of them."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from glassloop import tool
from glassloop.core.errors import ToolError, ToolTimedOut, UsageError
from glassloop.tools.context import ToolCancelled, ToolContext
from glassloop.tools.process import process_group as group
from glassloop.tools.process.program import PASSED_ON, PROCESSES, run_process, run_process_sync
from tools.processes import children_of, gone, lines_of, state_of
from waiting import until

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
TREE = "echo $$ > pids; sleep 100 & echo $! >> pids; wait"


def pids(folder):
    return [int(line) for line in lines_of(folder / "pids")]


async def begun(folder, count=2):
    await until(lambda: len(pids(folder)) == count)


async def test_a_program_gives_its_output_its_errors_and_its_status():
    result = await run_process(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (result.returncode, result.stdout, result.stderr, result.truncated) == (3, b"out\n", b"err\n", False)
    assert (result.text, result.error_text) == ("out\n", "err\n")


async def test_a_program_killed_by_a_signal_has_its_negative_number():
    assert (await run_process(["sh", "-c", "kill -9 $$"])).returncode == -signal.SIGKILL


async def test_no_shell_reads_the_arguments():
    assert (await run_process(["echo", "$HOME; ls *"])).text == "$HOME; ls *\n"


async def test_a_program_reads_what_it_is_given_and_otherwise_nothing():
    given = b"0123456789" * 100_000
    assert (await run_process(["cat"], stdin=given)).stdout == given
    assert (await run_process(["cat"])).stdout == b""


async def test_a_program_that_does_not_read_what_it_is_given_is_no_trouble():
    assert (await run_process(["true"], stdin=b"x" * 5_000_000)).returncode == 0


async def test_text_that_is_not_unicode_can_be_read_all_the_same():
    assert (await run_process(["printf", r"caf\351"])).text == "caf\ufffd"


async def test_a_program_gets_what_it_needs_and_none_of_our_secrets(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("DATABASE_URL", "secret")
    monkeypatch.delenv("LANG", raising=False)
    lines = (await run_process(["env"], env={"GREETING": "hello", "TZ": "UTC"})).text.splitlines()
    assert "secret" not in str(lines)
    assert {"GREETING=hello", "TZ=UTC", "LANG=C.UTF-8", f"PATH={os.environ['PATH']}"} <= set(lines)
    assert {line.partition("=")[0] for line in lines} <= {*PASSED_ON, "GREETING"}


async def test_a_program_runs_where_it_is_told(tmp_path):
    assert (await run_process(["pwd"], cwd=tmp_path)).text.strip() == os.path.realpath(tmp_path)


async def test_a_program_has_its_own_session_and_so_no_terminal():
    code = "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())"
    assert (await run_process([sys.executable, "-S", "-c", code])).text == "True\n"


async def test_of_a_million_lines_the_first_and_the_last_are_kept():
    result = await run_process(["seq", "1000000"], max_bytes=10_000)
    assert result.truncated
    assert len(result.stdout) < 10_100
    head, gap, tail = result.text.partition("\n[... 6878896 bytes left out ...]\n")
    assert gap
    assert head.startswith("1\n2\n")
    assert tail.endswith("\n999999\n1000000\n")


async def test_two_streams_that_flood_at_once_do_not_block_each_other():
    result = await run_process(["sh", "-c", "seq 200000; seq 200000 >&2; seq 200000"], max_bytes=1_000)
    assert (result.returncode, result.truncated) == (0, True)
    assert result.text.endswith("\n200000\n")
    assert result.error_text.endswith("\n200000\n")


@pytest.mark.parametrize(
    ("size", "limit", "kept"),
    [
        (0, 10, b""),
        (10, 10, b"0123456789"),
        (11, 10, b"01234\n[... 1 bytes left out ...]\n6789X"),
        (11, 3, b"0\n[... 8 bytes left out ...]\n9X"),
        (11, 0, b"\n[... 11 bytes left out ...]\n"),
    ],
)
async def test_as_much_is_kept_as_allowed_and_the_rest_is_counted(size, limit, kept):
    result = await run_process(["printf", "%s", "0123456789X"[:size]], max_bytes=limit)
    assert result.stdout == kept
    assert result.truncated == (size > limit)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["no-such-program"], "There is no program 'no-such-program' here: install it, or give its full path."),
        (["./notes.txt"], "'./notes.txt' may not be run: give the path of a program that this user may execute."),
        (["echo", "a\0b"], "'echo' cannot be run with these arguments: embedded null byte."),
        (["true", "x" * 5_000_000], "'true' could not be started: Argument list too long."),
    ],
)
async def test_what_cannot_be_started_is_told_in_a_sentence(tmp_path, argv, told):
    (tmp_path / "notes.txt").write_text("notes")
    with pytest.raises(ToolError) as raised:
        await run_process(argv, cwd=tmp_path)
    assert str(raised.value) == told


async def test_a_folder_that_does_not_exist_is_told_apart_from_a_missing_program(tmp_path):
    with pytest.raises(
        ToolError, match=r"'true' cannot be run in '.*gone': No such file .* Name a folder that exists\."
    ):
        await run_process(["true"], cwd=tmp_path / "gone")


@pytest.mark.parametrize("argv", ["ls -l", "", []])
async def test_a_command_line_in_one_string_is_refused_with_the_remedy(argv):
    with pytest.raises(UsageError, match=r"as in \['ls', '-l'\]"):
        await run_process(argv)


async def test_a_program_past_its_time_is_ended_with_all_it_started(tmp_path):
    with pytest.raises(ToolTimedOut, match=r"'sh' took longer than 0\.3 s and was stopped\."):
        await run_process(["sh", "-c", TREE], cwd=tmp_path, timeout_s=0.3)
    assert all(gone(pid) for pid in pids(tmp_path))


@pytest.mark.parametrize(("effect", "cause"), [("write", "in_doubt"), ("read", "ran")])
async def test_of_an_effect_whose_program_ran_out_of_time_the_outcome_is_unknown(bench, effect, cause):
    @tool(effect=effect)
    async def deploy() -> str:
        """Deploys."""
        return (await run_process(["sleep", "100"], timeout_s=0.05)).text

    result = await bench(deploy).call("deploy", {})
    assert (result.success, result.error) == (False, "'sleep' took longer than 0.05 s and was stopped.")
    assert result.cause == cause


@linux
async def test_of_a_cancelled_run_no_process_is_left_not_even_a_dead_one(tmp_path):
    before = children_of(os.getpid())
    task = asyncio.create_task(run_process(["sh", "-c", TREE], cwd=tmp_path))
    await begun(tmp_path)
    assert [state_of(pid)[2] for pid in pids(tmp_path)] == [str(pids(tmp_path)[0])] * 2
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all(gone(pid) for pid in pids(tmp_path))
    assert set(children_of(os.getpid())) <= set(before)


async def test_a_program_that_will_not_stop_is_killed(tmp_path, monkeypatch):
    loop = "while :; do sleep 0.02; done"
    stubborn = f"trap 'echo asked >> asked' TERM; echo $$ > pids; (trap '' TERM; {loop}) & echo $! >> pids; {loop}"
    task = asyncio.create_task(run_process(["sh", "-c", stubborn], cwd=tmp_path, grace_s=600))
    await begun(tmp_path)
    task.cancel()
    await until(lambda: lines_of(tmp_path / "asked"))
    # Once more, in the middle: it is waited for all the same.
    task.cancel()
    monkeypatch.setattr(group, "monotonic", lambda: time.monotonic() + 600)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all(gone(pid) for pid in pids(tmp_path))


async def test_each_process_of_a_tree_may_tidy_up_before_it_goes(tmp_path):
    tidy = "(trap 'sleep 0.1; echo tidy > tidied; exit' TERM; echo x > pids; while :; do sleep 0.02; done) & wait"
    task = asyncio.create_task(run_process(["sh", "-c", tidy], cwd=tmp_path, grace_s=60))
    await until(lambda: lines_of(tmp_path / "pids"))
    task.cancel()
    await asyncio.wait([task])
    assert lines_of(tmp_path / "tidied") == ["tidy"]


async def test_what_a_program_leaves_behind_ends_with_it():
    result = await asyncio.wait_for(run_process(["sh", "-c", "sleep 100 & echo $!"]), 60)
    assert gone(int(result.text))


async def test_a_daemon_that_holds_on_to_the_output_does_not_hold_up_the_run():
    code = "import subprocess; print(subprocess.Popen(['sleep', '100'], start_new_session=True).pid)"
    result = await asyncio.wait_for(run_process([sys.executable, "-S", "-c", code]), 60)
    daemon = int(result.text)
    assert not gone(daemon)
    os.kill(daemon, signal.SIGKILL)


async def test_a_run_cancelled_while_it_queues_never_starts(tmp_path):
    held = ["sh", "-c", "echo $$ >> pids; exec sleep 100"]
    first = [asyncio.create_task(run_process(held, cwd=tmp_path)) for _ in range(PROCESSES)]
    await begun(tmp_path, PROCESSES)
    queued = asyncio.create_task(run_process(["touch", "started"], cwd=tmp_path))
    await asyncio.sleep(0)
    queued.cancel()
    await asyncio.wait([queued], timeout=60)
    assert queued.cancelled()
    for each in first:
        each.cancel()
    await asyncio.wait(first)
    await run_process(["true"])
    assert not (tmp_path / "started").exists()


async def test_many_run_side_by_side():
    results = await asyncio.gather(*(run_process(["echo", str(number)]) for number in range(50)))
    assert [result.text for result in results] == [f"{number}\n" for number in range(50)]


async def test_a_plain_function_runs_a_program_in_its_thread():
    result = await asyncio.to_thread(run_process_sync, ["cat"], ToolContext(), stdin=b"hello")
    assert result.text == "hello"


async def test_a_plain_functions_program_ends_when_nobody_waits_any_more(tmp_path):
    context = ToolContext(cancellation=threading.Event())
    task = asyncio.create_task(asyncio.to_thread(run_process_sync, ["sh", "-c", TREE], context, cwd=tmp_path))
    await begun(tmp_path)
    context.cancellation.set()
    with pytest.raises(ToolCancelled):
        await task
    assert all(gone(pid) for pid in pids(tmp_path))
    with pytest.raises(ToolCancelled):
        await asyncio.to_thread(run_process_sync, ["touch", "started"], context, cwd=tmp_path)
    assert not (tmp_path / "started").exists()


PARENT = """
import asyncio
from glassloop.tools.process.program import run_process
asyncio.run(run_process(["sh", "-c", {tree!r}]))
"""


@linux
async def test_a_program_does_not_outlive_a_parent_that_was_killed(tmp_path):
    code = PARENT.format(tree=TREE)
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) as parent:
        await begun(tmp_path)
        # The program, and the one who watches over it.
        await until(lambda: len(children_of(parent.pid)) == 2)
        parent.kill()
    await until(lambda: all(gone(pid) for pid in pids(tmp_path)))


ADOPTING = """
import ctypes, os
from glassloop.core.errors import ToolTimedOut
from glassloop.tools.context import ToolContext
from glassloop.tools.process.program import run_process_sync
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
try:
    run_process_sync(["sh", "-c", "sleep 100 & sleep 100 & wait"], ToolContext(), timeout_s=0.2)
except ToolTimedOut:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("no child is left")
"""


@linux
async def test_where_orphans_become_our_children_they_are_buried_too():
    result = await run_process([sys.executable, "-W", "error", "-c", ADOPTING])
    assert (result.text, result.error_text) == ("no child is left\n", "")
