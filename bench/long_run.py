"""What one more iteration costs in a run of 1,000 beside one of 20: a loop that copies its history shows here.

Asks the driver's workers, in turn, and takes the best of the rounds, because a neighbour's load only ever adds. A peer
for which long runs take too long is not waited for.
"""

import statistics
from collections.abc import Sequence
from types import ModuleType

from bars import OURS, Bar
from figures import long_run

SHORT, LONG = (1, 20), (500, 1000)
LENGTHS = (*SHORT, *LONG)
ONCE_SECONDS, GIVE_UP_SECONDS = 2.0, 8.0
TRIED, TRIED_SECONDS = 100, 0.9
"""A peer that takes longer for a tenth, and whose cost grows, would keep everybody waiting for minutes."""

Times = dict[tuple[str, int], list[float]]


def measure(driver: ModuleType, peers: Sequence[str], rounds: int) -> list[Bar]:
    took: Times = {(peer, n): [] for peer in peers for n in LENGTHS}
    gone: dict[str, str] = {}
    workers = {peer: driver.Worker(peer) for peer in peers}
    for peer, worker in workers.items():
        worker.ask("loop", n=5, seconds=0.5, max_runs=100)
        run = worker.ask("loop", n=TRIED, seconds=0, max_runs=1)
        if "error" in run or run["cpu"][0] > TRIED_SECONDS:
            gone[peer] = f"N={TRIED}: " + (run.get("error") or f"{run['cpu'][0]:.1f} s of CPU for one run")[:60]
    for _ in range(rounds):
        slow: set[str] = set()
        for n in LENGTHS:
            for peer in [peer for peer in workers if peer not in gone]:
                run = workers[peer].ask("loop", n=n, seconds=0.3 if n in SHORT else 0, max_runs=200)
                if "cpu" in run:
                    took[peer, n].append(statistics.median(run["cpu"]))
                seconds = run["times"][0] if "times" in run else 0.0
                if "error" in run or seconds > GIVE_UP_SECONDS:
                    gone[peer] = f"N={n}: " + (run.get("error") or f"{seconds:.0f} s for one run")[:60]
                elif seconds > ONCE_SECONDS:
                    slow.add(peer)
        gone |= dict.fromkeys(slow, "slow: one round was enough")
    for worker in workers.values():
        worker.close()
    return report(driver, peers, took, gone)


def report(driver: ModuleType, peers: Sequence[str], took: Times, gone: dict[str, str]) -> list[Bar]:
    ratios: dict[str, float] = {}
    table: list[list[str]] = []
    for peer in peers:
        if not all(took[peer, n] for n in LENGTHS):
            table.append([peer, "", "", gone.get(peer, "no figure")])
            continue
        cpu = {n: min(took[peer, n]) for n in LENGTHS}
        short, long = slope(cpu, *SHORT), slope(cpu, *LONG)
        ratios[peer] = long / short
        table.append([peer, f"{short * 1e6:.0f}", f"{long * 1e6:.0f}", f"{ratios[peer]:.2f}x"])
        driver.record(bench="long_run", peer=peer, cpu=cpu)
    head = ["peer", f"N={SHORT[0]}→{SHORT[1]}", f"N={LONG[0]}→{LONG[1]}", "ratio"]
    driver.table("A3. One more iteration in a long run, CPU µs", head, table)
    each = zip(*(took.get((OURS, n), []) for n in LENGTHS), strict=False)
    rounds = [dict(zip(LENGTHS, cpu, strict=True)) for cpu in each]
    return [long_run(ratios, [slope(cpu, *LONG) / slope(cpu, *SHORT) for cpu in rounds])]


def slope(cpu: dict[int, float], short: int, long: int) -> float:
    return (cpu[long] - cpu[short]) / (long - short)
