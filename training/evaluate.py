"""Evaluation of an adapter with the real harness: the cases of a suite over several processes, figures of all of them.

`python -m training.evaluate tests/evals/harbour.toml --adapter tools.gguf --weights W.gguf --out RUNS --processes 5`
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from glassloop.evals.run_file import CaseResult, read_run
from glassloop.evals.suite_files import read_suite
from glassloop.evals.summary import RunSummary, SuccessRate, by_tag, summarize

PROGRAM = "from glassloop.cli.main import main; main()"


def split_cases(cases: Sequence[str], count: int) -> list[Sequence[str]]:
    """The cases in turn over so many processes, none empty."""
    return [part for number in range(count) if (part := cases[number::count])]


def start(
    suite: Path, cases: Sequence[str], number: int, given: argparse.Namespace
) -> tuple[subprocess.Popen[bytes], Path]:
    """One process with a home of its own over some of the cases."""
    home, run = given.out / f"home-{number}", given.out / f"{number}.jsonl"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    run.unlink(missing_ok=True)
    setting = {
        "GLASSLOOP_HOME": str(home),
        "GLASSLOOP_EMBEDDED_WEIGHTS": str(given.weights),
        "GLASSLOOP_EMBEDDED_ADAPTER": given.adapter,
        "GLASSLOOP_EMBEDDED_THREADS": str(given.threads),
        "GLASSLOOP_EMBEDDER": "none",
    }
    command = ["eval", "run", str(suite), "-m", "embedded", "--cases", ",".join(cases), "--out", str(run)]
    log = (given.out / f"{number}.log").open("wb")
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", PROGRAM, *command], env=os.environ | setting, stdout=log, stderr=subprocess.STDOUT
    )
    return process, run


def told(name: str, summary: RunSummary) -> str:
    def part(label: str, rate: SuccessRate) -> str:
        return f"{label} {rate.right:g}/{rate.of} ({rate.low:.2f}-{rate.high:.2f})"

    parts = [part("all", summary.passed), part("tool", summary.tool), part("arguments", summary.arguments)]
    return f"{name}: " + ", ".join([*parts, part("answer", summary.answer), part("readable", summary.readable)])


def report(results: Sequence[CaseResult]) -> list[str]:
    """The figures of all cases and by tag, with 95 % intervals, then the cases that are not right."""
    lines = [told("all", summarize(results)), *(told(tag, each) for tag, each in by_tag(results).items())]
    wrong = [result for result in results if not result.passed]
    return [*lines, *(f"  {result.case}: {'; '.join(each.part for each in result.problems)}" for result in wrong)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--adapter", default="none", help="a GGUF file, or `none`")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    cases = [case.id for case in read_suite(given.suite).cases]
    started = [
        start(given.suite, part, number, given) for number, part in enumerate(split_cases(cases, given.processes))
    ]
    for process, run in started:
        if process.wait() not in (0, 1):
            sys.exit(f"A process failed: read {run.with_suffix('.log')}.")
    results = [result for _, run in started for result in read_run(run)[1].values()]
    print("\n".join(report(results)))


if __name__ == "__main__":
    main()
