"""The README is short, and every command of it runs that needs neither a network nor a second terminal."""

import asyncio
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from glassloop.runtime.settings import Settings
from glassloop.server.lifecycle import open_serving
from project.shell import Shell, must_parse

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
# They go on until somebody stops them, or need a key, a network or an hour: only looked at.
ONLY_LOOKED_AT = ("glassloop serve", "glassloop worker", "glassloop chat", "glassloop models pull", "glassloop mcp")
WAITS = 3


def commands() -> list[str]:
    """Every command of ours that is shown, in blocks and in tables, as it is typed."""
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", README, re.M | re.S))
    prose = re.sub(r"^```.*?^```", "", README, flags=re.M | re.S)
    lines = [shlex.join(shlex.split(line, comments=True)) for line in blocks.splitlines()]
    quoted = re.findall(r"`(glassloop [^`]+)`", prose)
    return [re.sub(r"^([A-Z_]+=\S+ )+", "", line) for line in [*lines, *quoted]]


def runnable() -> list[str]:
    return [line for line in commands() if line.startswith("glassloop ") and not line.startswith(ONLY_LOOKED_AT)]


@pytest.fixture
def inside(shell: Shell) -> Shell:
    """In a folder that has the project's docs, as a clone has."""
    (shell.folder / "docs").symlink_to(ROOT / "docs")
    return shell


def test_every_command_of_the_readme_that_can_run_here_does(inside: Shell) -> None:
    answers = {line: inside.type(line) for line in runnable()}
    for line, (code, said) in answers.items():
        assert code == (WAITS if "/tool forget" in line else 0), f"{line}\n{said}"
    said = {line: text for line, (_, text) in answers.items()}
    assert "441" in said["glassloop ask 'What is 18% of 2,450?'"]
    assert "figure sourced" in said['glassloop ask "Convert 26.2 miles to kilometers"']
    assert "No difference" in said["glassloop replay last"]
    assert "[1] Procurement policy" in next(text for line, text in said.items() if "approval limits" in line)
    assert "`kill -9`" in next(text for line, text in said.items() if "kill -9" in line)


def read(url: str) -> str:
    with urlopen(url, timeout=60) as answer:
        return answer.read().decode()


async def test_what_the_readme_asks_a_server_with_curl_is_streamed(tmp_path: Path, put_store: Any) -> None:
    (line,) = re.findall(r"^curl .+$", README, re.M)
    _, *options, address, asks, given = shlex.split(line)
    assert (options, asks) == (["-N", "-G"], "--data-urlencode")
    name, _, value = given.partition("=")
    put_store(tmp_path / "glassloop.db")
    settings = Settings(home=str(tmp_path), model="reflex", embedder="none")
    stopping = asyncio.Event()
    async with open_serving(settings, "127.0.0.1", 0) as serving:
        running = asyncio.create_task(serving.run(stopping))
        url = f"{serving.url}/{address.partition('/')[2]}?{urlencode({name: value})}"
        streamed = await asyncio.to_thread(read, url)
        stopping.set()
        await running
    assert "event: step" in streamed
    assert "441" in streamed.rpartition("event: response")[2]


def test_commands_that_are_only_looked_at_exist_with_their_options() -> None:
    looked_at = [line for line in commands() if line.startswith(ONLY_LOOKED_AT)]
    assert len(looked_at) > len(ONLY_LOOKED_AT) - 1
    for line in looked_at:
        must_parse(shlex.split(line)[1:])


def test_every_test_that_the_readme_has_run_is_there() -> None:
    for path in re.findall(r"`pytest ([\w/.]+)`", README):
        assert (ROOT / path).exists(), path


def test_the_readme_is_one_line_one_picture_two_commands_and_short() -> None:
    lines = README.splitlines()
    assert len(lines) <= 120
    assert len(re.findall(r"!\[", README)) == 1
    first = re.search(r"^```sh\n(.*?)^```", README, re.M | re.S)
    assert first is not None
    assert [line.split("#")[0].strip() for line in first[1].splitlines()] == ["make run", "make test"]
    assert lines.index("```sh") < 10
