"""Answers and tables to take away: Markdown, Word, Excel and CSV, as programs read them."""

import io
import zipfile
from xml.etree import ElementTree

from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from browser.stage import STOCK
from glassloop.models.scripted_model import call
from glassloop.retrieval.documents.formats import docx_blocks

pytestmark = IN_BROWSER

ANSWER = """# Stock

There are **820** kg of `PA66`.

- first
  1. inner

| item | note |
|---|---|
| bolt | =1+1 |
| nut | 12 |

```py
x = 1 < 2
y = 2
```
"""
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


async def taken(page, label):
    await page.get_by_role("button", name="Download", exact=True).click()
    async with page.expect_download() as download:
        await page.get_by_role("menuitem", name=label).click()
    file = await download.value
    return file.suggested_filename, (await file.path()).read_bytes()


def cells(packed, part):
    root = ElementTree.fromstring(packed.read(part))
    return [["".join(cell.itertext()) for cell in row] for row in root.iter(f"{SHEET}row")]


async def test_an_answer_and_its_tables_are_taken_away_as_files(house, tabs, serious):
    served = await house(call("get_inventory_levels", warehouse_id="W1"), ANSWER)
    tab = await tabs(served)
    page = tab.page
    await tab.ask("How much stock?")
    await tab.see("820")
    name, text = await taken(page, "Answer as Markdown")
    assert (name, text.decode().strip()) == ("How-much-stock.md", ANSWER.strip())

    name, word = await taken(page, "Answer as Word")
    assert name == "How-much-stock.docx"
    told = "\n".join(block.text for block in docx_blocks(word))
    for words in ("Stock", "There are 820 kg of PA66.", "• first", "1. inner", "=1+1", "x = 1 < 2"):
        assert words in told
    assert "Copy" not in told

    name, excel = await taken(page, "Tables as Excel")
    assert name == "How-much-stock.xlsx"
    packed = zipfile.ZipFile(io.BytesIO(excel))
    assert packed.testzip() is None
    assert cells(packed, "xl/worksheets/sheet1.xml") == [["item", "note"], ["bolt", "=1+1"], ["nut", "12"]]
    stock = cells(packed, "xl/worksheets/sheet2.xml")
    assert stock[1] == [str(value) for value in STOCK[0].values()]
    assert len(stock) == len(STOCK) + 1
    assert b"<f>" not in packed.read("xl/worksheets/sheet1.xml")

    name, comma = await taken(page, "Tables as CSV")
    assert name == "How-much-stock.zip"
    files = zipfile.ZipFile(io.BytesIO(comma))
    assert files.read("Answer 1.csv").decode("utf-8-sig").splitlines() == ["item,note", "bolt,'=1+1", "nut,12"]
    await page.get_by_role("button", name="Download", exact=True).click()
    await expect(page.get_by_role("menu")).to_be_visible()
    assert await serious(page) == []
