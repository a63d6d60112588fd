"""What importing Glassloop costs beside importing what it stands on, each in fresh processes asked in turn.

CPU time of the child process, less that of one that imports nothing. What counts is the best of the rounds, because a
neighbour's load only ever adds.
"""

import os
import subprocess
from pathlib import Path
from types import ModuleType

NOTHING = "pass"
BASE = "import asyncio, msgspec, pydantic"
STATEMENTS = ("import glassloop", "from glassloop import Agent, tool")


def cpu_seconds(python: Path, statement: str) -> float:
    child = subprocess.Popen([python, "-c", statement], cwd=python.parent)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{statement!r} failed in {python}: run it by hand to see why.")
    return used.ru_utime + used.ru_stime


def measure(python: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of CPU for each statement and round, without the bare interpreter's."""
    every = (NOTHING, BASE, *STATEMENTS)
    took: dict[str, list[float]] = {statement: [] for statement in every}
    for statement in every:  # writes the .pyc files and fills the page cache
        cpu_seconds(python, statement)
    for _ in range(rounds):
        for statement in every:
            took[statement].append(cpu_seconds(python, statement))
    bare = min(took[NOTHING])
    return {statement: [seconds - bare for seconds in took[statement]] for statement in every[1:]}


def report(driver: ModuleType, python: Path, rounds: int) -> dict[str, list[float]]:
    """`measure`, printed as one of the driver's tables."""
    every = measure(python, rounds)
    costs = {statement: min(took) for statement, took in every.items()}
    table = [[f"`{what}`", f"{cost * 1e3:.0f}", f"{cost / costs[BASE]:.2f}x"] for what, cost in costs.items()]
    driver.table("C1. Imports beside what they stand on, best CPU ms", ["statement", "CPU ms", "ratio"], table)
    return every
