"""Admin in a browser: sessions found and rated, steps too, a case made, charts drawn; strangers sign in first."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.models.scripted_model import call
from glassloop.store.tables.dead_letters import DeadLetter
from glassloop.store.tables.governance.operations import ToolOperation
from server.eval_runs import write_run

pytestmark = IN_BROWSER

TOKEN = "a-token-for-the-operator"
SCRIPT = (think("Look.", call("get_inventory_levels", warehouse_id="WH-001"), call("fail")), "There are 140 bearings.")


async def reviewed(house, tabs, **options):
    served = await house(*SCRIPT, "Only words.", admin_token=TOKEN)
    for user, question in (("ann", "What is in WH-001?"), ("bob", "Say something")):
        await served.runtime.ask(question, user=user)
    tab = await tabs(served, "/admin", **options)
    await tab.page.get_by_label("Admin token").fill(TOKEN)
    await tab.page.keyboard.press("Enter")
    await expect(tab.page.locator(".list tbody tr")).to_have_count(2)
    return served, tab


async def test_a_reviewer_finds_a_session_rates_it_and_a_step_and_makes_a_case(house, tabs):
    served, tab = await reviewed(house, tabs, viewport={"width": 1440, "height": 900})
    page, rows = tab.page, tab.page.locator(".list tbody tr")
    await page.get_by_label("User").fill("ann")
    await expect(rows).to_have_count(1)
    await page.get_by_label("User").fill("")
    await page.get_by_label("Search text").fill("bearings")
    await expect(rows).to_have_count(1)
    await rows.get_by_role("link", name="What is in WH-001?").click()
    review = page.locator(".review")
    await expect(review.locator(".step.act h3")).to_have_text(["get_inventory_levels", "fail"])
    await expect(review.locator(".figure.sourced")).to_have_text(["140"])
    await review.get_by_label("Note", exact=True).fill("Well done")
    await review.get_by_role("button", name="Good", exact=True).click()
    await expect(rows.locator(".rated")).to_have_text("good")
    await review.get_by_label("Note on step 1b").fill("should have waited")
    await review.get_by_role("button", name="Step 1b is bad").click()
    await expect(review.get_by_role("button", name="Step 1b is bad")).to_have_attribute("aria-pressed", "true")
    await review.get_by_role("button", name="Make eval case").click()
    await expect(review.get_by_role("status").last).to_contain_text("glassloop eval reviewed-general")
    (session,) = [one for one in await served.runtime.store.sessions.list(9) if one.user_id == "ann"]
    assert (session.rating, session.rating_note) == ("good", "Well done")
    (rated,) = await served.runtime.store.ratings.of_session(session.id)
    assert (rated.rating, rated.note) == ("bad", "should have waited")
    await page.reload()
    await expect(page.get_by_label("Note on step 1b")).to_have_value("should have waited")
    await page.get_by_label("Rating").select_option("bad")
    await expect(page.get_by_text("No sessions match")).to_be_visible()


@pytest.mark.slow
async def test_figures_are_drawn_and_what_runs_is_listed(house, tabs):
    served, tab = await reviewed(house, tabs)
    page = tab.page
    await page.get_by_role("link", name="Overview").click()
    await expect(page.locator(".tile .figure-large").first).to_have_text("2")
    await expect(page.get_by_role("img", name="Turns per day")).to_be_visible()
    await expect(page.locator(".chart figcaption")).to_contain_text(
        ["Turns per day", "Latency", "Tokens", "Cost", "Ratings", "Errors"]
    )
    await page.get_by_role("link", name="Tools").click()
    await expect(page.locator(".list tbody tr")).to_contain_text(["fail", "get_inventory_levels"])
    write_run(served.settings.home_path, "before", 1)
    write_run(served.settings.home_path, "after", 3)
    await page.get_by_role("link", name="Evals").click()
    await expect(page.locator(".list tbody tr")).to_have_count(2)
    await page.locator(".list tbody a").first.click()
    await expect(page.locator(".misses > li").first).to_contain_text("expected calculate, got none")
    await page.get_by_label("Compare with").select_option(index=1)
    await expect(page.get_by_role("region", name="Differences")).to_contain_text("case-1, case-2")
    await served.runtime.store.audit.record("approved", "edit_file", by="ann")
    await page.get_by_role("link", name="Audit").click()
    await expect(page.get_by_role("region", name="Who did what")).to_contain_text("approved edit_file")
    served.stage.model._script = iter([call("hold"), "Over."])
    await served.runtime.submit("Wait for it", user="cid")
    await served.stage.arrived()
    await page.get_by_role("link", name="Live", exact=True).click()
    await expect(page.locator(".live-list li")).to_contain_text("Wait for it")
    served.stage.open_all()
    await expect(page.get_by_text("Nothing is running or waiting.")).to_be_visible()


async def test_operations_of_tools_are_listed_and_filtered(house, tabs, serious):
    served, tab = await reviewed(house, tabs)
    page = tab.page
    for user, outcome, path in (("ann", "done", "src/a.py"), ("bob", "refused", "../<b>out</b>")):
        why = "outside the workspace" if outcome == "refused" else ""
        await served.runtime.store.operations.record(
            ToolOperation(kind="code", user_id=user, session_id="s", turn_id="t", call_id="c", tool="read_file",
                          path=path, operation="read", bytes=1234, outcome=outcome, why=why)
        )  # fmt: skip
    await page.get_by_role("link", name="Operations").click()
    rows = page.get_by_role("region", name="Tool operations").locator("tbody tr")
    await expect(rows).to_contain_text(["../<b>out</b>", "src/a.py"])
    await expect(rows.first).to_contain_text("outside the workspace")
    assert await serious(page) == []
    await page.get_by_label("Outcome").select_option("done")
    await expect(rows).to_contain_text(["src/a.py"])
    await expect(rows).to_have_count(1)
    await page.get_by_label("Outcome").select_option("")
    await page.get_by_label("Who").fill("bob")
    await expect(rows).to_have_count(1)
    await page.get_by_label("Kind").fill("other")
    await expect(page.get_by_text("No matching operations.")).to_be_visible()


async def test_what_was_set_aside_is_listed_with_its_reason_tried_again_and_dropped(house, tabs):
    served, tab = await reviewed(house, tabs)
    page, letters = tab.page, served.runtime.store.dead_letters
    (session,) = [one for one in await served.runtime.store.sessions.list(9) if one.user_id == "bob"]
    (turn,) = await served.runtime.store.turns.ids(session.id)
    for at, (kind, ident) in enumerate((("turn", turn), ("job", "job-1")), 1):
        reason = f"Set aside: 2 times in a row the process ended while it did <b>{kind}</b>."
        await letters.add(
            DeadLetter(kind=kind, id=ident, user_id="bob", subject="general", cpu_work="sums", deaths=2, reason=reason,
                       at=float(at))
        )  # fmt: skip
    await page.get_by_role("link", name="Dead letters").click()
    rows = page.locator(".list tbody tr")
    await expect(rows).to_contain_text(["the process ended while it did <b>job</b>", "while it did <b>turn</b>"])
    await page.get_by_role("button", name="Discard: job job-1").click()
    await expect(rows).to_have_count(1)
    served.stage.model._script = iter(["Said again."])
    await page.get_by_role("button", name=f"Try again: turn {turn}").click()
    await expect(page.get_by_text("No dead letters.")).to_be_visible()
    assert await letters.list() == ()
    await page.get_by_role("link", name="open the new turn").click()
    await expect(page.get_by_text("Said again.").first).to_be_visible()
    assert len(await served.runtime.store.turns.ids(session.id)) == 2
    audit = await served.runtime.store.audit.list(9)
    assert {entry.action for entry in audit} >= {"retried", "dropped"}


async def test_a_letter_that_somebody_else_took_is_told_and_leaves_the_list(house, tabs):
    served, tab = await reviewed(house, tabs, quiet=False)
    page, letters = tab.page, served.runtime.store.dead_letters
    await letters.add(
        DeadLetter(kind="job", id="job-1", user_id="bob", subject="import", cpu_work="import", deaths=2,
                   reason="Twice.", at=1.0)
    )  # fmt: skip
    await page.get_by_role("link", name="Dead letters").click()
    await expect(page.locator(".list tbody tr")).to_have_count(1)
    await letters.take("job", "job-1")
    await page.get_by_role("button", name="Discard: job job-1").click()
    await expect(page.get_by_role("alert")).to_contain_text("it was retried, dropped or deleted")
    await expect(page.locator(".list tbody tr")).to_have_count(0)
