"""What others wrote stays text; the page loads nothing from elsewhere; strangers sign in first."""

from pathlib import Path

import httpx
import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

PAGE = Path(__file__).parents[2] / "src" / "glassloop" / "server" / "page"
ATTACK = (
    "<img src=x onerror=\"window.hurt='img'\"><script>window.hurt='script'</script>"
    "<svg/onload=\"window.hurt='svg'\"></svg> [click](javascript:window.hurt='link') "
    "![pixel](https://evil.invalid/p.png) <a href=https://evil.invalid>x</a> `</code><b>bold</b>`"
)


async def test_nothing_a_person_a_model_or_a_tool_wrote_becomes_markup(house, tabs):
    script = (
        think(ATTACK, call("say", text=ATTACK)),
        think("Ask.", call("edit_file", path=ATTACK, text=ATTACK)),
        f"# {ATTACK}\n\n- {ATTACK}\n\n| {ATTACK} | b |\n| --- | --- |\n| c | {ATTACK} |\n\n> {ATTACK}",
    )
    served = await house(*script)
    tab = await tabs(served)
    page = tab.page
    await tab.ask(ATTACK)
    await expect(page.locator(".approval")).to_contain_text("<script>window.hurt='script'</script>")
    await page.get_by_role("button", name="Refuse…").click()
    await page.get_by_label("Why not?").fill(ATTACK)
    await page.get_by_role("button", name="Refuse", exact=True).click()
    await expect(page.locator(".answer:not(.draft) table")).to_be_visible()
    await page.reload()
    await expect(page.locator(".answer table")).to_be_visible()
    assert await page.evaluate("window.hurt") is None
    assert await page.locator("#app img, #app script, #conversation b, #sidebar b, #trace-panel b").count() == 0
    links = page.locator("#conversation a, #trace-panel a")
    found = {tuple(one) for one in await links.evaluate_all("all => all.map(one => [one.href, one.rel])")}
    assert ("https://evil.invalid/p.png", "noopener noreferrer nofollow") in found
    assert all(href.startswith("https:") and rel == "noopener noreferrer nofollow" for href, rel in found)
    for place in (".question", "#sessions a .name", ".step.think .said", ".step.act .result", ".answer h3"):
        await expect(page.locator(place).first).to_contain_text("<img src=x")


async def test_the_page_keeps_its_own_rules(house):
    served = await house()
    async with httpx.AsyncClient(base_url=served.url) as client:
        assets = [f"/assets/{path.name}" for path in (PAGE / "assets").iterdir()]
        frame = {f"/assets/{name}" for name in ("diagram.html", "diagram.css", "diagram.js", "mermaid.js")}
        assert frame < {*assets}
        for name in ("/", "/admin", "/favicon.ico", *assets):
            answer = await client.get(name)
            assert answer.status_code == 200, name
            is_named_by_content = name in assets and name not in frame
            assert answer.headers["cache-control"].endswith("immutable" if is_named_by_content else "no-cache")
            policy = "sandbox allow-scripts" if name in frame else "default-src 'self'"
            assert policy in answer.headers["content-security-policy"]
            assert answer.headers["x-content-type-options"] == "nosniff"
            again = await client.get(name, headers={"if-none-match": answer.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
        assert (await client.head("/")).status_code == 200
        for name in ("/assets/nothing.js", "/assets/..%2findex.html", "/assets/%2e%2e/.built", "/assets/.built"):
            assert (await client.get(name)).status_code == 404, name
        assert (await client.post(assets[0])).status_code in (401, 403, 405)
        plain = await client.get(assets[0], headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == (await client.get(assets[0])).content


async def test_a_stranger_signs_in_with_a_key_once_and_out_again(house, tabs):
    served = await house("Hello Ann.", call("hold"), "Never.", auth="keys")
    await served.runtime.store.users.add("ann")
    key, _ = await served.runtime.store.keys.create("ann")
    tab = await tabs(served, quiet=False)
    page = tab.page
    field = page.get_by_label("API key")
    await expect(field).to_be_focused()
    assert tab.complaints == []
    await field.fill("glk_wrong")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").first).to_contain_text("unknown, expired or revoked")
    await field.fill(key)
    await page.keyboard.press("Enter")
    await expect(page.locator(".empty")).to_be_visible()
    await tab.ask("Who am I?")
    await tab.see("Hello Ann.")
    await expect(page.locator("#about")).to_contain_text("ann")
    (cookie,) = await page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert key not in await page.evaluate("JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])")
    await page.reload()
    await tab.see("Hello Ann.")
    await tab.ask("Wait")
    await served.stage.arrived()
    await page.keyboard.press("Escape")
    await expect(page.locator(".ending")).to_contain_text("Stopped.")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_label("API key")).to_be_visible()
    assert (await page.request.get(f"{served.url}/api/me")).status == 401


@pytest.mark.slow
async def test_a_sign_in_that_ends_in_between_is_asked_for_again(house, tabs):
    served = await house("Hello.", auth="keys")
    await served.runtime.store.users.add("ann")
    key, _ = await served.runtime.store.keys.create("ann")
    tab = await tabs(served, quiet=False)
    await tab.page.get_by_label("API key").fill(key)
    await tab.page.keyboard.press("Enter")
    await expect(tab.page.locator(".empty")).to_be_visible()
    await tab.page.context.clear_cookies()
    await tab.ask("Still here?")
    await expect(tab.page.get_by_label("API key")).to_be_visible()
    await tab.page.get_by_label("API key").fill(key)
    await tab.page.keyboard.press("Enter")
    await expect(tab.page.get_by_role("textbox", name="Question")).to_be_focused()
    await expect(tab.page.get_by_role("textbox", name="Question")).to_have_value("Still here?")
    await tab.page.keyboard.press("Enter")
    await tab.see("Hello.")


@pytest.mark.slow
async def test_a_server_that_is_away_from_the_start_is_told_with_a_way_to_try_again(house, tabs):
    served = await house()
    tab = await tabs(served, quiet=False)
    await tab.page.route("**/api/**", lambda route: route.abort())
    await tab.page.reload()
    await expect(tab.page.get_by_role("alert").first).to_contain_text("cannot be reached")
    await tab.page.unroute("**/api/**")
    await tab.page.get_by_role("button", name="Try again").click()
    await expect(tab.page.locator(".empty")).to_be_visible()
