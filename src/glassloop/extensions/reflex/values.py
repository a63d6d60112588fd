"""Sums and conversions: questions that have one form as a whole, read as the arguments of a tool of that kind."""

import re
from typing import Final

from glassloop.core.records import Json
from glassloop.extensions.reflex.tool import MatchedParameter, ToolWords
from glassloop.extensions.reflex.words import HARD, UNITS, norm

_ASKING = r"(?:please )?(?:what is|what's|what are|calculate|compute|work out|evaluate|how much (?:is|are))?"
_SUM: Final = re.compile(
    rf"^ ?{_ASKING} ?(?P<sum>[\d(√-][\d\s.,()+*/^×÷√%!-]*+|"
    r"(?:sqrt|mean|abs|log|exp|sin|cos|tan|min|max)\([\d\s.,+*/^-]{1,200}\))"
    r" ?(?:=|等于多少|等于几|是多少|得多少)? ?[?？.。]{0,3} ?$",
    re.IGNORECASE,
)
_SPOKEN: Final = (
    (re.compile(r"(?<=\d) ?% ?of (?=[\d(])", re.IGNORECASE), "% * "),
    (re.compile(r"(?<=[\d)%]) ?(?:multiplied by|times|乘以|乘) ?(?=[\d(-])", re.IGNORECASE), " * "),
    (re.compile(r"(?<=[\d)%]) ?(?:divided by|除以) ?(?=[\d(-])", re.IGNORECASE), " / "),
    (re.compile(r"(?<=[\d)%]) ?(?:plus|加上|加) ?(?=[\d(-])", re.IGNORECASE), " + "),
    (re.compile(r"(?<=[\d)%]) ?(?:minus|减去|减) ?(?=[\d(-])", re.IGNORECASE), " - "),
    (re.compile(r"(?<=[\d)]) squared\b", re.IGNORECASE), "^2"),
    (re.compile(r"(?<=[\d)]) to the power of (?=\d)", re.IGNORECASE), "^"),
    (re.compile(r"\b(?:the )?square root of (\d[\d.,]*)", re.IGNORECASE), r"sqrt(\1)"),
)
_OPERATES: Final = re.compile(r"[+*/^×÷√]|\d ?-|\) ?-|% ?\*|[a-z]\(", re.IGNORECASE)
_PERCENT_OF: Final = re.compile(r"^(.+?)% \* (.+)$")
_NUMBER = r"(?P<value>-?\d[\d,]{0,29}(?:\.\d{1,20})?)"
_UNIT = r"[^\d\s?？.,，][^\d?？.,，]{0,30}?"
_CONVERSIONS: Final = (
    re.compile(
        rf"^ ?(?:please )?(?:convert|turn|what is|what's|what are|how much (?:is|are)) {_NUMBER} ?(?P<source>{_UNIT})"
        rf" (?:to|in|into|as) (?P<target>{_UNIT}) ?[?.]{{0,3}} ?$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^ ?how many (?P<target>{_UNIT}) (?:are|is|make|are there in|is there in) {_NUMBER} ?(?P<source>{_UNIT})"
        r" ?[?.]{0,3} ?$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^ ?(?:请|帮我)?[把将]? ?{_NUMBER} ?(?P<source>{_UNIT}) ?(?:换算成|转换成|换算为|等于多少|是多少|合多少) ?"
        rf"(?P<target>{_UNIT}) ?[?？。]{{0,3}} ?$"
    ),
)
_MAX_UNIT_WORDS: Final = 3
_IN_ROUND = re.compile(r"[（(]([^()（）]{1,20})[)）]")


def sum_in(text: str) -> str | None:
    """The arithmetic expression that the whole question is, as it is worked out; None where it is not one."""
    for spoken, sign in _SPOKEN:
        text = spoken.sub(sign, text)
    found = _SUM.match(text)
    said = found["sum"].strip() if found else ""
    if not said or not _OPERATES.search(said):
        return None
    percent = _PERCENT_OF.match(said)
    return f"{percent[1]}% of {percent[2]}" if percent else said


def conversion_in(text: str) -> tuple[float, str, str] | None:
    """The conversion that the whole question is: so many of one unit, in another; None where it is not one."""
    found = next(filter(None, (form.match(text) for form in _CONVERSIONS)), None)
    return found and (float(found["value"].replace(",", "")), found["source"].strip(), found["target"].strip())


def converted(tool: ToolWords, conversion: tuple[float, str, str]) -> dict[str, Json] | None:
    """The arguments of a tool that takes a number and two units, from one to the other; None where it does not."""
    needed = tool.required
    numbers = [parameter for parameter in needed if parameter.kind == "number"]
    sources = [p for p in needed if p.role == "source" and p.kind in ("text", "choice")]
    targets = [p for p in needed if p.role == "target" and p.kind in ("text", "choice")]
    if len(needed) != 3 or not (len(numbers) == len(sources) == len(targets) == 1):
        return None
    said, source, target = conversion[0], _unit(sources[0], conversion[1]), _unit(targets[0], conversion[2])
    if source is None or target is None:
        return None
    return {numbers[0].name: int(said) if said.is_integer() else said, sources[0].name: source, targets[0].name: target}


def _unit(parameter: MatchedParameter, said: str) -> str | None:
    """The unit as the tool takes it."""
    words = said.lower().split()
    if len(words) > _MAX_UNIT_WORDS or not HARD.isdisjoint(words):
        return None
    if parameter.kind == "text":
        return said
    inside = _IN_ROUND.search(said)
    for one in (said, inside[1] if inside else said):
        plain = _compared(one)
        known = {_compared(str(value)): str(value) for value in parameter.values}
        if found := known.get(plain) or known.get(_compared(_UNITS.get(plain, ""))):
            return found
    return None


def _compared(unit: str) -> str:
    return " ".join(norm(word) for word in unit.split())


_UNITS: Final = {_compared(said): unit for said, unit in UNITS.items()}
