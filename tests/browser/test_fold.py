"""The reducer and the Markdown of the page, in the browser that runs them."""

import asyncio

import msgspec
import pytest_asyncio
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import HOLD, think
from glassloop import Approval
from glassloop.core import events as e
from glassloop.models.scripted import call

pytestmark = IN_BROWSER

FOLD = """async (events) => {
  const { apply, newTurn } = await import("/page/fold.js");
  const turn = newTurn("t");
  for (const event of events) apply(turn, event);
  // How often a row was changed is no part of what it says.
  return JSON.stringify(turn, (name, value) => (name === "version" ? 0 : value instanceof Map ? [...value] : value));
}"""
RENDER = """async (source) => (await import("/page/markdown.js")).markdown(source).innerHTML"""
MARK = """async ([source, figures]) => {
  const { markdown } = await import("/page/markdown.js");
  const { marking } = await import("/page/evidence.js");
  const { newTurn } = await import("/page/fold.js");
  const turn = { ...newTurn("t"), evidence: { figures } };
  turn.calls.set("c1", { number: 2 });
  const node = markdown(source, marking(turn, source, {}));
  return [...node.querySelectorAll(".figure")].map((one) => one.firstChild.textContent);
}"""
CASES = {
    "plain *soft* **hard** `code`": "<p>plain <em>soft</em> <strong>hard</strong> <code>code</code></p>",
    "snake_case_name and 2 * 3 * 4": "<p>snake_case_name and 2 * 3 * 4</p>",
    "**half and *half": "<p>**half and *half</p>",
    "_a_ \\*b\\* `_c_`": "<p><em>a</em> *b* <code>_c_</code></p>",
    "- a\n- b\n  - c\n\nd": "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><p>d</p>",
    "3. a\n4. b": '<ol start="3"><li>a</li><li>b</li></ol>',
    "# T\ntext": "<h3>T</h3><p>text</p>",
    "```py\n<b>*x*\n```": '<pre tabindex="0"><code>&lt;b&gt;*x*</code></pre>',
    "```\nnever closed": '<pre tabindex="0"><code>never closed</code></pre>',
    "> a\n> b": "<blockquote><p>a\nb</p></blockquote>",
    "a\n\n---\n\nb": "<p>a</p><hr><p>b</p>",
    "a | b\nno table": "<p>a | b\nno table</p>",
    "[x](javascript:alert(1))": "<p>[x](javascript:alert(1))</p>",
    "[x](ftp:nowhere)": "<p><span>x</span> (ftp:nowhere)</p>",
    "&lt; <i>": "<p>&amp;lt; &lt;i&gt;</p>",
    "": "",
}
ODD = ("*" * 5000, "[" * 5000, "`" * 4999, "> " * 3000, "- " * 3000, "|" * 3000 + "\n|-|\n", "_a" * 4000, "![" * 3000)


@pytest_asyncio.fixture(loop_scope="session")
async def page(house, tabs):
    tab = await tabs(await house())
    await expect(tab.page.locator(".empty")).to_be_visible()
    return tab.page


async def recorded(served):
    """Everything that happens in a turn that asks, as a client is sent it."""
    submitted = await served.runtime.submit("Go 🙂")
    events = [event async for event in served.runtime.watch(submitted.turn_id)]
    (request,) = [event for event in events if isinstance(event, e.ApprovalRequested)]
    approval = Approval(call_id=request.call.id, digest=request.digest, approved=True, by="anonymous")
    await served.runtime.approve(submitted.turn_id, [approval])
    async with asyncio.timeout(20):
        async for event in served.runtime.watch(submitted.turn_id, after=events[-1].seq):
            events.append(event)
            if isinstance(event, e.TextDelta):
                served.stage.word.set()
    return [msgspec.json.decode(e.encode(event)) for event in events]


async def test_a_turn_is_the_same_however_its_stream_was_cut(house, tabs):
    served = await house(
        think("Look 🙂.", call("say", text="a"), call("fail")),
        think("Write.", call("edit_file", path="a", text="b")),
        f"Text with 🙂{HOLD} and 42.",
    )
    page = (await tabs(served)).page
    events = await recorded(served)
    assert sum(one["type"] == "text_delta" for one in events) >= 2
    whole = await page.evaluate(FOLD, events)
    for cut in range(len(events) + 1):
        # What comes again, and the block that was open, change nothing.
        again = [*events[:cut], *events[max(0, cut - 5) :]]
        assert await page.evaluate(FOLD, again) == whole, cut


async def test_the_kinds_the_page_listens_for_are_the_events_there_are(page):
    kinds = await page.evaluate("async () => (await import('/page/fold.js')).KINDS")
    assert set(kinds) == {str(kind.__struct_config__.tag) for kind in e.AnyEvent.__args__}


async def test_markdown_becomes_the_elements_it_means_and_the_rest_stays_text_however_odd(page):
    assert {source: await page.evaluate(RENDER, source) for source in CASES} == CASES
    for source in ODD:
        assert isinstance(await page.evaluate(RENDER, source), str)
    source = "🙂 It is **1,270** m, `BRG-6204` and **4**2.\n\n| a | b |\n| - | - |\n| x | 77 |"
    figures = [
        {"start": source.index(text), "end": source.index(text) + len(text), "source": "c1", "found": text}
        for text in ("1,270", "BRG-6204", "4**2", "77")
    ]
    # Figures keep their place through markup, and after characters that count as two.
    assert await page.evaluate(MARK, [source, figures]) == ["1,270", "BRG-6204", "4", "2", "77"]
