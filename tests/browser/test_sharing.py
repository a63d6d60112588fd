"""Sharing in a browser: a link made in the conversation's menu, read by a stranger, withdrawn; and print views."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER
TOKEN = "a-token-for-the-operator"


async def menu_of(page, title):
    await page.get_by_role("button", name=f"More about {title}").click()


async def test_a_conversation_is_shared_by_a_link_until_it_is_withdrawn(house, tabs, serious):
    served = await house("It has **four** legs.", "A later answer.", auth="keys", admin_token=TOKEN, sharing=True)
    await served.runtime.store.users.add("ann")
    key, _ = await served.runtime.store.keys.create("ann")
    tab = await tabs(served)
    page = tab.page
    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")
    await tab.ask("How many legs?")
    await tab.see("It has four legs.")
    await menu_of(page, "How many legs?")
    await page.get_by_role("menuitem", name="Share…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Link expires").select_option("After 7 days")
    await dialog.get_by_role("button", name="Create link").click()
    await expect(dialog.get_by_text("Expires ")).to_be_visible()
    link = await dialog.get_by_label("Link", exact=True).input_value()
    assert link.startswith(f"{served.url}/#/shared/")
    assert await serious(page) == []
    await dialog.get_by_role("button", name="Close").click()
    await tab.ask("And later?")
    await tab.see("A later answer.")

    stranger = await tabs(served, link.removeprefix(served.url), viewport={"width": 360, "height": 700})
    await expect(stranger.page.get_by_role("article")).to_have_count(1)
    await expect(stranger.page.locator("main")).to_contain_text("It has four legs.")
    await expect(stranger.page.locator("strong")).to_have_text("four")
    await expect(stranger.page.get_by_role("textbox")).to_have_count(0)
    assert await serious(stranger.page) == []
    assert await stranger.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await stranger.page.locator("meta[name=robots]").get_attribute("content") == "noindex, nofollow"

    await menu_of(page, "How many legs?")
    await page.get_by_role("menuitem", name="Share…").click()
    await expect(dialog).to_contain_text("Shared since")
    await dialog.get_by_role("button", name="Stop sharing").click()
    await expect(dialog.get_by_role("button", name="Create link")).to_be_visible()
    stranger.quiet = False
    await stranger.page.reload()
    await expect(stranger.page.get_by_role("alert")).to_contain_text("no longer shared")


async def test_a_conversation_is_printed_with_its_sources_and_without_anything_to_press(house, tabs, serious):
    served = await house(call("get_inventory_levels", warehouse_id="W1"), "There are **820** kg.", "Then $x^2$.")
    tab = await tabs(served)
    page = tab.page
    await page.add_init_script("window.print = () => { document.documentElement.dataset.printed = 'yes' }")
    await page.reload()
    await tab.ask("How much granulate?")
    await tab.see("820")
    await menu_of(page, "How much granulate?")
    await page.get_by_role("menuitem", name="Export").press("ArrowRight")
    await page.get_by_role("menuitem", name="PDF (print)").click()
    await expect(page.locator(".sources")).to_contain_text("get_inventory_levels")
    await expect(page.locator(".sources")).to_contain_text("820")
    await expect(page.locator("html")).to_have_attribute("data-printed", "yes")
    assert await serious(page) == []
    await page.emulate_media(media="print")
    await expect(page.get_by_role("button", name="Print or save as PDF")).to_be_hidden()
    await expect(page.locator("main")).to_contain_text("There are 820 kg.")
    assert (await page.pdf()).startswith(b"%PDF")
    await page.emulate_media(media="screen")
    await page.get_by_role("link", name="Back to chat").click()
    await tab.see("820")
    await page.emulate_media(media="print")
    for hidden in ("#sidebar", ".composer", ".actions", ".trace-panel"):
        await expect(page.locator(hidden).first).to_be_hidden()
    await expect(page.locator("#conversation")).to_contain_text("There are 820 kg.")


async def test_where_the_operator_did_not_allow_it_nothing_is_offered_to_share(house, tabs):
    tab = await tabs(await house("Four."))
    await tab.ask("How many legs?")
    await tab.see("Four.")
    await menu_of(tab.page, "How many legs?")
    await expect(tab.page.get_by_role("menuitem", name="Rename")).to_be_visible()
    await expect(tab.page.get_by_role("menuitem", name="Share…")).to_have_count(0)
