"""From the setting to an embedder: `minilm`, `openai:model`, or `none`."""

import msgspec

from glassloop.core.errors import UnknownName
from glassloop.core.ports import Embedder
from glassloop.models.embedder.cached import CachedEmbedder
from glassloop.models.embedder.recipe import MINILM
from glassloop.models.weights.shelf import Shelf


class EmbedderOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder, and what it needs."""

    name: str = "minilm"
    threads: int = 1
    api_key: str | None = None
    base_url: str | None = None


def make_embedder(options: EmbedderOptions, shelf: Shelf) -> Embedder | None:
    """The embedder of that name, with a cache; None for `none`. Nothing is loaded before it is asked."""
    provider, _, model = options.name.strip().partition(":")
    match provider:
        case "none":
            return None
        case "minilm" if not model:
            from glassloop.models.embedder.local import LocalEmbedder
            from glassloop.models.embedder.supply import EmbedderSupply

            return CachedEmbedder(LocalEmbedder(EmbedderSupply(MINILM, shelf), threads=options.threads))
        case "openai" if model:
            from glassloop.models.embedder.remote import RemoteEmbedder

            return CachedEmbedder(RemoteEmbedder(model, api_key=options.api_key, base_url=options.base_url))
        case _:
            raise UnknownName(f"There is no embedder {options.name!r}: use minilm, openai:MODEL or none.")
