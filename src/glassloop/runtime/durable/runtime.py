"""`Runtime`: durable turns. Submits, cancels, decides, resumes and watches them, here and on other workers.

The log is authoritative; a scheduler only decides who runs a turn, a bus only reports that something happened.
Everything here may be called from any process that shares the store.
"""

import logging
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Self

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreAway, UnknownName, UsageError
from glassloop.core.loop.compaction import paired
from glassloop.core.messages import Message
from glassloop.core.ports import Clock, EventBus
from glassloop.core.records import Json, ReactResponse
from glassloop.core.scheduling import Scheduler, WorkKind
from glassloop.projections.response import respond
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.assistants.result import Answer, Approval
from glassloop.runtime.attachments.prompt import Blobs, Question, prepare
from glassloop.runtime.collections.collections import Collections
from glassloop.runtime.conversations.indexer import ConversationIndexer
from glassloop.runtime.conversations.search import ConversationSearch
from glassloop.runtime.conversations.titles import TitleWriter
from glassloop.runtime.durable.dead_letters import DeadLetters
from glassloop.runtime.durable.jobs import Jobs
from glassloop.runtime.durable.maintenance import Maintenance
from glassloop.runtime.durable.observers import Observer, ObserverGroup
from glassloop.runtime.durable.question_tools import QuestionTools
from glassloop.runtime.durable.submission import (
    QuestionContext,
    SubmittedTurn,
    TurnOptions,
    TurnPlace,
    asked_of,
    turn_settings,
)
from glassloop.runtime.durable.turn_feed import TurnFeed
from glassloop.runtime.durable.turn_input import TurnInput
from glassloop.runtime.durable.turn_runner import TurnRunner
from glassloop.runtime.durable.turn_versions import TurnVersions
from glassloop.runtime.durable.worker_identity import WorkerIdentity
from glassloop.runtime.erasure import Erasure
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.governance.access_control import AccessControl
from glassloop.runtime.ids import new_id
from glassloop.runtime.knowledge import Knowledge
from glassloop.runtime.notifications.notifier import Notifier
from glassloop.runtime.schedules.schedules import Schedules
from glassloop.runtime.toolsets import Toolsets
from glassloop.store.log.leases import IntakeLimits
from glassloop.store.records import Session, TurnRow

if TYPE_CHECKING:
    from glassloop.runtime.replay.replay import ReplayReport

_log = logging.getLogger(__name__)

GRACE_S = 10.0


class Runtime:
    """Made by `open_runtime`; use it with `async with`, or close it with `aclose`.

    `runs_own`: what is submitted here runs here; else any worker takes it. `runs_turns`: this process runs turns.
    `recovers_turns`: it also takes up those of workers that are gone."""

    def __init__(
        self,
        *,
        context: RuntimeContext,
        agents: Agents,
        scheduler: Scheduler,
        bus: EventBus,
        identity: WorkerIdentity,
        jobs: Jobs,
        toolsets: Toolsets,
        knowledge: Knowledge,
        access: AccessControl,
        past: ConversationIndexer | None = None,
        title_writer: TitleWriter | None = None,
        notifier: Notifier | None = None,
        runs_own: bool = True,
        runs_turns: bool = True,
        recovers_turns: bool = True,
        observers: Sequence[Observer] = (),
        clock: Clock = time.time,
    ) -> None:
        self.context, self._settings, self.workspaces = context, context.settings, context.workspaces
        store = self.store = context.store
        self.agents, self.bus, self.access = agents, bus, access
        self.jobs, self.toolsets, self.knowledge, self.past = jobs, toolsets, knowledge, past
        self.collections = Collections(store, knowledge.base)
        self._question_tools = QuestionTools(store, agents, self.collections)
        self.dead_letters = DeadLetters(store, jobs, self._store_and_schedule, clock)
        self.conversation_search = ConversationSearch(store, past)
        self._title_writer, self.notifier = title_writer, notifier or Notifier(store, (), clock)
        self._scheduler = scheduler
        self._identity = identity
        self._runs_turns, self._recovers_turns = runs_turns, recovers_turns
        self._clock = clock
        self.erasure = Erasure(self, context)
        observer_group = ObserverGroup(
            [one for one in (*observers, past, title_writer, self.notifier) if one is not None]
        )
        self._runner = TurnRunner(
            store,
            bus,
            agents,
            identity,
            clock,
            observer_group,
            access,
            limits=IntakeLimits(self._settings.session_rate or None, self._settings.user_turns or None),
            runs_own=runs_own,
            retries_elsewhere=recovers_turns,
        )
        self._input = TurnInput(store, bus, agents, access, self._schedule)
        self.versions = TurnVersions(self, self._settings, self._store_and_schedule)
        self.inbox = store.inbox
        self.schedules = Schedules(store, agents, self._settings, self._runner, access, self._schedule, clock)
        tasks = [*self.erasure.maintenance(), self.schedules.maintenance()] if recovers_turns else ()
        self._maintenance_loop = Maintenance(
            self._runner, jobs, store, bus, scheduler, identity, takes_over=recovers_turns and runs_turns, tasks=tasks
        )

    @property
    def running(self) -> int:
        """Turns under way in this process."""
        return len(self._runner.running)

    async def waiting(self) -> int:
        """Turns and jobs that wait for a place: here, or in the queue of all workers."""
        return await self._scheduler.waiting()

    @property
    def worker(self) -> str:
        """The name of this process among those that share the store."""
        return self._identity.name

    async def start(self) -> Self:
        """Begins to run turns; `open_runtime` has done that."""
        if self._runs_turns:
            await self._scheduler.start(self._perform)
        self._maintenance_loop.start()
        if self._recovers_turns and self._runs_turns:
            self.toolsets.begin()
        if self._recovers_turns:
            self.knowledge.start()
            if self.past is not None:
                self.past.start()
        return self

    async def submit(
        self,
        question: Question,
        *,
        session_id: str | None = None,
        user: str = "anonymous",
        wanted: AgentKey | str | None = None,
        channel: str = "api",
        supersedes: bool = False,
        history: Sequence[Message] | None = None,
        context: Mapping[str, Json] | None = None,
        instructions: str = "",
        deps: object = None,
        ask_user: bool = True,
        output_schema: Mapping[str, Json] | None = None,
        titled: bool = True,
        blobs: Blobs | None = None,
        background: bool = False,
        options: TurnOptions | None = None,
        place: TurnPlace = TurnPlace(),  # noqa: B008
    ) -> SubmittedTurn:
        """Takes a question. Its turn runs whether anybody watches or not. `wanted` names who answers.

        `history`: what was said before, where the caller keeps that and not the session; `blobs` has the bytes of its
        attachments. `context` and `instructions`: what else the model is told. `deps`: an object of this process for
        the agent's tools; a turn that goes on elsewhere has it from the agent's `deps_factory`, or waits for `resume`.
        `ask_user`: False where nobody could answer the assistant. `output_schema`: the JSON schema of the object that
        the answer must be; a model that gets it wrong is asked once more. `titled`: a model may name a new session.
        `background`: nobody watches, and its result waits in the user's inbox. `options`: what else is asked for.
        `place`: which turn of the session it follows, if not the newest.
        Raises `SessionBusy` while another turn of the session runs or waits, unless this one `supersedes` it,
        `TooManyTurns` beyond limits, and `AccessDenied` for what the user may not use.
        """
        asked = await self.access.agent_for(user, wanted, self.agents)
        prompt = await prepare(question, asked[1].main_model, self._settings, history or ())
        new, options = session_id or new_id(), options or TurnOptions()
        equipped = await self._question_tools.equip(*asked, prompt, user, session_id, options.collections)
        wanted, agent = equipped.wanted, equipped.agent
        given = QuestionContext(
            channel=channel, context={**(context or {}), **equipped.told}, instructions=instructions,
            has_deps=deps is not None, ask_user=ask_user, titled=titled, background=background, question=question,
            output_schema=output_schema, options=options, place=place, goes_on=session_id is not None,
        )  # fmt: skip
        own = {**await turn_settings(self.context, agent, wanted, user, new, given), **equipped.settings}
        told = None if history is None else paired(history)
        if told is not None and not agent.history.fits(told):  # The turn has it summarised.
            own["history"], told = msgspec.to_builtins(told), None
        bounds, (model, protocol) = await self.access.bounds_of(user), asked_of(options, agent)
        started = agent.started(
            *prompt[:2], session_id=new, user=user, settings=own, bounds=bounds, model=model, protocol=protocol
        )
        started = msgspec.structs.replace(started, previous_turn_id=place.previous_turn_id)
        first: list[e.Durable] = [started]
        if told is not None:
            first += [e.HistoryLoaded(turn_id=started.turn_id, seq=2, at=started.at, messages=tuple(told))]
        if deps is not None:
            self._runner.keep_deps(started.turn_id, deps)
        held = {**(blobs or {}), **prompt.blobs}
        await self._store_and_schedule(await agent.admit(first), held, supersedes=supersedes)
        return SubmittedTurn(turn_id=started.turn_id, session_id=started.session_id)

    async def ask(self, question: Question, **given: object) -> ReactResponse:
        """Submits a question, as `submit` does, and waits for its answer, or for a pause."""
        submitted = await self.submit(question, **given)  # pyright: ignore[reportArgumentType]
        events = [event async for event in self.watch(submitted.turn_id)]
        return respond(event for event in events if type(event) not in e.TRANSIENT)

    async def watch(
        self, turn_id: str, *, after: int = 0, through_pauses: bool = False
    ) -> AsyncGenerator[e.AnyEvent, None]:
        """The events of a turn after `after`, stored ones first, then live; to its end or to a pause.

        Never starts or resumes a turn. Whose it is, `turn` tells.
        """
        async with aclosing(self.watch_batches(turn_id, after=after, through_pauses=through_pauses)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event

    def watch_batches(
        self, turn_id: str, *, after: int = 0, through_pauses: bool = False, gather_s: float = 0.0
    ) -> AsyncGenerator[Sequence[e.AnyEvent], None]:
        """The same in batches of what came together; transients wait `gather_s` for others. Empty ones mean that
        nothing happened for some seconds."""
        watcher = TurnFeed(
            turn_id,
            after,
            through_pauses=through_pauses,
            gather_s=gather_s,
            store=self.store,
            bus=self.bus,
            unsaved_events=self._runner.unsaved_events,
            is_here=self._runner.running.__contains__,
        )
        return watcher.batches(self._scheduler, self._clock)

    async def turn(self, turn_id: str, user: str | None = None) -> TurnRow:
        """The turn, if it is this user's; None is any user's, for operators."""
        row = await self.store.turns.get(turn_id)
        if row is None or (user is not None and row.user_id != user):
            raise UnknownName(f"There is no turn {turn_id!r}.")
        return row

    def is_left(self, row: TurnRow) -> bool:
        """Whether nobody runs the turn any more, though it is neither over nor waits for people."""
        return row.status == "running" and row.id not in self._runner.running and self._runner.is_free(row)

    async def session(self, session_id: str, user: str | None = None) -> Session:
        """The session, if it is this user's."""
        found = await self.store.sessions.get(session_id)
        if found is None or (user is not None and found.user_id != user):
            raise UnknownName(f"There is no session {session_id!r}.")
        return found

    async def cancel(self, turn_id: str, user: str | None = None) -> bool:
        """Stops a turn wherever it runs; whether there was anything to stop."""
        row = await self.turn(turn_id, user)
        if row.status not in ("running", "paused"):
            return False
        if (running := self._runner.running.get(turn_id)) is not None:
            running.stream.cancel()
            return True
        await self.store.turns.request_cancel(turn_id)
        self.bus.signal("cancel", turn_id)
        # Nobody's, or waiting for people: it is ended here; unless someone here has just begun to run it.
        if not await self._runner.run(turn_id, cancel=True) and (running := self._runner.running.get(turn_id)):
            running.stream.cancel()
        return True

    async def stop_session(self, session_id: str) -> None:
        """Cancels what runs or waits in a session."""
        for row in await self.store.turns.of_session(session_id):
            if row.status in ("running", "paused"):
                await self.cancel(row.id)

    async def approve(self, turn_id: str, approvals: Sequence[Approval], user: str | None = None) -> bool:
        """Stores what people decided about pending calls; whether the turn goes on now, or waits for more.

        Raises `ApprovalMismatch` for a decision about anything else than what is pending, `BadArguments` for changed
        arguments that cannot work, `UsageError` for what cannot be allowed; then nothing of it is stored.
        """
        await self.turn(turn_id, user)
        return await self._input.decide(turn_id, approvals, ())

    async def answer(self, turn_id: str, call_id: str, text: str, *, user: str | None = None, by: str = "") -> bool:
        """Stores a person's answer to a question of the assistant's; whether the turn goes on now, or waits for more.

        `by`: who says so, where that is not the turn's own user. Raises `ApprovalMismatch` where that call asks
        nothing, or not any more.
        """
        row = await self.turn(turn_id, user)
        return await self._input.decide(turn_id, (), (Answer(call_id, text, by or row.user_id),))

    async def steer(self, turn_id: str, text: str, *, user: str | None = None, by: str = "") -> int:
        """Sends a turn under way a further message, told to the model before its next step, wherever it runs; a turn
        that waits takes it in when it goes on. The number of the message in the turn.

        Raises `UsageError` where the turn is over, or has had too many.
        """
        row = await self.turn(turn_id, user)
        return await self._input.steer(row, text, by or row.user_id)

    async def resume(self, turn_id: str, user: str | None = None, *, deps: object = None) -> None:
        """Takes up again a turn that nobody runs any more, or that waits for `deps`; not one that waits for people."""
        row = await self.turn(turn_id, user)
        if row.status not in ("running", "paused"):
            raise UsageError(f"Turn {turn_id!r} is {row.status}: ask again, or fork it.")
        if deps is not None:
            self._runner.keep_deps(turn_id, deps)
        if row.status == "paused":
            await self._input.resume(turn_id, has_deps=deps is not None)
        await self._scheduler.enqueue("turn", turn_id)

    async def reconcile(self) -> int:
        """Has every turn and job taken up whose worker is gone; how many."""
        return await self._maintenance_loop.reconcile()

    async def replay(self, turn_id: str, user: str | None = None, *, assistant: str | None = None) -> "ReplayReport":
        """Runs a turn again on what was recorded, without effects, and reports any difference. `assistant`: which one
        a person chose for that, else the one that the log names."""
        from glassloop.runtime.replay.replay import replay

        await self.turn(turn_id, user)
        started = self._started(events := await self.store.turns.read(turn_id))
        await self.access.check_turn(started)
        return await replay(events, await self.agents.for_turn(started, assistant), await self.access.bounds(started))

    async def fork(
        self,
        turn_id: str,
        step: int,
        *,
        model: str | None = None,
        assistant: str | None = None,
        edits: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> SubmittedTurn:
        """Goes on from before a step of a turn, live, as a new turn in a session of its own. Its effects always ask.
        `assistant`: which one a person chose for that, else the one that the log names."""
        return await self.versions.fork(turn_id, step, model=model, assistant=assistant, edits=edits, user=user)

    async def aclose(self, grace_s: float = GRACE_S) -> None:
        """Hands turns over: each ends the phase it is in, at most so long, and stays as it is for the next worker."""
        for turn_id in self._runner.running:
            self._scheduler.leave("turn", turn_id)
        self._runner.stop_after_phase()
        await self._maintenance_loop.stop()
        await self._scheduler.stop(grace_s)
        self._runner.cancel_all()
        await self._runner.aclose(grace_s)
        parts = (self.notifier, self._title_writer, self.bus, self.agents, self.toolsets, self.knowledge, self.past)
        for part in filter(None, (*parts, self.context.code_indexes, self.store)):
            await part.aclose()
        self._identity.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.aclose()

    @staticmethod
    def _started(events: Sequence[e.Durable]) -> e.TurnStarted:
        if not events or not isinstance(events[0], e.TurnStarted):
            raise UnknownName("There is no such turn.")
        return events[0]

    async def _perform(self, work: WorkKind, ident: str) -> None:
        """Called by the scheduler when a turn or a job is to run here."""
        await (self._runner.run(ident) if work == "turn" else self.jobs.run(ident))

    async def _store_and_schedule(self, events: Sequence[e.Durable], blobs: Blobs, *, supersedes: bool = False) -> None:
        """Stores a new turn and has it run; the turns it supersedes are cancelled."""
        superseded = await self._runner.begin(events, supersedes=supersedes, blobs=blobs)
        await self._schedule(events[0].turn_id)
        for turn_id in superseded:
            await self.cancel(turn_id)

    async def _schedule(self, turn_id: str) -> None:
        """The turn is stored: where the queue cannot be reached, whoever looks for unfinished turns runs it."""
        try:
            await self._scheduler.enqueue("turn", turn_id)
        except StoreAway as error:
            _log.warning("turn %s waits to be found: %s", turn_id, error)
