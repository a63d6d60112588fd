"""Allowed values of a tool's parameters: those said or observed, for kinds of parameters that nobody can guess.

A tool that needs a value of which there is none cannot be called yet. Owns kinds whose source can be told for certain:
identifiers of a known shape, dates, numbers. Names and texts are free here; `decision_review` checks them afterwards.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.embedded.advice.known_values import KnownValues
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.phrases.single_values import shape
from glassloop.extensions.embedded.language.tool_scores import OfferedTools, ToolProfile

MAX_VALUES: Final = 40
_OR_NAMED: Final = re.compile(r"\b(?:names?|titles?|called)\b", re.IGNORECASE)
_ISO: Final = re.compile(r"yyyy-mm-dd|\biso\b|\d{4}-\d{2}-\d{2}", re.IGNORECASE)
_IDS: Final = frozenset({"id", "ids", "no", "number", "code", "sku", "nr"})
_FREE_STRINGS: Final = frozenset({"email", "uri", "url"})


class CallableTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool now: the only `values` some parameters may have, and what it `lacks`."""

    values: Mapping[str, tuple[Json, ...]]
    lacks: tuple[ParameterHints, ...] = ()


def callable_tools(profile: ToolProfile, said: KnownValues, among: OfferedTools) -> CallableTool:
    """What can be said of a tool's parameters from what was said."""
    values: dict[str, tuple[Json, ...]] = {}
    lacks: list[ParameterHints] = []
    for parameter in profile.parameters:
        known = _known(parameter, said, among, profile)
        if known is None:
            continue
        if known:
            values[parameter.name] = tuple(known[:MAX_VALUES])
        elif parameter.required:
            lacks.append(parameter)
        elif parameter.kind == "identifier":
            values[parameter.name] = ()
    return CallableTool(values=values, lacks=tuple(lacks))


def _known(
    parameter: ParameterHints, said: KnownValues, among: OfferedTools, profile: ToolProfile
) -> Sequence[Json] | None:
    """The values there are; None where any may be right."""
    match parameter.kind:
        case "identifier":
            return _identifiers(parameter, said, among)
        case "date":
            return _days(parameter, said)
        case "integer" | "number":
            converts = any(each.kind in ("source unit", "target unit") for each in profile.parameters)
            return _numbers(parameter, said) if not converts else None
        case _:
            return None


def _identifiers(parameter: ParameterHints, said: KnownValues, among: OfferedTools) -> Sequence[Json] | None:
    free = parameter.schema.get("format") in _FREE_STRINGS or not _FREE_STRINGS.isdisjoint(name_words(parameter.name))
    if free or parameter.schema.get("type") != "string" or _OR_NAMED.search(parameter.description):
        return None
    shapes = parameter.shapes - {""}
    if not shapes:
        loose = said.identifiers or said.numbers or said.question.quoted
        return None if loose or _IDS.isdisjoint(name_words(parameter.name)) else ()
    found = [_as_shown(each, parameter) for each in said.identifiers if parameter.is_shaped(shape(each))]
    if "" in parameter.shapes:
        found += [each for each in said.numbers if len(each) >= parameter.digits]
    return list(
        dict.fromkeys(found or _completed(parameter, said, shapes, among) or _unclaimed(parameter, said, among))
    )


def _unclaimed(parameter: ParameterHints, said: KnownValues, among: OfferedTools) -> list[str]:
    """What the question names and no tool's examples begin with: it may be meant where it is built like those."""
    named = [found.text for found in said.question.identifiers if shape(found.text) not in among.claims]
    return [each for each in named if is_built_alike(shape(each), parameter)]


def is_built_alike(prefix: str, parameter: ParameterHints) -> bool:
    """Whether it has as many letters as an example, and the same sign after them: `AP-3` is like `XY-1`."""
    built = re.sub(r"[^\W\d_]", "a", prefix)
    return (
        bool(built) and not built.isalpha() and any(re.sub(r"[^\W\d_]", "a", own) == built for own in parameter.shapes)
    )


def _as_shown(identifier: str, parameter: ParameterHints) -> str:
    """As the tool's own examples are written: `job-54` is meant as `JOB-54`."""
    prefix = shape(identifier)
    examples = f"{parameter.description} {parameter.schema.get('examples')}"
    return prefix + identifier[len(prefix) :] if prefix in examples else identifier


def _completed(parameter: ParameterHints, said: KnownValues, shapes: frozenset[str], among: OfferedTools) -> list[str]:
    """`order 4711` is `ORD-4711` where orders are numbered so: a number beside the parameter's own word."""
    text = said.question.text.casefold()
    nouns = {noun for noun in parameter.nouns if len(noun) > 2}
    beside = [
        found.text
        for found in said.question.numbers
        if found.text.isdecimal() and any(noun in text[max(0, found.start - 24) : found.start] for noun in nouns)
    ]
    own = [prefix for prefix in shapes if among.claims.get(prefix, frozenset()) & parameter.nouns]
    return [prefix + number for prefix in own[:1] for number in beside]


def _days(parameter: ParameterHints, said: KnownValues) -> Sequence[Json] | None:
    if not said.speaks_of_days:
        return () if parameter.required else None
    written = parameter.schema.get("format") == "date" or _ISO.search(parameter.description)
    if not written or not said.question.dates or said.question.spoken_dates or said.question.periods:
        return None
    return said.days


def _numbers(parameter: ParameterHints, said: KnownValues) -> Sequence[Json] | None:
    """Any number may follow from another: only where there is none at all, none can be given."""
    if said.counts or not parameter.required or "default" in parameter.schema:
        return None
    return ()
