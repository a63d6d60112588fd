"""A hundred thousand sessions: how long a reviewer waits for lists, filters, text search, one session and the charts.

    python bench/sessions.py [--sessions N] [--rounds N] [--database URL] [--json FILE]

A few dozen turns are really asked and stored, with tools that work and fail; their rows are then copied with other ids,
users and times. SQLite unless a PostgreSQL is named, whose tables must be empty. Prints p50 and p95 of each question,
then the slowest with their bars; exits with 1 when one is missed.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import bars
import peers_folder
from glassloop import Agent, ScriptedModel, ToolError, tool
from glassloop.models.scripted_model import call
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings
from glassloop.store import open_store
from glassloop.store.store import Store
from glassloop.store.tables.search import SessionFilters

TEMPLATES = 40
USERS = 500
DAYS = 90
DAY_S = 86_400
LIST_MS, FIGURES_MS = 100, 200
ASSISTANTS = ("business", "general", "code", "places")


@tool(effect="read", volatile=True)
async def stock_of(sku: str) -> list[dict[str, Any]]:
    """What lies in the warehouses of a part."""
    return [{"warehouse": f"WH-{number:03}", "sku": sku, "on_hand": 40 + number} for number in range(8)]


@tool(effect="read", volatile=True)
async def closed() -> str:
    """Never works."""
    raise ToolError("The warehouse is closed.")


async def make_templates(settings: Settings) -> None:
    """Turns as they really are, a third of the sessions with two."""
    script: list[Any] = []
    for number in range(TEMPLATES):
        for _ in range(1 + (number % 3 == 0)):
            script += [call("closed" if number % 7 == 0 else "stock_of", **({} if number % 7 == 0 else {"sku": "BRG"}))]
            script += [call("stock_of", sku=f"SKU-{number}"), f"There are {40 + number} in WH-00{number % 8}. " * 12]
    model = ScriptedModel(script)
    runtime = await open_runtime(
        settings,
        make=lambda wanted: Agent(model, [stock_of, closed], name=wanted.assistant, max_iterations=6),
        recovers_turns=False,
    )
    for number in range(TEMPLATES):
        session: str | None = None
        for turn in range(1 + (number % 3 == 0)):
            question = f"How many of part SKU-{number} are there, question {turn}? 库存"
            asked = await runtime.ask(question, session_id=session, user="somebody")
            session = asked.session_id
        if session is not None and number % 4 == 0:
            await runtime.store.sessions.add_rating(session, "bad" if number % 8 == 0 else "good")
    await runtime.aclose(0.1)


class Copier:
    """Copies every row of the templates, in SQL that both databases know."""

    def __init__(self, connection: Any, copies: int, mark: str) -> None:
        self._connection = connection
        self._copies = copies
        self._mark = mark

    def run(self) -> None:
        spread = DAYS * DAY_S / self._copies
        back = f"- n.k * {spread}"
        user = f"'user-' || ((n.k * 7) % {USERS})"
        number = "(n.k % 4)"
        assistant = "CASE " + number + "".join(f" WHEN {n} THEN '{name}'" for n, name in enumerate(ASSISTANTS)) + " END"
        copy = "|| '-' || n.k"
        changed = {
            "sessions": {"id": f"id {copy}", "user_id": user, "assistant": assistant,
                         "started_at": f"started_at {back}", "last_active": f"last_active {back}",
                         "title": f"title {copy}"},
            "turns": {"id": f"id {copy}", "session_id": f"session_id {copy}", "user_id": user, "assistant": assistant,
                      "started_at": f"started_at {back}", "finished_at": f"finished_at {back}",
                      "latency_ms": "latency_ms + (n.k % 977)",
                      "status": "CASE WHEN n.k % 50 = 0 THEN 'failed' ELSE status END"},
            "messages": {"session_id": f"session_id {copy}", "turn_id": f"turn_id {copy}",
                         "created_at": f"created_at {back}"},
        }  # fmt: skip
        cursor = self._connection.cursor()
        cursor.execute("SELECT turn_id, seq, last, at, kind, body FROM events")
        rows = cursor.fetchall()
        marks = ", ".join([self._mark] * 6)
        insert = f"INSERT INTO events (turn_id, seq, last, at, kind, body) VALUES ({marks})"
        for number in range(1, self._copies + 1):
            cursor.executemany(insert, [_moved(row, number, number * spread) for row in rows])
        for table, values in changed.items():
            self._copy(table, values, leave_out={"id"} if table == "messages" else set())
        self._connection.commit()

    def _copy(self, table: str, values: Mapping[str, str], leave_out: set[str]) -> None:
        cursor = self._connection.cursor()
        cursor.execute(f"SELECT * FROM {table} LIMIT 0")
        names = [column[0] for column in cursor.description if column[0] not in leave_out]
        chosen = ", ".join(values.get(name, name) for name in names)
        cursor.execute(
            f"WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {self._copies}) "
            f"INSERT INTO {table} ({', '.join(names)}) SELECT {chosen} FROM {table}, n"
        )


def _moved(row: Sequence[Any], number: int, back: float) -> tuple[Any, ...]:
    """The row as that of another turn: the events in its body do not say whose they are."""
    turn, seq, last, at, kind, body = row
    other = f"{turn}-{number}"
    return other, seq, last, at - back, kind, body


def multiply(url: str, copies: int) -> None:
    if url.startswith("postgres"):
        import psycopg

        with psycopg.connect(url.replace("postgresql+psycopg", "postgresql")) as connection:
            Copier(connection, copies, "%s").run()
            connection.execute("ANALYZE")
        return
    import sqlite3

    connection = sqlite3.connect(url)
    Copier(connection, copies, "?").run()
    connection.close()


Question = Callable[[], Awaitable[object]]


def questions(store: Store, session: str) -> dict[str, tuple[float, Question]]:
    """What is asked, each with the most its p95 may be, in milliseconds."""
    since = time.time() - 30 * DAY_S

    def listed(limit: int = 51, offset: int = 0, **filters: Any) -> Question:
        return partial(store.search.review, SessionFilters(**filters), limit, offset)

    lists: dict[str, Question] = {
        "all, newest first": listed(),
        "page 1,000": listed(offset=50_000),
        "one user's": listed(user_id="user-7"),
        "one assistant's": listed(assistant="code"),
        "failed": listed(status="failed"),
        "rated bad": listed(rating="bad"),
        "not rated": listed(rating="none"),
        "of the last 30 days": listed(since=since),
        "all filters together": listed(assistant="code", rating="good", status="completed", since=since),
        "with a word": listed(words=("SKU-7",)),
        "with a word nobody said": listed(words=("披锋",)),
        "a user's own": lambda: store.sessions.list(user_id="user-7"),
        "one session, whole": lambda: store.sessions.messages(session),
    }
    figures = {
        f"figures of {days} days": partial(store.statistics.since, time.time() - days * DAY_S) for days in (366, 30, 1)
    }
    return {
        **{name: (LIST_MS, ask) for name, ask in lists.items()},
        **{name: (FIGURES_MS, ask) for name, ask in figures.items()},
    }


async def _timed(ask: Question) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    await ask()
    return (time.perf_counter() - began) * 1e3


async def measure(url: str, sessions: int, rounds: int) -> list[bars.Bar]:
    """Every question, and of those with the same bar the slowest."""
    slowest: dict[float, tuple[str, list[float]]] = {}
    async with await open_store(url) as store:
        (newest,) = await store.sessions.list(1)
        asked = questions(store, newest.id)
        for name, (limit, ask) in asked.items():
            first = await _timed(ask)
            took = [await _timed(ask) for _ in range(rounds)]
            middle, late = statistics.median(took), bars.p95(took)
            print(f"  {name:<24} p50 {middle:8.1f} ms   p95 {late:8.1f} ms   first {first:8.1f} ms")
            if limit not in slowest or late > bars.p95(slowest[limit][1]):
                slowest[limit] = name, took
    return [
        bars.Bar(title=f"{sessions:,} sessions: slowest {kind}, p95",
                 limit=limit, unit=" ms", source=source, figures={bars.OURS: bars.p95(took)}, spread=bars.span(took))
        for (limit, (name, took)), (kind, source)
        in zip(slowest.items(), (("list", "spec"), ("chart", bars.OWN)), strict=True)
    ]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How long reviewers wait with a hundred thousand sessions.", 20)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--database", help="a PostgreSQL without tables, instead of a SQLite file")
    asked = parser.parse_args(arguments)
    peers_folder.HOME.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=peers_folder.HOME) as home:
        settings = Settings(home=home, embedder="none", database_url=asked.database)
        url = asked.database or str(Path(home) / "glassloop.db")
        began = time.perf_counter()
        asyncio.run(make_templates(settings))
        multiply(url, max(1, asked.sessions // TEMPLATES - 1))
        print(f"{asked.sessions:,} sessions made in {time.perf_counter() - began:.0f} s")
        found = asyncio.run(measure(url, asked.sessions, asked.rounds))
    return bars.tell(bars.Report(rows=found), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
