"""Use of tools over a period, by tool and assistant, from the logs of its newest turns."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.records import EVAL_USER
from glassloop.store.tables.statistics import DailyTotals, LoggedCall, share_of

READ_TURNS = 1_000
MAX_ROWS = 200
REASONS = 3

_OVER = f"FROM turns WHERE started_at >= :since AND status NOT IN ('running', 'paused') AND user_id <> '{EVAL_USER}'"
_COUNTS = f"SELECT assistant, count(*) {_OVER} GROUP BY assistant ORDER BY 2 DESC, 1"
_NEWEST = f"SELECT id, assistant {_OVER} {{}} ORDER BY started_at DESC LIMIT :most"


class ToolUseRow(Record, frozen=True, kw_only=True):
    """What one assistant did with one tool. `turns` are those that called it, `reasons` the most frequent beginnings of
    what went wrong; times are in milliseconds, without those of cached results."""

    tool: str
    assistant: str
    turns: int
    calls: int
    failed: int
    cached: int
    p50_ms: float | None
    p95_ms: float | None
    max_ms: float | None
    reasons: dict[str, int]


class ToolUseFigures(Record, frozen=True, kw_only=True):
    """The use of tools in the newest `turns_read` of `turns`, the most used first; `assistants` are all that answered
    in the period, with how many turns."""

    rows: tuple[ToolUseRow, ...]
    assistants: dict[str, int]
    turns: int
    turns_read: int


class ToolStatistics:
    """Shares what was read of turns with the statistics over time."""

    def __init__(self, engine: StoreEngine, totals: DailyTotals) -> None:
        self._engine = engine
        self._totals = totals

    async def since(self, moment: float, assistant: str | None = None) -> ToolUseFigures:
        """Of the turns that started since then; of all assistants, or of one."""
        return await self._engine.read(lambda db: self._figures(db, moment, assistant))

    def _figures(self, db: SqlConnection, since: float, assistant: str | None) -> ToolUseFigures:
        answered = {name: int(turns) for name, turns in db.run(_COUNTS, since=since)}
        only = "" if assistant is None else "AND assistant = :assistant"
        wanted = {} if assistant is None else {"assistant": assistant}
        newest = db.run(_NEWEST.format(only), since=since, most=READ_TURNS, **wanted)
        calls: defaultdict[tuple[str, str], list[LoggedCall]] = defaultdict(list)
        turns: Counter[tuple[str, str]] = Counter()
        logged = self._totals.turns(db, [turn_id for turn_id, _ in newest])
        for (_, name), turn in zip(newest, logged, strict=True):
            for call in turn.calls:
                calls[call.tool, name].append(call)
            turns.update({(call.tool, name) for call in turn.calls})
        most = sorted(calls, key=lambda key: (-len(calls[key]), key))[:MAX_ROWS]
        return ToolUseFigures(
            rows=tuple(_row(*key, turns[key], calls[key]) for key in most),
            assistants=answered,
            turns=sum(answered.values()) if assistant is None else answered.get(assistant, 0),
            turns_read=len(newest),
        )


def _row(tool: str, assistant: str, turns: int, calls: Sequence[LoggedCall]) -> ToolUseRow:
    times = sorted(call.ms for call in calls if not call.cached)
    reasons = Counter(call.reason for call in calls if call.failed)
    return ToolUseRow(
        tool=tool,
        assistant=assistant,
        turns=turns,
        calls=len(calls),
        failed=sum(call.failed for call in calls),
        cached=sum(call.cached for call in calls),
        p50_ms=share_of(times, 0.5),
        p95_ms=share_of(times, 0.95),
        max_ms=times[-1] if times else None,
        reasons=dict(reasons.most_common(REASONS)),
    )
