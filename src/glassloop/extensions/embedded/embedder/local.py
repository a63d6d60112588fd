"""An embedder that runs here: loaded when first needed, in a thread of its own, one batch at a time.

`EncoderSession` is the encoder loaded: texts to tokens, tokens to vectors. It blocks.
"""

import asyncio
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassloop.core.errors import UsageError
from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
from glassloop.models.weights import DamagedWeights, WeightsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_TEXTS = 32
BATCH_TOKENS = 4096
CHARS_A_TOKEN = 64
"""Text beyond this many characters for each token that counts is not even looked at."""
SLICE_TEXTS = 256
"""Texts that are turned into tokens at once; between batches whoever was cancelled is let go."""

_NEEDED = ("numpy", "onnxruntime", "tokenizers")


class LocalEmbedder:
    """An `Embedder` on this machine's processors. Raises `WeightsError` where it has not been pulled."""

    def __init__(self, weights: EmbedderWeights, *, threads: int = 1) -> None:
        self._weights = weights
        self._threads = threads
        self._session: EncoderSession | None = None
        self._executor = ThreadPoolExecutor(1, "embedder")
        self.name = weights.name
        self.dimensions = weights.recipe.dimensions

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
            if not self._weights.is_ready:
                raise WeightsError(
                    f"The embedder {self.name!r} is not there yet: `glassloop models pull {self.name}` fetches it."
                )
            try:
                self._weights.verify()
            except DamagedWeights as error:
                raise WeightsError(f"{error}: `glassloop models pull {self.name}` makes it again.") from error
            try:
                self._session = EncoderSession(self._weights.path, self._weights.recipe.tokens, self._threads)
            except ImportError as error:
                raise UsageError(
                    f"The embedder {self.name!r} needs {error.name}: pip install {' '.join(_NEEDED)}."
                ) from error
        return self._session


def _encode(session: "EncoderSession", tokens: Sequence[Sequence[int]]) -> "list[array[float]]":
    return [array("f", row.tobytes()) for row in session.encode(tokens)]


class EncoderSession:
    """An encoder from its folder: `model.onnx`, unless another `model` is given, and `tokenizer.json`."""

    def __init__(self, folder: Path, tokens: int, threads: int, model: bytes | None = None) -> None:
        # Neither has types.
        onnxruntime: Any = import_module("onnxruntime")
        tokenizers: Any = import_module("tokenizers")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Threads that wait for work would keep their cores busy between two batches.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            model or str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(tokens)
        self._tokenizer.no_padding()
        self._most_chars = tokens * CHARS_A_TOKEN

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        # Half characters, which no encoding has, would be refused.
        clean = [text[: self._most_chars].encode("utf-8", "replace").decode() for text in texts]
        encoded = self._tokenizer.encode_batch_fast(clean)
        return [each.ids for each in encoded]

    def encode(self, tokens: Sequence[Sequence[int]]) -> "NDArray[np.float32]":
        """The vectors of one batch."""
        import numpy as np

        longest = max(len(ids) for ids in tokens)
        padded, mask = np.zeros((2, len(tokens), longest), np.int32)
        for row, ids in enumerate(tokens):
            padded[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        (vectors,) = self._session.run(None, {"ids": padded, "mask": mask})
        return vectors

    def run(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """The vectors of the texts, in their order."""
        import numpy as np

        tokens = self.token_ids(texts)
        batches = list(batched(tokens))
        vectors = [self.encode([tokens[place] for place in batch]) for batch in batches]
        order = np.argsort([place for batch in batches for place in batch])
        return np.concatenate(vectors)[order]


def batched(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts that go together: of like length, so that little is padded, and not too much at once."""
    batch: list[int] = []
    for place in sorted(range(len(tokens)), key=lambda place: len(tokens[place])):
        # The longest comes last, and the whole batch is as wide as it.
        if batch and (len(batch) == BATCH_TEXTS or len(tokens[place]) * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
