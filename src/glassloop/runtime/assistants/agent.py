"""`Agent`: a model, tools and a profile put together.

`stream` yields the events of a turn, `run` drains the same stream. Fills the ports of a turn; replay, grants and hooks
replace single ones. Durability, scheduling and serving are built around this, never beside it.
"""

import asyncio
import copy
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Self

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import BadArguments, UsageError
from glassloop.core.loop.compaction import SUMMARIZE, compress_if_needed, paired, summarize_in_parts
from glassloop.core.loop.fold import fold
from glassloop.core.loop.policy import Limits, Profile, check_decision, check_grant
from glassloop.core.loop.side_questions import SIDE_REPLY
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.turn import Turn
from glassloop.core.loop.turn_ports import TurnPorts
from glassloop.core.messages import Message, Purpose, message_tokens
from glassloop.core.ports import (
    Advisor,
    Ask,
    Clock,
    DecisionProtocol,
    EventStore,
    Granted,
    Ids,
    Model,
    Recall,
    Router,
    Shortlist,
    ToolExecutor,
)
from glassloop.core.protocols import choose_protocol, get_protocol
from glassloop.core.records import Json, Tier
from glassloop.memory.conversation import ConversationMemory
from glassloop.projections.response import ResponseFold
from glassloop.runtime.assistants.agent_profile import as_recorded, profile_with, recorded_settings
from glassloop.runtime.assistants.context_note import context_note
from glassloop.runtime.assistants.hooks import Hooks
from glassloop.runtime.assistants.installed_help import InstalledShortlist, installed_advisor
from glassloop.runtime.assistants.output_type import OutputT, OutputType
from glassloop.runtime.assistants.result import Approval, Result
from glassloop.runtime.assistants.slash_commands import SlashCommands
from glassloop.runtime.assistants.sub_agents import (
    UsableAsTool,
    decide_in_child,
    sub_agents_of,
    with_handoffs,
)
from glassloop.runtime.assistants.turn_stream import TurnStream
from glassloop.runtime.ids import new_id
from glassloop.tools.context import DepsT
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.plugin import Plugin
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import Tool

TIERS: tuple[Tier, ...] = ("fast", "balanced", "powerful")
HISTORY_TOKENS, SMALL_WINDOW = 6000, 16_384
"""Of what was said before, for models with windows up to that many tokens; of others half the window."""
MAX_QUESTION_CHARS = 200_000


class Agent(UsableAsTool, Generic[DepsT, OutputT]):
    """Asks a model, runs its tools, answers; every step is an event.

    `model` is a model object, used as it is, or a name such as `anthropic:claude-…`, made from the settings with
    retries and its tier's fallback. A `protocol` object is used as it is; the log calls it by one of our names.
    `output_type` makes `Result.output` a value of that type: a model, dataclass, struct, union, list or scalar.
    `handoffs` are agents that the model may hand the conversation over to, each with a tool `transfer_to_<name>`.
    """

    def __init__(
        self,
        model: Model | Mapping[Tier, Model] | str,
        tools: Iterable[Any] | ToolRegistry | ToolExecutor = (),
        *,
        output_type: type[OutputT] = str,  # pyright: ignore[reportArgumentType]
        profile: Profile | None = None,
        max_iterations: int | None = None,
        limits: Limits | None = None,
        planner: bool | None = None,
        reflection: bool | None = None,
        prompt: str | Callable[[DepsT], str] | None = None,
        deps_factory: Callable[[e.TurnStarted], DepsT | Coroutine[Any, Any, DepsT]] | None = None,
        protocol: e.ProtocolName | DecisionProtocol | None = None,
        name: str | None = None,
        router: Router | None = None,
        plugins: Sequence[Plugin] = (),
        handoffs: "Sequence[Agent[Any, Any] | Tool]" = (),
        shortlist: int | None = None,
        finder: Shortlist | None = None,
        advisor: Advisor | None = None,
        tier_for: Callable[[Purpose, str], Tier] | None = None,
        memory: ConversationMemory | None = None,
        store: EventStore | None = None,
        history_tokens: int | None = None,
        clock: Clock = time.time,
        ids: Ids = new_id,
    ) -> None:
        own = None if isinstance(protocol, str) else protocol
        given = {"limits": limits, "planner": planner, "reflection": reflection, "name": name, "shortlist": shortlist}
        given |= {"protocol": own.name if own else protocol, "prompt": None if callable(prompt) else prompt}
        self.profile = profile_with(profile or Profile(), given, max_iterations)
        self.models, self.tools = _tiers(model), with_handoffs(_executor(tools), handoffs)
        self.memory = memory or ConversationMemory(clock=clock)
        self.output = None if output_type is str else OutputType[OutputT](output_type)
        self.hooks, tier_for = Hooks(plugins), tier_for or _always_balanced
        main = self.models[tier_for("decide", "")]
        self._ids, self._history_tokens = ids, history_tokens or _history_tokens(main.abilities.context_tokens)
        self._protocol = own or get_protocol(choose_protocol(self.profile.protocol, main.abilities), main.abilities)
        self._model_name, self._settings = main.name, recorded_settings(self.profile, small=main.abilities.small)
        self._ports = TurnPorts(
            models=self.models,
            tools=self.tools,
            clock=clock,
            tier_for=tier_for,
            protocol=self._protocol,
            framings={},
            store=store,
            recall=self._recall,
            remember=self._remember,
            router=router,
            shortlist=finder or InstalledShortlist(),
            advisor=advisor or (installed_advisor() if main.abilities.small else None),
            commands=SlashCommands(self.memory),
            output=self.output,
            deps_factory=deps_factory,
            prompt=prompt if callable(prompt) else None,
            sub_agents=sub_agents_of(self.tools),
        )
        self._ports_alone = msgspec.structs.replace(self._ports, recall=None, remember=None)

    def __repr__(self) -> str:
        return f"<Agent {self.profile.name!r} on {self._model_name!r}, {len(self.tools.specs)} tools>"

    @property
    def protocol(self) -> e.ProtocolName:
        """How the model's output is read."""
        return self._protocol.name

    def with_tools(self, more: Iterable[Tool]) -> Self:
        """This agent with more tools; its models and memory are shared. One with an executor of its own stays as it
        is."""
        if not isinstance(self.tools, ToolOrchestrator):
            return self
        other = copy.copy(self)
        other.tools = self.tools.with_tools(more)
        # What was framed for a model names the tools there were.
        changes: dict[str, Any] = {"tools": other.tools, "framings": {}, "sub_agents": sub_agents_of(other.tools)}
        other._ports = msgspec.structs.replace(self._ports, **changes)
        other._ports_alone = msgspec.structs.replace(self._ports_alone, **changes)
        return other

    def started(
        self,
        question: str,
        *,
        session_id: str | None,
        user: str = "anonymous",
        settings: Mapping[str, Json] | None = None,
    ) -> e.TurnStarted:
        """The first event of a new turn. Without a session it stands alone."""
        question = question.encode("utf-8", "replace").decode()
        if not question.strip():
            raise UsageError("The question is empty: say what to answer.")
        if len(question) > MAX_QUESTION_CHARS:
            raise UsageError(f"The question is longer than {MAX_QUESTION_CHARS:,} characters: shorten it.")
        at = self._ports.clock()
        about: dict[str, Json] = {}
        if self.profile.tells_context:
            small = self.models["balanced"].abilities.small
            about["about"] = context_note(self.profile, self.tools.specs.values(), at, user, small=small)
        return e.TurnStarted(
            turn_id=self._ids(),
            seq=1,
            at=at,
            question=question,
            user=user,
            session_id=session_id or self._ids(),
            assistant=self.profile.name,
            model=self._model_name,
            protocol=self._protocol.name,
            settings={**self._settings, **about, "in_session": session_id is not None, **(settings or {})},
        )

    def stream(
        self,
        question: str,
        *,
        session_id: str | None = None,
        user: str = "anonymous",
        history: Sequence[Message] | None = None,
        deps: DepsT | None = None,
    ) -> TurnStream[OutputT]:
        """Starts a turn; iterate over it for its events. Without a session it stands alone. `deps` is what tools find
        in `ToolContext.deps`, and prompts that are functions are called with."""
        given = {"deps": True} if deps is not None else None
        started = self.started(question, session_id=session_id, user=user, settings=given)
        ports = self._ports if session_id is not None else self._ports_alone
        if history is not None:
            ports = msgspec.structs.replace(ports, recall=self._given(paired(history)))
        if deps is not None:
            ports = msgspec.structs.replace(ports, deps=deps)
        ports = self.hooks.attach(ports, (started,))
        turn = Turn(profile=self.profile, ports=ports, state=TurnState(turn_id=started.turn_id))
        turn.record(started)
        return TurnStream(turn, self.output)

    async def run(
        self,
        question: str,
        *,
        session_id: str | None = None,
        user: str = "anonymous",
        history: Sequence[Message] | None = None,
        deps: DepsT | None = None,
    ) -> Result[OutputT]:
        """The whole turn. Raises `TurnFailed` where it has no answer, and `TurnPaused` where it waits for people."""
        return await self.stream(question, session_id=session_id, user=user, history=history, deps=deps).result()

    def run_sync(
        self,
        question: str,
        *,
        session_id: str | None = None,
        user: str = "anonymous",
        history: Sequence[Message] | None = None,
        deps: DepsT | None = None,
    ) -> Result[OutputT]:
        """`run` for programs without an event loop."""
        return asyncio.run(self.run(question, session_id=session_id, user=user, history=history, deps=deps))

    async def aclose(self) -> None:
        """Closes the models' connections and the plugins; before the event loop ends."""
        await self.hooks.aclose()
        for model in {id(model): model for model in self.models.values()}.values():
            close = getattr(model, "aclose", None)
            if close is not None:
                await close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.aclose()

    def resume(
        self, events: Sequence[e.Durable], approvals: Sequence[Approval] = (), *, deps: DepsT | None = None
    ) -> TurnStream[OutputT]:
        """Goes on with a turn from its events: after a pause, with what people decided, or after a crash."""
        turn = self.turn(events, store=self._ports.store, deps=deps)
        for approval in approvals:
            self.decide(turn, approval)
        turn.record(e.TurnResumed(**turn.stamp()))
        return TurnStream(turn, self.output)

    def turn(
        self,
        events: Sequence[e.Durable],
        *,
        store: EventStore | None,
        holds: Callable[[], bool] | None = None,
        granted: Granted | None = None,
        deps: DepsT | None = None,
    ) -> Turn:
        """The turn that these events tell of, as far as it is, under the settings it was started with.

        `store` is its log from here on, `holds` whether it is still ours, `granted` what people allowed beforehand.
        """
        state = fold(events)
        if state.started is None or state.status not in ("running", "paused"):
            raise UsageError(f"Turn {state.turn_id!r} is {state.status}: ask again, or fork it.")
        ports = msgspec.structs.replace(self.ports_for(state.started), store=store, holds=holds, granted=granted)
        if deps is not None:
            ports = msgspec.structs.replace(ports, deps=deps)
        profile = self.profile_for(state.started)
        turn = Turn(profile=profile, ports=self.hooks.attach(ports, events), state=state)
        turn.log = list(events)
        turn.needs_deps |= deps is None and bool(state.started.settings.get("deps"))
        return turn

    def ports_for(self, started: e.TurnStarted) -> TurnPorts:
        """What a turn that was started so stands on, without a log and without hooks."""
        ports = self._ports if started.settings.get("in_session") else self._ports_alone
        if (history := started.settings.get("history")) is not None:
            ports = msgspec.structs.replace(ports, recall=self._given(msgspec.convert(history, list[Message])))
        if started.protocol == self._protocol.name:
            return ports
        return msgspec.structs.replace(ports, protocol=get_protocol(started.protocol), framings={})

    def profile_for(self, started: e.TurnStarted) -> Profile:
        """The profile under the settings that the turn was started with."""
        if any(started.settings.get(name) != value for name, value in self._settings.items()):
            return as_recorded(self.profile, started)
        return self.profile

    def decide(self, turn: Turn, approval: Approval) -> None:
        """Records a decision; raises where it is not for what was shown, or changes the arguments into bad ones."""
        if approval.call_id not in turn.state.calls and decide_in_child(sub_agents_of(self.tools), turn, approval):
            return
        entry = turn.state.calls.get(approval.call_id)
        pending = entry.request if entry is not None and entry.decision is None else None
        request = check_decision(pending, approval.call_id, approval.digest)
        if approval.for_session:
            check_grant(self.tools.specs.get(request.call.tool), request, approval.approved, approval.args)
        if approval.args is not None:
            problem = self.tools.check(msgspec.structs.replace(request.call, args=approval.args))
            if problem is not None:
                raise BadArguments(problem)
        turn.record(
            e.ApprovalDecided(
                **turn.stamp(),
                call_id=approval.call_id,
                approved=approval.approved,
                digest=approval.digest,
                by=approval.by,
                reason=approval.reason,
                args=approval.args,
                scope="session" if approval.for_session else "call",
            )
        )

    async def _remember(self, events: Sequence[e.Durable]) -> None:
        folded = ResponseFold()
        for event in events:
            folded.advance(event)
        if not folded.is_command:
            await self.memory.save_interaction(folded.conversation_turn(), user=folded.user)

    def fits(self, history: Sequence[Message]) -> bool:
        """Whether a conversation that the caller keeps can be told as it is."""
        return len(history) <= self.profile.keep_recent or sum(map(message_tokens, history)) <= self._history_tokens

    def _given(self, history: Sequence[Message]) -> Recall:
        """A conversation that the caller keeps: told as it is, or compressed where it is too long."""

        async def recall(_started: e.TurnStarted, ask: Ask) -> Sequence[Message]:
            # A character is hardly ever more than a token.
            window = self.models[self._ports.tier_for("summarize", "")].abilities.context_tokens
            room = max(window - SIDE_REPLY, SIDE_REPLY)
            summarize = partial(summarize_in_parts, ask, room)
            return await compress_if_needed(history, summarize, self._history_tokens, self.profile.keep_recent)

        return recall

    async def _recall(self, started: e.TurnStarted, ask: Ask) -> Sequence[Message]:
        async def summarize(text: str) -> str | None:
            return await ask("summarize", SUMMARIZE, text, None)

        return await self.memory.recall(
            started.session_id,
            summarize,
            user=started.user,
            token_budget=self._history_tokens,
            keep_recent=self.profile.keep_recent,
        )


def _tiers(model: Model | Mapping[Tier, Model] | str) -> Mapping[Tier, Model]:
    if isinstance(model, str):
        from glassloop.runtime.models import named_models

        return named_models(model)
    if isinstance(model, Mapping):
        if "balanced" not in model:
            raise UsageError("The models by tier must at least have 'balanced'.")
        return {tier: model.get(tier, model["balanced"]) for tier in TIERS}
    return dict.fromkeys(TIERS, model)


def _executor(tools: Iterable[Any] | ToolRegistry | ToolExecutor) -> ToolExecutor:
    if hasattr(tools, "execute_tool"):
        return tools  # pyright: ignore[reportReturnType]
    return ToolOrchestrator(tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools))  # pyright: ignore[reportArgumentType]


def _history_tokens(window: int) -> int:
    return HISTORY_TOKENS if window <= SMALL_WINDOW else window // 2


def _always_balanced(_purpose: Purpose, _last_tool: str) -> Tier:
    return "balanced"
