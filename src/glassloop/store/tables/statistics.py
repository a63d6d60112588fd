"""Statistics over time, for those who look after a server: turns, latencies, costs, ratings, tools, errors.

Costs come from the rows of all turns of the period, latencies from the newest of each day. What tools did and why turns
failed stands in the log only: the newest turns are read for that, and how many that were is told. Totals of a day are
kept (`daily_totals`). Turns of `glassloop eval` are not counted: nobody asked them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.records import EVAL_USER
from glassloop.store.tables.daily_totals import DAY, DAY_S, DailyTotals, DayTotals, LoggedTurn

MAX_TIMED = 20_000
READ_TURNS = 400
MAX_TOOLS = 40

# By name, so that the index of what is rated is used.
_RATINGS = f"""SELECT {DAY}, rating, count(*) FROM sessions WHERE rating IN ('good', 'bad') AND started_at >= :since
 AND user_id <> '{EVAL_USER}' GROUP BY 1, rating"""  # noqa: S608
_NEWEST = f"""SELECT id FROM turns WHERE started_at >= :since AND status NOT IN ('running', 'paused')
 AND user_id <> '{EVAL_USER}' ORDER BY started_at DESC LIMIT :most"""  # noqa: S608


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


class TurnStatistics:
    """Figures that an operator looks at."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine
        self._totals = DailyTotals()

    async def since(self, moment: float) -> PeriodFigures:
        """Of the turns that started since then. Of a hundred thousand, the first time takes half a second."""
        return await self._engine.read(lambda db: _figures(db, moment, self._totals))


def _figures(db: SqlConnection, since: float, totals: DailyTotals) -> PeriodFigures:
    days = totals.days(db, since)
    ratings: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for day, rating, rated in db.run(_RATINGS, since=since):
        ratings[day][rating] += rated
    every: list[float] = []
    for day in sorted(days, reverse=True):
        if len(every) < MAX_TIMED:
            every += days[day].latencies
    every.sort()
    ids = [row[0] for row in db.run(_NEWEST, since=since, most=READ_TURNS)]
    tools, errors = _from_log(totals.turns(db, ids))
    return PeriodFigures(
        days=tuple(_of_day(day, days.get(day), ratings[day]) for day in sorted(days.keys() | ratings.keys())),
        p50_ms=_share(every, 0.5),
        p95_ms=_share(every, 0.95),
        tools=tools,
        errors=errors,
        turns_read=len(ids),
    )


def _of_day(number: int, day: DayTotals | None, ratings: Counter[str]) -> DayFigures:
    counts: Counter[str] = day.counts if day else Counter()
    latencies = day.latencies if day else ()
    return DayFigures(
        day=datetime.fromtimestamp(number * DAY_S, UTC).date().isoformat(),
        turns=day.turns if day else 0,
        failed=counts["failed"],
        cancelled=counts["cancelled"],
        input_tokens=counts["input"],
        output_tokens=counts["output"],
        cost=day.cost if day else 0.0,
        p50_ms=_share(latencies, 0.5),
        p95_ms=_share(latencies, 0.95),
        good=ratings["good"],
        bad=ratings["bad"],
    )


def _from_log(turns: Iterable[LoggedTurn]) -> tuple[tuple[ToolFigures, ...], dict[str, int]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    latencies: defaultdict[str, list[float]] = defaultdict(list)
    errors: Counter[str] = Counter()
    for turn in turns:
        for name, failed, cached, took in turn.calls:
            counts[name].update({"calls": 1, "failed": int(failed), "cached": int(cached)})
            latencies[name].append(took)
        if turn.error:
            errors[turn.error] += 1
    return _tools(counts, latencies), dict(errors.most_common())


def _tools(counts: Mapping[str, Counter[str]], latencies: Mapping[str, list[float]]) -> tuple[ToolFigures, ...]:
    """The most used first."""
    most = sorted(counts, key=lambda name: (-counts[name]["calls"], name))[:MAX_TOOLS]
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
