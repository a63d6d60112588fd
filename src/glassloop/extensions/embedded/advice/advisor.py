"""The advisor of small models, by rules and an embedder where there is one. Light until it is asked."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from glassloop.core.events import ProtocolName
from glassloop.core.messages import Abilities, Message, ModelRequest, ToolSpec
from glassloop.core.ports import Embedder
from glassloop.core.protocols.decision_schema import brief_schema
from glassloop.core.records import Advice, Decision, Json, Refusal
from glassloop.extensions.embedded.shortlist import LONG_TIMEOUT_S, tool_similarity


class RuleAdvisor:
    """An `Advisor`. The embedder belongs to whoever gives it."""

    protocol: ProtocolName = "json"

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def helps(self, abilities: Abilities) -> bool:
        """A small model that can be held to a schema."""
        return abilities.small and abilities.json_schema

    async def advise(
        self,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        refused: Refusal | None = None,
    ) -> Advice:
        # Only small models need these.
        from glassloop.extensions.embedded.advice.turn_advice import TurnAdvice

        specs = tuple(spec.matched for spec in tools.values())
        if not specs:
            return Advice()
        near = await tool_similarity(self._embedder, question, specs, LONG_TIMEOUT_S)
        # Tens of milliseconds with many tools, which the event loop does not have.
        seen = tuple(messages)
        return await asyncio.to_thread(lambda: TurnAdvice(question, seen, specs, near, refused).advice())

    def adapt(self, request: ModelRequest, tools: Mapping[str, ToolSpec], advice: Advice) -> ModelRequest:
        """Only the schema changes: the prefix stays the same, so that the model need not read it again."""
        names = [name for name in (tools if advice.tools is None else advice.tools) if name in tools]
        if not names and not advice.answers:
            return request
        specs = [_bound(tools[name], advice.values.get(name, {})) for name in names]
        schema = brief_schema(specs, answers=advice.answers, asks=bool(advice.asks))
        return msgspec.structs.replace(request, schema=schema)

    def review(
        self,
        decision: Decision,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        advice: Advice,
    ) -> Decision:
        from glassloop.extensions.embedded.advice.decision_review import review
        from glassloop.extensions.embedded.advice.known_values import KnownValues

        return review(decision, KnownValues(question, messages), tools, messages, advice)


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
