"""The sample company's documents: policies, handbooks, runbooks and product sheets, in English and Chinese.

Their text is in `data/documents`; every figure in it that the data has is read from the data, so that the two agree.
They are put into the knowledge base at first use, and taken out where the data is a company's own.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from glassloop.extensions.business.data_files import read_text, read_toml
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.defects import CATALOGUE, Defect
from glassloop.extensions.business.snapshot import BusinessData, Snapshot
from glassloop.retrieval.collections.knowledge import SAMPLE, SHARED, KnowledgeBase
from glassloop.retrieval.index.sources import DocumentSource
from glassloop.tools.tool import ToolContext

FOLDER = "handbook/"
"""What the names of the documents begin with in the knowledge base."""

DOCUMENTS: Mapping[str, Sequence[str]] = {
    "erp": ("procurement-policy", "warehouse-handbook"),
    "crm": ("sales-handbook", "products"),
    "itops": ("incident-runbook", "maintenance-and-backup"),
    "oa": ("employee-handbook", "travel-policy"),
    "mold": ("defect-handbook", "trial-procedure"),
    "general": ("company-profile",),
}
LANGUAGES = (".md", ".zh.md")


class SampleDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document of a domain, as Markdown."""

    domain: str
    name: str
    text: str

    @property
    def title(self) -> str:
        return self.text.partition("\n")[0].removeprefix("# ")


def write_documents(snapshot: Snapshot) -> Sequence[SampleDocument]:
    """All of them, with the figures that the data has now."""
    figures = Figures(snapshot)
    lines = [str(row["category"]) for row in figures["product_lines"].rows]
    made: list[SampleDocument] = []
    for domain, names in DOCUMENTS.items():
        for name in names:
            # There is a product sheet for each product line, and one of any other document.
            for line in lines if name == "products" else [""]:
                figures.start(product_line=line)
                slug = f"{name}-{line.lower().replace(' ', '-')}" if line else name
                made += [
                    SampleDocument(domain=domain, name=f"{slug}{end}", text=figures.fill(f"{domain}/{name}{end}"))
                    for end in LANGUAGES
                ]
    return made


class Figures(dict[str, Any]):
    """What stands in a document's braces: words that are given, else the result of the query of that name."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._given: Mapping[str, str] = {}

    def start(self, **given: str) -> None:
        """Begins a document about these."""
        self._given = given
        self.clear()
        self.update(given, today=self._snapshot.today, currency=self._snapshot.currency)

    def fill(self, path: str) -> str:
        return read_text(f"documents/{path}").format_map(self)

    def __missing__(self, name: str) -> Any:
        if name in ("defects_en", "defects_zh"):
            counted = {str(row["defect"]): int(row["cases"]) for row in self["cases"].rows}
            write = _in_english if name == "defects_en" else _in_chinese
            self[name] = "\n\n".join(write(defect, counted.get(defect.code, 0)) for defect in CATALOGUE)
        else:
            self[name] = QueryResult(self._snapshot.rows(_queries()[name], self._given), self._snapshot.currency)
        return self[name]


class QueryResult:
    """Rows as a document shows them."""

    def __init__(self, rows: Sequence[Row], currency: str) -> None:
        self.rows = rows
        self.count = len(rows)
        self._currency = currency

    def __getattr__(self, column: str) -> str:
        return self._cell(column, self.rows[0][column])

    def __format__(self, separator: str) -> str:
        """The rows of a table; with a separator the values of the first column in one line."""
        cells = [[self._cell(*pair) for pair in row.items()] for row in self.rows]
        if separator:
            return separator.join(row[0] for row in cells)
        return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in cells)

    def _cell(self, column: str, value: Any) -> str:
        if value is None:
            return "–"
        if column.endswith("_cents"):
            return f"{value / 100:,.2f} {self._currency}"
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        return f"{shown} %" if column.endswith("_percent") else shown


class DocumentSync:
    """The documents of one company in one knowledge base."""

    def __init__(self, data: BusinessData) -> None:
        self._data = data
        self._known: str | None = None
        self._putting = asyncio.Lock()

    async def ensure(self, knowledge: KnowledgeBase) -> None:
        """Puts the documents there, or takes them away, if that has not been done for the company there is now."""
        async with self._putting:
            stamp, documents = await asyncio.to_thread(self._write)
            if stamp == self._known:
                return
            knowledge.library.learn({defect.zh[0]: (*defect.zh[1:], *defect.en) for defect in CATALOGUE})
            for domain in DOCUMENTS:
                own = [document for document in documents if document.domain == domain]
                await _put(knowledge, domain, own)
            self._known = stamp

    def _write(self) -> tuple[str, Sequence[SampleDocument]]:
        """The documents, unless they are known; none of a company's own data, which we know nothing of."""
        context = ToolContext()
        self._data.prepare(context)
        stamp = self._data.sample_stamp
        if stamp == self._known or not stamp:
            return stamp, ()
        with self._data.reading(context) as snapshot:
            return stamp, write_documents(snapshot)


async def _put(knowledge: KnowledgeBase, domain: str, documents: Sequence[SampleDocument]) -> None:
    sources = [
        DocumentSource(name=f"{FOLDER}{domain}/{each.name}", text=each.text, title=each.title) for each in documents
    ]
    if sources:
        await knowledge.add(sources, domain=domain, user=SAMPLE)
    kept = {source.name for source in sources}
    # Earlier versions shared them, beside documents of one's own.
    for owner, still in ((SAMPLE, kept), (SHARED, set[str]())):
        there = [document.name for document in await knowledge.of_owner(owner, domain)]
        gone = [name for name in there if name.startswith(f"{FOLDER}{domain}/") and name not in still]
        if gone:
            await knowledge.remove(gone, domain=domain, user=owner)


@cache
def _queries() -> Mapping[str, str]:
    return read_toml("documents/queries.toml")


def _in_english(defect: Defect, cases: int) -> str:
    remedies = "\n".join(f"- {each.cause_en}: {each.remedy_en}." for each in defect.remedies)
    also = ", ".join((*defect.en[1:], *defect.zh[1:]))
    return f"## {defect.label.capitalize()}\n\n{cases} cases so far. Also called {also}.\n\n{remedies}"


def _in_chinese(defect: Defect, cases: int) -> str:
    remedies = "\n".join(f"- {each.cause_zh}：{each.remedy_zh}。" for each in defect.remedies)
    also = "、".join((*defect.zh[1:], *defect.en[1:]))
    return f"## {defect.zh[0]}（{defect.en[0]}）\n\n至今 {cases} 例。又称 {also}。\n\n{remedies}"
