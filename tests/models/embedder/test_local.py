"""Texts to vectors on this machine."""

import asyncio
import math
import random
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from glassloop.extensions.embedded.embedder.graph import Bert, read_tensors, write_graph
from glassloop.extensions.embedded.embedder.local import (
    BATCH_TEXTS,
    BATCH_TOKENS,
    EncoderSession,
    LocalEmbedder,
    batched,
)
from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
from glassloop.models.weights import WeightsError
from models.embedder.plain_encoder import encode_plainly
from models.embedder.tiny import HEADS, HIDDEN, PLACES

TEXTS = ["ship", "", "storm in the harbour", "bread, 18% of it?", "ship " * 500, "披锋", "a\x00b\ud800c", "ship"]


@pytest.fixture
async def embedder(made: EmbedderWeights) -> AsyncIterator[LocalEmbedder]:
    opened = LocalEmbedder(made)
    yield opened
    await opened.aclose()


async def test_vectors_are_float32_of_length_one_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    vectors = await embedder.embed(TEXTS)
    assert (embedder.name, embedder.dimensions) == ("tiny", HIDDEN)
    assert [(vector.typecode, len(vector)) for vector in vectors] == [("f", HIDDEN)] * len(TEXTS)
    assert all(math.isclose(math.hypot(*vector), 1.0, rel_tol=1e-4) for vector in vectors)
    assert vectors[0] == vectors[7]
    assert vectors[0] != vectors[2]
    assert await embedder.embed([]) == []


async def test_the_quick_encoder_says_what_the_exact_one_says(
    embedder: LocalEmbedder, made: EmbedderWeights, source: Path
) -> None:
    bert = Bert(read_tensors(source / "model.safetensors"), HEADS)
    session = EncoderSession(made.path, PLACES, threads=1)
    for text in ("ship", "storm in the harbour", "a much longer text of many letters: " * 3):
        (vector,) = await embedder.embed([text])
        exact = encode_plainly(bert, np.array(session.token_ids([text])[0], np.int32))
        assert float(np.dot(exact, np.frombuffer(vector, np.float32))) > 0.995


async def test_the_graph_itself_is_exact_where_nothing_is_rounded(made: EmbedderWeights, source: Path) -> None:
    bert = Bert(read_tensors(source / "model.safetensors"), HEADS)
    exact: Any = onnxruntime.InferenceSession(write_graph(bert, exact=True))
    short, long = EncoderSession(made.path, PLACES, threads=1).token_ids(["ship", "storm in the harbour, 18% of it"])
    ids = np.zeros((2, len(long)), np.int32)
    ids[0, : len(short)], ids[1] = short, long
    (vectors,) = exact.run(None, {"ids": ids, "mask": (ids > 0).astype(np.int32)})
    for tokens, vector in zip((short, long), vectors, strict=True):
        assert np.allclose(vector, encode_plainly(bert, np.array(tokens, np.int32)), atol=1e-5)


async def test_a_vector_hardly_depends_on_what_else_is_in_the_batch(embedder: LocalEmbedder) -> None:
    chance = random.Random(2)
    texts = [" ".join(chance.choices(["ship", "storm", "bread", "x7"], k=chance.randrange(1, 60))) for _ in range(70)]
    together = await embedder.embed(texts)
    alone = [(await embedder.embed([text]))[0] for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert np.dot(one, other) > 0.999


async def test_text_beyond_the_limit_of_tokens_does_not_count(embedder: LocalEmbedder) -> None:
    vectors = await embedder.embed(["ship " * PLACES, "ship " * PLACES + "storm bread", "ship " * 9])
    assert vectors[0] == vectors[1]
    assert vectors[0] != vectors[2]


def test_batches_are_of_like_length_and_bounded() -> None:
    chance = random.Random(1)
    tokens = [[1] * chance.randrange(1, 256) for _ in range(500)]
    batches = list(batched(tokens))
    assert sorted(place for batch in batches for place in batch) == list(range(500))
    for batch in batches:
        widest = max(len(tokens[place]) for place in batch)
        assert len(batch) <= BATCH_TEXTS
        assert len(batch) * widest <= BATCH_TOKENS
    padding = sum(len(batch) * max(len(tokens[p]) for p in batch) for batch in batches) / sum(map(len, tokens))
    assert padding < 1.15


async def test_nothing_is_loaded_until_it_is_needed_and_what_is_missing_is_told(
    source: Path, tmp_path: Path, made: EmbedderWeights
) -> None:
    embedder = LocalEmbedder(EmbedderWeights(made.recipe, tmp_path / "models"))
    with pytest.raises(WeightsError, match="`glassloop models pull tiny`"):
        await embedder.embed(["ship"])
    shutil.copytree(made.path, tmp_path / "models" / made.recipe.file)
    assert len(await embedder.embed(["ship"])) == 1
    await embedder.aclose()


async def test_a_flipped_byte_in_the_model_is_noticed_when_it_is_loaded(tmp_path: Path, made: EmbedderWeights) -> None:
    supply = EmbedderWeights(made.recipe, tmp_path / "models")
    shutil.copytree(made.path, supply.path)
    model = supply.path / "model.onnx"
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    embedder = LocalEmbedder(supply)
    with pytest.raises(WeightsError, match="damaged"):
        await embedder.embed(["ship"])
    await embedder.aclose()


@pytest.mark.slow
async def test_the_event_loop_goes_on_while_texts_are_embedded(embedder: LocalEmbedder) -> None:
    await embedder.embed(["warm"])
    working = asyncio.ensure_future(embedder.embed([f"ship {number} " * 20 for number in range(3000)]))
    beats = 0
    while not working.done():
        beats += 1
        await asyncio.sleep(0.001)
    assert beats > 10
    assert len(await working) == 3000


async def test_texts_that_are_embedded_while_it_is_let_go_are_embedded_all_the_same(embedder: LocalEmbedder) -> None:
    await embedder.embed(["warm"])
    working = asyncio.ensure_future(embedder.embed([f"ship {number} " * 20 for number in range(1000)]))
    await asyncio.sleep(0)
    await embedder.aclose()
    assert len(await working) == 1000


async def test_embedding_that_is_cancelled_ends_after_the_batch_under_way(embedder: LocalEmbedder) -> None:
    await embedder.embed(["warm"])
    working = asyncio.ensure_future(embedder.embed(["ship storm " * 30] * 200_000))
    await asyncio.sleep(0.05)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    # All of it would take many times as long.
    async with asyncio.timeout(120):
        await embedder.embed(["next"])
