"""Runs of `glassloop eval` as they lie in a home folder."""

import msgspec

from glassloop.evals.run_file import CaseResult, RunHeader
from glassloop.evals.score import Mismatch
from glassloop.evals.stored_runs import FOLDER


def write_run(home, name, rights, model="reflex"):
    """A run of four cases, of which so many were right."""
    asked = {"suite": "desk", "digest": "d", "assistant": "general", "protocol": "native", "offered": 8}
    head = RunHeader(**asked, model=model, started_at=1_790_000_000.0)
    wrong = (Mismatch(part="tool", expected="calculate", got="none"),)
    lines = [head] + [
        CaseResult(
            case=f"case-{number}", run=1, tags=("sums",), question=f"Question {number}?", session_id=f"s{number}",
            turn_ids=(f"t{number}",), tool=number < rights, arguments=None, answer=None,
            problems=() if number < rights else wrong, status="completed", seconds=1.5,
        )
        for number in range(4)
    ]  # fmt: skip
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
