"""The code index of a workspace: how soon its words are found, and how soon one changed file is.

    python bench/code_index.py [--files N] [--rounds N] [--json FILE]

The workspace is Python's own library, over and over, below 24 KB a file, in folders with ignore files. Beside a look
at it stands the floor: `stat` of the same files, and nothing done with it. Prints the rows with their bars; exits with
1 when one is missed.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import bars
import retrieval
from glassloop.retrieval import Library
from glassloop.retrieval.code.code_index import CodeIndex

IGNORED = "*.log\n/out/\n**/cache/\n!keep.log\n"


def ignore(root: Path) -> None:
    """As a repository does: one file for all, and some more further down."""
    for folder in (root, *sorted(path for path in root.iterdir() if path.is_dir())[::5]):
        (folder / ".gitignore").write_text(IGNORED)


async def changed(code: CodeIndex, root: Path, rounds: int) -> list[float]:
    """Seconds from the change of a file to the search that finds it."""
    files = sorted(root.rglob("*.py"))
    took: list[float] = []
    for number in range(rounds):
        path = files[number * 97 % len(files)]
        text = path.read_text("utf-8") + f"\n\ndef freshly_written_{number}():\n    return 'zymurgy{number}'\n"
        began = time.perf_counter()
        path.write_text(text, "utf-8")
        found = await code.search(f"zymurgy{number}", min_relevance=0.0)
        took.append(time.perf_counter() - began)
        if path.name not in found[0].document:
            raise SystemExit(f"The changed file was not found, {found[0].document} was.")
        # What is younger than two seconds is read again at every search: not what is measured here.
        await asyncio.sleep(2.1)
        await code.refresh()
    return took


def listed(root: Path) -> float:
    """Seconds to look at every file once, and do nothing with it."""
    began = time.perf_counter()
    for folder, _, names in os.walk(root):
        for name in names:
            os.stat(f"{folder}/{name}")  # noqa: PTH116
    return time.perf_counter() - began


async def measure(files: int, rounds: int) -> list[bars.Bar]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        root = Path(home) / "workspace"
        root.mkdir()
        retrieval.write_files(root, files)
        ignore(root)
        async with Library(Path(home) / "library") as library:
            code = CodeIndex(library, "code", root)
            began = time.perf_counter()
            report = await code.build()
            built = time.perf_counter() - began
            await asyncio.sleep(2.1)
            await code.refresh()
            looks: list[float] = []
            for _ in range(rounds):
                began = time.perf_counter()
                await code.refresh()
                looks.append(time.perf_counter() - began)
            one = await changed(code, root, rounds)
            other = CodeIndex(library, "code", root)
            began = time.perf_counter()
            await other.refresh()
            again = time.perf_counter() - began
        floor = min(listed(root) for _ in range(3))
    print(f"  {report.added:,} files, {report.chunks:,} chunks, {report.failed} left out or not readable")
    scale, one_ms = 10_000 / report.added, [seconds * 1e3 for seconds in one]
    look = [seconds / floor for seconds in looks]
    return [
        bars.Bar(title="code index: 10,000 files by their words", limit=25, unit=" s",
                 figures={bars.OURS: built * scale}, source="#6"),
        bars.Bar(title="code index: one changed file found, median", limit=200, unit=" ms", source="#6",
                 figures={bars.OURS: statistics.median(one_ms)}, spread=bars.span(one_ms)),
        bars.Bar(title="code index: a look, nothing new, to `stat`", spread=bars.span(look),
                 figures={bars.OURS: statistics.median(look)}),
        bars.Bar(title="code index: first look of another process", unit=" ms", figures={bars.OURS: again * 1e3}),
    ]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("The code index of a workspace.", 5)
    parser.add_argument("--files", type=int, default=10_000)
    asked = parser.parse_args(arguments)
    return bars.tell(bars.Report(rows=asyncio.run(measure(asked.files, asked.rounds))), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
