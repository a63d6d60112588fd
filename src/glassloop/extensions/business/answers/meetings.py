"""`schedule_meeting`: the one business tool with an effect. It asks first, and is refused where somebody is busy."""

import hashlib
import os
from datetime import datetime, timedelta
from typing import Annotated

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.business.conditions import clean, contains
from glassloop.extensions.business.data_files import query_sql
from glassloop.extensions.business.database.sample import SCHEDULED
from glassloop.extensions.business.database.source import Row, Statements
from glassloop.extensions.business.snapshot import BusinessData, Snapshot
from glassloop.extensions.business.time_phrases import read_moment
from glassloop.tools.tool import Tool, ToolContext, tool

MAX_PEOPLE = 50
MAX_CHARS = {"title": 120, "location": 120, "notes": 2000}
MINUTES = (5, 720)
DAY_HOURS = (8, 18)


_WORDS: dict[str, Json] = {
    "": "Schedule a meeting (安排会议) in the calendars of its attendees. Refused where somebody is busy then."
}


class Meeting(msgspec.Struct, frozen=True, kw_only=True):
    """A meeting as it would be written, checked."""

    title: str
    starts_at: str
    ends_at: str
    location: str
    notes: str
    organizer: str
    people: dict[str, str]
    """The names of those who come, by address."""


def meeting_tool(data: BusinessData) -> Tool:
    def preview(
        context: ToolContext,
        title: str,
        start: str,
        attendees: list[str],
        duration_minutes: int = 30,
        location: str = "",
        notes: str = "",
        allow_conflicts: bool = False,
    ) -> dict[str, Json]:
        """What would be written, who is busy then, and when all are free that day."""
        with data.reading(context) as snapshot:
            meeting = _meeting(snapshot, context, title, start, attendees, duration_minutes, location, notes)
            busy = _conflicts(snapshot, meeting)
            shown: dict[str, Json] = {"schedule": _told(meeting), "conflicts": [dict(row) for row in busy]}
            if busy:
                shown["all_free_at"] = _free(snapshot, meeting)
                shown["note"] = "Scheduled all the same." if allow_conflicts else "Refused unless that is allowed."
            return shown

    @tool(
        effect="write",
        idempotent=True,
        confirm=True,
        preview=preview,
        confidentiality="operator",
        domain="oa",
        words=_WORDS,
    )
    def schedule_meeting(
        context: ToolContext,
        title: str,
        start: Annotated[str, "When it begins, in UTC: 2026-03-31 14:30, or tomorrow 14:30, next Tuesday 14:30."],
        attendees: Annotated[list[str], "Who takes part: names or addresses of employees."],
        duration_minutes: Annotated[int, "How long it takes."] = 30,
        location: Annotated[str, "A room, or Online."] = "",
        notes: Annotated[str, "What it is about."] = "",
        allow_conflicts: Annotated[bool, "Schedule it although somebody is busy."] = False,
    ) -> ToolResult:
        """Schedule a meeting in the calendars of its attendees. Refused where somebody is busy then."""
        with data.reading(context) as snapshot:
            meeting = _meeting(snapshot, context, title, start, attendees, duration_minutes, location, notes)
        event = _event_id(context)
        with data.writing(context) as statements:
            known = statements.rows("SELECT event_id FROM biz_calendar WHERE event_id = :event", {"event": event})
            if not known:
                busy = _conflicts(statements, meeting)
                if busy and not allow_conflicts:
                    raise BadArguments(_refusal(statements, meeting, busy))
                _write(statements, event, meeting)
        told = _told(meeting)
        text = f"Scheduled {meeting.title!r} from {meeting.starts_at} to {meeting.ends_at} UTC as {event}."
        return ToolResult(success=True, output=text, data={"event_id": event, "scheduled": told})

    return schedule_meeting


def _meeting(
    snapshot: Snapshot,
    context: ToolContext,
    title: str,
    start: str,
    attendees: list[str],
    minutes: int,
    location: str,
    notes: str,
) -> Meeting:
    """Everything checked before anything is written."""
    for label, text in (("title", title), ("location", location), ("notes", notes)):
        if len(text) > MAX_CHARS[label]:
            raise BadArguments(f"{label} has {len(text):,} characters: {MAX_CHARS[label]} at most.")
    if not 1 <= len(attendees) <= MAX_PEOPLE:
        raise BadArguments(f"There are {len(attendees)} attendees: give 1 to {MAX_PEOPLE} names or addresses.")
    if not MINUTES[0] <= minutes <= MINUTES[1]:
        raise BadArguments(f"duration_minutes is {minutes}: give {MINUTES[0]} to {MINUTES[1]}.")
    begins = read_moment(start, "start", snapshot.asked)
    if begins.date() < snapshot.today:
        raise BadArguments(f"start {begins:%Y-%m-%d %H:%M} is past: today is {snapshot.today}.")
    people = dict(snapshot.find("person", attendee) for attendee in attendees)
    ends = begins + timedelta(minutes=minutes)
    return Meeting(
        title=clean(title, "title"),
        starts_at=f"{begins:%Y-%m-%d %H:%M}",
        ends_at=f"{ends:%Y-%m-%d %H:%M}",
        location=location.replace("\0", " ").strip(),
        notes=notes.replace("\0", " ").strip(),
        organizer=_organizer(snapshot, context.user),
        people=people,
    )


def _organizer(snapshot: Snapshot, user: str) -> str:
    """The address of the employee who asks, where the user's name is one; else the user's name."""
    values = {"user": user.lower(), "local": f"{contains(user)[1:-1]}@%"}
    own = snapshot.query("organizer", values=values)
    return str(own[0]["email"]) if len(own) == 1 else user


def _event_id(context: ToolContext) -> str:
    """The same for the same call, so that doing it again finds it done."""
    key = context.idempotency_key if context.call_id else os.urandom(16).hex()
    digest = hashlib.sha256(f"{context.user}\n{key}".encode()).hexdigest()
    return f"{SCHEDULED}{digest[:16]}"


def _conflicts(view: Statements | Snapshot, meeting: Meeting) -> list[Row]:
    """Who of them is somewhere else then."""
    return _busy(view, meeting, meeting.starts_at, meeting.ends_at, " LIMIT 50")


def _busy(view: Statements | Snapshot, meeting: Meeting, starts: str, ends: str, most: str = "") -> list[Row]:
    people = {f"p{number}": email for number, email in enumerate(meeting.people)}
    sql = query_sql("meetings_then", people=", ".join(f":{name}" for name in people), most=most)
    return view.rows(sql, {**people, "starts": starts, "ends": ends})


def _free(view: Statements | Snapshot, meeting: Meeting) -> str | None:
    """The first time that day, in working hours, when all of them are free for as long."""
    day = meeting.starts_at[:10]
    busy = _busy(view, meeting, day, f"{day} 23:59")
    length = datetime.fromisoformat(meeting.ends_at) - datetime.fromisoformat(meeting.starts_at)
    begins = datetime.fromisoformat(day).replace(hour=DAY_HOURS[0])
    closes = begins.replace(hour=DAY_HOURS[1])
    while begins + length <= closes:
        starts_at, ends_at = f"{begins:%Y-%m-%d %H:%M}", f"{begins + length:%Y-%m-%d %H:%M}"
        if not any(row["starts_at"] < ends_at and row["ends_at"] > starts_at for row in busy):
            return starts_at
        begins += timedelta(minutes=15)
    return None


def _refusal(statements: Statements, meeting: Meeting, busy: list[Row]) -> str:
    who = "; ".join(
        f"{row['person']} has {row['title']!r} {row['starts_at']}–{row['ends_at'][11:]}" for row in busy[:5]
    )
    free = _free(statements, meeting)
    instead = f"All are free at {free}." if free else "That day nobody finds a common time: try another."
    return f"Not scheduled: {who}. {instead} Or set allow_conflicts."


def _write(statements: Statements, event: str, meeting: Meeting) -> None:
    statements.change(
        "INSERT INTO biz_calendar (event_id, title, kind, starts_at, ends_at, location, organizer, notes) "
        "VALUES (:event, :title, 'meeting', :starts, :ends, :location, :organizer, :notes)",
        {
            "event": event, "title": meeting.title, "starts": meeting.starts_at, "ends": meeting.ends_at,
            "location": meeting.location, "organizer": meeting.organizer, "notes": meeting.notes,
        },
    )  # fmt: skip
    for email in meeting.people:
        response = "accepted" if email == meeting.organizer else "invited"
        statements.change(
            "INSERT INTO biz_attendees (event_id, email, response) VALUES (:event, :email, :response)",
            {"event": event, "email": email, "response": response},
        )


def _told(meeting: Meeting) -> dict[str, Json]:
    return {
        "title": meeting.title, "starts_at": meeting.starts_at, "ends_at": meeting.ends_at, "time_zone": "UTC",
        "location": meeting.location, "notes": meeting.notes, "organizer": meeting.organizer,
        "attendees": [{"name": name, "email": email} for email, name in meeting.people.items()],
    }  # fmt: skip
