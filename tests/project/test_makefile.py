"""The commands a newcomer meets first."""

import subprocess
from pathlib import Path


def make(project: Path, *arguments: str) -> str:
    command = ["make", "-C", str(project), "--no-print-directory", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def test_make_alone_lists_every_target_with_what_it_does(project: Path) -> None:
    lines = make(project).splitlines()
    targets = ["help", "setup", "page", "run", "test", "test-all", "coverage", "bench", "lock", "clean"]
    assert [line.split()[1] for line in lines] == targets
    assert all(len(line.split()) > 3 for line in lines)


def test_run_starts_the_server_and_test_runs_the_checks_after_the_set_up(project: Path) -> None:
    expected = {"run": "glassloop serve", "test": "scripts/check.py", "bench": "bench/page.py"}
    for target, command in expected.items():
        set_up, *work = make(project, "-n", target).splitlines()
        assert set_up == "scripts/setup"
        assert any(command in line for line in work)


def test_ci_runs_make_test_and_nothing_of_its_own(project: Path) -> None:
    lines = (project / ".ci" / "run").read_text().splitlines()
    assert lines[1] == "set -euo pipefail"
    assert lines[-1] == "make test"
