"""Answers on mail and calendars: one mail in full, events with who takes part."""

from collections.abc import Mapping, Sequence

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.conditions import clean
from glassloop.extensions.business.listing_call import ListingCall
from glassloop.extensions.business.report import BusinessReport
from glassloop.extensions.business.snapshot import Snapshot

EVENTS_AT_ONCE = 20
"""Whose attendees one query reads: so many that no row limit cuts them."""


def emails(call: ListingCall) -> BusinessReport:
    """The mails; one of them, asked for by its id, in full."""
    if not call["email_id"]:
        return call.report()
    one = call.single("email_id")
    if one is None:
        given = clean(call["email_id"], "email_id")
        raise BadArguments(f"There is no mail {given!r}: look for it by mailbox, sender or words.")
    report = one.report()
    report.fields = True
    return report


def calendar(call: ListingCall) -> BusinessReport:
    """The events, each with who takes part."""
    report = call.report()
    attendees = _attendees(call.snapshot, [str(row["event_id"]) for row in report.rows])
    report.rows = [{**row, "attendees": ", ".join(attendees.get(str(row["event_id"]), ()))} for row in report.rows]
    return report


def _attendees(snapshot: Snapshot, events: Sequence[str]) -> Mapping[str, list[str]]:
    """Names by event, with the response of those who have not accepted."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(events), EVENTS_AT_ONCE):
        values = {f"e{number}": event for number, event in enumerate(events[start : start + EVENTS_AT_ONCE])}
        marks = ", ".join(f":{name}" for name in values)
        for row in snapshot.query("event_attendees", values=values, events=marks):
            response = "" if row["response"] == "accepted" else f" ({row['response']})"
            found.setdefault(str(row["event_id"]), []).append(f"{row['person']}{response}")
    return found
