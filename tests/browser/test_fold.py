"""The reducer and the Markdown of the page, in the browser that runs them."""

import msgspec
import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.core import events as e
from glassloop.models.scripted import call

pytestmark = IN_BROWSER

FOLDED = """async ([events, cuts]) => {
  const { apply, newTurn } = await import("/page/fold.js");
  const fold = (list) => {
    const turn = newTurn("t");
    for (const event of list) apply(turn, event);
    return JSON.stringify(turn, (_, value) => (value instanceof Map ? [...value] : value));
  };
  const whole = fold(events);
  // Cut after each event: what comes again, and the block that was open, change nothing.
  return cuts.every((cut) => fold([...events.slice(0, cut), ...events.slice(Math.max(0, cut - 5))]) === whole);
}"""
RENDERED = """async (source) => {
  const { markdown } = await import("/page/markdown.js");
  return markdown(source).innerHTML;
}"""
MARKED = """async ([source, figures]) => {
  const { markdown } = await import("/page/markdown.js");
  const { marking } = await import("/page/evidence.js");
  const { newTurn } = await import("/page/fold.js");
  const turn = { ...newTurn("t"), evidence: { figures } };
  turn.calls.set("c1", { number: 2 });
  const node = markdown(source, marking(turn, source, {}));
  return [...node.querySelectorAll(".figure")].map((one) => one.firstChild.textContent);
}"""


@pytest.fixture
async def page(house, tabs):
    tab = await tabs(await house())
    await expect(tab.page.locator(".empty")).to_be_visible()
    return tab.page


async def test_a_turn_is_the_same_however_its_stream_was_cut(house, tabs):
    served = await house(
        think("Look 🙂.", call("say", text="a"), call("fail")),
        think("Write.", call("edit_file", path="a", text="b")),
        "Text with 🙂 and 42.",
    )
    tab = await tabs(served)
    submitted = await served.runtime.submit("Go 🙂")
    events = [event async for event in served.runtime.watch(submitted.turn_id)]
    (request,) = [event for event in events if isinstance(event, e.ApprovalRequested)]
    from glassloop import Approval

    approval = Approval(call_id=request.call.id, digest=request.digest, approved=True, by="anonymous")
    await served.runtime.approve(submitted.turn_id, [approval])
    events += [event async for event in served.runtime.watch(submitted.turn_id, after=events[-1].seq)]
    plain = [msgspec.json.decode(e.encode(event)) for event in events]
    assert any(one["type"] == "text_delta" for one in plain)
    assert await tab.page.evaluate(FOLDED, [plain, list(range(len(plain) + 1))])


async def test_kinds_of_the_page_are_the_events_there_are(page):
    kinds = await page.evaluate("async () => (await import('/page/fold.js')).KINDS")
    assert set(kinds) == {str(kind.__struct_config__.tag) for kind in e.AnyEvent.__args__}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain *soft* **hard** `code`", "<p>plain <em>soft</em> <strong>hard</strong> <code>code</code></p>"),
        ("snake_case_name and 2 * 3 * 4", "<p>snake_case_name and 2 * 3 * 4</p>"),
        ("**half and *half", "<p>**half and *half</p>"),
        ("_a_ \\*b\\* `_c_`", "<p><em>a</em> *b* <code>_c_</code></p>"),
        ("- a\n- b\n  - c\n\nd", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><p>d</p>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("# T\ntext", "<h3>T</h3><p>text</p>"),
        ("```py\n<b>*x*\n```", '<pre tabindex="0"><code>&lt;b&gt;*x*</code></pre>'),
        ("```\nnever closed", '<pre tabindex="0"><code>never closed</code></pre>'),
        ("> a\n> b", "<blockquote><p>a\nb</p></blockquote>"),
        ("a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"),
        ("a | b\nno table", "<p>a | b\nno table</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](ftp:nowhere)", "<p><span>x</span> (ftp:nowhere)</p>"),
        ("&lt; &amp;", "<p>&amp;lt; &amp;amp;</p>"),
        ("", ""),
    ],
)
async def test_markdown_becomes_the_elements_it_means_and_the_rest_stays_text(page, source, expected):
    assert await page.evaluate(RENDERED, source) == expected


async def test_no_text_is_too_odd_or_too_long_to_be_shown(page):
    for source in ("*" * 5000, "[" * 5000, "`" * 4999, "> " * 3000, "- " * 3000, "|" * 3000 + "\n|-|\n", "_a" * 4000):
        assert isinstance(await page.evaluate(RENDERED, source), str)


async def test_figures_are_marked_at_their_place_through_markup_and_beyond_the_basic_plane(page):
    source = "🙂 It is **1,270** m, `BRG-6204` and **4**2.\n\n| a | b |\n| - | - |\n| x | 77 |"
    places = ["1,270", "BRG-6204", "4**2", "77"]
    figures = [
        {"text": text, "kind": "number", "start": source.index(text), "end": source.index(text) + len(text),
         "source": "c1", "found": text}
        for text in places
    ]  # fmt: skip
    assert await page.evaluate(MARKED, [source, figures]) == ["1,270", "BRG-6204", "4", "2", "77"]
