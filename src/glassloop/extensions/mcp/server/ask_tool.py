"""The tool `ask`: a question to its answer, with a line of progress for each step, and approvals on the way.

The turn belongs to the call: when the call is cancelled, or its client goes, the turn is cancelled. One that waits for
people after its call has ended goes on waiting, as everywhere else. A client that can ask its person is asked, in the
way its protocol version knows: handshake versions while the call is open; from 2026-07-28 on the call ends with what is
to be decided, and comes again with the decisions; its state travels encrypted, so that the client cannot read or change
it. A decision is bound to the digest of what was shown: the runtime refuses it for anything else.
"""

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import aclosing

import msgspec
from mcp.server.context import ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    InputResponse,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from glassloop.core import events as e
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.core.events import ApprovalRequested
from glassloop.extensions.mcp.server.rendering import Ask, answer_of, card, footer, pending_text, progress_of
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.access_checks import require_own_session, resolve_assistant
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.durable.runtime import Runtime, SubmittedTurn
from glassloop.runtime.settings import Settings

REASON_CHARS = 2_000

_FORM = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": ["approve", "refuse"], "title": "Shall it run?"},
        "reason": {"type": "string", "title": "If not: why? The model is told.", "maxLength": REASON_CHARS},
    },
    "required": ["decision"],
}


class ApprovalRound(msgspec.Struct, frozen=True, kw_only=True):
    """What a person is being asked: which turn waits, up to which event it was told, and the digests by call."""

    turn_id: str
    seq: int
    digests: dict[str, str]


def can_ask(context: ServerRequestContext) -> bool:
    """Whether the client has a person who can fill in a form."""
    capabilities = context.session.client_capabilities
    found = capabilities and capabilities.elicitation
    return found is not None and (found.form is not None or found.url is None)


def asks_later(context: ServerRequestContext) -> bool:
    """Whether the person is asked between two calls, and not during one."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def ask_later(turn_id: str, seq: int, requests: Sequence[ApprovalRequested]) -> InputRequiredResult:
    """Ends the call with what is to be decided."""
    asked = ApprovalRound(turn_id=turn_id, seq=seq, digests={request.call.id: request.digest for request in requests})
    forms: dict[str, InputRequest] = {request.call.id: ElicitRequest(params=_form(request)) for request in requests}
    return InputRequiredResult(input_requests=forms, request_state=msgspec.json.encode(asked).decode())


async def ask_now(
    context: ServerRequestContext, requests: Sequence[ApprovalRequested], user: str
) -> Sequence[Approval]:
    """The decisions, asked for one by one; fewer than requests when somebody would not say."""
    decided: list[Approval] = []
    for request in requests:
        form = _form(request)
        result = await context.session.elicit_form(form.message, form.requested_schema, context.request_id)
        approval = _approval(request.call.id, request.digest, result, user)
        if approval is None:
            break
        decided.append(approval)
    return decided


def read_decisions(asked: ApprovalRound, responses: Mapping[str, InputResponse], user: str) -> Sequence[Approval]:
    """The decisions that came back with the call."""
    decided: list[Approval] = []
    for call_id, digest in asked.digests.items():
        response = responses.get(call_id)
        approval = _approval(call_id, digest, response, user) if isinstance(response, ElicitResult) else None
        if approval is not None:
            decided.append(approval)
    return decided


def _form(request: ApprovalRequested) -> ElicitRequestFormParams:
    return ElicitRequestFormParams(message=card(request), requested_schema=_FORM)


def _approval(call_id: str, digest: str, result: ElicitResult, user: str) -> Approval | None:
    """What a person said; None when they said nothing."""
    content = result.content or {}
    decision = content.get("decision")
    if result.action == "cancel" or (result.action == "accept" and decision not in ("approve", "refuse")):
        return None
    approved = result.action == "accept" and decision == "approve"
    reason = str(content.get("reason") or "")[:REASON_CHARS]
    return Approval(call_id=call_id, digest=digest, approved=approved, by=user, reason="" if approved else reason)


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
        asked = msgspec.json.decode(params.request_state, type=ApprovalRound)
        await self._runtime.turn(asked.turn_id, self._user)
        decided = read_decisions(asked, params.input_responses or {}, self._user)
        if not decided:
            return _result(await self._events(asked.turn_id))
        return await self._follow(context, asked.turn_id, asked.seq, decided)

    async def aclose(self) -> None:
        """Waits until what was cancelled has been told so."""
        await asyncio.gather(*self._stopping)

    async def _follow(
        self, context: ServerRequestContext, turn_id: str, seen: int, decided: Sequence[Approval] = ()
    ) -> CallToolResult | InputRequiredResult:
        """To the turn's end or to what this client cannot decide; cancelled, the turn is cancelled too."""
        try:
            if decided:
                await self._runtime.approve(turn_id, decided, self._user)
            return await self._to_end(context, turn_id, seen)
        except asyncio.CancelledError:
            self._stop(self._cancel(turn_id))
            raise

    async def _to_end(
        self, context: ServerRequestContext, turn_id: str, seen: int
    ) -> CallToolResult | InputRequiredResult:
        while True:
            events = await self._watch(context, turn_id, seen)
            requests = () if isinstance(events[-1], e.TurnFinished) else pending(events)
            if not requests or not can_ask(context):
                return _result(events)
            seen = events[-1].seq
            if asks_later(context):
                return ask_later(turn_id, seen, requests)
            decided = await ask_now(context, requests, self._user)
            if len(decided) < len(requests):
                return _result(events)
            await self._runtime.approve(turn_id, decided, self._user)

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
