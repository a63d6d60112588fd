"""`glassloop import business` as a person types it."""

import json
from pathlib import Path

import pytest

from glassloop.cli.main import run

HEADER = "warehouse_id,name,city,kind\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSLOOP_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("BUSINESS_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    return tmp_path / "home"


def test_a_folder_is_loaded_and_its_tables_are_counted(home: Path, capfdbinary) -> None:
    Path("data/warehouses.csv").write_text(f"{HEADER}W1,Main,Paris,plant\nW2,Second,Lyon,plant\n")
    assert run(["import", "business", "data", "--json"]) == 0
    assert json.loads(capfdbinary.readouterr().out) == {"loaded": {"warehouses": 2}}
    assert (home / "business.db").exists()
    assert run(["import", "business", "data"]) == 2
    assert b"--replace" in capfdbinary.readouterr().err
    assert run(["import", "business", "data", "--replace"]) == 0
    assert b"Loaded 2 warehouses." in capfdbinary.readouterr().out


def test_bad_rows_are_told_by_line_and_nothing_is_loaded(home: Path, capfdbinary) -> None:
    Path("data/warehouses.csv").write_text(f"{HEADER}W1,Main,Paris,plant\nW1,Again,Paris,plant\nW3,Short\n")
    assert run(["import", "business", "data"]) == 2
    told = capfdbinary.readouterr().err.decode()
    assert "warehouses.csv:3: warehouse_id 'W1' is there already" in told
    assert "warehouses.csv:4: it has 2 fields, and the header has 4" in told
    assert "Nothing was loaded: 2 problems" in told
    assert not (home / "business.db").exists()


def test_the_sample_goes_where_the_setting_says(home: Path, monkeypatch, capfdbinary) -> None:
    monkeypatch.setenv("BUSINESS_DATABASE_URL", "sqlite:///own.db")
    assert run(["import", "business", "--sample"]) == 0
    assert Path("own.db").exists()
    assert not home.exists()


@pytest.mark.parametrize("arguments", [[], ["data", "--sample"]])
def test_neither_or_both_is_told(home: Path, arguments: list[str], capfdbinary) -> None:
    assert run(["import", "business", *arguments]) == 2
    assert b"Give either" in capfdbinary.readouterr().err
