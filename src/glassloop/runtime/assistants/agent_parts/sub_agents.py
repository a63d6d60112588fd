"""Sub-agents: agents as tools of other agents, and hand-overs to them.

Each call is answered by a child turn. A child has the user, the session and, unless it makes its own, the dependencies
of its parent; of the two profiles the stricter approvals; at most its share of what is left of the parent's limits; its
own model, tools, prompt and plugins; and no memory: it stands alone, and knows what it is told.
"""

import copy
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

import msgspec

from glassloop.core import events as e
from glassloop.core.call_terms import GrantKind
from glassloop.core.errors import ToolError, UsageError
from glassloop.core.loop.approvals.modes import MODE
from glassloop.core.loop.approvals.provenance import DECIDED_FROM, decided_from
from glassloop.core.loop.children.child_log import (
    CALL_PREFIX,
    call_prefix,
    is_open,
    pending_inputs,
)
from glassloop.core.loop.children.child_run import limits_of_child, run_child
from glassloop.core.loop.compaction import paired
from glassloop.core.loop.fold import fold
from glassloop.core.loop.observations import CallState
from glassloop.core.loop.policy import Approvals
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.tool_schedule import CallChannel
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import AssistantMessage, Message, ToolSpec, UserMessage
from glassloop.core.ports import EventStore, Granted, ToolExecutor
from glassloop.core.records import Json, ToolCall, ToolResult
from glassloop.runtime.assistants.agent_parts.prompt_facts import DISPLAY_NAME, FACTS
from glassloop.runtime.assistants.result import TurnPaused
from glassloop.tools.context import ToolContext
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.runtime.assistants.agent import Agent

CALL_S = 10 * 365 * 86_400.0
"""What ends a sub-agent's call is its limits and those of its parent; by hand it may take this long."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")


class UsableAsTool:
    """The part of `Agent` that makes it a tool of other agents."""

    def as_tool(
        self,
        name: str | None = None,
        description: str = "",
        *,
        input: type | None = None,  # noqa: A002
        confirm: bool = False,
    ) -> "SubAgentTool":
        """This agent as a tool of others: each call is a child turn, and its answer the observation.

        `input` is a Pydantic model of what it is asked for, sent to it as JSON; by default that is one text, `task`.
        `confirm`: a person allows each call. Approvals that its own tools need pause the whole turn.
        """
        agent = cast("Agent[Any, Any]", self)
        name = name or tool_name(agent)
        about = description or f"Asks the agent {agent.profile.name!r}, which has its own tools, for an answer."
        return SubAgentTool(agent, name, about, input=input, confirm=confirm)

    def as_handoff(self, name: str | None = None, description: str = "") -> "SubAgentTool":
        """This agent as one that others hand the conversation over to: its answer is theirs, and no model is asked
        again. For `Agent(handoffs=[…])`, which also takes the agent itself."""
        agent = cast("Agent[Any, Any]", self)
        about = description or f"Hands the conversation over to {agent.profile.name!r}, which answers in your place."
        return SubAgentTool(agent, name or f"transfer_to_{tool_name(agent)}", about, hands_over=True)


class SubAgentTool(Tool):
    """An agent as a tool, made by `Agent.as_tool` and `Agent.as_handoff`."""

    effect = "read"
    volatile = True
    retries = 0
    timeout_s = CALL_S

    def __init__(
        self,
        agent: "Agent[Any, Any]",
        name: str,
        description: str,
        *,
        input: Any = None,  # noqa: A002
        confirm: bool = False,
        hands_over: bool = False,
    ) -> None:
        self.agent = agent
        self.name = name
        self.description = description
        self.confirm = confirm
        self.hands_over = hands_over
        self._own_input = input is not None
        self.Input = input if input is not None else _input_model(hands_over)
        # Made here, so that mistakes show where the tool is written.
        _ = self.spec, self.validate

    async def execute(self, input: Any, context: ToolContext, /) -> ToolResult:  # noqa: A002
        """Runs the agent by hand, as a turn of its own."""
        question = self._question(input.model_dump(mode="json"), "")
        try:
            result = await self.agent.run(question, user=context.user, deps=context.deps)
        except TurnPaused as paused:
            raise ToolError(f"{self.name!r} waits for a decision, and has no turn to wait in: {paused}") from None
        return ToolResult(success=True, output=result.text, sourced=result.evidence.sourced_texts)

    def open(self, parent: Turn, call: ToolCall, events: Sequence[e.Durable], store: EventStore | None) -> Turn:
        """The child turn of a call; see `SubAgent`."""
        agent = self.agent
        started = events[0] if events else self._started(parent, call)
        if not isinstance(started, e.TurnStarted):
            raise UsageError(f"The child turn of call {call.id!r} does not begin with 'turn_started': ask again.")
        bounds = parent.ports.bounds
        ports = msgspec.structs.replace(
            agent.ports_for(started) if bounds is None else bounds.bind(agent.ports_for(started)),
            store=store,
            clock=parent.clock,
            commands=None,
            holds=parent.ports.holds,
            granted=_granted_to(parent),
        )
        if ports.deps_factory is None:
            ports = msgspec.structs.replace(ports, deps=parent.deps)
        turn = Turn(
            profile=agent.profile_for(started),
            ports=agent.hooked(ports, events or (started,)),
            state=fold(events) if events else TurnState(turn_id=started.turn_id),
        )
        turn.log = list(events)
        turn.depth = parent.depth + 1
        turn.call_prefix = call_prefix(started)
        if not events:
            turn.record(started)
        return turn

    async def run(self, parent: Turn, call: ToolCall, channel: CallChannel) -> ToolResult | None:
        """Answers a call; see `SubAgent`."""
        if not parent.state.calls[call.id].child and (problem := parent.ports.tools.check(call)) is not None:
            return ToolResult(success=False, error=problem, cause="refused")
        opened = copy.copy(self)
        try:
            # With the tools of its toolsets.
            opened.agent = await self.agent.ready()
            return await run_child(opened, parent, call, channel, hands_over=self.hands_over)
        except UsageError as error:
            return ToolResult(success=False, error=str(error))

    def _started(self, parent: Turn, call: ToolCall) -> e.TurnStarted:
        agent, above = self.agent, parent.profile
        limits = limits_of_child(parent, agent.profile.limits)
        stricter = max(above.approvals, agent.profile.approvals, key=get_args(Approvals).index)
        follows = decided_from(parent.state, call.id)
        settings: dict[str, Json] = {
            "in_session": False,
            "limits": {name: value for name, value in msgspec.structs.asdict(limits).items() if value is not None},
            "approvals": stricter,
            **({} if follows is None else {DECIDED_FROM: msgspec.to_builtins(follows)}),
            CALL_PREFIX: f"{parent.call_prefix}{parent.state.calls[call.id].number}-",
        }
        above_started = parent.state.started
        if above_started is not None:
            kept = above_started.settings
            settings |= {name: kept[name] for name in (DISPLAY_NAME, FACTS, MODE) if name in kept}
        if self.hands_over:
            settings |= _conversation(parent, str(call.args.get("note", "")))
        user = above_started.user if above_started else "anonymous"
        question = self._question(call.args, parent.state.question)
        bounds = parent.ports.bounds
        started = agent.started(question, session_id=parent.session, user=user, settings=settings, bounds=bounds)
        return msgspec.structs.replace(started, at=parent.clock(), parent_turn_id=parent.state.turn_id)

    def _question(self, args: Mapping[str, Json], question: str) -> str:
        if self.hands_over:
            return question or str(args.get("note", ""))
        return msgspec.json.encode(args).decode() if self._own_input else str(args["task"])


def tool_name(agent: "Agent[Any, Any]") -> str:
    """An agent's name as a tool may have it."""
    name = _NOT_IN_NAMES.sub("_", agent.profile.name)[:48]
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


def with_handoffs(tools: ToolExecutor, handoffs: Sequence["Agent[Any, Any] | Tool"]) -> ToolExecutor:
    """The tools with those that hand over; agents get one of their own."""
    if not handoffs:
        return tools
    if not isinstance(tools, ToolOrchestrator):
        raise UsageError("An agent with an executor of its own cannot hand over: give it its tools as a list.")
    return tools.with_tools([one if isinstance(one, Tool) else one.as_handoff() for one in handoffs])


def sub_agents_of(tools: ToolExecutor) -> Mapping[str, SubAgentTool]:
    """The sub-agents among the tools."""
    if not isinstance(tools, ToolOrchestrator):
        return {}
    return {name: one for name, one in tools.tools.items() if isinstance(one, SubAgentTool)}


class AskingChild(msgspec.Struct, frozen=True):
    """A child turn that waits for a person, reopened to record what they said, and the call that it answers."""

    entry: CallState
    child: Turn
    tools: ToolExecutor


def child_that_asks(turn: Turn, tools: ToolExecutor, call_id: str) -> AskingChild | None:
    """The child turn in which this call, or one further below, waits for a person."""
    if call_id in turn.state.calls:
        return None
    sub_agents = sub_agents_of(tools)
    for entry in turn.state.calls.values():
        sub_agent = sub_agents.get(entry.call.tool)
        if sub_agent is not None and entry.child and _asks(entry, call_id):
            return AskingChild(entry, sub_agent.open(turn, entry.call, entry.child, None), sub_agent.agent.tools)
    return None


def called_tool(agent: "Agent[Any, Any]", state: TurnState, event: e.Durable) -> tuple[str, ToolSpec | None]:
    """The tool that a decision, or one in a child turn, is about."""
    while isinstance(event, e.ChildRecorded):
        entry = state.calls[event.call_id]
        sub_agent = sub_agents_of(agent.tools).get(entry.call.tool)
        if sub_agent is None:
            return entry.call.tool, None
        agent, state, event = sub_agent.agent, fold(entry.child or ()), event.event
    decided = isinstance(event, e.ApprovalDecided | e.QuestionAnswered)
    name = state.calls[event.call_id].call.tool if decided else ""
    return name, agent.tools.specs.get(name)


def _asks(entry: CallState, call_id: str) -> bool:
    if not is_open(entry):
        return False
    return any(
        call_id == (asked.call.id if isinstance(asked, e.ApprovalRequested) else asked.call_id)
        for asked in pending_inputs(fold(entry.child or ()))
    )


def _granted_to(parent: Turn) -> Granted | None:
    """What people allowed for the session counts in child turns too."""
    granted, started = parent.ports.granted, parent.state.started
    if granted is None or started is None:
        return None

    async def granted_above(
        _started: e.TurnStarted, spec: ToolSpec, kind: GrantKind, scopes: Sequence[str]
    ) -> str | None:
        return await granted(started, spec, kind, scopes)

    return granted_above


def _conversation(parent: Turn, note: str) -> dict[str, Json]:
    """What was said before the question that is handed over, and why it is."""
    said: list[Message] = []
    for message in parent.state.messages:
        if isinstance(message, UserMessage) and message.author == "person":
            if message.content == parent.state.question:
                break
            said.append(message)
        elif isinstance(message, AssistantMessage) and message.text and not message.calls:
            said.append(message)
    told: dict[str, Json] = {"history": msgspec.to_builtins(paired(said))} if said else {}
    handed_over: dict[str, Json] = {"from": parent.profile.name}
    return {**told, "context": {"handed_over": {**handed_over, "note": note} if note else handed_over}}


def _input_model(hands_over: bool) -> Any:
    from pydantic import Field, create_model

    if hands_over:
        about = "What the other agent should know beyond the conversation, which it is shown."
        return create_model("Handoff", note=(str, Field(default="", description=about)))
    about = "What to do, complete in itself: the agent knows nothing of this conversation."
    return create_model("Task", task=(str, Field(min_length=1, description=about)))
