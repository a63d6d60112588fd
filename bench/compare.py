"""Glassloop beside the hand-written floor and every peer of the shared folder, in one run.

    python bench/compare.py [loop calls growth stream concurrency imports] [--peer NAME …] [--rounds R] [--json FILE]

Prints the driver's tables and a summary with the bar of each figure; exits with 1 when one is missed. Needs the peers'
folder (`$PEERS_DIR`, default `../shared/bench/peers`); without it only Glassloop's own figures are printed.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import alone
import bars
import figures
import import_cost
import long_run
import peers_folder
import venvs

ROUNDS = {"imports": 7, "loop": 7, "calls": 1, "growth": 5, "stream": 7, "concurrency": 3}


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Watch:
    """Shows which peer is asked, on one line of a terminal; elsewhere only what each stage is."""

    def __init__(self) -> None:
        self.stage, self.began, self.live = "", time.monotonic(), sys.stderr.isatty()

    def start(self, stage: str) -> None:
        self.stage = stage
        say(f"{stage} ({time.monotonic() - self.began:.0f} s so far)")

    def asked(self, peer: str, what: str) -> None:
        if self.live:
            print(f"\r\033[K  {self.stage}: {peer}, {what}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def watched(driver: ModuleType, watch: Watch) -> list[figures.Record]:
    """Lets the driver report to `watch` and keep its records in the list that is returned."""
    records: list[figures.Record] = []

    class Worker(driver.Worker):
        def ask(self, op: str, **settings: Any) -> Any:
            watch.asked(self.name, f"{op} {settings}")
            return super().ask(op, **settings)

    plain_table = driver.table

    def table(*arguments: Any) -> None:
        watch.clear()
        plain_table(*arguments)

    driver.Worker, driver.table, driver.record = Worker, table, lambda **row: records.append(row)
    return records


def why_not(driver: ModuleType, peer: str) -> str | None:
    """Why a peer cannot be measured: one short run tells."""
    try:
        worker = driver.Worker(peer)
        answer = worker.ask("loop", n=2, seconds=0, max_runs=1)
        worker.close()
    except OSError as error:
        answer = {"error": str(error)}
    if "error" not in answer:
        return None
    log = driver.HOME / f"worker.{peer}.log"
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else answer["error"]


def measure(
    driver: ModuleType, what: Sequence[str], peers: Sequence[str], rounds: int | None, watch: Watch
) -> tuple[list[bars.Bar], list[figures.Record]]:
    """Runs each measurement; its bars, and all that was recorded."""
    records = watched(driver, watch)
    found: list[bars.Bar] = []
    for name in what:
        watch.start(name)
        count = rounds or ROUNDS[name]
        before = len(records)
        getattr(driver, name)(peers, count)
        new = [record for record in records[before:] if record["bench"] == name]
        if name == "growth":
            found += long_run.measure(driver, peers, count)
        elif name == "imports":
            python = driver.HOME / "venvs" / bars.OURS / "bin" / "python"
            found += figures.imports(new, import_cost.report(driver, python, 2 * count))
        else:
            judge: Callable[[list[figures.Record]], list[bars.Bar]] = getattr(figures, name)
            found += judge(new)
    watch.clear()
    return found, records


def usable(driver: ModuleType, folder: Path, asked: Sequence[str]) -> list[str]:
    """The peers that can be measured; says which cannot and why."""
    reasons = venvs.ready_all(folder, asked)
    for peer in asked:
        if peer not in reasons and (reason := why_not(driver, peer)):
            reasons[peer] = reason
    for peer, reason in reasons.items():
        say(f"{peer} is left out: {reason}")
    return [peer for peer in asked if peer not in reasons]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Glassloop beside the hand-written floor and its peers.")
    parser.add_argument("what", nargs="*", help=f"only these: {', '.join(ROUNDS)}")
    parser.add_argument("--peer", nargs="+", metavar="NAME", help="only these peers, e.g. floor glassloop")
    parser.add_argument("--rounds", type=int, help="how often each measurement is taken")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there as well")
    asked = parser.parse_intermixed_args()
    # `--peer floor glassloop loop` means the loop: no peer is called that.
    asked.what += [name for name in asked.peer or () if name in ROUNDS]
    asked.peer = [name for name in asked.peer or () if name not in ROUNDS]
    if unknown := [name for name in asked.what if name not in ROUNDS]:
        parser.error(f"there is no measurement {unknown[0]!r}: choose from {', '.join(ROUNDS)}")
    return asked


def compare(folder: Path, asked: argparse.Namespace) -> tuple[list[bars.Bar], list[figures.Record]]:
    driver = peers_folder.load(folder)
    names = list(driver.A.PEERS)
    if unknown := [peer for peer in asked.peer if peer not in names]:
        sys.exit(f"There is no peer {unknown[0]!r}: choose from {', '.join(names)}.")
    peers = usable(driver, folder, asked.peer or names)
    if bars.OURS not in peers:
        sys.exit("Glassloop itself could not be measured, so there is nothing to compare.")
    return measure(driver, asked.what or list(ROUNDS), peers, asked.rounds, Watch())


def main() -> int:
    asked = arguments()
    if folder := peers_folder.find():
        found, records = compare(folder, asked)
    else:
        say("no peers' folder (set PEERS_DIR to the one with bench.py and adapters.py): Glassloop's own figures only.")
        found, records = asyncio.run(alone.measure(asked.rounds or 5, say)), []
    print_summary(found)
    if asked.json:
        summary = [dict(zip(bars.HEAD, row, strict=True)) for row in bars.rows(found)]
        asked.json.write_text(json.dumps({"summary": summary, "records": records}, indent=1))
    missed = bars.failed(found)
    print(f"\nMissed: {'; '.join(missed)}." if missed else "\nEvery bar is cleared.")
    return 1 if missed else 0


def print_summary(found: Sequence[bars.Bar]) -> None:
    print("\n## Summary\n| " + " | ".join(bars.HEAD) + " |\n|" + "---|" * len(bars.HEAD))
    for row in bars.rows(found):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    sys.exit(main())
