"""`Schedules`: questions that are asked at a time, again and again, or until a condition holds.

Adds, lists, changes and stops them, from any process that shares the store; `due_runs` starts what is due. Each run is
an ordinary turn of the schedule's user, in the schedule's own session, and its result waits in the user's inbox.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.ports import Clock
from glassloop.core.records import Json
from glassloop.runtime.assistants.access_checks import require_own_session
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.assistants.assistant_files import default_assistant, is_path
from glassloop.runtime.durable.submission import SubmittedTurn
from glassloop.runtime.durable.turn_runner import TurnRunner
from glassloop.runtime.extensions import MaintenanceTask
from glassloop.runtime.governance.access_control import AccessControl
from glassloop.runtime.ids import new_id
from glassloop.runtime.schedules.due_runs import DueRuns
from glassloop.runtime.schedules.recurrence import Recurrence, local_text, moment_of, recurrence_of, zone_of
from glassloop.runtime.settings import Settings
from glassloop.store.errors import ScheduleChanged
from glassloop.store.records import ScheduleRow, ScheduleRun, ScheduleStatus
from glassloop.store.store import Store
from glassloop.store.tables.schedules import must_exist

POLL_S = 1.0
CHANGE_TRIES = 10
MAX_CONDITION_CHARS = 2_000
MAX_RUNS = 1_000_000
UNTIL_RUNS = 100
UNTIL_S = 30 * 86_400.0
"""How often, and for how long, a condition is looked at where nobody says."""


class Schedules:
    """The schedules of all users; each method takes the user whose it must be, None is any."""

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
        self._access = access
        self._due_runs = DueRuns(store, agents, settings, runner, access, enqueue, clock)
        self._clock = clock

    async def add(
        self,
        question: str,
        *,
        user: str = "anonymous",
        at: datetime | float | None = None,
        every: str | None = None,
        until: str | None = None,
        timezone: str | None = None,
        max_runs: int | None = None,
        ends_at: datetime | float | None = None,
        wanted: AgentKey | str | None = None,
        session_id: str | None = None,
    ) -> ScheduleRow:
        """Has a question asked: once `at` a time, or `every` so often, as a cron expression ("0 9 * * 1-5"), an
        interval ("30m", "2h", "1d") or a word such as "@daily".

        `until`: a condition in words; the assistant is asked `every` so often (default: every hour) until it reports
        that it holds, at most `max_runs` times and not after `ends_at` (default: 100 times, 30 days). `timezone`: the
        IANA name of the zone that cron times, and times without an offset, are in; default: the setting. `wanted`: who
        answers. `session_id`: the conversation the runs belong to; default: one of its own.
        """
        await require_own_session(self._store, session_id, user)
        now = self._clock()
        zone = timezone or self._settings.timezone
        zone_of(zone)
        question, until = _checked(question, until)
        if until is not None:
            every = every or "1h"
            max_runs, ends_at = max_runs or UNTIL_RUNS, now + UNTIL_S if ends_at is None else ends_at
        if max_runs is not None and not 1 <= max_runs <= MAX_RUNS:
            raise UsageError(f"A schedule of {max_runs} runs is not possible: give 1 to {MAX_RUNS:,}.")
        end = None if ends_at is None else moment_of(ends_at, zone)
        when, first = self._first(at, every, zone, end, since=now)
        key = await self._agent_key(user, wanted, until)
        row = ScheduleRow(
            id=new_id(),
            user_id=user,
            session_id=session_id or new_id(),
            question=question,
            wanted=self._access.marked(msgspec.to_builtins(key)),
            at=when,
            every=every,
            until=until,
            timezone=zone,
            max_runs=max_runs,
            ends_at=end,
            created_at=now,
            next_at=first,
            wake_at=first,
        )
        await self._store.schedules.add(row, self._settings.user_schedules or None)
        await self._store.audit.record("schedule_added", row.id, by=user, session_id=row.session_id)
        return row

    async def get(self, schedule_id: str, user: str | None = None) -> ScheduleRow:
        """The schedule. Raises `UnknownName` where there is none, or it is another user's."""
        return must_exist(await self._store.schedules.get(schedule_id), schedule_id, user)

    async def list(
        self, user: str | None = None, *, limit: int = 50, status: ScheduleStatus | None = None
    ) -> Sequence[ScheduleRow]:
        """Newest first."""
        return await self._store.schedules.list(limit, user, status)

    async def runs(self, schedule_id: str, user: str | None = None, *, limit: int = 50) -> Sequence[ScheduleRun]:
        """What became of its due times, the latest first."""
        await self.get(schedule_id, user)
        return await self._store.schedules.runs(schedule_id, limit)

    async def change(
        self,
        schedule_id: str,
        user: str | None = None,
        *,
        question: str | None = None,
        at: datetime | float | None = None,
        every: str | None = None,
        timezone: str | None = None,
    ) -> ScheduleRow:
        """Asks something else from now on, or at other times; a run under way goes on as it is."""

        def changes(row: ScheduleRow) -> dict[str, Json]:
            _refuse_ended(row)
            asked, _ = _checked(row.question if question is None else question, None)
            zone = timezone or row.timezone
            found: dict[str, Json] = {"question": asked, "timezone": zone}
            if at is not None or every is not None or zone != row.timezone:
                again = every or (row.every if at is None else None)
                if row.until is not None and again is None:
                    raise UsageError("A schedule with a condition repeats: give 'every', not 'at'.")
                moment = at if at is not None else (row.at if again is None else None)
                when, first = self._first(moment, again, zone, row.ends_at, since=row.created_at)
                found |= {"at": when, "every": again, "next_at": first, "wake_at": first}
            return found

        return await self._change(schedule_id, user, changes)

    async def pause(self, schedule_id: str, user: str | None = None) -> ScheduleRow:
        """Starts no runs from now on; one under way goes on."""

        def changes(row: ScheduleRow) -> dict[str, Json]:
            _refuse_ended(row)
            return {"status": "paused", "reason": "by_user", "note": ""} if row.status == "active" else {}

        return await self._change(schedule_id, user, changes)

    async def resume(self, schedule_id: str, user: str | None = None) -> ScheduleRow:
        """Runs again from now on. What was due in the meantime is not made up for; but a single time that passed, or
        whose run failed, comes at once."""

        def changes(row: ScheduleRow) -> dict[str, Json]:
            _refuse_ended(row)
            if row.status == "active":
                return {}
            now = self._clock()
            found: dict[str, Json] = {"status": "active", "reason": None, "note": "", "failures": 0, "unseen": False}
            if row.every is None:
                return {**found, "wake_at": row.next_at if row.next_at is not None else now}
            first = recurrence_of(row).after(now)
            if first is None or (row.ends_at is not None and first > row.ends_at):
                raise UsageError(f"Schedule {row.id!r} has no runs left before its end: add another schedule.")
            return {**found, "next_at": first, "wake_at": first}

        return await self._change(schedule_id, user, changes)

    async def cancel(self, schedule_id: str, user: str | None = None, *, by: str | None = None) -> bool:
        """Ends a schedule; whether it was not ended before. A run under way goes on: `runtime.cancel` stops it."""
        row = await self.get(schedule_id, user)
        if row.status == "ended":
            return False
        ended: dict[str, Json] = {"status": "ended", "reason": "by_user", "note": "", "next_at": None, "wake_at": None}
        await self._change(schedule_id, user, lambda _: ended)
        await self._store.audit.record("schedule_cancelled", row.id, by=by or row.user_id, session_id=row.session_id)
        return True

    async def run_now(self, schedule_id: str, user: str | None = None) -> SubmittedTurn:
        """Has it run at once, beside its times. Raises `SessionBusy` while a run is under way or waits."""
        await self.note_ends()
        row = await self.get(schedule_id, user)
        _refuse_ended(row)
        return await self._due_runs.run_now(row)

    def maintenance(self) -> MaintenanceTask:
        """What a process that recovers turns does again and again."""
        return MaintenanceTask(name="schedules", every_s=POLL_S, run=self.poll)

    async def poll(self) -> int:
        """Starts what is due, and notes how runs ended; how many turns were started. A process that recovers turns
        does this by itself every second."""
        return await self._due_runs.poll()

    async def note_ends(self) -> None:
        """Notes how runs ended that are over; a part of `poll`."""
        await self._due_runs.note_ends()

    def describe(self, row: ScheduleRow) -> str:
        """When it runs, in plain words."""
        if row.every is None:
            return f"Once, {local_text(row.at or row.created_at, row.timezone)}"
        return f"{recurrence_of(row).describe()} ({row.timezone})"

    def _first(
        self, at: datetime | float | None, every: str | None, zone: str, end: float | None, *, since: float
    ) -> tuple[float | None, float]:
        """The one time that is asked for, and the first due time from now on; intervals count from `since`."""
        now = self._clock()
        if (at is None) == (every is None):
            raise UsageError(
                "The time is missing: give either 'at', for one time, or 'every', such as \"0 9 * * 1-5\" or \"2h\"."
            )
        if every is None:
            when = moment_of(at or 0.0, zone)
            if when <= now:
                raise UsageError(f"{local_text(when, zone)} is in the past: give a later time, or ask now.")
            return when, when
        recurrence = Recurrence(every, zone, float(int(since)))
        least = self._settings.schedule_interval
        if (gap := recurrence.smallest_gap()) < least:
            raise UsageError(f"{every!r} repeats every {gap:g} s; the minimum is {least} s: give a longer interval.")
        first = recurrence.after(now)
        if first is None or (end is not None and first > end):
            raise UsageError(f"{every!r} does not occur before the schedule ends: give a later 'ends_at'.")
        return None, first

    async def _agent_key(self, user: str, wanted: AgentKey | str | None, until: str | None) -> AgentKey:
        """Who answers. Raises where there is no such assistant or model, or the user may not use it."""
        wanted = AgentKey(wanted) if isinstance(wanted, str) else wanted or AgentKey()
        name = wanted.assistant or default_assistant(self._settings)
        if is_path(name):
            raise UsageError(
                f"A schedule needs an assistant's name, and {name!r} is a folder: move it to "
                f"{self._settings.home_path / 'assistants'} and give its name."
            )
        key = msgspec.structs.replace(wanted, assistant=name, reports_condition=until is not None)
        await self._access.check_agent(user, await self._agents.for_key(await self._access.admit(user, key)))
        return key

    async def _change(
        self, schedule_id: str, user: str | None, changes: Callable[[ScheduleRow], dict[str, Json]]
    ) -> ScheduleRow:
        """The schedule with what `changes` makes of it, however often it changes meanwhile."""
        for _ in range(CHANGE_TRIES):
            row = await self.get(schedule_id, user)
            found = changes(row)
            try:
                return await self._store.schedules.change(row, **found) if found else row
            except ScheduleChanged:
                continue
        raise ScheduleChanged(f"Schedule {schedule_id!r} changed in the meantime: try again.")


def _checked(question: str, until: str | None) -> tuple[str, str | None]:
    if not question.strip():
        raise UsageError("The question is empty: write a question.")
    if len(question) > MAX_QUESTION_CHARS:
        raise UsageError(f"The question is longer than {MAX_QUESTION_CHARS:,} characters: shorten it.")
    if until is not None and not 0 < len(until.strip()) <= MAX_CONDITION_CHARS:
        raise UsageError(f"The condition has {len(until.strip()):,} characters: give 1 to {MAX_CONDITION_CHARS:,}.")
    return question, until


def _refuse_ended(row: ScheduleRow) -> None:
    if row.status == "ended":
        raise UsageError(f"Schedule {row.id!r} has ended: add another one.")
