"""Retrieval: how quick, how large, how good, on sets made from what every Python has.

    python bench/retrieval.py [--files N] [--rounds N] [--questions N] [--only speed|quality|postgres]
                              [--postgres URL] [--json FILE]

Vectors come from MiniLM where it is already made in `$GLASSLOOP_HOME` (default `~/.glassloop`; `glassloop models pull`
does it); without it the quality is not measured, and the speed without what it costs to embed a question. A PostgreSQL
is measured where one is given. Prints the rows with their bars; exits with 1 when one is missed.
"""

import asyncio
import gc
import math
import os
import resource
import statistics
import sys
import sysconfig
import tempfile
import time
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bars
import peers_folder
import retrieval_postgres
import retrieval_sets
from glassloop.retrieval import DocumentSource, Library

DIMENSIONS = 384
LARGEST = 24_000
"""Bytes of a source file here: with these, 10,000 files come to about 100,000 chunks. Larger ones take longer."""


class SpreadEmbedder:
    """Vectors of chance, the same for the same text: for speed alone, where 100,000 real ones would take an hour."""

    name = f"spread-{DIMENSIONS}"
    dimensions = DIMENSIONS

    def __init__(self, real: Any) -> None:
        self._real = real

    async def embed(self, texts: Sequence[str]) -> list["array[float]"]:
        import numpy as np

        if self._real is not None and len(texts) == 1:
            # A question costs what it really costs.
            await self._real.embed(texts)
        made: list[array[float]] = []
        for text in texts:
            values = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSIONS, np.float32)
            made.append(array("f", (values / np.linalg.norm(values)).tobytes()))
        return made

    async def aclose(self) -> None:
        """Nothing is held."""


def real_embedder() -> Any:
    """MiniLM, if it is there already."""
    from glassloop.extensions.embedded.embedder.local import LocalEmbedder
    from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
    from glassloop.extensions.embedded.weights.catalog import MINILM

    home = Path(os.environ.get("GLASSLOOP_HOME") or Path.home() / ".glassloop")
    supply = EmbedderWeights(MINILM, home / "models")
    return LocalEmbedder(supply, threads=os.cpu_count() or 1) if supply.is_ready else None


def write_files(folder: Path, count: int) -> int:
    """Source files of the standard library, over and over, each time with other names in them; their bytes."""
    found = [path for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))
             if path.is_file() and not path.is_symlink() and path.stat().st_size < LARGEST
             and "site-packages" not in path.parts]  # fmt: skip
    size = 0
    for number in range(count):
        path = found[number % len(found)]
        text = path.read_bytes().replace(b"self", b"self%d" % (number // len(found)))
        target = folder / f"part{number // 500}" / f"{path.stem}_{number}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        size += len(text)
    return size


QUESTIONS = (
    *("parse a date from a string", "close the socket when the connection is lost", "read_frame from a pipe"),
    *("how are threads joined at exit", "encode bytes as base64", "walk a folder tree and skip links"),
    *("HTTPServer request handler timeout", "compare two sequences and print the difference", "raise ValueError"),
    *(
        "register a codec",
        "open a zip archive member",
        "get the terminal size",
        "email header folding",
        "sqlite adapter",
    ),
)


async def timed(library: Library, questions: Sequence[str]) -> list[float]:
    took: list[float] = []
    for question in questions:
        began = time.perf_counter()
        found = await library.search(question, index="code", max_results=10)
        took.append(time.perf_counter() - began)
        if not found:
            raise RuntimeError(f"Nothing was found for {question!r}: the index is not what it should be.")
    return took


async def changed_file(library: Library, by_words: Library, folder: Path) -> list[float]:
    """Milliseconds from a changed file to its being found, of a few. By words: chance vectors would hide it."""
    index = library.index("code")
    took: list[float] = []
    for number in range(9):
        path = next(folder.rglob(f"*_{number}.py"))
        path.write_text(
            path.read_text("utf-8") + f"\n\ndef freshly_written_{number}():\n    return 'zymurgy{number}'\n"
        )
        began = time.perf_counter()
        await index.add([DocumentSource(name=str(path.relative_to(folder)), path=path)])
        found = await by_words.search(f"zymurgy{number}", index="code", max_results=1)
        took.append((time.perf_counter() - began) * 1e3)
        if not found or f"zymurgy{number}" not in found[0].text:
            raise RuntimeError(f"The change to {path.name} was not found.")
    return took


async def speed(files: int, rounds: int, real: Any) -> list[bars.Bar]:
    with tempfile.TemporaryDirectory(dir=peers_folder.HOME) as name:
        folder = Path(name)
        size = write_files(folder / "files", files)
        async with Library(folder / "home", SpreadEmbedder(real)) as library:
            index = library.index("code", make=True)
            began, cpu = time.perf_counter(), cpu_seconds()
            report = await index.add_folder(folder / "files")
            lexical, used = time.perf_counter() - began, cpu_seconds() - cpu
            print(f"  {report.added:,} files, {size / 1e6:,.0f} MB, {report.chunks:,} chunks: {lexical:.1f} s, "
                  f"{used:.1f} CPU-seconds; {report.failed} could not be read")  # fmt: skip
            words_only = await timed(library, QUESTIONS[:4])
            began = time.perf_counter()
            vectors = await index.embed_pending()
            print(f"  {vectors:,} vectors stored in {time.perf_counter() - began:.1f} s (vectors of chance)")
            await timed(library, QUESTIONS)
            gc.collect()
            each = [await timed(library, QUESTIONS) for _ in range(rounds)]
            both = [seconds * 1e3 for one in each for seconds in one]
            print(f"  hybrid p50 {statistics.median(both):.1f} ms, p95 {bars.p95(both):.1f} ms; "
                  f"first questions, before any vector: {max(words_only) * 1e3:.0f} ms at most")  # fmt: skip
            async with Library(folder / "home") as by_words:
                one = await changed_file(library, by_words, folder / "files")
            await library.drop("code")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    scale = 10_000 / files
    found = f"hybrid p95, {report.chunks:,} chunks{'' if real else ', no embedding'}"
    return [
        bars.Bar(title=found, limit=30, unit=" ms", figures={bars.OURS: bars.p95(both)},
                 spread=bars.span(bars.p95(one) * 1e3 for one in each)),
        bars.Bar(title="10,000 files by their words", limit=25, unit=" s", figures={bars.OURS: lexical * scale}),
        bars.Bar(title="one changed file searchable, median", limit=200, unit=" ms",
                 figures={bars.OURS: statistics.median(one)}, spread=bars.span(one)),
        bars.Bar(title="memory, at most", limit=600, unit=" MB", figures={bars.OURS: memory}),
    ]  # fmt: skip


def cpu_seconds() -> float:
    """Of this process and of those it started and that have ended."""
    return sum(os.times()[:4])


async def ndcg(made: retrieval_sets.Set, folder: Path, embedder: Any, dense: float, sparse: float) -> float:
    """Mean over the questions; one passage is right, so the ideal is 1."""
    total = 0.0
    async with Library(folder, embedder, synonyms=made.synonyms, dense_weight=dense, sparse_weight=sparse) as library:
        for question, right in made.asked:
            found = await library.search(question, index="set", max_results=10, token_budget=100_000)
            names = [passage.document for passage in found]
            total += 1 / math.log2(names.index(right) + 2) if right in names else 0.0
    return total / len(made.asked)


async def quality(questions: int, embedder: Any) -> list[bars.Bar]:
    found: list[bars.Bar] = []
    sets = [retrieval_sets.code(questions, 4 * questions), retrieval_sets.english(questions, 4 * questions),
            retrieval_sets.chinese()]  # fmt: skip
    for made in sets:
        with tempfile.TemporaryDirectory(dir=peers_folder.HOME) as name:
            async with Library(Path(name), embedder) as library:
                index = library.index("set", make=True)
                await index.add(made.sources)
                await index.embed_pending()
            lexical = await ndcg(made, Path(name), embedder, 0, 1)
            dense = await ndcg(made, Path(name), embedder, 1, 0)
            hybrid = await ndcg(made, Path(name), embedder, 0.7, 0.3)
        print(f"  {made.name}: {len(made.asked)} questions, {len(made.sources)} passages, nDCG@10: "
              f"hybrid {hybrid:.3f}, lexical {lexical:.3f}, dense {dense:.3f}")  # fmt: skip
        chinese = made.name == "Chinese"
        best = lexical * 0.97 if chinese else max(lexical, dense)
        # A bar is the most a figure may be: what one of them reaches alone, of what both reach.
        title = f"nDCG@10, {made.name}: {'0.97 of words' if chinese else 'the better alone'}, to both"
        found.append(bars.Bar(title=title, limit=1, figures={bars.OURS: best / hybrid}))
    return found


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("Retrieval: how quick, how large, how good.", 15)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=250)
    parser.add_argument("--only", choices=("speed", "quality", "postgres"))
    parser.add_argument(
        "--postgres", metavar="URL", help="measure speed in this PostgreSQL too, in a schema of its own"
    )
    asked = parser.parse_args(arguments)
    peers_folder.HOME.mkdir(exist_ok=True)
    real = real_embedder()
    found: list[bars.Bar] = []
    left_out: list[str] = []
    if asked.only in (None, "speed"):
        found += asyncio.run(speed(asked.files, asked.rounds, real))
    if asked.postgres and asked.only in (None, "postgres"):
        found += asyncio.run(retrieval_postgres.speed(asked.postgres, asked.files, real, sys.modules[__name__]))
    else:
        left_out.append("retrieval in PostgreSQL: none with pgvector was given (`bench/retrieval.py --postgres URL`)")
    if asked.only == "speed":
        left_out.append("quality of the ranking: only its speed was asked for")
    elif real is None:
        left_out.append("quality of the ranking: MiniLM is not in GLASSLOOP_HOME (`glassloop models pull` gets it)")
    elif asked.only in (None, "quality"):
        found += asyncio.run(quality(asked.questions, real))
    return bars.tell(bars.Report(rows=bars.asked_by("#6", found), left_out=left_out), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
