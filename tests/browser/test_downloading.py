"""Weights on the settings page: how far a download is, from a server of the test's own, and its end."""

import random
import re

import msgspec
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.extensions.embedded.weights.file_weights import FileWeights
from glassloop.extensions.embedded.weights.folder import WeightsFolder
from glassloop.runtime.extensions import Extensions
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import pull_kind
from models.weights.depot import HUB_PATH, opened_depot
from models.weights.test_job import Stocked

pytestmark = IN_BROWSER


async def test_a_download_tells_how_far_it_is_and_when_it_is_there(house, tabs, tmp_path):
    with opened_depot() as depot:
        depot.files[HUB_PATH] = random.Random(5).randbytes(4_000_000)
        asset = msgspec.structs.replace(depot.stock(depot.files[HUB_PATH]), name="minilm")
        supply = FileWeights(asset, WeightsFolder(tmp_path / "shelf"))
        depot.faults[HUB_PATH] = [("hold", 3_500_000)]
        stocked = Settings(home=str(tmp_path), extensions=Extensions([Stocked(supply)]))
        kind = pull_kind(stocked, environ=depot.environ())
        tab = await tabs(await house(kinds=[kind]), "/#/settings")
        card = tab.page.locator(".cards li", has=tab.page.locator("b", has_text="minilm"))
        await card.get_by_role("button", name="Download").click()
        bar = card.get_by_role("progressbar")
        await expect(bar).to_be_visible()
        await expect(card).to_contain_text("from the model hub")
        await expect(bar).to_have_attribute("value", re.compile(r"^0\.\d*[1-9]"))
        depot.open.set()
        await expect(card).to_contain_text("completed")
        await expect(bar).to_have_count(0)
