"""Approvals over MCP: a client that can ask its person is asked, in the way its protocol version knows.

Handshake versions are asked while the call is open. From 2026-07-28 on the call ends with what is to be decided, and
comes again with the decisions; its state travels encrypted, so that the client cannot read or change it. A decision is
bound to the digest of what was shown: the runtime refuses it for anything else.
"""

from collections.abc import Mapping, Sequence

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

from glassloop.core.events import ApprovalRequested
from glassloop.extensions.mcp.server.rendering import card
from glassloop.runtime.assistants.agent import Approval

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
