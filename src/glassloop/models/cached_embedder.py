"""Embedder with a bounded cache of recent vectors, keyed by a hash of the text."""

import hashlib
from array import array
from collections import OrderedDict
from collections.abc import Sequence

from glassloop.core.ports import Embedder

MAX_ENTRIES = 10_000
"""Vectors kept: of 384 dimensions that is 15 MB."""


class CachedEmbedder:
    """`inner`, asked only for what is not known. The same text twice in one call is asked for once."""

    def __init__(self, inner: Embedder, most: int = MAX_ENTRIES) -> None:
        self._inner = inner
        self._most = most
        self._known: OrderedDict[bytes, array[float]] = OrderedDict()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimensions(self) -> int | None:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> "Sequence[array[float]]":
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        found = {key: self._known[key] for key in keys if key in self._known}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            found.update(zip(missing, await self._inner.embed(list(missing.values())), strict=True))
        for key in found:
            self._known[key] = found[key]
            self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return [found[key] for key in keys]

    async def aclose(self) -> None:
        self._known.clear()
        await self._inner.aclose()
