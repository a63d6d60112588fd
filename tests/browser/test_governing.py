"""Who may do what, in a browser: rules on the Access page of admin, and signing in by an OpenID provider."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from ports import free_port
from server.listening import listening
from server.openid_provider import Provider

pytestmark = [IN_BROWSER, pytest.mark.slow]
TOKEN = "a-token-for-the-operator"
CALLBACK = "/api/sign-in/openid/callback"


async def test_an_operator_sets_a_rule_and_removes_it(house, tabs, serious):
    served = await house(admin_token=TOKEN)
    tab = await tabs(served, "/admin#/access")
    page = tab.page
    await page.get_by_label("Admin token").fill(TOKEN)
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("No rules.")).to_be_visible()
    await page.get_by_label("For whom").fill("user:ann")
    await page.get_by_label("Models").fill("small, other")
    await page.get_by_label("$ per day").fill("1.5")
    await page.get_by_role("button", name="Set rule").click()
    rule = page.get_by_role("region", name="Rules").locator("tbody tr")
    await expect(rule).to_contain_text(["user:annsmall, other––1.5"])
    assert await serious(page) == []
    found = (await served.runtime.store.access.rules())["user:ann"]
    assert (list(found.models), found.dollars_per_day) == (["small", "other"], 1.5)
    await page.get_by_role("button", name="Remove the rule for user:ann").click()
    await expect(page.get_by_text("No rules.")).to_be_visible()


async def test_an_operator_adds_a_user_makes_a_key_revokes_it_and_removes_the_user(house, tabs, serious):
    served = await house(admin_token=TOKEN, auth="keys")
    tab = await tabs(served, "/admin#/users", quiet=False, viewport={"width": 360, "height": 740})
    page = tab.page
    await page.get_by_label("Admin token").fill(TOKEN)
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("No users yet.")).to_be_visible()
    await page.get_by_label("Name", exact=True).fill("ann")
    await page.get_by_role("button", name="Add user").click()
    await expect(page.get_by_role("region", name="Users").locator("tbody tr")).to_contain_text(["ann"])
    await page.get_by_label("Name", exact=True).fill("ann")
    await page.get_by_role("button", name="Add user").click()
    await expect(page.get_by_role("alert")).to_contain_text("already exists")
    await page.get_by_label("For", exact=True).fill("laptop")
    await page.get_by_label("Expires").select_option("After 30 days")
    await page.get_by_role("button", name="Create key").click()
    dialog = page.get_by_role("dialog", name="New key for ann")
    key = await dialog.locator("code").inner_text()
    assert await serious(page) == []
    asked = {"authorization": f"Bearer {key}"}
    assert (await page.request.get(f"{served.url}/api/sessions", headers=asked)).status == 200
    await dialog.get_by_role("button", name="Close").click()
    row = page.get_by_role("region", name="API keys").locator("tbody tr")
    await expect(row).to_contain_text(["laptop"])
    assert key not in await page.content()
    assert await serious(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await row.get_by_role("button", name="Revoke key").click()
    await expect(row).to_contain_text(["Revoked"])
    assert await served.runtime.store.keys.find(key) is None
    await page.get_by_role("button", name="Remove ann").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove user").click()
    await expect(page.get_by_text("No users yet.")).to_be_visible()
    done = {entry.action for entry in await served.runtime.store.audit.list() if entry.by_user != "command line"}
    assert done >= {"user_added", "key_made", "key_revoked", "user_removed"}


async def test_a_rule_for_nobody_in_particular_is_refused_with_the_remedy(house, tabs):
    tab = await tabs(await house(admin_token=TOKEN), "/admin#/access", quiet=False)
    page = tab.page
    await page.get_by_label("Admin token").fill(TOKEN)
    await page.keyboard.press("Enter")
    await page.get_by_label("For whom").fill("ann")
    await page.get_by_role("button", name="Set rule").click()
    await expect(page.get_by_role("alert")).to_contain_text("user:")


async def test_a_person_signs_in_with_their_organisation(house, tabs, serious):
    provider, port = Provider(), free_port()
    provider.redirect_uri = f"http://127.0.0.1:{port}{CALLBACK}"
    async with listening(provider.app) as url:
        provider.url = url
        oidc = {"oidc_issuer": url, "oidc_client_id": "glassloop", "oidc_client_secret": provider.client[1]}
        redirect = provider.redirect_uri
        served = await house(auth="keys", admin_token=TOKEN, port=port, oidc_redirect_uri=redirect, **oidc)
        tab = await tabs(served)
        button = tab.page.get_by_role("link", name="Sign in with your organisation")
        await expect(button).to_be_visible()
        assert await serious(tab.page) == []
        await button.focus()
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.get_by_role("textbox", name="Question")).to_be_visible()
        assert [each.name for each in await served.runtime.store.users.list()] == ["ada"]
        assert all(each.startswith(f"{url}/authorize?") for each in tab.abroad)
        tab.requests.clear()
