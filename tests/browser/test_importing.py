"""Conversations of other chats, imported in Settings and gone on with."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from foreign_chats import as_json, as_zip, chatgpt_chat, open_webui_chat

pytestmark = IN_BROWSER


async def test_exports_of_chatgpt_and_open_webui_become_conversations_with_their_versions(house, tabs, serious):
    served = await house("It is 384,400 km there as well.")
    tab = await tabs(served, "/#/settings", viewport={"width": 360, "height": 740})
    page = tab.page
    section = page.get_by_role("region", name="Import conversations")
    files = [
        {
            "name": "chatgpt.zip",
            "mimeType": "application/zip",
            "buffer": as_zip(conversations__json=as_json(chatgpt_chat())),
        },
        {"name": "chats.json", "mimeType": "application/json", "buffer": as_json(open_webui_chat())},
        {"name": "other.json", "mimeType": "application/json", "buffer": b"no export"},
    ]
    await page.locator("#chat-files").set_input_files(files)
    await expect(section).to_contain_text("1 conversation with 4 questions")
    await expect(section).to_contain_text("1 conversation with 2 questions")
    await expect(section.locator(".problem")).to_contain_text("give the conversations.json")
    assert await serious(page) == []
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.get_by_role("link", name="Back to chat").click()
    await expect(page.locator("#sessions section.group").first).to_contain_text("Colours")
    await page.get_by_role("link", name="The moon").click()
    await expect(page.locator(".question")).to_have_text(["How far is the moon?", "In miles?"])
    await expect(page.locator(".versions").first).to_have_text("‹2/2›")
    await page.locator(".turn").nth(1).get_by_role("button", name="Previous version").click()
    await tab.see("Mils are small.")
    await page.locator(".turn").nth(1).get_by_role("button", name="Next version").click()
    await tab.ask("And back?")
    await tab.see("It is 384,400 km there as well.")
