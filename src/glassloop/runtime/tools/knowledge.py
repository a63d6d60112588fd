"""`search_knowledge_base`: the knowledge base as a tool, for any assistant that names it in its profile.

    tools = ["glassloop.runtime.tools.knowledge:make_tools"]

Owns the wording a model reads and the shape of the result. The caller's user comes with the call.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from glassloop.core.errors import StoreAway, ToolError, ToolUnavailable, UsageError
from glassloop.core.ports import Passage
from glassloop.core.records import Json
from glassloop.retrieval.collections.knowledge import SAMPLE, SHARED, KnowledgeBase, clean_domain, partition_of
from glassloop.retrieval.index.library import Library
from glassloop.runtime.collections.chosen import chosen_collections
from glassloop.store.store import Store
from glassloop.tools.tool import Tool, ToolContext, tool

SEARCH: Final = "search_knowledge_base"
FOLDER = "knowledge"
MAX_RESULTS = 20
TOKENS = 2_000
"""Of all passages of one answer together: more crowds out what else the model should see."""

FRESH_S = 30.0
"""How long an answer is remembered: documents come and go while people talk."""

Query = Annotated[str, Field(min_length=1, max_length=4_000)]
Name = Annotated[str, Field(max_length=100)]
ResultCount = Annotated[int, Field(ge=1, le=MAX_RESULTS)]
Relevance = Annotated[float, Field(ge=0, le=1)]

Prepare = Callable[[KnowledgeBase], Awaitable[None]]
"""Called before each search; what it makes once it should remember."""


Open = Callable[[], KnowledgeBase]
"""What a factory of tools gets as its parameter `knowledge`."""


class SearchScope(NamedTuple):
    """Which documents a call searches. `owners` None: the user's own and what is shared. `names` are those of
    collections, by id; `only`: the user chose these for the question, and nothing else is searched."""

    owners: Sequence[str] | None = None
    names: Mapping[str, str] = {}
    only: bool = False
    sample: bool = False


def make_tools(
    home: Path, knowledge: Open | None = None, prepare: Prepare | None = None, store: Store | None = None
) -> Sequence[Tool]:
    """The tool over the knowledge base that the runtime opens, else over the words of that in the home folder.

    `prepare` is for an extension that puts samples of its own there. `store`: where the collections of a question are.
    """
    opened = cache(knowledge or (lambda: KnowledgeBase(Library(home / FOLDER))))

    @tool(effect="read", cache_ttl_s=FRESH_S, volatile=store is not None, name=SEARCH)
    async def search_knowledge_base(
        query: Query,
        context: ToolContext,
        collection: Name = "",
        domain: Name = "",
        top_k: ResultCount = 5,
        min_relevance: Relevance = 0.0,
        sample: bool = False,
    ) -> dict[str, Json]:
        """Search the user's documents (制度, 规定, 手册): policies, rules, handbooks, manuals, product sheets. Cite.

        Args:
            query: What to look for, in the words of the question.
            collection: Only this collection, of those that the context names; empty for all.
            domain: Only documents filed under this, such as "finance"; empty for all.
            top_k: How many passages at most.
            min_relevance: From 0 to 1; 0.5 leaves out what hardly fits.
            sample: Search invented sample documents instead; only where the user wants these.
        """
        try:
            if prepare is not None:
                await prepare(opened())
            scope = SearchScope(sample=sample)
            if store is not None:
                scope = await _scope(store, context, collection, sample=sample)
            return await _search(opened(), context.user, scope, query, domain, top_k, min_relevance)
        except StoreAway as error:
            raise ToolUnavailable(str(error)) from error

    return (search_knowledge_base,)


async def _scope(store: Store, context: ToolContext, collection: str, *, sample: bool) -> SearchScope:
    """What the question of this call is to be answered from. What was chosen must still be readable by the user."""
    chosen = await chosen_collections(store, context.turn_id, context.session_id)
    if sample or not chosen.ids:
        return SearchScope(sample=sample)
    readable = {each.id: each.name for each in await store.collections.readable(context.user)}
    names = {each: readable[each] for each in chosen.ids if each in readable}
    wanted = collection.strip().removeprefix("#").lower()
    if wanted:
        found = [each for each, name in names.items() if wanted in (each, name)]
        if not found:
            raise ToolError(f"There is no collection {collection!r} for this question: there are {_listed(names)}.")
        return SearchScope([partition_of(each) for each in found], names, only=True)
    own = [] if chosen.only else [context.user, SHARED]
    return SearchScope([*own, *map(partition_of, names)], names, chosen.only)


async def _search(
    knowledge: KnowledgeBase, user: str, scope: SearchScope, query: str, domain: str, top_k: int, min_relevance: float
) -> dict[str, Json]:
    notes: list[str] = []
    owners, domains = scope.owners, await knowledge.domains(user)
    # Invented documents never stand beside one's own: they answer where there are none, or where they are wanted.
    samples = [] if scope.names else sorted({each.domain for each in await knowledge.of_owner(SAMPLE)})
    if scope.sample or (samples and not domains):
        owners, domains = [SAMPLE], samples
        notes.append("These are invented documents of a sample company: say so.")
    wanted = _known(domain, domains)
    if domain.strip() and not wanted and domains:
        notes.append(f"There is no domain {domain[:100]!r}, so all were searched: {', '.join(domains[:20])}.")
    found = _near_best(
        await knowledge.search(
            query,
            user=user,
            owners=owners,
            domain=wanted,
            max_results=top_k,
            min_relevance=min_relevance,
            token_budget=TOKENS,
        )
    )
    if scope.names and not found:
        notes.append(f"Nothing about it in {_listed(scope.names)}: try other words.")
    elif not domains and not scope.names:
        notes.append("The knowledge base is empty: there is no document to search.")
    elif not found:
        notes.append("No document has anything about it.")
        if samples and owners is None:
            notes.append("Invented documents of the sample company were not searched: sample=true does.")
    told: dict[str, Json] = {
        "passages": [_shown(number, passage, scope.names) for number, passage in enumerate(found, 1)],
        "found": len(found),
    }
    if notes:
        told["note"] = " ".join(notes)
    return told


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"{name!r}" for name in names.values()) or "none"


def _near_best(found: Sequence[Passage]) -> Sequence[Passage]:
    """Those that are at least half as relevant as the best: beside it, others only distract."""
    best = max((passage.relevance for passage in found), default=0.0)
    return [passage for passage in found if passage.relevance * 2 >= best]


def _known(domain: str, domains: Sequence[str]) -> str:
    """A model may name a domain that nobody filed anything under; then all are searched."""
    try:
        wanted = clean_domain(domain) if domain.strip() else ""
    except UsageError:
        return ""
    return wanted if wanted in domains else ""


def _shown(number: int, passage: Passage, names: Mapping[str, str]) -> dict[str, Json]:
    """Citation first: what is shortened loses its end."""
    shown: dict[str, Json] = {
        "cite": f"[{number}] {', '.join(filter(None, (passage.title or passage.document, passage.place)))}",
        "text": passage.text,
        "relevance": round(passage.relevance, 2),
        "why": passage.why,
        "document": passage.document,
        **({"collection": names[passage.domain]} if passage.domain in names else {"domain": passage.domain}),
    }
    if passage.headings:
        shown["headings"] = list(passage.headings)
    if passage.page:
        shown["page"] = passage.page
    if passage.first_line:
        shown["lines"] = [passage.first_line, passage.last_line]
    if passage.also:
        shown["also_in"] = list(passage.also)
    return shown
