"""Every place of the page has an address that opens when it is typed, and nothing else does."""

import httpx
import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER

pytestmark = IN_BROWSER


@pytest.mark.slow
async def test_addresses_open_when_they_are_typed_and_when_they_are_loaded_again(house, tabs):
    served = await house("Here.")
    asked = await served.runtime.ask("Where?")
    (turn,) = await served.runtime.store.turns.ids(asked.session_id)
    tab = await tabs(served, f"/s/{asked.session_id}")
    page = tab.page
    await tab.see("Here.")
    assert page.url == f"{served.url}/#/s/{asked.session_id}"
    await page.reload()
    await tab.see("Here.")
    await page.goto(f"{served.url}/settings")
    await expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
    await page.goto(f"{served.url}/t/{turn}")
    await expect(page.get_by_role("slider")).to_be_visible()


async def test_only_addresses_of_the_page_lead_to_it(house):
    served = await house(auth="keys")
    async with httpx.AsyncClient(base_url=served.url, follow_redirects=False) as client:
        for path, place in (
            ("/settings", "./#/settings"),
            ("/s/a1", "../#/s/a1"),
            ("/t/a1", "../#/t/a1"),
            ("/t/a1/b2", "../../#/t/a1/b2"),
        ):
            answer = await client.get(path)
            assert (answer.status_code, answer.headers["location"]) == (307, place)
            assert "default-src 'self'" in answer.headers["content-security-policy"]
        for path in ("/s/", "/s/a/b", "/s/a%0d%0ab", "/s/%2e%2e%2fadmin", "/t/a/b/c", "/t/a%20b"):
            assert (await client.get(path)).status_code == 404, path
        for path in ("/nosuch", "/settings/", "/settings/more", "/s"):
            assert (await client.get(path)).status_code in (401, 404), path
        assert (await client.post("/settings")).status_code in (401, 403, 405)


@pytest.mark.slow
async def test_an_address_that_leads_nowhere_says_so_and_leads_back(house, tabs):
    served = await house()
    tab = await tabs(served, "/#/nosuch")
    page = tab.page
    for path in ("/#/s/%zz", "/admin/nosuch", "/nosuch"):
        await expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
        await page.get_by_role("link", name="Back to chat").click()
        await expect(page.locator(".empty")).to_be_visible()
        # The browser itself complains of an answer that is 404.
        tab.quiet = False
        await page.goto(served.url + path)
    await expect(page.locator("main")).to_contain_text("/nosuch")
    assert await page.locator("main").evaluate("node => getComputedStyle(node).borderRadius") == "14px"


async def test_browsers_are_told_what_went_wrong_on_a_page_and_programs_in_json(house):
    served = await house(auth="keys")
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    async with httpx.AsyncClient(base_url=served.url) as client:
        shown = await client.get("/x<script>", headers=browser)
        assert (shown.status_code, shown.headers["vary"]) == (401, "accept")
        assert "Sign in first" in shown.text
        assert "<script" not in (await client.get("/s/<script>", headers=browser)).text
        for headers in ({}, {"accept": "application/json"}):
            assert (await client.get("/s/a/b", headers=headers)).json()["details"]["code"] == "not_found"
        assert (await client.post("/api/turns", headers=browser)).json()["details"]["code"] == "not_signed_in"
