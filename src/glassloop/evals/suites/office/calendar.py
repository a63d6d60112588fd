"""Meetings, holidays and dates of the office. The data never changes, and effects change nothing."""

from datetime import date
from typing import Literal

from glassloop import ToolError, tool

MEETINGS: dict[str, list[dict[str, object]]] = {
    "2026-03-09": [{"time": "09:30", "title": "Weekly planning", "people": ["Tom Weber", "Julia Braun"]}],
    "2026-03-10": [
        {"time": "10:00", "title": "Support review", "people": ["Priya Nair", "Tom Weber"]},
        {"time": "14:30", "title": "Call with Lin Trading", "people": ["Julia Braun"]},
    ],
    "2026-03-12": [
        {"time": "11:00", "title": "Budget", "people": ["Tom Weber"]},
        {"time": "15:00", "title": "Warehouse tour", "people": ["Marco Silva", "Julia Braun"]},
        {"time": "16:30", "title": "Interview", "people": ["Priya Nair"]},
    ],
}
HOLIDAYS: dict[str, dict[str, str]] = {
    "Germany": {"2026-04-03": "Good Friday", "2026-04-06": "Easter Monday", "2026-05-01": "Labour Day"},
    "Spain": {"2026-04-03": "Good Friday", "2026-05-01": "Labour Day"},
    "China": {"2026-04-05": "Qingming", "2026-05-01": "Labour Day", "2026-06-19": "Dragon Boat Festival"},
    "Italy": {"2026-04-06": "Easter Monday", "2026-04-25": "Liberation Day", "2026-05-01": "Labour Day"},
}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"{text!r} is not a date: write it as YYYY-MM-DD.") from None


@tool(effect="read")
async def list_meetings(day: str) -> dict[str, object]:
    """The meetings of one day, with time, title and people.

    Args:
        day: The day as YYYY-MM-DD.
    """
    found = MEETINGS.get(_day(day).isoformat(), [])
    return {"day": _day(day).isoformat(), "count": len(found), "meetings": found}


@tool(effect="write", idempotent=True)
async def schedule_meeting(title: str, day: str, time: str) -> dict[str, object]:
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
    return HOLIDAYS[country]


@tool(effect="read")
async def days_between(start: str, end: str) -> dict[str, object]:
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
