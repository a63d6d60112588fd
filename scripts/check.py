"""Runs the project's checks, quickest first and the longest beside the tests, and stops at the first that fails.

`python scripts/check.py` runs them all, with names only those (`python scripts/check.py types tests`); `--all` adds the
slow tests, `--coverage` tells which lines the tests reached. It knows how each tool is called and nothing of what it
checks; it installs nothing (`scripts/setup` does).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("src", "tests", "bench", "scripts", "examples")
TYPED = ("src", "examples/shift_plan", "examples/reference", "examples/cookbook")
BESIDE_TESTS = ("types", "api", "page")
"""Each keeps one core busy for a while, and tests wait for processes and servers often enough to leave room."""

LOOK_S = 0.2
FUZZ_S = "20"
"""Seconds for each reader of `tests/fuzzing` with `--all`."""
Steps = Mapping[str, tuple[str, Sequence[str]]]


def steps(slow: bool, coverage: bool = False) -> Steps:
    """Each step's name, title and command line."""
    tools = Path(sys.executable).parent
    ruff = str(tools / "ruff")
    which = ["--hypothesis-profile=far"] if slow else ["-m", "not slow"]
    counted = ["coverage", "run", "-m"] if coverage else []
    # File by file in the order of `tests/conftest.py`, which begins with those that take longest.
    spread = ["-n", str(_processes()), "--dist", "loadfile", "--no-loadscope-reorder"]
    pytest = [sys.executable, "-m", *counted, "pytest", *spread, *which]
    every = {
        "lint": ("ruff check", [ruff, "check", *CODE]),
        "format": ("ruff format", [ruff, "format", "--check", *CODE]),
        "sizes": ("sizes of functions and files", [sys.executable, "scripts/check_sizes.py"]),
        "text": ("text that must not be committed", [sys.executable, "scripts/check_text.py"]),
        "names": ("names and words", [sys.executable, "scripts/check_names.py"]),
        "layers": ("import-linter", [str(tools / "lint-imports"), "--no-logo"]),
        "types": ("basedpyright, strict", [str(tools / "basedpyright"), *TYPED]),
        "api": ("the page's types are those of the server", [sys.executable, "scripts/make_types.py", "--check"]),
        "page": ("types, form and tests of the page", [sys.executable, "scripts/build_web.py", "--check"]),
        "tests": ("pytest", pytest),
    }
    return {**every, **_reports()} if coverage else every


def _reports() -> Steps:
    """What the processes of the tests counted, as one; `.cache/coverage/html` shows it line by line."""
    coverage = [sys.executable, "-m", "coverage"]
    return {
        "combine": ("what every process counted, together", [*coverage, "combine", "--quiet"]),
        "html": ("lines as pages", [*coverage, "html", "--quiet", "--directory", ".cache/coverage/html"]),
        "coverage": ("coverage", [*coverage, "report", "--skip-covered", "--sort", "cover"]),
    }


def _processes() -> int:
    """Twice as many as cores, six at most: tests wait for processes and servers about half of their time, and each of
    these reads all tests and has a database and a browser of its own."""
    return min(6, 2 * (os.cpu_count() or 1))


def quiet_environment() -> dict[str, str]:
    """The caller's environment without what would let another Python in, colour codes into the output, or have each of
    the many processes of the tests compile everything anew."""
    unwanted = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS"}
    unwanted |= {"PYTHONDONTWRITEBYTECODE"}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    if not sys.stdout.isatty():
        environment |= {"NO_COLOR": "1", "TERM": "dumb"}
    return environment


def run(chosen: Steps, folder: Path = ROOT) -> int:
    """The exit code of the first step that fails, else 0."""
    environment, began = quiet_environment(), time.perf_counter()
    beside = [name for name in BESIDE_TESTS if name in chosen and "tests" in chosen]
    for name, (title, command) in chosen.items():
        if name in beside:
            continue
        print(f"\n== {title}", flush=True)
        step_began = time.perf_counter()
        if name == "tests" and beside:
            code, failed_beside = _run_beside(beside, command, folder, environment)
            if failed_beside:
                return 1
        else:
            code = subprocess.run(command, cwd=folder, env=environment, check=False).returncode  # noqa: S603
        took = f"{time.perf_counter() - step_began:.1f} s"
        if code:
            print(f"\nFAILED: {title}, after {took}. Alone: .venv/bin/python scripts/check.py {name}", flush=True)
            return 1
        print(f"   {took}", flush=True)
    print(f"\nAll of {', '.join(chosen)} passed in {time.perf_counter() - began:.1f} s.")
    return 0


def _run_beside(
    names: Sequence[str], command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> tuple[int, bool]:
    """Runs a command beside these checks: its exit code, and whether one of them failed, which ends it.

    They tell what they have to say when it is over.
    """
    with tempfile.TemporaryFile() as said:
        own = [sys.executable, __file__, *names]
        checks = subprocess.Popen(own, cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT)  # noqa: S603
        _compile_once(folder, environment)
        tests = subprocess.Popen(command, cwd=folder, env=environment)  # noqa: S603
        while tests.poll() is None:
            if checks.poll():
                tests.terminate()
            time.sleep(LOOK_S)
        failed = checks.wait() != 0
        said.seek(0)
        print(said.read().decode("utf-8", "replace"), end="", flush=True)
    return tests.returncode, failed and tests.returncode <= 0


def _compile_once(folder: Path, environment: Mapping[str, str]) -> None:
    """In a fresh clone: has one process compile what all processes of the tests import, which each would do else."""
    if not (folder / "tests" / "__pycache__").is_dir():
        collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq"]
        subprocess.run(collect, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False)  # noqa: S603


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the project's checks, the long ones beside the tests.")
    parser.add_argument("--all", action="store_true", help="the slow tests too")
    parser.add_argument("--coverage", action="store_true", help="tell which lines the tests reached (takes longer)")
    parser.add_argument("step", nargs="*", help=f"only these: {', '.join(steps(slow=False))}")
    asked = parser.parse_args()
    every = steps(slow=asked.all, coverage=asked.coverage)
    if asked.all:
        os.environ.setdefault("GLASSLOOP_TEST_FUZZ_S", FUZZ_S)
    if unknown := [name for name in asked.step if name not in every]:
        parser.error(f"no check is called {unknown[0]!r}: choose from {', '.join(every)}")
    return run({name: step for name, step in every.items() if not asked.step or name in asked.step})


if __name__ == "__main__":
    sys.exit(main())
