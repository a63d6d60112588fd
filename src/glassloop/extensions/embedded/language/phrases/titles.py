"""Titles of appointments: what was quoted, what it is said to be about, else what is left of the order."""

import re
from collections.abc import Sequence

from glassloop.core.text_terms import has_cjk
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.phrases.time_expressions import without
from glassloop.extensions.embedded.language.question import ParsedQuestion, TextPiece, without_end

MAX_TITLE = 120

_TITLES = frozenset({"title", "subject", "summary", "topic"})
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|to\s+(?:discuss|review|plan)|titled|called|on\s+the\s+(?:topic|subject)\s+of)\s+(.+)"
    r"|(?:关于|讨论|主题(?:是|为)?[:：]?)\s*([^，,。；;的]+)",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"(?<!\s)\s++\b(?:with|for\s+me|please|mit)\b.*|(?:[，,。;；]\s*+|(?<!\s)\s++)?(?:参加者|参会人|时长).*",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:(?:please|can\s+you|could\s+you|i\s+(?:want|need)\s+to|i['’]d\s+like\s+to)\s+)*"
    r"(?:set\s+up|book|arrange|plan|organi[sz]e|schedule|create|make|add)\s+(?:an?\s+|the\s+|my\s+)?"
    r"|^(?:请|帮我|给我|替我|我要|我想|安排|预约|预定|定|一个|一场|[，,\s]|的)+",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:\s(?:for\sme|please|on|at|for|from|to)|[\s.,;:!?？。，！]{1,20})$", re.IGNORECASE)


def is_title(parameter: ParameterHints, parameters: Sequence[ParameterHints]) -> bool:
    """Whether it names something that begins at a moment."""
    named = not _TITLES.isdisjoint(name_words(parameter.name))
    return named and any(each.kind == "moment" for each in parameters)


def title_in(question: ParsedQuestion, taken: Sequence[TextPiece]) -> str | None:
    """`taken` says when and how long it is: no part of what it is called."""
    if question.quoted:
        return question.quoted[0].text[:MAX_TITLE]
    text = " ".join(without(question.text, taken).split())
    if about := _ABOUT.search(text):
        title = _COMPANY.sub("", about[1] or about[2])
    else:
        title = _ORDER.sub("", text, count=1)
        title = _COMPANY.sub("", title) if has_cjk(title) else title
    title = without_end(title, _TAIL).strip()
    return f"{title[0].upper()}{title[1:]}"[:MAX_TITLE] if title else None
