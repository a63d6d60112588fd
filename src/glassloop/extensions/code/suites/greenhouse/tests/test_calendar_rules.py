"""Hours and Sundays."""

from datetime import datetime

from greenhouse.calendar_rules import is_night, may_water
from greenhouse.moisture import Bed

HERBS = Bed("herbs", area=4.0, moisture=20)


def test_noon_is_no_night():
    assert not is_night(12)


def test_nothing_is_watered_before_five():
    assert not may_water(HERBS, datetime(2026, 5, 4, 4, 30))


def test_sunday_is_for_seedlings_only():
    sunday = datetime(2026, 5, 3, 12)
    assert not may_water(HERBS, sunday)
    assert may_water(Bed("seedlings", area=2.5, moisture=22, seedlings=True), sunday)
