"""`glassloop access` and `glassloop audit`: rules are set and removed, the audit is listed, verified and exported."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    return Path(environment["GLASSLOOP_HOME"])


def test_a_rule_is_set_listed_and_removed(here: Any) -> None:
    assert "No rules" in here("access", "list").out
    done = here("access", "set", "user:ada", "--models", "openai:*, embedded", "--dollars-per-day", "5")
    assert done.code == 0
    assert here("access", "list", "--json").json["user:ada"]["models"] == ["openai:*", "embedded"]
    shown = here("access", "list").out
    for part in ("user:ada", "openai:*, embedded", "dollars per day: 5.0", "1 rule"):
        assert part in shown
    assert here("access", "remove", "user:ada").code == 0
    refused(here("access", "remove", "user:ada"), "There is no rule for 'user:ada'")


def test_a_rule_for_nobody_or_of_nothing_is_refused(here: Any) -> None:
    refused(here("access", "set", "ada", "--models", "*"), "user:NAME")
    refused(here("access", "set", "user:ada"), "--models")


def test_a_rule_of_the_settings_file_is_changed_only_there(here: Any, home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "glassloop.toml").write_text('[access."*"]\ndollars_per_day = 2\n', "utf-8")
    assert "(settings file)" in here("access", "list").out
    refused(here("access", "set", "*", "--tools", "*"), "settings file")
    (home / "glassloop.toml").write_text('[access."*"]\ndollars_per_day = -2\n', "utf-8")
    refused(here("access", "list"), "dollars_per_day")


def test_groups_are_set_and_shown(here: Any) -> None:
    assert here("users", "groups", "ada", "staff", "research").code == 0
    assert here("users", "groups", "ada", "--json").json["groups"] == ["research", "staff"]
    assert "in no group" in here("users", "groups", "ada", "--none").out


def test_the_audit_is_listed_verified_and_exported(here: Any, home: Path, tmp_path: Path) -> None:
    here("users", "add", "ada")
    here("access", "set", "user:ada", "--tools", "*")
    assert "access changed" in here("audit", "list").out
    found = here("audit", "verify", "--json").json
    assert (found["entries"], found["problems"]) == (2, [])
    kept = f"{found['last']}:{found['digest']}"
    assert here("audit", "verify", "--kept", kept).code == 0
    refused(here("audit", "verify", "--kept", "nonsense"), "NUMBER:DIGEST")
    path = tmp_path / "audit.jsonl"
    assert here("audit", "export", str(path)).code == 0
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["action"] for line in lines] == ["user_added", "access_changed"]
    refused(here("audit", "export", str(path)), "already exists")
    with closing(sqlite3.connect(home / "glassloop.db")) as db, db:
        db.execute("UPDATE audit_entries SET action = 'user_removed' WHERE number = 1")
    broken = here("audit", "verify")
    assert broken.code == 1
    assert "Entry 1 does not match" in broken.out
