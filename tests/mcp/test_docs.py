"""docs/mcp.md says what there is."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from glassloop import Agent, McpServer, ScriptedModel
from glassloop.extensions.mcp.client.config import ServerOptions, read_servers

TEXT = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
ODD = Path(__file__).with_name("odd_server.py")


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


async def test_the_example_of_code_runs(capsys: Any) -> None:
    names: dict[str, Any] = {}
    exec(example("python"), names)

    def server(*command: str, **given: Any) -> McpServer:
        """One that can be had here, under the name of the one in the example."""
        return McpServer(sys.executable, "-S", "-E", str(ODD), "plain", name=McpServer(*command, **given).name)

    names["McpServer"] = server
    names["Agent"] = lambda _model, tools: Agent(ScriptedModel(["Hello."]), tools)
    await names["main"]()
    assert capsys.readouterr().out == "Hello.\n"
