"""Versions of turns: an answer made anew, an edited question, an answer that goes on where it was cut short, a fork.

A version follows the same turn as the one that it replaces, and is told what led there. Nothing of the log is changed.
"""

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UnknownName
from glassloop.models.provider_kit.effort import Effort
from glassloop.runtime.attachments.parts import File, Question
from glassloop.runtime.attachments.prompt import Blobs, attached_in
from glassloop.runtime.collections.chosen import read_collections
from glassloop.runtime.durable.submission import SubmittedTurn, TurnOptions, TurnPlace
from glassloop.runtime.ids import new_id
from glassloop.runtime.replay.fork import continue_live, fork_live
from glassloop.runtime.settings import Settings
from glassloop.store.log.turn_tree import previous_turns

if TYPE_CHECKING:
    from glassloop.runtime.durable.runtime import Runtime


class BeginTurn(Protocol):
    """Stores a new turn and has it run."""

    def __call__(self, events: Sequence[e.Durable], blobs: Blobs, *, supersedes: bool = False) -> Awaitable[None]: ...


class TurnVersions:
    """Of the turns of a runtime; `begin` is its own way to store a new turn and have it run."""

    def __init__(self, runtime: "Runtime", settings: Settings, begin: BeginTurn) -> None:
        self._runtime = runtime
        self._store = runtime.store
        self._settings = settings
        self._begin = begin

    async def regenerate(
        self,
        turn_id: str,
        question: Question | None = None,
        *,
        model: str | None = None,
        effort: Effort | None = None,
        user: str | None = None,
        **given: object,
    ) -> SubmittedTurn:
        """Answers a question anew, perhaps by another model, or `question` in its place: another version of the turn,
        in its session. The model is told nothing of the turn and of what followed it.

        The question is as it was, with what was given with it, unless another is given. Where the turn had effects,
        those of the version ask first: they may be the same again. `user`: only if it is theirs. `given`: as in
        `Runtime.submit`.
        """
        started, events = await self._read(turn_id, user)
        wanted = await self._runtime.agents.key_from_log(started)
        if model is not None or effort is not None:
            wanted = msgspec.structs.replace(wanted, model=model or wanted.model, effort=effort)
        options = given.pop("options", None) or TurnOptions()
        if isinstance(options, TurnOptions) and options.collections is None:
            kept = read_collections(started)
            options = msgspec.structs.replace(options, collections=kept.ids if kept.only else None)
        had_effects = any(isinstance(event, e.ToolCalled) and event.effect != "read" for event in events)
        return await self._runtime.submit(
            await self._with_attachments(started, started.question) if question is None else question,
            session_id=started.session_id,
            user=started.user,
            wanted=wanted,
            place=TurnPlace(previous_turn_id=await self._previous(started), asks_for_effects=had_effects),
            options=options,  # pyright: ignore[reportArgumentType]
            **given,  # pyright: ignore[reportArgumentType]
        )

    async def continue_answer(
        self, turn_id: str, *, model: str | None = None, user: str | None = None
    ) -> SubmittedTurn:
        """Goes on with an answer that was cut short, as another version of its turn: the answer begins with what there
        is of it. Raises `UsageError` where it was not."""
        started, events = await self._read(turn_id, user)
        await self._runtime.access.check_turn(started, model=model)
        new = SubmittedTurn(turn_id=new_id(), session_id=started.session_id)
        previous = await self._previous(started)
        begun = await continue_live(
            events, self._runtime.agents, self._settings, new_id=new.turn_id, previous_turn_id=previous, model=model
        )
        await self._begin(begun, {})
        return new

    async def fork(
        self,
        turn_id: str,
        step: int,
        *,
        model: str | None,
        assistant: str | None,
        edits: Mapping[str, str] | None,
        user: str | None,
    ) -> SubmittedTurn:
        """As in `Runtime.fork`."""
        started, events = await self._read(turn_id, user)
        await self._runtime.access.check_turn(started, model=model)
        new = SubmittedTurn(turn_id=new_id(), session_id=new_id())
        forked = await fork_live(
            events,
            self._runtime.agents,
            self._settings,
            step=step,
            new_id=new.turn_id,
            session_id=new.session_id,
            edits=edits,
            model=model,
            assistant=assistant,
        )
        blobs = await self._store.blobs.read_many(started.session_id, attached_in(forked))
        await self._store.workspaces.copy(started.session_id, new.session_id)
        await self._begin(forked, blobs)
        return new

    async def _read(self, turn_id: str, user: str | None) -> tuple[e.TurnStarted, Sequence[e.Durable]]:
        await self._runtime.turn(turn_id, user)
        events = await self._store.turns.read(turn_id)
        if not events or not isinstance(events[0], e.TurnStarted):
            raise UnknownName("There is no such turn.")
        return events[0], events

    async def _previous(self, started: e.TurnStarted) -> str:
        return previous_turns(await self._store.turns.of_session(started.session_id))[started.turn_id]

    async def question_of(self, turn_id: str, user: str | None, text: str) -> Question:
        """An edited question, with what was given with the turn's own."""
        started, _ = await self._read(turn_id, user)
        return await self._with_attachments(started, text)

    async def _with_attachments(self, started: e.TurnStarted, text: str) -> Question:
        if not started.attachments:
            return text
        shown = [each.sha256 for each in started.attachments if each.sha256]
        blobs = await self._store.blobs.read_many(started.session_id, shown)
        given = [File.stored(each, blobs.get(each.sha256, b"")) for each in started.attachments]
        return cast("Question", [text, *given])
