"""Puts what was measured into docs/benchmarks.md, and into docs/scale.md with the constants of its model.

The constants are kept in `bench/constants.json`, which `bench/capacity.py` reads; whatever it then prints is what
docs/scale.md shows. Prose is nobody's business here.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import sheet

ROOT = Path(__file__).resolve().parent.parent
CONSTANTS = Path(__file__).with_name("constants.json")
SEEN = "burst_"
"""Before the names of what is no constant: what a crowd of turns at once really did."""


def write(run: sheet.Run) -> None:
    edit("benchmarks.md", {"measured": sheet.markdown(run)})
    served = run.reports.get("served")
    if served is None or not served.constants:
        return
    m = run.machine
    values = {name: value for name, value in served.constants.items() if not name.startswith(SEEN)}
    seen = {name.removeprefix(SEEN): value for name, value in served.constants.items() if name.startswith(SEEN)}
    where = f"{m.cpu}, {m.cores} cores, {sheet.loads(m)}, {m.state}, {m.date}"
    CONSTANTS.write_text(json.dumps({"measured": where, "values": values}, indent=2) + "\n", "utf-8")
    edit("scale.md", {
        "measured": f"Those of `bench/served.py` were measured by `make bench`: {where}.",
        "capacity": f"```text\n{capacity()}```",
        "off": off(json.loads(capacity("--burst", "1000")), seen),
    }, values)  # fmt: skip


def edit(name: str, marked: dict[str, str], values: dict[str, float] | None = None) -> None:
    path = ROOT / "docs" / name
    text = path.read_text("utf-8")
    for marker, new in marked.items():
        text = sheet.between(text, marker, new)
    for constant, value in (values or {}).items():
        text = re.sub(rf"^(\| `{constant}` \|) [\d.]+ \|", rf"\g<1> {value:g} |", text, flags=re.M)
    path.write_text(text, "utf-8")


def capacity(*arguments: str) -> str:
    """What it prints: in a process of its own, which reads the constants anew."""
    command = [sys.executable, str(Path(__file__).with_name("capacity.py")), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def off(simulated: dict[str, float], seen: dict[str, float]) -> str:
    named = {"cpu_s": ("CPU of the server", "s"), "p50_ms": ("an event late, p50", "ms"),
             "p99_ms": ("an event late, p99", "ms")}  # fmt: skip
    rows = [
        (what, f"{simulated[name]:.3g} {unit}", f"{seen[name]:.3g} {unit}", f"{simulated[name] / seen[name] - 1:+.0%}")
        for name, (what, unit) in named.items()
    ]
    return sheet.grid(("", "simulated", "measured", "off by"), rows)
