"""docs/commands.md and docs/settings.md say what there is, all of it and nothing else."""

import re
from pathlib import Path
from typing import Any

import typer.main

from glassloop import Agent, ScriptedModel
from glassloop.cli.commands.ask import OWN_COMMANDS
from glassloop.cli.main import app
from glassloop.runtime.settings import Settings, all_settings, load_settings

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
COMMANDS = (DOCS / "commands.md").read_text("utf-8")
SETTINGS = (DOCS / "settings.md").read_text("utf-8")


def sections() -> dict[str, str]:
    """What is said of each command, `sessions list` included, up to the next heading."""
    parts = re.split(r"^(#{2,3} .+)$", COMMANDS, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {
        title.lstrip("# ").removeprefix("glassloop "): text for title, text in found.items() if "glassloop" in title
    }


def commands(group: Any, before: str = "") -> dict[str, Any]:
    """Every command by the words that are typed, those of groups after their group."""
    found: dict[str, Any] = {}
    for name in group.commands:
        command = group.get_command(None, name)
        found[before + name] = command
        found |= commands(command, f"{before}{name} ") if hasattr(command, "commands") else {}
    return found


def options(command: Any) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts if name.startswith("-")}


def test_every_command_has_its_section_with_all_of_its_options() -> None:
    group: Any = typer.main.get_command(app)
    assert set(sections()) == set(commands(group))
    for name, command in commands(group).items():
        written = set(re.findall(r"`(--?[a-z][a-z-]*)", sections()[name]))
        assert options(command) <= written, name
        assert written - {"--yes"} <= options(command) | {"--help"}, name
    for option in options(group) | {"--help"}:
        assert f"`{option}`" in COMMANDS.split("## glassloop", 1)[0]


async def test_every_slash_command_is_documented() -> None:
    listed = (await Agent(ScriptedModel([])).run("/help")).text.splitlines() + OWN_COMMANDS.splitlines()
    names = {line.split(":")[0].split()[0] for line in listed}
    assert {"/help", "/tool", "/quit", "/model"} <= names
    assert names == {f"/{name}" for name in re.findall(r"^\| `/(\w+)", COMMANDS, flags=re.MULTILINE)}


def test_every_setting_is_documented_with_its_variable_default_and_meaning() -> None:
    expected: list[tuple[str, ...]] = []
    values = Settings().values
    for key, setting in all_settings().items():
        default = str(values[key]).lower() if isinstance(values[key], bool) else values[key]
        variable = f"`{setting.variable}`" if setting.variable else "–"
        expected.append((f"`{key}`", variable, "–" if default is None else f"`{default}`", setting.description))
    table = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in SETTINGS.splitlines() if "| `" in line]
    assert table == expected


def test_the_example_of_a_settings_file_works(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", SETTINGS, flags=re.DOTALL)
    assert example is not None
    (tmp_path / "glassloop.toml").write_text(example[1], "utf-8")
    loaded = load_settings({"GLASSLOOP_HOME": str(tmp_path)}, tmp_path / "work")
    assert loaded.model == "ollama:qwen3:8b"
    assert loaded.prices[loaded.model].input == 0.0


def test_the_picture_is_small_and_fetches_nothing() -> None:
    picture = (DOCS / "images" / "trace.svg").read_text("utf-8")
    assert len(picture.encode()) < 100_000
    assert "@font-face" not in picture
    assert set(re.findall(r"\w+://[^\s\"'<>)]+", picture)) == {"http://www.w3.org/2000/svg"}
    for part in ("think", "act", "observe", "answer", "figures&#160;sourced"):
        assert part in picture
