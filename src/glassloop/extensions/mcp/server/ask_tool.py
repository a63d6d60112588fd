"""The tool `ask`: a question to its answer, with a line of progress for each step, and approvals on the way.

The turn belongs to the call: when the call is cancelled, or its client goes, the turn is cancelled. One that waits for
people after its call has ended goes on waiting, as everywhere else. A client that can ask its person is asked, in the
way its protocol version knows: handshake versions while the call is open; from 2026-07-28 on the call ends with what is
to be decided or answered, and comes again with that; its state travels encrypted, so that the client cannot read or
change it. The forms are in `elicitation`.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from contextlib import aclosing

import msgspec
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult, TextContent

from glassloop.core import events as e
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.extensions.mcp.server.elicitation import (
    ElicitationRound,
    ask_later,
    ask_now,
    asks_later,
    can_ask,
    read_responses,
)
from glassloop.extensions.mcp.server.rendering import Ask, answer_of, footer, pending_text, progress_of
from glassloop.projections.pending_approvals import pending, unanswered
from glassloop.runtime.assistants.access_checks import require_own_session, resolve_assistant
from glassloop.runtime.assistants.result import Answer, Approval
from glassloop.runtime.durable.runtime import Runtime, SubmittedTurn
from glassloop.runtime.settings import Settings

_log = logging.getLogger(__name__)


class AskTool:
    """Calls of `ask` on one runtime, for one user."""

    def __init__(self, runtime: Runtime, settings: Settings, user: str) -> None:
        self._runtime = runtime
        self._settings = settings
        self._user = user
        self._stopping: set[asyncio.Task[None]] = set()

    async def call(
        self, context: ServerRequestContext, arguments: Ask, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """One call from its question, or from what people decided since, to an answer or the next decision."""
        if params.request_state is None:
            return await self._follow(context, (await self._submit(arguments)).turn_id, 0)
        asked = msgspec.json.decode(params.request_state, type=ElicitationRound)
        await self._runtime.turn(asked.turn_id, self._user)
        given = read_responses(asked, params.input_responses or {}, self._user)
        if not given:
            return _result(await self._events(asked.turn_id))
        return await self._follow(context, asked.turn_id, asked.seq, given)

    async def aclose(self) -> None:
        """Waits until what was cancelled has been told so."""
        await asyncio.gather(*self._stopping)

    async def _follow(
        self, context: ServerRequestContext, turn_id: str, seen: int, given: Sequence[Approval | Answer] = ()
    ) -> CallToolResult | InputRequiredResult:
        """To the turn's end or to what this client cannot decide; cancelled, the turn is cancelled too."""
        try:
            await self._take(turn_id, given)
            return await self._to_end(context, turn_id, seen)
        except asyncio.CancelledError:
            self._stop(self._cancel(turn_id))
            raise

    async def _to_end(
        self, context: ServerRequestContext, turn_id: str, seen: int
    ) -> CallToolResult | InputRequiredResult:
        while True:
            events = await self._watch(context, turn_id, seen)
            asked = () if isinstance(events[-1], e.TurnFinished) else (*pending(events), *unanswered(events))
            if not asked or not can_ask(context):
                return _result(events)
            seen = events[-1].seq
            if asks_later(context):
                return ask_later(turn_id, seen, asked)
            given = await ask_now(context, asked, self._user)
            if len(given) < len(asked):
                return _result(events)
            await self._take(turn_id, given)

    async def _take(self, turn_id: str, given: Sequence[Approval | Answer]) -> None:
        """Stores what the person said."""
        approvals = [one for one in given if isinstance(one, Approval)]
        if approvals:
            await self._runtime.approve(turn_id, approvals, self._user)
        for one in given:
            if isinstance(one, Answer):
                await self._runtime.answer(turn_id, one.call_id, one.text, user=self._user, by=one.by)

    async def _watch(self, context: ServerRequestContext, turn_id: str, seen: int) -> Sequence[e.AnyEvent]:
        """All events to the turn's end or its next pause; progress is told of those after `seen`."""
        events: list[e.AnyEvent] = []
        async with aclosing(self._runtime.watch(turn_id)) as watching:
            async for event in watching:
                if type(event) in e.TRANSIENT:
                    continue
                events.append(event)
                line = progress_of(event) if event.seq > seen else None
                if line is not None:
                    await context.session.report_progress(event.seq, message=line)
        return events

    async def _events(self, turn_id: str) -> Sequence[e.AnyEvent]:
        return await self._runtime.store.turns.read(turn_id, skip_unknown=True)

    async def _submit(self, arguments: Ask) -> SubmittedTurn:
        wanted = await resolve_assistant(self._runtime.agents, self._settings, arguments.assistant)
        await require_own_session(self._runtime.store, arguments.session_id, self._user)
        if not arguments.question.strip():
            raise UsageError("The question is empty: say what to answer.")
        submitting = asyncio.ensure_future(
            self._runtime.submit(
                arguments.question, session_id=arguments.session_id, user=self._user, wanted=wanted, channel="api"
            )
        )
        try:
            return await asyncio.shield(submitting)
        except asyncio.CancelledError:
            # It may be stored already: only when its id is known can it be stopped.
            self._stop(self._take_back(submitting))
            raise

    def _stop(self, stopping: Coroutine[None, None, None]) -> None:
        """Cancels apart from the call, whose own task may await nothing any more."""
        task = asyncio.ensure_future(stopping)
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)

    async def _take_back(self, submitting: "asyncio.Future[SubmittedTurn]") -> None:
        try:
            submitted = await submitting
        except GlassloopError as error:
            _log.info("a question that was taken back was not taken: %s", error)
            return
        await self._cancel(submitted.turn_id)

    async def _cancel(self, turn_id: str) -> None:
        try:
            await self._runtime.cancel(turn_id)
        except GlassloopError as error:
            _log.warning("turn %s, which nobody waits for, was not stopped: %s", turn_id, error)


def _result(events: Sequence[e.AnyEvent]) -> CallToolResult:
    answer = answer_of(events)
    if answer.status == "waiting":
        text = pending_text(answer)
    elif answer.status == "completed":
        text = answer.answer
    else:
        text = "\n\n".join(filter(None, (answer.error, answer.answer)))
    return CallToolResult(
        content=[TextContent(text=text), TextContent(text=footer(answer))],
        structured_content=answer.model_dump(mode="json"),
        is_error=answer.status in ("failed", "cancelled"),
    )
