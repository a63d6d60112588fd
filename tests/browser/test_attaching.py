"""Images and files in a question: chosen, pasted, removed by the keyboard, shown, and given again."""

import base64

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.core.messages import Abilities, ToolMessage, UserMessage
from glassloop.models.scripted_model import call
from pictures import png

pytestmark = IN_BROWSER

PHOTO = {"name": "photo.png", "mimeType": "image/png", "buffer": png(320, 200)}
NOTES = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"colour: red"}
PASTE = """([data, type, name]) => {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], name, { type }));
  const field = document.getElementById("question");
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: given, bubbles: true, cancelable: true }));
}"""


async def test_an_image_is_attached_pasted_removed_by_keyboard_and_shown_with_the_question(house, tabs):
    served = await house("It is red.", "Still red.")
    tab = await tabs(served, viewport={"width": 360, "height": 740})
    page = tab.page
    await page.locator("#attach").set_input_files([PHOTO, NOTES])
    chips = page.get_by_role("list", name="Attached").get_by_role("listitem")
    await expect(chips).to_contain_text(["photo.png", "notes.txt"])
    await page.evaluate(PASTE, [base64.b64encode(png(9, 9)).decode(), "image/png", "pasted.png"])
    await expect(chips).to_have_count(3)
    await expect(chips.locator("img")).to_have_count(2)
    await page.get_by_role("button", name="Remove pasted.png").focus()
    await page.keyboard.press("Delete")
    await expect(chips).to_have_count(2)
    await expect(page.get_by_role("button", name="Remove notes.txt")).to_be_focused()
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await tab.ask("Which colour?")
    await tab.see("It is red.")
    await expect(chips).to_have_count(0)
    given = page.get_by_role("list", name="Provided with the question")
    await expect(given.get_by_role("img", name="photo.png")).to_be_visible()
    assert await given.locator("img").evaluate("one => one.decode().then(() => one.naturalWidth)") == 320
    await expect(given).to_contain_text("notes.txt")
    await page.get_by_role("button", name="Regenerate").click()
    await tab.see("Still red.")
    [_, again] = served.stage.model.requests
    given = [m.attachments[0].name for m in again.messages if isinstance(m, UserMessage) and m.attachments]
    assert given == ["photo.png"]


@pytest.mark.slow
async def test_a_model_that_does_not_see_says_so_and_what_was_attached_stays(house, tabs):
    served = await house("A guess.")
    served.stage.model._abilities = Abilities(json_schema=True)
    tab = await tabs(served, quiet=False)
    warning = tab.page.get_by_text("does not see images. Choose another model, or remove the image.")
    await tab.page.locator("#attach").set_input_files([NOTES])
    await expect(tab.page.get_by_role("list", name="Attached")).to_contain_text("notes.txt")
    await expect(warning).to_have_count(0)
    await tab.page.locator("#attach").set_input_files([PHOTO])
    await expect(warning).to_be_visible()
    await tab.ask("Which colour?")
    await expect(tab.page.get_by_role("alert")).to_contain_text("does not see images, and 'photo.png' is one")
    await expect(tab.page.get_by_role("list", name="Attached")).to_contain_text("photo.png")
    await expect(tab.page.get_by_role("textbox", name="Question")).to_have_value("Which colour?")


@pytest.mark.slow
async def test_a_long_document_is_attached_and_read_on_in_and_one_that_is_too_large_says_where_it_belongs(house, tabs):
    lines = b"".join(b"Line %d of the handbook says nothing that matters here.\n" % number for number in range(40_000))
    served = await house(
        call("read_attachment", file="handbook.txt", find="notice period"), "The notice period is eleven weeks."
    )
    tab = await tabs(served)
    long = {"name": "handbook.txt", "mimeType": "text/plain", "buffer": lines + b"The notice period is eleven weeks.\n"}
    await tab.page.locator("#attach").set_input_files([long])
    await expect(tab.page.get_by_role("list", name="Attached")).to_contain_text("2.3 MB")
    await tab.ask("What is the notice period?")
    await tab.see("The notice period is eleven weeks.")
    [_, after] = served.stage.model.requests
    assert "40001: The notice period is eleven weeks." in "\n".join(
        m.content for m in after.messages if isinstance(m, ToolMessage)
    )
    huge = {"name": "huge.txt", "mimeType": "text/plain", "buffer": b"x" * 20_000_001}
    await tab.page.locator("#attach").set_input_files([huge])
    await expect(tab.page.get_by_role("alert")).to_contain_text("Put it into a collection under Knowledge")
