"""Looks of a conversation: quiet actions, copying without a clipboard, a place that is kept, one row on a phone."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

SIZES = """() => ['h3', 'h4', 'h5', 'p'].map(
  (one) => parseFloat(getComputedStyle(document.querySelector(`.answer ${one}`)).fontSize))"""


async def test_actions_of_older_turns_show_on_hover_and_focus_and_always_on_touch(house, tabs):
    served = await house("One.", "Two.")
    tab = await tabs(served)
    page = tab.page
    for question, answer in (("First", "One."), ("Second", "Two.")):
        await tab.ask(question)
        await tab.see(answer)
        await expect(page.locator(".turn[aria-busy=true]")).to_have_count(0)
    await page.mouse.move(0, 0)
    first, last = (page.locator(".turn").nth(n).get_by_role("button", name="Regenerate") for n in (0, 1))
    await expect(first).to_have_css("opacity", "0")
    await expect(last).to_have_css("opacity", "1")
    await first.focus()
    await expect(first).to_have_css("opacity", "1")
    # One step that went well needs no bar.
    await expect(page.locator(".rail")).to_have_count(0)
    phone = await tabs(
        served, f"/#/s/{tab.session}", has_touch=True, is_mobile=True, viewport={"width": 360, "height": 740}
    )
    older = phone.page.locator(".turn").first.get_by_role("button", name="Copy", exact=True)
    await expect(older).to_have_css("opacity", "1")


async def test_copying_works_where_the_page_has_no_clipboard(house, tabs):
    served = await house("# Title\n\n## Part\n\n### Detail\n\nThe answer.")
    tab = await tabs(served)
    page = tab.page
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.evaluate("document.addEventListener('copy', () => { window.copied = document.activeElement.value; })")
    await tab.ask("Write")
    await tab.see("The answer.")
    await page.get_by_role("button", name="Copy", exact=True).click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert (await page.evaluate("window.copied")).endswith("The answer.")
    sizes = await page.evaluate(SIZES)
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4


@pytest.mark.slow
async def test_earlier_questions_come_without_moving_what_is_read(house, tabs):
    served = await house(*(f"Answer {n}." for n in range(24)))
    for n in range(24):
        submitted = await served.runtime.submit(f"Question {n}", session_id="s")
        async for _ in served.runtime.watch(submitted.turn_id):
            pass
    tab = await tabs(served, "/#/s/s")
    page = tab.page
    await tab.see("Answer 23.")
    top = page.locator(".turn", has_text="Question 4")
    await page.locator("#conversation").evaluate("one => { one.scrollTop = 0; }")
    await expect(top).to_contain_text("Answer 4.")
    was = (await top.bounding_box())["y"]
    await page.get_by_role("button", name="Show earlier questions").click()
    await expect(page.locator(".turn")).to_have_count(24)
    await expect(page.locator(".turn").first).to_contain_text("Answer 0.")
    await page.wait_for_function(
        "was => Math.abs(document.querySelectorAll('.turn')[4].getBoundingClientRect().top - was) < 3", arg=was
    )


@pytest.mark.parametrize("width", [360, pytest.param(430, marks=pytest.mark.slow)])
async def test_the_field_of_a_phone_is_one_row_with_its_tools_behind_a_button(house, tabs, serious, width):
    served = await house("First.", call("hold"), f"Half{HOLD}.")
    tab = await tabs(served, viewport={"width": width, "height": 740}, has_touch=True, is_mobile=True)
    page = tab.page
    row = ".field > :is(textarea, .tools-button), .field-send > :visible"
    middles = "all => all.map(one => one.getBoundingClientRect()).map(one => Math.round((one.top + one.bottom) / 2))"

    async def is_one_row(controls: int) -> bool:
        rows = await page.locator(row).evaluate_all(middles)
        field = await page.locator(".field").bounding_box()
        return len(rows) == controls and max(rows) - min(rows) <= 2 and field["height"] <= 50

    await expect(page.locator("#question")).to_have_css("font-size", "16px")
    assert await is_one_row(3)
    attach, model = page.get_by_role("button", name="Attach", exact=True), page.get_by_role("button", name="Model:")
    await expect(attach).to_be_hidden()
    await page.get_by_role("button", name="Attach, commands and model").click()
    await expect(attach).to_be_visible()
    await expect(page.get_by_role("button", name="/ commands")).to_be_visible()
    assert await serious(page) == []
    await model.click()
    await expect(page.get_by_role("dialog", name="Choose a model")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Hide options").click()
    await expect(model).to_be_hidden()
    await page.locator("#question").fill("Hi")
    await page.get_by_role("button", name="Send").click()
    await tab.see("First.")
    await tab.ask("Go")
    await served.stage.arrived()
    await expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    await expect(page.locator("#question")).to_have_value("")
    assert await is_one_row(3)
    await page.locator("#question").fill("And then")
    await expect(page.get_by_role("button", name="Add", exact=True)).to_be_visible()
    assert await is_one_row(4)
    assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
