"""The embedder of these settings: one for the whole process, as its weights and what it remembers are shared."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from glassloop.core.ports import Embedder
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import shelf_of, supplies

if TYPE_CHECKING:
    from glassloop.models.embedder.choice import EmbedderOptions

MINILM = "minilm"


def ready_embedder(settings: Settings) -> Embedder | None:
    """None where none is wanted, or its weights are not there yet: then words alone must do. Loads nothing."""
    name = settings.embedder.strip()
    if name == "none" or (name == MINILM and supplies(settings)[MINILM].look().state != "ready"):
        return None
    from glassloop.models.embedder.choice import EmbedderOptions

    options = EmbedderOptions(
        name=name,
        threads=settings.embedder_threads,
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url,
    )
    return _shared(options, shelf_of(settings).folder)


@lru_cache(maxsize=4)
def _shared(options: "EmbedderOptions", folder: Path) -> Embedder | None:
    from glassloop.models.embedder.choice import make_embedder
    from glassloop.models.weights.shelf import Shelf

    return make_embedder(options, Shelf(folder))
