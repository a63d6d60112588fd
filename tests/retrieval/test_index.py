"""An index over its life: documents come, change and go, and what is found follows."""

import asyncio
import shutil

import pytest

from glassloop.core.errors import StoreError, UnknownName, UsageError
from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.index.embedding import HashingEmbedder


async def names(library, query, **asked):
    return [passage.document for passage in await library.search(query, index="kb", **asked)]


async def test_what_was_added_is_found_with_its_place(library, index):
    await index.add(
        [
            DocumentSource(name="guide.md", text="# Faults\n\nFlash is cut with a knife.\n"),
            DocumentSource(name="b.md", text="Rain."),
        ]
    )
    (found,) = await library.search("knife", index="kb", max_results=1)
    assert (found.document, found.headings, found.first_line, found.last_line) == ("guide.md", ("Faults",), 3, 3)
    assert found.text == "Flash is cut with a knife."


async def test_a_changed_document_is_found_by_its_new_words_and_no_longer_by_its_old_ones(words_only):
    index = words_only.index("kb", make=True)
    await index.add([DocumentSource(name="a.md", text="The heron waits.")])
    report = await index.add([DocumentSource(name="a.md", text="The otter swims.")])
    assert (report.added, report.changed, report.unchanged) == (0, 1, 0)
    assert await names(words_only, "heron") == []
    assert await names(words_only, "otter") == ["a.md"]


async def test_an_unchanged_document_is_not_written_again(index):
    await index.add([DocumentSource(name="a.md", text="The heron waits.")])
    report = await index.add([DocumentSource(name="a.md", text="The heron waits.")])
    assert (report.added, report.changed, report.unchanged) == (0, 0, 1)


async def test_a_removed_document_is_gone_from_words_meaning_and_list(library, index):
    await index.add(
        [DocumentSource(name="a.md", text="The heron waits."), DocumentSource(name="b.md", text="The otter swims.")]
    )
    await index.embed_pending()
    assert await names(library, "heron") == ["a.md", "b.md"]
    assert await index.remove(["a.md"]) == 1
    assert await names(library, "heron") == ["b.md"]
    assert [each.name for each in await index.documents()] == ["b.md"]


async def test_files_that_left_the_folder_leave_the_index(tmp_path, words_only):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("The heron waits.")
    (folder / "b.md").write_text("The otter swims.")
    index = words_only.index("kb", make=True)
    await index.add_folder(folder)
    (folder / "a.md").unlink()
    report = await index.add_folder(folder)
    assert (report.removed, report.unchanged) == (1, 1)
    assert await names(words_only, "heron otter") == ["b.md"]


async def test_a_file_of_the_same_size_and_time_is_read_again_where_it_was_just_written(tmp_path, words_only):
    path = tmp_path / "a.md"
    index = words_only.index("kb", make=True)
    path.write_text("The heron waits.")
    await index.add([DocumentSource(name="a.md", path=path)])
    path.write_text("The otter swims.")
    await index.add([DocumentSource(name="a.md", path=path)])
    assert await names(words_only, "otter") == ["a.md"]


async def test_an_empty_folder_and_an_empty_file_are_no_fault(tmp_path, index):
    (tmp_path / "docs").mkdir()
    report = await index.add_folder(tmp_path / "docs")
    assert (report.added, report.failed) == (0, 0)
    (tmp_path / "docs" / "a.txt").write_text("")
    report = await index.add_folder(tmp_path / "docs")
    assert (report.added, report.failed, report.chunks) == (1, 0, 0)


async def test_a_folder_that_is_not_there_is_refused(tmp_path, index):
    with pytest.raises(UsageError, match="no file or folder 'nowhere'"):
        await index.add_folder(tmp_path / "nowhere")


async def test_indexes_are_apart_and_can_be_listed_and_dropped(library):
    for name in ("one", "二", "a/../b"):
        await library.index(name, make=True).add([DocumentSource(name=f"{name}.md", text="The heron waits.")])
    assert library.names() == sorted(["one", "二", "a/../b"])
    assert [each.document for each in await library.search("heron", index="二")] == ["二.md"]
    assert await library.drop("one")
    assert not await library.drop("one")
    with pytest.raises(UnknownName, match=r"no index 'one'.*'a/../b', '二'"):
        await library.search("heron", index="one")


async def test_a_passage_that_stayed_as_it_was_keeps_its_vector(kept):
    class Counting(HashingEmbedder):
        def __init__(self):
            super().__init__()
            self.seen = []

        async def embed(self, texts):
            self.seen += texts
            return await super().embed(texts)

    embedder = Counting()
    async with kept(embedder) as library:
        index = library.index("kb", make=True)
        await index.add([DocumentSource(name="a.md", text="# A\n\nThe heron waits.\n\n# B\n\nThe otter swims.")])
        assert await index.embed_pending() == 2
        await index.add([DocumentSource(name="a.md", text="# A\n\nThe heron waits.\n\n# B\n\nThe beaver builds.")])
        assert await index.embed_pending() == 1
    assert ["beaver" in text for text in embedder.seen] == [False, False, True]


async def test_before_any_vector_is_stored_the_best_by_words_are_embedded_for_the_question(library, index):
    await index.add([DocumentSource(name="a.md", text="The heron waits in the reeds.")])
    (found,) = await library.search("heron waiting", index="kb")
    assert found.why == "both"


async def test_without_the_right_words_a_passage_is_found_by_its_meaning_alone(library, index):
    await index.add(
        [DocumentSource(name="a.md", text="Electrification everywhere."), DocumentSource(name="b.md", text="Otters.")]
    )
    await index.embed_pending()
    found = await library.search("electrify", index="kb", max_results=1)
    assert [(each.document, each.why) for each in found] == [("a.md", "dense")]


async def test_vectors_of_another_embedder_are_not_compared_and_are_replaced(kept):
    async with kept(HashingEmbedder(64)) as library:
        index = library.index("kb", make=True)
        await index.add([DocumentSource(name="a.md", text="Electrification everywhere.")])
        assert await index.embed_pending() == 1
    async with kept(HashingEmbedder(128)) as library:
        assert await names(library, "electrify") == []
        assert await library.index("kb").embed_pending() == 1
        assert await names(library, "electrify") == ["a.md"]


async def test_another_library_on_the_same_indexes_sees_what_was_written_since(kept):
    async with kept() as writer, kept() as reader:
        index = writer.index("kb", make=True)
        await index.add([DocumentSource(name="a.md", text="The heron waits.")])
        assert await names(reader, "heron") == ["a.md"]
        await index.add([DocumentSource(name="b.md", text="A second heron.")])
        assert sorted(await names(reader, "heron")) == ["a.md", "b.md"]
        await index.remove(["a.md"])
        assert await names(reader, "heron") == ["b.md"]


@pytest.mark.parametrize("fault", ["missing", "broken", "stale"])
async def test_words_are_made_from_the_truth_when_they_are_missing_broken_or_of_another_truth(tmp_path, fault):
    async with Library(tmp_path) as library:
        await library.index("kb", make=True).add([DocumentSource(name="a.md", text="The heron waits.")])
    (partition,) = tmp_path.glob("*/lexical/1")
    if fault == "missing":
        shutil.rmtree(partition)
    elif fault == "broken":
        for path in partition.rglob("*"):
            if path.is_file() and path.name != "state":
                path.write_bytes(b"no index")
    else:
        state = (partition / "state").read_text()
        (partition / "state").write_text(state.replace('"seq":1', '"seq":1000'))
        assert "1000" in (partition / "state").read_text()
    async with Library(tmp_path) as library:
        assert await names(library, "heron") == ["a.md"]


async def test_progress_is_told_and_cancelling_keeps_what_was_read(tmp_path, words_only):
    told = []
    index = words_only.index("kb", make=True)
    reached = asyncio.Event()

    def progress(message, fraction):
        told.append(message)
        reached.set()

    def endless():
        number = 0
        while True:
            number += 1
            yield DocumentSource(name=f"{number}.md", text=f"The heron number {number} waits.")

    task = asyncio.create_task(index.add(endless(), progress=progress))
    await asyncio.wait_for(reached.wait(), 120)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 120)
    assert told[0].startswith("1 document read")
    kept = await index.documents()
    assert len(kept) >= 1
    assert len(await names(words_only, "heron", max_results=100)) == min(100, len(kept))


async def test_an_index_that_was_dropped_and_made_again_elsewhere_is_the_new_one(kept):
    async with kept() as one, kept() as other:
        await one.index("kb", make=True).add([DocumentSource(name="a.md", text="The heron waits.")])
        assert await names(other, "heron") == ["a.md"]
        await one.drop("kb")
        with pytest.raises(UnknownName):
            await names(other, "heron")
        await one.index("kb", make=True).add([DocumentSource(name="b.md", text="A second heron.")])
        assert await names(other, "heron") == ["b.md"]


async def test_a_new_title_is_found_though_the_text_is_the_same(words_only):
    index = words_only.index("kb", make=True)
    await index.add([DocumentSource(name="a.md", text="It waits.", title="Heron")])
    await index.add([DocumentSource(name="a.md", text="It waits.", title="Otter")])
    assert await names(words_only, "otter") == ["a.md"]
    assert await names(words_only, "heron") == []


async def test_a_disk_that_refuses_is_told_in_one_sentence(tmp_path):
    async with Library(tmp_path) as library:
        index = library.index("kb", make=True)
        (folder,) = tmp_path.glob("kb-*")
        (folder / "truth.db").write_bytes(b"this is no database" * 100)
        with pytest.raises(StoreError, match=r"cannot be used.*remove it and make it again"):
            await index.add([DocumentSource(name="a.md", text="The heron waits.")])


async def test_a_replaced_document_does_not_count_with_its_old_words(words_only):
    old = [DocumentSource(name=f"{number}.md", text="The heron waits by the weir.") for number in range(5)]
    new = [DocumentSource(name=f"{number}.md", text="The otter swims.") for number in range(5)]
    lasting = [DocumentSource(name="y.md", text="A heron."), DocumentSource(name="z.md", text="Otters and a weir.")]
    replaced, fresh = (words_only.index(name, make=True) for name in ("replaced", "fresh"))
    await replaced.add([*old, *lasting])
    await replaced.add(new)
    await fresh.add([*new, *lasting])
    one, other = [
        {hit.document: hit.score for hit in await words_only.search("heron otter weir", index=name)}
        for name in ("replaced", "fresh")
    ]
    # The word index on the disk still counts how long they were.
    assert one == pytest.approx(other, abs=0.1)
    assert len(one) == 3
