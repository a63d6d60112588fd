"""Meetings, holidays, weather, trips, clocks, conversions, loans and counts of the office.

The data never changes, and effects change nothing.
"""

from datetime import date
from pathlib import Path
from typing import Literal

import msgspec

from glassloop import ToolError, tool

Unit = Literal["m", "km", "mile", "foot", "inch", "kg", "pound", "ounce", "liter", "gallon", "celsius", "fahrenheit"]
Currency = Literal["EUR", "USD", "GBP", "CNY", "CHF", "JPY"]
Record = dict[str, object]


class _Data(msgspec.Struct):
    """What the tools answer from."""

    meetings: dict[str, list[Record]]
    holidays: dict[str, dict[str, str]]
    weather: dict[str, dict[str, tuple[str, int, int]]]
    minutes: list[tuple[str, str, dict[str, int]]]
    offsets: dict[str, int]
    factors: dict[str, tuple[str, float]]
    per_euro: dict[str, float]


DATA = msgspec.json.decode(Path(__file__).with_name("data.json").read_bytes(), type=_Data)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"{text!r} is not a date: write it as YYYY-MM-DD.") from None


@tool(effect="read")
async def list_meetings(day: str) -> Record:
    """The meetings of one day, with time, title and people.

    Args:
        day: The day as YYYY-MM-DD.
    """
    found = DATA.meetings.get(_day(day).isoformat(), [])
    return {"day": _day(day).isoformat(), "count": len(found), "meetings": found}


@tool(effect="write", idempotent=True)
async def schedule_meeting(title: str, day: str, time: str) -> Record:
    """Put a new meeting into the calendar.

    Args:
        title: What the meeting is about.
        day: The day as YYYY-MM-DD.
        time: When it begins, as HH:MM.
    """
    return {"meeting": "M-77", "title": title, "day": _day(day).isoformat(), "time": time}


@tool(effect="read")
async def list_public_holidays(country: Literal["Germany", "Spain", "China", "Italy"]) -> dict[str, str]:
    """Public holidays of a country from April to June 2026.

    Args:
        country: The country's English name.
    """
    return DATA.holidays[country]


@tool(effect="read")
async def days_between(start: str, end: str) -> Record:
    """How many days lie between two dates, and how many of them are working days (Monday to Friday).

    Args:
        start: The first date as YYYY-MM-DD.
        end: The second date as YYYY-MM-DD.
    """
    first, last = sorted((_day(start), _day(end)))
    days = (last - first).days
    weeks, rest = divmod(days, 7)
    working = 5 * weeks + sum((first.weekday() + offset) % 7 < 5 for offset in range(rest))
    return {"start": first.isoformat(), "end": last.isoformat(), "days": days, "working_days": working}


def _named(city: str, among: Record) -> str:
    found = next((name for name in among if name.casefold() == city.strip().casefold()), None)
    if found is None:
        raise ToolError(f"Nothing is known of the city {city!r}: there are {', '.join(among)}.")
    return found


@tool(effect="read")
async def get_weather(city: str, day: str) -> Record:
    """The weather forecast for a city on a day: sky, lowest and highest temperature.

    Args:
        city: The city's English name.
        day: The day as YYYY-MM-DD.
    """
    days = DATA.weather[_named(city, dict(DATA.weather))]
    if day.strip() not in days:
        raise ToolError(f"There is no forecast for {day!r}: there are {', '.join(days)}.")
    sky, low, high = days[day.strip()]
    return {"city": _named(city, dict(DATA.weather)), "day": day.strip(), "sky": sky, "low_c": low, "high_c": high}


@tool(effect="read")
async def get_travel_time(origin: str, destination: str, mode: Literal["train", "car", "plane"] = "train") -> Record:
    """How long a trip between two cities takes.

    Args:
        origin: Where the trip starts.
        destination: Where it ends.
        mode: How to travel.
    """
    pair = {origin.strip().casefold(), destination.strip().casefold()}
    for first, second, ways in DATA.minutes:
        if {first.casefold(), second.casefold()} == pair:
            if mode not in ways:
                raise ToolError(f"No {mode} goes there: there is {', '.join(ways)}.")
            return {"from": origin.strip(), "to": destination.strip(), "mode": mode, "minutes": ways[mode]}
    raise ToolError(f"No trip from {origin!r} to {destination!r} is known.")


@tool(effect="read")
async def get_time_difference(first_city: str, second_city: str) -> Record:
    """By how many hours the clocks of two cities differ, in winter.

    Args:
        first_city: One city's English name.
        second_city: The other's.
    """
    first, second = _named(first_city, dict(DATA.offsets)), _named(second_city, dict(DATA.offsets))
    return {
        "first": first,
        "second": second,
        "second_is_ahead_by_hours": DATA.offsets[second] - DATA.offsets[first],
    }


@tool(effect="read")
async def convert_units(value: float, from_unit: Unit, to_unit: Unit) -> Record:
    """Convert a length, weight, volume or temperature into another unit.

    Args:
        value: How much.
        from_unit: The unit it is given in.
        to_unit: The unit wanted.
    """
    if {from_unit, to_unit} == {"celsius", "fahrenheit"}:
        made = value * 9 / 5 + 32 if from_unit == "celsius" else (value - 32) * 5 / 9
    elif from_unit == to_unit:
        made = value
    else:
        kind, factor = DATA.factors.get(from_unit, ("temperature", 1.0))
        other, divisor = DATA.factors.get(to_unit, ("temperature", 1.0))
        if kind != other:
            raise ToolError(f"A {kind} in {from_unit} cannot be told in {to_unit}: choose units of one kind.")
        made = value * factor / divisor
    return {"value": value, "from": from_unit, "result": round(made, 4), "to": to_unit}


@tool(effect="read")
async def convert_currency(amount: float, source: Currency, target: Currency) -> Record:
    """Convert an amount of money at the office's fixed rates.

    Args:
        amount: How much money.
        source: The currency it is in.
        target: The currency wanted.
    """
    made = amount / DATA.per_euro[source] * DATA.per_euro[target]
    return {"amount": amount, "source": source, "result": round(made, 2), "target": target}


@tool(effect="read")
async def loan_payment(principal: float, yearly_rate_percent: float, years: int) -> Record:
    """The monthly rate of a loan that is paid back in equal parts.

    Args:
        principal: The sum that is borrowed.
        yearly_rate_percent: Interest a year in percent.
        years: How long it runs.
    """
    if not (principal > 0 and 0 <= yearly_rate_percent <= 100 and 1 <= years <= 60):
        raise ToolError("A loan needs a positive sum, 0 to 100 percent and 1 to 60 years.")
    months, monthly = years * 12, yearly_rate_percent / 1200
    rate = principal / months if monthly == 0 else principal * monthly / (1 - (1 + monthly) ** -months)
    return {"monthly": round(rate, 2), "months": months, "paid_in_all": round(rate * months, 2)}


@tool(effect="read")
async def count_text(text: str) -> dict[str, int]:
    """Words, characters and sentences of a text.

    Args:
        text: The text itself.
    """
    return {
        "words": len(text.split()),
        "characters": len(text),
        "sentences": sum(text.count(mark) for mark in ".!?") or 1,
    }
