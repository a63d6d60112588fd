"""The language of the page: the browser's at first, then the one chosen in Settings, everywhere."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (360, "dark")])
async def test_the_page_speaks_the_language_of_the_browser_or_the_one_that_is_chosen(
    house, tabs, serious, width, scheme
):
    served = await house(call("add", a=2, b=3), "Five.")
    view = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    tab = await tabs(served, locale="zh-CN", **view)
    page = tab.page
    await expect(page.locator("html")).to_have_attribute("lang", "zh")
    await expect(page.get_by_placeholder("输入消息…")).to_be_visible()
    await page.get_by_placeholder("输入消息…").fill("Two and three?")
    await page.keyboard.press("Enter")
    await expect(page.locator("div.answer")).to_contain_text("Five.")
    await expect(page.locator(".turn")).to_contain_text("2 步")
    assert await serious(page) == []
    await page.goto(f"{served.url}/#/settings")
    await expect(page.get_by_role("heading", name="外观")).to_be_visible()
    await page.get_by_text("English", exact=True).click()
    await expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
    await expect(page.locator("html")).to_have_attribute("lang", "en")
    await page.goto(f"{served.url}/")
    await expect(page.get_by_placeholder("Type a message…")).to_be_visible()
    assert tab.complaints == []
