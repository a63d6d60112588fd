"""`current_time`: a still clock read in zones by name, city, offset; and what is said when there are no rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import BadArguments, ToolError
from glassloop.extensions.general.zones import Zones
from glassloop.tools.tool import Tool

NOON = 1_794_830_400.0


async def test_the_clock_reads_in_utc_when_nothing_is_said(tools: dict[str, Tool]) -> None:
    found = await tools["current_time"].execute({})
    assert found.data == {
        "timezone": "UTC",
        "iso": "2026-11-16T12:00:00+00:00",
        "weekday": "Monday",
        "date": "2026-11-16",
        "time": "12:00:00",
        "utc_offset": "+00:00",
        "unix": 1794830400,
    }


@pytest.mark.parametrize(
    ("name", "zone", "clock", "offset"),
    [
        ("Asia/Tokyo", "Asia/Tokyo", "21:00:00", "+09:00"),
        ("tokyo", "Asia/Tokyo", "21:00:00", "+09:00"),
        ("New York", "America/New_York", "07:00:00", "-05:00"),
        ("san francisco", "America/Los_Angeles", "04:00:00", "-08:00"),
        ("北京", "Asia/Shanghai", "20:00:00", "+08:00"),
        ("India", "Asia/Kolkata", "17:30:00", "+05:30"),
        ("UTC+8", "UTC+08:00", "20:00:00", "+08:00"),
        ("-03:30", "UTC-03:30", "08:30:00", "-03:30"),
        ("Z", "UTC", "12:00:00", "+00:00"),
    ],
)
def test_a_zone_is_found_by_name_city_or_offset(name: str, zone: str, clock: str, offset: str) -> None:
    found = Zones().read(NOON, name)
    assert (found["timezone"], found["time"], found["utc_offset"]) == (zone, clock, offset)


def test_daylight_saving_follows_the_date() -> None:
    in_july = 1_783_339_200.0
    assert Zones().read(in_july, "Berlin")["utc_offset"] == "+02:00"
    assert Zones().read(NOON, "Berlin")["utc_offset"] == "+01:00"


def test_local_is_the_machines_own_time() -> None:
    found = Zones().read(NOON, "local")
    assert found["timezone"] == "local"
    assert found["unix"] == NOON


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Tokio", "Asia/Tokyo"),
        ("CST", "America/Chicago or Asia/Shanghai"),
        ("USA", "several time zones"),
        ("+99:00", "no offset"),
        ("Atlantis", "no time zone"),
        ("../../etc/passwd", "no time zone"),
    ],
)
def test_an_unknown_or_ambiguous_zone_is_asked_back(name: str, words: str) -> None:
    with pytest.raises(BadArguments, match=words):
        Zones().read(NOON, name)


def test_without_zone_rules_the_remedy_is_named_and_offsets_still_work() -> None:
    bare = Zones(names=lambda: ())
    assert bare.read(NOON, "+08:00")["time"] == "20:00:00"
    with pytest.raises(ToolError, match="tzdata"):
        bare.read(NOON, "Tokyo")


def test_rules_that_cannot_be_read_name_the_remedy() -> None:
    broken = Zones(names=lambda: ("Asia/Nowhere",))
    with pytest.raises(ToolError, match="tzdata"):
        broken.read(NOON, "nowhere")


@given(st.text(max_size=80))
def test_any_text_is_a_zone_or_a_refusal(name: str) -> None:
    try:
        assert "iso" in _ZONES.read(NOON, name)
    except ToolError as refusal:
        assert str(refusal)


_ZONES = Zones()
