"""`scripts/setup` on machines of every kind, played by stand-ins on a PATH that holds nothing else."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SYSTEM_TOOLS = ("bash", "env", "dirname", "cat", "cmp", "rm", "mkdir", "cp", "chmod")

PYTHON = """#!/bin/sh
case "$*" in
    --version) echo "Python {version}" ;;
    *version_info*) exit {too_old} ;;
    *ensurepip*) exit {no_venv} ;;
    *sys.executable*) echo "$0" ;;
esac
"""

UV = """#!/bin/sh
case "$1" in
    --version) ;;
    venv) mkdir -p .venv/bin && cp {python} .venv/bin/python && echo "uv venv" >>{log} ;;
    *) echo "uv $*" >>{log} ;;
esac
"""


class Machine:
    """A project folder and a PATH with system tools and whatever stand-ins a test puts there."""

    def __init__(self, project: Path, place: Path) -> None:
        self.folder, self.bin, self.log = place / "clone", place / "bin", place / "uv.log"
        self.bin.mkdir()
        for tool in SYSTEM_TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool) or pytest.fail(f"{tool} is not on PATH: install it"))
        shutil.copytree(project / "scripts", self.folder / "scripts")
        (self.folder / "pyproject.toml").write_text("[project]\n")
        (self.folder / "requirements.lock").write_text("six==1.16.0\n")

    def executable(self, path: Path, text: str) -> Path:
        path.write_text(text)
        path.chmod(0o755)
        return path

    def python(self, version: str, name: str = "python3", *, too_old: bool = False, no_venv: bool = False) -> Path:
        text = PYTHON.format(version=version, too_old=int(too_old), no_venv=int(no_venv))
        return self.executable(self.bin / name, text)

    def uv(self, python: Path) -> None:
        self.executable(self.bin / "uv", UV.format(python=python, log=self.log))

    def setup(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.folder / "scripts" / "setup")],
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def uv_calls(self) -> list[str]:
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return calls


@pytest.fixture
def machine(project: Path, tmp_path: Path) -> Machine:
    return Machine(project, tmp_path)


def test_without_python_one_sentence_says_what_to_install(machine: Machine) -> None:
    result = machine.setup()
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "Python 3.11 or newer is needed and no Python is what there is" in result.stderr


def test_a_python_that_is_too_old_is_named(machine: Machine) -> None:
    machine.python("3.9.2", too_old=True)
    result = machine.setup()
    assert result.returncode == 1
    assert "Python 3.9.2 is what there is" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_python_without_venv_names_the_package_to_install(machine: Machine) -> None:
    machine.python("3.11.2", no_venv=True)
    result = machine.setup()
    assert result.returncode == 1
    assert "Python 3.11.2 has no venv or no pip" in result.stderr
    assert "apt-get install python3-venv" in result.stderr


def test_a_newer_python_is_found_beside_one_that_is_too_old(machine: Machine) -> None:
    machine.python("3.9.2", too_old=True)
    machine.uv(machine.python("3.12.1", "python3.12"))
    result = machine.setup()
    assert result.returncode == 0, result.stderr
    assert "making .venv with Python 3.12.1" in result.stdout


def test_the_python_that_is_asked_for_is_used(machine: Machine, tmp_path: Path) -> None:
    machine.python("3.12.1")
    (tmp_path / "my tools").mkdir()
    asked = machine.python("3.13.0", os.path.relpath(tmp_path / "my tools" / "python", machine.bin))
    machine.uv(asked)
    assert "making .venv with Python 3.13.0" in machine.setup(PYTHON=str(asked)).stdout


def test_dependencies_come_from_the_lock_with_their_hashes_then_the_project(machine: Machine) -> None:
    machine.uv(machine.python("3.11.7"))
    assert machine.setup().returncode == 0
    made, dependencies, project = machine.uv_calls()
    assert made == "uv venv"
    assert "pip sync" in dependencies
    assert "--require-hashes requirements.lock" in dependencies
    assert "--no-deps --no-build-isolation --editable ." in project


def test_the_second_time_nothing_is_done_or_said(machine: Machine) -> None:
    machine.uv(machine.python("3.11.7"))
    machine.setup()
    machine.uv_calls()
    result = machine.setup()
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert machine.uv_calls() == []


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_a_changed_file_installs_again_into_the_same_venv(machine: Machine, name: str) -> None:
    machine.uv(machine.python("3.11.7"))
    machine.setup()
    machine.uv_calls()
    with (machine.folder / name).open("a") as file:
        file.write("# changed\n")
    assert machine.setup().returncode == 0
    assert [call.split()[:3] for call in machine.uv_calls()] == [["uv", "pip", "sync"], ["uv", "pip", "install"]]


def test_a_moved_folder_installs_again(machine: Machine) -> None:
    machine.uv(machine.python("3.11.7"))
    machine.setup()
    machine.uv_calls()
    machine.folder = machine.folder.rename(machine.folder.with_name("moved"))
    assert machine.setup().returncode == 0
    assert len(machine.uv_calls()) == 2


def test_an_install_that_failed_is_tried_again(machine: Machine) -> None:
    python = machine.python("3.11.7")
    machine.executable(
        machine.bin / "uv", UV.format(python=python, log=machine.log).replace("*) echo", "*) exit 2; echo")
    )
    assert machine.setup().returncode != 0
    machine.uv(python)
    assert machine.setup().returncode == 0
    assert len(machine.uv_calls()) >= 2
