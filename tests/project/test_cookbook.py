"""The programs of examples/cookbook do what docs/cookbook.md says, with a stand-in for the provider."""

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glassloop.cli.main import run
from model_server import ModelServer, model_server

ROOT = Path(__file__).resolve().parents[2]
COOKBOOK = ROOT / "examples" / "cookbook"

OSAKA = {"name": "Osaka", "country": "Japan", "population": 2_750_000}
SCRIPT = {
    "How many BRG-6204": [{"stock_of": {"sku": "BRG-6204"}}, "There are 140 units of BRG-6204."],
    "What does INS-PA66": [{"price_of": {"sku": "INS-PA66"}}, "It costs 0.12 euros."],
    "Expo 2025": [{"output": {**OSAKA, "population": "many"}}, {"output": OSAKA}],
    "tide": ["The moon pulls at the sea, and the sea follows twice a day."],
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """The provider, for a program in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLASSLOOP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with model_server(SCRIPT) as started:
        monkeypatch.setenv("OPENAI_BASE_URL", started.url)
        yield started


def play(name: str) -> dict[str, Any]:
    """Runs a program to its end; its names."""
    return runpy.run_path(str(COOKBOOK / name), run_name="__main__")


def test_every_program_is_in_the_cookbook() -> None:
    page = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
    shown = re.findall(r"^# examples/cookbook/(\S+)$", page, re.M)
    assert sorted(shown) == sorted(path.name for path in COOKBOOK.iterdir() if path.is_file())


def test_a_tool_agent_answers_from_its_tool(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    play("tool_agent.py")
    assert capsys.readouterr().out == "There are 140 units of BRG-6204.\n"
    assert server.requests[1]["messages"][-1]["content"] == "140"


def test_an_answer_of_another_type_is_told_back_once(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    play("typed_output.py")
    assert capsys.readouterr().out == "Osaka, Japan: 2,750,000\n"
    assert "population" in str(server.requests[1]["messages"][-1]["content"])


def test_a_web_page_shows_the_answer_while_it_is_written(server: ModelServer) -> None:
    with TestClient(play("streaming_page.py")["app"]) as web:
        assert "<form" in web.get("/").text
        with web.stream("GET", "/ask", params={"q": "What is the tide?"}) as answer:
            pieces = list(answer.iter_text())
    assert "".join(pieces) == SCRIPT["tide"][0]


def test_the_tests_with_a_fake_model_pass() -> None:
    names = play("test_stock_agent.py")
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()


def test_a_build_fails_when_answers_get_worse(server: ModelServer) -> None:
    line = [
        "eval",
        str(COOKBOOK / "evaluation.toml"),
        "-m",
        "openai:gpt-5.2",
        "--min-tool",
        "0.9",
        "--min-answer",
        "0.9",
    ]
    assert run(line) == 0
    server.script = {**server.script, "What does INS-PA66": ["It costs 3 euros."]}
    assert run(line) == 1
