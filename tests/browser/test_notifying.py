"""A notification address in Settings: saved, tested against a real receiver, removed; and an approval that reaches it."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.models.scripted_model import call
from server.test_notifications import receiving

pytestmark = IN_BROWSER


@pytest.mark.slow
async def test_an_approval_reaches_an_address_that_was_saved_in_settings_when_the_page_is_closed(house, tabs, serious):
    served = await house(
        think("Write.", call("edit_file", path="a.py", text="secret")),
        "Done.",
        notify_domains="127.0.0.1",
        titles=False,
    )
    async with receiving() as receiver:
        tab = await tabs(served, "/#/settings", viewport={"width": 360, "height": 740}, quiet=False)
        page = tab.page
        address = page.get_by_label("Notification address")
        await address.fill("http://evil.example/x")
        await page.get_by_label("Format").select_option("JSON webhook")
        section = page.locator(".notify-address")
        await section.get_by_role("button", name="Save").click()
        await expect(section.get_by_role("alert")).to_contain_text("only sent over https")
        await address.fill(f"{receiver.url}/hook")
        await section.get_by_role("button", name="Save").click()
        await expect(section.get_by_role("status")).to_have_text("Saved.")
        await section.get_by_role("button", name="Send test").click()
        assert (await receiver.next())[1]["event"] == "test"
        await expect(section.get_by_role("status")).to_have_text("Sent.")
        assert await serious(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.goto(f"{served.url}/#/")
        await tab.ask("Change it")
        await expect(page.locator(".approval")).to_be_visible()
        session = tab.session
        await page.close()
        _, told = await receiver.next()
        assert (told["event"], told["title"]) == ("approval_requested", "Change it")
        assert "secret" not in str(told)
        other = await tabs(served, told["link"].removeprefix(served.url))
        await expect(other.page.locator(".approval")).to_be_visible()
        assert other.session.startswith(session)
