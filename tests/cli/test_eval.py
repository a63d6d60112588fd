"""`glassloop eval`: suites asked from the command line, killed and taken up, compared, and made of turns."""

import io
import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cli.here import refused
from cli.porter import open_door
from glassloop.cli.ui.console import DARK, theme
from glassloop.cli.ui.markdown import WordTable
from glassloop.core.events import decode

WAIT_S = 120.0
SUM = "What is 18% of 2,450?"
SUITE = """
name = "desk"
assistant = "general"

[[cases]]
id = "percent"
tags = ["sums"]
question = "What is 18% of 2,450?"
tools = ["calculate"]
answer = { figures = [441], evidence = true }

[[cases]]
id = "wrong"
question = "What is 18% of 2,450?"
tools = ["convert_units"]
"""


@pytest.fixture
def suite(folder: Path) -> str:
    (folder / "desk.toml").write_text(SUITE, "utf-8")
    return "./desk.toml"


TOOLS = '''
"""A tool that says when it waits."""

import asyncio
from pathlib import Path

from glassloop import tool


@tool(effect="read", volatile=True, timeout_s=300)
async def wait_at_door() -> str:
    """Waits until the door is open."""
    Path("reached").touch()
    while not Path("open").exists():
        await asyncio.sleep(0.02)
    return "the door is open"
'''


@pytest.fixture
def doors(folder: Path) -> str:
    """A suite with a tool of its own, whose third case waits at the door."""
    (folder / "door.py").write_text(TOOLS, "utf-8")
    cases = [("a", "/tool nothing"), ("b", "Hello there?"), ("c", "/tool wait_at_door"), ("d", "Hello again?")]
    written = "".join(
        f'[[cases]]\nid = "{name}"\nquestion = "{asked}"\nanswer = {{ none = ["no"] }}\n' for name, asked in cases
    )
    (folder / "doors.toml").write_text(f'name = "doors"\ntools = ["door.py"]\n{written}', "utf-8")
    return "./doors.toml"


def lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a run's file."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def until(condition: Callable[[], Any], process: Any) -> None:
    ends = time.monotonic() + WAIT_S
    while not condition():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_run_tells_what_was_wrong_and_what_was_right(here: Any, suite: str, folder: Path) -> None:
    done = here("eval", suite, "-m", "reflex")
    assert done.code == 0, done.err
    assert "wrong  What is 18% of 2,450?" in done.out
    assert "tool: expected convert_units; got calculate" in done.out
    assert "glassloop watch " in done.out
    rows = [" ".join(line.split()) for line in done.out.splitlines()]
    assert any(row.startswith("all 2 50 9–91 – 100 21–100 100 ") for row in rows), rows
    assert any(row.startswith("sums 1 100 21–100 – 100 21–100 100 ") for row in rows), rows


def test_json_has_the_figures_and_a_case_can_be_opened_and_replayed(here: Any, suite: str) -> None:
    done = here("eval", suite, "-m", "reflex", "--json", "--repeat", "2", "--concurrency", "3")
    assert done.code == 0, done.err
    told = done.json
    assert told["total"]["tool"] == pytest.approx(
        {"right": 1, "of": 2, "share": 0.5, "low": 0.0945, "high": 0.9055}, abs=1e-4
    )
    assert told["total"]["asked"] == 4
    assert told["total"]["readable"]["share"] == 1.0
    assert [(wrong["case"], wrong["run"]) for wrong in told["wrong"]] == [("wrong", 1), ("wrong", 2)]
    assert told["run"]["model"] == "reflex"
    turn = told["wrong"][0]["turn_ids"][0]
    events = [decode(line) for line in here("watch", turn, "--json").out.splitlines()]
    assert events[0].question == SUM
    assert here("replay", turn).code == 0


@pytest.mark.parametrize(
    ("bars", "code"),
    [
        (["--min-tool", "0.5", "--min-readable", "1"], 0),
        (["--min-tool", "0.51"], 1),
        (["--min-tool", "0", "--min-arguments", "0"], 1),
    ],
)
def test_a_share_below_its_bar_ends_with_1(here: Any, suite: str, bars: list[str], code: int) -> None:
    done = here("eval", suite, "-m", "reflex", "--json", *bars)
    assert done.code == code
    assert ("below --min-" in done.err) is bool(code)


@pytest.mark.parametrize(("bar", "code"), [("0.5", 0), ("0.51", 1)])
def test_a_share_of_destinations_below_its_bar_ends_with_1(here: Any, folder: Path, bar: str, code: int) -> None:
    asked = "Tell me a joke about football"
    cases = "".join(
        f'[[cases]]\nid = "{where}"\nquestion = "{asked}"\ndestination = "{where}"\ntools = "none"\n'
        for where in ("fallback", "erp_agent")
    )
    (folder / "routed.toml").write_text(f'name = "routed"\nassistant = "business"\n{cases}', "utf-8")
    done = here("eval", "./routed.toml", "-m", "reflex", "--json", "--min-destination", bar)
    assert done.code == code, done.err
    assert ("below --min-destination" in done.err) is bool(code)


def test_only_the_cases_that_are_meant_are_asked(here: Any, suite: str) -> None:
    for which, asked in (("percent", 1), ("tag:sums", 1), ("w*,percent", 2), ("*", 2)):
        assert here("eval", suite, "-m", "reflex", "--json", "--cases", which).json["total"]["cases"] == asked
    refused(here("eval", suite, "-m", "reflex", "--cases", "nobody"), "'nobody'", "'desk'")


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_where_it_was(start: Any, here: Any, doors: str, folder: Path) -> None:
    path = folder / "run.jsonl"
    process = start("eval", doors, "-m", "reflex", "--out", "run.jsonl")
    until((folder / "reached").exists, process)
    process.kill()
    process.wait(WAIT_S)
    before = [line for line in lines(path) if line["type"] == "result"]
    assert [line["case"] for line in before] == ["a", "b"]
    (lost,) = [line["session_id"] for line in lines(path) if line["type"] == "begun" and line["case"] == "c"]
    with path.open("ab") as file:
        file.write(b'{"type":"result","case":"c","ru')
    refused(here("eval", doors, "-m", "reflex", "--out", "run.jsonl"), "run.jsonl", "--resume")
    open_door(folder)
    done = here("eval", doors, "-m", "reflex", "--out", "run.jsonl", "--resume", "--json")
    assert done.code == 0, done.err
    results = [line for line in lines(path) if line["type"] == "result"]
    assert results[:2] == before
    assert [line["case"] for line in results] == ["a", "b", "c", "d"]
    assert done.json["total"]["asked"] == 4
    shown = here("sessions", "show", lost)
    assert "cancelled" in shown.out
    assert here("resume").out == "There are no interrupted turns.\n"


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(start: Any, here: Any, doors: str, folder: Path) -> None:
    process = start("eval", doors, "-m", "reflex", "--out", "run.jsonl")
    until((folder / "reached").exists, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(WAIT_S) == 130
    assert b"Stopped with 2 of 4 done: --resume" in process.stderr.read()
    open_door(folder)
    assert here("eval", doors, "-m", "reflex", "--out", "run.jsonl", "--resume").code == 0


def test_without_a_file_the_newest_run_of_the_suite_and_model_is_gone_on_with(here: Any, suite: str) -> None:
    refused(here("eval", suite, "-m", "reflex", "--resume"), "no run of 'desk' with 'reflex'")
    first = here("eval", suite, "-m", "reflex", "--json", "--cases", "percent").json
    second = here("eval", suite, "-m", "reflex", "--json", "--resume").json
    assert second["file"] == first["file"]
    assert second["total"]["cases"] == 2
    assert Path(second["file"]).parent.name == "runs"


def test_two_runs_are_compared_case_by_case(here: Any, suite: str, folder: Path) -> None:
    assert here("eval", suite, "-m", "reflex", "--out", "before.jsonl").code == 0
    text = (folder / "before.jsonl").read_text("utf-8")
    (folder / "after.jsonl").write_text(text.replace('"tool":false', '"tool":true'), "utf-8")
    told = here("eval", "compare", "before.jsonl", "after.jsonl", "--json").json
    tool = next(each for each in told["differences"] if each["measure"] == "tool")
    assert (tool["gained"], tool["lost"], tool["p"]) == (["wrong"], [], 1.0)
    shown = here("eval", "compare", "before.jsonl", "after.jsonl").out
    assert "tool gained: wrong" in shown
    again = here("eval", suite, "-m", "reflex", "--out", "before.jsonl", "--resume", "--compare", "after.jsonl")
    assert again.code == 0, again.err
    assert "tool lost: wrong" in again.out
    refused(here("eval", "compare", "before.jsonl", "nothing.jsonl"), "nothing.jsonl", "cannot be read")


def test_a_rated_turn_becomes_a_case_with_one_command(here: Any, folder: Path) -> None:
    done = here("ask", "-m", "reflex", "--json", SUM)
    turn = decode(done.out.splitlines()[-1]).turn_id
    refused(here("eval", "add", turn, "mine.toml"), "Nobody has rated", "--rating good")
    refused(here("eval", "add", turn, "mine.toml", "--rating", "fine"), "'fine'", "good or bad")
    added = here("eval", "add", turn, "mine.toml", "--rating", "good", "--id", "sum", "--tag", "kept")
    assert added.code == 0, added.err
    assert added.out.startswith("Case sum is in mine.toml (new): it must do this again")
    bad = here("eval", "add", turn, "mine.toml", "--rating", "bad", "--id", "not-so")
    assert bad.code == 0, bad.err
    told = here("eval", "./mine.toml", "-m", "reflex", "--json").json
    assert told["total"]["cases"] == 2
    assert [wrong["case"] for wrong in told["wrong"]] == ["not-so"]


def test_the_suites_that_come_with_it_are_listed_and_run_by_name(here: Any) -> None:
    assert {each["name"]: each["cases"] for each in here("eval", "list", "--json").json} == {
        "reflex100": 100,
        "routes65": 65,
        "business120": 132,
        "code": 24,
        "raids": 77,
        "places": 69,
        "tools40": 40,
    }
    assert "tools40" in here("eval", "list").out
    done = here("eval", "tools40", "-m", "reflex", "--cases", "order-status", "--json")
    assert done.code == 0, done.err
    assert done.json["run"]["offered"] == 27


def test_mistakes_are_told_in_one_sentence(here: Any, suite: str, folder: Path, rejecting: dict[str, str]) -> None:
    refused(here("eval", "tools41"), "'tools41'", "'tools40'")
    refused(here("eval", "./none.toml"), "none.toml", "No such file")
    refused(here("eval", suite, "-m", "nobody:x"), "'nobody'")
    refused(here("eval", suite, "--repeat", "0"), "--repeat")
    (folder / "desk.toml").write_text(SUITE.replace("convert_units", "convert_unit"), "utf-8")
    refused(here("eval", suite, "-m", "reflex"), "'wrong'", "'convert_unit'", "'convert_units'")
    (folder / "desk.toml").write_text(SUITE + "tool = 3\n", "utf-8")
    refused(here("eval", suite, "-m", "reflex"), "unknown field `tool`", "'wrong', line 12")


@pytest.mark.slow
def test_a_bar_on_the_terminal_shows_how_far_it_is(terminal: Any, suite: str) -> None:
    shown = terminal("eval", suite, "-m", "reflex")
    shown.expect("desk with reflex")
    shown.expect("results in")
    assert shown.leave() == 0


def test_figures_fit_a_terminal_of_80_columns_without_a_broken_word() -> None:
    table = WordTable("% right", "cases", "destination", "tool", "arguments", "answer", "readable", "all")
    for name in ("all", "it_ops_agent"):
        table.add_row(name, "132", *["97 90–100"] * 6)
    for width, rows in ((80, 5), (120, 3)):
        out = io.StringIO()
        Console(file=out, width=width, theme=theme(DARK), no_color=True).print(table)
        lines = [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]
        assert len(lines) == rows, lines
        assert max(map(len, lines)) <= width
        assert lines[0].split() == [
            "%",
            "right",
            "cases",
            "destination",
            "tool",
            "arguments",
            "answer",
            "readable",
            "all",
        ]
        assert sum(line.startswith("it_ops_agent  ") for line in lines) == 1
        assert "…" not in out.getvalue()


def test_a_suite_without_title_or_description_leaves_no_gap(here: Any, environment: dict[str, str]) -> None:
    mine = Path(environment["GLASSLOOP_HOME"]) / "evals"
    mine.mkdir()
    (mine / "mine.toml").write_text(
        'name = "mine"\nassistant = "general"\n[[cases]]\nid = "a"\nquestion = "b"\ntools = []\n', "utf-8"
    )
    lines = [line.rstrip() for line in here("eval", "list").out.splitlines()]
    assert "mine  1 case" in lines, lines
    assert "" not in lines


def test_what_is_asked_by_an_eval_is_not_among_the_conversations(here: Any, suite: str) -> None:
    assert here("eval", suite, "-m", "reflex", "--json").code == 0
    assert here("sessions", "list").out.startswith("No sessions yet.")
    assert len(here("sessions", "list", "--user", "eval", "--json").json) == 2
