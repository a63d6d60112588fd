"""The tools for calendars and mail, and the one with an effect: a meeting."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

import hashlib
import os
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.business.desk import Business, Desk, Groups, Listing, Where, Wish, clean, contains
from glassloop.extensions.business.moments import read_moment
from glassloop.extensions.business.parameters import AheadIs, CompareTo, EndDate, Limit, PeriodIs, StartDate, TrendBy
from glassloop.extensions.business.periods import Period, find_period
from glassloop.extensions.business.sample import SCHEDULED
from glassloop.extensions.business.source import Row, Statements
from glassloop.tools.tool import ToolContext

EventKind = Literal["any", "meeting", "leave", "trip"]
Folder = Literal["inbox", "sent", "any"]
Importance = Literal["any", "high", "normal"]
MailGroup = Literal["none", "sender", "subject", "mailbox"]

MOST_PEOPLE = 50
LONGEST = {"title": 120, "location": 120, "notes": 2000}
MINUTES = (5, 720)
DAY_HOURS = (8, 18)

_CALENDAR = Listing(
    title="Calendar",
    base="biz_calendar c",
    day="c.starts_at",
    totals=(
        "count(*) AS events, coalesce(sum(CASE WHEN c.kind = 'meeting' THEN 1 ELSE 0 END), 0) AS meetings, "
        "coalesce(sum(CASE WHEN c.kind = 'leave' THEN 1 ELSE 0 END), 0) AS leave"
    ),
    columns="c.starts_at, c.ends_at, c.title, c.kind, c.location, c.organizer, c.notes, c.event_id",
    order="c.starts_at, c.event_id",
)
_MAIL = Listing(
    title="Mail",
    base="biz_emails m",
    day="m.sent_at",
    totals=(
        "count(*) AS mails, coalesce(sum(CASE WHEN m.is_read = 0 THEN 1 ELSE 0 END), 0) AS unread, "
        "coalesce(sum(CASE WHEN m.importance = 'high' THEN 1 ELSE 0 END), 0) AS important"
    ),
    columns=(
        "m.sent_at, m.sender, m.recipient, m.subject, m.importance, CASE WHEN m.is_read = 0 THEN 'no' ELSE 'yes' END "
        "AS is_read, m.body, m.folder, m.mailbox, m.email_id"
    ),
    order="m.sent_at DESC, m.email_id DESC",
)


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


class OfficeTools:
    """Methods that become tools."""

    def __init__(self, business: Business) -> None:
        self._business = business

    def get_calendar(
        self,
        context: ToolContext,
        person: Annotated[str, "Whose calendar: a name or address. Else everybody's."] = "",
        kind: Annotated[EventKind, "leave (vacation, away, 休假, 请假), trip (travel, 出差), meeting (会议)."] = "any",
        query: Annotated[str, "Words in the title."] = "",
        period: AheadIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        limit: Limit = 20,
    ) -> ToolResult:
        """Calendar (日历, 日程, 会议, 请假): meetings, trips and leave, of one person or of all. Times in UTC."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="this_week", today=desk.today, ahead=True)
            where = Where()
            if person:
                email, name = desk.find("person", person)
                mine = "SELECT t.event_id FROM biz_attendees t WHERE t.email = :person AND t.response <> 'declined'"
                where.add(f"c.event_id IN ({mine})", {"person": f"{name} <{email}>"}, person=email)
            where.equal("c.kind", "kind", kind)
            if query.strip():
                text = clean(query, "query")
                where.add("c.title LIKE :query ESCAPE '!'", {"query": text}, query=contains(text))
            if wanted.start is not None and wanted.end is not None:
                # What began before and still lasts is in the calendar too.
                after = (wanted.end + timedelta(1)).isoformat()
                where.add("c.starts_at < :after AND c.ends_at >= :first", after=after, first=wanted.start.isoformat())
            report = desk.answer(_CALENDAR, where, Wish(period=Period(name="all"), limit=limit))
            report.period = wanted
            return report.result()

    def get_emails(
        self,
        context: ToolContext,
        mailbox: Annotated[str, "Whose mail: a name or address. Else everybody's."] = "",
        query: Annotated[str, "Words in the subject or text."] = "",
        sender: Annotated[str, "Only from senders whose address has this in it."] = "",
        unread: Annotated[bool, "Only mail that was not read (未读)."] = False,
        importance: Annotated[Importance, "high (important, urgent, 重要)."] = "any",
        folder: Folder = "inbox",
        group_by: MailGroup = "none",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        limit: Limit = 10,
    ) -> ToolResult:
        """E-mails (邮件): of one mailbox or all, unread, important, from somebody or about something."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="last_7_days", today=desk.today)
            where = Where()
            if mailbox:
                email, name = desk.find("person", mailbox)
                where.add("m.mailbox = :mailbox", {"mailbox": f"{name} <{email}>"}, mailbox=email)
            where.equal("m.folder", "folder", folder)
            if sender:
                text = clean(sender, "sender")
                where.add("m.sender LIKE :sender ESCAPE '!'", {"sender": text}, sender=contains(text))
            if query.strip():
                text = clean(query, "query")
                words = "m.subject LIKE :query ESCAPE '!' OR m.body LIKE :query ESCAPE '!'"
                where.add(words, {"query": text}, query=contains(text))
            if unread:
                where.add("m.is_read = 0", {"unread": True})
            where.equal("m.importance", "importance", importance)
            grouped = group_by != "none"
            wish = Wish(
                period=wanted, limit=limit, compare=compare, trend=trend,
                groups=Groups(f"m.{group_by} AS {group_by}") if grouped else None,
                order=f"g.mails DESC, g.{group_by}" if grouped else "",
            )  # fmt: skip
            return desk.answer(_MAIL, where, wish).result()

    def schedule_meeting(
        self,
        context: ToolContext,
        title: str,
        start: Annotated[str, "When it begins, in UTC: 2026-03-31 14:30, or tomorrow 14:30, next Tuesday 14:30."],
        attendees: Annotated[list[str], "Who takes part: names or addresses of employees."],
        duration_minutes: Annotated[int, "How long it takes."] = 30,
        location: Annotated[str, "A room, or Online."] = "",
        notes: Annotated[str, "What it is about."] = "",
        allow_conflicts: Annotated[bool, "Schedule it although somebody is busy."] = False,
    ) -> ToolResult:
        """Schedule a meeting (安排会议) in the calendars of its attendees. Refused where somebody is busy then."""
        with self._business.desk(context) as desk:
            meeting = _meeting(desk, context, title, start, attendees, duration_minutes, location, notes)
        event = _event_id(context)
        with self._business.writing(context) as statements:
            known = statements.rows("SELECT event_id FROM biz_calendar WHERE event_id = :event", {"event": event})
            if not known:
                busy = _conflicts(statements, meeting)
                if busy and not allow_conflicts:
                    raise BadArguments(_refusal(statements, meeting, busy))
                _write(statements, event, meeting)
        told = _told(meeting)
        text = f"Scheduled {meeting.title!r} from {meeting.starts_at} to {meeting.ends_at} UTC as {event}."
        return ToolResult(success=True, output=text, data={"event_id": event, "scheduled": told})

    def preview(
        self,
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
        with self._business.desk(context) as desk:
            meeting = _meeting(desk, context, title, start, attendees, duration_minutes, location, notes)
            busy = _conflicts(desk, meeting)
            shown: dict[str, Json] = {"schedule": _told(meeting), "conflicts": [dict(row) for row in busy]}
            if busy:
                shown["all_free_at"] = _free(desk, meeting)
                shown["note"] = "Scheduled all the same." if allow_conflicts else "Refused unless that is allowed."
            return shown


def _meeting(
    desk: Desk,
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
        if len(text) > LONGEST[label]:
            raise BadArguments(f"{label} has {len(text):,} characters: {LONGEST[label]} at most.")
    if not 1 <= len(attendees) <= MOST_PEOPLE:
        raise BadArguments(f"There are {len(attendees)} attendees: give 1 to {MOST_PEOPLE} names or addresses.")
    if not MINUTES[0] <= minutes <= MINUTES[1]:
        raise BadArguments(f"duration_minutes is {minutes}: give {MINUTES[0]} to {MINUTES[1]}.")
    begins = read_moment(start, "start", desk.asked)
    if begins.date() < desk.today:
        raise BadArguments(f"start {begins:%Y-%m-%d %H:%M} is past: today is {desk.today}.")
    people = dict(desk.find("person", attendee) for attendee in attendees)
    ends = begins + timedelta(minutes=minutes)
    return Meeting(
        title=clean(title, "title"),
        starts_at=f"{begins:%Y-%m-%d %H:%M}",
        ends_at=f"{ends:%Y-%m-%d %H:%M}",
        location=location.replace("\0", " ").strip(),
        notes=notes.replace("\0", " ").strip(),
        organizer=_organizer(desk, context.user),
        people=people,
    )


def _organizer(desk: Desk, user: str) -> str:
    """The address of the employee who asks, where the user's name is one; else the user's name."""
    own = desk.rows(
        "SELECT email FROM biz_employees WHERE lower(email) = :user OR email LIKE :local ESCAPE '!' LIMIT 2",
        {"user": user.lower(), "local": f"{contains(user)[1:-1]}@%"},
    )
    return str(own[0]["email"]) if len(own) == 1 else user


def _event_id(context: ToolContext) -> str:
    """The same for the same call, so that doing it again finds it done."""
    key = context.idempotency_key if context.call_id else os.urandom(16).hex()
    digest = hashlib.sha256(f"{context.user}\n{key}".encode()).hexdigest()
    return f"{SCHEDULED}{digest[:16]}"


def _conflicts(desk: "Statements | Desk", meeting: Meeting) -> list[Row]:
    """Who of them is somewhere else then."""
    marks, values = _people(meeting)
    return desk.rows(
        "SELECT t.email AS person, c.title, c.starts_at, c.ends_at FROM biz_attendees t JOIN biz_calendar c "
        f"ON c.event_id = t.event_id WHERE t.email IN ({marks}) AND t.response <> 'declined' "
        "AND c.starts_at < :ends AND c.ends_at > :starts ORDER BY t.email, c.starts_at LIMIT 50",
        {**values, "starts": meeting.starts_at, "ends": meeting.ends_at},
    )


def _free(desk: "Statements | Desk", meeting: Meeting) -> str | None:
    """The first time that day, in working hours, when all of them are free for as long."""
    day = meeting.starts_at[:10]
    marks, values = _people(meeting)
    busy = desk.rows(
        "SELECT c.starts_at, c.ends_at FROM biz_attendees t JOIN biz_calendar c ON c.event_id = t.event_id "
        f"WHERE t.email IN ({marks}) AND t.response <> 'declined' AND c.starts_at < :after AND c.ends_at > :day",
        {**values, "day": day, "after": f"{day} 23:59"},
    )
    length = datetime.fromisoformat(meeting.ends_at) - datetime.fromisoformat(meeting.starts_at)
    begins = datetime.fromisoformat(day).replace(hour=DAY_HOURS[0])
    closes = begins.replace(hour=DAY_HOURS[1])
    while begins + length <= closes:
        starts_at, ends_at = f"{begins:%Y-%m-%d %H:%M}", f"{begins + length:%Y-%m-%d %H:%M}"
        if not any(row["starts_at"] < ends_at and row["ends_at"] > starts_at for row in busy):
            return starts_at
        begins += timedelta(minutes=15)
    return None


def _people(meeting: Meeting) -> tuple[str, dict[str, Any]]:
    values = {f"p{number}": email for number, email in enumerate(meeting.people)}
    return ", ".join(f":{name}" for name in values), values


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
