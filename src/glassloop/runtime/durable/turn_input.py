"""Input of people to a turn under way, wherever it runs: decisions, answers and further messages."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UnknownName
from glassloop.core.ports import EventBus
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agents import Agents
from glassloop.runtime.assistants.result import Answer, Approval
from glassloop.runtime.durable.approvals import decide, resume_with_deps
from glassloop.runtime.governance.access_control import AccessControl
from glassloop.store.records import TurnRow
from glassloop.store.store import Store

_log = logging.getLogger(__name__)

DECISION_TRIES = 10


class TurnInput:
    """`schedule` has a turn run that goes on."""

    def __init__(
        self,
        store: Store,
        bus: EventBus,
        agents: Agents,
        access: AccessControl,
        schedule: Callable[[str], Awaitable[None]],
    ) -> None:
        self._store = store
        self._bus = bus
        self._agents = agents
        self._access = access
        self._schedule = schedule

    async def decide(self, turn_id: str, approvals: Sequence[Approval], answers: Sequence[Answer]) -> bool:
        """Stores what people decided and answered, all of it or nothing; whether the turn goes on now."""
        passed: Sequence[Answer] | None = None
        for _ in range(DECISION_TRIES):
            agent, events = await self._read(turn_id)
            if passed is None:
                started = cast("e.TurnStarted", events[0])
                texts = [await agent.admit_text(started, answer.text) for answer in answers]
                passed = [msgspec.structs.replace(one, text=text) for one, text in zip(answers, texts, strict=True)]
            resumes = await decide(self._store, self._bus, agent, events, approvals, passed)
            if resumes:
                await self._schedule(turn_id)
            if resumes is not None:
                return resumes
        raise StoreError(f"Turn {turn_id!r} changed in the meantime: try again.")

    async def resume(self, turn_id: str, *, has_deps: bool) -> None:
        """Stores that a turn goes on which waits for its dependencies."""
        agent, events = await self._read(turn_id)
        await resume_with_deps(self._store, self._bus, agent, events, given=has_deps)

    async def _read(self, turn_id: str) -> tuple[Agent, Sequence[e.Durable]]:
        events = await self._store.turns.read_unredacted(turn_id)
        started = events[0] if events else None
        if not isinstance(started, e.TurnStarted):
            raise UnknownName(f"There is no turn {turn_id!r}.")
        return await self._agents.for_turn(started), events

    async def steer(self, row: TurnRow, text: str, by: str) -> int:
        """Keeps a message for the turn, as its guardrails let it pass, and tells whoever runs it; its number."""
        events = await self._store.turns.read(row.id)
        if isinstance(started := events[0] if events else None, e.TurnStarted):
            await self._access.check_turn(started)
            text = await (await self._agents.for_turn(started)).admit_text(started, text)
        number = await self._store.turn_messages.send(row.id, text, by)
        self._bus.signal("message", row.id)
        try:
            await self._store.audit.record("steered", row.id, by=by, session_id=row.session_id)
        except StoreError as error:
            _log.warning("that turn %s was steered is not noted: %s", row.id, error)
        return number
