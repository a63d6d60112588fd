"""Takes the pictures of the page that the docs show, light and dark: `python scripts/screenshots.py [FOLDER]`.

A real server and a real Chromium; what the model says is a script, and what was asked before is made up.
"""

import asyncio
import random
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from playwright.async_api import Browser, Page, async_playwright  # noqa: E402

from browser.conftest import FLAGS, NAMES, House  # noqa: E402
from browser.stage import Stage, think  # noqa: E402
from glassloop import Agent, ScriptedModel, ToolError  # noqa: E402
from glassloop.models.scripted_model import call  # noqa: E402
from glassloop.runtime.build import open_runtime  # noqa: E402
from glassloop.runtime.settings import Settings  # noqa: E402
from server.eval_runs import write_run  # noqa: E402

TOKEN = "pictures-of-the-page"  # noqa: S105
QUESTION = "What is the inventory level for WH-001, and are we at risk on anything?"
ANSWER = """WH-001 holds **140** ball bearings 6204 and 820 kg of PA66 GF30; both are below their reorder points \
of 400 and 1,500. About 9 days are left.

| SKU | Item | On hand | Reorder at |
| --- | --- | --- | --- |
| `BRG-6204` | Ball bearing 6204 | 140 | 400 |
| `INS-PA66` | PA66 GF30 granulate, kg | 820 | 1,500 |

Everything else is above its reorder point. The same figures as code:

```python
low = [row for row in stock if row["on_hand"] < row["reorder_at"]]
```
"""
DIFF = "    net = sum((line.net for line in lines), Decimal(0))\n    return (net * (1 + rate)).quantize(CENT)"
ASKED = (
    ("user-17", "Flash on part 8841 after T1: what did we try?"),
    ("user-04", "Which purchase orders are late?"),
    ("user-22", "Totals are off by a cent on some orders"),
    ("user-09", "Compare our Atlanta stores"),
    ("user-31", "Why did we wipe on Magtheridon?"),
)


class Unhurried(ScriptedModel):
    """Takes the time a model takes, so that the rail has something to show."""

    async def stream(self, request):
        await asyncio.sleep(random.uniform(0.1, 0.5))
        async for chunk in super().stream(request):
            yield chunk


def _before(seconds: float) -> float:
    return time.time() - seconds


async def make_history(settings: Settings) -> None:
    """A fortnight of questions."""
    tools = Stage(()).tools
    for day in range(14, 0, -1):
        then = partial(_before, day * 86_400.0)
        script = []
        for place in range(len(ASKED)):
            script += [think("Look.", call("get_inventory_levels", warehouse_id="WH-001")), ANSWER]
            if (day + place) % 4 == 0:
                script[-2] = think("Look.", call("fail"))
        model = ScriptedModel(script)
        runtime = await open_runtime(
            settings,
            make=lambda wanted, model=model, then=then: Agent(model, tools, name=wanted.assistant, clock=then),
            clock=then,
            recovers_turns=False,
        )
        for place, (user, question) in enumerate(ASKED[: 2 + day % 4]):
            asked = await runtime.ask(question, user=user)
            if (day + place) % 3:
                await runtime.store.sessions.add_rating(asked.session_id, "bad" if (day + place) % 5 == 0 else "good")
        await runtime.aclose(0.1)


async def shoot(page: Page, folder: Path, name: str, scheme: str) -> None:
    await page.wait_for_timeout(400)
    await page.screenshot(path=folder / f"{name}-{scheme}.png")


async def pictures(browser: Browser, url: str, folder: Path, scheme: str, turn: str, sessions: list[str]) -> None:
    context = await browser.new_context(color_scheme=scheme, viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    await page.goto(url)
    await page.locator(".empty").wait_for()
    await shoot(page, folder, "start", scheme)
    for name, session in zip(("chat", "approve"), sessions, strict=True):
        await page.goto(f"{url}/#/s/{session}")
        await page.locator(".approval" if name == "approve" else ".actions").first.wait_for()
        await shoot(page, folder, name, scheme)
    await page.goto(f"{url}/#/s/{sessions[0]}")
    await page.get_by_role("tab", name="Terminal").click()
    await shoot(page, folder, "terminal", scheme)
    await page.goto(f"{url}/#/t/{turn}")
    await page.locator(".step.answer").wait_for()
    await page.get_by_role("slider").press("Home")
    for _ in range(4):
        await page.get_by_role("button", name="Forward one step").click()
    await shoot(page, folder, "replay", scheme)
    await page.goto(f"{url}/#/settings")
    await page.locator(".cards li").first.wait_for()
    await shoot(page, folder, "settings", scheme)
    await page.goto(f"{url}/admin")
    await page.get_by_label("Admin token").fill(TOKEN)
    await page.keyboard.press("Enter")
    await page.locator(".list tbody tr").nth(2).locator("a").click()
    await page.locator(".review .step").first.wait_for()
    await shoot(page, folder, "admin", scheme)
    await page.get_by_role("link", name="Overview").click()
    await page.locator(".chart").first.wait_for()
    await shoot(page, folder, "overview", scheme)
    await page.get_by_role("link", name="Tools").click()
    await page.locator(".list tbody tr").first.wait_for()
    await shoot(page, folder, "tools", scheme)
    await page.goto(f"{url}/admin#/evals/after/before")
    await page.locator(".misses li").first.wait_for()
    await shoot(page, folder, "evals", scheme)
    await page.get_by_role("link", name="Audit").click()
    await page.get_by_role("region", name="Who did what").locator("tbody tr").first.wait_for()
    await shoot(page, folder, "audit", scheme)
    await context.close()
    small = await browser.new_context(color_scheme=scheme, viewport={"width": 360, "height": 740})
    page = await small.new_page()
    await page.goto(f"{url}/#/s/{sessions[0]}")
    await page.locator(".actions").first.wait_for()
    await shoot(page, folder, "small", scheme)
    await small.close()


def script() -> list[object]:
    """What the model says of the stock, and of the totals."""
    stock = call("get_inventory_levels", warehouse_id="WH-001", include_reorder=True)
    return [
        think("I need the stock of WH-001 with reorder points to judge risk.", stock),
        think("Two items are under their reorder point. Is anything on order?", call("say", text="0 open orders")),
        ANSWER,
        think("The tax is rounded per line and again on the sum.", call("say", text="totals.py has 12 lines")),
        think("I would round once, at the end.", call("edit_file", path="src/orders/totals.py", text=DIFF)),
    ]


async def main(folder: Path) -> int:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise ToolError("There is no Chromium here: install one to take pictures.")
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=home, request_rate=0, session_rate=0, admin_token=TOKEN)
        await make_history(settings)
        for name, right, model in (("before", 2, "embedded"), ("after", 3, "openai:gpt-6.1-terra")):
            write_run(Path(home), name, right, model=model)
        stage = Stage(())
        stage.model = Unhurried(script())
        house = House(settings, stage)
        await house.open()
        first = await house.runtime.ask(QUESTION)
        (turn,) = await house.runtime.store.turns.ids(first.session_id)
        for user, action, what in (("ada", "approved", "edit_file"), ("bo", "rated", first.session_id)):
            await house.runtime.store.audit.record(action, what, by=user, session_id=first.session_id)
        second = await house.runtime.submit("Totals are off by a cent on some orders. Find it and fix it.")
        async for _ in house.runtime.watch(second.turn_id):
            pass
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
            for scheme in ("light", "dark"):
                sessions = [first.session_id, second.session_id]
                await pictures(browser, house.url, folder, scheme, turn, sessions)
            await browser.close()
        await house.close()
    print(f"the pictures are in {folder}, each light and dark")
    return 0


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    where.mkdir(parents=True, exist_ok=True)
    sys.exit(asyncio.run(main(where)))
