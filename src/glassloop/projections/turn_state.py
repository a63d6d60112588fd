"""A turn as the business contract names its state: who answers, what was routed, how many calls. A fold; pure."""

from collections.abc import Iterable, Mapping

import msgspec

from glassloop.core import events as e
from glassloop.core.messages import DEFAULT_DOMAIN, ToolSpec
from glassloop.core.records import ExecutionPlan, Json, ReasoningStep
from glassloop.projections.reasoning_trace import Reasoning

CALLS_EXPECTED = 5
"""More calls than this in a turn are worth a warning; they are no limit."""

DOMAINS = {"it_ops_agent": "itops", "fallback": DEFAULT_DOMAIN}
"""Destinations whose domain is not simply what stands before `_agent`."""


class TurnStateView(msgspec.Struct, frozen=True, kw_only=True):
    """`context` has `primary_domain`, `secondary_domains` and `router_reasoning`: as the turn was routed or, without a
    router, those of the tools that were called, the first one's first."""

    session_id: str
    messages: list[dict[str, str]]
    current_agent: str
    tool_calls: int
    confidence: float
    context: dict[str, Json]
    plan: ExecutionPlan | None
    step: int
    plugin_context: Mapping[str, Json]
    reasoning_trace: list[ReasoningStep]

    @property
    def warning(self) -> str | None:
        """What an operator should know of the turn."""
        if self.tool_calls <= CALLS_EXPECTED:
            return None
        return f"{self.tool_calls} tool calls in one turn: more than {CALLS_EXPECTED} are slow for people who wait."


def turn_state(
    events: Iterable[e.Event], plugin_context: object = None, tools: Mapping[str, ToolSpec] | None = None
) -> TurnStateView:
    """The state these events come to; `tools` say which domain they belong to."""
    fold, trace = Reasoning(), list[ReasoningStep]()
    found: dict[str, object] = {"session_id": "", "current_agent": "", "confidence": 0.0, "plan": None}
    messages: list[dict[str, str]] = []
    context: dict[str, Json] = {}
    calls, step, domains = 0, 0, dict[str, None]()
    for event in events:
        if (one := fold.step(event)) is not None:
            trace.append(one)
        match event:
            case e.TurnStarted():
                found |= {"session_id": event.session_id, "current_agent": event.assistant}
                messages.append({"role": "user", "content": event.question})
            case e.RouteDecided():
                route = event.route
                found |= {"current_agent": route.destination, "confidence": route.confidence}
                context = {
                    "primary_domain": domain_of(route.destination),
                    "secondary_domains": list(route.secondary_domains),
                    "router_reasoning": route.reasoning,
                }
            case e.PlanMade() | e.PlanAdjusted():
                found["plan"] = event.plan
            case e.ModelResponded() if event.decision is not None:
                step = event.step
            case e.ToolCalled():
                calls += 1
                if tools is not None and (spec := tools.get(event.call.tool)) is not None:
                    domains[spec.domain] = None
            case e.AnswerGiven():
                messages.append({"role": "assistant", "content": event.text})
            case _:
                continue
    first, *others = domains or (DEFAULT_DOMAIN,)
    unrouted = {"primary_domain": first, "secondary_domains": others, "router_reasoning": ""}
    told: dict[str, Json] = {}
    if plugin_context is not None:
        told = msgspec.to_builtins(plugin_context, enc_hook=str)
    return TurnStateView(
        messages=messages,
        tool_calls=calls,
        context=context or unrouted,
        step=step,
        plugin_context=told,
        reasoning_trace=trace,
        **found,  # pyright: ignore[reportArgumentType]
    )


def domain_of(destination: str) -> str:
    """`erp_agent` is the domain `erp`."""
    return DOMAINS.get(destination, destination.removesuffix("_agent"))
