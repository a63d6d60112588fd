"""Reading a conversation: long questions folded, answers in sight as they begin, followed while they are written."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD, find
from glassloop import ScriptedModel, tool
from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import Retrying
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER
READ = """() => {
  const read = document.elementFromPoint(500, 400);
  return [read.textContent, read.getBoundingClientRect().top];
}"""
RESTS = """() => new Promise((done) => {
  const at = () => document.querySelector("#conversation").scrollTop;
  const before = at();
  setTimeout(() => done(at() === before), 300);
})"""

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
    # In the middle of what it is about, which it does not make narrower.
    around, button = await place.bounding_box(), await jump.bounding_box()
    assert abs(around["x"] + around["width"] / 2 - button["x"] - button["width"] / 2) < 12
    assert around["width"] == (await page.locator("#main").bounding_box())["width"]
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
    page = tab.page
    jump = page.get_by_role("button", name="Jump to latest")
    await tab.ask("Tell me much")
    await jump.click()
    await expect(jump).to_have_count(0)
    await page.mouse.move(500, 400)
    await page.mouse.wheel(0, -300)
    await expect(jump).to_be_visible()
    await page.wait_for_function(RESTS)
    text, top = await page.evaluate(READ)
    served.stage.word.set()
    await expect(page.locator("div.answer:not(.draft)")).to_contain_text("The end.")
    now, there = await page.evaluate(READ)
    assert now == text
    assert abs(there - top) <= 1
    await jump.click()
    await expect(page.get_by_text("The end.")).to_be_in_viewport()


MATHS = r"""Energy is \(E = mc^2\), and

\[
\int_0^\infty e^{-x^2}\,dx
= \frac{\sqrt{\pi}}{2}
\]

where $a^2+b^2=c^2$. It costs $5 to $10, `\(not\)` here.

H<sub>2</sub>O and x<sup>2</sup>.

<details>
<summary>Proof</summary>

It is **clear**.

</details>

<img src=x onerror=alert(1)>"""


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["wide", "small"])
async def test_formulas_and_the_few_tags_that_are_allowed_are_drawn(house, tabs, size):
    tab = await tabs(await house(MATHS), **size)
    await tab.ask("Tell me")
    answer = tab.page.locator("div.answer:not(.draft)")
    await expect(answer.locator(".katex")).to_have_count(3)
    await expect(answer.locator(".katex-display")).to_have_count(1)
    await expect(answer).to_contain_text("It costs $5 to $10, \\(not\\) here.")
    await expect(answer.locator("sub")).to_have_text("2")
    await expect(answer.locator("sup")).to_have_text("2")
    await expect(answer.locator("details strong")).to_be_hidden()
    await answer.locator("summary").click()
    await expect(answer.locator("details strong")).to_be_visible()
    await expect(answer).to_contain_text("<img src=x onerror=alert(1)>")
    assert await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_diagram_is_drawn_in_a_frame_that_can_do_nothing_else(house, tabs):
    served = await house(
        "See:\n\n```mermaid\ngraph TD\n  A[Order] --> B[Shipped]\n```\n\n```mermaid\ngraph nonsense ((\n```"
    )
    tab = await tabs(served, **WIDE)
    page = tab.page
    await tab.ask("Draw it")
    frame = page.locator("iframe")
    await expect(frame).to_have_count(1)
    await expect(frame).to_have_attribute("sandbox", "allow-scripts")
    await expect(frame).to_have_attribute("data-drawn", "true")
    drawn = page.frame_locator("iframe")
    await expect(drawn.locator("svg")).to_contain_text("Shipped")
    inside = next(one for one in page.frames if one.url.endswith("/diagram.html"))
    assert await inside.evaluate("origin") == "null"
    reach = "fetch('/api/me').then(() => 'reached', () => 'refused')"
    assert await inside.evaluate(reach) == "refused"
    tab.complaints.clear()
    await expect(page.get_by_text("This diagram could not be drawn")).to_be_visible()
    await page.get_by_role("button", name="Show source").click()
    await expect(page.locator(".diagram pre")).to_contain_text("graph TD")


@pytest.mark.slow
async def test_a_diagram_follows_a_change_of_theme(house, tabs):
    served = await house("See:\n\n```mermaid\ngraph TD\n  A[Order] --> B[Shipped]\n```")
    tab = await tabs(served, color_scheme="light", **WIDE)
    page = tab.page
    await tab.ask("Draw it")
    inside = page.frame_locator("iframe")
    await expect(inside.locator("svg")).to_contain_text("Shipped")
    await expect(inside.locator("html")).to_have_css("color-scheme", "light")
    fill = "node => getComputedStyle(node).fill"
    light = await inside.locator(".node rect").first.evaluate(fill)
    await page.emulate_media(color_scheme="dark")
    await expect(inside.locator("html")).to_have_css("color-scheme", "dark")
    await expect(inside.locator("svg")).to_contain_text("Shipped")
    assert await inside.locator(".node rect").first.evaluate(fill) != light
    await page.evaluate("localStorage.setItem('glassloop', JSON.stringify({ theme: 'light' }))")
    await page.reload()
    await expect(inside.locator("html")).to_have_css("color-scheme", "light")


async def test_the_page_itself_is_not_loosened_for_diagrams(house, tabs):
    tab = await tabs(await house(), **WIDE)
    got = await tab.page.request.get(f"{tab.url}/")
    assert "unsafe-inline" not in got.headers["content-security-policy"]
    framed = await tab.page.request.get(f"{tab.url}/assets/diagram.html")
    assert "sandbox allow-scripts" in framed.headers["content-security-policy"]
    assert "default-src 'none'" in framed.headers["content-security-policy"]
    assert not [url for url in tab.requests if "mermaid" in url]


CODE = "```py\n" + "\n".join(f"def step_{n}(x):\n    return x + {n}" for n in range(30)) + HOLD + "\n```\n\nDone."


async def test_code_has_its_colours_while_it_is_written(house, tabs):
    served = await house(CODE)
    tab = await tabs(served, **WIDE)
    await tab.ask("Write code")
    draft = tab.page.locator("div.answer.draft")
    await expect(draft.locator(".hljs-keyword").first).to_be_visible()
    await expect(draft.locator(".hljs-keyword")).to_have_count(60)


async def test_a_very_long_answer_is_never_shown_as_raw_markdown(house, tabs):
    text = "\n\n".join(f"## Part {n}\n\nSome **bold** words, again and again, of part {n}." for n in range(600))
    served = await house(f"{text}{HOLD}\n\nDone.")
    tab = await tabs(served, **WIDE)
    await tab.ask("Tell me very much")
    draft = tab.page.locator("div.answer.draft")
    await expect(draft.locator("strong")).to_have_count(600)
    assert "**" not in await draft.inner_text()
    # What is closed is left as it is: the very elements stay.
    await draft.locator("strong").first.evaluate("node => { node.dataset.same = '1' }")
    served.stage.word.set()
    await expect(tab.page.locator("div.answer:not(.draft)")).to_contain_text("Done.")
    await expect(tab.page.locator("div.answer strong").first).to_have_attribute("data-same", "1")


class Broken(ScriptedModel):
    """Fails as a provider does that is down."""

    async def stream(self, request):
        for attempt in range(1, 4):
            yield Retrying(attempt=attempt + 1, wait_s=0.0, reason=f"HTTP 500, try {attempt}.", model="scripted")
        raise ModelUnavailable("HTTP 500, try 4.")


async def test_a_turn_that_failed_shows_its_attempts(house, tabs):
    served = await house()
    served.stage.model = Broken([])
    tab = await tabs(served, **WIDE)
    await tab.ask("Are you there?")
    steps = tab.page.locator("#trace-panel .step.trouble")
    await expect(steps).to_have_count(4)
    await expect(steps.first).to_contain_text("Attempt 1 failed")
    await expect(steps.last).to_contain_text("HTTP 500, try 4.")
    await expect(tab.page.locator("#trace-panel")).not_to_contain_text("Answered directly")


async def test_an_answer_without_tools_has_no_marks_and_no_count(house, tabs):
    served = await house("There are 59 reasons, 12 rules and 1,270 others.")
    tab = await tabs(served, **WIDE)
    await tab.ask("Why?")
    await expect(tab.page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    await expect(tab.page.locator(".figure")).to_have_count(0)
    await expect(tab.page.locator(".meta")).not_to_contain_text("sourced")


async def test_a_later_answer_without_tools_marks_what_is_known_and_alarms_about_nothing(house, tabs):
    served = await house(find("The total is 1,270 m."), "It is 1,270 m.", "It was 1,270 m, of some 4,711 reasons.")
    tab = await tabs(served, **WIDE)
    await tab.ask("How long?")
    await expect(tab.page.locator(".meta")).to_contain_text("1 figure sourced")
    await tab.ask("Why so?")
    last = tab.page.locator(".turn").last
    await expect(last.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    await expect(last.locator(".figure")).to_have_count(1)
    await expect(last.locator(".unsourced")).to_have_count(0)
    await expect(last.locator(".meta")).to_contain_text("1 figure sourced")


async def test_a_figure_that_no_tool_told_is_marked_clearly_where_tools_were_used(house, tabs):
    served = await house(find("The total is 1,270 m."), "It is 1,270 m, with 4,711 parts.")
    tab = await tabs(served, **WIDE)
    await tab.ask("How long?")
    await expect(tab.page.locator(".meta")).to_contain_text("1 of 2 figures sourced")
    await expect(tab.page.locator(".unsourced")).to_have_text("4,711")


DOT = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)


async def test_a_picture_that_a_tool_returned_is_shown_with_the_answer(house, tabs):
    @tool(effect="read", volatile=True)
    async def paint() -> dict:
        """Paints a dot."""
        return {"title": "A dot", "image": DOT}

    served = await house(call("paint"), "Here it is.")
    served.stage.tools.append(paint)
    tab = await tabs(served, **WIDE)
    await tab.ask("Paint")
    shown = tab.page.locator(".answer-charts img.tool-image")
    await expect(shown).to_have_count(1)
    assert await shown.evaluate("node => node.decode().then(() => node.naturalWidth)") == 1
