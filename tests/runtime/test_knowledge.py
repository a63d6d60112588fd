"""Documents as jobs: found by their words when the import ends, by their meaning when a second job has."""

import asyncio
import time

import psycopg
import pytest

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.retrieval import Library
from glassloop.retrieval.collections.knowledge import KnowledgeBase
from glassloop.retrieval.index.embedding import HashingEmbedder
from glassloop.runtime.build import open_runtime
from glassloop.runtime.knowledge import EMBED, IMPORT, Knowledge
from glassloop.runtime.settings import Settings

WAIT_S = 60.0


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(Settings(home=str(tmp_path / "home"), embedder="none"), recovers_turns=False)
    yield opened
    await opened.aclose(1.0)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "handbook"
    made.mkdir()
    (made / "rules.md").write_text("Orders above 5,000 EUR need two signatures.")
    return made


class Gated(HashingEmbedder):
    """Embeds nothing before it is let."""

    def __init__(self):
        super().__init__()
        self.gate = asyncio.Event()

    async def embed(self, texts):
        await self.gate.wait()
        return await super().embed(texts)


async def end_of(runtime, job_id):
    async with asyncio.timeout(WAIT_S):
        async for row in runtime.jobs.watch(job_id):
            last = row
    return last


async def test_words_are_found_when_the_import_ends_and_meaning_when_its_second_job_has(runtime, folder, tmp_path):
    embedder = Gated()
    base = runtime.knowledge.base()
    base.library.use(embedder)
    job = await runtime.jobs.submit(IMPORT, {"path": str(folder), "owner": "ann"}, user="ann")
    done = await end_of(runtime, job.id)
    assert (done.status, done.result["added"], done.result["chunks"]) == ("completed", 1, 1)
    async with Library(tmp_path / "home" / "knowledge") as by_words:
        (found,) = await KnowledgeBase(by_words).search("signatures", user="ann")
    assert (found.document, found.why) == ("handbook/rules.md", "lexical")
    embedding = await runtime.jobs.get(done.result["embed_job"], "ann")
    assert (embedding.kind, embedding.status in ("queued", "running")) == (EMBED, True)
    embedder.gate.set()
    assert (await end_of(runtime, embedding.id)).result == {"embedded_passages": 1}
    (found,) = await base.search("signatures", user="ann")
    assert found.why == "both"


async def test_two_embedding_jobs_at_once_embed_nothing_twice(runtime, folder):
    base = runtime.knowledge.base()
    await base.import_path(folder)
    base.library.use(HashingEmbedder())
    jobs = [await runtime.jobs.submit(EMBED) for _ in range(2)]
    ends = [await end_of(runtime, job.id) for job in jobs]
    assert sorted(end.result["embedded_passages"] for end in ends) == [0, 1]


async def test_an_upload_that_is_gone_before_it_is_read_fails_the_job_in_words(runtime, tmp_path):
    params = {"path": str(tmp_path / "gone"), "owner": "ann", "name": "rules.md"}
    done = await end_of(runtime, (await runtime.jobs.submit(IMPORT, params)).id)
    assert (done.status, done.error) == ("failed", "The file 'rules.md' no longer exists: upload it again.")


async def test_jobs_go_on_after_a_lost_worker(runtime):
    assert all(runtime.jobs.kinds[name].resumable for name in (IMPORT, EMBED))


async def test_the_weights_of_the_settings_order_what_is_found(tmp_path):
    texts = {"words.md": "A heron.", "meaning.md": "Herons herons herony heronlike."}
    first = {}
    for dense, sparse in ((1.0, 0.0), (0.0, 1.0)):
        home = tmp_path / f"{dense}"
        settings = Settings(home=str(home), embedder="none", rag_dense_weight=dense, rag_sparse_weight=sparse)
        async with await open_runtime(settings, recovers_turns=False) as runtime:
            base = runtime.knowledge.base()
            base.library.use(HashingEmbedder())
            for name, text in texts.items():
                (tmp_path / name).write_text(text)
                await base.import_path(tmp_path / name)
            await base.embed_pending()
            found = await base.search("heronlike birds and a heron")
            first[dense] = {each.document: each.score for each in found}
    assert first[1.0] != first[0.0]


async def test_a_knowledge_base_that_nobody_asked_for_is_not_made(runtime, tmp_path):
    assert not (tmp_path / "home" / "knowledge").exists()
    with pytest.raises(GlassloopError):
        await runtime.knowledge.base().find("nothing")
    assert not (tmp_path / "home" / "knowledge").exists()


async def test_words_that_an_operator_says_are_the_same_find_one_another(tmp_path):
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "synonyms.toml").write_text('"披锋" = ["毛边", "flash"]\n', "utf-8")
    (tmp_path / "a.md").write_text("毛边是由于锁模力不足。", "utf-8")
    async with await open_runtime(Settings(home=str(tmp_path), embedder="none"), recovers_turns=False) as runtime:
        base = runtime.knowledge.base()
        await base.import_path(tmp_path / "a.md")
        for asked in ("披锋", "flash"):
            assert [each.document for each in await base.search(asked)] == ["a.md"]
        assert await base.search("sink marks") == []
        base.library.learn({"毛边": ["sink mark"]})
        assert [each.document for each in await base.search("sink mark")] == ["a.md"]


async def test_a_list_of_synonyms_that_is_none_is_told_with_its_place(tmp_path):
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "synonyms.toml").write_text("flash = 3\n")
    async with await open_runtime(Settings(home=str(tmp_path), embedder="none"), recovers_turns=False) as runtime:
        with pytest.raises(UsageError, match=r"synonyms\.toml cannot be used"):
            runtime.knowledge.base()


async def test_with_a_database_of_its_own_nothing_of_it_is_in_the_home_folder(postgres_schema, folder, tmp_path):
    settings = Settings(home=str(tmp_path / "home"), database_url=postgres_schema, embedder="none")
    async with await open_runtime(settings, recovers_turns=False) as runtime:
        job = await runtime.jobs.submit(IMPORT, {"path": str(folder), "owner": "ann", "domain": "erp"}, user="ann")
        assert (await end_of(runtime, job.id)).result["added"] == 1
        (found,) = await runtime.knowledge.base().search("signatures", user="ann", domain="erp")
        assert (found.document, found.place, found.why) == ("handbook/rules.md", "line 1", "lexical")
        assert await runtime.knowledge.base().search("signatures", user="bob") == []
    with psycopg.connect(postgres_schema) as connection:
        assert connection.execute("SELECT name FROM retrieval_documents").fetchall() == [("handbook/rules.md",)]
    assert not (tmp_path / "home" / "knowledge").exists()


async def test_passages_that_wait_get_their_meaning_at_the_start_and_when_an_embedder_comes(tmp_path, folder):
    embedders = [None]
    settings = Settings(home=str(tmp_path / "home"), embedder="none")
    knowledge = Knowledge(settings, ready=lambda _: embedders[-1], rest_s=0.01)
    try:
        await knowledge.base().import_path(folder)
        knowledge.start()
        embedders.append(HashingEmbedder())
        knowledge.renew()
        index = knowledge.base().library.index("knowledge")
        await until(lambda: not index._backend.without_vector(0, 1))
    finally:
        await knowledge.aclose()


async def until(condition):
    deadline = time.monotonic() + 60
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
