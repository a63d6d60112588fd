"""`scripts/check.py` runs the checks in order, stops at the first that fails and says which."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def clone(project: Path, tmp_path: Path) -> Path:
    """A project whose two own checks only say that they ran."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(project / "scripts" / "check.py", tmp_path / "scripts")
    write(tmp_path, "check_sizes.py", "print('sizes ran')")
    write(tmp_path, "check_text.py", "print('text ran')")
    return tmp_path


def write(clone: Path, script: str, text: str) -> None:
    (clone / "scripts" / script).write_text(text)


def check(clone: Path, *names: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(clone / "scripts" / "check.py"), *names]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def test_checks_run_in_order_with_a_title_each(clone: Path) -> None:
    result = check(clone, "text", "sizes")
    assert result.returncode == 0
    places = [result.stdout.index(text) for text in ("== sizes", "sizes ran", "== text", "text ran")]
    assert places == sorted(places)
    assert result.stdout.splitlines()[-1].startswith("All of sizes, text passed in ")


def test_the_first_failure_ends_the_run_and_is_the_last_line(clone: Path) -> None:
    write(clone, "check_sizes.py", "raise SystemExit(3)")
    result = check(clone, "sizes", "text")
    assert result.returncode == 1
    assert "text ran" not in result.stdout
    last = result.stdout.splitlines()[-1]
    assert last.startswith("FAILED: sizes of functions and files")
    assert last.endswith("scripts/check.py sizes")


def test_a_long_check_that_fails_beside_the_tests_ends_the_run_and_is_the_last_line(clone: Path) -> None:
    write(clone, "build_web.py", "raise SystemExit('the page is broken')")
    (clone / "test_it.py").write_text("def test_it():\n    pass\n", "utf-8")
    result = check(clone, "page", "tests")
    assert result.returncode == 1
    assert "the page is broken" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("scripts/check.py page")


def test_no_colour_is_asked_for_where_nobody_looks(clone: Path) -> None:
    write(clone, "check_sizes.py", "import os; print(os.environ.get('NO_COLOR'), os.environ.get('FORCE_COLOR'))")
    assert "1 None" in check(clone, "sizes", FORCE_COLOR="1").stdout


def test_what_was_compiled_once_is_kept_for_the_processes_of_the_tests(clone: Path) -> None:
    write(clone, "check_sizes.py", "import sys; print('keeps nothing:', sys.dont_write_bytecode)")
    assert "keeps nothing: False" in check(clone, "sizes", PYTHONDONTWRITEBYTECODE="1").stdout


def test_an_unknown_check_names_those_there_are(clone: Path) -> None:
    result = check(clone, "speling")
    assert result.returncode == 2
    assert "no check is called 'speling': choose from lint, format, sizes" in result.stderr


def test_coverage_is_put_together_and_told_after_the_tests(clone: Path) -> None:
    result = check(clone, "--coverage", "speling")
    assert result.stderr.rstrip().endswith("api, page, tests, combine, html, coverage")
