"""Weights on the page: how far a download is, from a server of the test's own, its stop and its end."""

import random
import re

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.extensions.embedded.weights.file_weights import FileWeights
from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import pull_kind
from models.weights.depot import HUB_PATH, opened_depot

pytestmark = IN_BROWSER


class Stock(Extension):
    """Brings some weights."""

    name = "stock"

    def __init__(self, supply):
        self.supply = supply

    def weights(self, settings):
        return (self.supply,)


@pytest.mark.slow
async def test_a_download_is_shown_and_stopped_wherever_it_is_mentioned_also_after_a_reload(house, tabs, tmp_path):
    with opened_depot() as depot:
        depot.files[HUB_PATH] = random.Random(5).randbytes(4_000_000)
        stock = Stock(FileWeights(depot.stock(depot.files[HUB_PATH]), tmp_path / "models"))
        depot.faults[HUB_PATH] = [("hold", 3_500_000)]
        kind = pull_kind(Settings(home=str(tmp_path)).extended([stock]), environ=depot.environ())
        tab = await tabs(await house(kinds=[kind], extensions=[stock]), "/#/settings")
        card = tab.page.locator(".cards li", has=tab.page.locator("b", has_text="tiny"))
        await card.get_by_role("button", name="Download").click()
        bar = card.get_by_role("progressbar", name="Download of tiny")
        await expect(bar).to_be_visible()
        await expect(card).to_contain_text("from the model hub")
        await expect(bar).to_have_attribute("value", re.compile(r"^0\.\d*[1-9]"))
        await tab.page.reload()
        await expect(bar).to_have_attribute("value", re.compile(r"^0\.\d*[1-9]"))
        await expect(card.get_by_role("button", name="Stop")).to_be_visible()
        await tab.page.get_by_role("link", name="Back to chat").click()
        side = tab.page.locator("#about")
        await expect(side).to_contain_text(re.compile(r"Downloading \d+ %"))
        await side.get_by_role("button", name="Stop").click()
        await expect(side.get_by_role("progressbar")).to_have_count(0)
        await tab.page.goto(f"{tab.url}/#/settings")
        depot.open.set()
        await card.get_by_role("button", name="Try again").click()
        await expect(card).to_contain_text("downloaded")
        await expect(bar).to_have_count(0)
