"""Vectors searched by pgvector, on a server of its own: what it cannot do on this processor takes nobody else down."""

import shutil

import psycopg
import pytest

from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.backends.postgres import vector_search as graphs
from glassloop.retrieval.index.embedding import HashingEmbedder
from postgres_server import new_schema, new_server
from retrieval.conftest import VECTORS_URL

DIMENSIONS = 256
TEXTS = {
    "a.md": "Electrification everywhere.",
    "b.md": "Otters swim in the river.",
    "c.md": "Bridges are painted every ten years.",
    "d.md": "The electric fence keeps the otters out.",
}


@pytest.fixture(scope="module")
def vector_server():
    if VECTORS_URL:
        yield VECTORS_URL
        return
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
            connection.execute(f"CREATE INDEX ON probe USING hnsw ((v::halfvec({DIMENSIONS})) halfvec_cosine_ops)")
    except psycopg.OperationalError as error:
        pytest.skip(f"pgvector of this wheel does not run on this processor: {error}")


@pytest.fixture
def in_tables(vector_server, tmp_path):
    with new_schema(vector_server) as url:

        def make(embedder, **options):
            return Library(tmp_path / "unused", embedder, database_url=url, **options)

        make.url = url
        yield make


async def fill(library, **whose):
    index = library.index("kb", make=True)
    await index.add([DocumentSource(name=name, text=text) for name, text in TEXTS.items()], **whose)
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
        await index.add([DocumentSource(name="e.md", text="Electrifying news.")], domain="press")
        await index.embed_pending()
        assert told(await library.search("electrify", index="kb", domains=["press"])) == [("e.md", "both")]
        await index.remove(["a.md"])
        assert "a.md" not in {each.document for each in await library.search("electrify", index="kb")}


async def test_another_users_vectors_change_nothing_that_i_see(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS)) as library:
        index = await fill(library, owner="ann")
        alone = await library.search("electrify the otters", index="kb", user="ann")
        theirs = [DocumentSource(name=f"{n}.md", text=f"Electrify otters, secret {n}.") for n in range(8)]
        await index.add(theirs, owner="bob")
        await index.embed_pending()
        assert alone
        assert await library.search("electrify the otters", index="kb", user="ann") == alone


async def test_a_passage_that_stayed_as_it_was_keeps_its_vector(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS)) as library:
        index = library.index("kb", make=True)
        await index.add([DocumentSource(name="a.md", text="# A\n\nThe heron waits.\n\n# B\n\nThe otter swims.")])
        assert await index.embed_pending() == 2
        await index.add([DocumentSource(name="a.md", text="# A\n\nThe heron waits.\n\n# B\n\nThe beaver builds.")])
        assert await index.embed_pending() == 1


WORDS = ("otter", "heron", "bridge", "fence", "river", "valve", "gauge", "marmot", "weir", "lamp")


def many(count, start=0):
    """Each like a few of the others."""
    return [
        DocumentSource(
            name=f"{n}.md", text=" ".join(f"{WORDS[(n >> shift) % 10]}{shift}" for shift in range(6)) + f" no {n}"
        )
        for n in range(start, start + count)
    ]


def graphs_in(url):
    with psycopg.connect(url) as connection:
        return graphs.graphs(connection)


@pytest.mark.slow
async def test_a_large_partition_gets_a_graph_that_finds_what_a_scan_finds(tmp_path, in_tables):
    embedder = HashingEmbedder(DIMENSIONS)
    questions = [f"{word}0 {other}2 {word}4" for word in WORDS[:5] for other in WORDS[5:]]
    async with Library(tmp_path / "home", embedder) as files, in_tables(embedder, graph_from=100) as tables:
        for library in (files, tables):
            index = library.index("kb", make=True)
            await index.add(many(400))
            await index.embed_pending()
        assert list(graphs_in(in_tables.url).values()) == [DIMENSIONS]
        same = 0
        for question in questions:
            one, other = [await library.search(question, index="kb") for library in (files, tables)]
            same += len({each.document for each in one} & {each.document for each in other})
        assert same >= 0.9 * 10 * len(questions)


async def test_a_graph_follows_what_comes_and_goes_and_finds_small_domains(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS), graph_from=100) as library:
        index = library.index("kb", make=True)
        await index.add(many(300))
        await index.embed_pending()
        assert graphs_in(in_tables.url)
        await index.add([DocumentSource(name="new.md", text="Electrification everywhere.")], domain="press")
        await index.embed_pending()
        for domains in (None, ["press"]):
            found = await library.search("electrify", index="kb", domains=domains, max_results=1)
            assert [each.document for each in found] == ["new.md"]
        await index.remove(["new.md"], domain="press")
        found = await library.search("electrify", index="kb", max_results=50)
        assert "new.md" not in {each.document for each in found}
        in_domain = await library.search("otter0 heron2", index="kb", domains=[""], max_results=20)
        assert len(in_domain) == 20


async def test_a_graph_has_nothing_of_another_user(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS), graph_from=100) as library:
        index = library.index("kb", make=True)
        await index.add(many(150), owner="ann")
        await index.embed_pending()
        alone = await library.search("otter0 heron2", index="kb", user="ann", max_results=50)
        await index.add(many(300, 1_000), owner="bob")
        await index.embed_pending()
        assert len(graphs_in(in_tables.url)) == 2
        assert alone
        assert await library.search("otter0 heron2", index="kb", user="ann", max_results=50) == alone


async def test_vectors_of_another_embedder_get_a_graph_of_their_own_and_none_is_left_behind(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS), graph_from=100) as library:
        index = library.index("kb", make=True)
        await index.add(many(150))
        await index.embed_pending()
        library.use(HashingEmbedder(64))
        assert await index.embed_pending() == 150
        assert list(graphs_in(in_tables.url).values()) == [64]
        assert await library.search("otter0", index="kb")
        await library.drop("kb")
        assert graphs_in(in_tables.url) == {}


@pytest.mark.slow
async def test_what_an_interrupted_build_left_is_made_anew(in_tables):
    async with in_tables(HashingEmbedder(DIMENSIONS)) as library:
        index = library.index("kb", make=True)
        await index.add(many(150))
        await index.embed_pending()
        with psycopg.connect(in_tables.url) as connection:
            (partition,) = connection.execute("SELECT id FROM retrieval_partitions").fetchone()
            name = f"retrieval_near_{partition}_{DIMENSIONS}"
            connection.execute(f"CREATE INDEX {name} ON retrieval_vectors (partition)")
            connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [name])
        assert graphs_in(in_tables.url) == {}
        assert await library.search("otter0", index="kb")
    async with in_tables(HashingEmbedder(DIMENSIONS), graph_from=100) as library:
        assert await library.index("kb").embed_pending() == 0
        assert graphs_in(in_tables.url) == {partition: DIMENSIONS}
        assert await library.search("otter0", index="kb")
