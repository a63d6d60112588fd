"""Asking people about calls: whether one asks, what is shown, and what becomes of a decision.

Owns what stands between a call and its start where a person has a say; `act` runs what is admitted here.
"""

from glassloop.core import events as e
from glassloop.core.call_terms import CallTerms, GrantOffer
from glassloop.core.guardrails.checks import check_call
from glassloop.core.labels import OWN, ApprovalReason
from glassloop.core.loop.approvals.grants import grant_counts, grant_kind, offer_of, scopes_of
from glassloop.core.loop.approvals.modes import MODE, refused_by_mode
from glassloop.core.loop.approvals.provenance import reason_to_ask
from glassloop.core.loop.observations import CallState, refusal
from glassloop.core.loop.policy import digest_of
from glassloop.core.loop.tool_schedule import Verdict
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json, ToolCall, ToolResult


async def admit_or_ask(turn: Turn, call: ToolCall, spec: ToolSpec) -> Verdict:
    """The call, where it may run; None where a person is asked, and a refusal where it cannot run at all."""
    started = turn.state.started
    if started is not None and MODE in started.settings and (problem := refused_by_mode(turn.state, spec)) is not None:
        return refusal(problem)
    if turn.profile.egress.only:
        turn.profile.egress.check(spec, call)
    terms = None
    if spec.has_terms:
        if (problem := turn.ports.tools.check(call)) is not None:
            return refusal(problem)
        terms = await turn.guarded(turn.ports.tools.terms(call, turn.context(call.id)))
    why = reason_to_ask(turn.state, call, spec, turn.profile, terms)
    return await _ask_first(turn, call, spec, why, terms) if why else call


async def _ask_first(
    turn: Turn, call: ToolCall, spec: ToolSpec, why: ApprovalReason, terms: CallTerms | None
) -> Verdict:
    """A person must allow the call, exactly as shown, or has allowed such calls for the session. Arguments that cannot
    work are the model's business."""
    if (problem := turn.ports.tools.check(call)) is not None:
        return refusal(problem)
    preview, kind = await _preview(turn, call), grant_kind(spec, terms)
    scopes = scopes_of(kind, call, terms, preview) if grant_counts(spec, kind, why) else None
    request = _ask(turn, call, preview, why=why, allow=offer_of(kind, scopes))
    started, granted = turn.state.started, turn.ports.granted
    if granted is None or started is None or scopes is None:
        return None
    by = await turn.guarded(granted(started, spec, kind, scopes))
    if by is None:
        return None
    turn.record(
        e.ApprovalDecided(**turn.stamp(), call_id=call.id, approved=True, digest=request.digest, by=by, scope="granted")
    )
    return call


async def _preview(turn: Turn, call: ToolCall) -> Json:
    return await turn.guarded(turn.ports.tools.preview(call, turn.context(call.id)))


def _ask(
    turn: Turn,
    call: ToolCall,
    preview: Json,
    doubt: str = "",
    why: ApprovalReason | None = None,
    allow: GrantOffer | None = None,
) -> e.ApprovalRequested:
    """Asks a person. The decision counts for exactly what is shown here."""
    return turn.record(
        e.ApprovalRequested(
            **turn.stamp(),
            step=turn.state.iterations,
            call=call,
            preview=preview,
            digest=digest_of(call, preview, doubt, turn.state.tool_calls),
            reason="outcome_unknown" if doubt else "approval",
            doubt=doubt,
            why=why,
            allow=allow,
        )
    )


async def admit_decided(turn: Turn, entry: CallState, request: e.ApprovalRequested) -> Verdict:
    """What runs is what was shown; where other arguments, or the world, now show something else, it is asked again."""
    decision = entry.decision
    if decision is None:
        return None
    if not decision.approved:
        said = f": {decision.reason.rstrip('.')}" if decision.reason else ""
        why = f"The person refused this call{said}. It was not run: do not repeat it unless they ask for it."
        return refusal(why, requires_confirmation=True)
    call = request.call
    if decision.args is not None:
        call = await _edited(turn, entry, decision.args)
    elif digest_of(call, request.preview) != request.digest:
        return refusal("Not run: what the log keeps of this call is not what was approved. Ask for it again.")
    preview = await _preview(turn, call)
    as_edited = decision.args is not None and call.args == decision.args
    if digest_of(call, preview) == request.digest or (as_edited and preview is None):
        return call
    _ask(turn, call, preview, why=request.why, allow=request.allow)
    return None


async def _edited(turn: Turn, entry: CallState, args: dict[str, Json]) -> ToolCall:
    """The call with arguments that a person wrote, as guardrails let it pass."""
    call = ToolCall(id=entry.call.id, tool=entry.call.tool, args=args)
    if (spec := turn.spec_of(call.tool)) is not None:
        turn.profile.egress.check(spec, call)
    guardrails = turn.ports.guardrails
    return call if guardrails is None else await check_call(turn, guardrails, entry, call)


async def admit_again(turn: Turn, entry: CallState, spec: ToolSpec | None) -> Verdict:
    """A call that had started when its worker was lost: read again, or ask whether it took effect."""
    call, request, decision = entry.call, entry.request, entry.decision
    if entry.effect == "read" or (spec is not None and spec.idempotent):
        return call
    if request is None:
        ask_outcome(turn, call, "It had started when the work was interrupted.")
        return None
    if decision is None:
        return None
    if decision.approved:
        if decision.args is None:
            return call
        edited = await _edited(turn, entry, decision.args)
        return edited if edited.args == decision.args else refusal("Not run: a guardrail changed the arguments.")
    return ToolResult(
        success=False,
        error=f"Whether this call took effect is unknown, and it was not repeated. {decision.reason}".rstrip(),
        cause="in_doubt",
        effect_unknown=True,
        labels=OWN,
    )


def ask_outcome(turn: Turn, call: ToolCall, what: str) -> None:
    """Nobody knows whether an effect took place: a person looks, and says whether it is to be done again."""
    _ask(turn, call, turn.state.calls[call.id].approved_preview, what or "It did not come to its end.")
