"""Routing: which domain a question belongs to, asked of the model in one short call.

The domains come with the assistant. A router that fails is no reason to fail the turn.
"""

from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.messages import AssistantMessage, Message, ToolSpec, UserMessage
from glassloop.core.protocols.first_object import read_object
from glassloop.core.records import Json, RouteDecision
from glassloop.core.state import message_tokens
from glassloop.core.turn_ports import Ask

SEEN_MESSAGES = 3
SEEN_TOKENS = 1500
GENERAL = "general_agent"
FALLBACK = "fallback"


class Domain(msgspec.Struct, frozen=True, kw_only=True):
    """A department: `destination` is what the router says, `name` what tools call it."""

    destination: str
    name: str
    about: str


class _Said(msgspec.Struct):
    destination: str
    reasoning: str = ""
    secondary_domains: list[str] = []


class ModelRouter:
    """Asks the model, and reads what it says against the domains there are."""

    def __init__(self, domains: Sequence[Domain], *, farewell: str, always: Sequence[str] = ()) -> None:
        self._domains = {domain.destination: domain for domain in domains}
        self._names = {domain.name for domain in domains}
        self._farewell = farewell
        self._always = tuple(always)
        known = "\n".join(f"- {domain.destination}: {domain.about}" for domain in domains)
        self._system = (
            "You decide which department a request belongs to. Reply with one JSON object: "
            '{"destination": "..", "reasoning": "one short sentence", "secondary_domains": []}.\n'
            f"Destinations:\n{known}\n- {FALLBACK}: only what has nothing to do with the business.\n"
            f"secondary_domains: other domains whose tools are needed too, of: {', '.join(sorted(self._names))}."
        )
        self._schema: dict[str, Json] = {
            "type": "object",
            "properties": {
                "destination": {"enum": [*self._domains, FALLBACK]},
                "reasoning": {"type": "string", "maxLength": 200},
                "secondary_domains": {"type": "array", "items": {"enum": sorted(self._names)}, "maxItems": 3},
            },
            "required": ["destination", "reasoning", "secondary_domains"],
            "additionalProperties": False,
        }

    async def route(self, question: str, messages: Sequence[Message], ask: Ask) -> RouteDecision:
        text = await ask("route", self._system, _recent(messages) or question, self._schema)
        found = read_object(text)
        try:
            said = msgspec.convert(found, _Said, strict=False)
        except msgspec.ValidationError:
            return RouteDecision(destination=GENERAL, reasoning="The router could not decide.", confidence=0.0)
        if said.destination not in self._domains and said.destination != FALLBACK:
            return RouteDecision(destination=GENERAL, reasoning="The router named no known domain.", confidence=0.0)
        primary = self.domain_of(said.destination)
        secondary = tuple(dict.fromkeys(n for n in said.secondary_domains if n in self._names and n != primary))
        return RouteDecision(
            destination=said.destination, reasoning=said.reasoning[:500], secondary_domains=secondary, confidence=1.0
        )

    def domain_of(self, destination: str) -> str:
        domain = self._domains.get(destination)
        return domain.name if domain else "general"

    def recommended(self, route: RouteDecision, tools: Mapping[str, ToolSpec]) -> Sequence[str]:
        """The tools of the route's domains, the primary's first, and those recommended whatever the domain."""
        order = (self.domain_of(route.destination), *route.secondary_domains)
        chosen = [name for domain in order for name, spec in tools.items() if spec.domain == domain]
        return tuple(dict.fromkeys([*chosen, *(name for name in self._always if name in tools)]))

    def farewell(self, route: RouteDecision) -> str | None:
        return self._farewell if route.destination == FALLBACK else None


def _recent(messages: Sequence[Message]) -> str:
    """The last three messages within 1,500 tokens, newest kept first."""
    lines: list[str] = []
    left = SEEN_TOKENS
    for message in reversed([m for m in messages if isinstance(m, UserMessage | AssistantMessage)][-SEEN_MESSAGES:]):
        size = message_tokens(message)
        if size > left and lines:
            break
        who, text = ("User", message.content) if isinstance(message, UserMessage) else ("Assistant", message.text)
        lines.append(f"{who}: {text[: left * 3 if text.isascii() else left]}")
        left -= size
    return "\n".join(reversed(lines))
