"""Why an answer says what it says: from a figure to the very value it came from, by mouse, finger and keyboard."""

import json

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import find, think
from glassloop.core.events import AnswerEvaluated, ToolCalled

pytestmark = IN_BROWSER

WIDE = {"viewport": {"width": 1440, "height": 800}}
SMALL = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
TOTALS = [93258.28, 29802.86, 14359.75, 4434.08, 1145.4, 783.52]
REPORT = json.dumps(
    {
        "title": "Purchase orders",
        "period": {"name": "all"},
        "totals": {"orders": 6, "ordered": 143783.89, "late": 6},
        "rows": [
            {
                "order_id": f"PO-0161{place}",
                "vendor": "Falcon Polymers",
                "category": "Resins and other granulates",
                "buyer": "Karin Evans",
                "total": total,
                "warehouse_id": f"WH-00{place % 2}",
            }
            for place, total in enumerate(TOTALS)
        ],
    }
)
ANSWER = "Totals: orders 6, ordered 143,783.89 USD, late 6.\n\n| order id | total | warehouse |\n| --- | --- | --- |\n"
ANSWER += "\n".join(f"| PO-0161{place} | {total:,.2f} | WH-00{place % 2} |" for place, total in enumerate(TOTALS))


async def answered(house, tabs, options):
    served = await house(think("Look.", find(REPORT)), ANSWER)
    tab = await tabs(served, reduced_motion="reduce", **options)
    await tab.ask("Which orders are late?")
    await expect(tab.page.locator(".meta")).to_contain_text("all 21 figures sourced")
    return served, tab.page


def figure(page, text):
    return page.locator(".answer .figure").get_by_text(text, exact=True)


async def test_pressing_a_figure_shows_the_value_it_came_from_and_keeps_it_marked(house, tabs):
    _, page = await answered(house, tabs, WIDE)
    found = page.locator("#trace-panel .found")
    await figure(page, "143,783.89 USD").click()
    await expect(found).to_have_text(["ordered: 143,783.89"])
    await expect(found).to_be_in_viewport()
    await expect(page.locator(".step.act")).to_have_class("step act lit kept")
    # A row that is folded away and a column that is out of sight are there while one points at the figure.
    await figure(page, "783.52").hover()
    await expect(found).to_have_text(["783.52"])
    await expect(found).to_be_in_viewport(ratio=1)
    await expect(page.locator("#trace-panel tr.lit")).to_contain_text("PO-01615")
    await page.mouse.move(2, 2)
    await expect(found).to_have_text(["ordered: 143,783.89"])
    # Of three that are all 6, the one that is meant.
    await figure(page, "6").nth(1).click()
    await expect(found).to_have_text(["late: 6"])
    await expect(page.locator('.figure[aria-pressed="true"]')).to_have_count(1)
    await figure(page, "6").nth(1).click()
    await page.mouse.move(2, 2)
    await expect(found).to_have_count(0)


async def test_the_page_marks_the_very_place_that_the_command_names(house, tabs):
    served, page = await answered(house, tabs, WIDE)
    (row,) = await served.runtime.store.turns.list(10)
    events = await served.runtime.store.turns.read(row.id)
    (evidence,) = [event.evidence for event in events if isinstance(event, AnswerEvaluated)]
    equal = [one for one in evidence.figures if one.text == "6"]
    # `glassloop sources` prints these paths.
    assert [one.path for one in equal] == [("totals", "orders"), ("totals", "late")]
    for place, one in enumerate(equal):
        await figure(page, "6").nth(place).click()
        await expect(page.locator("#trace-panel .found")).to_have_text([f"{one.path[-1]}: 6"])


@pytest.mark.slow
async def test_a_finger_gets_there_and_back_on_a_small_screen(house, tabs):
    _, page = await answered(house, tabs, SMALL)
    pressed, found = figure(page, "783.52"), page.locator(".fold .found")
    for one in (pressed, figure(page, "6").first):
        area = await one.evaluate(
            "node => { const s = getComputedStyle(node, '::before'); return [s.width, s.height] }"
        )
        assert min(float(side.removesuffix("px")) for side in area) >= 24, area
    await pressed.tap()
    await expect(found).to_have_text(["783.52"])
    await expect(found).to_be_in_viewport(ratio=1)
    await expect(pressed).not_to_be_in_viewport()
    await page.get_by_role("button", name="Back to the answer").tap()
    await expect(pressed).to_be_in_viewport()
    await expect(pressed).to_be_focused()
    await expect(found).to_have_text(["783.52"])


@pytest.mark.slow
async def test_what_one_selects_is_what_the_answer_says_and_a_table_of_one_step_says_so_once(house, tabs):
    _, page = await answered(house, tabs, WIDE)
    prose = page.locator(".answer .prose")
    copied = await prose.evaluate("node => { getSelection().selectAllChildren(node); return String(getSelection()) }")
    assert "Totals: orders 6, ordered 143,783.89 USD, late 6." in copied
    assert [line.split() for line in copied.splitlines() if line.startswith("PO-")] == [
        [f"PO-0161{place}", f"{total:,.2f}", f"WH-00{place % 2}"] for place, total in enumerate(TOTALS)
    ]
    assert "step" not in copied
    await expect(prose.locator("p .source")).to_have_count(3)
    await expect(prose.locator("td .source")).to_have_count(0)
    await page.get_by_role("button", name="All figures from step 1").click()
    await expect(page.locator(".step.act")).to_be_focused()


@pytest.mark.slow
async def test_a_step_has_one_number_wherever_it_is_named(house, tabs):
    script = (
        think("Look.", find("It is 42")),
        think("Twice.", find("and 43"), find("and 44")),
        "It is 42, 43 and 44.",
    )
    served = await house(*script)
    tab = await tabs(served, **WIDE)
    page = tab.page
    await tab.ask("What is it?")
    await expect(page.locator(".meta")).to_contain_text("3 steps")
    (row,) = await served.runtime.store.turns.list(9)
    events = await served.runtime.store.turns.read(row.id)
    steps = [event.step for event in events if isinstance(event, ToolCalled)]
    assert steps == [1, 2, 2]
    await expect(page.locator(".step.act .badge")).to_have_text(["1", "2a", "2b"])
    await expect(page.locator(".step.think .badge")).to_have_text(["", ""])
    await expect(page.locator(".step.answer .badge")).to_have_text("3")
    for text, number in (("42", "1"), ("43", "2a"), ("44", "2b")):
        await expect(page.get_by_role("button", name=f"{text}, from step {number}")).to_be_visible()
    await page.get_by_role("button", name="Replay").click()
    await expect(page.get_by_label("From before step").locator("option")).to_have_text(
        ["1: find", "2: find and 1 more", "3: Answer"]
    )
    await expect(page.get_by_label("From before step")).to_have_value("3")
    changed = page.get_by_label("Changed").locator("option")
    await expect(changed.nth(2)).to_have_text("what find found (step 1)")


@pytest.mark.slow
async def test_the_keyboard_goes_from_a_figure_to_its_value_and_back(house, tabs):
    _, page = await answered(house, tabs, WIDE)
    pressed, found = figure(page, "93,258.28"), page.locator("#trace-panel .found")
    await page.get_by_role("button", name="143,783.89 USD, from step 1").focus()
    for _ in range(8):
        if await pressed.evaluate("node => node === document.activeElement"):
            break
        await page.keyboard.press("Tab")
    await expect(found).to_have_text(["93,258.28"])
    await page.keyboard.press("Enter")
    await expect(page.locator(".step.act")).to_be_focused()
    await expect(found).to_have_text(["93,258.28"])
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(pressed).to_be_focused()


@pytest.mark.slow
async def test_the_trace_is_as_wide_as_one_makes_it_and_stays_so(house, tabs):
    _, page = await answered(house, tabs, WIDE)
    divider, panel = page.get_by_role("separator", name="Width of the trace"), page.locator("#trace-panel")
    width = "node => node.offsetWidth"
    before = await panel.evaluate(width)
    await divider.press("ArrowLeft")
    await expect(panel).to_have_js_property("offsetWidth", before + 32)
    box = await divider.bounding_box()
    await page.mouse.move(box["x"] + 4, 300)
    await page.mouse.down()
    await page.mouse.move(box["x"] - 96, 300, steps=4)
    await page.mouse.up()
    after = await panel.evaluate(width)
    assert after > before + 90
    await page.reload()
    await expect(panel).to_have_js_property("offsetWidth", after)
    await divider.press("Home")
    await expect(panel).to_have_js_property("offsetWidth", before)
