"""A step of arithmetic that goes on from the sum before it: `and times 5?` after `What is 3 + 4?`.

Owns putting the two together as one question. Without a sum before it there is nothing to go on from.
"""

import re

from glassloop.models.reflex.choosing import Before
from glassloop.models.reflex.question import Question

LONGEST_STEP = 300

_STEP = re.compile(
    r"^(?:(?:and|then|now|und|dann|so|okay|ok|what\s+is|what\s+about|how\s+about)[,\s]++|那么|那|然后|再|接着|[，,]){0,4}"
    r"(?:(?:that|it|this|das)\s+|它|这个?)?"
    r"(?P<step>(?:plus|minus|times|multiplied\s+by|divided\s+by|mal|geteilt\s+durch|[-+*/^×÷−]|乘以?|除以|加上?|减去?)"
    r"\s*+\d[\d,]{0,29}(?:\.\d{1,29})?\s*+%?)\s*+(?:是多少|等于多少|呢)?\s*+[?？.!。]*+$",
    re.IGNORECASE,
)
_SIGNS = (
    (re.compile(r"^(?:times|multiplied\s+by|mal|乘以?)", re.IGNORECASE), "*"),
    (re.compile(r"^(?:divided\s+by|geteilt\s+durch|除以)", re.IGNORECASE), "/"),
    (re.compile(r"^(?:plus|加上?)", re.IGNORECASE), "+"),
    (re.compile(r"^(?:minus|减去?)", re.IGNORECASE), "-"),
)
"""As signs, since `times` speaks for a clock."""


def carried(asked: str, before: Before) -> str | None:
    """The whole sum for a step, None where there is no sum before it; any other question as it is. What was asked back
    for may be a number below zero."""
    step = "" if before.asked_back else _step_in(asked)
    if not step:
        return asked
    summed = _sum_of(before.questions)
    return f"({summed}) {step}" if summed else None


def _step_in(text: str) -> str:
    """The step, if that is all there is; else nothing."""
    text = text.strip()
    match = _STEP.match(text) if len(text) <= LONGEST_STEP else None
    step = match["step"].strip() if match else ""
    for spoken, sign in _SIGNS:
        step = spoken.sub(sign, step)
    return step


def _sum_of(questions: tuple[str, ...]) -> str | None:
    if not questions:
        return None
    *earlier, last = questions
    if step := _step_in(last):
        summed = _sum_of(tuple(earlier))
        return f"({summed}) {step}" if summed else None
    return Question(last).arithmetic
