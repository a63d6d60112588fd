"""A real llama.cpp in a real child process, on weights of a few kilobytes."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from glassloop.extensions.embedded.model import EmbeddedModel
from glassloop.extensions.embedded.options import EmbeddedOptions
from models.embedded.tiny_gguf import write_tiny

MakeModel = Callable[..., EmbeddedModel]


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xllamacpp", reason="pip install 'glassloop[embedded]'")
    return write_tiny(tmp_path_factory.mktemp("weights") / "tiny.gguf")


@pytest.fixture
async def make(weights: Path, tmp_path: Path) -> AsyncIterator[MakeModel]:
    """Models over the same weights and folder of states; closed at the end."""
    made: list[EmbeddedModel] = []

    def make(**options: Any) -> EmbeddedModel:
        given = {"weights": weights, "states": tmp_path / "states", "conversations": 2, **options}
        made.append(EmbeddedModel(EmbeddedOptions(**given)))
        return made[-1]

    yield make
    for model in made:
        await model.aclose()
