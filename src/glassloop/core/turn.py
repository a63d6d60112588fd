"""A turn while it runs: its profile, its ports, its state, and the one way to add a fact to it.

Every phase of the loop works on a `Turn`. It records events (state first, then the log) and talks to the model for
the phases; it does not decide what comes next.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Protocol, TypeVar

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import ModelError, ModelUnavailable
from glassloop.core.messages import Message, ModelRequest, Purpose, Reply, ToolSpec, UserMessage
from glassloop.core.policy import Profile, over_cost
from glassloop.core.ports import (
    CallContext,
    Clock,
    DecisionProtocol,
    EventStore,
    Framing,
    Model,
    Progress,
    ToolExecutor,
)
from glassloop.core.records import Decision, Json, RouteDecision, Tier, ToolCall, ToolResult
from glassloop.core.state import State, apply, estimate_tokens

Event = TypeVar("Event", bound=e.Event)

OBSERVATION_CHARS = {"native": 16_000, "json": 500, "text": 500}
"""How much of an observation the model sees, by protocol; the log always has all of it."""

MOST_FRAMINGS = 64
"""Prefixes remembered by an agent; routes and shortlists beyond these are framed anew each time."""


class Router(Protocol):
    """Gives a question to a domain."""

    async def route(self, question: str, messages: Sequence[Message], ask: "Ask") -> RouteDecision: ...

    def recommended(self, route: RouteDecision, tools: Mapping[str, ToolSpec]) -> Sequence[str]:
        """The tools of the route's domains, best first."""
        ...

    def farewell(self, route: RouteDecision) -> str | None:
        """What to answer without the loop, for what is none of our business."""
        ...


class Commands(Protocol):
    """Reads `/commands`."""

    async def read(self, line: str, turn: "Turn") -> Decision: ...


Ask = Callable[[Purpose, str, str, "dict[str, Json] | None"], Awaitable[str | None]]
"""A question beside the loop (purpose, system, content, schema): the model's text, or None when it cannot be had."""

Recall = Callable[[str, Ask], Awaitable[Sequence[Message]]]
"""What a session's history tells the model; long ones are summarised by asking it."""

Remember = Callable[[Sequence[e.Durable]], Awaitable[None]]
"""What becomes of a turn that has an answer."""


class Ports(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn stands on."""

    models: Mapping[Tier, Model]
    tools: ToolExecutor
    clock: Clock
    tier_for: Callable[[Purpose, str], Tier]
    protocol: DecisionProtocol
    framings: dict[tuple[str, ...], Framing]
    store: EventStore | None = None
    recall: Recall | None = None
    remember: Remember | None = None
    router: Router | None = None
    commands: Commands | None = None


class Turn:
    """One question on its way to its answer."""

    def __init__(self, *, profile: Profile, ports: Ports, state: State) -> None:
        self.profile = profile
        self.ports = ports
        self.state = state
        self.clock = ports.clock
        self.task: asyncio.Task[object] | None = None
        self.interrupted: e.EndReason | None = None
        self.interrupting = False
        self.partial: list[str] = []
        self.log: list[e.Durable] = []
        self._fresh: list[e.Durable] = []
        self._wire: list[Message] = []
        self._wired = 0
        self._compactions = 0
        self._chars = profile.observation_chars or OBSERVATION_CHARS[ports.protocol.name]

    def record(self, kind: type[Event], **fields: object) -> Event:
        """A durable fact: folded now, stored and shown by the next `commit`."""
        state = self.state
        event = kind(turn_id=state.turn_id, seq=state.seq + 1, at=self.clock(), **fields)  # pyright: ignore[reportArgumentType]
        apply(state, event)  # pyright: ignore[reportArgumentType]
        self._fresh.append(event)  # pyright: ignore[reportArgumentType]
        return event

    def mention(self, kind: type[Event], **fields: object) -> Event:
        """A transient fact: shown, never stored."""
        return kind(turn_id=self.state.turn_id, seq=self.state.seq, at=self.clock(), **fields)  # pyright: ignore[reportArgumentType]

    async def commit(self, *, sync: bool = False) -> Sequence[e.Durable]:
        """Stores what was recorded, in one commit; only then may it be shown."""
        fresh = self._fresh
        if fresh:
            self._fresh = []
            if self.ports.store is not None:
                await self.ports.store.append(self.state.turn_id, fresh, sync=sync)
            self.log += fresh
        return fresh

    def interrupt(self, reason: e.EndReason) -> None:
        """Stops what is under way, at once: `cancelled` ends the turn, a spent limit lets it answer.

        Works as `asyncio.timeout` does: the task that awaits a model or a tool is cancelled, and the loop takes the
        cancellation back. `task` is set only while such an await may be interrupted; a commit never is.
        """
        if self.interrupted is None or reason == "cancelled":
            self.interrupted = reason
            if self.task is not None:
                self.interrupting = self.task.cancel()
                self.task = None

    def model(self, purpose: Purpose) -> tuple[Tier, Model]:
        tier = self.ports.tier_for(purpose, self.state.last_tool)
        return tier, self.ports.models[tier]

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        """The tools on offer: all of them, or the shortlist."""
        specs, shortlist = self.ports.tools.specs, self.state.shortlist
        return specs if shortlist is None else {name: specs[name] for name in shortlist if name in specs}

    def context(self, call_id: str, progress: Progress | None = None) -> CallContext:
        started = self.state.started
        return CallContext(
            turn_id=self.state.turn_id,
            session_id=started.session_id if started else "",
            user=started.user if started else "",
            call_id=call_id,
            progress=progress,
        )

    def framing(self) -> Framing:
        """The stable prefix of every request: the same object for every turn with the same route and shortlist."""
        state, router = self.state, self.ports.router
        recommended = router.recommended(state.route, self.tools) if router and state.route else ()
        key = (*recommended, *(state.shortlist or ()))
        framing = self.ports.framings.get(key)
        if framing is None:
            framing = self.ports.protocol.frame(self.profile.prompt, self.tools, recommended)
            if len(self.ports.framings) < MOST_FRAMINGS:
                self.ports.framings[key] = framing
        return framing

    def request(self) -> ModelRequest:
        """What the loop asks next. Only what is new since the last request is rendered."""
        framing, profile = self.framing(), self.profile
        return ModelRequest(
            system=framing.system,
            messages=self.wire(),
            tools=framing.tools,
            schema=framing.schema,
            temperature=profile.temperature,
            max_tokens=profile.max_tokens,
        )

    def wire(self) -> list[Message]:
        """The transcript as the protocol shows it to the model."""
        state = self.state
        if self._compactions != state.compactions:
            self._compactions, self._wire, self._wired = state.compactions, [], 0
        messages, render = state.messages, self.ports.protocol.render
        for index in range(self._wired, len(messages)):
            self._wire.append(render(messages[index], self._chars))
        self._wired = len(messages)
        return self._wire

    def affordable(self, model: Model, prompt_tokens: int, reply_tokens: int) -> bool:
        """Whether one more call keeps within the token and money limits; asked before it is made."""
        limits, state = self.profile.limits, self.state
        if limits.tokens is not None and state.input_tokens + state.output_tokens + prompt_tokens > limits.tokens:
            return False
        if limits.cost is None:
            return True
        return not over_cost(state, limits, model.quote(prompt_tokens, reply_tokens), model.name)

    async def ask(
        self, purpose: Purpose, system: str, content: str, schema: dict[str, Json] | None = None
    ) -> str | None:
        """A question beside the loop. Its reply is recorded like every other; trouble means None, never an error."""
        if self.interrupted is not None:
            return None
        tier, model = self.model(purpose)
        request = ModelRequest(
            system=system,
            messages=(UserMessage(content),),
            schema=schema,
            purpose=purpose,
            temperature=0.1 if purpose == "route" else 0.3,
            max_tokens=min(self.profile.max_tokens, 2048),
        )
        if not self.affordable(model, estimate_tokens(system) + estimate_tokens(content), request.max_tokens):
            return None
        began = self.clock()
        self.task = asyncio.current_task()
        try:
            reply = await _drain(model, request)
        except ModelError:
            return None
        finally:
            self.task = None
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
            e.ModelResponded,
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

    def close_calls(self, why: str) -> None:
        """Gives every call without a result a synthetic one, so that the transcript stays valid."""
        specs = self.ports.tools.specs
        for entry in self.state.calls.values():
            if entry.result is not None:
                continue
            spec = specs.get(entry.call.tool)
            unknown = entry.called and (spec is None or (spec.effect != "read" and not spec.idempotent))
            text = f"{why} It had started, so whether it took effect is unknown." if unknown else why
            self.return_unrun(entry.call, text, outcome="unknown" if unknown else "not_run")

    def return_unrun(self, call: ToolCall, why: str, *, outcome: str = "not_run") -> None:
        """The observation of a call that was never made, or whose result is lost."""
        result = ToolResult(success=False, error=why, metadata={"outcome": outcome})
        self.record(e.ToolReturned, step=self.state.iterations, call_id=call.id, result=result)

    def finish(
        self, status: e.Ending, *, error: BaseException | None = None, text: str | None = None, ref: str | None = None
    ) -> None:
        """The last event, with the totals."""
        state = self.state
        self.record(
            e.TurnFinished,
            status=status,
            iterations=state.iterations,
            tool_calls=state.tool_calls,
            input_tokens=state.input_tokens,
            output_tokens=state.output_tokens,
            cost=state.cost if state.priced_calls or not state.unpriced_calls else None,
            unpriced_calls=state.unpriced_calls,
            seconds=self.clock() - state.started_at,
            error=text,
            error_type=getattr(error, "error_type", "system_error") if error is not None else None,
            reference=ref,
        )


async def _drain(model: Model, request: ModelRequest) -> Reply:
    reply: Reply | None = None
    async with aclosing(model.stream(request)) as chunks:
        async for chunk in chunks:
            if type(chunk) is Reply:
                reply = chunk
    if reply is None:
        raise ModelUnavailable(f"{model.name!r} ended its stream without a reply.")
    return reply
