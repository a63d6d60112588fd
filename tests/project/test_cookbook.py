"""The programs of examples/cookbook do what docs/cookbook.md says, with a stand-in for the provider."""

import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glassloop import load_settings, open_runtime
from glassloop.cli.main import run
from model_server import ModelServer, model_server
from waiting import until

ROOT = Path(__file__).resolve().parents[2]
COOKBOOK = ROOT / "examples" / "cookbook"

OSAKA = {"name": "Osaka", "country": "Japan", "population": 2_750_000}
SCRIPT = {
    "How many BRG-6204 do we": [{"stock_of": {"sku": "BRG-6204"}}, "There are 140 units of BRG-6204."],
    "What does INS-PA66": [{"price_of": {"sku": "INS-PA66"}}, "It costs 0.12 euros."],
    "Expo 2025": [{"output": {**OSAKA, "population": "many"}}, {"output": OSAKA}],
    "Refund": [{"refund": {"order": "A-17", "amount": 30.0}}, "30 euros are paid back."],
    "Charge A-1": [*({"charge": {"order": f"A-{number}"}} for number in (1, 2, 3)), "All three are charged."],
    "are in stock": [{"stock__stock_of": {"sku": "BRG-6204"}}, "There are 140 units of BRG-6204."],
    "below 50 units": [{"low_items": {"below": 50}}, "INS-PA66 is low."],
    "Is BRG-6204 in stock": [
        [{"ask_storekeeper": "Units of BRG-6204?"}, {"ask_buyer": "Price of BRG-6204?"}],
        "140 are there, at 4.50 euros each.",
    ],
    "Units of BRG-6204": [{"stock_of": {"sku": "BRG-6204"}}, "140."],
    "Price of BRG-6204": [{"price_of": {"sku": "BRG-6204"}}, "4.50 euros."],
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
        monkeypatch.setenv("SHOP_URL", started.url)
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
        assert web.get("/ask", params={"q": "What is the tide?"}).text == SCRIPT["tide"][0]


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


def test_an_agent_asks_others_and_counts_their_tokens(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    play("sub_agents.py")
    assert capsys.readouterr().out == "140 are there, at 4.50 euros each. 180\n"


def test_an_approval_outlives_the_app_and_pays_once(server: ModelServer) -> None:
    with TestClient(play("approval_app.py")["app"]) as web:
        asked = web.post("/ask", params={"question": "Refund 30 euros of A-17."}).json()
    assert (asked["asked"][0]["args"], server.effects) == ({"order": "A-17", "amount": 30.0}, [])
    decisions = [{key: asked["asked"][0][key] for key in ("call_id", "digest")} | {"approved": True}]
    with TestClient(play("approval_app.py")["app"]) as web:
        told = web.post(f"/decide/{asked['run']}", json=decisions)
        assert told.json() == {"answer": "30 euros are paid back."}
        assert web.post(f"/decide/{asked['run']}", json=decisions).status_code == 409
    assert len(server.effects) == 1


def test_a_program_that_was_killed_goes_on_where_it_was(
    server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.hold = "model:3"
    killed = subprocess.Popen([sys.executable, str(COOKBOOK / "crash_recovery.py")])
    try:
        assert server.held.wait(60)
    finally:
        killed.kill()
        killed.wait()
    server.released.set()
    play("crash_recovery.py")
    assert capsys.readouterr().out == "All three are charged.\n"
    assert [effect["order"] for effect in server.effects] == ["A-1", "A-2", "A-3"]


@pytest.mark.slow
def test_a_terminal_assistant_that_was_killed_in_an_effect_asks_before_it_repeats_it(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.hold = "effect:1"
    program = [sys.executable, str(COOKBOOK / "terminal_approval.py")]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed:
        try:
            assert killed.stdin is not None
            killed.stdin.write("Refund 30 euros of A-17.\ny\n")
            killed.stdin.flush()
            assert server.held.wait(60)
        finally:
            killed.kill()
    server.released.set()
    asked: list[str] = []
    said = iter(["n", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: asked.append(prompt) or next(said))
    play("terminal_approval.py")
    assert asked == ["May I refund {'order': 'A-17', 'amount': 30.0}? [y/n] ", "> "]
    first, *steps, answer = capsys.readouterr().out.splitlines()
    assert (first, answer) == ("Going on with: Refund 30 euros of A-17.", "30 euros are paid back.")
    assert steps[:2] == ["  approved by clerk", "  → refund {'order': 'A-17', 'amount': 30.0}"]
    assert steps[2].startswith("  It may have taken place: ")
    assert steps[3] == "  refused by clerk"
    assert len(server.effects) == 1


def test_an_agent_uses_the_tools_of_an_mcp_server(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    shutil.copy(COOKBOOK / "stock_server.py", tmp_path)
    play("mcp_tools.py")
    assert capsys.readouterr().out == "There are 140 units of BRG-6204.\n"


async def test_a_schedule_asks_at_nine_and_the_answer_waits(server: ModelServer, clock: Any) -> None:
    names = runpy.run_path(str(COOKBOOK / "scheduled_work.py"))
    clock.now = datetime(2026, 11, 16, 7, 30, tzinfo=UTC).timestamp()
    async with await open_runtime(load_settings(), agents=[names["reporter"]], clock=clock) as runtime:
        await names["plan"](runtime)
        await names["plan"](runtime)
        (row,) = await runtime.schedules.list("ann")
        clock.now = row.next_at
        assert datetime.fromtimestamp(row.next_at, UTC) == datetime(2026, 11, 16, 8, tzinfo=UTC)
        await runtime.schedules.poll()

        async def answers() -> list[str]:
            await runtime.schedules.poll()
            return [turn.answer for turn in (await runtime.inbox.read("ann")).turns]

        await until(answers, "the answer waits")
        assert await answers() == ["INS-PA66 is low."]


def test_the_lines_of_the_comparison_are_those_of_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    programs = importlib.import_module("programs")
    page = (ROOT / "docs" / "compare.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.M)
    assert [name for name, *_ in rows] == list(programs.PROGRAMS)
    for name, *counts in rows:
        found = [programs.lines(programs.path_of(peer, name)) for peer in programs.PEERS]
        assert list(map(int, counts)) == found, name
        assert found[0] == min(found), f"{name} has more lines than another"
