"""Remainder of a question once the words that only choose the tool are trimmed off its ends."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from glassloop.core.messages import ToolSpec
from glassloop.core.text_terms import SMALL_WORDS, content_words, stem, word_set
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import TextPiece
from glassloop.extensions.embedded.language.words import words

_EDGE = " \t\n.,;:!?\"'“”‘’`()[]。，；：！？、…-–—"
_FIRST = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_LAST = re.compile(r"(?<![^\W_])[^\W_]++(?:['’][^\W\d_]++)?$")
_COMMAND = word_set("please can could would will you that to me kindly hey hi hello let's and also just")
_OPENING = re.compile(r"^i(?:['’]d|\s+would)?\s+(?:want|need|like)\s+(?:you\s+)?to\s+", re.IGNORECASE)
_TAIL = word_set("please to my the on at for in into from as a of off now thanks")
_SEARCH = SMALL_WORDS | words("search")


def remainder(text: str, spec: ToolSpec, parameters: Sequence[ParameterHints], said: AbstractSet[str]) -> str:
    """The text without the words at its ends that name the tool, its parameters or its choices (`said`). It never cuts
    inside: what a person wants remembered or searched for stays as they wrote it."""
    reads = spec.effect == "read"
    stems = {stem(word) for name in (spec.name, *(p.name for p in parameters)) for word in name_words(name)} | said
    described = {*stems, *content_words(spec.description)}
    first, last, ends = (_SEARCH, _SEARCH, described) if reads else (_COMMAND, _TAIL, stems)
    text = _OPENING.sub("", " ".join(text.split()).strip(_EDGE), count=1)
    while (word := _FIRST.match(text)) and word.end() < len(text) and _droppable(word.group(), first, described):
        text = text[word.end() :].strip(_EDGE)
    while (word := _LAST.search(text, max(0, len(text) - 60))) and word.start():
        if not _droppable(word.group(), last, ends):
            break
        text = text[: word.start()].strip(_EDGE)
    says_something = content_words(text) or any(character.isdigit() for character in text)
    return text if says_something and not _droppable(text, first, described) else ""


def without(text: str, pieces: Sequence[TextPiece]) -> str:
    """The text with these pieces blanked, character by character, so that places in it stay."""
    for found in pieces:
        text = f"{text[: found.start]}{' ' * (found.end - found.start)}{text[found.end :]}"
    return text


def _droppable(word: str, small: frozenset[str], stems: set[str]) -> bool:
    word = word.lower().replace("’", "'")
    return word in small or stem(word.removesuffix("'s")) in stems
