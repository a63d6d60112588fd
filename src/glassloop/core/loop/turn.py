"""A running turn: its profile, its ports, its state, and the one way to add a fact to it.

Every phase of the loop works on a `Turn`. It records events (state first, then the log) and talks to the model for the
phases; it does not decide what comes next. `interruption` owns how a turn is stopped from outside.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Any, Protocol, TypeVar

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import ModelError, ModelUnavailable, TurnLost, error_type_of
from glassloop.core.loop.interruption import InterruptibleWork
from glassloop.core.loop.policy import Profile, over_cost
from glassloop.core.loop.state import TurnState, apply, estimate_tokens
from glassloop.core.messages import (
    AssistantMessage,
    Message,
    ModelRequest,
    Purpose,
    Reply,
    ToolMessage,
    ToolSpec,
    UserMessage,
    observation,
)
from glassloop.core.ports import (
    Advisor,
    CallContext,
    Clock,
    DecisionProtocol,
    EventStore,
    Framing,
    Granted,
    Model,
    Progress,
    Recall,
    Remember,
    Router,
    Shortlist,
    ToolExecutor,
)
from glassloop.core.protocols.transcript import shorten_observation
from glassloop.core.records import Cause, Decision, Json, Tier, ToolResult

Recorded = TypeVar("Recorded", bound=e.Durable)

OBSERVATION_CHARS = {"native": 16_000, "json": 500, "text": 500}
"""How much of an observation the model sees, by protocol; the log always has all of it."""

BLOCKS_A_STEP = 16
MIN_REPLY_TOKENS = 64
"""With fewer tokens left a reply is not worth asking for."""

SIDE_REPLY = 2048
"""Tokens of a reply beside the loop: a plan, a route, an opinion, a summary."""

SHORTLIST, ENOUGH = 32, 48
SMALL_SHORTLIST, SMALL_ENOUGH = 32, 36
"""Of more tools than enough for a model, or a small one, so many are offered, unless the assistant says how many."""

MAX_FRAMINGS = 64
"""Prefixes remembered by an agent; routes and shortlists beyond these are framed anew each time."""


class CommandReader(Protocol):
    """Reads `/commands`."""

    async def read(self, line: str, turn: "Turn") -> Decision: ...


class TurnObserver(Protocol):
    """Runs a turn and looks on: plugins with their hooks. What the turn becomes does not depend on it."""

    @property
    def context(self) -> object:
        """What plugins keep of the turn."""
        ...

    def run(self, turn: "Turn") -> AsyncGenerator[e.AnyEvent, None]:
        """Runs the turn, as `run_turn` does."""
        ...


class TurnPorts(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn stands on."""

    models: Mapping[Tier, Model]
    tools: ToolExecutor
    clock: Clock
    tier_for: Callable[[Purpose, str], Tier]
    protocol: DecisionProtocol
    framings: dict[tuple[tuple[str, ...], tuple[str, ...] | None], Framing]
    store: EventStore | None = None
    recall: Recall | None = None
    remember: Remember | None = None
    router: Router | None = None
    shortlist: Shortlist | None = None
    advisor: Advisor | None = None
    commands: CommandReader | None = None
    observer: TurnObserver | None = None
    granted: Granted | None = None
    holds: Callable[[], bool] | None = None
    """Whether this worker still owns the turn, asked right before each effect; None where it has no rival."""


class Turn(InterruptibleWork):
    """One question on its way to its answer."""

    def __init__(self, *, profile: Profile, ports: TurnPorts, state: TurnState) -> None:
        super().__init__()
        self.profile = profile
        self.ports = ports
        self.state = state
        self.clock = ports.clock
        self.partial: list[str] = []
        self.unstarted: set[str] = set()
        self.busy_since = monotonic()
        self.log: list[e.Durable] = []
        self.window = profile.context_tokens or self.model("decide")[1].abilities.context_tokens * 3 // 4
        self._block = 0
        self._fresh: list[e.Durable] = []
        self._wire: list[Message] = []
        self._wired = 0
        self._compactions = 0
        self._prefixes: dict[int, int] = {}
        self.observation_limit = profile.observation_chars or OBSERVATION_CHARS[ports.protocol.name]

    def stamp(self) -> e.Stamp:
        """The common fields of the durable event that is recorded next."""
        state = self.state
        return {"turn_id": state.turn_id, "seq": state.seq + 1, "at": self.clock()}

    def transient_stamp(self) -> e.Stamp:
        """The common fields of a transient event: shown, never recorded."""
        state = self.state
        return {"turn_id": state.turn_id, "seq": state.seq, "at": self.clock()}

    def record(self, event: Recorded) -> Recorded:
        """Adds a durable fact: folded now, stored and shown by the next `commit`."""
        apply(self.state, event)
        self._fresh.append(event)
        return event

    async def commit(self, *, sync: bool = False) -> Sequence[e.Durable]:
        """Stores what was recorded, in one commit; only then may it be shown. What is not stored stays recorded."""
        fresh, store = self._fresh, self.ports.store
        if not fresh:
            return fresh
        if store is not None and (sync or not store.append_now(self.state.turn_id, fresh)):
            await self._append(store.append(self.state.turn_id, tuple(fresh), sync=sync))
            return fresh
        self._fresh = []
        self.log += fresh
        return fresh

    async def _append(self, append: Coroutine[Any, Any, None]) -> None:
        """A cancellation waits until it is known whether the events were stored."""
        task = asyncio.ensure_future(append)
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise
        finally:
            if task.done() and not task.cancelled() and task.exception() is None:
                self.log += self._fresh
                self._fresh = []

    @property
    def pending(self) -> Sequence[e.ApprovalRequested]:
        """What people were asked and have not decided."""
        calls = self.state.calls.values()
        return [entry.request for entry in calls if entry.request and entry.decision is None and entry.result is None]

    @property
    def is_stored(self) -> bool:
        """Whether everything recorded is in the log."""
        return not self._fresh

    def check_lease(self) -> None:
        """Raises `TurnLost` where the turn may be another worker's by now: then no effect may start here."""
        if self.ports.holds is not None and not self.ports.holds():
            raise TurnLost(f"The lease of turn {self.state.turn_id!r} is over: another worker may run it.")

    @property
    def session(self) -> str:
        return self.state.started.session_id if self.state.started else ""

    def next_block(self) -> int:
        """A number for a new block of text: larger than all before, also those of a process that is gone."""
        self._block = max((self.state.seq + 1) * BLOCKS_A_STEP, self._block + 1)
        return self._block

    def model(self, purpose: Purpose) -> tuple[Tier, Model]:
        tier = self.ports.tier_for(purpose, self.state.last_tool)
        return tier, self.ports.models[tier]

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        """The tools on offer: all of them, or the shortlist."""
        specs, shortlist = self.ports.tools.specs, self.state.shortlist
        return specs if shortlist is None else {name: specs[name] for name in shortlist if name in specs}

    @property
    def max_tools(self) -> int | None:
        """How many tools may be offered for a question, where there are more; None where all of them may be."""
        count, most = len(self.ports.tools.specs), self.profile.shortlist
        if most is None:
            small = self.model("decide")[1].abilities.small
            most, enough = (SMALL_SHORTLIST, SMALL_ENOUGH) if small else (SHORTLIST, ENOUGH)
            return most if count > enough else None
        return most if 0 < most < count else None

    def context(self, call_id: str, progress: Progress | None = None) -> CallContext:
        turn, started = self.state.turn_id, self.state.started
        user, at = (started.user, started.at) if started else ("", 0.0)
        return CallContext(
            turn_id=turn, session_id=self.session, user=user, call_id=call_id, progress=progress, asked_at=at
        )

    def framing(self) -> Framing:
        """The stable prefix of every request: the same object for every turn with the same route and shortlist."""
        state, router = self.state, self.ports.router
        recommended = tuple(router.recommended(state.route, self.tools)) if router and state.route else ()
        key = (recommended, state.shortlist)
        framing = self.ports.framings.get(key)
        if framing is None:
            made = self.ports.protocol.frame(self.profile.prompt, self.ports.tools.specs, recommended, state.shortlist)
            framing = msgspec.structs.replace(made, recommended=recommended)
            if len(self.ports.framings) < MAX_FRAMINGS:
                self.ports.framings[key] = framing
        return framing

    def request(self) -> ModelRequest:
        """What the loop asks next. Only what is new since the last request is rendered."""
        framing, profile = self.framing(), self.profile
        most = profile.max_tokens
        if profile.limits.tokens is not None:
            most, _ = self.room(self.model("decide")[1], self.prompt_tokens())
        return ModelRequest(
            system=framing.system,
            messages=self.wire(),
            tools=framing.tools,
            schema=framing.schema,
            temperature=profile.temperature,
            max_tokens=most,
            session=self.session,
            recommended=framing.recommended,
        )

    def wire(self) -> list[Message]:
        """The transcript as the protocol shows it to the model."""
        state = self.state
        if self._compactions != state.compactions:
            self._compactions, self._wire, self._wired = state.compactions, [], 0
        messages, render = state.messages, self.ports.protocol.render
        for index in range(self._wired, len(messages)):
            self._wire.append(render(messages[index], self.observation_limit))
        self._wired = len(messages)
        return self._wire

    def seen(self) -> list[Message]:
        """Everything the model saw of the conversation, as it was shown: also what has left the context since."""
        state = self.state
        shown = [shorten_observation(message, self.observation_limit) for message in state.messages]
        if not state.compactions:
            return shown
        there = {message.call_id for message in shown if isinstance(message, ToolMessage)}
        gone: list[Message] = []
        for call_id, result in state.observations:
            if call_id not in there:
                call = state.all_calls[call_id]
                observed = observation(call, result)
                gone += AssistantMessage(calls=(call,)), shorten_observation(observed, self.observation_limit)
        return [*shown[:1], *gone, *shown[1:]]

    def room(self, model: Model, prompt_tokens: int) -> tuple[int, e.EndReason | None]:
        """How long a reply may be within the token and money limits, and which of them leaves no room for any.

        Asked before every call: a reply is kept as short as the tokens left, so that the limit cannot be passed.
        """
        limits, state, reply = self.profile.limits, self.state, self.profile.max_tokens
        if limits.tokens is not None:
            reply = min(reply, limits.tokens - state.input_tokens - state.output_tokens - prompt_tokens)
            if reply < MIN_REPLY_TOKENS:
                return 0, "tokens"
        if limits.cost is not None and over_cost(state, limits, model.quote(prompt_tokens, reply), model.name):
            return 0, "cost"
        return reply, None

    def prompt_tokens(self) -> int:
        """The size of the next request: the prefix and the transcript."""
        framing = self.framing()
        prefix = self._prefixes.get(id(framing))
        if prefix is None:
            tools = sum(len(str(spec.parameters)) + len(spec.description) for spec in framing.tools)
            prefix = self._prefixes[id(framing)] = estimate_tokens(framing.system) + tools // 3
        return prefix + self.state.tokens

    async def ask(
        self, purpose: Purpose, system: str, content: str, schema: dict[str, Json] | None = None
    ) -> str | None:
        """A question beside the loop. Its reply is recorded like every other; trouble means None, never an error."""
        tier, model = self.model(purpose)
        request = ModelRequest(
            system=system,
            messages=(UserMessage(content),),
            schema=schema,
            purpose=purpose,
            temperature=0.1 if purpose == "route" else 0.3,
            max_tokens=SIDE_REPLY,
            session=self.session,
        )
        reply_tokens, spent = self.room(model, estimate_tokens(system) + estimate_tokens(content))
        if spent is not None:
            return None
        request = msgspec.structs.replace(request, max_tokens=min(request.max_tokens, reply_tokens))
        began = self.clock()
        try:
            reply = await self.guarded(whole_reply(model, request))
        except ModelError:
            return None
        self.record_reply(reply, purpose=purpose, tier=tier, began=began)
        return reply.message.text

    def record_reply(
        self,
        reply: Reply,
        *,
        purpose: Purpose,
        tier: Tier,
        began: float,
        decision: Decision | None = None,
        attempts: int = 1,
        block: int = 0,
    ) -> None:
        self.record(
            e.ModelResponded(
                **self.stamp(),
                purpose=purpose,
                step=self.state.iterations + 1,
                model=reply.model,
                tier=tier,
                message=reply.message,
                decision=decision,
                usage=reply.usage,
                stop=reply.stop,
                latency_ms=(self.clock() - began) * 1000.0,
                attempts=attempts,
                block=block,
            )
        )

    def close_calls(self, cause: Cause, why: str, metadata: Mapping[str, Json] | None = None) -> None:
        """Gives every call without a result a synthetic one, so that the transcript stays valid."""
        for entry in self.state.calls.values():
            if entry.result is not None:
                continue
            unknown = entry.called and entry.call.id not in self.unstarted and entry.effect != "read"
            text = f"{why} It had started, so whether it took effect is unknown." if unknown else why
            result = ToolResult(
                success=False, error=text, cause=cause, effect_unknown=unknown, metadata=dict(metadata or {})
            )
            self.record(
                e.ToolReturned(**self.stamp(), step=self.state.iterations, call_id=entry.call.id, result=result)
            )

    def finish(
        self, status: e.Ending, *, error: BaseException | None = None, text: str | None = None, ref: str | None = None
    ) -> None:
        """The last event, with the totals."""
        self.record(
            e.TurnFinished(
                **self.stamp(),
                status=status,
                **self.state.totals,
                seconds=self.clock() - self.state.started_at,
                error=text,
                error_type=None if error is None else error_type_of(error),
                reference=ref,
            )
        )


async def whole_reply(model: Model, request: ModelRequest) -> Reply:
    """What a model says, for those who need not see it come."""
    reply: Reply | None = None
    async with aclosing(model.stream(request)) as chunks:
        async for chunk in chunks:
            if type(chunk) is Reply:
                reply = chunk
    if reply is None:
        raise ModelUnavailable(f"{model.name!r} ended its stream without a reply.")
    return reply
