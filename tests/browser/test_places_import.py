"""Files of places on the page: dropped, read, reported line by line, and deleted again."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.test_raids import DROP
from extensions.places.import_files import PLACES, VISITS
from glassloop.extensions.places.data_set.data_sets import DataSets

pytestmark = IN_BROWSER
USER = "anonymous"


async def test_dropped_files_become_ones_own_data(house, tabs, serious):
    served = await house()
    page = (await tabs(served, "/")).page
    await expect(page.get_by_role("textbox", name="Question")).to_be_visible()
    await page.evaluate(DROP, ["core_poi.csv", f"{PLACES}p4,Swapped,,,CA,,-122.4,37.7,,,,,\n"])
    done = page.locator(".file-imports > li").first
    await expect(done).to_contain_text("imported")
    await expect(done).to_contain_text("4 rows: 3 imported, 1 skipped, 0 duplicates")
    await expect(done).to_contain_text("latitude and longitude are swapped")
    await done.get_by_text("The first line").click()
    await expect(done.get_by_role("cell", name="-122.4, 37.7")).to_be_visible()
    await page.locator("#places-files").set_input_files(
        [{"name": "visits.csv", "mimeType": "text/csv", "buffer": VISITS.encode()}]
    )
    await expect(done).to_contain_text("daily visits")
    await expect(page.get_by_text("2026-01-30 to 2026-02-01")).to_be_visible()
    await expect(page.get_by_role("list", name="Imported files").get_by_role("listitem")).to_have_count(2)
    assert await serious(page) == []
    await page.evaluate(DROP, ["broken.zip", "PK\x03\x04 and no more"])
    await expect(done).to_contain_text("not unpacked")
    data_sets = DataSets(served.runtime.context.settings.home_path)
    assert len(data_sets.own(USER).about.imports) == 2
    await page.get_by_role("button", name="Delete my data").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete my data").click()
    await expect(page.get_by_text("No data yet")).to_be_visible()
    assert data_sets.own(USER) is None


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
async def test_the_page_fits_a_narrow_screen(house, tabs, serious, scheme):
    served = await house()
    page = (await tabs(served, "/#/places", color_scheme=scheme, viewport={"width": 360, "height": 740})).page
    await expect(page.get_by_role("button", name="Import files")).to_be_visible()
    await page.evaluate(DROP, ["places.csv", PLACES.replace("37.7749", "bad")])
    await expect(page.locator(".file-imports > li")).to_contain_text("2 imported")
    assert await page.evaluate("document.documentElement.scrollWidth <= 360")
    assert await serious(page) == []
