"""Reading a conversation: long questions folded, answers in sight as they begin, and followed while they are written."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD

pytestmark = IN_BROWSER

WIDE = {"viewport": {"width": 1440, "height": 900}}
SMALL = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
PASTED = "Why is this slow?\n\n" + "\n".join(f"    total_{n} = compute({n})  # step {n}" for n in range(240))
PARAGRAPHS = "\n\n".join(f"Paragraph {n} of many." for n in range(80))
LEFT = "node => Math.round(node.scrollHeight - node.clientHeight - node.scrollTop)"


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["wide", "small"])
async def test_a_long_question_is_folded_and_its_answer_in_sight(house, tabs, size):
    served = await house("Because of the loop.", PARAGRAPHS)
    tab = await tabs(served, **size)
    page, question = tab.page, tab.page.locator(".question").first
    await tab.ask(PASTED)
    await expect(page.locator("div.answer")).to_contain_text("Because of the loop.")
    await expect(page.locator("div.answer")).to_be_in_viewport(ratio=1)
    assert (await question.bounding_box())["height"] < 400
    # Pasted code stands in a fixed width, with its indentation.
    await expect(question.locator("pre")).to_contain_text("    total_2 = compute(2)  # step 2")
    await expect(question).not_to_contain_text("total_239")
    await question.get_by_role("button", name="Show more").click()
    await expect(question).to_contain_text("total_239")
    await expect(question.locator("pre")).to_be_in_viewport()
    await question.get_by_role("button", name="Show less").click()
    await expect(question).not_to_contain_text("total_239")


async def test_questions_are_shown_as_markdown_and_never_as_html(house, tabs):
    tab = await tabs(await house("Yes."), **WIDE)
    await tab.ask("Is `x < 1` **sure**?\n<img src=x onerror=alert(1)>\n```py\nx = 1\n```")
    question = tab.page.locator(".question")
    await expect(question.locator("p > code")).to_have_text("x < 1")
    await expect(question.locator("strong")).to_have_text("sure")
    await expect(question.locator(".code pre")).to_have_text("x = 1")
    await expect(question).to_contain_text("<img src=x onerror=alert(1)>")
    await expect(question.locator("img")).to_have_count(0)


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["wide", "small"])
async def test_whoever_is_at_the_end_stays_there_while_it_is_written(house, tabs, size, serious):
    served = await house(f"{PARAGRAPHS}\n\n{HOLD}{PARAGRAPHS}\n\nThe end.")
    tab = await tabs(served, **size)
    page, place = tab.page, tab.page.locator("#conversation")
    jump = page.get_by_role("button", name="Jump to latest")
    await tab.ask("Tell me much")
    await expect(page.locator("div.answer.draft")).to_contain_text("Paragraph 79")
    # It is read from its beginning, and says that there is more.
    await expect(page.locator(".question")).to_be_in_viewport()
    await expect(jump).to_be_in_viewport(ratio=1)
    assert await serious(page) == []
    await jump.click()
    await expect(jump).to_have_count(0)
    await expect(place).to_be_focused()
    served.stage.word.set()
    await expect(page.locator("div.answer:not(.draft)")).to_contain_text("The end.")
    await expect(page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    assert await place.evaluate(LEFT) <= 1


async def test_whoever_scrolls_away_is_left_there_and_offered_the_way_back(house, tabs):
    served = await house(f"{PARAGRAPHS}\n\n{HOLD}{PARAGRAPHS}\n\nThe end.")
    tab = await tabs(served, **WIDE)
    page, place = tab.page, tab.page.locator("#conversation")
    jump = page.get_by_role("button", name="Jump to latest")
    await tab.ask("Tell me much")
    await jump.click()
    await expect(jump).to_have_count(0)
    await page.mouse.move(500, 400)
    await page.mouse.wheel(0, -300)
    await expect(jump).to_be_visible()
    await page.wait_for_function("() => document.querySelector('#conversation').scrollTop % 1 === 0")
    before = await place.evaluate("node => node.scrollTop")
    served.stage.word.set()
    await expect(page.locator("div.answer:not(.draft)")).to_contain_text("The end.")
    assert abs(await place.evaluate("node => node.scrollTop") - before) <= 1
    await jump.click()
    await expect(page.get_by_text("The end.")).to_be_in_viewport()
