"""Forms for the client's person: calls to decide and questions to answer, asked during a call or between two.

A decision is bound to the digest of what was shown: the runtime refuses it for anything else.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from mcp.server.context import ServerRequestContext
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    InputResponse,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from glassloop.core.events import ApprovalRequested, QuestionAsked
from glassloop.core.loop.user_question import MAX_ANSWER_CHARS
from glassloop.extensions.mcp.server.rendering import card, spell_out
from glassloop.runtime.assistants.result import Answer, Approval

REASON_CHARS = 2_000

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": ["approve", "refuse"], "title": "Shall it run?"},
        "reason": {"type": "string", "title": "If not: why? The model is told.", "maxLength": REASON_CHARS},
    },
    "required": ["decision"],
}

Asked = ApprovalRequested | QuestionAsked


class ElicitationRound(msgspec.Struct, frozen=True, kw_only=True):
    """What a person is being asked: which turn waits, up to which event it was told, the digests by call, and the
    calls that are questions."""

    turn_id: str
    seq: int
    digests: dict[str, str]
    questions: tuple[str, ...] = ()


def can_ask(context: ServerRequestContext) -> bool:
    """Whether the client has a person who can fill in a form."""
    capabilities = context.session.client_capabilities
    found = capabilities and capabilities.elicitation
    return found is not None and (found.form is not None or found.url is None)


def asks_later(context: ServerRequestContext) -> bool:
    """Whether the person is asked between two calls, and not during one."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def ask_later(turn_id: str, seq: int, asked: Sequence[Asked]) -> InputRequiredResult:
    """Ends the call with what is to be decided and answered."""
    state = ElicitationRound(
        turn_id=turn_id,
        seq=seq,
        digests={one.call.id: one.digest for one in asked if isinstance(one, ApprovalRequested)},
        questions=tuple(one.call_id for one in asked if isinstance(one, QuestionAsked)),
    )
    forms: dict[str, InputRequest] = {_call_id(one): ElicitRequest(params=_form(one)) for one in asked}
    return InputRequiredResult(input_requests=forms, request_state=msgspec.json.encode(state).decode())


async def ask_now(context: ServerRequestContext, asked: Sequence[Asked], user: str) -> Sequence[Approval | Answer]:
    """The decisions and answers, asked for one by one; fewer than there were when somebody would not say."""
    given: list[Approval | Answer] = []
    for one in asked:
        form = _form(one)
        result = await context.session.elicit_form(form.message, form.requested_schema, context.request_id)
        digest = one.digest if isinstance(one, ApprovalRequested) else None
        said = _read(_call_id(one), digest, result, user)
        if said is None:
            break
        given.append(said)
    return given


def read_responses(
    asked: ElicitationRound, responses: Mapping[str, InputResponse], user: str
) -> Sequence[Approval | Answer]:
    """The decisions and answers that came back with the call."""
    expected: dict[str, str | None] = {**asked.digests, **dict.fromkeys(asked.questions)}
    given: list[Approval | Answer] = []
    for call_id, digest in expected.items():
        response = responses.get(call_id)
        said = _read(call_id, digest, response, user) if isinstance(response, ElicitResult) else None
        if said is not None:
            given.append(said)
    return given


def _call_id(asked: Asked) -> str:
    return asked.call.id if isinstance(asked, ApprovalRequested) else asked.call_id


def _form(asked: Asked) -> ElicitRequestFormParams:
    if isinstance(asked, ApprovalRequested):
        return ElicitRequestFormParams(message=card(asked), requested_schema=_FORM)
    own: dict[str, Any] = {"type": "string", "title": "Your answer", "maxLength": MAX_ANSWER_CHARS}
    if not asked.options:
        form: dict[str, Any] = {"type": "object", "properties": {"answer": own}, "required": ["answer"]}
    else:
        options = [spell_out(option) for option in asked.options]
        choice = {"type": "string", "enum": options, "title": "Choose one"}
        own["title"] = "Or in your own words"
        form = {"type": "object", "properties": {"choice": choice, "answer": own}}
    return ElicitRequestFormParams(message=spell_out(asked.question), requested_schema=form)


def _read(call_id: str, digest: str | None, result: ElicitResult, user: str) -> Approval | Answer | None:
    """What a person said; None when they said nothing."""
    content = result.content or {}
    if digest is None:
        text = str(content.get("answer") or content.get("choice") or "").strip()[:MAX_ANSWER_CHARS]
        return Answer(call_id, text, user) if result.action == "accept" and text else None
    decision = content.get("decision")
    if result.action == "cancel" or (result.action == "accept" and decision not in ("approve", "refuse")):
        return None
    approved = result.action == "accept" and decision == "approve"
    reason = str(content.get("reason") or "")[:REASON_CHARS]
    return Approval(call_id=call_id, digest=digest, approved=approved, by=user, reason="" if approved else reason)
