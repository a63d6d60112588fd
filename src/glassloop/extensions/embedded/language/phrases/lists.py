"""Values for a parameter that takes several: choices, numbers, people, or the parts of what is left of the question."""

import re
from collections.abc import Callable
from typing import cast

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.extensions.embedded.language.parameters import ParameterHints, of_people, resolve
from glassloop.extensions.embedded.language.phrases.names import people_in
from glassloop.extensions.embedded.language.phrases.single_values import said_at, to_number
from glassloop.extensions.embedded.language.phrases.time_expressions import without
from glassloop.extensions.embedded.language.question import ParsedQuestion

MAX_ITEMS = 20


def items_in(
    spec: ToolSpec, parameter: ParameterHints, question: ParsedQuestion, left: Callable[[], str]
) -> list[Json] | None:
    """What the question names of them; `left` is what remains of it where it names nothing that could be told apart."""
    items = resolve(spec.parameters, parameter.schema.get("items"))
    choices = items.get("enum")
    found: list[Json]
    if isinstance(choices, list):
        found = [choice for choice in cast("list[Json]", choices) if said_at(question.text, str(choice)) >= 0]
    elif items.get("type") in ("number", "integer"):
        numbers = [to_number(each.text, whole=items.get("type") == "integer") for each in question.numbers]
        found = [number for number in numbers if number is not None]
    elif items.get("type") != "string":
        found = []
    elif of_people(parameter):
        addresses = [each.text for each in question.identifiers if "@" in each.text]
        found = [*addresses, *people_in(without(question.plain, question.spoken_dates))]
    elif pieces := question.quoted or question.identifiers:
        found = [piece.text for piece in pieces]
    else:
        found = [part for part in re.split(r"(?:(?<!\s)\s++)?(?:,|;|、|，|\band\b|和|与)\s*+", left()) if part]
    return found[:MAX_ITEMS] or None
