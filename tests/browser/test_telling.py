"""Telling a turn under way something in a browser: the answer to its question, and a further message."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD
from glassloop.core.loop.user_question import ASK_USER
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

ASKS = call(ASK_USER, question="Which warehouse?", options=["North", "South <b>"])


@pytest.mark.slow
async def test_a_question_is_answered_by_an_option_or_in_ones_own_words_in_any_tab(house, tabs):
    served = await house(ASKS, ASKS, "Both are known.")
    tab = await tabs(served, viewport={"width": 360, "height": 740})
    page = tab.page
    await tab.ask("Look")
    card = page.get_by_role("region", name="The assistant asks: Which warehouse?")
    await expect(card.get_by_role("group", name="Suggested answers").get_by_role("button")).to_have_text(
        ["North", "South <b>"]
    )
    await expect(page.locator("#status")).to_contain_text("The assistant asks: Which warehouse?")
    assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    other = await tabs(served, f"/#/s/{tab.session}", beside=tab)
    await other.page.get_by_role("button", name="South <b>").press("Enter")
    await expect(page.locator(".asks.over")).to_contain_text("South <b>")
    await expect(page.locator(".asks:not(.over)")).to_have_count(1)
    await page.get_by_label("Or in your own words").fill("The other one")
    await page.keyboard.press("Enter")
    await tab.see("Both are known.")
    await expect(page.locator(".asks .answered")).to_have_text(["South <b>", "The other one"])
    told = [each.content for each in served.stage.model.requests[-1].messages if getattr(each, "tool", "") == ASK_USER]
    assert told == ["The user answered: South <b>", "The user answered: The other one"]


@pytest.mark.slow
async def test_what_is_sent_while_it_writes_is_told_to_it_and_shown_in_its_place(house, tabs):
    served = await house(f"Half of {HOLD} a draft.", "All of it.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Tell me")
    await expect(page.locator(".answer.draft")).to_contain_text("Half of")
    await page.get_by_role("textbox", name="Question").fill("And the rest")
    await page.keyboard.press("Enter")
    await expect(page.locator(".messages li")).to_have_text("And the restRead before the next stepTake back")
    served.stage.open_all()
    await tab.see("All of it.")
    await expect(page.locator(".messages li")).to_have_text("And the rest")
    await expect(page.locator(".step.note")).to_contain_text("You wrote")
    await expect(page.locator(".turn")).to_have_count(1)
