"""A company's own files with other names and columns, taken in by a mapping: the example of the docs among them."""

import csv
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from glassloop.core.errors import UsageError
from glassloop.extensions.business.database.csv_folder import check_folder
from glassloop.extensions.business.database.loader import load_folder
from glassloop.extensions.business.tools import make_tools
from glassloop.runtime.importers import ImportRefused
from glassloop.tools.registry import ToolRegistry

DOCS = Path(__file__).resolve().parents[3] / "docs" / "business.md"
REAL = os.environ.get("GLASSLOOP_NORTHWIND", "")
"""A folder with the CSV files of Northwind; they are not ours to bring along."""

FILES = {
    "suppliers": "SupplierID,CompanyName,Phone,Country\n1,Exotic Liquids,(171) 555-2222,UK\n",
    "categories": "CategoryID,CategoryName\n1,Beverages\n2,Condiments\n",
    "products": """ProductID,ProductName,SupplierID,CategoryID,QuantityPerUnit,UnitPrice,UnitsInStock,ReorderLevel
1,Chai,1,1,10 boxes,18,39,10
2,Chang,1,1,24 bottles,19,17,25
3,Syrup,1,2,12 bottles,10,13,25
""",
    "customers": "CustomerID,CompanyName,Region,Country,Fax\nALFKI,Alfreds,,Germany,1\nBONAP,Bon app',,France,2\n",
    "orders": """OrderID,CustomerID,OrderDate,RequiredDate,ShippedDate,Freight
10,ALFKI,1997-08-25 00:00:00.000,1997-09-22,1997-09-02,29.46
11,BONAP,1998-03-04,1998-04-01,,4.5
""",
    "order_details": """OrderID,ProductID,UnitPrice,Quantity,Discount
10,1,18,10,0.25
10,2,19,3,0
11,3,9.999,7,0.05
""",
    "employees": "EmployeeID,LastName,FirstName,Title,HireDate,City\n1,Davolio,Nancy,Sales Rep,1992-05-01,Seattle\n",
}


def quiet(_stage: str, _done: float) -> None:
    pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    made.mkdir()
    for name, text in FILES.items():
        (made / f"{name}.csv").write_text(text, "utf-8")
    (made / "mapping.toml").write_text(example(), "utf-8")
    return made


def example() -> str:
    found = re.search(r"```toml\n# mapping\.toml\n(.+?)```", DOCS.read_text("utf-8"), flags=re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_has_ten_lines_at_most() -> None:
    assert len(example().strip().splitlines()) <= 10


async def ask(home: Path, tool: str, **args: Any) -> dict[str, Any]:
    result = await ToolRegistry(make_tools(home)).execute(tool, args)
    assert result.success, result.error
    return result.data


async def test_files_with_other_names_are_loaded_and_asked(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    counts = load_folder(folder, home, None, replace=False, tell=quiet)
    assert counts == {
        "company": 1, "vendors": 1, "warehouses": 1, "items": 3, "stock": 3, "invoices": 2, "sales_lines": 3,
        "customers": 2, "employees": 1,
    }  # fmt: skip
    low = await ask(home, "get_inventory_levels", below_reorder_point=True)
    assert (low["totals"]["below_reorder_point"], low["totals"]["value"]) == (2, 17 * 19 + 13 * 10)
    sold = await ask(home, "get_product_sales", period="all", group_by="category")
    assert {row["category"]: row["revenue"] for row in sold["rows"]} == {"Beverages": 192.0, "Condiments": 66.49}
    customers = await ask(home, "get_customers", period="last_year")
    assert (customers["totals"]["revenue"], customers["rows"][0]["customer"]) == (192.0, "Alfreds")
    assert (await ask(home, "get_employees"))["rows"][0]["employee"] == "Nancy Davolio"


async def test_what_was_not_imported_is_not_known_rather_than_none(folder: Path, tmp_path: Path) -> None:
    kept = [line for line in example().splitlines() if not line.startswith(("sales_lines", "invoices"))]
    (folder / "mapping.toml").write_text("\n".join(kept), "utf-8")
    load_folder(folder, tmp_path / "home", None, replace=False, tell=quiet)
    for tool in ("get_purchase_orders", "get_alerts", "get_financial_summary", "get_leads", "get_product_sales"):
        found = await ask(tmp_path / "home", tool)
        assert "totals" not in found
        assert "is empty or was never imported" in found["notes"][0]
    customers = await ask(tmp_path / "home", "get_customers")
    assert customers["totals"]["customers"] == 2
    assert "revenue" not in customers["totals"]
    assert "revenue" not in customers["rows"][0]
    assert "biz_invoices is empty or was never imported: left out revenue, invoices, overdue." in customers["notes"]


def test_a_preview_says_what_becomes_of_every_column_and_loads_nothing(folder: Path) -> None:
    lines = check_folder(folder).preview()
    items = next(line for line in lines if line.startswith("items: 3 rows of products.csv."))
    assert "category = 'Beverages'" in items
    assert "price_cents = 18.00" in items
    assert "Not used: SupplierID, UnitsInStock." in items
    assert any("nothing is known of them: purchase_orders" in line for line in lines)


WRONG = {
    'vendorz = { name = "x" }': "there is no table 'vendorz': did you mean 'vendors'?",
    'vendors = { from = "gone" }': "vendors comes from gone.csv, which is not there",
    'vendors = { nam = "x" }': "vendors has no column 'nam'",
    'vendors = { from = "suppliers", name = "CompanyNam" }': "names the column 'CompanyNam', which is not there: did",
    'items = { from = "products", category = "CategoryID -> gone.name" }': "looks into gone.csv, which is not there",
    "vendors = 3": "vendors must be a table of columns",
    "vendors = {": "cannot be read",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_mapping_that_cannot_be_used_is_told(folder: Path, text: str) -> None:
    (folder / "mapping.toml").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=re.escape(WRONG[text])):
        check_folder(folder)


def test_figures_and_states_are_never_made_up(folder: Path) -> None:
    (folder / "mapping.toml").write_text('vendors = { from = "suppliers", vendor_id = "SupplierID" }', "utf-8")
    with pytest.raises(ImportRefused) as refused:
        check_folder(folder)
    told = {fault.problem for fault in refused.value.faults if fault.file == "suppliers.csv"}
    assert {"the column 'status' is missing", "the column 'payment_days' is missing"} <= told


def test_a_part_that_is_no_number_is_told_with_its_line(folder: Path) -> None:
    (folder / "order_details.csv").write_text(FILES["order_details"].replace("9.999", "ten"), "utf-8")
    (folder / "mapping.toml").write_text(example().replace("invoices =", "#"), "utf-8")
    with pytest.raises(ImportRefused, match=r"order_details\.csv:4: amount_cents cannot be worked out"):
        check_folder(folder)


@pytest.mark.skipif(not REAL, reason="GLASSLOOP_NORTHWIND names no folder with the files")
async def test_northwind_comes_in_with_the_example(tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text(example(), "utf-8")
    load_folder(Path(REAL), tmp_path, None, replace=False, tell=quiet, mapping=tmp_path / "mapping.toml")
    with closing(sqlite3.connect(tmp_path / "business.db")) as data:
        (year,) = data.execute("SELECT sum(amount_cents) FROM biz_invoices WHERE issued_on LIKE '1997%'").fetchone()
    assert year == pytest.approx(61_708_520, abs=50), "as every course on Northwind says"
    assert (await ask(tmp_path, "get_inventory_levels", below_reorder_point=True))["totals"]["positions"] == 18
    with (Path(REAL) / "order_details.csv").open(encoding="utf-8-sig", newline="") as file:
        assert (await ask(tmp_path, "get_product_sales", period="all"))["totals"]["lines"] == len(
            list(csv.reader(file))
        ) - 1
