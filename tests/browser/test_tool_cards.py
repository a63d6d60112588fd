"""Cards of tool calls: the names that others drive the page by, several calls of one reply, an error, and what a
person can do while a turn runs."""

import json

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from browser.test_maps import PLACES, TOOLS
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

SCRIPT = (
    think("Look.", call("say", text="a"), call("fail"), call("search_places", limit=5)),
    call("hold"),
    "Market St is first.",
)


@pytest.mark.parametrize("width", [1100, 1440])
async def test_each_call_is_a_card_that_is_seen_without_a_click(house, tabs, width):
    served = await house(*SCRIPT)
    served.stage.tools.extend(TOOLS)
    tab = await tabs(served, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page = tab.page
    await page.locator(".new-chat-button").click()
    await page.get_by_placeholder("Type a message…", exact=True).fill("Which is first?")
    send = page.get_by_role("button", name="Send")
    await send.click()
    await served.stage.arrived()
    # While a turn runs nothing is sent; what is typed is added to its work.
    await expect(send).to_be_disabled()
    await page.get_by_role("textbox", name="Question").fill("Quickly")
    await expect(send).to_have_count(0)
    await expect(page.get_by_role("button", name="Add")).to_be_enabled()
    await page.get_by_role("textbox", name="Question").fill("")
    served.stage.open_all()
    await expect(page.locator(".chat__message--assistant .chat__message-text")).to_have_text("Market St is first.")
    await expect(page.locator(".chat__message--user .chat__message-text")).to_have_text("Which is first?")
    await expect(send).to_be_enabled()
    cards = page.locator(".chat__tool-interactions")
    await expect(cards).to_be_visible()
    uses = cards.locator(".tool-interaction--use")
    await expect(uses).to_have_count(4)
    for card, name in zip(await uses.all(), ("say", "fail", "search_places", "hold"), strict=True):
        await expect(card.locator("h3")).to_have_text(name)
        assert await card.locator("svg.icon").count() == 1
    await uses.nth(2).locator("details summary").click()
    await expect(uses.nth(2).locator(".tool-interaction__json")).to_have_text('{\n  "limit": 5\n}')
    await expect(cards.locator(".tool-interaction--error")).to_contain_text("The warehouse is closed")
    result = cards.locator(".tool-interaction--result", has=page.locator(".map"))
    await expect(result).to_contain_text("Result received")
    await expect(result.locator("details.json .tool-interaction__json")).to_have_count(0)
    await result.locator("details.json summary").click()
    shown = json.loads(await result.locator(".tool-interaction__json").inner_text())
    assert shown["places"] == PLACES
    drawn, told = await result.locator(".map").bounding_box(), await result.locator("details.json").bounding_box()
    assert drawn["y"] + drawn["height"] <= told["y"]


async def test_a_result_with_estimates_and_lists_is_a_table(house, tabs):
    served = await house(call("search_places"), "There are 15, the first with 21,340 visits.")
    served.stage.tools.extend(TOOLS)
    tab = await tabs(served, viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    await tab.ask("Which?")
    page = tab.page
    row = page.locator(".tool-interaction--result tbody tr", has_text="poi-0000")
    await expect(row.locator("td")).to_have_text(
        ["Starbucks, Market St", "21,340 (20,100–22,580)", "100 Market St", "coffee, wifi", "poi-0000"]
    )
    await page.locator(".answer .figure").get_by_text("21,340", exact=True).hover()
    await expect(row.locator(".found")).to_have_text("21,340 (20,100–22,580)")
