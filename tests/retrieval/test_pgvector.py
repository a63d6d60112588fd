"""Vectors searched by pgvector, on a server of its own: what it cannot do on this processor takes nobody else down."""

import shutil

import psycopg
import pytest

from glassloop.retrieval import Library, Source
from glassloop.retrieval.embedding import HashingEmbedder
from postgres_server import new_schema, new_server

DIMENSIONS = 256
TEXTS = {
    "a.md": "Electrification everywhere.",
    "b.md": "Otters swim in the river.",
    "c.md": "Bridges are painted every ten years.",
    "d.md": "The electric fence keeps the otters out.",
}


@pytest.fixture(scope="module")
def vector_server():
    folder, server = new_server("-c", "fsync=off")
    try:
        _probe(server.url)
        yield server.url
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _probe(url):
    """The wheel's pgvector was built for one processor and has instructions that others do not know."""
    one = f"[{','.join(['0.0625'] * DIMENSIONS)}]"
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute("CREATE TABLE probe (v halfvec)")
            connection.execute("INSERT INTO probe SELECT %s::halfvec FROM generate_series(1, 9)", [one])
            connection.execute("SELECT v <=> %s::halfvec AS far FROM probe ORDER BY far", [one]).fetchall()
    except psycopg.OperationalError as error:
        pytest.skip(f"pgvector of this wheel does not run on this processor: {error}")


@pytest.fixture
def in_tables(vector_server, tmp_path):
    with new_schema(vector_server) as url:

        def make(embedder):
            return Library(tmp_path / "unused", embedder, database_url=url)

        make.url = url
        yield make


async def fill(library, **whose):
    index = library.index("kb", make=True)
    await index.add([Source(name=name, text=text) for name, text in TEXTS.items()], **whose)
    await index.embed_pending()
    return index


def told(passages):
    return [(each.document, each.why) for each in passages]


async def test_what_is_near_by_meaning_is_the_same_as_on_the_disk(tmp_path, in_tables):
    embedder = HashingEmbedder(DIMENSIONS)
    async with Library(tmp_path / "home", embedder) as files, in_tables(embedder) as tables:
        for library in (files, tables):
            await fill(library)
        with psycopg.connect(in_tables.url) as connection:
            kind = connection.execute("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attname = "
                                      "'vector' AND attrelid = 'retrieval_vectors'::regclass").fetchone()  # fmt: skip
        assert "halfvec" in kind[0]
        for question in ("electrify", "otters and rivers", "painting a bridge", "fence"):
            one, other = [await library.search(question, index="kb") for library in (files, tables)]
            assert told(one) == told(other), question
            for left, right in zip(one, other, strict=True):
                assert left.score == pytest.approx(right.score, abs=0.03)
                assert left.relevance == pytest.approx(right.relevance, abs=0.03)


async def test_removed_vectors_and_other_domains_are_not_found(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS)) as library:
        index = await fill(library)
        await index.add([Source(name="e.md", text="Electrifying news.")], domain="press")
        await index.embed_pending()
        assert told(await library.search("electrify", index="kb", domains=["press"])) == [("e.md", "both")]
        await index.remove(["a.md"])
        assert "a.md" not in {each.document for each in await library.search("electrify", index="kb")}


async def test_another_users_vectors_change_nothing_that_i_see(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS)) as library:
        index = await fill(library, owner="ann")
        alone = await library.search("electrify the otters", index="kb", user="ann")
        theirs = [Source(name=f"{n}.md", text=f"Electrify otters, secret {n}.") for n in range(8)]
        await index.add(theirs, owner="bob")
        await index.embed_pending()
        assert alone
        assert await library.search("electrify the otters", index="kb", user="ann") == alone


async def test_a_passage_that_stayed_as_it_was_keeps_its_vector(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS)) as library:
        index = library.index("kb", make=True)
        await index.add([Source(name="a.md", text="# A\n\nThe heron waits.\n\n# B\n\nThe otter swims.")])
        assert await index.embed_pending() == 2
        await index.add([Source(name="a.md", text="# A\n\nThe heron waits.\n\n# B\n\nThe beaver builds.")])
        assert await index.embed_pending() == 1
