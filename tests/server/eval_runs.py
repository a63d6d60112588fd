"""Runs of `glassloop eval` as they lie in a home folder."""

import msgspec

from glassloop.evals.results import Head, Result
from glassloop.evals.scoring import Problem
from glassloop.evals.stored import FOLDER


def write_run(home, name, rights, model="reflex"):
    """A run of four cases, of which so many were right."""
    asked = {"suite": "desk", "digest": "d", "assistant": "general", "protocol": "native", "offered": 8}
    head = Head(**asked, model=model, started_at=1_790_000_000.0)
    wrong = (Problem(part="tool", expected="calculate", got="none"),)
    lines = [head] + [
        Result(
            case=f"case-{number}", run=1, tags=("sums",), question=f"Question {number}?", session_id=f"s{number}",
            turn_ids=(f"t{number}",), tool=number < rights, arguments=None, answer=None,
            problems=() if number < rights else wrong, status="completed", seconds=1.5,
        )
        for number in range(4)
    ]  # fmt: skip
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
