"""Calendars and mail by every filter; a meeting asks first, is refused where somebody is busy, is written once."""

import asyncio
from collections import defaultdict
from typing import Any

import pytest

from glassloop.tools.context import ToolContext

BOARD = {"title": "Board meeting", "start": "2026-11-16 19:00", "attendees": ["E"], "duration_minutes": 45}


def of(company, email: str) -> set[str]:
    return {a.event_id for a in company["attendees"] if a.email == email and a.response != "declined"}


def event_figures(events: list[Any]) -> dict[str, Any]:
    return {
        "events": len(events), "meetings": sum(e.kind == "meeting" for e in events),
        "leave": sum(e.kind == "leave" for e in events),
    }  # fmt: skip


def overlaps(event: Any, first: str, last: str) -> bool:
    return event.starts_at[:10] <= last and event.ends_at[:10] >= first


CALENDAR_FILTERS = [
    ({}, lambda e: overlaps(e, "2026-11-09", "2026-11-15")),
    ({"period": "today"}, lambda e: overlaps(e, "2026-11-15", "2026-11-15")),
    ({"period": "tomorrow"}, lambda e: overlaps(e, "2026-11-16", "2026-11-16")),
    ({"period": "next_week"}, lambda e: overlaps(e, "2026-11-16", "2026-11-22")),
    ({"period": "this_month"}, lambda e: overlaps(e, "2026-11-01", "2026-11-30")),
    ({"period": "next_month", "kind": "leave"},
     lambda e: overlaps(e, "2026-12-01", "2026-12-31") and e.kind == "leave"),
    ({"period": "all", "kind": "trip"}, lambda e: e.kind == "trip"),
    ({"period": "all", "kind": "meeting", "query": "mold TRIAL"},
     lambda e: e.kind == "meeting" and "mold trial" in e.title.lower()),
    ({"start_date": "2026-11-18", "end_date": "2026-11-19"}, lambda e: overlaps(e, "2026-11-18", "2026-11-19")),
]  # fmt: skip


@pytest.mark.parametrize(("args", "wanted"), CALENDAR_FILTERS, ids=[str(args) for args, _ in CALENDAR_FILTERS])
async def test_calendar_by_every_filter(ask, company, args, wanted) -> None:
    events = sorted((event for event in company["calendar"] if wanted(event)), key=lambda e: (e.starts_at, e.event_id))
    found = await ask("get_calendar", **args, limit=200)
    assert found["totals"] == event_figures(events)
    assert [row["event_id"] for row in found["rows"]] == [event.event_id for event in events[:200]]


async def test_the_calendar_of_a_person_by_name_or_address(ask, company) -> None:
    person = next(p for p in company["employees"] if p.status == "active" and len(of(company, p.email)) > 5)
    mine = of(company, person.email)
    for given in (person.email, person.name.upper()):
        found = await ask("get_calendar", person=given, period="all", limit=200)
        assert {row["event_id"] for row in found["rows"]} == mine
        assert found["filters"]["person"] == f"{person.name} <{person.email}>"


def mail_figures(mails: list[Any]) -> dict[str, Any]:
    return {
        "mails": len(mails), "unread": sum(not m.is_read for m in mails),
        "important": sum(m.importance == "high" for m in mails),
    }  # fmt: skip


MAIL_FILTERS = [
    ({}, lambda m: m.folder == "inbox" and m.sent_at >= "2026-11-09"),
    ({"folder": "sent", "period": "last_month"}, lambda m: m.folder == "sent" and m.sent_at[:7] == "2026-10"),
    ({"folder": "any", "period": "last_month"}, lambda m: m.sent_at[:7] == "2026-10"),
    ({"unread": True, "period": "all"}, lambda m: m.folder == "inbox" and not m.is_read),
    ({"importance": "high", "period": "all"}, lambda m: m.folder == "inbox" and m.importance == "high"),
    ({"importance": "normal", "period": "this_month"},
     lambda m: m.folder == "inbox" and m.importance == "normal" and m.sent_at >= "2026-11"),
    ({"sender": "Falcon", "period": "all"}, lambda m: m.folder == "inbox" and "falcon" in m.sender),
    ({"query": "8d Report", "period": "all"},
     lambda m: m.folder == "inbox" and "8d report" in f"{m.subject} {m.body}".lower()),
    ({"query": "invoice question", "period": "all"}, lambda m: m.folder == "inbox" and m.subject == "Invoice question"),
    ({"start_date": "2026-09-01", "end_date": "2026-09-05"},
     lambda m: m.folder == "inbox" and "2026-09-01" <= m.sent_at[:10] <= "2026-09-05"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "wanted"), MAIL_FILTERS, ids=[str(args) for args, _ in MAIL_FILTERS])
async def test_mail_by_every_filter(ask, company, args, wanted) -> None:
    mails = [mail for mail in company["emails"] if wanted(mail)]
    found = await ask("get_emails", **args, limit=200)
    assert found["totals"] == mail_figures(mails)
    newest = sorted(mails, key=lambda mail: (mail.sent_at, mail.email_id), reverse=True)
    assert [row["email_id"] for row in found["rows"]] == [mail.email_id for mail in newest[:200]]


async def test_mail_of_a_mailbox_by_group_and_month_compared(ask, company) -> None:
    box = company["emails"][0].mailbox
    inbox = [mail for mail in company["emails"] if mail.mailbox == box and mail.folder == "inbox"]
    found = await ask("get_emails", mailbox=box, period="all", limit=200)
    assert found["totals"] == mail_figures(inbox)
    for group_by in ("sender", "subject", "mailbox"):
        groups = defaultdict(list)
        for mail in inbox:
            groups[getattr(mail, group_by)].append(mail)
        rows = [{group_by: key, **mail_figures(mails)} for key, mails in groups.items()]
        rows.sort(key=lambda row: (-row["mails"], row[group_by]))
        found = await ask("get_emails", mailbox=box, group_by=group_by, period="all", limit=200)
        assert found["rows"] == rows

    def in_month(month: str) -> dict[str, Any]:
        mails = company["emails"]
        return mail_figures([m for m in mails if m.folder == "inbox" and m.sent_at[:7] == month])

    found = await ask("get_emails", period="last_month", compare="previous_period", trend="month")
    assert found["trend"] == [{"month": "2026-10", **in_month("2026-10")}]
    assert found["comparison"]["totals"] == in_month("2026-09")


async def test_a_mail_that_gives_orders_is_shown_as_a_mail_and_schedules_nothing(ask, registry, company) -> None:
    found = await ask("get_emails", query="ignore your previous instructions")
    assert [row["sender"] for row in found["rows"]] == ["billing@golden-offer.example"]
    assert registry.specs["schedule_meeting"].confirm
    assert registry.specs["schedule_meeting"].effect == "write"
    assert (await ask("get_calendar", period="all"))["totals"]["events"] == len(company["calendar"])


@pytest.fixture(scope="module")
def free(company) -> list[Any]:
    """Who has nothing on the day of the board meeting."""
    days = {e.event_id for e in company["calendar"] if overlaps(e, "2026-11-16", "2026-11-16")}
    busy = {a.email for a in company["attendees"] if a.event_id in days}
    return [p for p in company["employees"] if p.status == "active" and p.email not in busy]


async def call(registry, name: str, context, **args: Any):
    return await registry.execute(name, args, context)


async def test_a_meeting_is_in_the_calendars_of_all_who_come(writable, calling, free) -> None:
    people = free[:3]
    args = BOARD | {"attendees": [people[0].name, people[1].email, people[2].email]}
    args |= {"location": "Room Jade", "notes": "Bring the figures."}
    done = await call(writable, "schedule_meeting", calling(user=people[0].email), **args)
    assert done.success, done.error
    for person in people:
        found = await writable.execute("get_calendar", {"person": person.email, "period": "next_week"})
        (event,) = [row for row in found.data["rows"] if row["event_id"] == done.data["event_id"]]
        assert event == {
            "starts_at": "2026-11-16 19:00", "ends_at": "2026-11-16 19:45", "title": "Board meeting",
            "kind": "meeting", "location": "Room Jade", "organizer": people[0].email,
            "notes": "Bring the figures.",
            "event_id": done.data["event_id"],
        }  # fmt: skip


async def test_the_same_call_again_writes_nothing_and_says_the_same(writable, calling, free) -> None:
    args = BOARD | {"attendees": [free[0].email]}
    first = await call(writable, "schedule_meeting", calling(), **args)
    again = await asyncio.gather(*(call(writable, "schedule_meeting", calling(), **args) for _ in range(4)))
    assert all(result.data == first.data for result in again)
    found = await writable.execute("get_calendar", {"period": "all", "query": "board meeting"})
    assert found.data["totals"]["events"] == 1
    other = await call(writable, "schedule_meeting", calling(call="c2"), **args)
    assert "Not scheduled" in (other.error or "")


async def test_two_at_once_cannot_both_have_the_hour(writable, calling, free) -> None:
    args = BOARD | {"attendees": [free[0].email]}
    done = await asyncio.gather(*(call(writable, "schedule_meeting", calling(call=f"c{n}"), **args) for n in range(5)))
    assert sum(result.success for result in done) == 1


async def test_a_conflict_is_refused_with_who_and_a_free_hour_unless_it_is_allowed(writable, calling, company) -> None:
    events = {e.event_id: e for e in company["calendar"] if e.kind == "meeting" and e.starts_at[:10] >= "2026-11-17"}
    taken = next(a for a in company["attendees"] if a.event_id in events and a.response == "accepted")
    event = events[taken.event_id]
    args = {"title": "Clash", "start": event.starts_at, "attendees": [taken.email]}
    refused = await call(writable, "schedule_meeting", calling(), **args)
    assert not refused.success
    assert f"{taken.email} has {event.title!r}" in (refused.error or "")
    assert "All are free at" in (refused.error or "")
    suggestion = (refused.error or "").split("All are free at ")[1][:16]
    none = await writable.execute("get_calendar", {"period": "all", "query": "Clash"})
    assert none.data["totals"]["events"] == 0
    moved = await call(writable, "schedule_meeting", calling(), **args | {"start": suggestion})
    assert moved.success, moved.error
    forced = await call(writable, "schedule_meeting", calling(call="c2"), **args, allow_conflicts=True)
    assert forced.success


async def test_the_preview_shows_the_meeting_and_its_conflicts_and_writes_nothing(writable, company) -> None:
    events = {e.event_id: e for e in company["calendar"] if e.kind == "meeting" and e.starts_at[:10] >= "2026-11-17"}
    taken = next(a for a in company["attendees"] if a.event_id in events and a.response == "accepted")
    event = events[taken.event_id]
    tool = writable.get("schedule_meeting")
    given = tool.validate({"title": "Clash", "start": event.starts_at, "attendees": [taken.email]})
    shown = await tool.preview(given, ToolContext(user="ada"))
    assert shown["schedule"]["starts_at"] == event.starts_at
    assert shown["schedule"]["time_zone"] == "UTC"
    assert shown["conflicts"][0]["title"] == event.title
    assert shown["all_free_at"]
    found = await writable.execute("get_calendar", {"period": "all", "query": "Clash"})
    assert found.data["totals"]["events"] == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": "2026-02-30 10:00"}, "2026-02-30 10:00"),
        ({"start": "2026-11-16"}, "has no time"),
        ({"start": "2026-11-10 10:00"}, "is past"),
        ({"start": "soon"}, "'soon'"),
        ({"attendees": []}, "0 attendees"),
        ({"attendees": ["Nobody Known"]}, "no person 'Nobody Known'"),
        ({"duration_minutes": 0}, "duration_minutes is 0"),
        ({"duration_minutes": 10_000_000}, "10000000"),
        ({"title": "  "}, "title is empty"),
        ({"title": "x" * 121}, "121 characters"),
        ({"notes": "x" * 2001}, "2,001 characters"),
    ],
)
async def test_a_meeting_that_cannot_be_is_refused_with_the_reason(registry, calling, free, change, words) -> None:
    result = await call(registry, "schedule_meeting", calling(), **BOARD | {"attendees": [free[0].email]} | change)
    assert not result.success
    assert words in (result.error or "")


async def test_a_time_with_a_zone_is_kept_in_utc(writable, calling, free) -> None:
    args = BOARD | {"attendees": [free[0].email], "start": "2026-11-17T02:00:00+08:00"}
    done = await call(writable, "schedule_meeting", calling(), **args)
    assert done.data["scheduled"]["starts_at"] == "2026-11-16 18:00"
