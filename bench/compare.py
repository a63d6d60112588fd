"""Glassloop beside the hand-written floor and every peer of the shared folder, in one run.

    python bench/compare.py [loop calls growth stream concurrency imports] [--peer NAME …] [--rounds R] [--json FILE]

Prints the driver's tables and the rows with their bars; exits with 1 when one is missed. Needs the peers' folder
(`$PEERS_DIR`, default `../shared/bench/peers`); without it only Glassloop's own figures are printed.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
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

ROUNDS = {"imports": 2, "loop": 3, "calls": 1, "growth": 5, "stream": 5, "concurrency": 3}


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


class Seen:
    """What the driver recorded, what its workers answered, and the tables it made."""

    def __init__(self) -> None:
        self.records: list[figures.Record] = []
        self.tables: dict[str, tuple[str, Sequence[str], Sequence[Sequence[str]]]] = {}


def watched(driver: ModuleType, watch: Watch) -> Seen:
    """Lets the driver report to `watch`, and keeps what it found."""
    seen = Seen()

    class Worker(driver.Worker):
        def ask(self, op: str, **settings: Any) -> Any:
            watch.asked(self.name, f"{op} {settings}")
            answer = super().ask(op, **settings)
            seen.records.append({"bench": "ask", "peer": self.name, **settings, **answer})
            return answer

    plain_table = driver.table

    def table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        watch.clear()
        seen.tables.setdefault(title, (title, head, [[str(cell) for cell in row] for row in rows]))
        plain_table(title, head, rows)

    driver.Worker, driver.table, driver.record = Worker, table, lambda **row: seen.records.append(row)
    return seen


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
) -> bars.Report:
    seen = watched(driver, watch)
    found: list[bars.Bar] = []
    for name in what:
        watch.start(name)
        count = rounds or ROUNDS[name]
        before = len(seen.records)
        if name == "growth":
            found += long_run.measure(driver, peers, count)
        elif name == "imports":
            driver.imports(peers, count)
            python = driver.HOME / "venvs" / bars.OURS / "bin" / "python"
            found += figures.imports(seen.records[before:], import_cost.report(driver, python, 2 * count))
        elif name == "concurrency":
            # A crowd of a thousand takes some peers a minute: one round of all, more of those that are judged.
            driver.concurrency(peers, 1)
            if count > 1:
                driver.concurrency([peer for peer in peers if peer in (bars.OURS, bars.FLOOR)], count - 1)
            found += figures.concurrency(seen.records[before:])
        else:
            getattr(driver, name)(peers, count)
            judge: Callable[[list[figures.Record]], list[bars.Bar]] = getattr(figures, name)
            found += judge(seen.records[before:])
    watch.clear()
    return bars.Report(rows=bars.asked_by("#2", found), tables=list(seen.tables.values()))


def usable(driver: ModuleType, folder: Path, asked: Sequence[str]) -> tuple[list[str], list[str]]:
    """The peers that can be measured; and which cannot, and why."""
    reasons = venvs.ready_all(folder, asked)
    for peer in asked:
        if peer not in reasons and (reason := why_not(driver, peer)):
            reasons[peer] = reason
    left_out = [f"{peer}: {reason}" for peer, reason in reasons.items()]
    for line in left_out:
        say(f"left out is {line}")
    return [peer for peer in asked if peer not in reasons], left_out


def arguments() -> argparse.Namespace:
    parser = bars.options("Glassloop beside the hand-written floor and its peers.", 0)
    parser.add_argument("what", nargs="*", help=f"only these: {', '.join(ROUNDS)}")
    parser.add_argument("--peer", nargs="+", metavar="NAME", help="only these peers, e.g. floor glassloop")
    asked = parser.parse_intermixed_args()
    # `--peer floor glassloop loop` means the loop: no peer is called that.
    asked.what += [name for name in asked.peer or () if name in ROUNDS]
    asked.peer = [name for name in asked.peer or () if name not in ROUNDS]
    if unknown := [name for name in asked.what if name not in ROUNDS]:
        parser.error(f"there is no measurement {unknown[0]!r}: choose from {', '.join(ROUNDS)}")
    return asked


def compare(folder: Path, asked: argparse.Namespace) -> bars.Report:
    driver = peers_folder.load(folder)
    names = list(driver.A.PEERS)
    if unknown := [peer for peer in asked.peer if peer not in names]:
        sys.exit(f"There is no peer {unknown[0]!r}: choose from {', '.join(names)}.")
    peers, left_out = usable(driver, folder, asked.peer or names)
    if bars.OURS not in peers:
        sys.exit("Glassloop itself could not be measured, so there is nothing to compare.")
    if asked.peer:
        left_out.append(f"the loop of every peer but {', '.join(peers)}: only these were asked")
    return replace(measure(driver, asked.what or list(ROUNDS), peers, asked.rounds, Watch()), left_out=left_out)


def main() -> int:
    asked = arguments()
    if folder := peers_folder.find():
        report = compare(folder, asked)
    else:
        found = asyncio.run(alone.measure(asked.rounds or 5, say))
        report = bars.Report(rows=bars.asked_by("#2", found), left_out=[peers_folder.MISSING])
    return bars.tell(report, asked.json)


if __name__ == "__main__":
    sys.exit(main())
