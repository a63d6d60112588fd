"""Due times in their time zones, over changes of the clock."""

from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime.schedules.recurrence import MAX_COUNTED, Recurrence, moment_of

PARIS, NEW_YORK = "Europe/Paris", "America/New_York"


def at(text, zone, fold=0):
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def times(every, zone, start, count):
    recurrence, found = Recurrence(every, zone, at(start, zone)), [at(start, zone)]
    for _ in range(count):
        found.append(recurrence.after(found[-1]))
    return [datetime.fromtimestamp(each, ZoneInfo(zone)).strftime("%d %H:%M%z") for each in found[1:]]


@pytest.mark.parametrize(
    ("every", "zone", "start", "expected"),
    [
        # The clock skips from two to three: a fixed time within is due right after, and so are two of them, once.
        ("30 2 * * *", PARIS, "2026-03-28T12:00", ["29 03:00+0200", "30 02:30+0200"]),
        ("15,45 2 * * *", PARIS, "2026-03-28T12:00", ["29 03:00+0200", "30 02:15+0200"]),
        # Three o'clock comes twice, from half past two on: a fixed time is due the first time.
        ("30 2 * * *", PARIS, "2026-10-24T12:00", ["25 02:30+0200", "26 02:30+0100"]),
        ("0 9 * * *", NEW_YORK, "2026-10-31T12:00", ["01 09:00-0500", "02 09:00-0500"]),
        # By the half hour it goes by elapsed time.
        ("*/30 * * * *", PARIS, "2026-10-25T02:15", ["25 02:30+0200", "25 02:00+0100", "25 02:30+0100"]),
        ("*/30 * * * *", PARIS, "2026-03-29T01:15", ["29 01:30+0100", "29 03:00+0200"]),
        ("0 0 29 2 *", "UTC", "2026-01-01T00:00", ["29 00:00+0000", "29 00:00+0000"]),
        ("@monthly", "UTC", "2026-01-15T00:00", ["01 00:00+0000", "01 00:00+0000"]),
        ("90m", "UTC", "2026-01-01T00:00", ["01 01:30+0000", "01 03:00+0000"]),
    ],
)
def test_times_come_as_documented_over_changes_of_the_clock(every, zone, start, expected):
    assert times(every, zone, start, len(expected)) == expected


def test_a_time_without_an_offset_is_of_the_zone():
    assert moment_of(datetime(2026, 7, 1, 9), PARIS) == at("2026-07-01T09:00", PARIS)
    assert moment_of(datetime(2026, 7, 1, 9, tzinfo=ZoneInfo("UTC")), PARIS) == at("2026-07-01T09:00", "UTC")


def test_a_year_away_is_told_without_counting_it():
    recurrence = Recurrence("* * * * *", PARIS, at("2026-01-01T00:00", PARIS))
    first, now = recurrence.after(recurrence.anchor), at("2027-01-01T00:00", PARIS) + 30
    assert recurrence.latest(first, now) == now - 30
    assert len(recurrence.between(first, now)) == MAX_COUNTED


FIELDS = st.tuples(
    st.sampled_from(["*", "0", "*/7", "15,45", "30"]), st.sampled_from(["*", "2", "*/3", "1-3", "23"]),
    st.sampled_from(["*", "1", "L", "29-31"]), st.sampled_from(["*", "3", "10,11"]), st.sampled_from(["*", "1-5", "0"]),
)  # fmt: skip
MOMENTS = st.integers(int(at("2025-01-01T00:00", PARIS)), int(at("2027-01-01T00:00", PARIS)))


@given(FIELDS, st.sampled_from([PARIS, NEW_YORK, "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]), MOMENTS, MOMENTS)
def test_times_only_go_forward_and_the_last_one_is_the_one_before_the_next(fields, zone, first, second):
    recurrence = Recurrence(" ".join(fields), zone, float(first))
    due = [recurrence.after(first)]
    for _ in range(5):
        due.append(recurrence.after(due[-1]))
    assert all(later > earlier for earlier, later in pairwise([first, *due]))
    now = max(float(second), due[0])
    last = recurrence.latest(due[0], now)
    assert due[0] <= last <= now < recurrence.after(last)


@given(st.text(max_size=40), st.text(max_size=20))
def test_whatever_is_given_is_understood_or_refused(every, zone):
    for given_zone in (zone, "UTC"):
        try:
            assert Recurrence(every, given_zone, 0.0).after(0.0) > 0
        except GlassloopError as error:
            assert isinstance(error, UsageError)
