"""The encoder loaded: texts to tokens, tokens to vectors. Blocks; to be called in a thread."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_TEXTS = 32
BATCH_TOKENS = 4096
CHARS_A_TOKEN = 64
"""Text beyond this many characters for each token that counts is not even looked at."""


class EncoderSession:
    """An encoder from its folder: `model.onnx` and `tokenizer.json`."""

    def __init__(self, folder: Path, tokens: int, threads: int) -> None:
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
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
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
