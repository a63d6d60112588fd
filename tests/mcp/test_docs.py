"""docs/mcp.md says what there is."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from glassloop.extensions.mcp.client.config import ServerOptions, read_servers

TEXT = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_of_a_file_works(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(example("json"), "utf-8")
    entries, unusable = read_servers(tmp_path, [], {"TICKETS_TOKEN": "t"})
    assert [entry.name for entry in entries] == ["files", "tickets", "old"]
    assert entries[1].launch.headers == {"Authorization": "Bearer t"}
    assert entries[2].disabled
    assert not unusable


def test_every_option_is_documented_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", TEXT, flags=re.MULTILINE)
    defaults = json.loads(msgspec.json.encode(ServerOptions()))
    expected = {name: "all" if value is None else f"`{shown(value)}`" for name, value in defaults.items()}
    assert dict(rows) == expected


def shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)


async def test_the_example_of_code_runs(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"odd": {"command": "never-started"}}}')
    names: dict[str, Any] = {}
    exec(example("python"), names)
    await names["main"]()
    assert "odd unapproved" in capsys.readouterr().out
