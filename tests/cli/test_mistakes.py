"""Every mistake is told in one clear sentence with its remedy, by exit code 2, without a stack trace."""

from pathlib import Path
from typing import Any

import pytest
import typer.main

from cli.here import refused
from glassloop.cli.main import run

MISTAKES = [
    pytest.param(["ask", "-m", "nonesuch:x", "hi"], ["nonesuch", "anthropic"], id="unknown model"),
    pytest.param(["ask", "-m", "anthropic:x", "hi"], ["anthropic:x", "ANTHROPIC_API_KEY"], id="missing key"),
    pytest.param(["ask", "-a", "genral", "hi"], ["genral", "did you mean 'general'"], id="unknown assistant"),
    pytest.param(
        ["ask", "--max-iterations", "-3", "hi"], ["--max-iterations", "-3", "at least 1"], id="negative limit"
    ),
    pytest.param(["ask"], ["glassloop ask"], id="nothing asked"),
]
SLIPS = [
    pytest.param(
        ["ask", "--max-iterations", "many", "hi"], ["--max-iterations", "--help"], id="limit that is no number"
    ),
    pytest.param(["ask", "--nonesuch", "hi"], ["--nonesuch", "glassloop ask --help"], id="unknown option"),
    pytest.param(["askk"], ["'askk': did you mean 'ask'? See `glassloop --help`."], id="mistyped command"),
    pytest.param(["sessions", "list", "--limit", "0"], ["--limit must be at least 1. See"], id="too few"),
    pytest.param(["serve", "--port", "many"], ["--port must be a whole number. See"], id="no number"),
    pytest.param(["ask", "a", "b", "c"], ["Unexpected argument: b c. See"], id="too many words"),
    pytest.param(["nonesuch"], ["nonesuch", "glassloop --help"], id="unknown command"),
    pytest.param(["init"], ["NAME is missing. See `glassloop init --help`."], id="nothing named"),
    pytest.param(["ask", "-m", "reflex", "  "], ["question is empty"], id="empty question"),
    pytest.param(["tools", "-a", "nonesuch"], ["nonesuch", "glassloop init"], id="tools of nobody"),
    pytest.param(["init", "no/name"], ["no/name", "letters"], id="bad name"),
    pytest.param(["chat", "-m", "claude-x"], ["claude-x", "anthropic:claude-x"], id="model without provider"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES)
def test_a_mistake_on_the_command_line_is_told_with_its_remedy(
    here: Any, arguments: list[str], words: list[str]
) -> None:
    refused(here(*arguments), *words)


@pytest.mark.parametrize(("arguments", "words"), SLIPS)
def test_a_slip_is_told_in_one_line(
    capsys: Any, monkeypatch: Any, folder: Path, arguments: list[str], words: list[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GLASSLOOP_HOME", str(folder / "home"))
    code = run(arguments)
    told = capsys.readouterr()
    assert code == 2
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    for word in words:
        assert word in told.err


@pytest.mark.parametrize("value", ["0", "many"])
def test_a_wrong_number_in_the_environment_is_told_with_its_name(here: Any, value: str) -> None:
    refused(here("ask", "hi", REACT_MAX_ITERATIONS=value), "REACT_MAX_ITERATIONS")


@pytest.mark.parametrize(
    ("text", "word"),
    [("model = ", "TOML"), ("nonesuch = 1", "nonesuch"), ("max_iterations = 'many'", "max_iterations")],
)
def test_a_bad_settings_file_is_told_with_its_path(here: Any, folder: Path, text: str, word: str) -> None:
    (folder / "glassloop.toml").write_text(text, "utf-8")
    here("trust", "--yes")
    refused(here("ask", "hi"), "glassloop.toml", word)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("from glassloop import tool\n@tool\ndef look(at: open) -> str:\n    'Look.'\n    return ''\n", ["look", "at"]),
        ("def broken(:\n", ["tools.py", "SyntaxError"]),
        ("import nonesuch_module\n", ["tools.py", "nonesuch_module"]),
    ],
    ids=["unsupported signature", "syntax", "import"],
)
def test_a_tools_file_that_cannot_be_used_is_told_with_the_reason(
    here: Any, helper: str, folder: Path, code: str, words: list[str]
) -> None:
    (folder / helper / "tools.py").write_text(code, "utf-8")
    assert here("trust", "--yes").code == 0
    refused(here("ask", "-a", helper, "-m", "reflex", "hi"), *words)


def test_a_profile_that_cannot_be_read_is_told_with_its_path(here: Any, helper: str, folder: Path) -> None:
    (folder / helper / "assistant.toml").write_text('name = "helper"\n', "utf-8")
    assert here("trust", "--yes").code == 0
    refused(here("ask", "-a", helper, "hi"), "assistant.toml", "prompt")


def test_what_is_not_foreseen_is_told_in_one_line_and_its_stack_trace_only_with_debug(here: Any, folder: Path) -> None:
    (folder / "taken").write_text("a file where a folder should be", "utf-8")
    quiet = here("init", "clerk", "--dir", "taken")
    loud = here("--debug", "init", "clerk", "--dir", "taken")
    assert quiet.code == loud.code == 1
    assert len(quiet.err.strip().splitlines()) == 1
    assert "--debug" in quiet.err
    assert "Traceback" not in quiet.err
    assert "Traceback" in loud.err


def test_a_variable_that_is_no_setting_is_pointed_out_and_nothing_else_changes(here: Any) -> None:
    done = here("settings", "--json", GLASSLOOP_SESION_RATE="3", GLASSLOOP_XYZZY="1")
    assert done.code == 0
    near, far = done.err.strip().splitlines()
    assert "GLASSLOOP_SESION_RATE is not a setting" in near
    assert "did you mean GLASSLOOP_SESSION_RATE?" in near
    assert "GLASSLOOP_XYZZY" in far


def test_no_summary_in_any_help_is_cut_and_each_says_what_its_command_does(here: Any) -> None:
    from glassloop.cli.help import COMMANDS, GROUPS
    from glassloop.cli.main import app

    group: Any = typer.main.get_command(app)
    summaries = {name: summary for commands in COMMANDS.values() for name, (_, summary) in commands.items()}
    assert sorted(group.commands) == sorted({*summaries, "code", "undo", "servers", "mcp", "places", "raids"})
    loaded = {name: group.get_command(None, name) for name in group.commands}
    assert {name: loaded[name].get_short_help_str(200) for name in summaries} == summaries
    groups = {name for name, command in loaded.items() if hasattr(command, "commands")}
    assert groups == {*GROUPS, "servers", "places", "raids"}
    for name in ("", *groups):
        shown = here(*([name] if name else []), "--help").out
        assert not [line for line in shown.splitlines() if line.endswith("...") and "Usage" not in line], shown
