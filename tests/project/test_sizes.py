"""`scripts/check_sizes.py` names what is too long, and nothing else."""

from pathlib import Path

import pytest


def function(lines: int, header: str = "def long():") -> str:
    return "\n".join([header, *["    pass"] * (lines - 1)]) + "\n"


@pytest.mark.parametrize("header", ["def long():", "async def long():"])
def test_a_function_over_sixty_lines_is_named_with_its_line_and_length(run_script, tmp_path: Path, header: str) -> None:
    path = tmp_path / "code.py"
    path.write_text("import os\n\n" + function(61, header))
    result = run_script("scripts/check_sizes.py", tmp_path)
    assert result.returncode == 1
    assert result.stdout == f"{path}:3 long: 61 lines (at most 60)\n"


def test_a_method_inside_a_class_is_measured_too(run_script, tmp_path: Path) -> None:
    body = function(61).replace("\n", "\n    ")
    (tmp_path / "code.py").write_text(f"class Deep:\n    {body}\n")
    assert "code.py:2 long: 61 lines" in run_script("scripts/check_sizes.py", tmp_path).stdout


def test_a_file_over_four_hundred_lines_is_named(run_script, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("x = 1\n" * 401)
    result = run_script("scripts/check_sizes.py", path)
    assert result.returncode == 1
    assert result.stdout == f"{path}:1 file: 401 lines (at most 400)\n"


def test_code_at_the_limits_passes(run_script, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("@decorator\n" + function(60) + "x = 1\n" * 339)
    result = run_script("scripts/check_sizes.py", tmp_path)
    assert (result.returncode, result.stdout) == (0, "1 files, none too long\n")


def test_a_file_that_is_not_python_fails_with_its_place(run_script, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("x = 1\ndef broken(:\n")
    result = run_script("scripts/check_sizes.py", tmp_path)
    assert result.returncode == 1
    assert "code.py:2 is not Python" in result.stdout


def test_a_path_that_does_not_exist_is_an_error_and_not_a_pass(run_script, tmp_path: Path) -> None:
    result = run_script("scripts/check_sizes.py", tmp_path / "gone")
    assert result.returncode == 2
    assert "gone does not exist" in result.stderr
