"""Policy of a turn: limits, budgets, stop rules, approvals. Pure rules over the folded state.

It decides and does not act. The loop asks before every call, never after.
"""

import hashlib
from typing import Literal

import msgspec

from glassloop.core.egress import Egress
from glassloop.core.errors import ApprovalMismatch, UsageError
from glassloop.core.events import ApprovalRequested, EndReason, ProtocolName, WrittenProtocol
from glassloop.core.loop.state import TurnState
from glassloop.core.messages import ToolSpec
from glassloop.core.planning.reflection import SLACK
from glassloop.core.records import Json, ToolCall

Approvals = Literal["declared", "provenance", "effects"]
"""When a person is asked: for tools that declare `confirm`; also for effects that may follow from untrusted text or
take confidential text outside (`provenance.py`); or for every effect. The later ones are stricter."""


GRANTED_S = 12 * 3600.0
"""How long a tool that was allowed for a session need not ask in it."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How far a turn may go. None is no limit. Money in US dollars."""

    iterations: int = 5
    """Steps: how often the model decides."""
    tool_calls: int | None = None
    """Calls of tools."""
    tokens: int | None = None
    """Tokens read and written by models."""
    cost: float | None = None
    """US dollars. Refused with a model whose price nobody knows."""
    seconds: float | None = None
    """Time since the question, without that spent waiting for people."""
    calls_per_step: int = 16
    """Calls that one decision may make; further ones are told back."""

    def __post_init__(self) -> None:
        for name in ("iterations", "calls_per_step"):
            if getattr(self, name) < 1:
                raise UsageError(f"The limit {name!r} must be at least 1, not {getattr(self, name)}.")
        for name in ("tool_calls", "tokens", "cost", "seconds"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise UsageError(f"The limit {name!r} must be 0 or more, not {value}; omit it for no limit.")


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """An assistant as the loop sees it: everything that shapes a turn except the ports."""

    name: str = "assistant"
    """The assistant, as the log names it."""
    prompt: str = "You are a careful assistant. Use the tools where they help, and answer from what they return."
    """What the model is told first."""
    prompt_brief: str = ""
    """The same in short, for small models; empty: they are told `prompt`."""
    protocol: ProtocolName = "native"
    """`native` calls, `json` or `text`; one the model cannot do is replaced by one it can."""
    written_protocol: WrittenProtocol = "json"
    """What takes the place of `native` for models without tools: `json` or `text`."""
    planner: bool = False
    """The model may write a plan."""
    reflection: bool = False
    """The model checks each draft before it is given."""
    limits: Limits = Limits()
    """How far a turn may go."""
    approvals: Approvals = "provenance"
    """What is asked about: tools that declare `confirm`, effects that may follow from untrusted text as well
    (`provenance`), or every effect (`effects`)."""
    egress: Egress = Egress()
    """Where tools may reach outside without asking for what they take along, or at all."""
    temperature: float = 0.3
    """Of replies."""
    max_tokens: int = 4096
    """Of one reply."""
    context_tokens: int | None = None
    """The transcript beyond this is summarised; None: three quarters of the model's window."""
    keep_recent: int = 4
    """So many of the newest messages are never summarised."""
    observation_chars: int | None = None
    """How much the model sees of the results of a step; None: by the model's window."""
    shortlist: int | None = None
    """At most so many tools are offered for a question; 0: all of them, None: as many as the model can take."""
    ask_user: bool = False
    """Whether the model may ask the person something in the middle of a turn, which then waits for the answer."""
    tells_context: bool = False
    """Whether the model is told the date, the user, how many steps it has and which tools ask a person first."""
    collections: tuple[str, ...] = ()
    """Collections that its questions are looked up in, by name, as far as the user may read them."""
    preset: str = "balanced"
    """`speed`, `balanced` or `quality`: which tier does what."""


def stop_reason(state: TurnState, limits: Limits, now: float) -> EndReason | None:
    """Why no further step may start, or None."""
    if state.iterations >= limits.iterations + state.more_steps:
        return "iterations"
    if limits.tool_calls is not None and state.tool_calls >= limits.tool_calls:
        return "tool_calls"
    if limits.seconds is not None and now - state.started_at >= limits.seconds:
        return "seconds"
    if state.plan is not None and state.iterations > state.plan.estimated_iterations + SLACK + state.more_steps:
        return "estimate"
    return None


def over_cost(state: TurnState, limits: Limits, quote: float | None, model: str) -> bool:
    """Whether a call of this price would pass the money limit. A price nobody knows cannot be kept within one."""
    if limits.cost is None:
        return False
    if quote is None:
        raise UsageError(
            f"No price is known for {model!r}, so the limit of ${limits.cost:g} cannot be kept: "
            "give the model a price in the settings, or leave the cost limit out."
        )
    return state.cost + quote > limits.cost


def why_not_run_repaired(call: ToolCall, spec: ToolSpec, approvals: Approvals) -> str | None:
    """Why a call whose arguments had to be mended must not run, nor be shown to a person; None where it may.

    A tool that only reads may run on a guess. One that takes no parameters can have meant none.
    """
    if call.mended is None or not (spec.is_effect or needs_approval(spec, approvals)):
        return None
    match call.mended:
        case "closed":
            return f"Not run: the call of {call.tool!r} was cut off before its end. Send it again, complete."
        case "guessed":
            return (
                f"Not run: the arguments of {call.tool!r} could be read in more than one way. "
                "Send the call again, with its arguments as one valid JSON object that has each key once."
            )
        case "absent":
            if not spec.parameters.get("properties"):
                return None
            return (
                f"Not run: no arguments of {call.tool!r} arrived, and they may have been lost. "
                "Send the call again with its arguments written out, at least one of them."
            )


def needs_approval(spec: ToolSpec, approvals: Approvals) -> bool:
    """Whether every call of the tool asks, whatever was said before it."""
    return spec.confirm or (approvals == "effects" and spec.is_effect)


def tool_digest(spec: ToolSpec) -> str:
    """What a grant is bound to: the tool as the person knew it."""
    said = [spec.name, spec.effect, spec.description, spec.parameters, *([spec.grant] if spec.grant else ())]
    known = msgspec.json.encode(said, order="deterministic")
    return hashlib.sha256(known).hexdigest()


def digest_of(call: ToolCall, preview: Json, doubt: str = "", runs: int = 0) -> str:
    """What an approval is bound to: the tool, its arguments and the preview, exactly as shown.

    Where a run is in doubt, also to that doubt and to how many calls had started in the turn: what was approved before
    the run would else be approved again after it."""
    shown = [call.tool, call.args, preview, *((doubt, runs) if doubt else ())]
    return hashlib.sha256(msgspec.json.encode(shown, order="deterministic")).hexdigest()


def check_decision(request: ApprovalRequested | None, call_id: str, digest: str) -> ApprovalRequested:
    """The request that a decision answers; refuses one made for anything but what was shown."""
    if request is None:
        raise ApprovalMismatch(f"No approval is pending for call {call_id!r}: reload to see what is waiting.")
    if request.digest != digest:
        raise ApprovalMismatch(
            f"The decision for call {call_id!r} was made for something else than what is pending now: "
            "reload, read the call again and decide again."
        )
    return request
