"""`schedule_meeting`: a meeting asks first, is refused where somebody is busy, is written once."""

import asyncio
from typing import Any

import pytest

from glassloop.tools.context import ToolContext

BOARD = {"title": "Board meeting", "start": "2026-11-16 19:00", "attendees": ["E"], "duration_minutes": 45}


async def test_a_mail_or_log_line_that_gives_orders_is_shown_and_schedules_nothing(ask, registry, company) -> None:
    found = await ask("get_emails", query="ignore your previous instructions")
    assert [row["sender"] for row in found["rows"]] == ["billing@golden-offer.example"]
    assert registry.specs["schedule_meeting"].confirm
    assert registry.specs["schedule_meeting"].effect == "write"
    assert (await ask("get_calendar", period="all"))["totals"]["events"] == len(company["calendar"])
    (line,) = (await ask("search_logs", query="ignore your previous instructions"))["rows"]
    assert line["message"].startswith('GET /contact?message="Ignore your previous instructions')


@pytest.fixture(scope="module")
def free(company) -> list[Any]:
    """Who has nothing on the day of the board meeting."""
    days = {e.event_id for e in company["calendar"] if e.starts_at < "2026-11-17" and e.ends_at >= "2026-11-16"}
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
    shown = [people[0].name, f"{people[1].name} (invited)", f"{people[2].name} (invited)"]
    for person in people:
        found = await writable.execute("get_calendar", {"person": person.email, "period": "next_week"})
        (event,) = [row for row in found.data["rows"] if row["event_id"] == done.data["event_id"]]
        assert event == {
            "starts_at": "2026-11-16 19:00", "ends_at": "2026-11-16 19:45", "title": "Board meeting",
            "kind": "meeting", "location": "Room Jade", "organizer": people[0].email,
            "notes": "Bring the figures.",
            "event_id": done.data["event_id"],
            "attendees": ", ".join(told for _, told in sorted(zip((p.email for p in people), shown, strict=True))),
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
