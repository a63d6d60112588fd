"""Nouns a question asks for, and the words of it that the observations leave open.

Owns the words of asking: `how deep` wants a depth, `whose` an owner. `next_call` finds the tool that could tell it.
"""

import re
from collections.abc import Sequence
from typing import Final

from glassloop.core.text_terms import SMALL_WORDS, content_words, stem, word_set
from glassloop.extensions.embedded.advice.observed_facts import ObservedFact
from glassloop.extensions.embedded.language.lexicon import Term
from glassloop.extensions.embedded.language.parameters import name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.terms import WEAK_WORDS
from glassloop.extensions.embedded.language.tool_scores import MEANT, OfferedTools, ToolProfile

_ASPECTS: Final = (
    (r"\blong\b|\blonger|longest|shorter|shortest", "length duration hours minutes takes"),
    (r"\bdeep\b|deeper|deepest|shallow", "depth draught"),
    (r"how\s+(?:big|large)\b|bigger|biggest|larger|largest|smaller|smallest", "size area capacity hectares acres"),
    (r"how\s+(?:tall|high)\b|taller|tallest|higher|highest", "height altitude level"),
    (r"\bwide\b|wider|widest", "width"),
    (r"\bheavy\b|heavier|heaviest|\bweighs?\b", "weight mass kg"),
    (r"how\s+old\b|older|oldest|younger|youngest", "age born birth year built"),
    (r"how\s+far\b", "distance progress state"),
    (r"how\s+fast\b|faster|fastest", "speed pace"),
    (r"how\s+(?:warm|cold|hot)\b|warmer|colder|hotter", "temperature celsius fahrenheit degrees"),
    (r"\bwhose\b|\bwho\s+owns?\b|\bbelongs?\b", "owner holder"),
    (r"\bwho\s+(?:runs?|leads?|heads?|organi[sz]es?|manages?)\b", "organiser organizer manager lead head"),
    (r"\bcosts?\b|\bprices?\b|\bpay\b|\bexpensive\b|\bcheap\w*\b", "price cost fee rate amount euros"),
    (r"\bhow\s+much\s+(?:is|are|was|do|does)\b|\bcome\s+to\b", "price cost amount total sum euros"),
    (r"\bin\s+stock\b|\bleft\b|\bavailable\b", "stock left available quantity remaining inventory"),
    (r"(?:^|[,;.?]\s*|\band\s+|\btell me\s+)(?:by\s+)?when\b|\bwhat\s+time\b", "@when date time day ready due valid"),
    (r"\b(?:reach|ring\s+up|phone)\b", "phone mobile telephone contact"),
)
_PATTERNS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(map(stem, word_set(words)))) for pattern, words in _ASPECTS
)
WHEN: Final = "@when"
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}|(?<!\d)\d{1,2}:\d{2}(?!\d)")
_ASKS_WHICH: Final = re.compile(
    r"(?<!phone )(?<!mobile )\b(?:number|id|identifier|code|sku|registration|reference|nummer|kennung)\b|编号|号码",
    re.IGNORECASE,
)
_WHICH: Final = re.compile(r"\b(?:which|what)\s+(?:kind\s+of\s+|sort\s+of\s+)?([^\W\d_]{3,})", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\bhow\s+many\s+([^\W\d_]{3,})", re.IGNORECASE)
_FRAME: Final = frozenset(
    map(
        stem,
        word_set(
            "please find look tell show give get want need know check list say speak mention ask thing way place one "
            "also still much many long more most less least first last each both all together today now have has had "
            "make made go going come take like be is are do does did"
        ),
    )
)

_SAYS_LITTLE: Final = _FRAME | WEAK_WORDS | SMALL_WORDS


def aspects(question: ParsedQuestion) -> Sequence[frozenset[str]]:
    """Words for each thing that is asked, which the question need not say itself."""
    return [words for pattern, words in _PATTERNS if pattern.search(question.text)]


def asked_nouns(question: ParsedQuestion) -> frozenset[str]:
    """What the answer is to be: `in which town` asks for a town and names none."""
    return frozenset(stem(match[1].lower()) for match in _WHICH.finditer(question.text))


def counted_nouns(question: ParsedQuestion) -> frozenset[str]:
    """Of what the question asks how many there are."""
    return frozenset(stem(match[1].lower()) for match in _COUNTED.finditer(question.text))


def asks_which(question: ParsedQuestion) -> bool:
    """Whether an identifier itself is asked for."""
    return _ASKS_WHICH.search(question.text) is not None


def open_terms(
    question: ParsedQuestion, among: OfferedTools, facts: Sequence[ObservedFact], said: Sequence[str]
) -> Sequence[tuple[str, Term]]:
    """Words of the question that the tools know, and that name neither what was looked up with (`said`) nor anything
    that was observed."""
    used = {stem(word) for value in said for word in re.findall(r"[^\W\d_]+", value.casefold())}
    known = told_by(facts, question)
    asking = {part for pattern, _ in _PATTERNS for match in pattern.finditer(question.text) for part in _parts(match)}
    found: list[tuple[str, Term]] = []
    for (word, _), term in zip(question.terms, among.terms(question), strict=True):
        meant = {key for key, weight in term.items() if weight >= MEANT} | {word}
        if word in used or word.split("_")[-1] in asking or word in _SAYS_LITTLE:
            continue
        if known.isdisjoint(meant_by(word, term, among)) and not among.words.isdisjoint(meant):
            found.append((word, term))
    return found


def meant_by(word: str, term: Term, among: OfferedTools) -> frozenset[str]:
    """What tells it. A tool's own word is told by itself alone: something like it, of another tool, is no answer."""
    if word in among.words:
        return frozenset({word})
    return frozenset({word, *(key for key, weight in term.items() if weight >= MEANT)})


def _parts(match: re.Match[str]) -> set[str]:
    words = re.findall(r"[^\W\d_]+", match.group().lower())
    return {*words, *map(stem, words)}


def told_by(facts: Sequence[ObservedFact], question: ParsedQuestion) -> frozenset[str]:
    """What the observations speak of: the words of their keys, and those of their texts. An identifier tells which
    thing it is and nothing about it, unless just that was asked."""
    words: set[str] = set()
    which = asked_nouns(question)
    for fact in facts:
        own = {stem(word) for key in fact.keys for word in name_words(key)}
        words |= own & which if fact.names and not asks_which(question) else own
        if isinstance(fact.value, str):
            words |= set(content_words(fact.value))
            words |= {WHEN} if _MOMENT.search(fact.value) else set()
    return frozenset(words)


def described(profile: ToolProfile) -> frozenset[str]:
    """The words a tool is described with."""
    return frozenset(content_words(f"{profile.spec.name.replace('_', ' ')} {profile.spec.description}"))
