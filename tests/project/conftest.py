"""What the tests of the project's own scripts share: the project's folder and a bounded way to run a script."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

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
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=env)

    return run
