"""How the page looks to those who see it otherwise: small screens, dark rooms, screen readers, no motion."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD, think
from glassloop.models.scripted_model import call
from server.eval_runs import write_run

pytestmark = IN_BROWSER

ANSWER = """# Stock

WH-001 holds **140** bearings; 77 are missing, see https://example.org/stock and `BRG-6204`.

| SKU | Item | On hand | Reorder at | Days left |
| --- | --- | --- | --- | --- |
| `BRG-6204` | Ball bearing 6204 | 140 | 400 | 6 |
| `INS-PA66` | PA66 GF30 granulate, kg | 820 | 1500 | 9 |

1. Order
   - soon

> quoted

```
a long line of code that does not fit on a small screen, however one turns it, and goes on and on and on
```
"""
SCRIPT = (
    think("Look.", call("get_inventory_levels", warehouse_id="WH-001"), call("fail")),
    ANSWER,
    think("Write.", call("edit_file", path="src/" + "deep/" * 12 + "totals.py", text="x" * 200)),
    "Done.",
    call("hold"),
    f"A draft{HOLD} and its end.",
)


async def stages(house, tabs, **options):
    """The page in each of its states, one after the other."""
    served = await house(*SCRIPT)
    tab = await tabs(served, **options)
    page = tab.page
    await expect(page.locator(".empty")).to_be_visible()
    yield page, "empty"
    await tab.ask("What is in WH-001?")
    await expect(page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    yield page, "answered"
    await tab.ask("Fix it, " + "and " * 60 + "it_is_one_long_word_" * 12)
    await expect(page.locator(".approval")).to_be_visible()
    yield page, "waiting"
    await page.locator(".approval").get_by_role("button", name="Edit").click()
    yield page, "editing"
    await page.get_by_role("button", name="Show what this does").click()
    await tab.see("Done.")
    await tab.ask("Wait")
    await served.stage.arrived()
    await expect(page.locator(".segment.live.act")).to_be_visible()
    yield page, "running"
    served.stage.gate.set()
    await expect(page.locator("div.answer.draft")).to_have_text("A draft")
    yield page, "writing"
    await page.keyboard.press("Escape")
    await expect(page.locator(".ending")).to_be_visible()
    yield page, "stopped"


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1440),
        pytest.param("dark", 1440, marks=pytest.mark.slow),
        pytest.param("light", 360, marks=pytest.mark.slow),
    ],
)
async def test_axe_finds_nothing_serious_in_any_state(house, tabs, serious, scheme, width):
    # What moves is caught between two colours.
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}, "reduced_motion": "reduce"}
    async for page, state in stages(house, tabs, **options):
        assert await serious(page) == [], state


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_serious_on_the_other_pages(house, tabs, serious, scheme):
    served = await house(*SCRIPT[:2], admin_token="a-token-for-the-operator")
    session = (await served.runtime.ask("What is in WH-001?")).session_id
    (turn,) = await served.runtime.store.turns.ids(session)
    for number, name in enumerate(("one", "two"), 1):
        write_run(served.settings.home_path, name, number)
    await served.runtime.store.audit.record("approved", "edit_file", by="ann", session_id=session)
    await served.runtime.schedules.add("What is new?", every="@daily")
    tab = await tabs(served, "/admin", color_scheme=scheme, reduced_motion="reduce")
    page = tab.page
    await page.get_by_label("Admin token").fill("a-token-for-the-operator")
    await page.keyboard.press("Enter")
    places = {
        "/admin#/sessions": ".list tbody tr",
        f"/admin#/sessions/{session}": ".review .step.answer",
        "/admin#/overview": ".chart",
        "/admin#/tools": ".list tbody tr",
        "/admin#/live": ".live-list",
        "/admin#/evals/two/one": ".misses li",
        "/admin#/audit": ".list tbody tr",
        f"/#/t/{turn}": ".step.answer",
        f"/#/t/{turn}/{turn}": ".column-turn:nth-of-type(2) .step.answer",
        "/#/settings": ".cards li",
        "/#/inbox": ".schedule-form",
    }
    await expect(page.locator(".list tbody tr")).to_have_count(1)
    for place, sign in places.items():
        await page.goto(served.url + place)
        if place == "/#/inbox":
            await page.get_by_role("button", name="New schedule").click()
        await expect(page.locator(sign).first).to_be_attached()
        assert await serious(page) == [], place


@pytest.mark.slow
async def test_axe_finds_nothing_serious_at_the_sign_in(house, tabs, serious):
    served = await house(auth="keys")
    tab = await tabs(served, quiet=False)
    await expect(tab.page.get_by_label("API key")).to_be_visible()
    assert await serious(tab.page) == []


async def test_nothing_is_wider_than_a_small_screen(house, tabs):
    async for page, state in stages(house, tabs, viewport={"width": 360, "height": 740}):
        if state == "answered":
            await page.locator("summary", has_text="Trace").click()
        for place in ("html", "#conversation"):
            assert await page.locator(place).evaluate("node => node.scrollWidth") <= 360, (state, place)
        for button in await page.locator("button:visible:not(.segment)").all():
            box = await button.bounding_box()
            assert box["height"] >= 24, await button.text_content()


@pytest.mark.slow
async def test_the_list_of_conversations_is_a_drawer_on_a_small_screen(house, tabs):
    served = await house("Hello.")
    tab = await tabs(served, viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    page, menu = tab.page, tab.page.get_by_role("button", name="Menu")
    await tab.ask("Hi")
    await tab.see("Hello.")
    await expect(page.locator("#sidebar")).not_to_be_in_viewport()
    await menu.click()
    await expect(page.locator("#new-chat")).to_be_focused()
    await expect(menu).to_have_attribute("aria-expanded", "true")
    await page.keyboard.press("Escape")
    await expect(menu).to_be_focused()
    await expect(page.locator("#sidebar")).not_to_be_in_viewport()
    await menu.click()
    await page.get_by_role("link", name="Hi").click()
    await expect(page.locator("#sidebar")).not_to_be_in_viewport()


@pytest.mark.slow
async def test_those_who_ask_for_less_motion_get_none(house, tabs):
    served = await house(call("hold"), "Done.")
    tab = await tabs(served, reduced_motion="reduce")
    await tab.ask("Wait")
    await served.stage.arrived()
    await expect(tab.page.locator(".step.act")).to_be_visible()
    moving = "[...document.querySelectorAll('*')].filter(one => { const s = getComputedStyle(one); return "
    moving += "s.animationName !== 'none' || s.transitionDuration.split(', ').some(t => t !== '0s') }).length"
    assert await tab.page.evaluate(moving) == 0
    assert await tab.page.evaluate("document.getAnimations().length") == 0


@pytest.mark.slow
async def test_a_screen_reader_hears_what_happens_and_not_every_word(house, tabs):
    served = await house(think("Look.", call("hold")), f"The answer{HOLD} is here.")
    tab = await tabs(served)
    page = tab.page
    await expect(page.locator("#status")).to_be_attached()
    await page.evaluate("""() => {
      window.heard = [];
      new MutationObserver(() => window.heard.push(document.querySelector('#status').textContent))
        .observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true });
    }""")
    await tab.ask("Is it open?")
    await served.stage.arrived()
    await expect(page.locator("#status")).to_have_text("Using hold")
    await expect(page.locator(".turn")).to_have_attribute("aria-busy", "true")
    served.stage.open_all()
    await expect(page.locator("#status")).to_have_text("Answer: The answer is here.")
    await expect(page.locator(".turn")).to_have_attribute("aria-busy", "false")
    assert await page.evaluate("window.heard") == ["Using hold", "Answer: The answer is here."]
    assert await page.locator("#conversation [aria-live], #conversation [role=log]").count() == 0
