"""Sub-agents in a browser: nested under the call they answer, with what they ask among what the turn asks."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD, HeldModel, think
from glassloop import Agent
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

EDIT = think("Round once.", call("edit_file", path="totals.py", text="round(total)", lines=2))
STOCK = think("Look.", call("get_inventory_levels", warehouse_id="WH-001"))


async def served_tree(house):
    both = think("Ask both.", call("research", task="What lies in WH-001?"), call("writer", task="Round the totals."))
    served = await house(both, "WH-001 holds 140 bearings.")
    research = Agent(
        HeldModel([STOCK, f"There are 140{HOLD} bearings."], served.stage.word), served.stage.tools, name="research"
    )
    writer = Agent(HeldModel([EDIT, "It is rounded."], served.stage.word), served.stage.tools, name="writer")
    served.stage.tools = [*served.stage.tools, research.as_tool(), writer.as_tool()]
    return served


async def test_sub_agents_are_shown_live_under_their_calls_and_asked_about_like_the_turn_itself(house, tabs):
    served = await served_tree(house)
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Fix it")
    nested = page.locator(".child")
    await expect(nested.nth(0).locator("summary").first).to_contain_text("research · running · 1 step")
    await expect(nested.nth(1).locator("summary").first).to_have_text("writer · waiting for your decision · 1 step")
    await nested.nth(0).locator("summary").first.focus()
    await page.keyboard.press("Enter")
    await expect(nested.nth(0).locator(".step.act h3")).to_have_text("get_inventory_levels")
    card = page.locator(".approval")
    await expect(card).to_have_count(0)
    served.stage.word.set()
    await expect(card.get_by_role("heading")).to_have_text("edit_file needs your approval")
    await card.get_by_role("button", name="Approve").click()
    await tab.see("WH-001 holds 140 bearings.")
    await expect(nested.nth(1).locator("summary").first).to_contain_text("writer · 2 steps")
    assert served.stage.written == ["totals.py: round(total) (2)"]
    await page.locator(".answer .figure").get_by_text("140", exact=True).click()
    await expect(nested.nth(0).locator(".step.act.lit")).to_be_visible()
