"""The listings, as files: nothing in them is without use, and each becomes a tool of its name."""

import re
import tomllib
from pathlib import Path

import pytest

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
