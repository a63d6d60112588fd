"""Due runs: starts the turns of schedules when they are due, and notes how they ended.

Any number of processes do this at once. A due time is taken in the transaction that stores its turn, whose id follows
from schedule and due time: whatever is killed, and whatever the clock does, a due time has one turn or none, and one
that has none is found again.
"""

import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from glassloop.core.errors import GlassloopError, StoreAway, TooManyTurns, TurnLost
from glassloop.core.ports import Clock
from glassloop.core.records import Json
from glassloop.runtime.assistants.agent_parts.prompt_facts import prompt_facts
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.durable.submission import SubmittedTurn
from glassloop.runtime.durable.turn_runner import TurnRunner
from glassloop.runtime.governance.access_control import AccessControl, by_operator
from glassloop.runtime.ids import time_ordered_id
from glassloop.runtime.schedules.recurrence import MAX_COUNTED, Recurrence, local_text, recurrence_of
from glassloop.runtime.settings import Settings
from glassloop.runtime.tools.condition import reported_condition
from glassloop.store.errors import ScheduleChanged, SessionBusy
from glassloop.store.records import BACKGROUND, RunOutcome, ScheduleRow, ScheduleRun
from glassloop.store.store import Store
from glassloop.store.tables.schedules import KEPT_RUNS, EndedRun

_log = logging.getLogger(__name__)

AT_ONCE = 100
"""Schedules that one look deals with; more wait for the next."""

RETRY_S = (60.0, 300.0)
"""How long after its first and second failure a run is tried again; after the next the schedule is paused."""

BUSY_S = 15.0
"""How long a run waits for another turn of its session before it looks again."""

LATE_S = 60.0
"""A run that starts this long after it was due is told so."""

MISSED_TOLD = 5


class DueTime(msgspec.Struct, frozen=True, kw_only=True):
    """A due time that is to be dealt with now, those before it that were missed, and the next one."""

    at: float
    attempt: int
    next_at: float | None
    missed: Sequence[float] = ()


class DueRuns:
    """The part of a process that runs schedules; `poll` may be called by all of them, at any time."""

    def __init__(
        self,
        store: Store,
        agents: Agents,
        settings: Settings,
        runner: TurnRunner,
        access: AccessControl,
        enqueue: Callable[[str], Awaitable[None]],
        clock: Clock,
    ) -> None:
        self._store = store
        self._agents = agents
        self._settings = settings
        self._runner = runner
        self._access = access
        self._enqueue = enqueue
        self._clock = clock

    async def poll(self) -> int:
        """Notes the ends of runs, and starts what is due; how many turns were started."""
        await self.note_ends()
        now = self._clock()
        for row in await self._store.schedules.ahead(now, AT_ONCE):
            await self._go_back(row, now)
        started = 0
        full: set[str] = set()
        for row in await self._store.schedules.due(now, AT_ONCE):
            if row.user_id not in full:
                try:
                    started += await self._deal_with(row, now)
                except TooManyTurns:
                    # Due it stays; so do the others of the same user, until some of their turns are over.
                    full.add(row.user_id)
        return started

    async def note_ends(self) -> None:
        """Notes how runs ended that are over."""
        for ended in await self._store.schedules.over(AT_ONCE):
            await self._note_end(ended)

    async def run_now(self, row: ScheduleRow) -> SubmittedTurn:
        """Starts a run beside its times."""
        due = DueTime(at=self._clock(), attempt=1, next_at=row.next_at)
        if row.is_open and row.turn_id is not None:
            raise SessionBusy(f"Schedule {row.id!r} has a run in progress: wait for it, or cancel it.", row.turn_id)
        # A retry that was to come is made up for by this.
        return await self._start(row, due, wake_at=row.next_at)

    async def _deal_with(self, row: ScheduleRow, now: float) -> bool:
        """Starts, skips or postpones what is due of a schedule; whether a turn was started."""
        due = due_time(row, now)
        try:
            if row.is_open:
                note = "Skipped: the previous run is in progress or waits for you."
                await self._pass_by(row, due, now, "skipped", note)
                return False
            await self._start(row, due, runs=row.runs + (due.attempt == 1), next_at=due.next_at, wake_at=due.next_at)
        except (TooManyTurns, StoreAway):
            raise
        except SessionBusy:
            await self._change(
                row, wake_at=now + BUSY_S, note="Waiting: another turn of its conversation is in progress."
            )
        except (ScheduleChanged, TurnLost):
            await self._advance_if_dealt_with(row, due)
        except Exception as error:
            known = isinstance(error, GlassloopError)
            _log.warning("schedule %s cannot be run: %s", row.id, error, exc_info=None if known else error)
            why = str(error) if known else f"Internal error ({type(error).__name__})."
            changes = self._failed(row, why, due.next_at, now)
            run = _run(row, due, now, "failed", note=why)
            await self._change(
                row, run, due_at=due.at, attempt=due.attempt, next_at=due.next_at, is_open=False, **changes
            )
        else:
            return True
        return False

    async def _start(self, row: ScheduleRow, due: DueTime, **changes: Json) -> SubmittedTurn:
        """Stores the turn of a due time, and takes the due time with it."""
        wanted, turn_id = msgspec.convert(row.wanted, AgentKey), turn_id_of(row.id, due)
        if not by_operator(row.wanted):
            wanted = await self._access.admit(row.user_id, wanted)
        agent = await self._agents.for_key(wanted)
        await self._access.check_agent(row.user_id, agent)
        told: dict[str, Json] = {"id": row.id, "due": due.at, "attempt": due.attempt, "missed": list(due.missed)}
        started = agent.started(
            row.question,
            session_id=row.session_id,
            user=row.user_id,
            settings={
                "channel": "schedule",
                "wanted": msgspec.to_builtins(wanted),
                BACKGROUND: True,
                "schedule": told,
                "instructions": instructions_for(row, due, self._clock()),
                **await prompt_facts(self._store, self._settings, agent.profile, row.user_id),
            },
            bounds=await self._access.bounds_of(row.user_id),
        )
        started = msgspec.structs.replace(started, turn_id=turn_id)
        run = _run(row, due, self._clock(), "started", turn_id=turn_id)
        taken: dict[str, Json] = {"due_at": due.at, "attempt": due.attempt, "turn_id": turn_id, "is_open": True}
        claim = self._store.schedules.changing(row, run, **{**taken, "note": "", **changes})
        await self._runner.begin(await agent.admit([started]), claim=claim)
        await self._enqueue(turn_id)
        return SubmittedTurn(turn_id=turn_id, session_id=row.session_id)

    async def _pass_by(self, row: ScheduleRow, due: DueTime, now: float, outcome: RunOutcome, note: str) -> None:
        run = _run(row, due, now, outcome, note=note)
        await self._store.schedules.change(
            row, run, due_at=due.at, attempt=due.attempt, next_at=due.next_at, wake_at=due.next_at, note=note
        )

    async def _advance_if_dealt_with(self, row: ScheduleRow, due: DueTime) -> None:
        """Goes on to the next time where this one had its run already, before the clock went back."""
        if (found := await self._store.schedules.get(row.id)) is not None and found.version == row.version:
            await self._change(row, next_at=due.next_at, wake_at=due.next_at)

    async def _note_end(self, ended: EndedRun) -> None:
        row, now = ended.schedule, self._clock()
        changes: dict[str, Json] = {"is_open": False}
        if row.status != "ended":
            if ended.status == "failed":
                changes |= self._failed(row, ended.error or "Its turn failed.", row.next_at, now)
            else:
                changes |= {"failures": 0, **await self._ending(row, completed=ended.status == "completed")}
        await self._change(row, **changes)

    async def _ending(self, row: ScheduleRow, *, completed: bool) -> dict[str, Json]:
        """What a schedule becomes after a run that did not fail: nothing else, or ended."""
        over: dict[str, Json] = {"status": "ended", "next_at": None, "wake_at": None}
        if row.until is not None and completed and row.turn_id is not None:
            report = reported_condition(await self._store.turns.read(row.turn_id, skip_unknown=True))
            if report is not None and report.met:
                return {**over, "reason": "condition", "note": f"The condition is true: {report.why}", "unseen": True}
        if row.next_at is not None:
            return {}
        if row.every is None:
            return {**over, "reason": "done"}
        told = "" if row.until is None else " The condition was not reported as true."
        if row.max_runs is not None and row.runs >= row.max_runs:
            return {**over, "reason": "max_runs", "note": f"It ran {row.runs} times.{told}", "unseen": True}
        return {**over, "reason": "end_date", "note": f"Its end date has passed.{told}", "unseen": True}

    def _failed(self, row: ScheduleRow, why: str, next_at: float | None, now: float) -> dict[str, Json]:
        """Tried again a while later, or at its next time where that comes sooner; then paused."""
        failures = row.failures + 1
        if failures > len(RETRY_S):
            note = f"Paused: {failures} runs in a row failed. The last error: {why} Fix it, then resume the schedule."
            return {"failures": failures, "status": "paused", "reason": "failures", "note": note, "unseen": True}
        retry_at = now + RETRY_S[failures - 1]
        wake_at = retry_at if next_at is None else min(retry_at, next_at)
        return {"failures": failures, "wake_at": wake_at, "note": f"The last run failed: {why}"}

    async def _go_back(self, row: ScheduleRow, now: float) -> None:
        """The clock went back: times that come again are due again, except those that were dealt with."""
        changes: dict[str, Json] = {"due_at": None}
        if row.every is not None and row.next_at is not None:
            handled = {run.due_at for run in await self._store.schedules.runs(row.id, KEPT_RUNS, after=now)}
            recurrence = recurrence_of(row)
            due = recurrence.after(now)
            while due is not None and due in handled:
                due = recurrence.after(due)
            if due is not None and due < row.next_at:
                changes |= {"next_at": due, "wake_at": due}
        if row.failures and "wake_at" not in changes:
            retry_at = now + RETRY_S[0]
            changes["wake_at"] = retry_at if row.wake_at is None else min(row.wake_at, retry_at)
        if not row.is_open:
            await self._change(row, **changes)

    async def _change(self, row: ScheduleRow, run: ScheduleRun | None = None, **changes: Json) -> None:
        """Leaves it to others where they were quicker."""
        try:
            await self._store.schedules.change(row, run, **changes)
        except ScheduleChanged as error:
            _log.debug("%s", error)


def due_time(row: ScheduleRow, now: float) -> DueTime:
    """The due time that a schedule which is to be looked at has now. Of several that are over, only the last is run."""
    if row.next_at is None or row.next_at > now:
        return DueTime(at=row.due_at or now, attempt=row.attempt + 1, next_at=row.next_at)
    if row.every is None:
        return DueTime(at=row.next_at, attempt=1, next_at=None)
    recurrence = recurrence_of(row)
    until = now if row.ends_at is None else min(now, row.ends_at)
    due = recurrence.latest(row.next_at, until)
    missed = recurrence.between(row.next_at, due)
    return DueTime(at=due, attempt=1, next_at=_next(row, recurrence, max(due, now)), missed=missed)


def _next(row: ScheduleRow, recurrence: Recurrence, after: float) -> float | None:
    if row.max_runs is not None and row.runs + 1 >= row.max_runs:
        return None
    due = recurrence.after(after)
    return None if due is None or (row.ends_at is not None and due > row.ends_at) else due


def turn_id_of(schedule_id: str, due: DueTime) -> str:
    """The id of the turn of a due time: the same whoever starts it."""
    digest = hashlib.blake2b(f"{schedule_id} {due.at!r} {due.attempt}".encode(), digest_size=10).digest()
    return time_ordered_id(due.at, digest)


def instructions_for(row: ScheduleRow, due: DueTime, now: float) -> str:
    """What the model is told beside the question."""
    lines = ["The user scheduled this question and reads the answer later; nobody is watching now."]
    if now - due.at > LATE_S:
        lines.append(f"It was due {local_text(due.at, row.timezone)} and starts late.")
    if due.missed:
        shown = "; ".join(local_text(each, row.timezone) for each in due.missed[-MISSED_TOLD:])
        count = f"{MAX_COUNTED} or more" if len(due.missed) >= MAX_COUNTED else str(len(due.missed))
        lines.append(f"Missed before it, and made up for by this answer: {count} (the last: {shown}).")
    if row.until is not None:
        lines.append(
            f"It is asked again and again until this holds: {row.until}\nFind out whether it holds now, and call "
            "report_condition with what you found before you answer."
        )
    return "\n".join(lines)


def _run(
    row: ScheduleRow, due: DueTime, now: float, outcome: RunOutcome, *, turn_id: str | None = None, note: str = ""
) -> ScheduleRun:
    return ScheduleRun(
        schedule_id=row.id,
        due_at=due.at,
        attempt=due.attempt,
        outcome=outcome,
        turn_id=turn_id,
        missed=len(due.missed),
        note=note,
        at=now,
    )
