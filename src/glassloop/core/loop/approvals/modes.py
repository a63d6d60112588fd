"""Modes of a session: how much it may change, and what of that asks. Pure rules over the folded state.

A turn keeps its mode in the settings of its first event, so that it goes on in it elsewhere and after a restart.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, get_args

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.approvals.grants import is_file_edit
from glassloop.core.loop.observations import CallState, refusal
from glassloop.core.loop.policy import digest_of
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.tool_schedule import Verdict
from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json, ToolResult

if TYPE_CHECKING:
    from glassloop.core.loop.turn import Turn

Mode = Literal["plan", "read", "ask", "edits"]
"""`plan`: nothing changes before a person has approved a plan. `read`: no tool that writes is offered. `ask`: tools ask
as they declare. `edits`: file changes below the workspace need not ask."""
MODE: Final = "mode"
"""The setting of a turn that says which; absent is `ask`."""
PRESENT_PLAN: Final = "present_plan"
MAX_PLAN_CHARS: Final = 20_000
_APPROVED = "plan_approved"

PLAN_SPEC: Final = ToolSpec(
    name=PRESENT_PLAN,
    description=(
        "Show the user what you are going to change, step by step, and wait until they approve it. Nothing can be "
        "changed before that. Look at everything you need first."
    ),
    parameters={
        "type": "object",
        "properties": {"plan": {"type": "string", "description": "The plan, as Markdown, in the user's language."}},
        "required": ["plan"],
        "additionalProperties": False,
    },
    effect="read",
)


def check_mode(name: str) -> Mode:
    if name not in get_args(Mode):
        raise UsageError(f"There is no mode {name[:40]!r}: choose one of {', '.join(get_args(Mode))}.")
    return name  # pyright: ignore[reportReturnType]


def mode_of(started: e.TurnStarted | None) -> Mode:
    """The mode of a turn."""
    return "ask" if started is None else mode_in(started.settings)


def mode_in(settings: Mapping[str, Json]) -> Mode:
    """The mode that settings of a turn name. One that nobody knows is the strictest."""
    said = settings.get(MODE, "ask")
    return said if said in get_args(Mode) else "read"


def may_ask(mode: Mode, spec: ToolSpec) -> bool:
    """Whether a call can come to be asked about in this mode: not what is not offered, nor edits that are free."""
    return not (mode == "edits" and is_file_edit(spec)) and not (mode == "read" and changes(spec))


def hidden_in_mode(mode: Mode, specs: Mapping[str, ToolSpec]) -> frozenset[str]:
    """The tools that are not offered: while one only reads, those that write, and those that ask before they reach
    outside."""
    return frozenset(name for name, spec in specs.items() if changes(spec)) if mode == "read" else frozenset()


def changes(spec: ToolSpec) -> bool:
    """Whether a call may change something that matters to people."""
    return spec.effect == "write" or (spec.effect == "external" and spec.confirm)


def edits_freely(state: TurnState, spec: ToolSpec) -> bool:
    """Whether a change of a file need not ask."""
    return is_file_edit(spec) and mode_of(state.started) == "edits"


def refused_by_mode(state: TurnState, spec: ToolSpec) -> str | None:
    """Why a call cannot run in this mode, for the model; None where it can."""
    mode = mode_of(state.started)
    if mode == "ask" or mode == "edits" or not changes(spec):
        return None
    if mode == "read":
        return f"Not run: this session only reads, and {spec.name!r} changes something. Say what you would change."
    if mode == "plan" and not any(_is_approval(result) for _, result in state.observations):
        return f"Not run: nothing may change yet. Show the user your plan with {PRESENT_PLAN!r} first."
    return None


def offer_plan(turn: "Turn") -> ToolSpec | None:
    return PLAN_SPEC if mode_of(turn.state.started) == "plan" else None


def settle_plan(turn: "Turn", entry: CallState) -> Verdict:
    """Asks the person about the plan, and waits; what they decide is the result."""
    request, decision = entry.request, entry.decision
    if request is None:
        plan = entry.call.args.get("plan")
        if not isinstance(plan, str) or not plan.strip() or len(plan) > MAX_PLAN_CHARS:
            return refusal(f"`plan` is a text of 1 to {MAX_PLAN_CHARS:,} characters: say what you are going to change.")
        preview: Json = {"plan": plan}
        digest, step = digest_of(entry.call, preview), turn.state.iterations
        turn.record(e.ApprovalRequested(**turn.stamp(), step=step, call=entry.call, preview=preview, digest=digest))
        return None
    if decision is None:
        return None
    if not decision.approved:
        said = f": {decision.reason.rstrip('.')}" if decision.reason else ""
        return refusal(f"The person did not approve the plan{said}. Change it, or ask what they want.")
    return ToolResult(
        success=True,
        output="The person approved the plan: carry it out.",
        metadata={_APPROVED: True},
        cause="planned",
    )


def _is_approval(result: ToolResult) -> bool:
    return result.success and result.cause == "planned" and bool(result.metadata.get(_APPROVED))
