"""Knowledge: a collection made, filled and shared from the keyboard, and used in a question by `#`."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

LEAVE = {"name": "leave.md", "mimeType": "text/markdown", "buffer": b"# Leave\n\nEverybody has 27 days of leave.\n"}
TABLE = {"name": "prices.csv", "mimeType": "text/csv", "buffer": b"item,price\nbolt,0.35\n"}
PHOTO = {"name": "photo.bin", "mimeType": "application/octet-stream", "buffer": bytes(range(256)) * 20}
SEARCH = call("search_knowledge_base", query="days of leave")


async def make(page, url):
    """A collection with two files, by the keyboard but for the file dialog."""
    await page.goto(f"{url}/#/knowledge")
    await page.get_by_role("button", name="New collection").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("Handbook")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("No files yet.")).to_be_visible()
    await page.locator("#upload-handbook").set_input_files([LEAVE, TABLE])
    files = page.get_by_role("list", name="Files in #handbook").get_by_role("listitem")
    await expect(files).to_contain_text(["leave.md", "prices.csv"], timeout=20_000)
    return files


@pytest.mark.slow
async def test_a_collection_is_made_filled_used_by_a_question_and_deleted_on_a_small_screen(house, tabs):
    served = await house(SEARCH, "Everybody has 27 days of leave [1].", SEARCH, "Still 27 days [1].")
    tab = await tabs(served, viewport={"width": 360, "height": 740})
    page = tab.page
    files = await make(page, served.url)
    await expect(files.first).to_contain_text("1 passage")
    await expect(files.first).to_contain_text("by anonymous")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.get_by_label("Who can read it").select_option("everyone")
    await expect(page.locator("summary").first).to_contain_text("2 files · ")
    await expect(page.locator("summary").first).to_contain_text("Everyone")
    await page.get_by_role("button", name="Remove prices.csv").focus()
    await page.keyboard.press("Enter")
    await expect(files).to_have_count(1)
    await page.goto(f"{served.url}/#/")
    field = page.get_by_role("textbox", name="Question")
    await field.fill("")
    await field.press_sequentially("How many days of leave? #han")
    await expect(page.get_by_role("option", name="#handbook")).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("Enter")
    chips = page.get_by_role("list", name="Answered from").get_by_role("listitem")
    await expect(chips).to_contain_text(["#handbook"])
    await expect(field).to_have_value("How many days of leave? ")
    await page.keyboard.press("Enter")
    await tab.see("Everybody has 27 days of leave")
    told = [m.content for m in served.stage.model.requests[1].messages if m.__class__.__name__ == "ToolMessage"]
    assert '"cite":"[1] leave.md, line 3"' in told[0].replace('": "', '":"')
    # A follow-up is answered from it too, until it is taken off.
    await expect(chips).to_have_count(1)
    await tab.ask("And now?")
    await tab.see("Still 27 days")
    await page.get_by_role("button", name="Remove #handbook").click()
    await expect(chips).to_have_count(0)
    await page.goto(f"{served.url}/#/knowledge")
    await page.locator("summary").first.click()
    await page.get_by_role("button", name="Delete collection…").click()
    await page.get_by_role("button", name="Delete permanently").click()
    await expect(page.get_by_text("You have no collections yet.")).to_be_visible()
    assert tab.complaints == []


@pytest.mark.slow
async def test_an_assistant_is_given_a_collection_and_a_file_that_cannot_be_read_says_why(house, tabs):
    served = await house(SEARCH, "27 days [1].")
    tab = await tabs(served, quiet=False)
    page = tab.page
    await make(page, served.url)
    await page.locator("#upload-handbook").set_input_files([PHOTO])
    failed = page.get_by_role("list", name="Imports").get_by_role("listitem").filter(has_text="photo.bin")
    await expect(failed).to_contain_text("photo.bin", timeout=20_000)
    await expect(failed.locator(".problem")).to_contain_text("photo.bin", timeout=20_000)
    group = page.get_by_role("group", name="Assistants that search it for every question")
    await group.get_by_role("checkbox").first.check()
    await expect(group.get_by_role("checkbox").first).to_be_enabled()
    await page.reload()
    await page.locator("summary").first.click()
    await expect(group.get_by_role("checkbox").first).to_be_checked()
