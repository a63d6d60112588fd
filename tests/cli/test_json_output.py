"""`--json` of every command: whatever people, models and files wrote, no character of it steers a terminal."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer.main

from cli.hostile_folder import commands, words
from glassloop.cli.main import app

ODD = "odd\x7f\x9b31m\u202eb\u2066c\u2028d\U000e0041é漢"
STEERING = set("\x1b\x7f\x9b\u202e\u2066\u2028\u200f\U000e0041")
LISTINGS = ("assistants", "sessions show", "trust", "tools", "knowledge list")
ANSWER = re.compile(r"é漢")


def with_json() -> dict[str, Any]:
    """Every command that has the option, by the words that are typed."""
    every = commands(typer.main.get_command(app))
    return {name: each for name, each in every.items() if any("--json" in option.opts for option in each.params)}


@pytest.fixture
def odd_home(here: Any, folder: Path) -> None:
    """A conversation, a note, a document, an assistant, a schedule and a folder of MCP servers with such names."""
    spelt = "".join(f"\\U{ord(character):08x}" for character in ODD)
    (folder / "clerk").mkdir()
    (folder / "clerk" / "assistant.toml").write_text(
        f'name = "clerk"\nprompt = "Help."\ntitle = "{spelt}"\ndescription = "{spelt}"\nquestions = ["{spelt}"]\n',
        "utf-8",
    )
    (folder / "documents").mkdir()
    (folder / "documents" / "odd\u202e.md").write_text(f"# {ODD}\n\n{ODD}\n", "utf-8")
    (folder / "notes.jsonl").write_text(f"{ODD}\n", "utf-8")
    servers = {"mcpServers": {"off": {"command": ODD, "disabled": True}, ODD: {"command": ODD}}}
    (folder / ".mcp.json").write_bytes(msgspec.json.encode(servers))
    for line in (
        ("trust", "--yes"),
        ("ask", "-m", "reflex", "--session", "s-1", f"Remember that {ODD}"),
        ("ask", "-m", "reflex", "--session", "s-2", "--yes", f'/tool remember {{"text": "{ODD}"}}'),
        ("import", "knowledge", "documents"),
        ("users", "add", "ann"),
        ("users", "name", "ann", "é漢"),
        ("keys", "create", "ann", "--name", ODD),
        ("schedule", "add", ODD, "--every", "@yearly"),
    ):
        here(*line, GLASSLOOP_EMBEDDER="none")


@pytest.mark.usefixtures("odd_home")
@pytest.mark.parametrize(
    "chosen", [pytest.param(LISTINGS, id="listings"), pytest.param((), id="every", marks=pytest.mark.slow)]
)
def test_no_command_writes_a_character_that_steers_a_terminal_as_json(here: Any, chosen: Sequence[str]) -> None:
    every = with_json()
    assert len(every) > 30
    told = 0
    for name in chosen or every:
        done = here(*words(name, every[name]), "--json", GLASSLOOP_MODELS_OFFLINE="true", GLASSLOOP_EMBEDDER="none")
        assert not STEERING & set(done.out + done.err), (name, done.out[-500:], done.err)
        assert "unexpected" not in done.err, (name, done.err)
        for line in [done.out] if done.out.lstrip()[:1] in "[{" and "\n{" not in done.out.strip() else []:
            msgspec.json.decode(line or "null")
        told += bool(ANSWER.search(done.out))
    # They do tell of what is there.
    assert told >= len(chosen or LISTINGS) - 2, told
