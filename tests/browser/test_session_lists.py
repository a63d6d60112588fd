"""The list of conversations: pinned, in folders, archived, and temporary ones, which it does not have."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER

pytestmark = IN_BROWSER


async def choose(page, title, item):
    await page.get_by_role("button", name=f"More about {title}", exact=True).click()
    await page.get_by_role("menuitem", name=item).click()


async def test_conversations_are_pinned_put_into_folders_and_archived(house, tabs, serious):
    served = await house("Alpha.", "Beta.", "Gamma.")
    for question in ("First question", "Second question", "Third question"):
        await served.runtime.ask(question)
    tab = await tabs(served)
    page = tab.page
    groups = page.locator("#sessions section.group")
    await choose(page, "First question", "Pin")
    await expect(groups.first).to_contain_text("PinnedFirst question")
    await expect(groups).to_have_count(2)
    await choose(page, "Second question", "Move to folder…")
    await page.get_by_label("New folder").fill("Greek letters")
    await page.keyboard.press("Enter")
    folder = page.locator("details.folder", has_text="Greek letters")
    await expect(folder).to_contain_text("1")
    await expect(page.get_by_role("link", name="Second question")).to_have_count(0)
    assert await serious(page) == []
    await folder.locator("summary").click()
    await expect(folder.get_by_role("link", name="Second question")).to_be_visible()
    await choose(page, "Third question", "Move to folder…")
    await page.get_by_role("button", name="Greek letters", exact=True).click()
    await expect(folder.get_by_role("link")).to_have_text(["Third question", "Second question"])
    await choose(page, "the folder Greek letters", "Rename…")
    await page.get_by_label("Name", exact=True).fill("Letters")
    await page.keyboard.press("Enter")
    await expect(page.locator("details.folder summary").first).to_contain_text("Letters")

    await choose(page, "First question", "Archive")
    await expect(page.get_by_role("link", name="First question")).to_have_count(0)
    await page.locator("summary", has_text="Archived").click()
    await expect(page.get_by_role("link", name="First question")).to_be_visible()
    await page.get_by_label("Search conversations").fill("alpha")
    await expect(page.locator("#sessions a")).to_have_text(["First questionarchived"])
    await choose(page, "First question", "Unarchive")
    await page.get_by_label("Search conversations").fill("zzz")
    await expect(page.locator("#sessions")).to_contain_text("No matches.")
    await page.get_by_label("Search conversations").fill("")
    await expect(page.get_by_role("link", name="First question")).to_be_visible()
    await choose(page, "the folder Letters", "Remove folder, keep conversations")
    links = page.locator("#sessions a")
    await expect(links).to_have_text(["Third question", "Second question", "First question"])
