"""Ask, watch the steps arrive, stop: the spine in a browser."""

import re

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD, SlowReader, think
from glassloop.core.errors import ModelRejected
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

STOCK = "WH-001 holds **140** bearings and 820 kg, so 77 are missing."


async def test_the_steps_of_a_turn_arrive_one_by_one_and_the_draft_is_confirmed(house, tabs):
    served = await house(think("Look first.", call("hold")), f"The gate{HOLD} is **open** now.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Is the gate open?")
    await expect(page.locator(".question")).to_have_text("Is the gate open?")
    await served.stage.arrived()
    await expect(page.locator(".step.think")).to_contain_text("Look first.")
    await expect(page.locator(".step.act .state")).to_have_text("running…")
    await expect(page.locator(".meta")).to_contain_text("running hold")
    await expect(page.locator(".segment.live.act")).to_be_visible()
    await expect(page.get_by_role("button", name="Stop")).to_be_visible()
    served.stage.gate.set()
    await expect(page.locator(".step.act .result")).to_contain_text("the gate was open at")
    await expect(page.locator("div.answer.draft")).to_have_text("The gate")
    await expect(page.locator(".segment.live.answer")).to_be_visible()
    served.stage.word.set()
    await expect(page.locator("div.answer:not(.draft) strong")).to_have_text("open")
    await expect(page.locator(".meta")).to_contain_text("1 tool  ·  2 steps")
    await expect(page.locator(".segment.live")).to_have_count(0)
    assert [await one.get_attribute("class") for one in await page.locator(".segment").all()] == [
        "segment think",
        "segment act",
        "segment answer",
    ]
    await expect(page.get_by_role("button", name="Send")).to_be_visible()
    await expect(page.locator("#status")).to_contain_text("open")
    assert await page.title() == "Is the gate open? · Glassloop"


async def test_figures_are_underlined_and_lead_to_the_step_they_came_from(house, tabs):
    served = await house(think("Look.", call("get_inventory_levels", warehouse_id="WH-001")), STOCK)
    tab = await tabs(served, viewport={"width": 1440, "height": 900})
    page = tab.page
    await tab.ask("What is in WH-001?")
    sourced, missing = page.locator(".figure.sourced"), page.locator(".figure.unsourced")
    await expect(sourced).to_have_text(["140", "820 kg"])
    await expect(page.locator(".figure.echoed")).to_have_text(["WH-001"])
    await expect(missing).to_have_text(["77"])
    await expect(page.locator(".meta")).to_contain_text("2 of 3 figures sourced, 1 from the question")
    step = page.locator("#trace-panel .step.act")
    await sourced.nth(0).hover()
    await expect(step).to_have_class("step act lit")
    await expect(step.locator("tr.lit")).to_contain_text("BRG-6204")
    await expect(step.locator("td.found")).to_have_text("140")
    await step.locator("h3").hover()
    await expect(page.locator(".figure.lit")).to_have_count(2)
    await page.get_by_role("button", name="from step 1").first.click()
    await expect(step).to_be_focused()
    await page.mouse.move(0, 0)
    await expect(step.locator("td.found")).to_have_text("140")
    await page.get_by_role("button", name="140, from step 1").click()
    await page.mouse.move(0, 0)
    await expect(step.locator("td.found")).to_have_count(0)


@pytest.mark.slow
async def test_a_long_result_is_folded_and_opens(house, tabs):
    lines = "\n".join(f"line {number}" for number in range(60))
    served = await house(call("say", text=lines), "There are lines.")
    tab = await tabs(served)
    result = tab.page.locator(".step.act .result")
    await tab.ask("How many?")
    await expect(result.locator(".line")).to_have_count(4)
    await result.get_by_role("button", name="… 56 more").click()
    await expect(result.locator(".line")).to_have_count(60)
    await expect(result.get_by_role("button", name="less")).to_be_focused()


async def test_escape_and_the_stop_button_stop_a_turn(house, tabs):
    served = await house(call("hold"), call("hold"), "Never.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Wait")
    await served.stage.arrived()
    await page.keyboard.press("Escape")
    await expect(page.locator(".ending")).to_contain_text("Stopped.")
    await tab.ask("Wait again")
    await served.stage.arrived()
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator(".ending")).to_have_count(2)
    assert [row.status for row in await served.runtime.store.turns.list(9)] == ["cancelled", "cancelled"]
    await page.locator(".turn").last.get_by_role("button", name="Edit").click()
    await expect(page.get_by_role("textbox", name="Question")).to_have_value("Wait again")
    await page.locator(".turn").first.get_by_role("button", name="Regenerate").click()
    await tab.see("Never.")
    await expect(page.locator(".question")).to_have_text(["Wait"])


@pytest.mark.slow
async def test_what_went_wrong_is_told_where_it_happened_with_what_to_do(house, tabs):
    served = await house(call("fail"), "It is closed.", ModelRejected("The key is wrong: set another."))
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Look")
    await expect(page.locator(".result.failed")).to_contain_text("ask again tomorrow")
    await expect(page.locator(".segment.trouble")).to_be_visible()
    await tab.ask("Look again")
    await expect(page.locator(".ending.failed")).to_contain_text("The key is wrong: set another.")
    await page.get_by_role("textbox", name="Question").fill("x")
    await page.route("**/api/turns", lambda route: route.abort())
    tab.quiet = False
    await page.keyboard.press("Enter")
    await expect(page.locator("#problem")).to_contain_text("cannot be reached")
    await expect(page.get_by_role("textbox", name="Question")).to_have_value("x")
    await page.unroute("**/api/turns")


@pytest.mark.slow
async def test_the_empty_page_offers_three_questions_that_are_asked(house, tabs):
    served = await house("It is 441.")
    tab = await tabs(served)
    offered = tab.page.locator(".empty > ul button")
    await expect(offered).to_have_text(
        ["What is 18% of 2,450?", "Convert 26.2 miles to kilometers", "What time is it in Tokyo?"]
    )
    await offered.first.click()
    await tab.see("It is 441")
    await expect(tab.page.locator(".question")).to_have_text("What is 18% of 2,450?")


@pytest.mark.slow
async def test_enter_sends_shift_enter_does_not_and_nothing_is_sent_twice(house, tabs):
    served = await house(call("hold"), "Done.")
    tab = await tabs(served)
    page, field = tab.page, tab.page.get_by_role("textbox", name="Question")
    await field.press_sequentially("one")
    await page.keyboard.press("Shift+Enter")
    await field.press_sequentially("two")
    await expect(field).to_have_value("one\ntwo")
    await page.keyboard.press("Enter")
    await served.stage.arrived()
    await expect(page.locator(".question")).to_have_text("one\ntwo")
    await field.fill("/help")
    await page.keyboard.press("Enter")
    await expect(page.locator(".queued li")).to_contain_text("/help")
    await expect(field).to_have_value("")
    await expect(page.locator(".turn")).to_have_count(1)
    served.stage.gate.set()
    await tab.see("Done.")
    await expect(page.locator(".question")).to_have_text(["one\ntwo", "/help"])
    await expect(page.locator(".queued")).to_have_count(0)


@pytest.mark.slow
async def test_everything_can_be_reached_with_the_keyboard_alone(house, tabs):
    served = await house(think("Look.", call("get_inventory_levels", warehouse_id="WH-001")), STOCK)
    tab = await tabs(served, viewport={"width": 1440, "height": 900})
    page = tab.page
    await expect(page.get_by_role("textbox", name="Question")).to_be_focused()
    await page.locator("#skip").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Question")).to_be_focused()
    await page.keyboard.type("What is there?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    seen = set()
    await page.locator("#new-chat").focus()
    for _ in range(60):
        await page.keyboard.press("Tab")
        seen.add(await page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"conversation", "segment think", "question", "trace-panel", "row"} <= seen
    assert any(name.startswith("figure sourced") for name in seen)
    await page.locator(".segment.think").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".segment.act")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator(".step.act")).to_be_focused()
    await page.keyboard.press("k")
    await expect(page.locator(".step.think")).to_be_focused()
    await page.keyboard.press("j")
    await expect(page.locator(".step.act")).to_be_focused()


@pytest.mark.slow
async def test_whoever_reads_further_up_is_not_moved(house, tabs):
    served = await house("\n\n".join(f"Paragraph {n}" for n in range(60)), f"More{HOLD}\n\n" + "end\n\n" * 60)
    tab = await tabs(served)
    page, place = tab.page, tab.page.locator("#conversation")
    await tab.ask("Tell me")
    await tab.see("Paragraph 59")
    # An answer is read from its beginning.
    await expect(page.locator(".question")).to_be_in_viewport()
    await expect(page.locator(".prose p").first).to_be_in_viewport()
    await tab.ask("And?")
    await expect(page.locator("div.answer.draft")).to_contain_text("More")
    await place.evaluate("node => { node.scrollTop = 100 }")

    served.stage.word.set()
    await expect(page.locator(".turn").last.get_by_role("button", name="Copy", exact=True)).to_be_attached()
    assert await place.evaluate("node => node.scrollTop") == 100


@pytest.mark.slow
async def test_reflex_answers_with_its_steps_though_it_is_no_language_model(house, tabs):
    served = await house(model="reflex")
    tab = await tabs(served)
    await tab.page.get_by_role("button", name="What is 18% of 2,450?").click()
    await expect(tab.page.locator("div.answer:not(.draft)")).to_contain_text("441")
    await expect(tab.page.locator(".step.act").first).to_contain_text("Result received")
    await expect(tab.page.locator(".meta")).to_contain_text("sourced")


@pytest.mark.slow
async def test_a_model_that_reads_slowly_tells_how_long_and_what_would_answer_at_once(house, tabs):
    served = await house()
    served.stage.model = SlowReader(["Quick."], served.stage)
    tab = await tabs(served)
    await tab.ask("What is 18% of 2,450?")
    await expect(tab.page.locator(".meta").first).to_contain_text("reading the question")
    await expect(tab.page.locator(".meta").first).to_contain_text(re.compile(r"about \d+ (s|min) left"))
    async with tab.page.expect_request("**/api/turns") as sent:
        await tab.page.get_by_role("button", name="Ask reflex instead").click()
    assert (await sent.value).post_data_json["model"] == "reflex"
    await tab.see("Quick.")
    await expect(tab.page.get_by_role("group", name="Version 2 of 2")).to_be_visible()
    assert {row.status for row in await served.runtime.store.turns.list(9)} == {"cancelled", "completed"}


@pytest.mark.slow
async def test_what_a_command_returns_looks_like_what_it_is(house, tabs):
    tab = await tabs(await house())
    answers = tab.page.locator("div.answer")
    await tab.ask("/tool fail {}")
    await expect(answers.last.locator(".result.failed")).to_contain_text("The warehouse is closed")
    await tab.ask('/tool get_inventory_levels {"warehouse_id": "WH-001"}')
    await expect(answers.last.locator("tbody tr")).to_have_count(10)
    await tab.ask('/tool say {"text": "Plain words."}')
    await expect(answers.last.locator(".verbatim")).to_have_text("Plain words.")
    await tab.ask("/tools")
    await expect(answers.last.locator(".listing dt").nth(1)).to_have_text("say(text)")
    await expect(tab.page.locator(".meta").last).not_to_contain_text("step")
