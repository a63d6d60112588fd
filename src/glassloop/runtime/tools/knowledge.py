"""`search_knowledge_base`: the knowledge base as a tool, for any assistant that names it in its profile.

    tools = ["glassloop.runtime.tools.knowledge:make_tools"]

Owns the wording a model reads and the shape of the result. The caller's user comes with the call.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from glassloop.core.errors import StoreAway, ToolUnavailable, UsageError
from glassloop.core.ports import Passage
from glassloop.core.records import Json
from glassloop.retrieval.collections.knowledge import KnowledgeBase, clean_domain
from glassloop.retrieval.index.library import Library
from glassloop.tools.tool import Tool, ToolContext, tool

FOLDER = "knowledge"
MAX_RESULTS = 20
TOKENS = 2_000
"""Of all passages of one answer together: more crowds out what else the model should see."""

FRESH_S = 30.0
"""How long an answer is remembered: documents come and go while people talk."""

Prepare = Callable[[KnowledgeBase], Awaitable[None]]
"""Called before each search; what it makes once it should remember."""


Open = Callable[[], KnowledgeBase]
"""What a factory of tools gets as its parameter `knowledge`."""


def make_tools(home: Path, knowledge: Open | None = None, prepare: Prepare | None = None) -> Sequence[Tool]:
    """The tool over the knowledge base that the runtime opens, else over the words of that in the home folder.

    `prepare` is for an extension that puts documents of its own there.
    """
    opened = cache(knowledge or (lambda: KnowledgeBase(Library(home / FOLDER))))

    @tool(effect="read", cache_ttl_s=FRESH_S)
    async def search_knowledge_base(
        query: Annotated[str, Field(min_length=1, max_length=4_000)],
        context: ToolContext,
        domain: Annotated[str, Field(max_length=100)] = "",
        top_k: Annotated[int, Field(ge=1, le=MAX_RESULTS)] = 5,
        min_relevance: Annotated[float, Field(ge=0, le=1)] = 0.0,
    ) -> dict[str, Json]:
        """Search documents (制度, 规定, 手册): policies, rules, handbooks, manuals, runbooks, product sheets. Cite.

        Args:
            query: What to look for, in the words of the question.
            domain: Only documents filed under this, such as "finance"; empty for all.
            top_k: How many passages at most.
            min_relevance: From 0 to 1; 0.5 leaves out what hardly fits.
        """
        try:
            if prepare is not None:
                await prepare(opened())
            return await _search(opened(), context.user, query, domain, top_k, min_relevance)
        except StoreAway as error:
            raise ToolUnavailable(str(error)) from error

    return (search_knowledge_base,)


async def _search(
    knowledge: KnowledgeBase, user: str, query: str, domain: str, top_k: int, min_relevance: float
) -> dict[str, Json]:
    notes: list[str] = []
    domains = await knowledge.domains(user)
    wanted = _known(domain, domains)
    if domain.strip() and not wanted and domains:
        notes.append(f"There is no domain {domain[:100]!r}, so all were searched: {', '.join(domains[:20])}.")
    found = _near_best(
        await knowledge.search(
            query, user=user, domain=wanted, max_results=top_k, min_relevance=min_relevance, token_budget=TOKENS
        )
    )
    if not domains:
        notes.append("The knowledge base is empty: there is no document to search.")
    elif not found:
        notes.append("No document has anything about it.")
    told: dict[str, Json] = {
        "passages": [_shown(number, passage) for number, passage in enumerate(found, 1)],
        "found": len(found),
    }
    if notes:
        told["note"] = " ".join(notes)
    return told


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


def _shown(number: int, passage: Passage) -> dict[str, Json]:
    """Citation first: what is shortened loses its end."""
    shown: dict[str, Json] = {
        "cite": f"[{number}] {', '.join(filter(None, (passage.title or passage.document, passage.place)))}",
        "text": passage.text,
        "relevance": round(passage.relevance, 2),
        "why": passage.why,
        "document": passage.document,
        "domain": passage.domain,
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
