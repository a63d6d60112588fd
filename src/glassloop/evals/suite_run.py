"""Run of a suite: every case asked through the runtime as any question is, scored, and written to the run's file.

Turns are stored as the user `eval`, so that each can be opened and replayed. Effects that ask first are refused, unless
the suite says `approve`. Each case has its own copy of the suite's workspace. A model that stays unavailable ends the
run, which can be resumed later.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from glassloop.core import events as e
from glassloop.core.errors import GlassloopError, ModelUnavailable
from glassloop.evals.run_file import CaseResult, CaseStarted, Line, RunFile
from glassloop.evals.score import Defaults, ObservedTurn, judge, observe_turn
from glassloop.evals.suite import Case, Suite
from glassloop.evals.workspace_copy import copy_workspace, read_files
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.submission import TurnOptions
from glassloop.runtime.ids import new_id
from glassloop.store.records import EVAL_USER

USER = EVAL_USER
MAX_PAUSES = 20
MAX_FAILURES = 5
STOPPING_S = 30.0

Todo = tuple[Case, int]
OnResult = Callable[[CaseResult], None]


class SuiteRun:
    """One run of a suite, on one event loop."""

    def __init__(
        self, runtime: Runtime, suite: Suite, wanted: AgentKey, file: RunFile, defaults: Defaults, on_result: OnResult
    ) -> None:
        self._runtime = runtime
        self._suite = suite
        self._wanted = wanted
        self._file = file
        self._defaults = defaults
        self._on_result = on_result
        self._writing = asyncio.Lock()
        self._failures = 0

    async def ask_all(self, todo: Sequence[Todo], concurrency: int) -> None:
        """Asks what is to do, so many at once. What an earlier run left behind is stopped first."""
        for session_id in self._file.left:
            await self._runtime.stop_session(session_id)
        waiting = iter(todo)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(concurrency, len(todo))):
                    group.create_task(self._work(waiting))
        except BaseExceptionGroup as errors:
            raise _first(errors) from None

    async def _work(self, waiting: Iterator[Todo]) -> None:
        for case, run in waiting:
            result = await self._ask(case, run)
            await self._write(result)
            self._on_result(result)
            self._failures = 0 if result.is_settled else self._failures + 1
            if self._failures >= MAX_FAILURES:
                raise ModelUnavailable(
                    f"The model failed {MAX_FAILURES} times in a row, last with: {result.problems[-1].got} "
                    "Mend that, then go on with --resume."
                )

    async def _ask(self, case: Case, run: int) -> CaseResult:
        session_id, turns, seen = new_id(), list[str](), list[ObservedTurn]()
        await self._write(CaseStarted(case=case.id, run=run, session_id=session_id))
        async with copy_workspace(self._suite, self._runtime.workspaces) as folder:
            try:
                for question in case.asked:
                    turn_id, one = await self._turn(question, session_id, folder)
                    turns.append(turn_id)
                    seen.append(one)
            except asyncio.CancelledError:
                await asyncio.wait_for(self._runtime.stop_session(session_id), STOPPING_S)
                raise
            files = {} if folder is None else await asyncio.to_thread(read_files, folder, case.files)
        return _result(case, run, session_id, turns, seen, self._defaults, files)

    async def _turn(self, question: str, session_id: str, folder: Path | None) -> tuple[str, ObservedTurn]:
        submitted = await self._runtime.submit(
            question,
            session_id=session_id,
            user=USER,
            wanted=self._wanted,
            channel="cli",
            ask_user=False,
            options=TurnOptions(workspace=None if folder is None else str(folder), today=self._suite.today),
        )
        events: list[e.Durable] = []
        try:
            async with asyncio.timeout(self._suite.seconds):
                await self._play(submitted.turn_id, events)
        except TimeoutError:
            await self._runtime.cancel(submitted.turn_id)
            async with asyncio.timeout(STOPPING_S):
                await self._watch(submitted.turn_id, events)
            return submitted.turn_id, replace(
                observe_turn(events), error=f"It took longer than {self._suite.seconds:g} s."
            )
        return submitted.turn_id, observe_turn(events)

    async def _play(self, turn_id: str, events: list[e.Durable]) -> None:
        """To the end: what asks people is answered as the suite says."""
        for _ in range(MAX_PAUSES):
            await self._watch(turn_id, events)
            waiting = pending(events)
            if not waiting:
                return
            await self._runtime.approve(turn_id, [self._decide(request) for request in waiting])
        await self._runtime.cancel(turn_id)
        await self._watch(turn_id, events)

    def _decide(self, request: e.ApprovalRequested) -> Approval:
        tool, approves = request.call.tool, self._suite.approves(request.call.tool)
        why = f"{tool} is not approved" if self._suite.approve else "nothing is changed"
        return Approval(
            call_id=request.call.id,
            digest=request.digest,
            approved=approves and request.reason == "approval",
            by=USER,
            reason="" if approves else f"This is an evaluation: {why}.",
        )

    async def _watch(self, turn_id: str, events: list[e.Durable]) -> None:
        after = events[-1].seq if events else 0
        async for event in self._runtime.watch(turn_id, after=after):
            if not isinstance(event, e.Transient):
                # One by one: what came before a timeout must stay.
                events.append(event)  # noqa: PERF401

    async def _write(self, line: Line) -> None:
        async with self._writing:
            await asyncio.to_thread(self._file.append, line)


def remaining_cases(cases: Iterable[Case], repeat: int, file: RunFile) -> list[Todo]:
    """What is not settled yet, the first repetition of every case before the second of any."""
    chosen = list(cases)
    every = [(case, run) for run in range(1, repeat + 1) for case in chosen]
    done = {key for key, result in file.results.items() if result.is_settled}
    return [(case, run) for case, run in every if (case.id, run) not in done]


def _result(
    case: Case,
    run: int,
    session_id: str,
    turns: Sequence[str],
    seen: Sequence[ObservedTurn],
    defaults: Defaults,
    files: Mapping[str, str],
) -> CaseResult:
    last = seen[-1]
    verdict = judge(case, last, defaults, files)
    costs = [each.cost for each in seen if each.cost is not None]
    return CaseResult(
        case=case.id,
        run=run,
        tags=case.tags,
        question=case.asked[-1],
        session_id=session_id,
        turn_ids=tuple(turns),
        destination=verdict.destination,
        tool=verdict.tool,
        arguments=verdict.arguments,
        answer=verdict.answer,
        problems=verdict.problems,
        status=last.status,
        error_type=last.error_type,
        cost=sum(costs) if len(costs) == len(seen) else None,
        decisions=sum(each.decisions for each in seen),
        readable=sum(each.readable for each in seen),
        declined=last.declined,
        steps=sum(each.steps for each in seen),
        input_tokens=sum(each.input_tokens for each in seen),
        cached_tokens=sum(each.cached_tokens for each in seen),
        output_tokens=sum(each.output_tokens for each in seen),
        seconds=sum(each.seconds for each in seen),
    )


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """What was meant for people, if there is any; else whatever came first."""
    found = [error for error in errors.exceptions if isinstance(error, GlassloopError)]
    return (found or list(errors.exceptions))[0]
