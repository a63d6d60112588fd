"""What one user keeps has no influence on what another finds: not in hits, scores, counts or order."""

import pytest

from glassloop.retrieval import DocumentSource
from glassloop.retrieval.index.embedding import HashingEmbedder

MINE = [
    DocumentSource(name="mine1.md", text="The heron waits in the reeds by the river."),
    DocumentSource(name="mine2.md", text="The river was high in spring, and the bridge was closed."),
    DocumentSource(name="mine3.md", text="Bridges are painted every ten years."),
]
SHARED = [
    DocumentSource(name="shared.md", text="Herons and bridges of the county."),
    DocumentSource(name="rain.md", text="Rain fell."),
]
THEIRS = [
    DocumentSource(name=f"secret{number}.md", text=f"The heron heron river bridge secret {number} {'heron ' * number}")
    for number in range(40)
]


async def ask(library):
    return [
        await library.search(query, index="kb", user="ann") for query in ("heron river", "bridge", "herons painted")
    ]


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()], ids=["words", "both"])
async def test_another_users_documents_change_nothing_that_i_see(kept, embedder):
    async with kept(embedder) as library:
        index = library.index("kb", make=True)
        await index.add(MINE, owner="ann")
        await index.add(SHARED)
        await index.embed_pending()
        alone = await ask(library)
        await index.add(THEIRS, owner="bob")
        await index.embed_pending()
        beside = await ask(library)
        assert any(alone)
        assert beside == alone
        assert len(await index.documents(owner="ann")) == 3
        assert all(each.text.count("secret") for each in await library.search("secret", index="kb", user="bob"))
        assert len(await library.search("secret", index="kb", user="bob")) == 10


async def test_without_a_user_only_what_is_everybodys_is_found(library, index):
    await index.add(MINE, owner="ann")
    await index.add(SHARED)
    assert {each.document for each in await library.search("heron bridge", index="kb")} <= {"shared.md", "rain.md"}


async def test_a_document_of_mine_and_a_shared_one_of_the_same_name_are_two(library, index):
    await index.add([DocumentSource(name="a.md", text="The heron waits.")])
    await index.add([DocumentSource(name="a.md", text="The otter swims.")], owner="ann")
    assert await index.remove(["a.md"], owner="ann") == 1
    (found,) = await library.search("heron", index="kb", user="ann")
    assert found.text == "The heron waits."


async def test_only_the_domains_that_were_asked_for_are_searched(library, index):
    await index.add([DocumentSource(name="a.md", text="The heron waits.")], domain="birds")
    await index.add([DocumentSource(name="b.md", text="The heron crane lifts.")], domain="machines")
    await index.embed_pending()
    for domains, expected in ((["birds"], {"a.md"}), (["birds", "machines"], {"a.md", "b.md"}), (["cars"], set())):
        found = await library.search("heron", index="kb", domains=domains)
        assert {each.document for each in found} == expected


async def test_removing_all_of_a_user_leaves_the_others_alone(library, index):
    await index.add(MINE, owner="ann")
    await index.add(THEIRS, owner="bob")
    assert await index.remove(owner="bob") == 40
    assert await index.documents(owner="bob") == []
    assert await library.search("secret", index="kb", user="bob", min_relevance=0.01) == []
    assert len(await index.documents(owner="ann")) == 3


async def test_vectors_made_for_one_users_question_show_nothing_to_another(library, index):
    await index.add(MINE, owner="ann")
    await index.add(THEIRS, owner="bob")
    assert await library.search("heron river", index="kb", user="bob")
    found = await library.search("heron river", index="kb", user="ann", max_results=50)
    assert {each.document for each in found} <= {"mine1.md", "mine2.md", "mine3.md"}
    assert found
