"""Coming back: after a reload, after a cut, in two tabs, by address; nothing is lost and nothing is there twice."""

import asyncio

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD, think
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

SCRIPT = (think("Look first.", call("say", text="a")), think("Wait then.", call("hold")), f"It{HOLD} is open.")


async def trace_of(page):
    """The steps as they are read, with the times left out."""
    steps = page.locator(".step", has=page.locator("h3"))
    return await steps.evaluate_all(
        "all => all.map(one => `${one.querySelector('.badge').textContent} ${one.querySelector('h3').textContent}`)"
    )


WHOLE = [" Think", "1 say", " Think", "2 hold", "3 Answer"]


async def test_a_reload_in_the_middle_shows_the_same_and_goes_on_live(house, tabs):
    served = await house(*SCRIPT)
    tab = await tabs(served)
    await tab.ask("Is it open?")
    await served.stage.arrived()
    await expect(tab.page.locator(".step.act")).to_have_count(2)
    await tab.page.reload()
    await expect(tab.page.locator(".step.act .state")).to_have_text("running…")
    assert await trace_of(tab.page) == WHOLE[:4]
    served.stage.gate.set()
    await expect(tab.page.locator("div.answer.draft")).to_have_text("It")
    await tab.page.reload()
    await expect(tab.page.locator("div.answer.draft")).to_have_text("It")
    served.stage.word.set()
    await expect(tab.page.locator("div.answer:not(.draft)")).to_have_text("It is open.")
    assert await trace_of(tab.page) == WHOLE
    await tab.page.reload()
    await expect(tab.page.locator("div.answer")).to_have_text("It is open.")
    await expect(tab.page.locator(".turn")).to_have_count(1)
    assert await trace_of(tab.page) == WHOLE


@pytest.mark.slow
async def test_a_cut_is_told_and_mended_also_by_another_process_on_the_same_store(house, tabs):
    served = await house(*SCRIPT)
    tab = await tabs(served, quiet=False)
    await tab.ask("Is it open?")
    await served.stage.arrived()
    await expect(tab.page.locator(".step.act")).to_have_count(2)
    await served.close()
    await expect(tab.page.locator(".connection")).to_contain_text("Connection lost")
    await served.open()
    served.stage.open_all()
    await expect(tab.page.locator("div.answer:not(.draft)")).to_have_text("It is open.")
    await expect(tab.page.locator(".connection")).to_be_hidden()
    assert await trace_of(tab.page) == WHOLE
    assert await tab.page.locator(".segment").count() == 5


@pytest.mark.slow
async def test_a_server_that_refuses_for_a_while_is_asked_again(house, tabs):
    served = await house(*SCRIPT)
    tab = await tabs(served, quiet=False)
    refused = asyncio.Event()

    async def refuse(route):
        refused.set()
        await route.fulfill(status=503, body="{}")

    await tab.page.route("**/events?*", refuse)
    await tab.ask("Is it open?")
    await asyncio.wait_for(refused.wait(), 120)
    await expect(tab.page.locator(".connection")).to_contain_text("Connection lost")
    await tab.page.unroute("**/events?*", refuse)
    served.stage.open_all()
    await expect(tab.page.locator("div.answer:not(.draft)")).to_have_text("It is open.")
    assert await trace_of(tab.page) == WHOLE


@pytest.mark.slow
async def test_two_tabs_show_the_same_turns_as_they_happen(house, tabs):
    served = await house("First.", *SCRIPT, "Third.")
    tab = await tabs(served)
    await tab.ask("One")
    await tab.see("First.")
    other = await tabs(served, f"/#/s/{tab.session}", beside=tab)
    await other.see("First.")
    await tab.ask("Two")
    await expect(other.page.locator(".question")).to_have_text(["One", "Two"])
    await expect(other.page.locator(".step.act .state")).to_have_text("running…")
    await other.page.get_by_role("textbox", name="Question").fill("Three")
    served.stage.open_all()
    for one in (tab, other):
        await one.see("It is open.")
    await other.page.keyboard.press("Enter")
    await tab.see("Third.")
    await expect(tab.page.locator(".turn")).to_have_count(3)
    await expect(other.page.locator(".turn")).to_have_count(3)


@pytest.mark.slow
async def test_a_question_that_crosses_another_is_kept_with_a_way_out(house, tabs):
    served = await house(call("hold"), "Instead.")
    tab = await tabs(served, quiet=False)
    session = (await served.runtime.store.sessions.create("anonymous")).id
    await tab.page.goto(f"{served.url}/#/s/{session}")
    await expect(tab.page.locator("#title")).to_have_text("Untitled")
    await served.runtime.submit("From elsewhere", session_id=session)
    await served.stage.arrived()
    await tab.ask("Mine")
    await expect(tab.page.locator("#problem")).to_contain_text("is still running")
    await expect(tab.page.locator(".question")).to_have_text(["From elsewhere"])
    await tab.page.get_by_role("button", name="Stop that and ask this").click()
    await tab.see("Instead.")
    await expect(tab.page.locator(".ending")).to_contain_text("Stopped.")


@pytest.mark.slow
async def test_conversations_are_listed_and_have_addresses(house, tabs):
    served = await house("Alpha.", "Beta.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("First question")
    await tab.see("Alpha.")
    first = tab.session
    await page.get_by_role("button", name="New chat").click()
    await expect(page.locator(".empty")).to_be_visible()
    await tab.ask("Second question")
    await tab.see("Beta.")
    links = page.locator("#sessions a")
    await expect(links).to_have_text(["Second question", "First question"])
    await expect(links.first).to_have_attribute("aria-current", "page")
    await links.last.click()
    await tab.see("Alpha.")
    assert tab.session == first
    await page.go_back()
    await tab.see("Beta.")
    await page.goto(f"{served.url}/#/s/{first}")
    await tab.see("Alpha.")
    await expect(page.locator("#conversation")).not_to_contain_text("Beta.")


@pytest.mark.slow
async def test_a_conversation_that_is_not_there_says_so_and_what_to_do(house, tabs):
    served = await house("Alpha.")
    tab = await tabs(served, "/#/s/nobody-knows-this", quiet=False)
    await expect(tab.page.get_by_role("alert").first).to_contain_text("This conversation does not exist")
    await tab.page.locator(".empty").get_by_role("button", name="New chat").click()
    await expect(tab.page.locator(".empty h2")).to_have_text("Ask General")


@pytest.mark.slow
async def test_many_turns_are_shown_from_the_end_and_the_earlier_on_request(house, tabs):
    served = await house(*(f"Answer number {n}." for n in range(23)))
    session = (await served.runtime.ask("Question 0")).session_id
    for number in range(1, 23):
        await served.runtime.ask(f"Question {number}", session_id=session)
    tab = await tabs(served, f"/#/s/{session}")
    await expect(tab.page.locator(".question")).to_have_count(20)
    await expect(tab.page.locator(".question").first).to_have_text("Question 3")
    await tab.page.get_by_role("button", name="Show earlier questions").click()
    await expect(tab.page.locator(".question")).to_have_text([f"Question {n}" for n in range(23)])
    await tab.see("Answer number 0")


@pytest.mark.slow
async def test_a_tab_that_nobody_looks_at_gives_its_connection_back_and_catches_up_later(house, tabs):
    served = await house(*SCRIPT)
    tab = await tabs(served)
    await tab.page.clock.install()
    await tab.page.reload()
    await tab.ask("Is it open?")
    await served.stage.arrived()
    await expect(tab.page.locator(".step.act")).to_have_count(2)
    look = """hidden => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    await tab.page.evaluate(look, True)
    await tab.page.clock.fast_forward(61_000)
    served.stage.open_all()
    await until_finished(served)
    await expect(tab.page.locator(".step.act .state")).to_have_text("running…")
    await tab.page.evaluate(look, False)
    await expect(tab.page.locator("div.answer")).to_have_text("It is open.")
    assert await trace_of(tab.page) == WHOLE


async def until_finished(served):
    async with asyncio.timeout(120):
        while (await served.runtime.store.turns.list(1))[0].status != "completed":
            await asyncio.sleep(0.02)
