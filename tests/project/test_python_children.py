"""Only one module starts Python processes of ours, so that none of them can find its modules in the working folder."""

import ast
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassloop.python_child import ROOT, python_child, python_code_child

SOURCE = Path(__file__).resolve().parents[2] / "src" / "glassloop"
ALLOWED = SOURCE / "python_child.py"
INTERPRETER = {"executable", "_base_executable", "orig_argv"}
STARTERS = {"multiprocessing", "ProcessPoolExecutor"}
WORDS = {*INTERPRETER, *STARTERS, "which"}


def uses(path: Path) -> Iterator[str]:
    """Every place where a file could start an interpreter by itself."""
    text = path.read_text("utf-8")
    # Reading a tree takes long, and hardly any file has one of the words.
    for node in ast.walk(ast.parse(text)) if any(word in text for word in WORDS) else ():
        names: list[str] = []
        match node:
            case ast.Attribute(value=ast.Name(id="sys"), attr=name) if name in INTERPRETER:
                names = [f"sys.{name}"]
            case ast.ImportFrom(module=module, names=imported):
                found = [alias.name for alias in imported]
                names = [name for name in found if name in STARTERS or (module == "sys" and name in INTERPRETER)]
                names += [module] if module and module.split(".")[0] in STARTERS else []
            case ast.Import(names=imported):
                names = [alias.name for alias in imported if alias.name.split(".")[0] in STARTERS]
            case ast.Constant(value=str(text)) if text in INTERPRETER:
                names = [repr(text)]
            case ast.Call(func=ast.Attribute(attr="which"), args=[ast.Constant(value=str(text)), *_]):
                names = [f"which({text!r})"] if text.startswith("python") else []
            case _:
                pass
        yield from (f"{path.name}:{getattr(node, 'lineno', 0)}: {name}" for name in names)


def test_no_other_file_starts_a_python_of_its_own() -> None:
    found = [use for path in sorted(SOURCE.rglob("*.py")) if path != ALLOWED for use in uses(path)]
    assert not found, f"build the command with `glassloop.python_child` instead: {found}"
    assert list(uses(ALLOWED))


def test_every_process_that_reads_what_people_hand_in_has_limits() -> None:
    readers = [path for path in SOURCE.rglob("child.py") if "limit_resources(" in path.read_text("utf-8")]
    assert len(readers) == 3
    assert [path for path in readers if "limit_cpu(" not in path.read_text("utf-8")] == []


def test_a_process_ends_after_the_cpu_time_it_was_given() -> None:
    code = "from glassloop.python_child import limit_cpu\nlimit_cpu(0.2)\nwhile True: pass"
    child = python_code_child(None, code)
    done = subprocess.run(child.argv, cwd=child.cwd, env=dict(child.env), timeout=60, check=False)
    assert done.returncode == -signal.SIGXCPU


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.executable",
        "from sys import executable",
        "import multiprocessing.pool",
        "from multiprocessing import Process",
        "from concurrent.futures import ProcessPoolExecutor",
        "import sys\ngetattr(sys, '_base_executable')",
        "import shutil\nshutil.which('python3')",
    ],
)
def test_the_check_sees_each_way_to_start_one(tmp_path: Path, code: str) -> None:
    (tmp_path / "x.py").write_text(code)
    assert list(uses(tmp_path / "x.py"))


def test_a_child_searches_no_working_folder_and_gets_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "::src:/abs/lib")
    child = python_child("glassloop.some.module", "argument")
    assert "-P" in child.argv[: child.argv.index("-m")]
    assert child.argv[-2:] == ("glassloop.some.module", "argument")
    assert child.cwd == ROOT
    assert "OPENAI_API_KEY" not in child.env
    # An empty entry would be the folder the child is started in.
    assert child.env["PYTHONPATH"].split(":") == [str(Path.cwd() / "src"), "/abs/lib"]
    assert python_code_child("/usr/bin/python3", "pass").argv[:2] == ("/usr/bin/python3", "-I")
