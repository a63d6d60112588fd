"""`bench/compare.py`: what it judges and how it ends. No test here measures time."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

PRINT_SUMMARY = """
import json, sys
import bars
found = [bars.Bar(**bar) for bar in json.loads(sys.argv[1])]
print(json.dumps({"rows": bars.rows(found), "failed": bars.failed(found)}))
"""

TO_FLOOR = """
import json, sys
import bars
print(json.dumps(dict(bars.to_floor("x", 20, json.loads(sys.argv[1])).figures)))
"""

PINS = """
import json, sys
from pathlib import Path
import venvs
print(json.dumps(venvs.pins(Path(sys.argv[1]))))
"""


@pytest.fixture
def bench(project: Path):
    """Runs a few lines in the bench folder, as its modules see each other, and reads what they print."""

    def run(code: str, argument: object) -> object:
        text = argument if isinstance(argument, str) else json.dumps(argument)
        command = [sys.executable, "-B", "-c", code, text]
        result = subprocess.run(
            command,
            cwd=project / "bench",
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env={"PYTHONPATH": "."},
        )
        return json.loads(result.stdout)

    return run


def bar(limit: float | None, **figures: float) -> Mapping[str, object]:
    return {"title": "cost", "limit": limit, "figures": figures}


def test_a_figure_at_its_bar_passes_beside_the_best_peer(bench) -> None:
    result = bench(PRINT_SUMMARY, [bar(20, glassloop=20.0, floor=1.0, agno=64.2, adk=900.0)])
    assert result == {"rows": [["cost", "≤ 20x", "20x", "agno", "64x", "PASS"]], "failed": []}


def test_a_figure_over_its_bar_fails(bench) -> None:
    result = bench(PRINT_SUMMARY, [bar(1.3, glassloop=1.31), bar(20, glassloop=3.0)])
    assert [row[-1] for row in result["rows"]] == ["FAIL", "PASS"]
    assert result["failed"] == ["cost"]


def test_a_figure_that_could_not_be_measured_fails(bench) -> None:
    result = bench(PRINT_SUMMARY, [bar(20, agno=64.0)])
    assert result["rows"] == [["cost", "≤ 20x", "no figure", "agno", "64x", "FAIL"]]


def test_a_figure_without_a_bar_is_shown_and_not_judged(bench) -> None:
    assert bench(PRINT_SUMMARY, [bar(None, glassloop=5.0)])["rows"][0][-1] == ""


def test_ratios_are_taken_to_the_floor_of_the_same_run(bench) -> None:
    assert bench(TO_FLOOR, {"floor": 2.0, "glassloop": 30.0}) == {"floor": 1.0, "glassloop": 15.0}
    assert bench(TO_FLOOR, {"glassloop": 30.0}) == {}


def test_each_section_of_the_peers_file_is_one_venv(bench, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("# one venv each\n# peer: a\nx==1\ny==2\n# peer: b\nz==3\n")
    assert bench(PINS, str(tmp_path)) == {"a": ["x==1", "y==2"], "b": ["z==3"]}


def test_an_unknown_measurement_names_those_there_are(run_script) -> None:
    result = run_script("bench/compare.py", "lop")
    assert result.returncode == 2
    assert "there is no measurement 'lop': choose from imports, loop, calls" in result.stderr
