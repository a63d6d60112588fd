"""Answers of the places assistant's own tools on the page: cards of several calls, an error, maps, charts and grids."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from extensions.places.made_places import make_data_set
from glassloop.extensions.places.tools import make_tools
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

AREA = {"type": "metro", "name": "Harbor"}


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    home = tmp_path_factory.mktemp("places")
    make_data_set(home)
    return {each.name: each for each in make_tools(home)}


async def test_an_answer_about_places_shows_what_its_tools_found(house, tabs, tools, serious):
    search = {"geo_filter": AREA, "chain_ids": ["Starbean"]}
    found = (await tools["search_places"].execute(search)).data["places"]
    ids = [each["id"] for each in found]
    first, visits = found[0], found[0]["visits"]["value"]
    served = await house(
        think("Find them.", call("search_places", **search), call("search_places", geo_filter="Atlantis")),
        think(
            "How they do.",
            call("compare_locations", place_ids=ids[:3], period="2026-02"),
            call("get_place_summary", place_ids=ids[:1], period="2026-02"),
            call("get_trade_area_profile", chain_id="c-star", geo_filter=AREA),
        ),
        f"The Starbean at {first['address']} has {visits:,} visits.",
    )
    served.stage.tools.extend(tools.values())
    tab = await tabs(served, viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    await tab.ask("How do the Starbeans of Harbor do?")
    page = tab.page
    await tab.see(f"{visits:,} visits")
    cards = page.locator(".chat__tool-interactions")
    await expect(cards.locator(".tool-interaction--use")).to_have_count(5)
    await expect(cards.locator(".tool-interaction--error")).to_contain_text("Atlantis")
    await expect(cards.locator(".tool-interaction--result").first).to_contain_text("Result received")
    drawn = page.locator(".answer-charts")
    await expect(drawn.locator(".grid-chart")).to_have_count(1)
    await expect(drawn.locator("path.stroke").first).to_be_attached()
    await expect(drawn.locator(".map .map-area").first).to_be_attached()
    await expect(drawn.locator(".map-land").first).to_be_attached()
    # The figure, its row and its point are of one place.
    await page.locator(".answer .figure").get_by_text(f"{visits:,}").first.hover()
    searched = cards.locator(".tool-interaction--result").first
    await expect(searched.locator("tr.lit")).to_contain_text(first["id"])
    await expect(searched.locator(".map-told")).to_contain_text(f"{visits:,}")
    assert await serious(page) == []
