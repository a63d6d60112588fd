"""The general assistant's tools: arithmetic, units, time, notes and a list of things to do.

Owns the wording a model reads and the shape of the results. The work is done in the modules beside it.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from glassloop.core.ports import Clock
from glassloop.core.records import Json
from glassloop.extensions.general.conversion import convert
from glassloop.extensions.general.expression import evaluate
from glassloop.extensions.general.number import show
from glassloop.extensions.general.zones import Zones
from glassloop.runtime.tools import notes, todos
from glassloop.tools.tool import Tool, tool


def make_tools(home: Path, clock: Clock = time.time, redact: Callable[[str], str] | None = None) -> Sequence[Tool]:
    """All of them, keeping what they keep in `notes.db` in the home folder; nothing is written before it is needed."""
    kept = (*notes.make_tools(home, clock, redact), *todos.make_tools(home, redact))
    return (calculate, convert_units, _time_tool(clock), *kept)


_CALCULATED = {
    "en": ("{expression} is {result}, exactly {exact}.", "{expression} is {result}."),
    "zh": ("{expression} = {result}（精确值 {exact}）。", "{expression} = {result}。"),
}
_TIME = {
    "en": ("It is {time} on {weekday}, {date}, in {timezone} (UTC{utc_offset}).",),
    "zh": ("{timezone}（UTC{utc_offset}）现在是 {date} {time}。",),
}


@tool(effect="read", domain="general", integrity="trusted", confidentiality="public", sentences=_CALCULATED)
def calculate(expression: str) -> dict[str, Json]:
    """Work out an arithmetic expression exactly.

    Args:
        expression: Such as "15% of 230", "(3+4)^2", "sqrt(2)", "mean(1, 2, 6)". Angles in radians, or 30°.
    """
    shown = show(evaluate(expression))
    result: dict[str, Json] = {"expression": expression, "result": shown.value}
    if shown.exact:
        result["exact"] = shown.exact
    if shown.rounded:
        result["rounded"] = True
    return result


@tool(
    effect="read",
    domain="general",
    integrity="trusted",
    confidentiality="public",
    sentences={"en": ("{text}.",), "zh": ("{text}。",)},
)
def convert_units(value: float, from_unit: str, to_unit: str) -> dict[str, Json]:
    """Convert a value to another unit of measurement. No currencies.

    Args:
        value: The number to convert.
        from_unit: Its unit, such as "mile", "°F", "GB", "km/h", "square feet".
        to_unit: The unit wanted.
    """
    done = convert(value, from_unit, to_unit)
    sign = "≈" if done.value.rounded else "="
    return {
        "result": done.value.value,
        "unit": done.target.symbol,
        "text": f"{done.given.value} {done.source.symbol} {sign} {done.value.value} {done.target.symbol}",
        "from": done.source.name,
        "to": done.target.name,
    }


def _time_tool(clock: Clock) -> Tool:
    zones = Zones()

    @tool(
        effect="read",
        volatile=True,
        domain="general",
        integrity="trusted",
        confidentiality="public",
        sentences=_TIME,
    )
    def current_time(timezone: str = "UTC") -> dict[str, Json]:
        """The current time and date: what day it is today, in a time zone.

        Args:
            timezone: A time zone, city or offset: "Europe/Paris", "Tokyo", "+08:00" or "local".
        """
        return dict(zones.read(clock(), timezone))

    return current_time
