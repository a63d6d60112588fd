"""The list of conversations: pinned, in folders, archived, and temporary ones, which it does not have."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from waiting import until

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


async def gone(served, session):
    async def is_gone():
        return await served.runtime.store.sessions.get(session) is None

    await until(is_gone, "a temporary chat that is deleted")


async def test_a_temporary_chat_says_so_is_not_listed_and_is_deleted_when_left(house, tabs, serious):
    served = await house("A secret.", "Another secret.", "A third.", "Kept.")
    tab = await tabs(served, viewport={"width": 360, "height": 740})
    page = tab.page
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("link", name="Temporary chat").click()
    await page.keyboard.press("Escape")
    await tab.see("nothing in it is remembered")
    await tab.ask("Tell me")
    await tab.see("A secret.")
    await tab.see("nothing in it is remembered")
    assert await serious(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    session = tab.session
    await tab.ask("And now?")
    await tab.see("Another secret.")
    assert tab.session == session
    assert (await served.runtime.store.sessions.get(session)).temporary
    await expect(page.locator("#sessions a")).to_have_count(0)
    await page.evaluate("location.hash = '#/settings'")
    await expect(page.get_by_role("heading", name="Models", exact=True)).to_be_visible()
    assert await served.runtime.store.sessions.get(session) is not None
    await page.evaluate("location.hash = '#/'")
    await gone(served, session)
    await expect(page.locator(".temporary-note")).to_have_count(0)

    await page.evaluate("location.hash = '#/temporary'")
    await tab.ask("Once more")
    await tab.see("A third.")
    left = tab.session
    await page.goto("about:blank")
    await gone(served, left)
    tab.requests.clear()
    await page.goto(served.url)
    await tab.ask("A question to keep")
    await tab.see("Kept.")
    assert len(await served.runtime.store.sessions.list(9)) == 1
