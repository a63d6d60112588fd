"""An embedder that runs here: loaded when first needed, in a thread of its own, one batch at a time."""

import asyncio
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from glassloop.core.errors import UsageError
from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
from glassloop.models.weights import DamagedWeights, WeightsError

if TYPE_CHECKING:
    from glassloop.extensions.embedded.embedder.session import EncoderSession

SLICE_TEXTS = 256
"""Texts that are turned into tokens at once; between batches whoever was cancelled is let go."""

_NEEDED = ("numpy", "onnxruntime", "tokenizers")


class LocalEmbedder:
    """An `Embedder` on this machine's processors. Raises `WeightsError` where it has not been pulled."""

    def __init__(self, supply: EmbedderWeights, *, threads: int = 1) -> None:
        self._supply = supply
        self._threads = threads
        self._session: EncoderSession | None = None
        self._executor = ThreadPoolExecutor(1, "embedder")
        self.name = supply.name
        self.dimensions = supply.recipe.dimensions

    async def embed(self, texts: Sequence[str]) -> "Sequence[array[float]]":
        found: list[array[float]] = []
        for start in range(0, len(texts), SLICE_TEXTS):
            found.extend(await self._slice(texts[start : start + SLICE_TEXTS]))
        return found

    async def aclose(self) -> None:
        """Lets the model go. It can be used again, and is then loaded anew."""
        # Whoever embeds meanwhile goes on in the new one.
        before, self._executor = self._executor, ThreadPoolExecutor(1, "embedder")
        await asyncio.to_thread(before.shutdown)
        self._session = None

    async def _slice(self, texts: Sequence[str]) -> "list[array[float]]":
        from glassloop.extensions.embedded.embedder.session import batched

        loop = asyncio.get_running_loop()
        session = await loop.run_in_executor(self._executor, self._load)
        tokens = await loop.run_in_executor(self._executor, session.token_ids, texts)
        found: list[array[float] | None] = [None] * len(texts)
        for batch in batched(tokens):
            rows = await loop.run_in_executor(self._executor, _encode, session, [tokens[place] for place in batch])
            for place, row in zip(batch, rows, strict=True):
                found[place] = row
        return [row for row in found if row is not None]

    def _load(self) -> "EncoderSession":
        if self._session is None:
            if not self._supply.is_ready:
                raise WeightsError(
                    f"The embedder {self.name!r} is not there yet: `glassloop models pull {self.name}` fetches it."
                )
            try:
                self._supply.verify()
            except DamagedWeights as error:
                raise WeightsError(f"{error}: `glassloop models pull {self.name}` makes it again.") from error
            try:
                from glassloop.extensions.embedded.embedder.session import EncoderSession

                self._session = EncoderSession(self._supply.folder, self._supply.recipe.tokens, self._threads)
            except ImportError as error:
                raise UsageError(
                    f"The embedder {self.name!r} needs {error.name}: pip install {' '.join(_NEEDED)}."
                ) from error
        return self._session


def _encode(session: "EncoderSession", tokens: Sequence[Sequence[int]]) -> "list[array[float]]":
    return [array("f", row.tobytes()) for row in session.encode(tokens)]
