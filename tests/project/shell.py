"""What a page of the docs has a reader do: its files, and its commands with what they answer."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

from glassloop.cli.main import app, run

_SETTINGS = ("_API_KEY", "_BASE_URL", "GLASSLOOP_", "REACT_", "CONTEXT_", "OLLAMA_", "DATABASE_URL", "SESSION_STORE_")
_FOREIGN = (*_SETTINGS, "RAG_", "COLUMNS", "COLOR", "TERM", "LINES", "ADMIN_TOKEN", "PYTHONPATH")


class Typed(NamedTuple):
    """A command that the page shows, and the lines it shows below."""

    line: str
    answer: list[str]


def sections(page: str) -> dict[str, str]:
    """The text below each heading of the second rank."""
    parts = re.split(r"^## (.+)$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def files(text: str) -> dict[str, str]:
    """Blocks whose first line names a file, by that name."""
    found = re.findall(r"^```(?:python|toml)\n# (\S+\.\w+)\n(.*?)^```", text, re.M | re.S)
    return dict(found)


def typed(text: str) -> list[Typed]:
    """The commands of all `console` blocks."""
    commands: list[Typed] = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append(Typed(line[2:], []))
            else:
                commands[-1].answer.append(line)
    return commands


def missing(wanted: list[str], said: str) -> str:
    """The first of these lines that does not come, after those before it; empty where all do."""
    place = 0
    for line in wanted:
        found = said.find(line, place)
        if found < 0:
            return line
        place = found + len(line)
    return ""


class Shell:
    """A folder and an environment without anybody's settings. Our own commands run in this process, others in bash."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], patch: pytest.MonkeyPatch, heard: Callable[[], Any]
    ) -> None:
        self.folder = folder
        self.environment = dict(environment)
        self._patch = patch
        self._heard = heard

    def type(self, line: str) -> tuple[int, str]:
        """The exit code and all that was written."""
        words = shlex.split(line, comments=True)
        if words[0] == "export":
            self._export(words[1])
            return 0, ""
        if words[0] == "glassloop":
            code = run(words[1:])
            told = self._heard()
            return code, told.out + told.err
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def _export(self, setting: str) -> None:
        name, _, value = setting.partition("=")
        self.environment[name] = value
        self._patch.setenv(name, value)
        if name == "PYTHONPATH":
            self._patch.syspath_prepend(str(self.folder / value))


def bare_environment(home: Path) -> dict[str, str]:
    """Ours without keys, colours and settings; `python` is the one that runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not any(part in name for part in _FOREIGN)}
    found = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, "PATH": found, "GLASSLOOP_HOME": str(home), "GLASSLOOP_MODELS_OFFLINE": "true"}


def must_parse(words: list[str]) -> None:
    """The command and each of its options exist; nothing is run."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("glassloop", list(words), resilient_parsing=True)
    command, name = group, ""
    rest = list(words)
    while hasattr(command, "commands"):
        name = rest.pop(0)
        assert name in command.commands, f"there is no command {name!r}"
        command = command.get_command(None, name)
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("-")} <= known, words
    command.make_context(name, rest, parent=context)
