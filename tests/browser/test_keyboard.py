"""By key alone: commands that complete themselves, what is sent while a turn runs, and finding one's way back."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER


async def test_commands_are_chosen_with_arrows_and_completed_with_tab_and_enter(house, tabs, serious):
    served = await house()
    tab = await tabs(served)
    page, field = tab.page, tab.page.locator("#question")
    commands = page.get_by_role("listbox", name="Commands")
    await field.press_sequentially("/to")
    await expect(commands.get_by_role("option")).to_have_count(2)
    await expect(field).to_have_attribute("aria-activedescendant", "command-0")
    assert await serious(page) == []
    await field.press("Enter")
    await expect(field).to_have_value("/tools")
    await expect(page.locator(".turn")).to_have_count(0)
    await field.fill("/")
    await field.press("ArrowUp")
    await expect(commands.get_by_role("option", selected=True)).to_contain_text("/clear")
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    await field.press("Tab")
    await expect(field).to_have_value("/tool ")
    await expect(field).to_be_focused()
    await field.fill("/h")
    await field.press("Escape")
    await expect(commands).to_be_hidden()
    await field.fill("/nosuch thing")
    await field.press("Enter")
    await expect(page.locator("#problem")).to_contain_text("There is no command “/nosuch”")
    await expect(page.locator(".turn")).to_have_count(0)
    await field.fill("/he")
    await field.press("Tab")
    await field.press("Enter")
    await tab.see("the tools and their parameters")


async def test_up_in_an_empty_field_edits_the_last_question(house, tabs):
    served = await house("One.", "Two.", "Three.")
    tab = await tabs(served)
    page, field = tab.page, tab.page.locator("#question")
    await expect(field).to_be_focused()
    await field.press("ArrowUp")
    await expect(field).to_have_value("")
    for question, answer in (("First", "One."), ("Secnd", "Two.")):
        await tab.ask(question)
        await tab.see(answer)
    await expect(field).to_be_enabled()
    await field.fill("draft")
    await field.press("ArrowUp")
    await expect(field).to_have_value("draft")
    await field.fill("")
    await field.press("ArrowUp")
    await expect(field).to_have_value("Secnd")
    await expect(page.locator(".again")).to_be_visible()
    await field.press("Escape")
    await expect(field).to_have_value("")
    await field.press("ArrowUp")
    await field.fill("Second")
    await field.press("Enter")
    await tab.see("Three.")
    await expect(page.locator(".turn")).to_have_count(2)
    await expect(page.locator(".turn").last).to_contain_text("2/2")


async def test_what_is_sent_to_a_turn_that_runs_waits_in_sight_and_is_taken_back(house, tabs):
    served = await house(call("hold"), "Done.")
    tab = await tabs(served, viewport={"width": 360, "height": 740})
    page, field = tab.page, tab.page.locator("#question")
    await tab.ask("Go")
    await served.stage.arrived()
    await expect(page.get_by_role("radio", name="Add to this answer")).to_be_checked()
    for text in ("In German", "And short"):
        await field.fill(text)
        await field.press("Enter")
        await expect(page.locator(".messages")).to_contain_text(text)
        await expect(field).to_have_value("")
    await page.reload()
    await expect(page.locator(".messages li")).to_have_count(2)
    await page.get_by_role("listitem").filter(has_text="In German").get_by_role("button", name="Take back").click()
    await expect(page.locator(".messages li")).to_have_count(1)
    await expect(field).to_have_value("In German")
    await field.fill("")
    served.stage.open_all()
    await tab.see("Done.")
    told = " ".join(str(each) for each in served.stage.model.requests[-1].messages)
    assert "And short" in told
    assert "In German" not in told


async def test_questions_wait_for_the_answer_before_them_and_are_asked_one_by_one(house, tabs, serious):
    served = await house(f"One{HOLD}.", "Two.", "Three.")
    tab = await tabs(served)
    page, field = tab.page, tab.page.locator("#question")
    await tab.ask("First")
    await expect(page.locator(".answer.draft")).to_contain_text("One")
    await page.get_by_role("radio", name="Send afterwards").check()
    waiting = page.get_by_role("list", name="Waiting to be sent").get_by_role("listitem")
    for place, text in enumerate(("Second", "Never", "Third"), start=1):
        await field.fill(text)
        await field.press("Enter")
        await expect(waiting).to_have_count(place)
    assert await serious(page) == []
    await waiting.filter(has_text="Never").get_by_role("button", name="Take back").click()
    await expect(field).to_have_value("Never")
    await field.fill("")
    await page.reload()
    await expect(waiting).to_have_text(
        ["SecondSent when this answer is finishedTake back", "ThirdSent after thatTake back"]
    )
    await expect(page.get_by_role("radio", name="Send afterwards")).to_be_checked()
    served.stage.open_all()
    await tab.see("Three.")
    await expect(waiting).to_have_count(0)
    await expect(page.locator(".turn .question")).to_have_text(["First", "Second", "Third"])


async def test_a_turn_that_was_stopped_asks_nothing_by_itself(house, tabs):
    served = await house(f"One{HOLD}.", "Two.")
    tab = await tabs(served)
    page, field = tab.page, tab.page.locator("#question")
    await tab.ask("First")
    await expect(page.locator(".answer.draft")).to_contain_text("One")
    await page.get_by_role("radio", name="Send afterwards").check()
    await field.fill("/help")
    await field.press("Enter")
    await expect(page.get_by_role("list", name="Waiting to be sent")).to_contain_text("/help")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.get_by_role("list", name="Waiting to be sent")).to_contain_text("Not sent")
    await page.get_by_role("button", name="Send now").click()
    await tab.see("the tools and their parameters")


async def test_the_trace_is_closed_for_good_and_opens_for_what_must_be_seen(house, tabs, serious):
    served = await house(
        "Hello.", call("say", text="a"), "Said a.", call("say", text="b"), "Said b.", call("fail"), "It failed."
    )
    tab = await tabs(served, viewport={"width": 1440, "height": 900})
    page, panel = tab.page, tab.page.locator("#trace-panel")
    await tab.ask("hello")
    await tab.see("Hello.")
    await expect(panel).to_be_hidden()
    await tab.ask("Say a")
    await tab.see("Said a.")
    await expect(panel).to_contain_text("say")
    await page.get_by_role("button", name="Hide trace").click()
    await expect(panel).to_be_hidden()
    await tab.ask("Say b")
    await tab.see("Said b.")
    await page.reload()
    await tab.see("Said b.")
    await expect(panel).to_be_hidden()
    await expect(page.get_by_role("button", name="Show trace")).to_be_visible()
    assert await serious(page) == []
    await tab.ask("Fail")
    await tab.see("It failed.")
    await expect(panel).to_contain_text("The warehouse is closed")
    await page.get_by_role("button", name="Hide trace").click()
    await expect(panel).to_be_hidden()
    await page.get_by_role("button", name="Show trace").click()
    await expect(panel).to_be_visible()


async def test_conversations_that_are_worked_on_are_marked_in_the_list(house, tabs):
    served = await house(call("hold"), "Done.")
    tab = await tabs(served)
    page = tab.page
    await tab.ask("Go")
    await served.stage.arrived()
    other = await tabs(served, "/#/", beside=tab)
    row = other.page.get_by_role("link", name="Go running")
    await expect(row).to_be_visible()
    served.stage.open_all()
    await tab.see("Done.")
    await expect(row).to_be_hidden()
    await expect(page.locator("#sessions .is-running")).to_have_count(0)


async def test_the_palette_finds_what_was_said_and_goes_to_the_turn(house, tabs, serious):
    served = await house(*(f"Answer {n} is about topic{n}. " + "More of it. " * 40 for n in range(6)), "Elsewhere.")
    tab = await tabs(served, viewport={"width": 900, "height": 600})
    page = tab.page
    for n in range(6):
        await tab.ask(f"Question {n}")
        await tab.see(f"topic{n}")
        await expect(page.locator(".turn[aria-busy=true]")).to_have_count(0)
    await page.get_by_role("button", name="New chat").click()
    await tab.ask("Another thing")
    await tab.see("Elsewhere.")
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Go to").fill("topic2")
    option = page.get_by_role("option").filter(has_text="topic2")
    await expect(option.locator("mark")).to_have_text("topic2")
    assert await serious(page) == []
    await page.keyboard.press("Enter")
    turn = page.locator(".turn", has_text="Question 2")
    await expect(turn.locator("div.answer")).to_be_in_viewport()
    await expect(page.locator(".turn", has_text="Question 5")).not_to_be_in_viewport()
    assert await page.evaluate("CSS.highlights.get('sought').size") >= 1
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Go to").fill("nothing like zzzqqq")
    await expect(page.get_by_role("dialog")).to_contain_text("No matches")


HIDE = """() => {
  Object.defineProperty(document, 'hidden', { get: () => window.away ?? false, configurable: true });
  window.told = [];
  window.Notification = class { static permission = 'default';
    static requestPermission() { Notification.permission = 'granted'; return Promise.resolve('granted'); }
    constructor(title, { body }) { window.told.push(body); } };
}"""


async def test_who_looks_elsewhere_is_told_by_the_title_and_by_notifications_if_wanted(house, tabs, serious):
    served = await house(call("hold"), "One.", call("edit_file", path="a.py", text="x"), "Two.")
    tab = await tabs(served)
    page = tab.page
    await page.evaluate(HIDE)
    away = "on => { window.away = on; document.dispatchEvent(new Event('visibilitychange')); }"
    await tab.ask("Go")
    await served.stage.arrived()
    await page.evaluate(away, True)
    served.stage.open_all()
    await expect(page).to_have_title("● Go · Glassloop")
    assert await page.evaluate("window.told") == []
    await page.evaluate(away, False)
    await expect(page).to_have_title("Go · Glassloop")
    await page.evaluate("location.hash = '#/settings'")
    switch = page.get_by_role("switch", name="Notify me")
    await expect(switch).not_to_be_checked()
    assert await serious(page) == []
    await switch.check()
    await page.get_by_role("link", name="Back to chat").click()
    await page.evaluate(away, True)
    await tab.ask("Write")
    await page.wait_for_function("() => window.told.length > 0")
    assert await page.evaluate("window.told") == ["edit_file needs your decision"]
