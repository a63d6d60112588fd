"""Logs and call sets that others published, rebuilt from copies of their repositories; nothing of them is kept here.

`python tests/protocols/public_logs.py ReAct.git gorilla.git` takes what the tests read from clones of `ysymyth/ReAct`
and `ShishirPatil/gorilla` (any git directory) and puts it into `.cache/public`. The tests skip what is not there.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from glassloop.core.messages import ToolSpec
from protocols.call_forms import Call

HOME = Path(__file__).parents[2] / ".cache" / "public"
SETS = (
    *("simple_python", "multiple", "parallel", "parallel_multiple"),
    *("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"),
)
_BFCL = "berkeley-function-call-leaderboard/bfcl_eval/data"
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": ""}


def outputs(notebook: str) -> str:
    """What the cells of a notebook printed."""
    cells = json.loads((HOME / notebook).read_text())["cells"]
    return "".join("".join(made.get("text", ())) for cell in cells for made in cell.get("outputs", ()))


def fever_steps() -> Iterator[tuple[str, Call]]:
    """Steps as the model wrote them, well formed: one bracket to the line's end; and what each of them asks for."""
    step = re.compile(
        r"^(Thought (\d+):(?:(?!\nObservation).)*?)\n(Action \2: (\w+)\[([^\n]*)\])$", re.MULTILINE | re.DOTALL
    )
    for found in step.finditer(outputs("FEVER.ipynb")):
        yield f"{found[1]}\n{found[3]}", (found[4], {"text": found[5]})


def webshop_steps() -> Iterator[tuple[str, Call]]:
    for found in re.finditer(r"^Action: ((search|click|think)\[(.*)\])$", outputs("WebShop.ipynb"), re.MULTILINE):
        yield found[0], (found[2], {"text": found[3]})


@cache
def call_sets() -> list[tuple[dict[str, ToolSpec], list[Call]]]:
    """The tools of each question of BFCL and the calls that answer it."""
    sets: list[tuple[dict[str, ToolSpec], list[Call]]] = []
    for name in SETS:
        answers = {row["id"]: row["ground_truth"] for row in _rows(f"answers_{name}.json")}
        for row in _rows(f"{name}.json"):
            specs = (
                ToolSpec(name=f["name"], description=f["description"], parameters=_schema(f["parameters"]))
                for f in row["function"]
            )
            calls = [
                (tool, {key: _first(values) for key, values in args.items() if values and values[0] not in ("", None)})
                for answer in answers.get(row["id"], ())
                for tool, args in answer.items()
            ]
            if calls:
                sets.append(({spec.name: spec for spec in specs}, calls))
    return sets


def _rows(name: str) -> Iterator[Any]:
    return map(json.loads, (HOME / name).read_text().splitlines())


def _schema(value: Any) -> Any:
    """As JSON schema: BFCL names types as Python does."""
    if isinstance(value, list):
        return [_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: _schema(item) for key, item in value.items()}
    if isinstance(made.get("type"), str):
        made["type"] = _TYPES.get(made["type"], made["type"])
        if not made["type"]:
            del made["type"]
    return made


def _first(values: Any) -> Any:
    """The first of the answers that count, also inside of objects."""
    value = values[0] if isinstance(values, list) else values
    if isinstance(value, dict):
        return {key: _first(inner) for key, inner in value.items() if inner != [""]}
    if isinstance(value, list):
        return [_first([item]) for item in value]
    return value


def gather(react: str, gorilla: str) -> None:
    HOME.mkdir(parents=True, exist_ok=True)
    wanted = {name: (react, name) for name in ("FEVER.ipynb", "WebShop.ipynb")}
    for name in SETS:
        wanted[f"{name}.json"] = (gorilla, f"{_BFCL}/BFCL_v4_{name}.json")
        wanted[f"answers_{name}.json"] = (gorilla, f"{_BFCL}/possible_answer/BFCL_v4_{name}.json")
    for name, (repository, path) in wanted.items():
        made = subprocess.run(["git", "-C", repository, "show", f"HEAD:{path}"], check=True, capture_output=True)
        (HOME / name).write_bytes(made.stdout)


if __name__ == "__main__":
    gather(*sys.argv[1:3])
