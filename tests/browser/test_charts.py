"""Charts and wide tables: their axes, their values under the pointer and by keyboard, and the column that stays."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop import tool
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

MONTHS = [f"2026-{month:02}" for month in range(1, 13)]
REVENUE = [120_400, 98_000, 143_250, None, 151_700, 160_900, 149_300, 171_800, 182_000, 176_500, 190_100, 204_600]


@tool(effect="read", volatile=True)
async def get_revenue() -> dict:
    """Revenue by month."""
    series = [{"label": "Revenue", "unit": "EUR", "values": REVENUE}]
    chart = {"kind": "line", "title": "Revenue by month, 2026", "x": MONTHS, "x_label": "Month", "series": series}
    return {"months": len(MONTHS), "chart": chart}


@tool(effect="read", volatile=True)
async def get_orders() -> list:
    """Orders, with more columns than fit."""
    return [
        {
            "order": f"PO-0{1600 + n}",
            "supplier": f"Supplier number {n}",
            "ordered_on": f"2026-09-{n + 10}",
            "due_on": f"2026-10-{n + 10}",
            "received_on": f"2026-11-{n + 10}",
            "quantity": 7000 + n,
            "amount": 90_000 + n,
            "late_by_days": 40 + n,
        }
        for n in range(4)
    ]


async def opened(house, tabs, question, tool_name, answer, **options):
    served = await house(call(tool_name), answer)
    served.stage.tools += [get_revenue, get_orders]
    tab = await tabs(served, **options)
    await tab.ask(question)
    await expect(tab.page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    return tab


ASKED = ("Show revenue by month as a chart", "get_revenue", "It grew from 120,400 EUR to 204,600 EUR.")


@pytest.mark.parametrize("width", [360, pytest.param(1440, marks=pytest.mark.slow)])
async def test_a_chart_that_was_asked_for_comes_first_with_its_axes_and_values(house, tabs, serious, width):
    tab = await opened(house, tabs, *ASKED, viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page, chart = tab.page, tab.page.locator(".answer-charts .chart")
    await expect(chart.locator("figcaption")).to_have_text("Revenue by month, 2026")
    words = await page.locator(".turn div.answer").bounding_box()
    assert (await chart.bounding_box())["y"] < words["y"]
    await expect(chart.locator(".chart-label")).to_have_text(["Revenue (EUR)", "Month"])
    ticks = chart.locator(".chart-scale span:not(.chart-scale-room)")
    await expect(ticks).to_have_text(["0", "100,000", "200,000"])
    below = chart.locator(".chart-below span")
    await expect(below.first).to_have_text("2026-01")
    boxes = [await one.bounding_box() for one in await below.all()]
    assert len(boxes) >= 3
    assert all(one["x"] + one["width"] < other["x"] for one, other in zip(boxes, boxes[1:], strict=False))
    tip = chart.locator(".chart-tip")
    await expect(tip).to_have_count(0)
    box = await chart.locator("svg").bounding_box()
    await page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 30)
    await expect(tip).to_contain_text("2026-12")
    await expect(tip).to_contain_text("204,600 EUR")
    await page.mouse.move(box["x"] + 2, box["y"] - 200)
    await expect(tip).to_have_count(0)
    cursor = chart.get_by_role("slider", name="Values of Revenue by month, 2026")
    await cursor.focus()
    await expect(tip).to_contain_text("120,400 EUR")
    for _ in range(3):
        await page.keyboard.press("ArrowRight")
    await expect(cursor).to_have_attribute("aria-valuetext", "2026-04: Revenue none")
    await page.keyboard.press("End")
    await expect(cursor).to_have_attribute("aria-valuetext", "2026-12: Revenue 204,600 EUR")
    tip_box, plot = await tip.bounding_box(), await chart.bounding_box()
    assert plot["x"] <= tip_box["x"] and tip_box["x"] + tip_box["width"] <= plot["x"] + plot["width"]
    await page.screenshot(path=f"/tmp/shots-page/chart-{width}.png")
    assert await serious(page) == []
    assert await page.locator("html").evaluate("node => node.scrollWidth") <= width


async def test_no_part_of_a_column_shows_beside_the_one_that_stays(house, tabs):
    answer = "The last order is late by 43 days."
    tab = await opened(house, tabs, "Which are late?", "get_orders", answer, viewport={"width": 1280, "height": 800})
    await tab.page.locator(".turn .figure", has_text="43").first.click()
    scroll = tab.page.locator(".trace-panel .result .scroll")
    await expect(scroll).to_have_class("scroll scrolled")
    pinned, found = scroll.locator("tbody .row-name").first, scroll.locator("td.found").first
    await expect(found).to_have_text("43")
    named, cell = await pinned.bounding_box(), await found.bounding_box()
    assert cell["x"] >= named["x"] + named["width"]
    assert await pinned.evaluate("node => getComputedStyle(node).boxShadow") != "none"
    await tab.page.screenshot(path="/tmp/shots-page/pinned.png")
    await scroll.evaluate("node => node.scrollTo({ left: 0, behavior: 'instant' })")
    await expect(scroll).to_have_class("scroll")
