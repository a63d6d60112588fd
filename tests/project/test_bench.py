"""`make bench`: what it judges, the page it prints and how it ends. No test here measures time."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]

BARS = """
found = [bars.Bar(**bar) for bar in given]
print(json.dumps({"cells": [bar.cells() for bar in found], "failed": bars.failed(found)}))
"""

TO_FLOOR = """
bar = bars.to_floor("x", 20, given["rounds"], given["seconds"])
print(json.dumps({"figures": dict(bar.figures), "spread": bar.spread}))
"""

PINS = """
folder = Path(given)
print(json.dumps([venvs.pins(folder), venvs.versions(folder)]))
"""

THERE_AND_BACK = """
given["spread"] = tuple(given["spread"]) if "spread" in given else None
report = bars.Report(rows=[bars.Bar(**given)], left_out=["weights"], tables=[("A", ["peer"], [["floor"]])])
code = bars.tell(report, Path("rows.json"))
again = bars.read(Path("rows.json"))
print(json.dumps([code, again.rows == report.rows, again.left_out]))
"""

RUN = """
where = machine.Machine(cpu="Slow", cores=2, memory_gb=8, system="Linux arm", python="3.11.7", commit="abc1234",
                        dirty=given.get("dirty", False), date="2026-11-15 12:00 UTC", load=given.get("load", 0.1))
rows = [bars.Bar(**{"title": "cost", "limit": 20, "source": "#2", "figures": {"glassloop": 12.0}, **row})
        for row in given.get("rows", [{}])]
reports = {name: bars.Report(rows=rows) for name in given.get("parts", ["loop"])}
if "left_out" in given:
    reports["embedded"] = bars.Report(left_out=given["left_out"])
run = sheet.Run(machine=where, reports=reports, broken=given.get("broken", {}), seconds=1500, quick="quick" in given,
                peers=["langgraph 1.2.20", "google-adk 2.13.0"])
print(json.dumps({"page": sheet.page(run), "markdown": sheet.markdown(run), "failed": run.failed,
                  "whole": json.loads(json.dumps(run.as_json()))}))
"""

PART = """
import page
from parts import Part
part = Part(name="mine", group="", script=given, seconds=1, quick=(), quick_seconds=1)
told = page.run_part(part, [], page.Progress([part], quick=False), Path("."))
print(json.dumps(told if isinstance(told, str) else [bar.title for bar in told.rows]))
"""

BETWEEN = """
try:
    print(json.dumps(sheet.between(given, "measured", "new")))
except ValueError as error:
    print(json.dumps(str(error)))
"""


@pytest.fixture
def bench(project: Path, tmp_path: Path) -> Bench:
    """Runs a few lines as the modules of the bench folder see each other, and reads the last line they print."""
    imports = "import json, sys; from pathlib import Path; import bars, machine, sheet, venvs\n"

    def run(code: str, argument: object) -> Any:
        command = [
            sys.executable,
            "-B",
            "-c",
            f"{imports}given = json.loads(sys.argv[1])\n{code}",
            json.dumps(argument),
        ]
        environment = {"PYTHONPATH": str(project / "bench")}
        result = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False, env=environment
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout.splitlines()[-1])

    return run


def bar(limit: float | None, **figures: float) -> dict[str, object]:
    return {"title": "cost", "limit": limit, "source": "#2", "figures": figures}


def test_a_figure_at_its_bar_passes_beside_the_best_peer(bench: Bench) -> None:
    result = bench(BARS, [bar(20, glassloop=20.0, floor=1.0, agno=64.2, adk=900.0)])
    assert result == {"cells": [["cost", "≤ 20x", "#2", "20x", "", "agno 64x", "PASS"]], "failed": []}


def test_a_figure_over_its_bar_fails(bench: Bench) -> None:
    result = bench(BARS, [bar(1.3, glassloop=1.31), bar(20, glassloop=3.0)])
    assert [cells[-1] for cells in result["cells"]] == ["FAIL", "PASS"]
    assert result["failed"] == ["cost"]


def test_a_figure_that_could_not_be_measured_fails(bench: Bench) -> None:
    result = bench(BARS, [bar(20, agno=64.0)])
    assert result["cells"] == [["cost", "≤ 20x", "#2", "no figure", "", "agno 64x", "FAIL"]]


def test_a_figure_without_a_bar_is_shown_and_not_judged(bench: Bench) -> None:
    (cells,) = bench(BARS, [{**bar(None, glassloop=5.25), "spread": [4.5, 12.0]}])["cells"]
    assert cells == ["cost", "", "", "5.25x", "4.50–12", "", ""]


def test_ratios_and_their_spread_are_taken_to_the_floor_of_the_same_round(bench: Bench) -> None:
    rounds = {"floor": [1.0, 2.0], "glassloop": [20.0, 30.0]}
    found = bench(TO_FLOOR, {"rounds": rounds, "seconds": {"floor": 2.0, "glassloop": 30.0}})
    assert found == {"figures": {"floor": 1.0, "glassloop": 15.0}, "spread": [15.0, 20.0]}
    assert bench(TO_FLOOR, {"rounds": {}, "seconds": {"glassloop": 30.0}}) == {"figures": {}, "spread": None}


def test_each_section_of_the_peers_file_is_one_venv_whose_own_package_names_its_version(bench, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("# each a venv\n# peer: a_b\nx==1\na-b-slim==2.0\n# peer: c\nc==3\n")
    pins, versions = bench(PINS, str(tmp_path))
    assert pins == {"a_b": ["x==1", "a-b-slim==2.0"], "c": ["c==3"]}
    assert versions == ["a-b-slim 2.0", "c 3"]


def test_a_part_tells_its_rows_as_the_page_reads_them(bench: Bench) -> None:
    given = {**bar(20, glassloop=21.0), "spread": [19.0, 22.0]}
    assert bench(THERE_AND_BACK, given) == [1, True, ["weights"]]
    assert bench(THERE_AND_BACK, bar(20, glassloop=1.0)) == [0, True, ["weights"]]


def test_the_page_names_machine_commit_load_peers_bars_and_verdicts(bench: Bench) -> None:
    shown = bench(RUN, {"dirty": True})["page"]
    for said in ("commit abc1234 with changes", "2026-11-15", "2 cores", "load 0.1 before", "google-adk 2.13.0",
                 "the loop [loop]", "1 of 1 bars are met", "Noise:"):  # fmt: skip
        assert said in shown
    assert re.search(r"^  cost +≤ 20x +#2 +12x +PASS$", shown, re.M)
    assert "BUSY" not in shown


def test_a_full_page_has_at_most_80_lines_of_110_columns(bench: Bench) -> None:
    row = {"title": "a long title " * 5, "limit": 1000, "unit": " calls", "spread": (1234.5, 98765.4),
           "figures": {"glassloop": 123.4, "openai_agents": 12345.6}}  # fmt: skip
    parts = ["loop", "store", "durable", "sse", "sessions", "retrieval", "business"]
    shown = bench(RUN, {"parts": parts, "rows": [row] * 7, "left_out": ["its weights are not here"]})[
        "page"
    ].splitlines()
    assert sum(line.endswith("PASS") for line in shown) == 49
    assert len(shown) <= 80
    assert max(map(len, shown)) <= 110


def test_a_busy_machine_and_a_quick_run_say_so(bench: Bench) -> None:
    shown = bench(RUN, {"load": 3.9, "quick": True})
    assert "THE MACHINE WAS BUSY" in shown["page"]
    assert "busy" in shown["markdown"]
    assert "QUICK" in shown["page"]


def test_what_was_not_measured_is_said_with_its_reason(bench: Bench) -> None:
    shown = bench(RUN, {"left_out": ["its weights are not here"]})
    for text in (shown["page"], shown["markdown"], " ".join(shown["whole"]["left_out"])):
        assert "its weights are not here" in " ".join(text.split())
        assert "sessions" in text


def test_a_missed_bar_and_a_broken_part_both_fail_the_run(bench: Bench) -> None:
    assert bench(RUN, {})["failed"] is False
    missed = bench(RUN, {"rows": [{}, {"title": "slow", "figures": {"glassloop": 21.0}}]})
    assert missed["failed"] is True
    assert "1 of 2 bars are met. Missed: slow." in missed["page"]
    broken = bench(RUN, {"broken": {"sse": "exit code 1, its log ends with 'no port'"}})
    assert broken["failed"] is True
    assert "sse: exit code 1" in broken["page"]


def test_a_part_that_breaks_is_told_with_its_last_words(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "part.py"
    script.write_text("import sys\nprint('so far')\nsys.exit('No port is free.')\n")
    assert bench(PART, str(script)) == "exit code 1, its log ends with 'No port is free.'"


def test_a_part_that_misses_a_bar_is_told_all_the_same(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "part.py"
    script.write_text(
        "import bars, sys\nfrom pathlib import Path\n"
        "row = bars.Bar(title='slow', limit=1, figures={bars.OURS: 2.0})\n"
        "sys.exit(bars.tell(bars.Report(rows=[row]), Path(sys.argv[2])))\n"
    )
    assert bench(PART, str(script)) == ["slow"]


def test_only_what_stands_between_the_markers_is_replaced(bench: Bench) -> None:
    text = "a\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nz\n"
    assert bench(BETWEEN, text) == text.replace("old", "new")
    assert "are not there" in bench(BETWEEN, "a\n<!-- measured: begin -->\nold")


def test_the_docs_have_their_markers_and_say_what_was_measured_when(bench: Bench, project: Path) -> None:
    page = (project / "docs" / "benchmarks.md").read_text("utf-8")
    figures = page.partition("<!-- measured: begin -->\n")[2].partition("\n<!-- measured: end -->")[0]
    assert bench(BETWEEN, page) == page.replace(figures, "new")
    assert re.search(r"commit [0-9a-f]{7}", figures)
    assert re.search(r"\d{4}-\d\d-\d\d", figures)
    scale = (project / "docs" / "scale.md").read_text("utf-8")
    for name in ("measured", "capacity", "off"):
        assert f"<!-- {name}: begin -->" in scale.partition(f"<!-- {name}: end -->")[0]


def test_every_part_is_a_script_that_tells_its_rows(bench: Bench, project: Path) -> None:
    parts = bench("from parts import PARTS\nprint(json.dumps({p.name: p.script for p in PARTS.values()}))", None)
    assert len(parts) > 8
    for script in parts.values():
        assert "bars.tell(" in (project / "bench" / script).read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["lop"], "there is no part 'lop': choose from loop, store"),
        (["--rounds", "0"], "--rounds 0 measures nothing"),
        (["--markdown", "--quick"], "--markdown wants a whole run"),
    ],
)
def test_a_request_that_makes_no_sense_names_the_remedy(run_script, given: list[str], said: str) -> None:
    result = run_script("bench/page.py", *given)
    assert result.returncode == 2
    assert said in result.stderr


def test_an_unknown_measurement_names_those_there_are(run_script) -> None:
    result = run_script("bench/compare.py", "lop")
    assert result.returncode == 2
    assert "there is no measurement 'lop': choose from imports, loop, calls" in result.stderr
