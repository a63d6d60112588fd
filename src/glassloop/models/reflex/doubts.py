"""Second thoughts about a choice, before it is called: whether the question speaks for the tool at all, and how many
rows it wants.

Owns what `reflex` alone takes back or adds. A tool that only the words left over speak for would answer, and the answer
would be about something else: then it is better to say that there is none.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.words import content_words, has_cjk, stem
from glassloop.models.reflex.choosing import Choice
from glassloop.models.reflex.counting import COUNTS, Counted, rows_in
from glassloop.models.reflex.matching import MEANT, Offer, Profile, offer
from glassloop.models.reflex.measures import measures_in
from glassloop.models.reflex.optional import BOXES
from glassloop.models.reflex.parameters import name_words, read_parameters
from glassloop.models.reflex.question import Question
from glassloop.models.reflex.spans import is_period
from glassloop.models.reflex.terms import WEAK, read_terms
from glassloop.models.reflex.values import numeric

_MANY = 4
"""From so many telling words on, one of them is too few to choose a tool by."""

_ITS_ORDERS = re.compile(
    r"\byour\s+(?:own\s+|full\s+|entire\s+|initial\s+|original\s+|hidden\s+|secret\s+|system\s+){0,3}(?:prompts?|instructions?)\b(?!\s+(?:for|on|about)\b)"
    r"|\bsystem\s+prompt\b|\b(?:deine|ihre)n?\s+(?:system)?(?:anweisung|instruktion|prompt)|(?:你|您)的?(?:系统)?(?:提示词|指令)|系统提示词?",
    re.IGNORECASE,
)
_SEARCHES = re.compile(
    r"\b(?:search|find|look(?:ing|ed)?\s+(?:for|up)|about|regarding|concerning|contain\w*|mention\w*|titled|called|named)\b"
    r"|搜|查|找|关于|包含|提到",
    re.IGNORECASE,
)


def settled(choice: Choice, tools: Sequence[ToolSpec], question: Question) -> Choice | None:
    """The choice as it is called; None where the question does not speak for its tool."""
    among = offer(tools)
    profile = next(profile for profile in among.profiles if profile.spec.name == choice.tool)
    if profile.spec.effect == "read" and not choice.missing:
        strays = not has_cjk(question.text) and _strays(choice, profile, among, question)
        if strays or _ITS_ORDERS.search(question.text):
            return None
    args = dict(choice.args)
    _add_rows(args, profile, question)
    _add_days(args, profile, question)
    return msgspec.structs.replace(choice, args=args)


def left_over(spec: ToolSpec, args: Mapping[str, Json], question: Question) -> list[str]:
    """What search boxes that nobody needs to fill were filled with, other than what was quoted."""
    quoted = {found.text for found in question.quoted}
    free = [p for p in read_parameters(spec) if p.kind == "text" and not p.required and BOXES & set(name_words(p.name))]
    return [value for p in free if isinstance(value := args.get(p.name), str) and value and value not in quoted]


def _strays(choice: Choice, profile: Profile, among: Offer, question: Question) -> bool:
    """Whether one word in many is all that speaks for the tool, or only a filter and the words left over do."""
    free = left_over(profile.spec, choice.args, question)
    searched = {word for value in free for word in content_words(value)}
    own = {*content_words(profile.spec.name.replace("_", " ")), *content_words(profile.spec.description)}
    telling = [
        (word, {key for key, weight in term.items() if weight >= MEANT})
        for (word, _), term in zip(question.terms, among.terms(question), strict=True)
        if max(term.values(), default=0.0) > WEAK
    ]
    if free and not _SEARCHES.search(question.text):
        # What is searched for speaks for the tool only in the tool's own words: a ticket may be a case, or not.
        return not any(own & ({word} if word in searched else meant) for word, meant in telling)
    speaking = [word for word, meant in telling if profile.weights.keys() & meant]
    return not choice.args and len(telling) >= _MANY and len(speaking) <= 1


def _add_rows(args: dict[str, Json], profile: Profile, question: Question) -> None:
    """`Which three suppliers`, where the rows are suppliers."""
    limit = next((p for p in profile.parameters if p.kind == "integer" and not COUNTS.isdisjoint(p.nouns)), None)
    counted = rows_in(question.text)
    if limit is None or limit.name in args or counted is None or not _shows(profile, args, counted):
        return
    if (number := numeric(counted.found.text, limit)) is not None:
        args[limit.name] = number


def _shows(profile: Profile, args: dict[str, Json], counted: Counted) -> bool:
    said = [profile.spec.name, *(value for value in args.values() if isinstance(value, str))]
    rows = {stem(word) for name in said for word in name_words(name)}
    return any(
        weight >= MEANT and key in rows for _, term in read_terms(counted.things) for key, weight in term.items()
    )


def _add_days(args: dict[str, Json], profile: Profile, question: Question) -> None:
    """A length of time that is one of the tool's own periods."""
    period = next((p for p in profile.parameters if is_period(p.choices)), None)
    if period is not None and period.name not in args:
        names = [measure.name for measure in measures_in(question.text)]
        if named := next((name for name in names if name in period.choices), None):
            args[period.name] = named
