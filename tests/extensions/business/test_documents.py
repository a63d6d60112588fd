"""The company's documents agree with its data, are found in both languages, and go where the data is somebody's own."""

import re
from datetime import date
from pathlib import Path

import pytest

from glassloop.extensions.business.company.generator import VERSION
from glassloop.extensions.business.database.sample import IMPORTED
from glassloop.extensions.business.database.source import open_source
from glassloop.extensions.business.database.writer import write_sqlite
from glassloop.extensions.business.documents import DOCUMENTS, FOLDER, write_documents
from glassloop.extensions.business.plugins import General, business_of
from glassloop.extensions.business.snapshot import Snapshot
from glassloop.retrieval.collections.knowledge import KnowledgeBase
from glassloop.retrieval.index.library import Library
from glassloop.retrieval.index.sources import DocumentSource
from glassloop.tools.tool import ToolContext

NOON = 1_794_744_000.0


@pytest.fixture(scope="module")
def documents(made_file: Path):
    with open_source(str(made_file)).reading(lambda: False) as statements:
        return {
            f"{each.domain}/{each.name}": each for each in write_documents(Snapshot(statements, date(2026, 11, 15)))
        }


def test_every_domain_has_documents_and_each_has_one_in_the_other_language(documents) -> None:
    assert {each.domain for each in documents.values()} == set(DOCUMENTS)
    english = [name for name in documents if not name.endswith(".zh.md")]
    assert {name.replace(".md", ".zh.md") for name in english} == set(documents) - set(english)
    assert len(english) >= 14
    for name, each in documents.items():
        assert bool(re.search("[\u4e00-\u9fff]", each.title)) == name.endswith(".zh.md")


def test_the_two_languages_say_the_same_figures(documents) -> None:
    def figures(text: str) -> set[str]:
        # Numbers up to ten are written out in either language, where a sentence reads better so.
        return {found for found in re.findall(r"\d[\d,.]*\d|\d{2,}", text) if "-" not in found}

    for name, each in documents.items():
        if not name.endswith(".zh.md"):
            other = documents[name.replace(".md", ".zh.md")]
            assert figures(each.text) == figures(other.text), name


def test_their_figures_are_those_of_the_data(documents, company) -> None:
    policy = documents["erp/procurement-policy.md"].text
    over = sum(order.total_cents > 5_000_000 for order in company["purchase_orders"])
    blocked = sum(vendor.status == "blocked" for vendor in company["vendors"])
    assert f"Orders above 50,000.00 USD need the signature of a director. So far there were {over:,} of them." in policy
    assert f"We buy from {len(company['vendors'])} vendors. Those that are blocked, now {blocked}, get" in policy
    days = sorted({vendor.payment_days for vendor in company["vendors"]})
    assert f"Agreed terms are {', '.join(map(str, days))} days" in policy
    for item in company["items"]:
        if item.kind == "material":
            row = f"| {item.item_id} | {item.name} | {item.reorder_point:,} | {item.unit} |"
            assert row in documents["erp/warehouse-handbook.md"].text
        if item.kind == "finished":
            sheet = documents[f"crm/products-{item.category.lower()}.md"].text
            assert f"| {item.item_id} | {item.name} | {item.price_cents / 100:,.2f} USD |" in sheet
    staff = sum(person.status == "active" for person in company["employees"])
    assert f"{staff} people." in documents["oa/employee-handbook.md"].text
    assert f"员工 {staff} 人" in documents["general/company-profile.zh.md"].text
    flash = sum(case.defect == "flash" for case in company["defect_cases"])
    assert f"{flash} cases so far. Also called flashing" in documents["mold/defect-handbook.md"].text
    assert f"{len(company['trials'])} trials" in documents["mold/trial-procedure.md"].text
    assert f"we run {len(company['servers'])} servers" in documents["itops/maintenance-and-backup.md"].text


@pytest.fixture
async def knowledge(tmp_path: Path):
    library = Library(tmp_path / "library")
    yield KnowledgeBase(library)
    await library.aclose()


def search_over(home: Path, knowledge: KnowledgeBase):
    plugin = General()
    (search,) = plugin.tools(home, {"knowledge": lambda: knowledge, "clock": at_noon})
    return search


def at_noon() -> float:
    return NOON


@pytest.fixture
def home(made_file: Path, tmp_path: Path) -> Path:
    """With the company in it, so that none has to be made."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "business.db").write_bytes(made_file.read_bytes())
    return tmp_path / "home"


SOUGHT = (
    ("approval limit of a buyer", "erp", "procurement-policy.md", "10,000.00 USD"),
    ("采购员审批权限", "erp", "procurement-policy.zh.md", "10,000.00 USD"),
    ("annual leave days", "", "employee-handbook.md", "25 days"),
    ("disk full first steps", "itops", "incident-runbook.md", "14 days"),
    ("披锋 锁模力不足", "mold", "defect-handbook.zh.md", "锁模力"),
    ("price of the Inhaler Body", "crm", "products-medical.md", "Inhaler Body"),
)


async def test_documents_are_found_by_domain_with_a_citation(home, knowledge) -> None:
    search = search_over(home, knowledge)
    for query, domain, document, said in SOUGHT:
        result = await search.execute({"query": query, "domain": domain, "top_k": 3}, ToolContext(user="ada"))
        assert result.success, result.error
        found = [passage for passage in result.data["passages"] if passage["document"].endswith(document)]
        assert any(said in passage["text"] for passage in found), query
        assert found[0]["lines"][0] >= 1


async def test_samples_never_stand_beside_documents_of_ones_own_and_are_searched_where_they_are_wanted(
    home, knowledge
) -> None:
    search = search_over(home, knowledge)
    note = DocumentSource(name="note.md", text="# My note\n\nThe annual leave of the zebra team is 99 days.\n")
    await knowledge.add([note], domain="oa", user="ada")

    async def found(user, **more):
        result = await search.execute({"query": "annual leave zebra", **more}, ToolContext(user=user))
        return {each["document"] for each in result.data["passages"]}, result.data.get("note", "")

    assert await found("ada") == ({"note.md"}, "")
    names, note = await found("ada", sample=True)
    assert (bool(names), all(name.startswith(FOLDER) for name in names), "invented" in note) == (True, True, True)
    # Who has no documents of their own is answered from the samples, and told so.
    names, note = await found("bob")
    assert (bool(names), all(name.startswith(FOLDER) for name in names), "invented" in note) == (True, True, True)
    result = await search.execute({"query": "procurement xylophone policy"}, ToolContext(user="ada"))
    assert "sample=true" in result.data["note"]
    listed = await knowledge.documents("ada")
    assert {each.name for each in listed if not each.sample} == {"note.md"}


async def test_documents_are_put_there_once_and_taken_away_where_the_data_is_ones_own(home, knowledge) -> None:
    search = search_over(home, knowledge)
    await search.execute({"query": "leave"}, ToolContext())
    first = await knowledge.documents()
    assert len(first) >= 28
    await search.execute({"query": "policy"}, ToolContext())
    assert await knowledge.documents() == first
    assert business_of(home, {"clock": at_noon}).sample_stamp

    def fill(sink) -> None:
        sink("company", ("Our own", "EUR", "2026-11-15"))

    write_sqlite(home / "business.db", fill, IMPORTED + VERSION)
    result = await search.execute({"query": "annual leave"}, ToolContext())
    assert result.data["passages"] == []
    assert await knowledge.documents() == []
