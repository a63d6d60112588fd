"""What a person chooses: titles, searches, deleting, themes, commands; by mouse, by key, and kept."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER


@pytest.mark.slow
async def test_conversations_are_renamed_found_exported_and_deleted(house, tabs):
    served = await house("Alpha.", "Beta.")
    for question in ("First question", "Second question"):
        await served.runtime.ask(question)
    tab = await tabs(served)
    page, links = tab.page, tab.page.locator("#sessions a")
    await expect(links).to_have_text(["Second question", "First question"])
    await page.get_by_role("button", name="More about First question").click()
    await page.get_by_role("menuitem", name="Rename").click()
    await page.get_by_label("New title").fill("About Alpha")
    await page.keyboard.press("Enter")
    await expect(links).to_have_text(["Second question", "About Alpha"])
    await page.get_by_label("Search conversations").fill("beta")
    await expect(links).to_have_text(["Second question"])
    await page.get_by_role("button", name="More about Second question").click()
    for name, ending in (("Markdown", ".md"), ("JSON", ".json"), ("Glassloop file", ".jsonl")):
        await page.get_by_role("menuitem", name="Export").click()
        async with page.expect_download() as download:
            await page.get_by_role("menuitem", name=name).click()
        assert (await download.value).suggested_filename.endswith(ending)
        await page.get_by_role("button", name="More about Second question").click()
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="More about Second question").click()
    await page.get_by_role("menuitem", name="Delete…").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.get_by_label("Search conversations").fill("")
    await expect(links).to_have_text(["About Alpha"])
    assert len(await served.runtime.store.sessions.list(9)) == 1


@pytest.mark.slow
async def test_themes_and_density_are_chosen_and_kept(house, tabs):
    tab = await tabs(await house(), "/#/settings")
    page = tab.page
    colour = "getComputedStyle(document.body).backgroundColor"
    await page.get_by_text("Dark", exact=True).click()
    assert await page.evaluate(colour) == "rgb(20, 21, 23)"
    await page.get_by_text("Compact", exact=True).click()
    await expect(page.get_by_role("heading", name="MCP servers")).to_be_visible()
    await expect(page.locator(".cards")).to_contain_text(["reflex", "minilm"])
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await expect(page.locator("html")).to_have_attribute("data-density", "dense")
    await page.keyboard.press("Tab")
    await page.get_by_text("Light", exact=True).click()
    assert await page.evaluate(colour) == "rgb(247, 247, 245)"


@pytest.mark.slow
async def test_commands_and_everything_else_are_found_by_their_names(house, tabs):
    tab = await tabs(await house())
    page = tab.page
    await expect(page.locator(".empty")).to_be_visible()
    await page.locator("#conversation").focus()
    await page.keyboard.press("/")
    await expect(page.locator(".commands li")).to_have_count(6)
    await page.get_by_role("option", name="/help").click()
    await page.keyboard.press("Enter")
    await tab.see("the tools and their parameters")
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Go to").fill("sett")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Appearance")).to_be_visible()


async def test_a_display_name_is_saved_and_taken_back(house, tabs):
    served = await house()
    page = (await tabs(served, "/#/settings")).page
    field, save = page.get_by_label("Display name"), page.get_by_role("button", name="Save")
    await expect(save).to_be_disabled()
    await field.fill("  Ada Lovelace ")
    await save.click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await page.reload()
    await expect(field).to_have_value("Ada Lovelace")
    await field.fill("")
    await save.click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    assert await served.runtime.store.users.display_name("anonymous") is None


async def unfold_trace(page):
    """Opens the last trace, which folds itself when its turn is over."""
    trace = page.locator("details", has=page.locator("summary", has_text="Trace")).last
    await expect(trace).not_to_have_attribute("open", "")
    await trace.locator("summary").first.click()


async def test_the_names_that_others_drive_the_page_by_are_there(house, tabs):
    served = await house(call("say", text="a"), "Said a.", call("fail"), "It failed.")
    tab = await tabs(served, viewport={"width": 1000, "height": 900})
    page = tab.page
    await page.locator(".new-chat-button").click()
    await page.get_by_placeholder("Type a message").fill("Say a")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".chat__message--user .chat__message-text")).to_have_text("Say a")
    await expect(page.locator(".chat__message--assistant .chat__message-text")).to_have_text("Said a.")
    await expect(page.get_by_role("button", name="Replay")).to_have_count(1)
    await unfold_trace(page)
    tools = page.locator(".chat__tool-interactions")
    await tools.locator(".tool-interaction--use details summary").click()
    await expect(tools.locator(".tool-interaction--use .tool-interaction__json")).to_contain_text('"text": "a"')
    await expect(tools.locator(".tool-interaction--result")).to_contain_text("Result received")
    await tab.ask("Fail")
    await expect(page.locator(".chat__message--assistant .chat__message-text").last).to_have_text("It failed.")
    await expect(page.get_by_role("button", name="Replay")).to_have_count(2)
    await unfold_trace(page)
    await expect(page.locator(".tool-interaction--error")).to_contain_text("The warehouse is closed")


@pytest.mark.slow
async def test_every_assistant_of_ours_tells_its_tools_before_it_is_chosen(house, tabs):
    tab = await tabs(await house())
    rows = tab.page.locator("#assistants label")
    await expect(rows).to_have_text(
        ["Business6 tools", "Code6 tools", "General6 tools", "Places6 tools", "Raids6 tools"]
    )
    await expect(rows.locator(".count").last).to_be_visible()
