"""`search_knowledge_base`: what a model is told of documents, and whose documents those are."""

import pytest

from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall
from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.collections.knowledge import KnowledgeBase
from glassloop.retrieval.index.embedding import HashingEmbedder
from glassloop.runtime.tools.knowledge import make_tools
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.registry import ToolRegistry

RULES = """# Purchasing

Orders above 5,000 EUR need two signatures.

# Travel

Trains are booked in second class. Hotels cost at most 120 EUR a night.
"""


@pytest.fixture
async def knowledge(tmp_path):
    async with Library(tmp_path / "knowledge", HashingEmbedder()) as library:
        yield KnowledgeBase(library)


@pytest.fixture
def ask(knowledge, tmp_path):
    """Calls the tool as a turn of a user does."""
    tools = ToolOrchestrator(ToolRegistry(make_tools(tmp_path, lambda: knowledge)))

    async def call(user="ann", **args):
        context = CallContext(turn_id="t", session_id=f"s-{user}", user=user, call_id="c")
        return await tools.execute_tool(ToolCall(id="c", tool="search_knowledge_base", args=args), context)

    return call


async def test_a_passage_comes_with_what_to_cite_and_why_it_was_found(knowledge, ask):
    await knowledge.add([DocumentSource(name="rules.md", text=RULES, title="House rules")], domain="Procurement")
    found = (await ask(query="two signatures for orders")).data
    first = found["passages"][0]
    assert first["cite"] == "[1] House rules, line 3"
    assert first["text"] == "Orders above 5,000 EUR need two signatures."
    assert (first["document"], first["domain"], first["headings"]) == ("rules.md", "procurement", ["Purchasing"])
    assert first["why"] == "both"
    assert 0 < first["relevance"] <= 1
    assert found["found"] == len(found["passages"])


async def test_a_user_finds_what_is_shared_and_their_own_and_nothing_of_others(knowledge, ask):
    await knowledge.add([DocumentSource(name="shared.md", text="The heron waits in the reeds.")])
    await knowledge.add([DocumentSource(name="mine.md", text="My heron is grey.")], user="ann")
    await knowledge.add([DocumentSource(name="theirs.md", text="The secret heron is white.")], user="bob")
    for user, expected in (
        ("ann", {"shared.md", "mine.md"}),
        ("bob", {"shared.md", "theirs.md"}),
        ("eve", {"shared.md"}),
    ):
        found = (await ask(user, query="heron")).data
        assert {each["document"] for each in found["passages"]} == expected


async def test_only_the_domain_that_was_asked_for_is_searched_and_one_that_is_not_there_is_told(knowledge, ask):
    await knowledge.add([DocumentSource(name="a.md", text="The heron waits.")], domain="birds")
    await knowledge.add([DocumentSource(name="b.md", text="The heron crane lifts.")], domain="machines")
    found = (await ask(query="heron", domain="Birds")).data
    assert [each["document"] for each in found["passages"]] == ["a.md"]
    everywhere = (await ask(query="heron", domain="poultry")).data
    assert {each["document"] for each in everywhere["passages"]} == {"a.md", "b.md"}
    assert everywhere["note"] == "There is no domain 'poultry', so all were searched: birds, machines."


async def test_the_names_of_domains_that_are_anothers_are_not_told(knowledge, ask):
    await knowledge.add([DocumentSource(name="a.md", text="The heron waits.")], domain="birds")
    await knowledge.add([DocumentSource(name="b.md", text="A merger.")], domain="project-falcon", user="bob")
    assert "falcon" not in (await ask(query="heron", domain="merger")).output


async def test_what_hardly_fits_is_left_out_where_that_is_asked_for(knowledge, ask):
    await knowledge.add(
        [DocumentSource(name="a.md", text="The heron waits."), DocumentSource(name="b.md", text="Rain fell.")]
    )
    await knowledge.embed_pending()
    assert (await ask(query="otter")).data["found"] > 0
    found = (await ask(query="otter", min_relevance=0.9)).data
    assert found == {"passages": [], "found": 0, "note": "No document has anything about it."}


async def test_what_is_far_below_the_best_is_left_out(knowledge, ask):
    reeds = [DocumentSource(name=f"{n}.md", text=f"Boats, volume {n}: sails, ropes, oars.") for n in range(4)]
    best = DocumentSource(name="best.md", text="Two signatures: orders above 5,000 EUR need two signatures.")
    await knowledge.add([best, *reeds])
    await knowledge.embed_pending()
    query = "orders above 5,000 EUR need two signatures"
    every = await knowledge.search(query, user="ann", max_results=5)
    shown = (await ask(query=query)).data["passages"]
    kept = [passage.document for passage in every if passage.relevance * 2 >= every[0].relevance]
    assert [passage["document"] for passage in shown] == kept == ["best.md"]
    assert len(every) > 1


async def test_an_empty_knowledge_base_says_so(ask):
    found = await ask(query="heron")
    assert found.data == {
        "passages": [],
        "found": 0,
        "note": "The knowledge base is empty: there is no document to search.",
    }


@pytest.mark.parametrize("args", [{"query": ""}, {"query": "x", "top_k": 0}, {"query": "x", "min_relevance": 2}, {}])
async def test_arguments_that_make_no_sense_are_refused_in_words(ask, args):
    result = await ask(**args)
    assert not result.success
    assert "search_knowledge_base" in result.error


async def test_no_more_than_was_asked_for_is_shown(knowledge, ask):
    await knowledge.add([DocumentSource(name=f"{n}.md", text=f"Heron number {n} waits.") for n in range(9)])
    assert (await ask(query="heron", top_k=3)).data["found"] == 3


async def test_a_pack_may_put_documents_of_its_own_there_before_the_first_search(knowledge, tmp_path):
    async def prepare(base):
        await base.add([DocumentSource(name="pack.md", text="The heron of the pack.")], domain="pack")

    (tool,) = make_tools(tmp_path, lambda: knowledge, prepare)
    context = CallContext(turn_id="t", session_id="s", user="ann", call_id="c")
    found = await tool.start(tool.validate({"query": "heron"}), context)
    assert found["passages"][0]["document"] == "pack.md"


async def test_what_others_bring_in_changes_no_figure_of_what_i_am_told(knowledge, ask):
    await knowledge.add([DocumentSource(name="shared.md", text="The heron waits in the reeds by the river.")])
    await knowledge.add([DocumentSource(name="mine.md", text="My heron is grey, the river is wide.")], user="ann")
    await knowledge.embed_pending()
    alone = (await ask(query="heron river", domain="poultry")).data
    theirs = [DocumentSource(name=f"{n}.md", text=f"Heron, heron, river {n}. {'Heron. ' * n}") for n in range(8)]
    await knowledge.add(theirs, user="bob", domain="poultry")
    await knowledge.embed_pending()
    # Another top_k than before, so that the answer is not the remembered one.
    beside = (await ask(query="heron river", domain="poultry", top_k=6)).data
    assert alone["found"] == 2
    assert beside == alone
