"""The sample company's papers in the knowledge base: put there at first use, and taken out where the data is one's own.

Owns when that happens. What the papers say is `papers`'.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from glassloop.extensions.business.defects import CATALOGUE
from glassloop.extensions.business.desk import Business, Desk
from glassloop.extensions.business.papers import crm, erp, general, itops, mold, oa
from glassloop.extensions.business.papers.paper import Paper
from glassloop.retrieval.knowledge import KnowledgeBase
from glassloop.retrieval.sources import Source
from glassloop.tools.tool import ToolContext

SHELF = "handbook/"
"""What the names of the papers begin with in the knowledge base."""

WRITERS: Mapping[str, Callable[[Desk], Sequence[Paper]]] = {
    "erp": erp.papers,
    "crm": crm.papers,
    "itops": itops.papers,
    "oa": oa.papers,
    "mold": mold.papers,
    "general": general.papers,
}


def write_papers(desk: Desk) -> Sequence[Paper]:
    """All of them, with the figures that the data has now."""
    return [paper for write in WRITERS.values() for paper in write(desk)]


class Handbook:
    """The papers of one company in one knowledge base."""

    def __init__(self, business: Business) -> None:
        self._business = business
        self._known: str | None = None
        self._putting = asyncio.Lock()

    async def ensure(self, knowledge: KnowledgeBase) -> None:
        """Puts the papers there, or takes them away, if that has not been done for the company there is now."""
        async with self._putting:
            stamp, papers = await asyncio.to_thread(self._write)
            if stamp == self._known:
                return
            knowledge.library.learn({defect.zh[0]: (*defect.zh[1:], *defect.en) for defect in CATALOGUE})
            for domain in WRITERS:
                own = [paper for paper in papers if paper.domain == domain]
                await _put(knowledge, domain, own)
            self._known = stamp

    def _write(self) -> tuple[str, Sequence[Paper]]:
        """The papers, unless they are known; none of a company's own data, which we know nothing of."""
        context = ToolContext()
        self._business.prepare(context)
        stamp = self._business.sample_stamp
        if stamp == self._known or not stamp:
            return stamp, ()
        with self._business.desk(context) as desk:
            return stamp, write_papers(desk)


async def _put(knowledge: KnowledgeBase, domain: str, papers: Sequence[Paper]) -> None:
    sources = [Source(name=f"{SHELF}{domain}/{paper.name}", text=paper.text, title=paper.title) for paper in papers]
    if sources:
        await knowledge.add(sources, domain=domain)
    kept = {source.name for source in sources}
    there = [document.name for document in await knowledge.documents(domain=domain)]
    gone = [name for name in there if name.startswith(f"{SHELF}{domain}/") and name not in kept]
    if gone:
        await knowledge.remove(gone, domain=domain)
