"""Advice for small models: what plain rules see before each decision, and whether the decision can stand.

Owns how advice is recorded and what it binds: a line after what was said last, and the schema of the next decision. The
prefix never changes with it. What is advised is the advisor's business (`ports.Advisor`).
"""

from collections.abc import AsyncGenerator, Mapping
from typing import Final, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.messages import ModelRequest, ToolSpec
from glassloop.core.protocols.decision_schema import brief_schema
from glassloop.core.records import Advice, Decision, Json
from glassloop.core.turn import Turn

PREFIX: Final = "Hint:"
"""How the line begins that the model is told."""


def is_advised(turn: Turn) -> bool:
    """Whether there is someone to advise, and a model that needs it and can be held to it."""
    if turn.ports.advisor is None or turn.ports.protocol.name != "json":
        return False
    abilities = turn.model("decide")[1].abilities
    return abilities.small and abilities.json_schema


async def advise(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Advice for the next decision, once: a turn that goes on after a crash keeps what it was told."""
    state, advisor = turn.state, turn.ports.advisor
    if advisor is None or state.advised:
        return
    advice = await turn.guarded(advisor.advise(state.question, state.messages, turn.tools))
    turn.record(e.AdviceGiven(**turn.stamp(), step=state.iterations + 1, advice=advice))
    for event in await turn.commit():
        yield event


def narrowed(turn: Turn) -> ModelRequest:
    """The next request, held to what was advised."""
    request, advice = turn.request(), turn.state.advice
    if advice is None:
        return request
    offered = turn.tools
    names = [name for name in (offered if advice.tools is None else advice.tools) if name in offered]
    if not names and not advice.answers:
        return request
    specs = [_bound(offered[name], advice.values.get(name, {})) for name in names]
    return msgspec.structs.replace(request, schema=brief_schema(specs, answers=advice.answers, asks=bool(advice.asks)))


def reviewed(turn: Turn, decision: Decision) -> Decision:
    """The decision, or why it cannot stand."""
    advisor, state = turn.ports.advisor, turn.state
    if advisor is None or decision.complaint is not None or not is_advised(turn):
        return decision
    return advisor.review(decision, state.question, state.messages, turn.tools, state.advice or Advice())


def _bound(spec: ToolSpec, values: Mapping[str, tuple[Json, ...]]) -> ToolSpec:
    """The tool with only these values for those parameters; one without any value cannot be given at all."""
    known = spec.parameters.get("properties")
    if not values or not isinstance(known, dict):
        return spec
    properties = dict(cast("dict[str, Json]", known))
    for name, allowed in values.items():
        if name not in properties:
            continue
        if allowed:
            properties[name] = {"enum": list(allowed)}
        else:
            del properties[name]
    return msgspec.structs.replace(spec, parameters={**spec.parameters, "properties": properties})
