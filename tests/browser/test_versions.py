"""Versions in place: an answer made anew, an edited question, arrows between them, and an answer that goes on."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

ANSWER = ".chat__message--assistant .chat__message-text"


def told(served, number=-1):
    """What was said, as the model was sent it."""
    messages = served.stage.model.requests[number].messages
    said = [getattr(one, "content", None) or getattr(one, "text", "") for one in messages]
    return [text for text in said if text and "<system-note>" not in text]


async def test_an_answer_made_anew_stands_in_place_of_the_first_which_the_arrows_bring_back(house, tabs):
    served = await house("A poor answer.", "A later one.", "A good answer.", "Thanks to the good one.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Why?")
    await tab.see("A poor answer.")
    await tab.ask("And then?")
    await tab.see("A later one.")
    first = page.locator(".turn").first
    await first.get_by_role("button", name="Regenerate").click()
    await tab.see("A good answer.")
    await expect(page.locator(".question")).to_have_text(["Why?"])
    await expect(page.locator(".versions")).to_have_text("‹2/2›")
    assert told(served) == ["Why?"]

    await page.get_by_role("button", name="Previous version").click()
    await tab.see("A poor answer.")
    await tab.see("A later one.")
    await expect(page.locator(".question")).to_have_text(["Why?", "And then?"])
    await page.get_by_role("button", name="Next version").click()
    await expect(page.locator(ANSWER)).to_have_text(["A good answer."])
    await tab.ask("Thanks?")
    await tab.see("Thanks to the good one.")
    assert told(served) == ["Why?", "A good answer.", "Thanks?"]
    await page.reload()
    await expect(page.locator(".question")).to_have_text(["Why?", "Thanks?"])
    await expect(page.locator(".versions")).to_have_text("‹2/2›")


async def test_any_question_can_be_edited_and_what_followed_is_not_told(house, tabs):
    served = await house("Of cats.", "More of cats.", "Of dogs.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Tell me of cats")
    await tab.see("Of cats.")
    await tab.ask("More")
    await tab.see("More of cats.")
    await page.locator(".turn").first.get_by_role("button", name="Edit").click()
    field = page.get_by_role("textbox", name="Question")
    await expect(field).to_have_value("Tell me of cats")
    await expect(page.locator(".again")).to_contain_text("Sending it creates a new version")
    await field.fill("Tell me of dogs")
    await page.keyboard.press("Enter")
    await tab.see("Of dogs.")
    await expect(page.locator(".question")).to_have_text(["Tell me of dogs"])
    assert told(served) == ["Tell me of dogs"]
    await expect(page.get_by_role("group", name="Version 2 of 2")).to_be_visible()


@pytest.mark.slow
async def test_going_on_with_an_earlier_version_follows_that_one(house, tabs):
    served = await house("One.", "Two.", "Of one.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("A number?")
    await tab.see("One.")
    await page.get_by_role("button", name="Regenerate").click()
    await tab.see("Two.")
    await page.get_by_role("button", name="Previous version").click()
    await tab.see("One.")
    await tab.ask("Which?")
    await tab.see("Of one.")
    assert told(served) == ["A number?", "One.", "Which?"]
    await page.reload()
    await expect(page.locator(ANSWER)).to_have_text(["One.", "Of one."])
    await expect(page.locator(".versions")).to_have_text("‹1/2›")


@pytest.mark.slow
async def test_an_answer_made_anew_while_tools_run_can_be_left_and_come_back_to(house, tabs):
    served = await house("First.", call("hold"), "Second.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Hi")
    await tab.see("First.")
    await page.get_by_role("button", name="Regenerate").click()
    await served.stage.arrived()
    await page.get_by_role("button", name="Previous version").click()
    await tab.see("First.")
    await page.get_by_role("button", name="Next version").click()
    served.stage.gate.set()
    await tab.see("Second.")


async def test_a_stopped_answer_is_kept_and_goes_on_as_one(house, tabs):
    served = await house(f"The first part an{HOLD}d never more.", "and the rest.", "Yes.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Tell")
    await tab.see("The first part")
    await page.keyboard.press("Escape")
    await expect(page.locator(".ending")).to_contain_text("Stopped.")
    await expect(page.locator(ANSWER)).to_contain_text("The first part an")
    await page.get_by_role("button", name="Continue").click()
    await expect(page.locator(ANSWER)).to_have_text(["The first part and the rest."])
    await expect(page.locator(".question")).to_have_text(["Tell"])
    await expect(page.get_by_role("button", name="Continue")).to_have_count(0)
    await tab.ask("Sure?")
    await tab.see("Yes.")
    assert told(served) == ["Tell", "The first part and the rest.", "Sure?"]
