"""What is allowed for a session, what a tool of an MCP server asks for, and every answer rated by itself."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.extensions.mcp.toolset import ToolServers
from glassloop.models.scripted_model import call
from odd_servers import OddServers
from waiting import until

pytestmark = IN_BROWSER


def edit(name):
    return think("Change it.", call("edit_file", path=name, text="x"))


@pytest.mark.slow
async def test_a_tool_is_allowed_for_the_session_and_that_is_taken_back(house, tabs):
    served = await house(edit("one.py"), "Did one.", edit("two.py"), "Did two.", edit("three.py"), "Did three.")
    tab = await tabs(served)
    cards, grants = tab.page.locator(".approval"), tab.page.locator(".grants li")
    await tab.ask("One")
    await cards.get_by_label("allow edit_file for this session").check()
    await cards.get_by_role("button", name="Approve").click()
    await tab.see("Did one.")
    await expect(cards.first).to_contain_text("approved, and allowed for this session")
    await expect(grants).to_contain_text(["edit_file may run here without asking"])
    await tab.ask("Two")
    await tab.see("Did two.")
    await expect(cards.nth(1)).to_contain_text("ran without asking, allowed by anonymous for this session")
    assert len(served.stage.written) == 2
    await grants.get_by_role("button", name="Revoke").click()
    await expect(grants).to_have_count(0)
    await tab.ask("Three")
    await expect(cards.nth(2).get_by_role("button", name="Approve")).to_be_visible()
    assert len(served.stage.written) == 2


@pytest.mark.slow
async def test_a_tool_of_a_server_asks_each_time_and_says_whose_it_is(house, tabs, tmp_path, monkeypatch):
    odd = OddServers(tmp_path)
    monkeypatch.chdir(odd.work)
    odd.write(odd.home, parrot=odd.entry())
    served = await house(call("parrot__echo", text="hello"), "It said so.", home=str(odd.home))
    servers = served.runtime.toolsets.of(ToolServers)

    async def runs():
        return all(status.state == "running" for status in await servers.listing(refresh=True))

    await until(runs, "the server's tools")
    tab = await tabs(served)
    card = tab.page.locator(".approval")
    await tab.ask("Say hello")
    await expect(card.get_by_role("heading")).to_have_text("parrot__echo needs your approval")
    await expect(card).to_contain_text("parrot")
    await expect(card.get_by_label("for this session")).to_have_count(0)
    await card.get_by_role("button", name="Approve").click()
    await tab.see("It said so.")
    await expect(card).to_contain_text("approved")


@pytest.mark.slow
async def test_every_answer_is_rated_by_itself_with_a_word_on_why(house, tabs):
    served = await house("One.", "Two.")
    tab = await tabs(served)
    page, turns = tab.page, tab.page.locator(".turn")
    for question, answer in (("First?", "One."), ("Second?", "Two.")):
        await tab.ask(question)
        await tab.see(answer)
    await turns.nth(0).get_by_role("button", name="Bad").click()
    await turns.nth(0).get_by_label("Reason (optional)").fill("too short")
    await page.keyboard.press("Enter")
    await turns.nth(1).get_by_role("button", name="Good").click()
    await expect(turns.nth(0).get_by_role("button", name="Bad")).to_have_attribute("aria-pressed", "true")
    await expect(turns.nth(1).get_by_role("button", name="Good")).to_have_attribute("aria-pressed", "true")
    await page.reload()
    await expect(turns.nth(0).get_by_role("button", name="Bad")).to_have_attribute("aria-pressed", "true")
    first, second = await served.runtime.store.ratings.of_session(tab.session)
    assert (first.target, first.rating, first.note, second.rating) == ("turn", "bad", "too short", "good")
