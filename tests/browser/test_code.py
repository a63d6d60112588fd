"""The code assistant on the page: its folder and mode, changes in colour that are allowed and taken back, files to
look at, and commands as they write."""

import asyncio
import json
import os
import sys

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import think
from glassloop import tool
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.files.tools import make_tools
from glassloop.models.scripted_model import call
from glassloop.tools.tool import ToolContext
from model_server import model_server

pytestmark = IN_BROWSER

PROFILE = 'name = "code"\ntitle = "Code assistant"\nprompt = "Work on code."\n'
SOURCE = 'def total(items):\n    """Sum."""\n    return sum(items)\n\n\nTAX = 0.19\n'
EDIT = think(
    "Round it.",
    call("edit_file", path="src/totals.py", old="    return sum(items)", new="    return round(sum(items), 2)"),
)
LOOK = think("Look first.", call("read_file", path="src/totals.py"))
DONE = "Rounded in `src/totals.py:3`; `.env` stays."


async def opened(house, tabs, tmp_path, *script, more=(), **options):
    """A server whose code assistant plays the script in a folder with one file, and a tab with it chosen."""
    work = tmp_path / "projects" / "shop"
    (work / "src").mkdir(parents=True)
    (work / ".git").mkdir()
    (work / "src" / "totals.py").write_text(SOURCE)
    (work / ".env").write_text("TOKEN=abc\n")
    home = tmp_path / "home"
    (home / "assistants" / "code").mkdir(parents=True)
    (home / "assistants" / "code" / "assistant.toml").write_text(PROFILE)
    served = await house(*script, home=str(home))
    await served.close()
    served.settings = served.settings.having(CodeSettings(roots=str(tmp_path / "projects")))
    await served.open()
    served.stage.tools = [*make_tools(home, served.runtime.workspaces, served.settings), *more]
    # The list of indexes may not be served: then none is offered.
    tab = await tabs(served, quiet=False, **options)
    return served, tab, work


async def choose(page):
    menu = page.locator("#menu")
    await expect(page.get_by_role("textbox", name="Question")).to_be_visible()
    narrow = await menu.is_visible()
    if narrow:
        await menu.click()
    await page.locator("#assistants label", has=page.get_by_role("radio", name="Code")).click()
    if narrow:
        await page.keyboard.press("Escape")


async def begin(tab, question):
    page = tab.page
    await choose(page)
    await page.get_by_role("button", name="Choose a folder").click()
    dialog = page.get_by_role("dialog", name="Workspace")
    await dialog.get_by_role("button", name="projects").click()
    await dialog.get_by_role("button", name="shop").click()
    await expect(dialog.locator(".folder-path")).to_contain_text("projects/shop")
    await dialog.get_by_role("button", name="Work here").click()
    await tab.ask(question)


@pytest.mark.slow
async def test_an_edit_is_shown_approved_and_taken_back(house, tabs, tmp_path, serious):
    _, tab, work = await opened(house, tabs, tmp_path, LOOK, EDIT, DONE, reduced_motion="reduce")
    page, file = tab.page, work / "src" / "totals.py"
    await begin(tab, "Round the total")
    card = page.locator(".approval")
    await expect(card.locator(".diff-line.added")).to_contain_text("return round(sum(items), 2)")
    await expect(card.locator(".diff-line.added .hljs-keyword")).to_have_text("return")
    await expect(card.locator(".diff-line.added mark").first).to_contain_text("round")
    await expect(card.get_by_label("allow edit_file below src/ for this session")).to_be_visible()
    assert await serious(page) == []
    await card.get_by_role("button", name="Side by side").click()
    await expect(card.locator(".diff-pair .removed")).to_contain_text("return sum(items)")
    await card.get_by_role("button", name="Approve").click()
    await tab.see("Rounded in")
    assert "round(" in file.read_text()
    changes = page.get_by_role("region", name="Changed files")
    await changes.get_by_text("src/totals.py").click()
    await expect(changes.locator(".diff-line.added")).to_contain_text("round")
    assert await serious(page) == []
    await changes.get_by_role("button", name="Undo").click()
    dialog = page.get_by_role("dialog", name="Undo")
    await expect(dialog).to_contain_text("goes back to what it was")
    await dialog.get_by_role("button", name="Undo").click()
    await expect(changes).to_contain_text("undone")
    assert file.read_text() == SOURCE


@pytest.mark.slow
async def test_a_file_that_an_undo_leaves_in_conflict_is_not_struck_through(house, tabs, tmp_path):
    made = think("Make it.", call("write_file", path="src/new.py", content="NEW = 1\n"))
    _, tab, work = await opened(house, tabs, tmp_path, LOOK, EDIT, made, DONE, reduced_motion="reduce")
    page, file = tab.page, work / "src" / "totals.py"
    await begin(tab, "Round the total")
    for _ in range(2):
        await page.locator(".approval").get_by_role("button", name="Approve").click()
    await tab.see("Rounded in")
    file.write_text(SOURCE.replace("sum(items)", "fsum(items)"))
    changes = page.get_by_role("region", name="Changed files")
    await changes.get_by_role("button", name="Undo").click()
    dialog = page.get_by_role("dialog", name="Undo")
    await expect(dialog).to_contain_text("so it is left as it is")
    await dialog.get_by_role("button", name="Undo").click()
    await expect(changes).to_contain_text("partly undone")
    await expect(changes).to_contain_text("conflict; left as is")
    turn = changes.locator(".changed-turn.undone")
    struck = "each => getComputedStyle(each).textDecorationLine"
    names = {"src/totals.py": "none", "src/new.py": "line-through"}
    for name, line in names.items():
        assert await turn.locator(".file-name code", has_text=name).evaluate(struck) == line


@pytest.mark.slow
async def test_the_choices_of_a_long_diff_are_in_sight(house, tabs, tmp_path):
    gone = think("Delete it.", call("delete_file", path="src/long.py"))
    _, tab, work = await opened(house, tabs, tmp_path, gone, DONE, viewport={"width": 1280, "height": 900})
    (work / "src" / "long.py").write_text("".join(f"VALUE_{number} = {number}\n" for number in range(400)))
    await begin(tab, "Delete it")
    card = tab.page.locator(".approval")
    await expect(card.locator(".diff-line.removed").first).to_be_visible()
    await expect(card.get_by_role("button", name="Approve")).to_be_in_viewport(ratio=1)
    await expect(card.get_by_role("button", name="Refuse")).to_be_in_viewport(ratio=1)


@pytest.mark.slow
async def test_a_path_in_an_answer_opens_the_file_at_its_line_and_no_secret_is_shown(house, tabs, tmp_path, serious):
    served, tab, _ = await opened(house, tabs, tmp_path, DONE + " And `config/.env:1`, `../out.py:1`.")
    page = tab.page
    await begin(tab, "Where?")
    await page.get_by_role("button", name="src/totals.py:3").click()
    dialog = page.get_by_role("dialog", name="File src/totals.py")
    await expect(dialog.locator("[aria-current=location] .diff-text")).to_have_text("    return sum(items)")
    await expect(dialog.locator(".hljs-keyword").first).to_have_text("def")
    assert await serious(page) == []
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_role("button", name="out.py")).to_have_count(0)
    read = f"{served.url}/api/code-chat/workspaces/file?session_id={tab.session}&path="
    for path in (".env", "../../home/glassloop.db", "/etc/passwd", ".git/config"):
        answer = await page.request.get(read + path)
        assert answer.status in (400, 404), path
        assert str(tmp_path) not in await answer.text()


@pytest.mark.slow
async def test_edits_mode_changes_files_without_asking(house, tabs, tmp_path):
    _, tab, work = await opened(house, tabs, tmp_path, LOOK, EDIT, DONE, color_scheme="dark")
    page = tab.page
    await choose(page)
    await page.get_by_role("combobox", name="Mode", exact=True).select_option("edits")
    await expect(page.locator(".code-mode")).to_contain_text("without asking")
    await begin(tab, "Round the total")
    await tab.see("Rounded in")
    assert "round(" in (work / "src" / "totals.py").read_text()
    await page.reload()
    await expect(page.get_by_role("combobox", name="Mode", exact=True)).to_have_value("edits")
    await expect(page.get_by_role("group", name="Workspace")).to_contain_text("projects/shop")


async def test_a_command_shows_its_output_as_it_comes_and_its_limits_before(house, tabs, tmp_path):
    reached, gate = asyncio.Event(), asyncio.Event()

    def preview(command: str) -> dict:
        return {"command": command, "folder": ".", "timeout_s": 120, "network": False, "sandbox": "bubblewrap"}

    @tool(effect="external", confirm=True, preview=preview)
    async def run(command: str, context: ToolContext) -> str:
        """Runs a command."""
        context.progress("collected 2 items\n")
        context.progress("test_a PASSED\n")
        reached.set()
        await gate.wait()
        return "2 passed"

    script = (think("Test.", call("run", command="pytest -q")), "All pass.")
    _, tab, _ = await opened(house, tabs, tmp_path, *script, more=[run])
    page = tab.page
    await begin(tab, "Run the tests")
    card = page.locator(".approval")
    await expect(card.get_by_label("Command")).to_contain_text("pytest -q")
    await expect(card).to_contain_text("Sandbox: bubblewrap")
    await expect(card).to_contain_text("No network")
    await card.get_by_role("button", name="Approve").click()
    await asyncio.wait_for(reached.wait(), 120)
    await expect(page.get_by_label("Output so far")).to_have_text("collected 2 items\ntest_a PASSED\n")
    gate.set()
    await tab.see("All pass.")


@pytest.mark.slow
async def test_guidance_is_shown_and_the_folder_is_indexed_when_it_is_accepted(house, tabs, tmp_path, serious):
    served, tab, work = await opened(house, tabs, tmp_path, "Hello.", reduced_motion="reduce")
    (work / "AGENTS.md").write_text("Use <b>tabs</b>.\n")
    page = tab.page
    await begin(tab, "Hi")
    await tab.see("Hello.")
    notice = page.locator(".notice")
    await expect(notice).to_contain_text("The model is told the guidance of this folder")
    await notice.locator("summary").click()
    await expect(notice.locator("pre")).to_contain_text("Use <b>tabs</b>.")
    bar = page.get_by_role("group", name="Workspace")
    await bar.get_by_role("button", name="Index this folder").click()
    await expect(bar.get_by_text("indexed", exact=True)).to_be_visible()
    assert await serious(page) == []
    (index,) = await served.runtime.context.code_indexes.of("anonymous")
    assert (index[0].name, index[1]) == ("projects-shop", "projects/shop")
    await page.reload()
    await expect(bar.get_by_text("indexed", exact=True)).to_be_visible()


@pytest.mark.slow
async def test_a_session_of_the_page_goes_on_in_the_terminal_and_back(house, tabs, tmp_path):
    served, tab, work = await opened(house, tabs, tmp_path, LOOK, EDIT, DONE, "Still there.")
    page = tab.page
    await choose(page)
    await page.get_by_role("combobox", name="Mode", exact=True).select_option("edits")
    await begin(tab, "Round the total")
    await tab.see("Rounded in")
    with model_server({"And now": ["It rounds, as you saw."]}) as model:
        code, said = await in_terminal(tmp_path / "home", work, model.url, tab.session)
        told = json.dumps(model.requests[-1]["messages"])
    assert (code, "It rounds, as you saw." in said) == (0, True)
    assert ("Round the total" in told, "Rounded in" in told, "src/totals.py" in told) == (True, True, True)
    await page.reload()
    await tab.see("It rounds, as you saw.")
    await tab.ask("Here again?")
    await tab.see("Still there.")
    turns = await served.runtime.store.turns.of_session(tab.session)
    assert [turn.question for turn in turns] == ["Round the total", "And now?", "Here again?"]
    modes = [(await served.runtime.store.turns.first(turn.id)).settings.get("mode") for turn in turns]
    assert modes == ["edits"] * 3


async def in_terminal(home, work, model, session):
    """One question in `glassloop code`, in a process of its own on the same home folder: its exit code and output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GLASSLOOP_")}
    settings = {"GLASSLOOP_HOME": str(home), "OPENAI_API_KEY": "test", "OPENAI_BASE_URL": model}
    words = ("code", "--session", session, "-m", "openai:played", "-p", "And now?")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glassloop", *words),
        cwd=work,
        env={**kept, **settings},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(process.communicate(), 120)
    return process.returncode, said.decode()


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1280)])
async def test_the_code_page_fits_the_screen(house, tabs, tmp_path, serious, scheme, width):
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}, "reduced_motion": "reduce"}
    _, tab, _ = await opened(house, tabs, tmp_path, LOOK, EDIT, DONE, **options)
    page = tab.page
    await begin(tab, "Round the total")
    await expect(page.locator(".approval .hljs-keyword").first).to_be_visible()
    for step in ("approve", "changes"):
        for place in ("html", "#conversation"):
            assert await page.locator(place).evaluate("node => node.scrollWidth") <= width, (step, place)
        assert await serious(page) == []
        if step == "approve":
            await page.locator(".approval").get_by_role("button", name="Approve").click()
            changes = page.get_by_role("region", name="Changed files")
            await changes.get_by_text("src/totals.py").click()
            await expect(changes.locator(".diff-line.added")).to_be_visible()
