"""Figures over time, for those who look after a server: how many turns, how long, how dear, how good.

What turns cost comes from their rows, all of the period; how long they took from the newest of them. What tools did and
why turns failed stands in the log only: the newest turns are read for that, and how many that were is told.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from glassloop.core import events as e
from glassloop.core.records import Record
from glassloop.store import turn_log
from glassloop.store.access import Access
from glassloop.store.database import Database

DAY_S = 86_400
MOST_TIMED = 20_000
READ_TURNS = 400
MOST_TOOLS = 40

# Whole seconds first: databases round a fraction differently.
_DAY = "CAST(started_at AS BIGINT) / 86400"
_TURNS = f"""SELECT {_DAY}, status, count(*), sum(coalesce(input_tokens, 0)), sum(coalesce(output_tokens, 0)),
 sum(coalesce(cost, 0)) FROM turns WHERE started_at >= :since GROUP BY 1, status"""  # noqa: S608
_TIMES = f"""SELECT {_DAY}, latency_ms FROM turns WHERE started_at >= :since AND status = 'completed'
 AND latency_ms IS NOT NULL ORDER BY started_at DESC LIMIT :most"""  # noqa: S608
_RATINGS = f"""SELECT {_DAY}, rating, count(*) FROM sessions WHERE rating IS NOT NULL AND started_at >= :since
 GROUP BY 1, rating"""  # noqa: S608
_NEWEST = """SELECT id FROM turns WHERE started_at >= :since AND status NOT IN ('running', 'paused')
 ORDER BY started_at DESC LIMIT :most"""


class DayFigures(Record, frozen=True, kw_only=True):
    """One day (UTC). Latencies are of the newest turns that were completed; None where there was none."""

    day: str
    turns: int
    failed: int
    cancelled: int
    input_tokens: int
    output_tokens: int
    cost: float
    p50_ms: float | None
    p95_ms: float | None
    good: int
    bad: int


class ToolFigures(Record, frozen=True, kw_only=True):
    """What a tool did in the turns that were read."""

    tool: str
    calls: int
    failed: int
    cached: int
    p50_ms: float | None


class PeriodFigures(Record, frozen=True, kw_only=True):
    """A period: day by day, and as a whole. `tools` and `errors` are of the newest `turns_read` turns."""

    days: tuple[DayFigures, ...]
    p50_ms: float | None
    p95_ms: float | None
    tools: tuple[ToolFigures, ...]
    errors: dict[str, int]
    turns_read: int


class Measuring(Access):
    """What an operator wants to see at a glance."""

    async def figures(self, since: float) -> PeriodFigures:
        """Of the turns that started since then. Reads much: half a second for a hundred thousand turns."""
        return await self._read(lambda db: figures(db, since))


class _Day:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.cost = 0.0
        self.latencies: list[float] = []


def figures(db: Database, since: float) -> PeriodFigures:
    days: defaultdict[int, _Day] = defaultdict(_Day)
    for day, status, turns, read, written, cost in db.run(_TURNS, since=since):
        days[day].counts.update({"turns": turns, status: turns, "input": int(read), "output": int(written)})
        days[day].cost += float(cost)
    for day, latency in db.run(_TIMES, since=since, most=MOST_TIMED):
        days[day].latencies.append(latency)
    for day, rating, rated in db.run(_RATINGS, since=since):
        days[day].counts[rating] += rated
    every = sorted(latency for day in days.values() for latency in day.latencies)
    ids = [row[0] for row in db.run(_NEWEST, since=since, most=READ_TURNS)]
    tools, errors = _from_log(turn_log.read_events(db, turn, skip_unknown=True) for turn in ids)
    return PeriodFigures(
        days=tuple(_figures_of(day, days[day]) for day in sorted(days)),
        p50_ms=_share(every, 0.5),
        p95_ms=_share(every, 0.95),
        tools=tools,
        errors=errors,
        turns_read=len(ids),
    )


def _figures_of(number: int, day: _Day) -> DayFigures:
    latencies, counts = sorted(day.latencies), day.counts
    return DayFigures(
        day=datetime.fromtimestamp(number * DAY_S, UTC).date().isoformat(),
        turns=counts["turns"],
        failed=counts["failed"],
        cancelled=counts["cancelled"],
        input_tokens=counts["input"],
        output_tokens=counts["output"],
        cost=day.cost,
        p50_ms=_share(latencies, 0.5),
        p95_ms=_share(latencies, 0.95),
        good=counts["good"],
        bad=counts["bad"],
    )


def _from_log(turns: Iterable[Sequence[e.Durable]]) -> tuple[tuple[ToolFigures, ...], dict[str, int]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    latencies: defaultdict[str, list[float]] = defaultdict(list)
    errors: Counter[str] = Counter()
    for events in turns:
        names: dict[str, str] = {}
        for event in events:
            if isinstance(event, e.ToolCalled):
                names[event.call.id] = event.call.tool
            elif isinstance(event, e.ToolReturned) and (name := names.get(event.call_id)):
                result = event.result
                counts[name].update({"calls": 1, "failed": int(not result.success), "cached": int(result.cached)})
                latencies[name].append(result.duration_ms)
            elif isinstance(event, e.TurnFinished) and event.status == "failed":
                errors[event.error_type or "unknown"] += 1
    return _tools(counts, latencies), dict(errors.most_common())


def _tools(counts: Mapping[str, Counter[str]], latencies: Mapping[str, list[float]]) -> tuple[ToolFigures, ...]:
    """The most used first."""
    most = sorted(counts, key=lambda name: (-counts[name]["calls"], name))[:MOST_TOOLS]
    return tuple(
        ToolFigures(
            tool=name,
            calls=counts[name]["calls"],
            failed=counts[name]["failed"],
            cached=counts[name]["cached"],
            p50_ms=_share(sorted(latencies[name]), 0.5),
        )
        for name in most
    )


def _share(values: Sequence[float], share: float) -> float | None:
    """The value that `share` of these sorted ones do not exceed."""
    return values[min(len(values) - 1, int(len(values) * share))] if values else None
