"""Invented figures of an answer: not observed, not said, and not computed from two that were.

The evidence check, the same that every answer gets, says where a figure stands.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import permutations
from typing import Final

from glassloop.core.evidence import QUICK_CHARS
from glassloop.core.messages import Message, ToolMessage
from glassloop.extensions.embedded.advice.known_values import MAX_CHARS, MAX_MESSAGES, KnownValues

_SMALL: Final = 12
"""Whole numbers up to here are too often only counted."""

_MAX_NUMBERS: Final = 40
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d{1,9}(?:,\d{3})*(?:\.\d{1,6})?(?![\w-])")
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


def invented_figures(answer: str, said: KnownValues, messages: Sequence[Message], known: Collection[str]) -> str | None:
    """The first figure of the answer that has no source; None where all have one."""
    seen = [message for message in messages[-MAX_MESSAGES:] if isinstance(message, ToolMessage)]
    told = "\n".join(said.texts)
    if len(told) + len(answer) > QUICK_CHARS:
        # Long enough to hold up other turns; and with half of it read, the other half would seem made up.
        return None
    # Also where nothing was observed, so that the model calls a tool. Compiling the shapes of figures takes long.
    from glassloop.core.evidence.figure_links import link_figures
    from glassloop.core.evidence.source_texts import SourceText

    sources = [SourceText(source="question", origin="question", text=told)]
    sources += [
        SourceText(source=message.call_id, origin="call", text=message.content[:MAX_CHARS])
        for message in seen
        if not message.is_error
    ]
    evidence = link_figures(answer, sources, known, always=True)
    loose = [figure for figure in evidence.unsupported if figure.kind in ("number", "date", "identifier")]
    for figure in loose:
        match = _DIGITS.search(figure.text)
        value = float(match.group().replace(",", "")) if match else None
        if figure.kind != "number" or value is None:
            return figure.text
        small = value <= _SMALL and value.is_integer()
        if not small and not _follows(value, _places(match.group() if match else ""), told):
            return figure.text
    return None


def _follows(value: float, places: int, told: str) -> bool:
    """Whether two of the figures that were told make it: their sum, difference, product, quotient or share."""
    numbers = [float(match.group().replace(",", "")) for match in _NUMBER.finditer(told)][:_MAX_NUMBERS]
    slack = max(0.5 * 10**-places, abs(value) * 1e-3)
    return any(abs(made - value) <= slack for a, b in permutations(numbers, 2) for made in _made(a, b))


def _made(a: float, b: float) -> Iterator[float]:
    yield a + b
    yield a - b
    yield a * b
    yield a * b / 100
    if b:
        yield a / b
        yield a / b * 100


def _places(text: str) -> int:
    return len(text.partition(".")[2])
