"""What the tests of the project's own scripts share: the project's folder and a bounded way to run a script."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from project.shell import Shell, bare_environment

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def project() -> Path:
    return Path(__file__).resolve().parents[2]


@pytest.fixture
def run_script(project: Path) -> Run:
    """Runs a Python script of the project's as a person would, to its end."""

    def run(
        script: str, *arguments: str | Path, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(project / script), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=env)

    return run


@pytest.fixture
def shell(tmp_path: Path, put_store: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Shell]:
    """A terminal in an empty folder, without anybody's settings; what is imported from there is forgotten again."""
    put_store(tmp_path / "home" / "glassloop.db")
    folder = tmp_path / "work"
    folder.mkdir()
    environment = bare_environment(tmp_path / "home")
    monkeypatch.chdir(folder)
    for name in os.environ.keys() - environment.keys():
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    before = set(sys.modules)
    yield Shell(folder, environment, monkeypatch, capsys.readouterr)
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
