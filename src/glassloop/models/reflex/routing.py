"""Which department a request belongs to, by words: those that the router's prompt says speak for each, and meaning.

Owns reading the prompt's departments and weighing them. A short request that goes on from another one is read together
with that. What is nobody's word is left to the general department.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

import msgspec

from glassloop.core.messages import ModelRequest, ToolSpec
from glassloop.core.ports import Embedder
from glassloop.core.records import Json, RouteDecision
from glassloop.core.router import ALSO, FALLBACK, GENERAL, WORDS
from glassloop.core.words import content_words, has_cjk
from glassloop.models.nearness import nearness
from glassloop.models.reflex.question import LONGEST_QUESTION
from glassloop.models.reflex.terms import read_terms

ENOUGH = 0.7
"""From here on words speak for a department."""

_SECOND, _MOST_SECOND = 0.5, 3
"""A second department needs this share of the first one's score."""

_CLOSE, _MANY = 0.75, 3
"""So many departments that are nearly as good as the best make a request nobody's own."""

_ABOUT, _NAMED, _PHRASE, _CHARACTER, _BEFORE = 0.3, 3.0, 0.8, 0.35, 0.6
_SYNONYM, _SAID = 0.5, 0.3
"""What a word counts that only may stand for one of a department's, and from where on it is told."""
FLOOR, WORTH = 0.25, 5.0
"""How near texts about nothing in common are in meaning, and how much all above that counts."""

ROUTED, ASTRAY, DOCUMENTS = 1.2, 2.0, 5.0
"""How much a tool gains by the route of the question, and one of another department loses: it must share far more
with the question than any of the department's own. One that searches documents gains by their mention."""

_DOCUMENTS = re.compile(
    r"\b(?:polic(?:y|ies)|handbook|manual|runbook|procedure|guideline|code of conduct|regulation|product sheet)s?\b"
    r"|制度|规定|手册|准则|流程|资料",
    re.IGNORECASE,
)

_BEGINNING = 200
"""So much of an answer tells what it was about."""

_LINE = re.compile(r"^- (\w+): (.*)$", re.MULTILINE)
_SPEAKER = re.compile(r"^(User|Assistant): ", re.MULTILINE)
_GOES_ON = re.compile(
    r"^(?:and|or|what\s+about|how\s+about|also|then|now|same|but|which\s+of|who\s+of|und|oder|was\s+ist\s+mit)\b"
    r"|^(?:那|还有|然后|换成|其中|再)|呢\s*[?？]?$|\b(?:those|them|these|it|that\s+one|the\s+same)\b|其中|这些|那些|它",
    re.IGNORECASE,
)


class Department(msgspec.Struct, frozen=True):
    """One line of the prompt: what speaks for it, as it is compared."""

    destination: str
    about: str
    words: tuple[str, ...]
    also: tuple[str, ...]


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The department, those beside it, and the words that spoke for it."""

    destination: str
    beside: tuple[str, ...] = ()
    spoke: tuple[str, ...] = ()


@lru_cache(maxsize=16)
def departments(prompt: str) -> Sequence[Department]:
    """Those that a router's prompt lists."""
    found: list[Department] = []
    for destination, rest in _LINE.findall(prompt):
        rest, _, also = rest.partition(ALSO)
        about, _, words = rest.partition(WORDS)
        found.append(Department(destination, about, _entries(words), _entries(also)))
    return found


def last_said(content: str) -> tuple[str, str]:
    """What the person said last, and what came before: their words, and how the answer to them began."""
    parts = _SPEAKER.split(content)
    told = [(who, text.strip()) for who, text in zip(parts[1::2], parts[2::2], strict=True)]
    said = [text for who, text in told if who == "User"]
    if not said:
        return content[:LONGEST_QUESTION], ""
    answers = [text[:_BEGINNING] for who, text in told if who == "Assistant"]
    now, *before = (text[:LONGEST_QUESTION] for text in said[:-3:-1])
    return now, "\n".join((*before, *answers[-1:]))


def rank(prompt: str, content: str, meaning: Mapping[str, float] | None = None) -> Ranked:
    """By words, and by `meaning` where it says something of a department."""
    known = departments(prompt)
    now, before = last_said(content)
    scores, spoke = _weigh(known, now)
    if before and (_GOES_ON.search(now) or max(scores.values(), default=0.0) < ENOUGH):
        earlier, said = _weigh(known, before)
        for name, score in earlier.items():
            scores[name] += _BEFORE * score
            spoke[name] += [word for word in said[name] if word not in spoke[name]]
    for name, near in (meaning or {}).items():
        if name in scores and name != FALLBACK:
            scores[name] += near
    return _decide(known, scores, spoke, now)


def _decide(
    known: Sequence[Department], scores: Mapping[str, float], spoke: Mapping[str, list[str]], now: str
) -> Ranked:
    order = [name for name in scores if name not in (GENERAL, FALLBACK)]
    order.sort(key=lambda name: -scores[name])
    best = order[0] if order else GENERAL
    top = scores.get(best, 0.0)
    outside, general = scores.get(FALLBACK, 0.0), scores.get(GENERAL, 0.0)
    if top < ENOUGH or (outside >= top and outside > general):
        chosen = FALLBACK if outside >= ENOUGH and outside > general else GENERAL
        return Ranked(destination=chosen, spoke=tuple(spoke.get(chosen, ()))[:5])
    near = [name for name in order if scores[name] >= max(ENOUGH, _CLOSE * top)]
    second = [name for name in order[1:] if scores[name] >= max(ENOUGH, _SECOND * top)]
    words = _Words(now)
    second += [d.destination for d in known if any(words.says(entry) for entry in d.also)]
    if len(near) >= _MANY and GENERAL in scores:
        return Ranked(destination=GENERAL, beside=tuple(near[:_MOST_SECOND]), spoke=tuple(spoke[best])[:5])
    beside = tuple(dict.fromkeys(name for name in second if name not in (best, GENERAL, FALLBACK)))
    return Ranked(destination=best, beside=beside[:_MOST_SECOND], spoke=tuple(spoke[best])[:5])


def as_tools(prompt: str) -> Sequence[ToolSpec]:
    """The departments as something that meaning can be compared with."""
    return [
        ToolSpec(name=d.destination, description=f"{d.about} {', '.join(filter(str.isascii, d.words))}", parameters={})
        for d in departments(prompt)
    ]


def advice(prompt: str, content: str, names: Mapping[str, str]) -> RouteDecision | None:
    """The route by words alone; None where they say nothing. `names` are the domains' by destination."""
    ranked = rank(prompt, content)
    if not ranked.spoke:
        return None
    beside = tuple(names[other] for other in ranked.beside if other in names)
    return RouteDecision(destination=ranked.destination, reasoning=_reason(ranked), secondary_domains=beside)


def _reason(ranked: Ranked) -> str:
    return f"By words: {', '.join(ranked.spoke)}." if ranked.spoke else "No department's words are in it."


async def route(embedder: Embedder | None, request: ModelRequest, content: str) -> dict[str, Json] | None:
    """The router's reply; None where the request is not one of a router's."""
    prompt, properties = request.system, (request.schema or {}).get("properties", {})
    if not departments(prompt) or not {"destination", "secondary_domains"} <= properties.keys():
        return None
    specs = as_tools(prompt)
    near = await nearness(embedder, last_said(content)[0], specs) or ()
    meaning = {spec.name: max(0.0, each - FLOOR) * WORTH for spec, each in zip(specs, near, strict=False)}
    ranked = rank(prompt, content, meaning)
    known: list[str] = properties["secondary_domains"].get("items", {}).get("enum", [])
    names = {name.replace("_", ""): name for name in known}
    beside = [names.get(other.removesuffix("_agent").replace("_", ""), "") for other in ranked.beside]
    reply: dict[str, Json] = {
        "destination": ranked.destination, "reasoning": _reason(ranked), "secondary_domains": beside,
    }  # fmt: skip
    return {key: value for key, value in reply.items() if key in properties}


def with_route(meaning: Mapping[str, float] | None, request: ModelRequest, asked: str) -> Mapping[str, float] | None:
    """Tools of the domains that the question was given to are nearer to it than others; so are those that search
    documents, where it speaks of one."""
    if not request.recommended:
        return meaning
    near = dict(meaning or {})
    if _DOCUMENTS.search(asked):
        for spec in request.tools:
            if "knowledge" in spec.name or "document" in spec.name:
                near[spec.name] = near.get(spec.name, 0.0) + DOCUMENTS
    for spec in request.tools:
        near[spec.name] = near.get(spec.name, 0.0) + (ROUTED if spec.name in request.recommended else -ASTRAY)
    return near


def _entries(text: str) -> tuple[str, ...]:
    return tuple(word for part in text.strip().rstrip(".").split(",") if (word := part.strip()))


def _weigh(known: Sequence[Department], text: str) -> tuple[dict[str, float], dict[str, list[str]]]:
    """Every department's score, and the words that made it. A word of several departments counts less for each."""
    words = _Words(text)
    shared = Counter(entry.lower() for department in known for entry in department.words)
    scores: dict[str, float] = {}
    spoke: dict[str, list[str]] = {}
    for department in known:
        single = {stems[0]: entry for entry in department.words if len(stems := _stems_of(entry)) == 1}
        whole = [(entry, words.hold(entry)) for entry in department.words if len(_stems_of(entry)) != 1]
        found = _longest([(entry, worth) for entry, worth in whole if worth])
        found += [(single[stem], worth) for stem, worth in words.meant(single)]
        found = [(entry, worth / shared[entry.lower()]) for entry, worth in found]
        about = sum(worth for _, worth in words.meant(set(content_words(department.about))))
        scores[department.destination] = sum(worth for _, worth in found) + _ABOUT * about
        said = sorted(found, key=lambda pair: -pair[1])
        spoke[department.destination] = list(dict.fromkeys(entry for entry, worth in said if worth >= _SAID))
    return scores, spoke


def _longest(found: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Without those that stand inside another one: 采购 is in 采购订单 already."""
    return [
        (entry, worth)
        for entry, worth in found
        if not (has_cjk(entry) and any(entry != other and entry in other for other, _ in found))
    ]


class _Words:
    """A text as it is compared with the departments' words."""

    def __init__(self, text: str) -> None:
        self._text = text.lower()
        self._order = content_words(text)
        self._terms = [term for _, term in read_terms(text)]

    def meant(self, stems: Collection[str]) -> list[tuple[str, float]]:
        """For each word of the text the one of these that it says, or may stand for; each counts once."""
        found: dict[str, float] = {}
        for term in self._terms:
            best = max(((weight, stem) for stem, weight in term.items() if stem in stems), default=None)
            if best is not None:
                worth = best[0] if best[0] >= 1.0 else best[0] * _SYNONYM
                found[best[1]] = max(found.get(best[1], 0.0), worth)
        return list(found.items())

    def says(self, entry: str) -> bool:
        stems = _stems_of(entry)
        return bool(self.hold(entry) or (len(stems) == 1 and stems[0] in self._order))

    def hold(self, entry: str) -> float:
        """How surely the entry is said: 0 where it is not."""
        if entry.endswith("-"):
            return _NAMED if re.search(rf"(?<![a-z0-9]){re.escape(entry.lower())}\d", self._text) else 0.0
        if has_cjk(entry):
            return 1.0 + _CHARACTER * (len(entry) - 2) if entry.lower() in self._text else 0.0
        stems = _stems_of(entry)
        if len(stems) < 2:
            return 1.0 if re.search(rf"(?<!\w){re.escape(entry.lower())}(?!\w)", self._text) else 0.0
        runs = (self._order[at : at + len(stems)] for at in range(len(self._order) - len(stems) + 1))
        return 1.0 + _PHRASE * (len(stems) - 1) if stems in runs else 0.0


@lru_cache(maxsize=4096)
def _stems_of(entry: str) -> list[str]:
    """Of an English word or phrase that is compared by its stems; none of what is compared as it is."""
    if entry.endswith("-") or has_cjk(entry) or any(character.isdigit() for character in entry):
        return []
    stems = content_words(entry)
    return stems if len(stems) > 1 or " " not in entry else []
