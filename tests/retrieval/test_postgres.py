"""Indexes in PostgreSQL beside those on the disk: the same answers, one writer at a time, whole after a crash."""

import asyncio
import random
import signal
import subprocess
import sys

import psycopg
import pytest

from glassloop.core.errors import StoreAway
from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.backends.postgres.schema import PgConnections, write_lock
from glassloop.retrieval.index.embedding import HashingEmbedder

START_S = 60
WORDS = (
    *("heron", "otter", "river", "bridge", "reed", "spring", "paint", "rain"),
    *("county", "fence", "crane", "water", "stone", "winter", "boat", "wind"),
)
QUESTIONS = ("heron river", "painted bridges of the county", "otters", "winter boat wind stone", "rain rain water")


def pages():
    """Texts of chance, always the same: short and long, with words once and often."""
    chance = random.Random(7)
    for number in range(8):
        sections = []
        for section in range(chance.randint(2, 6)):
            words = chance.choices(WORDS, weights=range(1, len(WORDS) + 1), k=chance.randint(8, 120))
            sections.append(f"# Part {section}\n\n{' '.join(words).capitalize()}.")
        yield DocumentSource(name=f"{number}.md", text="\n\n".join(sections))


WRITER = """
import asyncio, sys
from pathlib import Path
from glassloop.retrieval import Library
from glassloop.retrieval.index import index_writer as writing
from glassloop.retrieval.index.embedding import HashingEmbedder

# Small groups and many commits, so that the kill falls between any two of them.
writing.GROUP_CHUNKS = 3


async def main(url, files):
    async with Library(Path(files), HashingEmbedder(32), database_url=url, pgvector=False) as library:
        index = library.index("kb", make=True)
        await index.add_folder(Path(files), progress=lambda message, fraction: print(message, flush=True))
        await index.embed_pending(lambda message, fraction: print(message, flush=True))
        print("done", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
def in_postgres(postgres_schema, tmp_path):
    def make(embedder=None, **options):
        return Library(tmp_path / "unused", embedder, database_url=postgres_schema, pgvector=False, **options)

    return make


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()], ids=["words", "both"])
async def test_both_answer_nearly_the_same(tmp_path, in_postgres, embedder):
    """Not quite: the word index on the disk rounds how long a passage is."""
    async with Library(tmp_path / "home", embedder) as files, in_postgres(embedder) as tables:
        for library in (files, tables):
            index = library.index("kb", make=True)
            await index.add(pages())
            await index.embed_pending()
        for question in QUESTIONS:
            one, other = [
                {(each.document, each.headings): each for each in await found(library, question)}
                for library in (files, tables)
            ]
            assert one.keys() == other.keys()
            assert next(iter(one)) in list(other)[:2]
            for place, passage in one.items():
                assert passage.score == pytest.approx(other[place].score, abs=0.04)
                assert passage.relevance == pytest.approx(other[place].relevance, abs=0.02)


async def found(library, question):
    return await library.search(question, index="kb", max_results=10, token_budget=100_000)


async def test_chinese_and_its_synonyms_are_found(in_postgres):
    async with in_postgres(synonyms={"披锋": ["飞边", "毛边", "flash"]}) as library:
        index = library.index("kb", make=True)
        await index.add(
            [
                DocumentSource(name="a.md", text="毛边是由于锁模力不足。"),
                DocumentSource(name="b.md", text="模具保养计划。"),
            ]
        )
        for question, expected in (("披锋", "a.md"), ("flash", "a.md"), ("模具", "b.md"), ("锁模力", "a.md")):
            found = await library.search(question, index="kb")
            assert found[0].document == expected, question
            assert found[0].relevance > 0.5


async def test_text_that_the_database_cannot_keep_as_it_is_comes_in_all_the_same(in_postgres):
    async with in_postgres() as library:
        index = library.index("kb", make=True)
        text = "The heron's \\path\0 waits: 'quoted' 1,234.5. " + "Reeds grow. " * 150
        odd = DocumentSource(name="it's \\ odd\0.md", title="A 'title' \\", text=text)
        report = await index.add([odd, DocumentSource(name="b.md", text="x\ud800y heron")], owner="o'\\\0", domain="d'")
        assert (report.added, report.failed) == (2, 0)
        found = await library.search("heron's path", index="kb", user="o'\\\0")
        assert {each.document for each in found} == {"it's \\ odd\ufffd.md", "b.md"}
        assert await index.remove([odd.name], owner="o'\\\0", domain="d'") == 1


async def test_what_is_removed_leaves_no_row_and_no_count(in_postgres, postgres_schema):
    async with in_postgres(HashingEmbedder()) as library:
        index = library.index("kb", make=True)
        await index.add(
            [DocumentSource(name="a.md", text="The zymurgical heron."), DocumentSource(name="b.md", text="The heron.")]
        )
        await index.embed_pending()
        await index.add([DocumentSource(name="b.md", text="The otter.")])
        await index.remove(["a.md"])
        await index.settled()
    with psycopg.connect(postgres_schema) as connection:
        words = {word for (word,) in connection.execute("SELECT word FROM retrieval_frequencies")}
        assert words & {"zymurgical", "heron", "otter"} == {"otter"}
        for table in ("documents", "chunks", "words"):
            assert connection.execute(f"SELECT count(*) FROM retrieval_{table}").fetchone() == (1,)
        assert connection.execute("SELECT chunks, words FROM retrieval_partitions").fetchone() == (1, 4)


def write_files(folder, count):
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nThe heron number n{number}x waits.\n")


@pytest.mark.slow
async def test_a_writer_killed_at_any_moment_leaves_an_index_that_goes_on(tmp_path, in_postgres, postgres_schema):
    write_files(tmp_path / "files", 40)
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, postgres_schema, str(tmp_path / "files")], stdout=subprocess.PIPE
    )
    for _ in range(17):
        assert process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait(START_S)
    process.stdout.close()
    async with in_postgres(HashingEmbedder(32)) as library:
        index = library.index("kb")
        kept = {each.name for each in await index.documents()}
        # The server lets the dead writer's lock go when it finds the connection closed.
        report = await index.add_folder(tmp_path / "files", wait_s=START_S)
        assert report.added + report.unchanged == 40
        # What the writer had sent before it was killed may still have come in after we looked.
        assert report.added <= 40 - len(kept)
        await index.embed_pending()
        for number in range(0, 40, 13):
            (found,) = await library.search(f"n{number}x", index="kb", max_results=1)
            assert (found.document, found.why) == (f"{number}.md", "both")
    with psycopg.connect(postgres_schema) as connection:
        assert connection.execute("SELECT count(*) FROM retrieval_vectors").fetchone() == (40,)
        assert connection.execute(
            "SELECT s.chunks, s.words, count(*), sum(length) FROM retrieval_partitions s, retrieval_words GROUP BY s.id"
        ).fetchone() == (40, 480, 40, 480)


async def test_a_second_writer_waits_for_the_first_or_is_refused_and_readers_go_on(in_postgres, postgres_schema):
    async with in_postgres() as library:
        index = library.index("kb", make=True)
        await index.add([DocumentSource(name="a.md", text="The heron waits.")])
        connections = PgConnections(postgres_schema, pgvector=False)
        with connections.use() as (connection, _), write_lock(connection, "kb", 10):
            with pytest.raises(StoreAway, match=r"'kb' is being written by another process.*try again"):
                await index.add([DocumentSource(name="b.md", text="The otter swims.")], wait_s=0.1)
            assert [each.document for each in await library.search("heron", index="kb")] == ["a.md"]
            # Another index is another lock.
            assert (await library.index("other", make=True).add([DocumentSource(name="c.md", text="x")])).added == 1
            waiting = asyncio.create_task(
                index.add([DocumentSource(name="b.md", text="The otter swims.")], wait_s=START_S)
            )
            assert not (await asyncio.wait([waiting], timeout=0.2))[0]
        assert (await asyncio.wait_for(waiting, START_S)).added == 1
        connections.close()


async def test_a_database_that_is_not_there_is_told_in_one_sentence(tmp_path):
    url = f"postgresql://nobody@/nothing?host={tmp_path}"
    async with Library(tmp_path, database_url=url) as library:
        with pytest.raises(StoreAway, match=r"'kb' cannot be read or written.*check the database"):
            await library.search("heron", index="kb")


async def test_libraries_that_make_the_tables_at_the_same_moment_all_get_them(in_postgres):
    libraries = [in_postgres() for _ in range(4)]
    await asyncio.gather(
        *(
            library.index(f"kb{number}", make=True).add([DocumentSource(name="a.md", text="The heron waits.")])
            for number, library in enumerate(libraries)
        )
    )
    assert await asyncio.to_thread(libraries[0].names) == ["kb0", "kb1", "kb2", "kb3"]
    for library in libraries:
        await library.aclose()


@pytest.mark.slow
async def test_a_server_that_was_started_again_is_used_again(tmp_path, own_postgres):
    async with Library(tmp_path, database_url=own_postgres.url, pgvector=False) as library:
        await library.index("kb", make=True).add([DocumentSource(name="a.md", text="The heron waits.")])
        assert await found(library, "heron")
        own_postgres.kill()
        with pytest.raises(StoreAway):
            await found(library, "heron")
        own_postgres.start()
        assert [each.document for each in await found(library, "heron")] == ["a.md"]
