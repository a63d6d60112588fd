"""Embedder of the settings: one for the whole process, as its weights and its cache are shared."""

from functools import lru_cache

from glassloop.core.ports import Embedder
from glassloop.models.model_name import parse_model_name
from glassloop.runtime.extensions import Extensions
from glassloop.runtime.providers import make_embedder
from glassloop.runtime.settings import Settings

NONE = "none"


def ready_embedder(settings: Settings) -> Embedder | None:
    """None where none is wanted, or it is not there yet: then words alone must do. Loads nothing."""
    name = (settings.embedder or "").strip() or _first_ready(settings)
    if name is None or name == NONE:
        return None
    known = settings.extensions.embedders.get(parse_model_name(name).provider)
    if known is not None and not known.ready(settings):
        return None
    return _shared(name, settings.home, settings.extensions)


def _first_ready(settings: Settings) -> str | None:
    ranked = [(each.rank, name) for name, each in settings.extensions.embedders.items() if each.rank is not None]
    return next((name for _, name in sorted(ranked) if settings.extensions.embedders[name].ready(settings)), None)


@lru_cache(maxsize=4)
def _shared(name: str, home: str, extensions: Extensions) -> Embedder:
    return make_embedder(name, Settings(home=home, extensions=extensions))
