"""Own data from CSV files: all of it or nothing, with what is wrong told line by line."""

import csv
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from glassloop.core.errors import ToolError, UsageError
from glassloop.extensions.business.company.generator import VERSION
from glassloop.extensions.business.database.csv_folder import ImportRefused, check_folder
from glassloop.extensions.business.database.loader import load_folder
from glassloop.extensions.business.database.tables import BY_NAME
from glassloop.extensions.business.database.writer import write_sqlite
from glassloop.extensions.business.tools import make_tools
from glassloop.tools.registry import ToolRegistry

DAYS = "2025-02-01"
"""Up to where the ledger is loaded: all of it would take longer than it tells."""


def quiet(_stage: str, _done: float) -> None:
    pass


def write(folder: Path, name: str, header: list[str], *rows: list[Any]) -> None:
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder that can be loaded."""
    folder = tmp_path / "data"
    write(folder, "company", ["name", "currency", "as_of"], ["Ours", "EUR", "2026-11-15"])
    write(folder, "vendors", list(BY_NAME["vendors"].names), ["V1", "Älvsjö 塑料", "Resins", "Sweden", "active", "30"])
    write(folder, "warehouses", ["warehouse_id", "name", "city", "kind"], ["W1", "Main", "Malmö", "plant"])
    write(folder, "items", list(BY_NAME["items"].names), ["I1", "ABS", "material", "Resins", "kg", "0", "100"])
    orders = [name.removesuffix("_cents") for name in BY_NAME["purchase_orders"].names]
    write(
        folder, "purchase_orders", orders,
        ["P1", "V1", "W1", "Resins", "received", "2026-11-02", "2026-11-05", "2026-11-04", "Ada", "1234.50", "1234.50"],
        ["P2", "V1", "W1", "Resins", "open", "2026-11-03", "2026-11-06", "", "Ada", "0.1", "0"],
    )  # fmt: skip
    return folder


async def test_a_folder_is_loaded_and_asked(small: Path, tmp_path: Path) -> None:
    assert load_folder(small, tmp_path / "home", None, replace=False, tell=quiet) == {
        "company": 1, "vendors": 1, "warehouses": 1, "items": 1, "purchase_orders": 2,
    }  # fmt: skip
    tools = ToolRegistry(make_tools(tmp_path / "home", clock=time.time))
    found = await tools.execute("get_purchase_orders", {"vendor": "塑料"})
    assert found.data["totals"] == {"orders": 2, "ordered": 1234.6, "received": 1234.5, "not_complete": 1, "late": 1}
    assert found.data["currency"] == "EUR"


def test_what_can_be_added_up_is_the_same_as_the_company_has_it(raw_rows, company, tmp_path: Path) -> None:
    rows = {name: raw_rows[name] for name in ("warehouses", "items", "stock_movements")}
    rows["ledger"] = [row for row in raw_rows["ledger"] if row[2] < DAYS]
    for name, several in rows.items():
        write(tmp_path / "data", name, list(BY_NAME[name].names), *[list(row) for row in several])
    load_folder(tmp_path / "data", tmp_path / "home", None, replace=False, tell=quiet)
    with closing(sqlite3.connect(tmp_path / "home" / "business.db")) as connection:
        assert set(connection.execute("SELECT * FROM biz_stock")) == set(raw_rows["stock"])
        days = {row for row in raw_rows["ledger_days"] if row[0] < DAYS}
        assert set(connection.execute("SELECT * FROM biz_ledger_days")) == days
        months = connection.execute("SELECT month, sum(value_cents) FROM biz_stock_months GROUP BY 1").fetchall()
    expected: dict[str, int] = {}
    for row in company["stock_months"]:
        expected[row.month] = expected.get(row.month, 0) + row.value_cents
    assert dict(months) == expected


async def test_the_same_goes_into_postgres_in_one_piece(small: Path, postgres_schema: str, tmp_path: Path) -> None:
    load_folder(small, tmp_path, postgres_schema, replace=False, tell=quiet)
    tools = ToolRegistry(make_tools(tmp_path, database_url=postgres_schema))
    assert (await tools.execute("get_purchase_orders", {"period": "all"})).data["totals"]["ordered"] == 1234.6
    with pytest.raises(ToolError, match="--replace"):
        load_folder(small, tmp_path, postgres_schema, replace=False, tell=quiet)
    write(small, "vendors", list(BY_NAME["vendors"].names), ["V1", "New name", "Resins", "Sweden", "active", "30"])
    load_folder(small, tmp_path, postgres_schema, replace=True, tell=quiet)
    assert (await tools.execute("get_purchase_orders", {"vendor": "New name", "period": "all"})).success


def test_views_of_ones_own_are_not_replaced(small: Path, postgres_schema: str, tmp_path: Path) -> None:
    with psycopg.connect(postgres_schema) as connection:
        connection.execute("CREATE VIEW biz_vendors AS SELECT 'V1' AS vendor_id")
    for replace in (False, True):
        with pytest.raises(ToolError, match="biz_vendors is a view of your own"):
            load_folder(small, tmp_path, postgres_schema, replace=replace, tell=quiet)
    with psycopg.connect(postgres_schema) as connection:
        assert connection.execute("SELECT vendor_id FROM biz_vendors").fetchall() == [("V1",)]


def test_a_database_that_is_away_is_told_without_its_password(small: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot be reached") as told:
        load_folder(small, tmp_path, "postgresql://ada:secret@127.0.0.1:1/none", replace=False, tell=quiet)
    assert "secret" not in str(told.value)


FAULTS = [
    ("vendors", ["V2", "B", "Resins", "Sweden", "sleeping", "30"], "status 'sleeping' is none of active, blocked"),
    ("vendors", ["V2", "B", "Resins", "Sweden", "active", "soon"], "payment_days 'soon' is not a whole number"),
    ("vendors", ["V2", "B", "Resins"], "it has 3 fields, and the header has 6"),
    ("vendors", ["V1", "B", "Resins", "Sweden", "active", "30"], "vendor_id 'V1' is there already"),
    ("vendors", ["", "B", "Resins", "Sweden", "active", "30"], "vendor_id is empty"),
    ("vendors", ["V2", "B", "Resins", "Sweden", "active", "9" * 18], "payment_days '9999"),
    (
        "purchase_orders",
        ["P3", "V9", "W1", "Resins", "open", "2026-11-03", "2026-11-06", "", "Ada", "1", "0"],
        "vendor_id 'V9' is not in vendors.csv",
    ),
    (
        "purchase_orders",
        ["P3", "V1", "W1", "Resins", "open", "2026-02-30", "2026-11-06", "", "Ada", "1", "0"],
        "ordered_on '2026-02-30' is not a date, 2026-03-31",
    ),
    (
        "purchase_orders",
        ["P3", "V1", "W1", "Resins", "open", "2026-02-03", "2026-11-06", "", "Ada", "1.0x", "0"],
        "total_cents '1.0x' is not an amount",
    ),
    (
        "purchase_orders",
        ["P3", "V1", "W1", "Resins", "open", "2026-02-03", "2026-11-06", "", "Ada", "NaN", "0"],
        "total_cents 'NaN' is not an amount",
    ),
]


@pytest.mark.parametrize(("name", "row", "problem"), FAULTS, ids=[problem for _, _, problem in FAULTS])
def test_a_row_that_cannot_be_used_is_told_with_its_line(small: Path, tmp_path: Path, name, row, problem) -> None:
    with (small / f"{name}.csv").open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(row)
    lines = len((small / f"{name}.csv").read_text("utf-8").splitlines())
    with pytest.raises(ImportRefused) as refused:
        load_folder(small, tmp_path / "home", None, replace=False, tell=quiet)
    assert refused.value.count == 1
    (fault,) = refused.value.faults
    assert (fault.file, fault.line) == (f"{name}.csv", lines)
    assert fault.problem.startswith(problem)
    assert not (tmp_path / "home").exists()


def test_all_faults_are_counted_and_the_first_are_shown(small: Path) -> None:
    rows = [[f"X{number}", "B", "Resins", "Sweden", "gone", "x"] for number in range(300)]
    write(small, "vendors", list(BY_NAME["vendors"].names), ["V1", "A", "Resins", "Sweden", "active", "30"], *rows)
    with pytest.raises(ImportRefused) as refused:
        check_folder(small)
    assert refused.value.count == 600
    assert len(refused.value.faults) == 50
    assert "and 550 more" in str(refused.value)


def test_columns_and_files_that_are_not_known_are_told_with_those_near(small: Path) -> None:
    write(small, "vendor", ["vendor_id"], ["V1"])
    write(small, "warehouses", ["warehouse_id", "nam", "city"], ["W1", "Main", "Malmö"])
    with pytest.raises(ImportRefused) as refused:
        check_folder(small)
    told = {f"{fault.file}: {fault.problem}" for fault in refused.value.faults}
    assert "vendor.csv: there is no table 'vendor': did you mean vendors.csv?" in told
    assert "warehouses.csv: the column 'name' is missing: is it 'nam'? mapping.toml can say so" in told
    assert "warehouses.csv: the column 'kind' is missing" in told


VENDOR = "vendor_id,name,category,country,status,payment_days\nV1,A,Resins,Sweden,active,30\n"
FILES = {
    "semicolons": (VENDOR.replace(",", ";"), 1, "its columns are separated by semicolons: save it with commas"),
    "tabs": (VENDOR.replace(",", "\t"), 1, "its columns are separated by tabs: save it with commas"),
    "twice": (VENDOR.replace("country", "name"), 1, "the column 'name' is there twice"),
    "missing": (VENDOR.replace(",country", "").replace(",Sweden", ""), 1, "the column 'country' is missing"),
    "long": (f"{VENDOR}V2,{'x' * 3_000_000}\n", 3, "it cannot be read: a line has more than 1,000,000 characters"),
    "open quote": (f'{VENDOR}V2,"B,Resins\n', 3, "it cannot be read: unexpected end of data"),
    "empty": ("", 1, "the column 'vendor_id' is missing"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_not_what_it_should_be_is_told_with_its_line(small: Path, kind: str) -> None:
    text, line, problem = FILES[kind]
    (small / "vendors.csv").write_text(text, "utf-8")
    with pytest.raises(ImportRefused) as refused:
        check_folder(small)
    told = [(fault.line, fault.problem) for fault in refused.value.faults if fault.file == "vendors.csv"]
    assert told[0] == (line, problem)


def test_a_byte_order_mark_and_a_name_in_capitals_do_not_matter(small: Path) -> None:
    (small / "vendors.csv").unlink()
    (small / "VENDORS.CSV").write_bytes(b"\xef\xbb\xbf" + VENDOR.replace("\n", "\r\n").encode())
    assert check_folder(small).counts["vendors"] == 1


def test_case_spaces_and_columns_of_others_do_not_matter_and_amounts_are_rounded(small: Path, tmp_path: Path) -> None:
    text = (
        (small / "purchase_orders.csv").read_text("utf-8").replace("vendor_id", "Vendor ID").replace("0.1,0", "0.105,0")
    )
    (small / "purchase_orders.csv").write_text(text, "utf-8")
    (small / "vendors.csv").write_text(VENDOR.replace("country", "Country,fax").replace("Sweden", "Sweden,12"), "utf-8")
    load_folder(small, tmp_path / "home", None, replace=False, tell=quiet)
    with closing(sqlite3.connect(tmp_path / "home" / "business.db")) as connection:
        assert connection.execute("SELECT country FROM biz_vendors").fetchall() == [("Sweden",)]
        assert connection.execute("SELECT total_cents FROM biz_purchase_orders ORDER BY 1").fetchall() == [
            (11,),
            (123450,),
        ]
    assert any("Not used: fax." in line for line in check_folder(small).preview())


def test_a_time_with_a_zone_becomes_utc(small: Path, tmp_path: Path) -> None:
    event = ["E1", "Call", "meeting", "2026-11-16T02:00+08:00", "2026-11-15 19:00", "", "ada", ""]
    write(small, "calendar", list(BY_NAME["calendar"].names), event)
    load_folder(small, tmp_path / "home", None, replace=False, tell=quiet)
    with closing(sqlite3.connect(tmp_path / "home" / "business.db")) as connection:
        (found,) = connection.execute("SELECT starts_at, ends_at FROM biz_calendar").fetchall()
    assert found == ("2026-11-15 18:00", "2026-11-15 19:00")


def test_text_that_is_not_utf8_is_told(small: Path) -> None:
    (small / "warehouses.csv").write_bytes("warehouse_id,name,city,kind\nW1,Main,Malmö,plant\n".encode("latin-1"))
    with pytest.raises(ImportRefused, match="not UTF-8"):
        check_folder(small)


def test_a_folder_without_files_or_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no CSV files"):
        check_folder(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        check_folder(tmp_path / "gone")


def test_imported_data_is_replaced_only_when_wanted_and_the_sample_always(small: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    write_sqlite(home / "business.db", lambda sink: sink("company", ("Sample", "USD", None)), VERSION)
    load_folder(small, home, None, replace=False, tell=quiet)
    with pytest.raises(ToolError, match=r"business\.db has data already: --replace"):
        load_folder(small, home, None, replace=False, tell=quiet)
    assert load_folder(small, home, None, replace=True, tell=quiet)["warehouses"] == 1


def test_a_database_of_one_s_own_is_not_replaced_unasked(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    load_folder(small, tmp_path, f"sqlite:///{path}", replace=False, tell=quiet)
    with pytest.raises(ToolError, match="--replace"):
        load_folder(small, tmp_path, f"sqlite:///{path}", replace=False, tell=quiet)
