"""A turn again: step by step, forked with something changed, beside the other; as text; and very long."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

SCRIPT = (think("Look.", call("say", text="It is 42")), "The answer is 42.")


async def asked(house, tabs, *script, **options):
    served = await house(*script)
    tab = await tabs(served, viewport={"width": 1440, "height": 900}, **options)
    await tab.ask("What is it?")
    await expect(tab.page.get_by_role("button", name="Replay")).to_be_visible()
    return served, tab


@pytest.mark.slow
async def test_a_turn_is_gone_through_and_forked_with_another_observation(house, tabs):
    served, tab = await asked(house, tabs, *SCRIPT, "The answer is 43.")
    page = tab.page
    await page.get_by_role("button", name="Replay").click()
    await expect(page.locator(".step.answer")).to_be_visible()
    slider = page.get_by_role("slider")
    await slider.press("Home")
    await expect(page.locator(".step")).to_have_count(0)
    await expect(page.locator(".segment.to-come")).to_have_count(3)
    for _ in range(20):
        if await page.locator(".step.act").count():
            break
        await slider.press("ArrowRight")
    await expect(page.locator(".step.answer")).to_have_count(0)
    await expect(page.locator(".player .place")).to_have_text("step 1 of 2: a thought")
    await slider.press("End")
    await expect(page.locator(".segment.to-come")).to_have_count(0)
    await expect(page.locator(".step.answer")).to_be_visible()
    await page.get_by_role("button", name="Check").click()
    await expect(page.locator(".good-word")).to_contain_text("The same")
    await page.get_by_label("From before step").select_option("2")
    await page.get_by_label("Changed").select_option("step1")
    await page.get_by_label("Instead of what say found").fill("It is 43")
    await page.get_by_role("button", name="Fork from here").click()
    columns = page.locator(".column-turn")
    await expect(columns.nth(1).locator(".answer .prose")).to_have_text("The answer is 43.")
    await expect(columns.nth(0).locator(".answer .prose")).to_have_text("The answer is 42.")
    assert "It is 43" in str(served.stage.model.requests[-1].messages)
    differs = page.get_by_role("region", name="What differs")
    await expect(differs.locator("dt")).to_have_text(["Step 1, found", "Figures"])
    await expect(differs.locator("ins")).to_have_text(["It is 43", "43"])
    await page.get_by_role("link", name="Continue the fork").click()
    await expect(page.locator(".turn .meta")).to_contain_text("forked")


@pytest.mark.slow
async def test_the_same_events_are_there_as_text_and_as_they_came(house, tabs):
    _, tab = await asked(house, tabs, *SCRIPT, permissions=["clipboard-read", "clipboard-write"])
    page = tab.page
    await page.get_by_role("tab", name="Terminal").click()
    await expect(page.locator(".terminal")).to_contain_text('▶ 1 say(text="It is 42")')
    await page.get_by_role("button", name="Copy all").click()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("> What is it?\n")
    assert "← It is 42" in copied
    await page.get_by_role("tab", name="Raw").click()
    await page.locator("summary", has_text="tool_returned").click()
    await expect(page.locator(".raw pre")).to_contain_text('"output": "It is 42"')


@pytest.mark.slow
async def test_a_trace_of_two_thousand_events_shows_what_is_in_sight_only(house, tabs):
    calls = [think(f"Round {n}", call("say", text=f"word {n}")) for n in range(500)]
    served = await house(*calls, "Done.")
    served.most = 600
    session = (await served.runtime.ask("Go on")).session_id
    tab = await tabs(served, f"/#/s/{session}", viewport={"width": 1440, "height": 900})
    page = tab.page
    await expect(page.locator(".meta")).to_contain_text("500 tools")
    assert await page.locator(".step").count() < 60
    await page.locator(".segment").last.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".step.answer")).to_be_focused()
    await page.locator(".segment").first.click()
    await expect(page.locator(".step.think").first).to_contain_text("Round 0")
    assert await page.locator(".step").count() < 60
