"""Memory in Settings: what assistants remember, edited and deleted."""

from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.runtime.tools.notes import Notes
from glassloop.runtime.tools.notes_file import NotesFile

pytestmark = IN_BROWSER


async def test_notes_are_seen_edited_and_deleted(house, tabs, serious, tmp_path):
    served = await house()
    notes = Notes(NotesFile(tmp_path), lambda: 1_700_000_000.0, str)
    notes.remember("anonymous", "", "The user likes tea.", "")
    tab = await tabs(served, "/#/settings", viewport={"width": 360, "height": 740})
    section = tab.page.get_by_role("region", name="Memory")
    await expect(section).to_contain_text("The user likes tea.")
    assert await serious(tab.page) == []
    await section.get_by_role("button", name="Edit").click()
    await section.get_by_label("Text of the note").fill("The user likes coffee.")
    await section.get_by_role("button", name="Save").click()
    await expect(section).to_contain_text("The user likes coffee.")
    await section.get_by_role("button", name="Delete").click()
    await expect(section).to_contain_text("Nothing yet.")
    assert notes.every("anonymous", 9) == []
