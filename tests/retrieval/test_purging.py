"""What was removed cannot be read in the files of the index any more, soon after and after a crash."""

import asyncio
from contextlib import closing

import tantivy

from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.backends.disk import document_db as truth
from glassloop.retrieval.backends.disk.backend import DiskBackend
from glassloop.retrieval.index.embedding import HashingEmbedder

SECRET = "zymurgical"
OTHERS = [DocumentSource(name=f"{number}.md", text=f"The heron number {number} waits.") for number in range(7)]
GONE = DocumentSource(
    name=f"{SECRET}.md", title=f"About {SECRET}", text=f"# The {SECRET} way\n\nA {SECRET} heron waits."
)


def left_in(folder, word=SECRET):
    """What still holds the word: files as they are, and word indexes, which write it in a way of their own."""
    held = {path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()}
    for meta in folder.rglob("meta.json"):
        searcher = tantivy.Index.open(str(meta.parent)).searcher()
        if searcher.doc_freq("body", word):
            held.add("words")
    return held


async def heron(library):
    found = await library.search("heron", index="kb", max_results=100, token_budget=100_000)
    return {each.document for each in found}


async def test_a_removed_documents_words_are_in_no_file(tmp_path):
    async with Library(tmp_path, HashingEmbedder()) as library:
        index = library.index("kb", make=True)
        await index.add([GONE, *OTHERS])
        await index.embed_pending()
        assert left_in(tmp_path) & {"truth.db", "truth.db-wal"}
        assert "words" in left_in(tmp_path)
        assert await index.remove([GONE.name]) == 1
        await index.settled()
        assert left_in(tmp_path) == set()
        assert await heron(library) == {source.name for source in OTHERS}


async def test_a_library_that_is_closed_has_purged_first(tmp_path):
    async with Library(tmp_path) as library:
        await library.index("kb", make=True).add([GONE, *OTHERS])
        await library.index("kb").remove([GONE.name])
    assert left_in(tmp_path) == set()


async def test_after_a_crash_before_the_purge_the_next_search_sees_to_it(tmp_path):
    async with Library(tmp_path) as library:
        await library.index("kb", make=True).add([GONE, *OTHERS])
    (folder,) = tmp_path.glob("kb-*")
    backend = DiskBackend(folder, "kb")
    assert await asyncio.to_thread(backend.remove, [GONE.name], "", "", 30.0) == 1
    backend.close()
    assert "words" in left_in(tmp_path)
    async with Library(tmp_path) as library:
        await heron(library)
        await library.index("kb").settled()
        assert left_in(tmp_path) == set()


async def test_another_process_searches_on_while_words_are_written_anew(tmp_path):
    async with Library(tmp_path) as library, Library(tmp_path) as reader:
        index = library.index("kb", make=True)
        await index.add([GONE, *OTHERS])
        assert GONE.name in await heron(reader)
        await index.remove([GONE.name])
        expected = {source.name for source in OTHERS}
        assert await heron(reader) == expected
        await index.settled()
        assert await heron(reader) == expected
        await index.add([DocumentSource(name="new.md", text="A new heron.")])
        assert await heron(reader) == expected | {"new.md"}


async def test_removals_that_follow_one_another_are_all_purged(tmp_path):
    async with Library(tmp_path) as library:
        index = library.index("kb", make=True)
        await index.add([DocumentSource(name=f"s{n}.md", text=f"The {SECRET}{n} heron.") for n in range(6)])
        await index.add(OTHERS)
        await asyncio.gather(*(index.remove([f"s{number}.md"], wait_s=60) for number in range(6)))
        await index.settled()
        assert left_in(tmp_path) == set()
        assert len(await heron(library)) == len(OTHERS)


async def test_one_owners_removal_leaves_the_words_of_others(tmp_path):
    async with Library(tmp_path) as library:
        index = library.index("kb", make=True)
        await index.add([GONE], owner="ann")
        await index.add(OTHERS, owner="bob")
        await index.remove(owner="ann")
        await index.settled()
        assert left_in(tmp_path) == set()
        assert len(await library.search("heron", index="kb", user="bob", max_results=100)) == len(OTHERS)


async def test_a_removal_that_was_cut_off_before_its_words_were_hidden_is_purged_too(tmp_path):
    async with Library(tmp_path) as library:
        await library.index("kb", make=True).add([GONE, *OTHERS])
    (folder,) = tmp_path.glob("kb-*")
    # As a writer leaves it that is killed right after the truth was committed.
    with closing(truth.connect(folder / "truth.db")) as connection, truth.transaction(connection):
        truth.remove_document(connection, 1, truth.find_document(connection, 1, "", GONE.name))
    async with Library(tmp_path) as library:
        assert GONE.name not in await heron(library)
        await library.index("kb").settled()
        assert left_in(tmp_path) == set()
