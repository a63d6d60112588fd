"""Calls the hooks of plugins around a turn, at the ports it stands on. The loop knows nothing of them.

A hook that raises, or takes too long, is logged and skipped: what it does never changes what becomes of the turn.
Plugins are called one after the other, in their order. What steers a turn is a guardrail, which has a port of its own.
"""

import asyncio
import inspect
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import TurnLost, UsageError
from glassloop.core.guardrails.checks import admit_question
from glassloop.core.guardrails.port import Guardrails
from glassloop.core.loop.tool_schedule import CallChannel
from glassloop.core.loop.turn import Turn
from glassloop.core.loop.turn_ports import SubAgent, TurnPorts
from glassloop.core.messages import Chunk, Message, ModelRequest, Reply, ToolSpec
from glassloop.core.ports import AskInContext, CallContext, EventStore, Model, Router, ToolExecutor
from glassloop.core.records import Json, RouteDecision, ToolCall, ToolResult
from glassloop.models.model_wrapper import ModelWrapper
from glassloop.projections.response import respond
from glassloop.tools.plugin import HOOK_POINTS, HookedTurn, HookPoint, Plugin, PluginContext

if TYPE_CHECKING:
    from glassloop.runtime.assistants.guardrails import GuardrailSet
    from glassloop.tools.guardrail import Guardrail

T = TypeVar("T")

HOOK_S = 2.0
"""How long a hook may take."""

_log = logging.getLogger("glassloop.plugins")


def _guardrail_set(own: "Sequence[Guardrail]", plugins: Sequence[Plugin]) -> "GuardrailSet | None":
    """None where there are no guardrails: most agents have none, and need not import what runs them."""
    if not own and not any(plugin.guardrails for plugin in plugins):
        return None
    from glassloop.runtime.assistants.guardrails import GuardrailSet

    return GuardrailSet(own, plugins)


class Hooks:
    """The plugins and guardrails of an agent."""

    def __init__(
        self, plugins: Sequence[Plugin], guardrails: "Sequence[Guardrail]" = (), *, patience_s: float = HOOK_S
    ) -> None:
        self.plugins = tuple(plugins)
        self.guardrails = _guardrail_set(guardrails, plugins)
        self._patience_s = patience_s
        self._by_point: Mapping[HookPoint, Sequence[Plugin]] = {
            point: [plugin for plugin in plugins if getattr(type(plugin), point) is not getattr(Plugin, point)]
            for point in HOOK_POINTS
        }

    def attach(self, ports: TurnPorts, events: Sequence[e.Durable]) -> TurnPorts:
        """The ports of a turn, which began with these events, with the plugins' hooks around them."""
        if not self.plugins and self.guardrails is None:
            return ports
        watched = _WatchedTurn(self, events)
        if self.guardrails is not None:
            ports = msgspec.structs.replace(ports, guardrails=self.guardrails.for_turn(watched))
        if not self.plugins:
            return ports
        if not any(self._by_point.values()):
            return msgspec.structs.replace(ports, observer=watched)
        return msgspec.structs.replace(
            ports,
            models={tier: _HookedModel(model, watched) for tier, model in ports.models.items()},
            tools=_HookedTools(ports.tools, watched, ports.holds),
            sub_agents={name: _HookedSubAgent(one, watched) for name, one in ports.sub_agents.items()},
            router=_HookedRouter(ports.router, watched) if ports.router is not None else None,
            observer=watched,
        )

    async def admit(self, ports: TurnPorts, events: Sequence[e.Durable]) -> Sequence[e.Durable]:
        """The first events of a turn, with its question as the guardrails let it pass; before any of them is stored."""
        started = events[0]
        guardrails = self._for_input(events)
        if guardrails is None or not isinstance(started, e.TurnStarted):
            return events
        return await admit_question(guardrails, events, await _deps(ports, started))

    async def admit_text(self, ports: TurnPorts, started: e.TurnStarted, text: str) -> str:
        """A message to a turn under way, or an answer to its question, as the guardrails let it pass; raises
        `UsageError` where one stops it."""
        guardrails = self._for_input((started,))
        if guardrails is None:
            return text
        outcome = await guardrails.check("message", text, deps=await _deps(ports, started))
        if outcome.stopped is not None:
            raise UsageError(f"Stopped by the guardrail {outcome.stopped.name!r}: {outcome.stopped.reason}")
        return outcome.value

    def _for_input(self, events: Sequence[e.Durable]) -> Guardrails | None:
        """Those that look at what people write, if any do."""
        if self.guardrails is None or "input" not in self.guardrails.stages:
            return None
        return self.guardrails.for_turn(_WatchedTurn(self, events))

    async def fire(self, point: HookPoint, watched: "_WatchedTurn", *shown: Any) -> None:
        for plugin in self._by_point[point]:
            try:
                async with asyncio.timeout(self._patience_s):
                    await getattr(plugin, point)(watched.turn_for(plugin.name), *shown)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                _log.warning("the hook %s of plugin %r was skipped: it cancelled itself", point, plugin.name)
            except TimeoutError:
                _log.warning("the hook %s of plugin %r was skipped: it was not done in time", point, plugin.name)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                _log.warning("the hook %s of plugin %r was skipped: %s", point, plugin.name, why, exc_info=error)

    async def aclose(self) -> None:
        for plugin in self.plugins:
            try:
                async with asyncio.timeout(self._patience_s):
                    await plugin.aclose()
            except Exception as error:
                _log.warning(
                    "plugin %r did not close: %s: %s", plugin.name, type(error).__name__, error, exc_info=error
                )


class _WatchedTurn:
    """A turn as its plugins see it."""

    def __init__(self, hooks: Hooks, events: Sequence[e.Durable]) -> None:
        self._hooks = hooks
        self.context = context = PluginContext(active_plugins=tuple(plugin.name for plugin in hooks.plugins))
        for event in events:
            if isinstance(event, e.ToolReturned):
                context.keep(event.call_id, _copied(event.result))
        for plugin in hooks.plugins:
            context.hook_data[plugin.name] = {}
        self.begin(cast("e.TurnStarted", events[0]))

    def begin(self, started: e.TurnStarted) -> None:
        self._started = started
        self._turns: dict[str, HookedTurn[Any]] = {}

    def turn_for(self, owner: str) -> HookedTurn[Any]:
        """The turn as the plugin or guardrail of that name sees it."""
        started, context = self._started, self.context
        if owner not in self._turns:
            self._turns[owner] = HookedTurn(
                turn_id=started.turn_id,
                session_id=started.session_id,
                user=started.user,
                assistant=started.assistant,
                question=started.question,
                settings=dict(started.settings),
                plugin_context=context,
                data=context.hook_data.setdefault(owner, {}),
            )
        return self._turns[owner]

    async def fire(self, point: HookPoint, *shown: Any) -> None:
        await self._hooks.fire(point, self, *shown)

    async def ended(self, log: Sequence[e.Durable]) -> None:
        await self.fire("turn_end", respond(log))


class _HookedModel(ModelWrapper):
    def __init__(self, model: Model, watched: _WatchedTurn) -> None:
        super().__init__(model)
        self._watched = watched

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        # The transcript is live: a hook gets one that it may keep, and cannot change.
        shown = msgspec.structs.replace(request, messages=tuple(request.messages))
        await self._watched.fire("before_model_call", shown)
        async with aclosing(self._model.stream(request)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, Reply):
                    await self._watched.fire("after_model_call", chunk)
                yield chunk


class _HookedTools:
    def __init__(self, tools: ToolExecutor, watched: _WatchedTurn, holds: Callable[[], bool] | None) -> None:
        self._tools = tools
        self._watched = watched
        self._holds = holds

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        return self._tools.specs

    async def execute_tool(self, call: ToolCall, context: CallContext) -> ToolResult:
        watched, holds = self._watched, self._holds
        await watched.fire("before_tool_call", _copied(call))
        spec = self.specs.get(call.tool)
        if spec is not None and spec.effect != "read" and holds is not None and not holds():
            # Hooks took their time: an effect starts only while the turn is still ours.
            raise TurnLost(f"The lease of turn {context.turn_id!r} has expired: another worker may run it.")
        result = await self._tools.execute_tool(call, context)
        shown = _copied(result)
        watched.context.keep(call.id, shown)
        await watched.fire("after_tool_call", _copied(call), shown)
        return result

    async def preview(self, call: ToolCall, context: CallContext) -> Json:
        return await self._tools.preview(call, context)

    async def terms(self, call: ToolCall, context: CallContext) -> CallTerms:
        return await self._tools.terms(call, context)

    def check(self, call: ToolCall) -> str | None:
        return self._tools.check(call)


class _HookedSubAgent:
    """A sub-agent's call is a call like any other. What happens inside is its own plugins' business."""

    def __init__(self, sub_agent: SubAgent, watched: _WatchedTurn) -> None:
        self._sub_agent = sub_agent
        self._watched = watched

    def open(self, parent: Turn, call: ToolCall, events: Sequence[e.Durable], store: EventStore | None) -> Turn:
        return self._sub_agent.open(parent, call, events, store)

    async def run(self, parent: Turn, call: ToolCall, channel: CallChannel) -> ToolResult | None:
        if parent.state.calls[call.id].child is None:
            await self._watched.fire("before_tool_call", _copied(call))
        result = await self._sub_agent.run(parent, call, channel)
        if result is not None:
            shown = _copied(result)
            self._watched.context.keep(call.id, shown)
            await self._watched.fire("after_tool_call", _copied(call), shown)
        return result


class _HookedRouter:
    def __init__(self, router: Router, watched: _WatchedTurn) -> None:
        self._router = router
        self._watched = watched

    async def route(self, question: str, messages: Sequence[Message], ask: AskInContext) -> RouteDecision:
        await self._watched.fire("before_route", question)
        decided = await self._router.route(question, messages, ask)
        await self._watched.fire("after_route", decided)
        return decided

    def recommended(self, route: RouteDecision, tools: Mapping[str, ToolSpec]) -> Sequence[str]:
        return self._router.recommended(route, tools)

    def farewell(self, question: str, route: RouteDecision) -> str | None:
        return self._router.farewell(question, route)


async def _deps(ports: TurnPorts, started: e.TurnStarted) -> Any:
    if ports.deps is not None or ports.deps_factory is None:
        return ports.deps
    made = ports.deps_factory(started)
    return await made if inspect.iscoroutine(made) else made


def _copied(record: T) -> T:
    """Arguments and results are looked at, never changed by looking."""
    return msgspec.json.decode(msgspec.json.encode(record), type=type(record))
