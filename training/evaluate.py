"""Evaluation of an adapter with the real harness: the cases of suites over several processes, figures of all of them.

`python -m training.evaluate SUITE… --adapter tools.gguf --weights W.gguf --out RUNS --processes 5`
"""

import argparse
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

import msgspec
from msgspec.structs import replace

from glassloop.evals.run_file import CaseResult, read_run
from glassloop.evals.suite_files import read_suite
from glassloop.evals.summary import RunSummary, SuccessRate, by_tag, summarize

CHUNK = 4
"""Cases to a process: enough that its start is not felt, few enough that no process is left alone at the end."""
STAND_IN = Path(__file__).parent.absolute() / "stand_in"
PROGRAM = "from glassloop.cli.main import main; main()"


class Job(msgspec.Struct, frozen=True):
    """Some cases of a suite, for one process."""

    suite: Path
    cases: Sequence[str]
    label: str


def jobs_of(given: str) -> list[Job]:
    """The cases of a suite, or with `SUITE@TAG` those with a tag, a few to a process."""
    name, _, tag = given.partition("@")
    suite = Path(name)
    cases = [case.id for case in read_suite(suite).cases if not tag or tag in case.tags]
    return [Job(suite, cases[at : at + CHUNK], f"{suite.stem}-{at}") for at in range(0, len(cases), CHUNK)]


def ask(job: Job, home: Path, given: argparse.Namespace, seconds: float) -> None:
    """One process over the cases of a job; it is ended when the time is up."""
    states = given.out.absolute() / "states"
    for folder in (home, states):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (home / "states").exists():
        (home / "states").symlink_to(states)
    run = given.out / f"{job.label}.jsonl"
    run.unlink(missing_ok=True)
    setting = {
        "GLASSLOOP_HOME": str(home),
        "GLASSLOOP_EMBEDDED_WEIGHTS": str(given.weights),
        "GLASSLOOP_EMBEDDED_ADAPTER": given.adapter,
        "GLASSLOOP_EMBEDDED_THREADS": str(given.threads),
        "GLASSLOOP_EMBEDDER": "none",
    }
    if given.server:
        path = os.pathsep.join([str(STAND_IN), *filter(None, [os.environ.get("PYTHONPATH")])])
        setting |= {"PYTHONPATH": path, "LLAMA_SERVER": str(given.server), "LLAMA_SLOT": home.name.partition("-")[2]}
        setting["GLASSLOOP_EMBEDDED_CONVERSATIONS"] = "1"
    command = ["eval", "run", str(job.suite), "-m", "embedded", "--cases", ",".join(job.cases), "--out", str(run)]
    with (given.out / f"{job.label}.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", PROGRAM, *command], env=os.environ | setting, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            process.wait(None if seconds == float("inf") else seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()


def ask_all(jobs: Sequence[Job], given: argparse.Namespace, ask: Callable[..., None] = ask) -> None:
    """All jobs, so many at a time. Each place has a home of its own; what one has read of a prompt all of them use."""
    waiting, ends = deque(jobs), time.monotonic() + (given.seconds or float("inf"))

    def work(place: int) -> None:
        while waiting and (left := ends - time.monotonic()) > 0:
            ask(waiting.popleft(), given.out / f"home-{place}", given, left)

    with ThreadPoolExecutor(given.processes) as pool:
        list(pool.map(work, range(given.processes)))


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


def read_results(jobs: Sequence[Job], out: Path) -> dict[str, list[CaseResult]]:
    """What was asked, by suite; jobs that time did not suffice for are missing."""
    found: dict[str, list[CaseResult]] = {}
    for job in jobs:
        run = out / f"{job.label}.jsonl"
        if run.is_file():
            found.setdefault(job.suite.stem, []).extend(read_run(run)[1].values())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="+", help="files, or FILE@TAG for the cases with a tag")
    parser.add_argument("--adapter", default="none", help="a GGUF file, or `none`")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--server", type=int, default=0, help="port of a llama-server with a slot for each process")
    parser.add_argument("--seconds", type=float, default=0.0, help="end in so many seconds, whatever was asked by then")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    by_suite = [jobs_of(each) for each in given.suites]
    # Suites in turn: their prompts are read by different processes at first, and not by all of them at once.
    jobs = [job for row in zip_longest(*by_suite) for job in row if job is not None]
    ask_all(jobs, given)
    found = read_results(jobs, given.out)
    for name, results in found.items():
        print("\n".join([f"## {name}", *report(results)]))
    # Suites may have cases of one name.
    every = [replace(each, case=f"{name}/{each.case}") for name, results in found.items() for each in results]
    print(f"## {len(every)} of {sum(len(job.cases) for job in jobs)} cases were asked")
    print("\n".join(report(every)))


if __name__ == "__main__":
    main()
