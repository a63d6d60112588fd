"""`Agent`: a model, tools and a profile put together.

`stream` yields the events of a turn, `run` drains the same stream. Fills the ports of a turn; replay, grants and hooks
replace single ones. Durability, scheduling and serving are built around this, never beside it.
"""

import os
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.approvals.modes import may_ask, mode_in
from glassloop.core.loop.compaction import paired
from glassloop.core.loop.fold import fold
from glassloop.core.loop.inbox import Inbox
from glassloop.core.loop.policy import Limits, Profile
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.turn import Turn
from glassloop.core.loop.turn_ports import Bounds, TurnPorts
from glassloop.core.messages import BlobReader, Message, ModelRequest, Purpose
from glassloop.core.ports import (
    Clock,
    DecisionProtocol,
    EventStore,
    Granted,
    Ids,
    Model,
    Router,
    Shortlist,
    ToolExecutor,
)
from glassloop.core.protocols import get_protocol
from glassloop.core.records import Attachment, Json, Tier
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.assistants.agent_parts.history import AgentHistory
from glassloop.runtime.assistants.agent_parts.inputs import (
    agent_store,
    always_balanced,
    models_by_tier,
    split_tools,
)
from glassloop.runtime.assistants.agent_parts.lifetime import AgentLifetime
from glassloop.runtime.assistants.agent_parts.loop_thread import run_in_loop
from glassloop.runtime.assistants.agent_parts.prompt_facts import has_facts, with_facts
from glassloop.runtime.assistants.agent_parts.sub_agents import UsableAsTool, sub_agents_of
from glassloop.runtime.assistants.agent_parts.turn_options import TODAY, with_options
from glassloop.runtime.assistants.agent_profile import as_recorded, for_model, limited, profile_with, protocol_for
from glassloop.runtime.assistants.context_note import context_note
from glassloop.runtime.assistants.decisions import record_answer, record_decision
from glassloop.runtime.assistants.hooks import Hooks
from glassloop.runtime.assistants.installed_help import InstalledShortlist
from glassloop.runtime.assistants.output_type import OutputT, output_of
from glassloop.runtime.assistants.result import Answer, Approval, Result
from glassloop.runtime.assistants.slash_commands import SlashCommands
from glassloop.runtime.assistants.turn_stream import TurnStream
from glassloop.runtime.attachments.blobs import compose_kept, readable_question
from glassloop.runtime.ids import new_id
from glassloop.tools.context import DepsT
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.plugin import Plugin
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.runtime.attachments.parts import Question
    from glassloop.store.store import Store
    from glassloop.tools.guardrail import Guardrail

MAX_QUESTION_CHARS = 200_000


class Agent(AgentLifetime, UsableAsTool, Generic[DepsT, OutputT]):
    """Asks a model, runs its tools, answers; every step is an event.

    In annotations it is `Agent[Deps, Output]`: the type of `deps`, None where tools need none, and that of
    `Result.output`, as in `def build() -> Agent[None, City]`. A bare `Agent` is `Agent[None, str]`: it answers with
    text, so a type checker takes its `Result.output` for a `str`.

    - `model`: a name such as `anthropic:claude-…`, made from the settings with retries and its tier's fallback; or a
      model object, used as it is; or one for each tier, among which `tier_for` chooses by purpose.
    - `tools`: functions, `@tool`s, other agents, `McpServer`s, a `ToolRegistry`, or an executor of your own.
    - `output_type`: the type of `Result.output`: a model, dataclass, struct, union, list or scalar.
    - `prompt`: what the model is told first, or a function of the dependencies. `deps_factory` makes those of a turn
      from its first event where `run` is given none.
    - `name`, `max_iterations`, `limits`, `planner`, `reflection`, `ask_user`, `shortlist`: see `Profile`, which they
      change; `profile` is all of it at once.
    - `store`: a path, a URL or an open store that turns are written to while they run: what was said in a session is
      told after a restart too, and `resume` goes on with turns that were interrupted. `memory`: what is told instead,
      `history_tokens` at most.
    - `handoffs`: agents that the model may hand the conversation over to, each with a tool `transfer_to_<name>`.
    - `plugins`: hooks around each turn. `guardrails`: stop or rewrite what passes. `router`: gives questions to
      domains. `finder` chooses tools where there are too many.
    - `protocol`: how replies are read. An object is used as it is; the log calls it by one of our names.
    - `clock`, `ids`: time and new ids, for tests.
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
        ask_user: bool | None = None,
        prompt: str | Callable[[DepsT], str] | None = None,
        deps_factory: Callable[[e.TurnStarted], DepsT | Coroutine[Any, Any, DepsT]] | None = None,
        protocol: e.ProtocolName | DecisionProtocol | None = None,
        name: str | None = None,
        router: Router | None = None,
        plugins: Sequence[Plugin] = (),
        guardrails: "Sequence[Guardrail]" = (),
        handoffs: "Sequence[Agent[Any, Any] | Tool]" = (),
        shortlist: int | None = None,
        finder: Shortlist | None = None,
        tier_for: Callable[[Purpose, str], Tier] = always_balanced,
        memory: ConversationMemory | None = None,
        store: "EventStore | Store | str | os.PathLike[str] | None" = None,
        history_tokens: int | None = None,
        clock: Clock = time.time,
        ids: Ids = new_id,
    ) -> None:
        own, self.output, self._ids = None if isinstance(protocol, str) else protocol, output_of(output_type), ids
        given = {"limits": limits, "planner": planner, "reflection": reflection, "name": name, "shortlist": shortlist}
        given |= {"ask_user": ask_user, "protocol": own.name if own else protocol, "prompt": prompt}
        self.profile = profile_with(profile, given, max_iterations)
        self.models, (self.tools, self._toolsets) = models_by_tier(model), split_tools(tools, handoffs)
        self._store, self._hooks = agent_store(store, clock), Hooks(plugins, guardrails)
        self.memory = memory or ConversationMemory(clock=clock, archive=self._store)
        main, writer = (self.models[tier_for(purpose, "")] for purpose in ("decide", "summarize"))
        self.history = AgentHistory.for_models(self.memory, history_tokens, main, writer, self.profile.keep_recent)
        self._protocol = own or get_protocol(protocol_for(self.profile, main.abilities), main.abilities)
        self.main_model, (self.profile, self._settings) = main, for_model(self.profile, main.abilities)
        self._ports = TurnPorts(
            models=self.models,
            tools=self.tools,
            clock=clock,
            tier_for=tier_for,
            protocol=self._protocol,
            store=self._store or store,  # pyright: ignore[reportArgumentType]
            recall=self.history.recall,
            remember=self.history.remember,
            router=router,
            shortlist=finder or InstalledShortlist(),
            commands=SlashCommands(self.memory),
            output=self.output,
            deps_factory=deps_factory,
            prompt=prompt if callable(prompt) else None,
            sub_agents=sub_agents_of(self.tools),
        )
        self._ports_alone = msgspec.structs.replace(self._ports, recall=None, remember=None)

    def __repr__(self) -> str:
        return f"<Agent {self.profile.name!r} on {self.main_model.name!r}, {len(self.tools.specs)} tools>"

    @property
    def guardrails(self) -> "Sequence[Guardrail]":
        """All of them, those of its plugins too."""
        return self._hooks.guardrails.every if self._hooks.guardrails else ()

    @property
    def plugins(self) -> Sequence[Plugin]:
        """Those it was made with, in their order."""
        return self._hooks.plugins

    @property
    def protocol(self) -> e.ProtocolName:
        """How the model's output is read."""
        return self._protocol.name

    def started(
        self,
        question: str,
        attachments: tuple[Attachment, ...] = (),
        *,
        session_id: str | None,
        user: str = "anonymous",
        settings: Mapping[str, Json] | None = None,
        bounds: Bounds | None = None,
        model: Model | None = None,
        protocol: e.ProtocolName | None = None,
    ) -> e.TurnStarted:
        """The first event of a new turn. Without a session it stands alone. `bounds`: what its user may use. `model`,
        `protocol`: those of its decisions, where they are not the agent's."""
        question = question.encode("utf-8", "replace").decode()
        if not question.strip():
            raise UsageError("The question is empty: write a question.")
        if len(question) > MAX_QUESTION_CHARS:
            raise UsageError(f"The question is longer than {MAX_QUESTION_CHARS:,} characters: shorten it.")
        at = self._ports.clock()
        about: dict[str, Json] = {}
        if self.profile.tells_context:
            small = self.models["balanced"].abilities.small
            mode = mode_in(settings or {})
            specs = [one for one in self.tools.specs.values() if bounds is None or bounds.allows_tool(one.name)]
            specs = [one for one in specs if may_ask(mode, one)]
            today = str((settings or {}).get(TODAY, ""))
            about["about"] = context_note(limited(self.profile, settings), specs, at, user, small=small, today=today)
        return e.TurnStarted(
            turn_id=self._ids(),
            seq=1,
            at=at,
            question=question,
            user=user,
            session_id=session_id or self._ids(),
            assistant=self.profile.name,
            model=(model or self.main_model).name,
            protocol=protocol or self._protocol.name,
            settings={**self._settings, **about, "in_session": session_id is not None, **(settings or {})},
            attachments=attachments,
        )

    async def admit(self, events: Sequence[e.Durable]) -> Sequence[e.Durable]:
        """The first events of a turn with its question as the guardrails let it pass; before any of them is stored."""
        return await self._hooks.admit(self._ports, events)

    async def admit_text(self, started: e.TurnStarted, text: str) -> str:
        """The same for what a person sends to a turn under way; raises `UsageError` where a guardrail stops it."""
        return await self._hooks.admit_text(self._ports, started, text)

    def stream(
        self,
        question: "Question",
        *,
        session_id: str | None = None,
        user: str = "anonymous",
        history: Sequence[Message] | None = None,
        deps: DepsT | None = None,
    ) -> TurnStream[OutputT]:
        """Starts a turn; iterate over it for its events. Without a session it stands alone. `deps` is what tools find
        in `ToolContext.deps`, and prompts that are functions are called with."""
        given = {"deps": True} if deps is not None else None
        asked = compose_kept(question, self.main_model, self._blobs)
        started = self.started(*asked, session_id=session_id, user=user, settings=given)
        turn = self._begun(started, history, deps)
        if not self._toolsets:
            return TurnStream(turn, self.output)

        async def opening() -> Turn:
            return (await self.ready())._begun(started, history, deps)

        return TurnStream(turn, self.output, opening)

    def _begun(self, started: e.TurnStarted, history: Sequence[Message] | None, deps: DepsT | None) -> Turn:
        ports = self._ports if started.settings["in_session"] else self._ports_alone
        if history is not None:
            ports = msgspec.structs.replace(ports, recall=self.history.given(paired(history)))
        if deps is not None:
            ports = msgspec.structs.replace(ports, deps=deps)
        ports = msgspec.structs.replace(ports, blobs=self._session_blobs(started))
        if self._store is not None:
            ports = msgspec.structs.replace(ports, holds=partial(self._store.holds, started.turn_id))
        ports = self._hooks.attach(self._framed_for(ports), (started,))
        turn = Turn(profile=with_facts(self.profile, started), ports=ports, state=TurnState(turn_id=started.turn_id))
        turn.record(started)
        return turn

    def first_request(self) -> ModelRequest:
        """What its model is asked first, whatever the question is."""
        return self._begun(self.started("?", session_id="ahead"), None, None).request()

    async def run(
        self,
        question: "Question",
        *,
        session_id: str | None = None,
        user: str = "anonymous",
        history: Sequence[Message] | None = None,
        deps: DepsT | None = None,
    ) -> Result[OutputT]:
        """The whole turn. Raises `TurnFailed` where it has no answer, and `TurnPaused` where it waits for people."""
        question = await readable_question(question, self.main_model)
        return await self.stream(question, session_id=session_id, user=user, history=history, deps=deps).result()

    def run_sync(
        self,
        question: "Question",
        *,
        session_id: str | None = None,
        user: str = "anonymous",
        history: Sequence[Message] | None = None,
        deps: DepsT | None = None,
    ) -> Result[OutputT]:
        """`run` for programs without an event loop."""
        work = self.run(question, session_id=session_id, user=user, history=history, deps=deps)
        return run_in_loop(work, "Agent.run")

    def resume(
        self,
        turn: str | Sequence[e.Durable],
        approvals: Sequence[Approval] = (),
        *,
        answers: Sequence[Answer] = (),
        user: str | None = None,
        deps: DepsT | None = None,
    ) -> TurnStream[OutputT]:
        """Goes on with a turn after a pause, with what people decided or answered, or after a crash: by its id, from
        the store, or from its events. `user`: only if it is theirs."""
        if not isinstance(turn, str):
            return TurnStream(self._resumed(turn, approvals, answers, deps), self.output)
        store, turn_id = self._needs_store(), turn

        async def opening() -> Turn:
            agent = await self.ready()
            events = await store.take(turn_id, assistant=self.profile.name, user=user)
            try:
                return agent._resumed(events, approvals, answers, deps)
            except Exception:
                await store.give_back(turn_id)
                raise

        unknown = Turn(profile=self.profile, ports=self._ports, state=TurnState(turn_id=turn_id))
        return TurnStream(unknown, self.output, opening)

    def _resumed(
        self,
        events: Sequence[e.Durable],
        approvals: Sequence[Approval],
        answers: Sequence[Answer],
        deps: DepsT | None,
    ) -> Turn:
        holds = partial(self._store.holds, events[0].turn_id) if self._store is not None else None
        turn = self.turn(events, store=self._ports.store, holds=holds, deps=deps)
        for approval in approvals:
            record_decision(turn, self.tools, approval)
        for answer in answers:
            record_answer(turn, self.tools, answer)
        turn.record(e.TurnResumed(**turn.stamp()))
        return turn

    def turn(
        self,
        events: Sequence[e.Durable],
        *,
        store: EventStore | None,
        holds: Callable[[], bool] | None = None,
        granted: Granted | None = None,
        inbox: Inbox | None = None,
        deps: DepsT | None = None,
        blobs: BlobReader | None = None,
        bounds: Bounds | None = None,
    ) -> Turn:
        """The turn that these events tell of, as far as it is, under the settings it was started with.

        `store` is its log from here on, `holds` whether it is still ours, `granted` what people allowed beforehand,
        `inbox` where messages to it are, `blobs` the bytes of what was given with it, `bounds` what its user may use.
        """
        state = fold(events)
        if state.started is None or state.status not in ("running", "paused"):
            raise UsageError(f"Turn {state.turn_id!r} is {state.status}: ask again, or fork it.")
        ports = self.ports_for(state.started)
        ports = ports if bounds is None else bounds.bind(ports)
        ports = msgspec.structs.replace(ports, store=store, holds=holds, granted=granted, inbox=inbox)
        ports = msgspec.structs.replace(ports, blobs=blobs or self._session_blobs(state.started))
        if deps is not None:
            ports = msgspec.structs.replace(ports, deps=deps)
        if "schedule" in state.started.settings and isinstance(self.tools, ToolOrchestrator):
            # It looks how things stand now: what an earlier run read does not tell.
            self.tools.forget_reads(state.started.user, state.started.session_id)
        profile = self.profile_for(state.started)
        turn = Turn(profile=profile, ports=self._hooks.attach(ports, events), state=state)
        turn.log = list(events)
        turn.needs_deps |= deps is None and bool(state.started.settings.get("deps"))
        return turn

    def ports_for(self, started: e.TurnStarted) -> TurnPorts:
        """What a turn that was started so stands on, without a log and without hooks."""
        ports = self._ports if started.settings.get("in_session") else self._ports_alone
        if (history := started.settings.get("history")) is not None:
            ports = msgspec.structs.replace(ports, recall=self.history.given(msgspec.convert(history, list[Message])))
        if "output_schema" in started.settings:
            from glassloop.runtime.assistants.json_output import json_output

            ports = msgspec.structs.replace(ports, output=json_output(started.settings), framings={})
        ports = with_options(self._framed_for(ports), started)
        if started.protocol == self._protocol.name:
            return ports
        return msgspec.structs.replace(ports, protocol=get_protocol(started.protocol), framings={})

    def profile_for(self, started: e.TurnStarted) -> Profile:
        """The profile under the settings that the turn was started with."""
        if any(started.settings.get(name) != value for name, value in self._settings.items()):
            return with_facts(as_recorded(self.profile, started), started)
        return with_facts(self.profile, started)

    def _framed_for(self, ports: TurnPorts) -> TurnPorts:
        """Prompts with facts of their user are not shared between turns."""
        return msgspec.structs.replace(ports, framings={}) if has_facts(self.profile) else ports
