"""Turns what the driver recorded into the rows of the loop, one number a peer. Measures nothing itself."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import import_cost
from bars import FLOOR, OURS, Bar, ratios, span, to_floor

Record = dict[str, Any]

IDEAL_SECONDS = 0.3


def loop(records: Sequence[Record]) -> list[Bar]:
    marginal = {record["peer"]: record["marginal_1_20"] for record in records if record["bench"] == "loop"}
    rounds: dict[str, list[float]] = {}
    for peer in (OURS, FLOOR):
        cpu = {n: [statistics.median(ask["cpu"]) for ask in asks(records, peer) if ask["n"] == n] for n in (1, 20)}
        rounds[peer] = [(long - short) / 19 for short, long in zip(cpu[1], cpu[20], strict=True)]
    return [to_floor("CPU per iteration (marginal), to the floor", 20, rounds, marginal)]


def asks(records: Sequence[Record], peer: str) -> list[Record]:
    return [record for record in records if record["bench"] == "ask" and record["peer"] == peer and "cpu" in record]


def calls(records: Sequence[Record]) -> list[Bar]:
    made = [record for record in records if record["bench"] == "calls"]
    return [iteration_calls({record["peer"]: (record["calls"][20] - record["calls"][1]) / 19 for record in made})]


def iteration_calls(made: Mapping[str, float]) -> Bar:
    return Bar(title="function calls per iteration (marginal)", limit=200, unit=" calls", figures=made)


def long_run(figures: Mapping[str, float], rounds: Sequence[float]) -> Bar:
    return Bar(title="one more iteration at N=1000, to N=20", limit=1.3, figures=figures, spread=span(rounds))


def stream(records: Sequence[Record]) -> list[Bar]:
    bursts = {record["peer"]: [run["cpu"] for run in record["burst"]] for record in records if "burst" in record}
    seconds = {peer: statistics.median(cpu) for peer, cpu in bursts.items()}
    return [to_floor("CPU per streamed event, to the floor", 10, bursts, seconds)]


def concurrency(records: Sequence[Record]) -> list[Bar]:
    crowds: dict[str, list[float]] = {}
    for record in records:
        if record["bench"] == "concurrency" and record["k"] == 1000:
            crowds.setdefault(record["peer"], []).extend(run["wall"] / IDEAL_SECONDS for run in record["runs"])
    return [together(crowds)]


def together(wall: Mapping[str, Sequence[float]]) -> Bar:
    figures = {peer: statistics.median(each) for peer, each in wall.items()}
    title = "1,000 runs at once, wall time to the ideal"
    return Bar(title=title, limit=3, figures=figures, spread=span(wall.get(OURS, ())))


def imports(records: Sequence[Record], costs: Mapping[str, Sequence[float]]) -> list[Bar]:
    """`costs` as `import_cost` measured them; the peers' figures come from the driver's records."""
    base = min(costs[import_cost.BASE])
    others = [record for record in records if record["bench"] == "imports" and record["peer"] != OURS]
    peers = {record["peer"]: (record["cpu"] - record["bare_cpu"]) / base for record in others}
    return [
        Bar(
            title=f"`{statement.removeprefix('from glassloop ')}`, to its libraries'",
            limit=1.3,
            figures={**peers, OURS: min(costs[statement]) / base},
            spread=span(ratios(costs[statement], costs[import_cost.BASE])),
        )
        for statement in import_cost.STATEMENTS
    ]
