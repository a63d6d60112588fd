"""Router: assigns a question to a domain, by the words of the domains or by one short call to the model.

The domains come with the assistant. A router that fails does not fail the turn.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Final, Literal

import msgspec

from glassloop.core.messages import DEFAULT_DOMAIN, Message, ToolSpec, UserMessage
from glassloop.core.ports import AskInContext
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import Json, RouteDecision

FALLBACK = "fallback"
FALLBACK_ABOUT = "only what none of the others is for."
MAX_TEXT = 2_000

ByWords = Literal["alone", "first", "never"]

ENOUGH: Final = 0.7
"""From here on words speak for a domain."""
_CLOSE, _MANY = 0.75, 3
"""So many domains that are nearly as good as the best make a question nobody's own."""
_SECOND, _MAX_SECOND = 0.5, 3
_ABOUT, _PREFIX, _PHRASE, _CHARACTER = 0.3, 3.0, 0.8, 0.35
"""What a word of `about`, an identifier, each further word of a phrase and each further character count."""


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


class ModelRouter:
    """Asks the model, and reads what it says against the domains there are.

    `by_words`: the words of the domains decide `alone`, or `first`, and the model is asked only where they say nothing.
    `brief`: one that reads and writes slowly is asked for no reason. `fallback` says what belongs to nobody, `outside`
    are words that speak for that, `default` is the destination of what cannot be told.
    """

    def __init__(
        self,
        domains: Sequence[Domain],
        *,
        farewell: str | Sequence[str],
        always: Sequence[str] = (),
        outside: Sequence[str] = (),
        fallback: str = FALLBACK_ABOUT,
        brief: bool = False,
        by_words: ByWords = "never",
    ) -> None:
        self._domains = {domain.destination: domain for domain in domains}
        self._names = {domain.name for domain in domains}
        self._farewells = (farewell,) if isinstance(farewell, str) else tuple(farewell)
        self._always = tuple(always)
        self._fallback = fallback
        self._by_words: ByWords = by_words
        self._outside = tuple(outside)
        self._default = next((d.destination for d in domains if d.name == DEFAULT_DOMAIN), f"{DEFAULT_DOMAIN}_agent")
        self._question = self._asks(brief=brief)
        self._schema = self._shape(brief=brief)

    def _asks(self, *, brief: bool) -> str:
        known = "\n".join(f"- {domain.destination}: {domain.about}" for domain in self._domains.values())
        asks = '{"destination": "..", "secondary_domains": []}'
        if not brief:
            asks = '{"destination": "..", "reasoning": "one short sentence", "secondary_domains": []}'
        return (
            "Before the next step, and beside the conversation: which department does the user's last question belong "
            f"to? Do not answer it and call no tool. Reply with one JSON object and nothing else: {asks}.\n"
            f"Destinations:\n{known}\n- {FALLBACK}: {self._fallback}\n"
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

    async def route(self, question: str, messages: Sequence[Message], ask: AskInContext) -> RouteDecision:
        if self._by_words != "never":
            spoken = self.route_by_words(question, messages)
            if spoken is not None:
                return spoken
            if self._by_words == "alone":
                return RouteDecision(destination=self._default, reasoning="No domain's words are in it.")
        text = await ask("route", self._question, self._schema)
        found = read_object(text)
        try:
            said = msgspec.convert(found, _Said, strict=False)
        except msgspec.ValidationError:
            return self._undecided("The router could not decide.")
        if said.destination not in self._domains and said.destination != FALLBACK:
            return self._undecided("The router named no known domain.")
        primary = self.domain_of(said.destination)
        secondary = tuple(dict.fromkeys(n for n in said.secondary_domains if n in self._names and n != primary))
        return RouteDecision(
            destination=said.destination,
            reasoning=said.reasoning[:500] or self._about(said.destination),
            secondary_domains=secondary,
            confidence=1.0,
        )

    def _undecided(self, why: str) -> RouteDecision:
        return RouteDecision(destination=self._default, reasoning=why, confidence=0.0)

    def route_by_words(self, question: str, messages: Sequence[Message] = ()) -> RouteDecision | None:
        """Where the words of the domains send the question, or the one before it where it says nothing of its own;
        None where no word speaks for any."""
        asked = [m.content for m in messages if isinstance(m, UserMessage) and m.author == "person"]
        before = asked[-2:-1] if asked and asked[-1] == question else asked[-1:]
        for text in (question, *before):
            if (found := self._spoken(text[:MAX_TEXT])) is not None:
                return found
        return None

    def _spoken(self, text: str) -> RouteDecision | None:
        words = _Words(text)
        fallback = Domain(destination=FALLBACK, name="", about="", words=self._outside)
        every = [*self._domains.values(), fallback]
        shared = Counter(entry.lower() for domain in every for entry in domain.words)
        said = {entry.lower() for domain in every for entry in domain.words if words.worth(entry)}
        whole = {entry for entry in said if not any(entry != other and entry in other for other in said)}
        found = {domain.destination: words.spoken(domain, shared, whole) for domain in every}
        scores = {name: score for name, (score, _) in found.items()}
        others = sorted((n for n in self._domains if n != self._default), key=lambda name: -scores[name])
        best = others[0] if others and scores[others[0]] >= ENOUGH else ""
        general, outside = scores.get(self._default, 0.0), scores[FALLBACK]
        if not best or (outside >= scores[best] and outside > general):
            chosen = FALLBACK if outside >= ENOUGH and outside > general else self._default
            spoke = found[chosen][1] if chosen in found else []
            return RouteDecision(destination=chosen, reasoning=_reason(spoke)) if spoke else None
        near = [name for name in others if scores[name] >= max(ENOUGH, _CLOSE * scores[best])]
        second = [name for name in others if scores[name] >= max(ENOUGH, _SECOND * scores[best])]
        second += [d.destination for d in every if any(words.worth(entry) for entry in d.also)]
        chosen = self._default if len(near) >= _MANY and self._default in self._domains else best
        beside = [self._domains[name].name for name in dict.fromkeys(second) if name not in (chosen, self._default)]
        return RouteDecision(
            destination=chosen, reasoning=_reason(found[best][1]), secondary_domains=tuple(beside[:_MAX_SECOND])
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
        from glassloop.core.text_terms import has_cjk

        chinese = has_cjk(question)
        return next((text for text in self._farewells if has_cjk(text) == chinese), self._farewells[0])

    def _about(self, destination: str) -> str:
        """Why, where a brief reply does not say."""
        domain = self._domains.get(destination)
        return f"About {domain.about if domain else self._fallback}"


def _reason(spoke: Sequence[str]) -> str:
    return f"By words: {', '.join(spoke[:5])}."


class _Words:
    """A text as it is compared with the words of domains."""

    def __init__(self, text: str) -> None:
        # Only routers need the words of a language: importing an agent stays light.
        from glassloop.core.text_terms import content_words, has_cjk

        self._content, self._is_cjk = content_words, has_cjk
        self._text = text.lower()
        self._stems = content_words(text)

    def spoken(self, domain: Domain, shared: Mapping[str, int], whole: Set[str]) -> tuple[float, list[str]]:
        """How much speaks for the domain, and which of its words do. A word of several domains counts less for each;
        one inside another that was said, as "travel" in "travel policy", does not count: `whole` are the others."""
        said = {entry: self.worth(entry) for entry in domain.words if entry.lower() in whole}
        about = len(set(self._stems) & set(self._content(domain.about)))
        score = sum(worth / shared[entry.lower()] for entry, worth in said.items())
        return score + _ABOUT * about, sorted(said, key=lambda entry: -said[entry])

    def worth(self, entry: str) -> float:
        """How much the entry counts; 0 where it is not said."""
        plain = entry.lower()
        if entry.endswith("-"):
            return _PREFIX if re.search(rf"(?<![a-z0-9]){re.escape(plain)}\d", self._text) else 0.0
        if self._is_cjk(entry):
            return 1.0 + _CHARACTER * (len(entry) - 2) if plain in self._text else 0.0
        stems = self._content(entry)
        if len(stems) < len(entry.split()) or not stems or not entry.replace(" ", "").isalpha():
            return 1.0 if re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", self._text) else 0.0
        runs = (self._stems[at : at + len(stems)] for at in range(len(self._stems) - len(stems) + 1))
        return 1.0 + _PHRASE * (len(stems) - 1) if stems in runs else 0.0
