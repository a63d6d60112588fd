"""Turns what the driver recorded into the figures that the bars judge, one number a peer. Measures nothing itself."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import import_cost
from bars import OURS, Bar, import_ratio, iteration_calls, to_floor, together

Record = dict[str, Any]

IDEAL_SECONDS = 0.3
STREAMED = 1000


def loop(records: Sequence[Record]) -> list[Bar]:
    marginal = {record["peer"]: record["marginal_1_20"] for record in records}
    return [to_floor("CPU per iteration (N=20, marginal), to the floor", 20, marginal)]


def calls(records: Sequence[Record]) -> list[Bar]:
    return [iteration_calls({record["peer"]: (record["calls"][20] - record["calls"][1]) / 19 for record in records})]


def stream(records: Sequence[Record]) -> list[Bar]:
    def cpu(record: Record) -> float:
        return statistics.median(run["cpu"] for run in record["burst"]) / STREAMED

    return [to_floor("CPU per streamed event, to the floor", 10, {record["peer"]: cpu(record) for record in records})]


def concurrency(records: Sequence[Record]) -> list[Bar]:
    def best(time: str) -> dict[str, float]:
        crowds = (record for record in records if record["k"] == 1000)
        return {crowd["peer"]: min(run[time] for run in crowd["runs"]) / IDEAL_SECONDS for crowd in crowds}

    return together(best("wall"), best("cpu"))


def imports(records: Sequence[Record], costs: Mapping[str, float]) -> list[Bar]:
    """`costs` as `import_cost` measured them; the peers' figures come from the driver's records."""
    base = costs[import_cost.BASE]
    others = [record for record in records if record["peer"] != OURS]
    peers = {record["peer"]: (record["cpu"] - record["bare_cpu"]) / base for record in others}
    return [
        import_ratio(statement, import_cost.BASE, {**peers, OURS: costs[statement] / base})
        for statement in import_cost.STATEMENTS
    ]
