"""Commands in the sandbox: what it adds to each, and how soon nothing is left of one that is cancelled.

    python bench/code_sandbox.py [--rounds N] [--files N] [--json FILE]

Each command is run bare and in each sandbox that works here, by turns, so that all of them see the same machine. Prints
the rows with their bars; exits with 1 when one is missed.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import bars
from glassloop.extensions.code.sandbox.bubblewrap import find_bubblewrap
from glassloop.extensions.code.sandbox.landlock import find_landlock
from glassloop.extensions.code.sandbox.prepared_command import Sandbox, SandboxCommand
from glassloop.extensions.code.sandbox.tools import CommandRunner
from glassloop.extensions.code.undo.command_cover import CommandUndo
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.context import ToolContext
from glassloop.tools.process.program import run_process

MAX_COST_MS = 60.0
MAX_CANCEL_MS = 1_500.0
CANCELS = 5


class OneWorkspace:
    """Every session works in the same folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    async def of(self, user: str, session_id: str) -> Workspace:
        return Workspace(root=self.root, user=user, session_id=session_id)


async def bare(root: Path) -> float:
    began = time.perf_counter()
    await run_process(["/bin/bash", "-c", "true"], cwd=root)
    return time.perf_counter() - began


async def held(sandbox: Sandbox, root: Path) -> float:
    began = time.perf_counter()
    with sandbox.prepared(SandboxCommand(line="true", root=root, protected=(".git",))) as ready:
        ended = await run_process(
            ready.argv, cwd=ready.cwd, env=ready.env, pass_fds=ready.pass_fds, watch=ready.watch, merged=True
        )
    if ended.returncode:
        raise SystemExit(f"{sandbox.name} did not run the command: {ended.text}")
    return time.perf_counter() - began


def left(mark: str) -> bool:
    return any(mark in Path(path).read_text() for path in _command_lines())


def _command_lines() -> list[str]:
    return [f"/proc/{name}/cmdline" for name in os.listdir("/proc") if name.isdigit() and _exists(name)]  # noqa: PTH208


def _exists(pid: str) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_text())
    except OSError:
        return False


async def cancelled(sandbox: Sandbox, root: Path, number: int) -> float:
    """Seconds from the cancel to the end of the last process, of children that do not want to go."""
    mark = f"{os.getpid()}7{number}"
    child = f"(trap '' TERM; setsid sleep {mark} & sleep {mark})"
    line = f"trap '' TERM; for i in 1 2 3 4 5; do {child} & done; touch on; wait"
    runner = CommandRunner(sandbox, OneWorkspace(root), ())
    work = asyncio.ensure_future(runner.run(line, 60, False, ToolContext()))
    while not (root / "on").exists():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)
    (root / "on").unlink()
    began = time.perf_counter()
    work.cancel()
    await asyncio.wait([work])
    while True:
        try:
            if not left(mark):
                return time.perf_counter() - began
        except OSError:
            continue
        await asyncio.sleep(0.005)


def fill(root: Path, files: int) -> None:
    """A repository with so many files, all of them known to git."""
    for number in range(files):
        folder = root / f"part{number // 100}" / f"unit{number // 10 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file{number % 10}.py").write_text(f"value_{number} = {number}\n" * 20)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=root, check=True)


async def with_undo(sandboxes: Sequence[Sandbox], files: int, rounds: int) -> list[bars.Bar]:
    """What a call of `run_command` takes: notes the files, starts, ends, looks what changed and keeps it."""
    rows: list[bars.Bar] = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        root = Path(folder).resolve()
        fill(root, files)
        await asyncio.sleep(2.1)
        undo = CommandUndo(Path(home), KeptStore(Path(home)))
        lines = {"that changes nothing": "true", "that changes a file": "date +%N >> part1/unit1/file1.py"}
        for sandbox in sandboxes:
            runner = CommandRunner(sandbox, OneWorkspace(root), (), undo=undo)
            await runner.run("true", 60, False, ToolContext())
            for what, line in lines.items():
                added: list[float] = []
                for _ in range(rounds):
                    floor = await bare(root)
                    began = time.perf_counter()
                    result = await runner.run(line, 60, False, ToolContext())
                    added.append((time.perf_counter() - began - floor) * 1e3)
                    if result.data["exit_code"]:
                        raise SystemExit(f"{sandbox.name} did not run the command: {result.output}")
                rows.append(
                    bars.Bar(title=f"code: {sandbox.name} with undo, {files:,} files, a command {what}", unit=" ms",
                             limit=MAX_COST_MS, figures={bars.OURS: statistics.median(added)},
                             spread=bars.span(added), source="contract")
                )  # fmt: skip
    return rows


async def measure(rounds: int, files: int) -> bars.Report:
    found = (find_bubblewrap(), find_landlock())
    sandboxes: list[Sandbox] = [sandbox for sandbox, _ in found if sandbox is not None]
    rows: list[bars.Bar] = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        # A folder with a repository takes no new file at its top where Landlock holds the command.
        (root / "on").touch()
        await bare(root)
        floors: list[float] = []
        costs: dict[str, list[float]] = {sandbox.name: [] for sandbox in sandboxes}
        for _ in range(rounds):
            floors.append(await bare(root) * 1e3)
            for sandbox in sandboxes:
                costs[sandbox.name].append(await held(sandbox, root) * 1e3)
        floor = statistics.median(floors)
        for name, took in costs.items():
            added = [each - floor for each in took]
            rows.append(
                bars.Bar(title=f"code: {name}, added to a command of {floor:.1f} ms", unit=" ms", limit=MAX_COST_MS,
                         figures={bars.OURS: statistics.median(added)}, spread=bars.span(added), source="contract")
            )  # fmt: skip
        for sandbox in sandboxes:
            with tempfile.TemporaryDirectory() as plain:
                ends = [await cancelled(sandbox, Path(plain), number) * 1e3 for number in range(CANCELS)]
            rows.append(
                bars.Bar(title=f"code: {sandbox.name}, cancelled to last process gone, most", unit=" ms",
                         limit=MAX_CANCEL_MS, figures={bars.OURS: max(ends)}, spread=bars.span(ends), source="contract")
            )  # fmt: skip
    rows += await with_undo(sandboxes, files, max(5, rounds // 2))
    return bars.Report(rows=rows, left_out=[why for sandbox, why in found if sandbox is None])


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("Commands in the sandbox.", 40)
    parser.add_argument("--files", type=int, default=5_000, help="of the workspace whose commands can be undone")
    asked = parser.parse_args(arguments)
    return bars.tell(asyncio.run(measure(asked.rounds, asked.files)), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
