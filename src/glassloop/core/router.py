"""Routing: which domain a question belongs to, asked of the model in one short call.

The domains come with the assistant. A router that fails is no reason to fail the turn.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from glassloop.core.messages import DEFAULT_DOMAIN, AssistantMessage, Message, ToolSpec, UserMessage
from glassloop.core.ports import Ask
from glassloop.core.protocols.first_object import read_object
from glassloop.core.records import Json, RouteDecision
from glassloop.core.state import message_tokens

SEEN_MESSAGES = 3
SEEN_TOKENS = 1500
GENERAL = "general_agent"
FALLBACK = "fallback"
OUTSIDE = "only what has nothing to do with the business."
WORDS, ALSO = " Words: ", " Also for: "
"""What comes before a domain's words in the prompt; `reflex` reads them there too."""


class Domain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A department: `destination` is what the router says, `name` what tools call it.

    `words` speak for it, in any language; one that ends in `-` is what its identifiers begin with. `also`: words that
    make it a secondary domain of a question that belongs to another.
    """

    destination: str
    name: str
    about: str
    words: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class _Said(msgspec.Struct):
    destination: str
    reasoning: str = ""
    secondary_domains: list[str] = []


Advise = Callable[[str, str], RouteDecision | None]
"""What words alone say of a prompt with the words of the domains, and what is to be routed; None where nothing."""


class ModelRouter:
    """Asks the model, and reads what it says against the domains there are.

    `worded`: the prompt has the words of the domains, for a model that goes by them. `brief`: one that reads and writes
    slowly is asked for no reason. `advise`: words decide, and the model is asked only where they say nothing.
    """

    def __init__(
        self,
        domains: Sequence[Domain],
        *,
        farewell: str | Sequence[str],
        always: Sequence[str] = (),
        outside: Sequence[str] = (),
        worded: bool = False,
        brief: bool = False,
        advise: Advise | None = None,
    ) -> None:
        self._domains = {domain.destination: domain for domain in domains}
        self._names = {domain.name for domain in domains}
        self._farewells = (farewell,) if isinstance(farewell, str) else tuple(farewell)
        self._always = tuple(always)
        self._advise = advise
        fallback = Domain(destination=FALLBACK, name="", about=OUTSIDE, words=tuple(outside))
        self._whole = self._prompt([*domains, fallback], worded=True, brief=False)
        self._system = self._prompt([*domains, fallback], worded=worded, brief=brief)
        self._schema = self._shape(brief=brief)

    def _prompt(self, domains: Sequence[Domain], *, worded: bool, brief: bool) -> str:
        known = "\n".join(_line(domain, worded=worded) for domain in domains)
        asks = '{"destination": "..", "secondary_domains": []}'
        if not brief:
            asks = '{"destination": "..", "reasoning": "one short sentence", "secondary_domains": []}'
        return (
            f"You decide which department a request belongs to. Reply with one JSON object: {asks}.\n"
            f"Destinations:\n{known}\n"
            f"secondary_domains: other domains whose tools are needed too, of: {', '.join(sorted(self._names))}."
        )

    def _shape(self, *, brief: bool) -> dict[str, Json]:
        properties: dict[str, Json] = {
            "destination": {"enum": [*self._domains, FALLBACK]},
            "reasoning": {"type": "string", "maxLength": 200},
            "secondary_domains": {"type": "array", "items": {"enum": sorted(self._names)}, "maxItems": 3},
        }
        if brief:
            del properties["reasoning"]
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    async def route(self, question: str, messages: Sequence[Message], ask: Ask) -> RouteDecision:
        content = _recent(messages) or question
        advice = self._advise(self._whole, content) if self._advise else None
        if advice is not None:
            return advice
        text = await ask("route", self._system, content, self._schema)
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
            destination=said.destination,
            reasoning=said.reasoning[:500] or self._about(said.destination),
            secondary_domains=secondary,
            confidence=1.0,
        )

    def domain_of(self, destination: str) -> str:
        domain = self._domains.get(destination)
        return domain.name if domain else DEFAULT_DOMAIN

    def recommended(self, route: RouteDecision, tools: Mapping[str, ToolSpec]) -> Sequence[str]:
        """The tools of the route's domains, the primary's first, and those recommended whatever the domain."""
        order = (self.domain_of(route.destination), *route.secondary_domains)
        chosen = [name for domain in order for name, spec in tools.items() if spec.domain == domain]
        return tuple(dict.fromkeys([*chosen, *(name for name in self._always if name in tools)]))

    def farewell(self, question: str, route: RouteDecision) -> str | None:
        """In the writing of the question, where there is one in it; else the first."""
        if route.destination != FALLBACK:
            return None
        chinese = _is_chinese(question)
        return next((text for text in self._farewells if _is_chinese(text) == chinese), self._farewells[0])

    def _about(self, destination: str) -> str:
        """Why, where a brief reply does not say."""
        domain = self._domains.get(destination)
        return f"About {domain.about}" if domain else "Nothing to do with the business."


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def _line(domain: Domain, *, worded: bool) -> str:
    line = f"- {domain.destination}: {domain.about}"
    if not worded:
        return line
    words = f"{WORDS}{', '.join(domain.words)}." if domain.words else ""
    return f"{line}{words}{ALSO if domain.also else ''}{', '.join(domain.also)}{'.' if domain.also else ''}"


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
