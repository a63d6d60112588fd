"""A timeline that a tool drew: in the answer and in replays, its table by keyboard, small screens, light and dark."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop import tool
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER
KINDS = ("cast", "channel", "cancelled", "gap", "waiting", "buff", "debuff", "phase", "downtime", "unheard-of")


@tool(effect="read", volatile=True)
async def draw() -> dict:
    """Draws."""
    rows = [
        {"label": f"A row of {kind}", "spans": [{"from": at, "to": at + 2.5, "kind": kind} for at in range(0, 300, 25)]}
        for kind in KINDS
    ]
    marks = [{"at": 75.25, "label": "Ana died", "kind": "death"}, {"at": 9, "label": "Bloodlust", "kind": "bloodlust"}]
    return {"casts": 12, "timeline": {"title": "Casts of Ana", "length_s": 303.0, "rows": rows, "marks": marks}}


async def opened(house, tabs, **options):
    served = await house(call("draw"), "She died.")
    served.stage.tools.append(draw)
    tab = await tabs(served, reduced_motion="reduce", **options)
    await tab.ask("What did Ana do?")
    await tab.see("She died.")
    return served, tab.page


async def test_a_timeline_is_drawn_and_read_as_a_table_by_keyboard(house, tabs):
    served, page = await opened(house, tabs)
    figure = page.locator(".answer-charts .timeline")
    await expect(figure.locator("figcaption")).to_have_text("Casts of Ana")
    assert "Ana died at 1:15.3" in (await figure.get_by_role("img").get_attribute("aria-label") or "")
    await figure.locator("summary").focus()
    await page.keyboard.press("Enter")
    row = figure.locator("tbody tr", has_text="Ana died (death)")
    await expect(row.locator("td").first).to_have_text("1:15.3")
    (turn,) = await served.runtime.store.turns.ids(page.url.rpartition("#/s/")[2])
    await page.goto(f"{served.url}/#/t/{turn}")
    await expect(page.locator(".timeline").first).to_be_attached()


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        pytest.param("dark", 360, marks=pytest.mark.slow),
        pytest.param("dark", 1440, marks=pytest.mark.slow),
    ],
)
async def test_a_timeline_fits_the_screen_and_axe_finds_nothing_serious(house, tabs, serious, scheme, width):
    _, page = await opened(house, tabs, color_scheme=scheme, viewport={"width": width, "height": 900})
    await page.locator(".answer-charts .timeline summary").click()
    for place in ("html", "#conversation"):
        assert await page.locator(place).evaluate("node => node.scrollWidth") <= width, place
    assert await serious(page) == []
