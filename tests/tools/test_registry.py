"""A registry knows its tools by name, and choices among them are registries of their own."""

import pytest

from glassloop.core.errors import UnknownName, UsageError
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import tool


@tool(effect="read", domain="crm")
async def get_leads() -> str:
    """Leads."""
    return "leads"


@tool(effect="write", domain="oa")
async def book(room: int) -> str:
    """Book."""
    return f"booked {room}"


@tool(effect="read", domain="erp")
def get_stock() -> str:
    """Stock."""
    return "stock"


@pytest.fixture
def registry() -> ToolRegistry:
    return ToolRegistry([get_leads, book, get_stock])


def test_tools_are_found_by_name_in_the_order_they_came(registry):
    assert registry.names == ("get_leads", "book", "get_stock")
    assert registry.get("book") is book
    assert list(registry) == [get_leads, book, get_stock]
    assert ("book" in registry, "cook" in registry, len(registry)) == (True, False, 3)
    assert registry.specs["book"] is book.spec


def test_a_plain_function_becomes_a_tool(registry):
    async def greet(name: str) -> str:
        """Greet."""
        return name

    assert registry.register(greet).spec.description == "Greet."
    assert "greet" in registry


def test_a_name_that_is_taken_is_refused(registry):
    with pytest.raises(UsageError, match="already a tool 'book': rename one"):
        registry.register(book.renamed("book"))


def test_an_unknown_name_is_explained(registry):
    with pytest.raises(UnknownName) as caught:
        registry.get("getleads")
    assert "no tool 'getleads'. Did you mean 'get_leads'" in str(caught.value)
    assert "Known: book, get_leads, get_stock." in str(caught.value)


async def test_a_call_by_hand_gives_a_result_whatever_happens(registry):
    assert (await registry.execute("book", {"room": 4})).output == "booked 4"
    assert (await registry.execute("get_stock")).output == "stock"
    assert "'room' is missing" in (await registry.execute("book")).error
    assert "Did you mean 'book'?" in (await registry.execute("boook", {})).error


@pytest.mark.parametrize(
    ("choose", "names"),
    [
        (lambda registry: registry.only("get_stock", "book"), ("get_stock", "book")),
        (lambda registry: registry.without("book"), ("get_leads", "get_stock")),
        (lambda registry: registry.of_domain("crm", "oa"), ("get_leads", "book")),
        (lambda registry: registry.with_effect("read"), ("get_leads", "get_stock")),
        (lambda registry: registry.with_effect("read").without("get_leads"), ("get_stock",)),
        (lambda registry: registry.prefixed("my_"), ("my_get_leads", "my_book", "my_get_stock")),
        (lambda registry: registry.only("book") + registry.of_domain("erp"), ("book", "get_stock")),
        (lambda registry: registry.only("book") + registry, ("book", "get_leads", "get_stock")),
    ],
)
def test_each_choice_is_a_registry_of_its_own(registry, choose, names):
    choice = choose(registry)
    assert choice.names == names
    assert tuple(choice.specs) == names
    assert tuple(spec.name for spec in choice.specs.values()) == names
    with pytest.raises(UsageError, match="choice among another's tools"):
        choice.register(tool(name="late")(book.__wrapped__))
    assert registry.names == ("get_leads", "book", "get_stock")


def test_a_choice_stays_what_it_was_when_its_source_grows(registry):
    choice = registry.without("book")
    registry.register(tool(name="late")(book.__wrapped__))
    assert "late" not in choice


async def test_a_prefixed_tool_runs_under_its_new_name(registry):
    assert (await registry.prefixed("my_").execute("my_book", {"room": 1})).output == "booked 1"


@pytest.mark.parametrize("choose", [ToolRegistry.only, ToolRegistry.without])
def test_a_choice_by_an_unknown_name_is_refused(registry, choose):
    with pytest.raises(UnknownName, match="Did you mean 'book'"):
        choose(registry, "boook")


def test_two_tools_of_one_name_cannot_be_joined(registry):
    other = ToolRegistry([tool(name="book")(get_stock.__wrapped__)])
    with pytest.raises(UsageError, match="already a tool 'book'"):
        _ = registry + other


def test_the_maps_of_a_registry_cannot_be_written_to(registry):
    with pytest.raises(TypeError):
        registry.specs["x"] = book.spec


def test_a_registry_of_many_tools_is_listed_within_bounds():
    registry = ToolRegistry([book.renamed(f"tool_{number}") for number in range(200)])
    assert "and 160 more" in registry.unknown("x" * 10_000)
    assert len(registry.unknown("x" * 10_000)) < 900
