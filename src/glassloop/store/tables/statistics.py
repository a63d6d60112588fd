"""Statistics over time, for operators: turns, latencies, costs, ratings, tools, errors.

Costs come from the rows of all turns of the period, latencies from the newest of each day. What tools did and why turns
failed stands in the log only: the newest turns are read for that, and how many that were is said. Turns of
`glassloop eval` are not counted: nobody asked them.

Daily totals are kept in memory so that figures over time need no scan of every day. A day has not changed while as many
turns started on it and none of them still runs or waits; a finished turn never changes.
"""

from array import array
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from time import monotonic
from typing import NamedTuple, TypeVar

from glassloop.core import events as e
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log import turn_log
from glassloop.store.records import EVAL_USER

Key = TypeVar("Key")
Value = TypeVar("Value")

DAY_S = 86_400
GOOD_FOR_S = 600.0
"""Even a day that looks the same is added up again after so long."""
MAX_DAYS = 400
MAX_TURNS = 2_000
REASON_CHARS = 80
TIMED_A_DAY = 2_000

# Whole seconds first: databases round a fraction differently.
DAY = "CAST(started_at AS BIGINT) / 86400"
_FIRST = "SELECT min(started_at) FROM turns WHERE started_at >= :since"
_COUNT = "SELECT count(*) FROM turns WHERE started_at >= :since AND started_at < :until"
_LIVE = f"SELECT DISTINCT {DAY} FROM turns WHERE status IN ('running', 'paused') AND started_at >= :since"  # noqa: S608
_EVALS = f"CASE WHEN user_id = '{EVAL_USER}' THEN 1 ELSE 0 END"
_TURNS = f"""SELECT status, {_EVALS}, count(*), sum(coalesce(input_tokens, 0)), sum(coalesce(output_tokens, 0)),
 sum(coalesce(cost, 0)), sum(CASE WHEN cost IS NULL AND finished_at IS NOT NULL THEN 1 ELSE 0 END) FROM turns
 WHERE started_at >= :since AND started_at < :until GROUP BY status, {_EVALS}"""  # noqa: S608
_TIMES = f"""SELECT latency_ms FROM turns WHERE started_at >= :since AND started_at < :until AND status = 'completed'
 AND latency_ms IS NOT NULL AND user_id <> '{EVAL_USER}' ORDER BY started_at DESC LIMIT :most"""  # noqa: S608


class DayTotals(NamedTuple):
    """One day's turns added up: how many of each status, tokens, money; how long the newest took, sorted. `rows` are
    all that started on it, those of evals too, by which it is known again."""

    rows: int
    turns: int
    counts: Counter[str]
    cost: float
    latencies: "array[float]"
    at: float

    def is_current(self, rows: int) -> bool:
        return self.rows == rows and monotonic() - self.at < GOOD_FOR_S


class LoggedCall(NamedTuple):
    """A call that returned; `reason` begins to say why it failed, if it did."""

    tool: str
    failed: bool
    cached: bool
    ms: float
    reason: str


class LoggedTurn(NamedTuple):
    """One turn's log in short: its calls, and why it failed, if it did."""

    calls: "tuple[LoggedCall, ...]"
    error: str | None


class DailyTotals:
    """Days by number and turns by id, those used last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._days: OrderedDict[int, DayTotals] = OrderedDict()
        self._turns: OrderedDict[str, LoggedTurn] = OrderedDict()

    def days(self, db: SqlConnection, since: float) -> dict[int, DayTotals]:
        """The days since then, each as it is now."""
        live = {day for (day,) in db.run(_LIVE, since=since)}
        found: dict[int, DayTotals] = {}
        for day, rows in _counted(db, since):
            whole = day * DAY_S >= since
            with self._lock:
                known = self._days.get(day)
            if not whole or day in live or known is None or not known.is_current(rows):
                known = _added_up(db, max(since, day * DAY_S), (day + 1) * DAY_S)
                if whole and day not in live and known.rows == rows:
                    self._keep(self._days, day, known, MAX_DAYS)
            found[day] = known
        return found

    def turns(self, db: SqlConnection, ids: Sequence[str]) -> list[LoggedTurn]:
        """The outcomes of finished turns."""
        found: list[LoggedTurn] = []
        for turn_id in ids:
            with self._lock:
                known = self._turns.get(turn_id)
            if known is None:
                known = _outcome(turn_log.read_events(db, turn_id, skip_unknown=True))
                self._keep(self._turns, turn_id, known, MAX_TURNS)
            found.append(known)
        return found

    def _keep(self, where: OrderedDict[Key, Value], key: Key, value: Value, most: int) -> None:
        with self._lock:
            where[key] = value
            where.move_to_end(key)
            while len(where) > most:
                where.popitem(last=False)


def _counted(db: SqlConnection, since: float) -> Iterator[tuple[int, int]]:
    """Days with turns, and how many each has. Day by day, as grouping by day takes several times as long."""
    while (first := db.run(_FIRST, since=since)[0][0]) is not None:
        day = int(first // DAY_S)
        until = (day + 1) * DAY_S
        yield day, db.run(_COUNT, since=since, until=until)[0][0]
        since = until


def _added_up(db: SqlConnection, since: float, until: float) -> DayTotals:
    counts: Counter[str] = Counter()
    cost, every, asked = 0.0, 0, 0
    for status, evals, turns, read, written, money, unpriced in db.run(_TURNS, since=since, until=until):
        every += turns
        if evals:
            continue
        counts.update({status: turns, "input": int(read), "output": int(written), "unpriced": int(unpriced)})
        cost += float(money)
        asked += turns
    rows = db.run(_TIMES, since=since, until=until, most=TIMED_A_DAY)
    return DayTotals(every, asked, counts, cost, array("d", sorted(float(row[0]) for row in rows)), monotonic())


def _outcome(events: Sequence[e.Durable]) -> LoggedTurn:
    names: dict[str, str] = {}
    calls: list[LoggedCall] = []
    error: str | None = None
    for recorded in events:
        event = e.innermost(recorded)
        if isinstance(event, e.ToolCalled):
            names[event.call.id] = event.call.tool
        elif isinstance(event, e.ToolReturned) and (name := names.get(event.call_id)):
            result = event.result
            reason = " ".join((result.error or "")[: 4 * REASON_CHARS].split())[:REASON_CHARS]
            failed = not result.success
            calls.append(LoggedCall(name, failed, result.cached, result.duration_ms, reason if failed else ""))
        elif isinstance(recorded, e.TurnFinished) and recorded.status == "failed":
            error = recorded.error_type or "unknown"
    return LoggedTurn(tuple(calls), error)


MAX_TIMED = 20_000
READ_TURNS = 400
MAX_TOOLS = 40

# By name, so that the index of what is rated is used.
_RATINGS = f"""SELECT {DAY}, rating, count(*) FROM sessions WHERE rating IN ('good', 'bad') AND started_at >= :since
 AND user_id <> '{EVAL_USER}' GROUP BY 1, rating"""  # noqa: S608
_NEWEST = f"""SELECT id FROM turns WHERE started_at >= :since AND status NOT IN ('running', 'paused')
 AND user_id <> '{EVAL_USER}' ORDER BY started_at DESC LIMIT :most"""  # noqa: S608


class DayFigures(Record, frozen=True, kw_only=True):
    """One day (UTC). Latencies are of the newest turns that were completed; None where there was none. `unpriced`:
    turns whose cost is not known at all, and not in `cost`."""

    day: str
    turns: int
    failed: int
    cancelled: int
    input_tokens: int
    output_tokens: int
    cost: float
    unpriced: int
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
        self.totals = DailyTotals()

    async def since(self, moment: float) -> PeriodFigures:
        """Of the turns that started since then. Of a hundred thousand, the first time takes half a second."""
        return await self._engine.read(lambda db: _figures(db, moment, self.totals))


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
        p50_ms=share_of(every, 0.5),
        p95_ms=share_of(every, 0.95),
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
        unpriced=counts["unpriced"],
        p50_ms=share_of(latencies, 0.5),
        p95_ms=share_of(latencies, 0.95),
        good=ratings["good"],
        bad=ratings["bad"],
    )


def _from_log(turns: Iterable[LoggedTurn]) -> tuple[tuple[ToolFigures, ...], dict[str, int]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    latencies: defaultdict[str, list[float]] = defaultdict(list)
    errors: Counter[str] = Counter()
    for turn in turns:
        for call in turn.calls:
            counts[call.tool].update({"calls": 1, "failed": int(call.failed), "cached": int(call.cached)})
            latencies[call.tool].append(call.ms)
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
            p50_ms=share_of(sorted(latencies[name]), 0.5),
        )
        for name in most
    )


def share_of(values: Sequence[float], share: float) -> float | None:
    """The value that `share` of these sorted ones do not exceed."""
    return values[min(len(values) - 1, int(len(values) * share))] if values else None
