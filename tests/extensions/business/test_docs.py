"""docs/business.md names every view, every column and every tool, and nothing else."""

import re
from pathlib import Path

from glassloop.extensions.business.database.tables import PREFIX, TABLES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "business.md").read_text("utf-8")


def test_every_view_is_documented_with_all_of_its_columns() -> None:
    parts = re.split(r"^### (\w+)$", PAGE, flags=re.MULTILINE)
    written = {
        name: re.findall(r"^\| `(\w+)` \| (.+) \|$", text, flags=re.MULTILINE)
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    assert set(written) == {PREFIX + table.name for table in TABLES}
    for table in TABLES:
        rows = written[PREFIX + table.name]
        assert [name for name, _ in rows] == list(table.names)
        for column, (_, holds) in zip(table.columns, rows, strict=True):
            assert all(f"`{choice}`" in holds for choice in column.choices), column.name
            assert ("may be empty" in holds) == column.optional, column.name
            assert f"`{PREFIX}{column.refers}`" in holds or not column.refers
    assert f"a database of {len(TABLES)} tables" in PAGE


def test_every_tool_is_documented(readers) -> None:
    assert set(re.findall(r"^\| \w* ?\| `(\w+)` \|", PAGE, flags=re.MULTILINE)) == set(readers["sqlite"].names)
