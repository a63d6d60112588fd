"""By key alone: commands that complete themselves, what is sent while a turn runs, and finding one's way back."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER

pytestmark = IN_BROWSER


async def test_commands_are_chosen_with_arrows_and_completed_with_tab_and_enter(house, tabs, serious):
    served = await house()
    tab = await tabs(served)
    page, field = tab.page, tab.page.locator("#question")
    commands = page.get_by_role("listbox", name="Commands")
    await field.press_sequentially("/to")
    await expect(commands.get_by_role("option")).to_have_count(2)
    await expect(field).to_have_attribute("aria-activedescendant", "command-0")
    assert await serious(page) == []
    await field.press("Enter")
    await expect(field).to_have_value("/tools")
    await expect(page.locator(".turn")).to_have_count(0)
    await field.fill("/")
    await field.press("ArrowUp")
    await expect(commands.get_by_role("option", selected=True)).to_contain_text("/clear")
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    await field.press("Tab")
    await expect(field).to_have_value("/tool ")
    await expect(field).to_be_focused()
    await field.fill("/h")
    await field.press("Escape")
    await expect(commands).to_be_hidden()
    await field.fill("/nosuch thing")
    await field.press("Enter")
    await expect(page.locator("#problem")).to_contain_text("There is no command “/nosuch”")
    await expect(page.locator(".turn")).to_have_count(0)
    await field.fill("/he")
    await field.press("Tab")
    await field.press("Enter")
    await tab.see("the tools and their parameters")
