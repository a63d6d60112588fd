"""The same index in PostgreSQL: how quick a question is there, and how much of an exact scan its graph finds.

Vectors are of hashed words, so that passages with like words are near one another, as with a real embedder; vectors of
chance have no neighbourhood that a graph could follow. What a question costs to embed is real where MiniLM is there.
"""

import gc
import statistics
import tempfile
import time
import uuid
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

import bars
import peers_folder
from glassloop.retrieval import Library
from glassloop.retrieval.backends.postgres.schema import DatabaseLayout, prepare, run
from glassloop.retrieval.backends.postgres.vector_search import as_graph, explore, graphs, vector_text
from glassloop.retrieval.index.embedding import HashingEmbedder

DIMENSIONS = 384
NEAREST = 100
"""What a question asks of it."""


class WordsEmbedder:
    """Vectors of hashed words; a question is embedded by MiniLM as well, for the time that takes."""

    name = f"words-{DIMENSIONS}"
    dimensions = DIMENSIONS

    def __init__(self, real: Any) -> None:
        self._real = real
        self._words = HashingEmbedder(DIMENSIONS)

    async def embed(self, texts: Sequence[str]) -> Sequence["array[float]"]:
        if self._real is not None and len(texts) == 1:
            await self._real.embed(texts)
        return await self._words.embed(texts)

    async def aclose(self) -> None:
        """Nothing is held."""


def recall(url: str, vectors: Sequence["array[float]"]) -> tuple[float, float, float]:
    """How many of the nearest the graph finds, and the median seconds of a question to it and to an exact scan."""
    found: list[float] = []
    took: dict[str, list[float]] = {"graph": [], "scan": []}
    with psycopg.connect(url) as connection:
        layout = prepare(connection)
        (partition,) = graphs(connection)
        explore(connection, layout)
        for vector in [vectors[0], *vectors]:
            asked = vector_text(layout, vector)
            nearest = {
                kind: nearest_of(connection, layout, partition, asked, took[kind], by_graph=kind == "graph")
                for kind in took
            }
            found.append(len(nearest["graph"] & nearest["scan"]) / len(nearest["scan"]))
    return (
        statistics.mean(found[1:]),
        statistics.median(took["graph"][1:]),
        statistics.median(took["scan"][1:]),
    )


def nearest_of(
    connection: Any, layout: DatabaseLayout, partition: int, asked: str, took: list[float], *, by_graph: bool
) -> set[int]:
    mine, theirs = "vector", f"%s::{layout.type}"
    if by_graph:
        mine, theirs = (as_graph(layout, value, DIMENSIONS) for value in ("vector", "%s"))
    began = time.perf_counter()
    rows = run(
        connection,
        f"SELECT chunk FROM retrieval_vectors WHERE partition = {partition} ORDER BY {mine} {layout.nearness} {theirs} "
        f"LIMIT {NEAREST}",
        [asked],
    ).fetchall()
    took.append(time.perf_counter() - began)
    return {int(row[0]) for row in rows}


async def speed(url: str, files: int, real: Any, parts: Any) -> list[bars.Bar]:
    """In a schema of its own, which is removed. `parts`: the module that measures the disk."""
    schema = f"bench_{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        run(connection, f"CREATE SCHEMA {schema}")
    own = f"{url}{'&' if '?' in url else '?'}options={quote(f'-c search_path={schema},public')}"
    try:
        with tempfile.TemporaryDirectory(dir=peers_folder.HOME) as name:
            return await _speed(own, Path(name), files, real, parts)
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            run(connection, f"DROP SCHEMA {schema} CASCADE")


async def _speed(url: str, folder: Path, files: int, real: Any, parts: Any) -> list[bars.Bar]:
    embedder = WordsEmbedder(real)
    parts.write_files(folder / "files", files)
    async with Library(folder / "home", embedder, database_url=url) as library:
        index = library.index("code", make=True)
        began = time.perf_counter()
        report = await index.add_folder(folder / "files")
        lexical = time.perf_counter() - began
        print(f"  PostgreSQL: {report.added:,} files, {report.chunks:,} chunks by their words in {lexical:.1f} s")
        began = time.perf_counter()
        await index.embed_pending()
        print(f"  PostgreSQL: vectors stored and their graph built in {time.perf_counter() - began:.1f} s")
        await parts.timed(library, parts.QUESTIONS)
        gc.collect()
        both = await parts.timed(library, parts.QUESTIONS * 15)
        async with Library(folder / "home", database_url=url) as by_words:
            words = await parts.timed(by_words, parts.QUESTIONS * 15)
            one = await parts.changed_file(library, by_words, folder / "files")
    share, graph, scan = recall(url, await HashingEmbedder(DIMENSIONS).embed(parts.QUESTIONS))
    print(f"  PostgreSQL: hybrid p50 {statistics.median(both) * 1e3:.1f} ms, p95 {bars.p95(both) * 1e3:.1f} ms; "
          f"words alone p50 {statistics.median(words) * 1e3:.1f} ms, p95 {bars.p95(words) * 1e3:.1f} ms; "
          f"the nearest {NEAREST} by the graph {graph * 1e3:.1f} ms, by a scan {scan * 1e3:.1f} ms")  # fmt: skip
    scale = 10_000 / files
    return [
        bars.Bar(title=f"PostgreSQL: hybrid p95, {report.chunks:,} chunks", unit=" ms",
                 figures={bars.OURS: bars.p95(both) * 1e3}),
        bars.Bar(title="PostgreSQL: 10,000 files by their words", unit=" s", figures={bars.OURS: lexical * scale}),
        bars.Bar(title="PostgreSQL: one changed file", limit=200, unit=" ms",
                 figures={bars.OURS: statistics.median(one)}, spread=bars.span(one)),
        bars.Bar(title=f"PostgreSQL: missed of the nearest {NEAREST}", unit=" %",
                 figures={bars.OURS: (1 - share) * 100}),
    ]  # fmt: skip
