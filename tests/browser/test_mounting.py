"""The page under a path of another application: nothing is asked for outside of it."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.models.scripted_model import call
from server.authenticated import TOKEN

pytestmark = IN_BROWSER

EDIT = think("Round once.", call("edit_file", path="totals.py", text="round(total)", lines=2))


@pytest.mark.slow
async def test_the_page_works_under_a_path(house, tabs):
    served = await house(EDIT, "It is written.", "![own](/api/uploads/none)", mounted="/tools/agent", admin_token=TOKEN)
    tab = await tabs(served, quiet=False)
    await tab.ask("Fix it")
    card = tab.page.locator(".approval")
    await card.get_by_role("button", name="Approve").click()
    await tab.see("It is written.")
    await tab.page.reload()
    await tab.see("It is written.")
    assert tab.complaints == []
    await tab.ask("A picture?")
    await expect(tab.page.get_by_role("img", name="own")).to_have_attribute("src", "/tools/agent/api/uploads/none")
    await tab.page.goto(f"{served.url}/s/{tab.session}")
    await tab.see("It is written.")


@pytest.mark.slow
async def test_an_operator_signs_in_under_a_path(house, tabs):
    served = await house("Yes.", mounted="/agent", admin_token=TOKEN)
    tab = await tabs(served, "/admin", quiet=False)
    await tab.page.get_by_label("Admin token").fill(TOKEN)
    await tab.page.keyboard.press("Enter")
    await expect(tab.page.get_by_role("link", name="Sessions")).to_be_visible()
    (cookie,) = await tab.page.context.cookies()
    assert cookie["path"] == "/agent"
