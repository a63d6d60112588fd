"""The listings, as files: nothing in them is without use, and each becomes a tool of its name."""

import re
import tomllib
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from glassloop.core.text_terms import has_cjk
from glassloop.extensions.business import data_files
from glassloop.extensions.business.listing import load_listings
from glassloop.extensions.business.tools import CACHE_S, make_tools

DATA = Path(data_files.__file__).parent / "data"
DOMAINS = sorted(CACHE_S)


def raw(path: str) -> dict:
    return tomllib.loads((DATA / path).read_text("utf-8"))


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_filter_of_a_listing_is_one_of_its_parameters(domain: str) -> None:
    file = raw(f"listings/{domain}.toml")
    file.pop("fragments", None)
    for name, listing in file.items():
        assert set(listing.get("filters", ())) <= set(load_listings(domain)[name].filters), name
        assert set(listing.get("filter_order", ())) <= set(load_listings(domain)[name].filters), name


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_fragment_is_used_in_its_file(domain: str) -> None:
    text = (DATA / f"listings/{domain}.toml").read_text("utf-8")
    assert set(re.findall(r"\{(\w+)\}", text)) == set(raw(f"listings/{domain}.toml").get("fragments", ()))


def test_every_listing_becomes_a_tool(tmp_path: Path) -> None:
    made = {tool.name: tool for tool in make_tools(tmp_path)}
    for domain in DOMAINS:
        for name, listing in load_listings(domain).items():
            assert made[name].spec.description == listing.about
            assert list(made[name].spec.parameters["properties"]) == list(listing.filters)


def test_every_query_is_named_by_a_document_or_by_what_writes_it() -> None:
    texts = "".join(path.read_text("utf-8") for path in (DATA / "documents").rglob("*.md"))
    named = set(re.findall(r"\{(\w+)[.:}]", texts))
    assert set(raw("documents/queries.toml")) - named == {"product_lines", "cases"}


def test_every_query_of_the_answers_is_used_and_every_name_in_its_braces_is_known() -> None:
    queries, code = raw("queries.toml"), "".join(path.read_text("utf-8") for path in DATA.parent.rglob("*.py"))
    inside = {name for text in queries.values() for name in re.findall(r"\{(\w+)\}", text)}
    assert {name for name in queries if f'"{name}"' not in code} <= inside
    assert all(f"{name}=" in code or f'"{name}":' in code for name in inside - set(queries))


def test_every_parameter_says_what_it_is_and_none_lists_words_for_rules(readers) -> None:
    for name, spec in readers["sqlite"].specs.items():
        properties = cast("dict[str, dict[str, Any]]", spec.parameters["properties"])
        texts = {"": spec.description} | {key: shape.get("description", "") for key, shape in properties.items()}
        plain = {"title", "location"} if name == "schedule_meeting" else set()
        assert [key for key, text in texts.items() if not text and key not in plain] == [], name
        assert [key for key, text in texts.items() if has_cjk(text) and key != "defect"] == [], name
        empty = [
            key for key, shape in properties.items() if "anyOf" in shape or shape.get("default", "-") in ("", None)
        ]
        assert plain or not empty, name
        assert "period" not in texts or " Else " in texts["period"], "a call without a period is about these days"


def test_rules_still_have_the_words_that_models_are_not_shown(readers) -> None:
    specs = readers["sqlite"].specs
    orders = specs["get_purchase_orders"].matched
    assert "采购订单" in orders.description
    assert "逾期" in orders.parameters["properties"]["status"]["description"]
    assert "飞边" in specs["search_defect_cases"].matched.parameters["properties"]["defect"]["examples"]
    assert specs["get_defect_case"].matched is specs["get_defect_case"]


def test_all_tools_together_fit_into_a_small_part_of_a_window(readers) -> None:
    specs = readers["sqlite"].specs.values()
    shown = [{"name": spec.name, "description": spec.description, "parameters": spec.parameters} for spec in specs]
    assert len(msgspec.json.encode(shown)) < 31_000
