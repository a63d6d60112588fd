"""Vectors for chunks that have none yet; and the weakest embedder that works: hashed pieces of words.

A good embedder belongs to the layer of models; the one here needs no weights and is always there.
"""

import zlib
from array import array
from collections.abc import Sequence

from glassloop.retrieval.index.sources import ChunkRow
from glassloop.retrieval.query.search_terms import asked_words

BATCH = 32


def embedded_text(row: ChunkRow) -> str:
    """What the embedder sees of a chunk: where it stands, then itself."""
    where = " > ".join((row.title or row.name, *row.headings))
    return f"{where}\n{row.text}"


class HashingEmbedder:
    """Words and their three-letter pieces, counted in hashed places. Knows spelling, not meaning."""

    def __init__(self, dimensions: int = 256) -> None:
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        return f"hashing-{self._dimensions}"

    @property
    def dimensions(self) -> int | None:
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> Sequence["array[float]"]:
        return [self.one(text) for text in texts]

    async def aclose(self) -> None:
        """Nothing is held."""

    def one(self, text: str) -> "array[float]":
        values = array("f", bytes(4 * self._dimensions))
        for word in asked_words(text, 400):
            marked = f"^{word}$"
            for piece in (word, *(marked[place : place + 3] for place in range(len(marked) - 2))):
                number = zlib.crc32(piece.encode())
                values[number % self._dimensions] += 1.0 if number & 0x10000 else -1.0
        length = sum(value * value for value in values) ** 0.5 or 1.0
        return array("f", (value / length for value in values))
