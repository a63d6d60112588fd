"""Fifty answers that want out: none of them makes the page ask anybody else for anything, or run anything."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER

pytestmark = IN_BROWSER

PLACE = "https://evil.invalid"
IMAGES = (
    f"![a]({PLACE}/1.png)",
    f'![a](<{PLACE}/2.png> "t")',
    f"![a][r]\n\n[r]: {PLACE}/3.png",
    f"![r]\n\n[r]: {PLACE}/4.png 'x'",
    f"[![a]({PLACE}/5.png)]({PLACE})",
    "![a](//evil.invalid/6.png)",
    "![a](\\\\evil.invalid/7.png)",
    "![a](/\\evil.invalid/8.png)",
    "![a](http:evil.invalid/9.png)",
    "![a](HTTPS://EVIL.invalid/10.png)",
    "![a](data:image/svg+xml,<svg onload=alert(1)>)",
    "![a](blob:https://evil.invalid/1)",
    "![a](&#104;ttps://evil.invalid/11.png)",
    "![a](ht\ntps://evil.invalid/12.png)",
    f"![a]({PLACE}/13.png)" * 20,
    f"| ![a]({PLACE}/14.png) |\n| --- |\n| ![b]({PLACE}/15.png) |",
    f"> ![a]({PLACE}/16.png)",
    f"- ![a]({PLACE}/17.png)\n  - ![b]({PLACE}/18.png)",
    f"# ![a]({PLACE}/19.png)",
    f"text[^1]\n\n[^1]: ![a]({PLACE}/20.png)",
)
HTML = (
    f"<img src={PLACE}/a.png>",
    '<img src=x onerror="window.hurt=1">',
    f"<svg><image href='{PLACE}/b.png'/></svg>",
    f"<svg onload='window.hurt=1'><use href='{PLACE}/c.svg#x'/></svg>",
    f"<iframe src='{PLACE}'></iframe>",
    f"<object data='{PLACE}/d'></object><embed src='{PLACE}/e'>",
    f"<link rel=stylesheet href='{PLACE}/f.css'>",
    f"<style>@import '{PLACE}/g.css'; body {{ background: url({PLACE}/h.png) }}</style>",
    f"<div style='background:url({PLACE}/i.png)'>x</div>",
    "<script>window.hurt=1</script>",
    f"<script src='{PLACE}/j.js'></script>",
    f"<video src='{PLACE}/k.mp4' poster='{PLACE}/l.png' autoplay></video>",
    f"<audio src='{PLACE}/m.mp3' autoplay></audio>",
    f"<body background='{PLACE}/n.png'>",
    f"<base href='{PLACE}/'>",
    f"<meta http-equiv=refresh content='0;url={PLACE}'>",
    f"<form action='{PLACE}'><button autofocus onfocus='window.hurt=1'>x</button></form>",
    f"<input type=image src='{PLACE}/o.png'>",
    f"<picture><source srcset='{PLACE}/p.png'><img></picture>",
    f"<table background='{PLACE}/q.png'><tr><td>x</td></tr></table>",
    "<details open ontoggle='window.hurt=1'>x</details>",
)
LINKS = (
    "[a](javascript:window.hurt=1)",
    "[a](JaVaScRiPt:window.hurt=1)",
    "[a](java\tscript:window.hurt=1)",
    "[a](&#106;avascript:window.hurt=1)",
    "[a](data:text/html,<script>window.hurt=1</script>)",
    "[a](vbscript:window.hurt=1)",
    "<javascript:window.hurt=1>",
    f"```html\n<img src={PLACE}/r.png>\n```",
    f"$$\\includegraphics{{{PLACE}/s.png}} \\href{{javascript:window.hurt=1}}{{x}}$$",
)
ANSWERS = (*IMAGES, *HTML, *LINKS)


EACH = 10
"""Answers in one conversation: of more, the model is asked for a summary."""


async def test_no_answer_reaches_out_or_runs_anything(house, tabs):
    assert len(ANSWERS) == 50
    served = await house(*(f"{answer}\n\nEnd of {place}." for place, answer in enumerate(ANSWERS)))
    sessions = []
    for place in range(len(ANSWERS)):
        again = sessions[-1] if place % EACH else None
        asked = await served.runtime.ask(f"Question {place}", session_id=again)
        if not again:
            sessions.append(asked.session_id)
    # A picture that this server does not have is told in the console.
    tab = await tabs(served, quiet=False)
    for number, session in enumerate(sessions):
        await tab.page.goto(f"{served.url}/#/s/{session}")
        for place in range(number * EACH, (number + 1) * EACH):
            await expect(tab.page.locator("div.answer", has_text=f"End of {place}.")).to_have_count(1)
        await nothing_foreign(tab.page, served.url)
    assert tab.abroad == []


async def nothing_foreign(page, url):
    place = page.locator("#conversation")
    assert await page.evaluate("window.hurt") is None
    assert set(await place.locator("a").evaluate_all("all => all.map(one => one.protocol)")) <= {"https:", "http:"}
    assert await place.locator("iframe, object, embed, script, style, form, video, audio").count() == 0
    assert set(await place.locator("img").evaluate_all("all => all.map(one => new URL(one.src).origin)")) <= {url}
