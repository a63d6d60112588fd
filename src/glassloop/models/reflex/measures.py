"""Lengths of time that limit or measure what is asked for: `in the next 30 days`, `by how many days`, 未来30天.

Owns finding them, so that their words neither choose a tool nor are searched for. A period with a name of its own
(`last month`) is no measure; whether a tool can take one is told by its arguments.
"""

import re
from collections.abc import Sequence

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.models.reflex.choosing import Choice
from glassloop.models.reflex.matching import offer
from glassloop.models.reflex.parameters import Parameter
from glassloop.models.reflex.question import Found, Question
from glassloop.models.reflex.spans import is_period
from glassloop.models.reflex.when import without

_UNIT = (
    r"(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?"
    r"|tage?n?|wochen?|monate?n?|jahre?n?|stunden?)"
)
_COUNT = (
    r"(?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty|sixty|ninety|few|couple\s+of"
    r"|ein(?:en|em|er|e)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)"
)
_COUNT_CHINESE = r"(?:\d{1,4}|[一二两三四五六七八九十半]{1,3})"
_UNIT_CHINESE = r"(?:天|周|星期|个?月|年|小时)"
_BOUND = re.compile(
    rf"(?:\b(?:with)?in\s+|\bover\s+|\bduring\s+|\bfor\s+)?(?:the\s+)?\b(?P<ahead>next|coming|following)\s+"
    rf"(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})\b"
    rf"|\b(?:for\s+)?(?:older|newer|longer|more|less|later|earlier|younger)\s+than\s+{_COUNT}\s+{_UNIT}\b"
    r"(?:\s+(?:ago|old|late|overdue)\b)?"
    rf"|\bin\s+den\s+nächsten\s+{_COUNT}\s+{_UNIT}\b|\b(?:älter|länger|jünger|seit\s+mehr)\s+als\s+{_COUNT}\s+{_UNIT}\b"
    rf"|未来\s*(?P<count_zh>{_COUNT_CHINESE})\s*(?P<unit_zh>{_UNIT_CHINESE})(?:之?内|以内)?|(?:超过|早于|晚于)\s*{_COUNT_CHINESE}\s*{_UNIT_CHINESE}",
    re.IGNORECASE,
)
_BY_HOW_MUCH = re.compile(
    rf"\b(?:by|um)\s+(?:how\s+many|how\s+much|wie\s*viele?)(?:\s+(?P<unit>{_UNIT}))?\b"
    r"|(?:(?<=逾期)|(?<=逾期了)|(?<=晚了)|(?<=迟了)|(?<=超期))(?:多少|几)(?P<days>[天周])",
    re.IGNORECASE,
)
_CHINESE_UNITS = {"天": "days", "周": "weeks"}
_TAKES = frozenset({"integer", "number", "date", "period", "moment", "time"})


class Measure(msgspec.Struct, frozen=True):
    """Where it stands; `name` is what tools call such a period; `unit` what an answer to `by how many` must show."""

    found: Found
    name: str = ""
    unit: str = ""


def measures_in(text: str) -> list[Measure]:
    """In the order they are said; the unit of one that only limits is not told."""
    found: list[Measure] = []
    for match in _BOUND.finditer(text):
        name = f"next_{match['count']}_{match['unit']}".lower() if match["ahead"] else ""
        name = f"next_{match['count_zh']}_days" if match["unit_zh"] == "天" else name
        found.append(Measure(Found(match.group(), match.start(), match.end()), name))
    for match in _BY_HOW_MUCH.finditer(text):
        unit = _CHINESE_UNITS.get(match["days"], match["unit"] or "").lower()
        found.append(Measure(Found(match.group(), match.start(), match.end()), unit=unit or "-"))
    return sorted(found, key=lambda measure: measure.found.start)


def without_measures(tools: Sequence[ToolSpec], question: Question, choice: Choice) -> Question:
    """The question to choose by: without its measures, unless an argument of the chosen tool takes one, or free text
    that the tool needs should hold it."""
    measures = measures_in(question.text)
    if not measures:
        return question
    among = offer(tools)
    profile = next(profile for profile in among.profiles if profile.spec.name == choice.tool)
    plain = Question(without(question.text, [measure.found for measure in measures]))
    left = among.fill(profile, plain).args
    lost = [p for p in profile.parameters if p.name in choice.args and left.get(p.name) != choice.args[p.name]]
    if profile.spec.effect != "read" or any(map(_takes, lost)):
        return question
    return plain if lost or any(measure.unit for measure in measures) else question


def _takes(parameter: Parameter) -> bool:
    return parameter.kind in _TAKES or is_period(parameter.choices) or (parameter.kind == "text" and parameter.required)
