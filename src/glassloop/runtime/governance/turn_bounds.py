"""Bounds of a turn: its models and tools as far as its user may use and pay for them, at the ports it stands on.

Child turns are bound by the same. What is not allowed is not offered; a call for it all the same is refused.
"""

import logging
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime

import msgspec

from glassloop.core.access import Permissions
from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import AccessDenied, ModelRejected, SpendLimitReached, StoreError
from glassloop.core.loop.turn_ports import SubAgent, TurnPorts
from glassloop.core.messages import (
    CallChunk,
    Chunk,
    ModelRequest,
    Reply,
    TextChunk,
    ThoughtChunk,
    ToolSpec,
    estimate_tokens,
    message_tokens,
)
from glassloop.core.ports import CallContext, Model, ToolExecutor
from glassloop.core.records import Json, ToolCall, ToolResult
from glassloop.models.model_wrapper import ModelWrapper
from glassloop.store.tables.governance.spend import OverLimit, SpendingTable

_log = logging.getLogger(__name__)

WORST = 1.5
"""A prompt may have so many times the tokens that were estimated."""


def model_names(model: Model) -> Sequence[str]:
    """Those that may answer in its place too."""
    return getattr(model, "names", (model.name,))


class TurnBounds:
    """What one user may use and spend."""

    def __init__(self, user: str, allowed: Permissions, spending: SpendingTable) -> None:
        self._user = user
        self._allowed = allowed
        self._spending = spending

    def allows_tool(self, name: str) -> bool:
        return self._allowed.allows_tool(name)

    def bind(self, ports: TurnPorts) -> TurnPorts:
        """The ports with what is not allowed left out, and every model call counted."""
        allowed = self._allowed
        ports = msgspec.structs.replace(ports, bounds=self)
        if allowed.tools is not None or allowed.assistants is not None:
            hidden = self._hidden(ports.tools.specs, ports.sub_agents)
            sub_agents = {name: one for name, one in ports.sub_agents.items() if name not in hidden}
            # What was framed for a model names the tools there were.
            ports = msgspec.structs.replace(
                ports, tools=PermittedTools(ports.tools, hidden), sub_agents=sub_agents, framings={}
            )
        if allowed.models is not None or allowed.limits.are_set:
            ports = msgspec.structs.replace(ports, models={tier: self.model(one) for tier, one in ports.models.items()})
        return ports

    def model(self, model: Model) -> Model:
        """A model that is asked only as far as the user may and can pay."""
        return BoundModel(model, self)

    def check_models(self, names: Iterable[str]) -> None:
        """Raises `AccessDenied` for the first that the user may not use."""
        for name in names:
            if not self._allowed.allows_model(name):
                raise AccessDenied(
                    f"You may not use the model {name!r}, which would answer here: choose another "
                    "(GET /api/me/access lists yours), or ask the operator of this server."
                )

    async def check_spending(self) -> None:
        """Raises `SpendLimitReached` where a limit is used up already."""
        limits = self._allowed.limits
        if not limits.are_set:
            return
        for kind, spent in zip(("day", "month"), await self._spending.of_user(self._user), strict=True):
            for unit, had in (("dollars", spent.dollars), ("tokens", spent.tokens)):
                most = getattr(limits, f"{unit}_per_{kind}")
                if most is not None and had >= most:
                    over = OverLimit(limit=f"{unit}_per_{kind}", most=most, spent=had, resets_at=spent.resets_at)
                    raise self._refusal(over)

    async def reserve(self, model: Model, input_tokens: int, output_tokens: int) -> "Reservation | None":
        """Counts a call at its worst before it is made; None where nothing limits the user. Raises
        `SpendLimitReached`."""
        limits = self._allowed.limits
        if not limits.are_set:
            return None
        dollars = model.quote(input_tokens, output_tokens)
        in_dollars = limits.dollars_per_day is not None or limits.dollars_per_month is not None
        in_tokens = limits.tokens_per_day is not None or limits.tokens_per_month is not None
        if dollars is None and in_dollars and not in_tokens:
            raise ModelRejected(
                f"No price is known for {model.name!r}, so your spending limit cannot be enforced: use another model. "
                "The operator can give it a price in the settings, or limit tokens."
            )
        worst = Reservation(self._spending, self._user, dollars or 0.0, input_tokens + output_tokens)
        found = await self._spending.reserve(self._user, limits, worst.dollars, worst.tokens)
        if isinstance(found, OverLimit):
            raise self._refusal(found, worst)
        worst.at = found
        return worst

    def _hidden(self, specs: Mapping[str, ToolSpec], sub_agents: Mapping[str, SubAgent]) -> frozenset[str]:
        """The tools that the user may not use, and those that are assistants they may not use."""
        hidden = {name for name in specs if not self._allowed.allows_tool(name)}
        for name, one in sub_agents.items():
            agent = getattr(one, "agent", None)
            if agent is not None and not self._allowed.allows_assistant(agent.profile.name):
                hidden.add(name)
        return frozenset(hidden)

    def _refusal(self, over: OverLimit, worst: "Reservation | None" = None) -> SpendLimitReached:
        unit, _, kind = over.limit.partition("_per_")
        next_call = "" if worst is None else f", and the next call may take {_amount(unit, worst)}"
        resets = datetime.fromtimestamp(over.resets_at, UTC)
        return SpendLimitReached(
            f"Your limit of {_shown(unit, over.most)} per {kind} is reached: {_shown(unit, over.spent)} used"
            f"{next_call}. It resets at {resets:%Y-%m-%d %H:%M} UTC; the operator of this server can raise it.",
            resets_at=over.resets_at,
        )


class Reservation:
    """What a call was counted with, until it is known what it took."""

    def __init__(self, spending: SpendingTable, user: str, dollars: float, tokens: int) -> None:
        self.dollars, self.tokens, self.at = dollars, tokens, 0.0
        self._spending, self._user = spending, user

    async def settle(self, dollars: float, tokens: int) -> None:
        """Corrects it. Where that cannot be stored, the worst stays counted."""
        try:
            await self._spending.settle(self._user, self.at, dollars - self.dollars, tokens - self.tokens)
        except StoreError as error:
            _log.warning("what a call took is not stored, and counts at its worst: %s", error)


class BoundModel(ModelWrapper):
    """A model that its user may use, and pays for."""

    def __init__(self, model: Model, bounds: TurnBounds) -> None:
        super().__init__(model)
        self._bounds = bounds
        self.names = tuple(model_names(model))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        try:
            self._bounds.check_models(self.names)
        except AccessDenied as error:
            raise ModelRejected(str(error)) from None
        read = int(_prompt_tokens(request) * WORST)
        reserved = await self._bounds.reserve(self._model, read, request.max_tokens)
        if reserved is None:
            async with aclosing(self._model.stream(request)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        reply: Reply | None = None
        written = 0
        try:
            async with aclosing(self._model.stream(request)) as chunks:
                async for chunk in chunks:
                    written += _size(chunk)
                    reply = chunk if isinstance(chunk, Reply) else reply
                    yield chunk
        finally:
            await self._settle(reserved, reply, read, written)

    async def _settle(self, reserved: Reservation, reply: Reply | None, read: int, written: int) -> None:
        """A call that broke off counts with what it had written, one that never answered with nothing."""
        if reply is not None:
            used = reply.usage
            tokens = used.input_tokens + used.output_tokens
            cost = self._model.quote(used.input_tokens, used.output_tokens) if used.cost is None else used.cost
            await reserved.settle(cost or 0.0, tokens)
        elif written:
            output = written // 3 + 1
            await reserved.settle(self._model.quote(read, output) or 0.0, read + output)
        else:
            await reserved.settle(0.0, 0)


class PermittedTools:
    """The tools without those that are hidden: as if they were not there."""

    def __init__(self, tools: ToolExecutor, hidden: frozenset[str], why: str = "the user may not use the tool") -> None:
        self._why = why
        self._tools = tools
        self._hidden = hidden
        self.specs: Mapping[str, ToolSpec] = {name: spec for name, spec in tools.specs.items() if name not in hidden}

    async def execute_tool(self, call: ToolCall, context: CallContext) -> ToolResult:
        if (problem := self._problem(call)) is not None:
            return ToolResult(success=False, error=problem, cause="refused")
        return await self._tools.execute_tool(call, context)

    async def preview(self, call: ToolCall, context: CallContext) -> Json:
        if (problem := self._problem(call)) is not None:
            return {"error": problem}
        return await self._tools.preview(call, context)

    async def terms(self, call: ToolCall, context: CallContext) -> CallTerms:
        return await self._tools.terms(call, context)

    def check(self, call: ToolCall) -> str | None:
        return self._problem(call) or self._tools.check(call)

    def _problem(self, call: ToolCall) -> str | None:
        if call.tool not in self._hidden:
            return None
        return f"Not run: {self._why} {call.tool!r}. Answer without it."


def _prompt_tokens(request: ModelRequest) -> int:
    tools = sum(len(str(spec.parameters)) + len(spec.description) for spec in request.tools) // 3
    schema = len(str(request.schema)) // 3 if request.schema is not None else 0
    return estimate_tokens(request.system) + sum(map(message_tokens, request.messages)) + tools + schema


def _size(chunk: Chunk) -> int:
    if isinstance(chunk, TextChunk | ThoughtChunk):
        return len(chunk.text)
    return len(chunk.arguments) if isinstance(chunk, CallChunk) else 0


def _amount(unit: str, worst: Reservation) -> str:
    return _shown(unit, worst.dollars if unit == "dollars" else worst.tokens)


def _shown(unit: str, amount: float) -> str:
    if unit == "tokens":
        return f"{amount:,.0f} tokens"
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.2g}"
