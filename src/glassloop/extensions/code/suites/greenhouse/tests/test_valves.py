"""Litres for beds."""

from greenhouse.config import GreenhouseConfig
from greenhouse.moisture import Bed
from greenhouse.valves import litres_for, water_plan


def test_a_moist_bed_gets_no_water():
    assert litres_for(Bed("herbs", area=4.0, moisture=48), 25) == 0


def test_no_bed_gets_more_than_the_limit():
    assert litres_for(Bed("field", area=90.0, moisture=5), 25) == 25


def test_fallow_beds_are_left_out_of_the_plan():
    assert water_plan([Bed("north wall", area=8.0, moisture=12, fallow=True)], GreenhouseConfig()) == {}
