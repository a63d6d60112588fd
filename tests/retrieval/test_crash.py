"""Writers that are killed or that meet: what is left is whole, and goes on."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from glassloop.core.errors import StoreAway
from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.index.embedding import HashingEmbedder

START_S = 120
FILES = 120

WRITER = """
import asyncio, sys
from pathlib import Path
from glassloop.retrieval import Library, DocumentSource
from glassloop.retrieval.index import index_writer as writing
from glassloop.retrieval.index.embedding import HashingEmbedder

# Small groups and many commits, so that the kill falls between any two of them.
writing.GROUP_CHUNKS, writing.COMMIT_S = 7, 0.01


async def main(home, files):
    async with Library(Path(home), HashingEmbedder(32)) as library:
        index = library.index("kb", make=True)
        print("begun", flush=True)
        await index.add_folder(Path(files), progress=lambda message, fraction: print(message, flush=True))
        await index.embed_pending(lambda message, fraction: print(message, flush=True))

asyncio.run(main(*sys.argv[1:]))
"""

HOLDER = """
import sys
from pathlib import Path
from glassloop.retrieval.backends.disk.write_lock import WriteLock

with WriteLock(Path(sys.argv[1]), "kb").hold(5):
    print("held", flush=True)
    sys.stdin.read()
"""


def start(script, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline()
    return process


def stop(process, sign=signal.SIGKILL):
    process.send_signal(sign)
    process.wait(START_S)
    process.stdin.close()
    process.stdout.close()


def write_files(folder):
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nThe heron number n{number}x waits.\n")


@pytest.mark.parametrize("lines", [1, *(pytest.param(lines, marks=pytest.mark.slow) for lines in (30, FILES + 2)), 90])
async def test_a_writer_killed_at_any_moment_leaves_an_index_that_goes_on(tmp_path, lines):
    write_files(tmp_path / "files")
    process = start(WRITER, tmp_path / "home", tmp_path / "files")
    for _ in range(lines):
        process.stdout.readline()
    stop(process)
    assert process.returncode == -signal.SIGKILL
    (path,) = (tmp_path / "home").glob("*/truth.db")
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = {row[0] for row in connection.execute("SELECT name FROM documents")}
        whole = connection.execute("SELECT count(*) FROM documents d WHERE d.chunks != (SELECT count(*) FROM chunks c "
                                   "WHERE c.document = d.id)").fetchone()  # fmt: skip
    connection.close()
    assert whole == (0,)
    async with Library(tmp_path / "home", HashingEmbedder(32)) as library:
        for name in sorted(kept)[:10]:
            (found,) = await library.search(f"n{name.removesuffix('.md')}x", index="kb", max_results=1)
            assert found.document == name
        report = await library.index("kb").add_folder(tmp_path / "files")
        assert report.added + report.unchanged == FILES
        assert report.added <= FILES - len(kept)
        await library.index("kb").embed_pending()
        for number in range(0, FILES, 29):
            (found,) = await library.search(f"n{number}x", index="kb", max_results=1)
            assert (found.document, found.why) == (f"{number}.md", "both")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (FILES,)
    connection.close()


async def test_a_second_writer_waits_for_the_first(tmp_path):
    async with Library(tmp_path) as library:
        index = library.index("kb", make=True)
        (folder,) = tmp_path.glob("kb-*")
        process = start(HOLDER, folder / "lock")
        writing = asyncio.create_task(index.add([DocumentSource(name="a.md", text="The heron waits.")], wait_s=START_S))
        assert not (await asyncio.wait([writing], timeout=0.2))[0]
        stop(process)
        assert (await asyncio.wait_for(writing, START_S)).added == 1


async def test_a_second_writer_is_refused_in_one_sentence_when_the_first_goes_on(tmp_path):
    async with Library(tmp_path) as library:
        index = library.index("kb", make=True)
        await index.add([DocumentSource(name="a.md", text="The heron waits.")])
        (folder,) = tmp_path.glob("kb-*")
        process = start(HOLDER, folder / "lock")
        try:
            with pytest.raises(StoreAway, match=rf"'kb' is being written by process {process.pid}.*try again"):
                await index.add([DocumentSource(name="b.md", text="The otter swims.")], wait_s=0.1)
            found = await library.search("heron", index="kb")
            assert [each.document for each in found] == ["a.md"]
        finally:
            stop(process)


@pytest.mark.slow
async def test_two_processes_that_write_at_once_both_come_through(tmp_path):
    write_files(tmp_path / "files")
    one, other = (start(WRITER, tmp_path / "home", tmp_path / "files") for _ in range(2))
    for process in (one, other):
        await asyncio.to_thread(process.stdout.read)
        assert process.wait(START_S) == 0
        process.stdin.close()
        process.stdout.close()
    async with Library(tmp_path / "home") as library:
        assert len(await library.index("kb").documents()) == FILES
        found = await library.search("heron", index="kb", max_results=100, token_budget=100_000)
        assert len({each.document for each in found}) == len(found) == 100


@pytest.mark.slow
async def test_a_search_during_a_long_import_sees_what_was_committed(tmp_path):
    write_files(tmp_path / "files")
    process = start(WRITER, tmp_path / "home", tmp_path / "files")
    try:
        async with Library(tmp_path / "home") as library:
            seen, until = 0, time.monotonic() + START_S
            while not seen and time.monotonic() < until:
                seen = len(await library.search("heron", index="kb", max_results=5))
            assert seen
    finally:
        stop(process)
