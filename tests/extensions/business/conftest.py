"""One company for all tests, as plain rows and in both databases, and its tools on either of them."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from glassloop.core.ports import CallContext
from glassloop.extensions.business.company.generator import VERSION, make_company
from glassloop.extensions.business.database.tables import BY_NAME, TABLES
from glassloop.extensions.business.database.writer import Sink, write_postgres, write_sqlite
from glassloop.extensions.business.tools import make_tools
from glassloop.tools.registry import ToolRegistry
from postgres_server import new_schema

TODAY = date(2026, 11, 15)
NOW = datetime(2026, 11, 15, 9, tzinfo=UTC).timestamp()

Rows = dict[str, list[Any]]


@pytest.fixture(scope="session")
def raw_rows() -> dict[str, list[tuple[Any, ...]]]:
    """Every row as the generator gives it."""
    rows: dict[str, list[tuple[Any, ...]]] = {table.name: [] for table in TABLES}
    make_company(lambda name, row: rows[name].append(row), today=TODAY)
    return rows


@pytest.fixture(scope="session")
def company(raw_rows: dict[str, list[tuple[Any, ...]]]) -> Rows:
    """The same with names: what the expected figures are worked out from, without any SQL."""
    return {
        name: [SimpleNamespace(**dict(zip(BY_NAME[name].names, row, strict=True))) for row in rows]
        for name, rows in raw_rows.items()
    }


def pour(rows: dict[str, list[tuple[Any, ...]]]) -> Callable[[Sink], None]:
    def fill(sink: Sink) -> None:
        for name, several in rows.items():
            for row in several:
                sink(name, row)

    return fill


@pytest.fixture(scope="session")
def made_file(raw_rows: dict[str, list[tuple[Any, ...]]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("business") / "company.db"
    write_sqlite(path, pour(raw_rows), VERSION)
    return path


@pytest.fixture(scope="session")
def made_tables(raw_rows: dict[str, list[tuple[Any, ...]]], postgres_url: str) -> Iterator[str]:
    with new_schema(postgres_url) as url:
        write_postgres(url, pour(raw_rows), replace=False)
        yield url


def tools_on(url: str, home: Path) -> ToolRegistry:
    return ToolRegistry(make_tools(home, clock=lambda: NOW, database_url=url))


@pytest.fixture(scope="session")
def readers(made_file: Path, made_tables: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, ToolRegistry]:
    """The tools on both databases, made once: nothing that only reads can disturb another test."""
    home = tmp_path_factory.mktemp("home")
    return {"sqlite": tools_on(f"sqlite:///{made_file}", home), "postgres": tools_on(made_tables, home)}


@pytest.fixture(params=["sqlite", "postgres"])
def registry(request: pytest.FixtureRequest, readers: dict[str, ToolRegistry]) -> ToolRegistry:
    return readers[request.param]


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A company to write to; what a test adds is gone afterwards."""
    if request.param == "sqlite":
        copy = tmp_path / "company.db"
        shutil.copy(request.getfixturevalue("made_file"), copy)
        yield f"sqlite:///{copy}"
        return
    url = request.getfixturevalue("made_tables")
    yield url
    with psycopg.connect(url) as connection:
        for table in ("attendees", "calendar"):
            connection.execute(f"DELETE FROM biz_{table} WHERE event_id LIKE 'MTG-%'")


@pytest.fixture
def writable(database_url: str, tmp_path: Path) -> ToolRegistry:
    return tools_on(database_url, tmp_path / "home")


@pytest.fixture
def ask(registry: ToolRegistry):
    """The data a tool answers with."""

    async def call(name: str, /, **args: Any) -> dict[str, Any]:
        result = await registry.execute(name, args)
        assert result.success, result.error
        return result.data

    return call


@pytest.fixture(scope="session")
def counts():
    """Totals without their ratios, which have tests of their own: these may be over another base."""

    def without_ratios(totals: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in totals.items() if not name.endswith(("_percent", "_of"))}

    return without_ratios


@pytest.fixture
def refuse(registry: ToolRegistry):
    """Why a tool does not answer."""

    async def call(name: str, /, **args: Any) -> str:
        result = await registry.execute(name, args)
        assert not result.success, result.output
        return result.error or ""

    return call


def by(user: str = "ada", call: str = "c1", turn: str = "t1") -> CallContext:
    return CallContext(turn_id=turn, session_id="s", user=user, call_id=call)


@pytest.fixture
def calling() -> Callable[..., CallContext]:
    return by
