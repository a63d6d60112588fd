"""The inbox and the schedules, from the keyboard and on a small screen."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER


@pytest.mark.slow
async def test_a_schedule_is_added_run_answered_in_the_inbox_paused_and_cancelled(house, tabs):
    served = await house("All quiet today.", think("Change it.", call("edit_file", path="one.py", text="x")))
    tab = await tabs(served)
    page = tab.page
    badge = page.locator("#inbox-link .inbox-count")
    await page.locator("#inbox-link").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#inbox-title")).to_be_visible()
    await page.get_by_role("button", name="New schedule").click()
    # The question has the focus.
    await page.keyboard.type("What is new?")
    await page.get_by_label("When").select_option("weekdays")
    await page.get_by_label("At", exact=True).fill("07:30")
    await page.keyboard.press("Enter")
    card = page.locator("section[aria-labelledby=schedules-title] .cards > li").first
    await expect(card).to_contain_text("At 07:30 on Monday through Friday")
    await expect(card.locator(".next-run")).to_contain_text("next")
    await card.get_by_role("button", name="Run now").click()
    inbox = page.locator("#inbox > li")
    await expect(inbox).to_contain_text(["All quiet today."])
    await page.goto(f"{served.url}/#/")
    await expect(badge).to_contain_text("1")
    await page.goto(f"{served.url}/#/inbox")
    await inbox.get_by_role("button", name="Mark as read").click()
    await expect(inbox).to_have_count(0)
    await card.get_by_role("button", name="Run now").click()
    await expect(inbox).to_contain_text(["waiting for you"])
    await card.get_by_role("button", name="Pause").click()
    await expect(card).to_contain_text("paused")
    await card.get_by_role("button", name="Cancel…").click()
    await page.get_by_role("button", name="Cancel schedule").click()
    await expect(page.get_by_text("Ended (1)")).to_be_visible()
    await inbox.get_by_role("link").click()
    await expect(page.locator(".approval")).to_contain_text("edit_file needs your approval")
    assert tab.complaints == []


@pytest.mark.slow
async def test_what_cannot_be_scheduled_is_told_in_the_form(house, tabs):
    tab = await tabs(await house(), quiet=False)
    page = tab.page
    await page.goto(f"{tab.url}/inbox")
    await page.get_by_role("button", name="New schedule").click()
    await page.keyboard.type("What is new?")
    await page.get_by_label("When").select_option("cron")
    await page.get_by_label("Cron or interval").fill("often")
    await page.get_by_role("button", name="Add").click()
    await expect(page.get_by_role("alert")).to_contain_text("give five cron fields")
