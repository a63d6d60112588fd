"""A folder with a fault in it, and a model that is played, for those who meet the code assistant from outside."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import environment, folder, glassloop, terminal  # noqa: F401
from cli.here import here  # noqa: F401
from model_server import ModelServer, Reply, model_server

BROKEN = "def add(a, b):\n    return a - b\n"


@pytest.fixture
def project(folder: Path) -> Path:  # noqa: F811
    (folder / "src").mkdir()
    (folder / "src" / "calc.py").write_text(BROKEN)
    return folder


@pytest.fixture
def played(environment: dict[str, str]) -> Iterator[Any]:  # noqa: F811
    """A model that replies by a script."""
    script: dict[str, Sequence[Reply]] = {}
    with model_server(script) as server:
        environment |= {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": server.url}

        def play(replies: Mapping[str, Sequence[Reply]]) -> ModelServer:
            script.update(replies)
            return server

        yield play
