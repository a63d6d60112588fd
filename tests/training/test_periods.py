"""Questions about a period: the calls have its first and last day, and the answer is made of the rows between."""

import datetime
import re

import pytest
from training.data.conversation import Call
from training.data.periods import _periods, add_periods, period_question
from training.data.values import Rng
from training.data.world_stage import Stage, World, WorldTool

CLUB = World(
    place="a boat club",
    tables={"trips": {"rows": 20, "no": "number(100, 999)", "day": "day(-40, 40)", "guests": "number(2, 30)"}},
    tools=[
        WorldTool(name="list_trips", about="Trips.", result="trips"),
        WorldTool(name="trip", about="One trip.", result="get(trips, no=no)", params={"no": "integer | No."}),
    ],
    asks=[],
)


def staged(seed: int) -> Stage:
    rng = Rng(seed)
    rng.today = datetime.date(2027, 5, 12)
    stage = Stage(CLUB, rng, as_written=True)
    add_periods(stage)
    return stage


def test_the_rows_of_the_period_are_asked_for_and_no_others():
    found = 0
    for seed in range(120):
        stage = staged(seed)
        made = period_question(stage)
        if made is None:
            continue
        found += 1
        call, answer = made.exchanges[0].steps
        assert isinstance(call, Call)
        _, low, high = stage.periods["list_trips"]
        first, last = call.args[low], call.args.get(high, "9999")
        rows = [row for row in stage.names["trips"] if first <= row.day <= last]
        assert all(str(row.no) in call.observation for row in rows)
        assert first in call.thought
        assert "9999" in last or last in call.thought
        numbers = {int(each) for each in re.findall(r"\d+", answer.text)}
        assert numbers in ({row.no for row in rows}, {len(rows)}, {sum(row.guests for row in rows)})
    assert found > 30


def test_a_list_that_takes_an_id_is_asked_about_that_id():
    tables = {
        "boats": {"rows": 3, "boat": "code('B-##')"},
        "trips": {"rows": 30, "no": "number(100, 999)", "boat": "some(boats).boat", "day": "day(-40, 40)"},
    }
    result = "[row for row in trips if row.boat == boat]"
    tool = WorldTool(name="list_trips", about="Trips of a boat.", result=result, params={"boat": "string | Boat."})
    found = 0
    for seed in range(80):
        rng = Rng(seed)
        rng.today = datetime.date(2027, 5, 12)
        stage = Stage(World(place="a boat club", tables=tables, tools=[tool], asks=[]), rng, as_written=True)
        add_periods(stage)
        if (made := period_question(stage)) is None:
            continue
        found += 1
        call = made.exchanges[0].steps[0]
        assert isinstance(call, Call)
        assert call.args["boat"] in made.exchanges[0].question
        assert len(call.args) > 1
    assert found > 10


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("this week", "2027-05-10", "2027-05-16"),
        ("next week", "2027-05-17", "2027-05-23"),
        ("last week", "2027-05-03", "2027-05-09"),
        ("this month", "2027-05-01", "2027-05-31"),
        ("next month", "2027-06-01", "2027-06-30"),
        ("last month", "2027-04-01", "2027-04-30"),
    ],
)
def test_weeks_begin_on_monday_and_months_end(said, first, last):
    (period,) = [each for each in _periods(staged(1).rng) if each.said[0] == said]
    assert (str(period.first), str(period.last)) == (first, last)


def test_a_stage_without_days_has_no_periods():
    plain = World(place="", tables={"boats": {"rows": 5, "no": "number(1, 99)"}}, asks=[],
                  tools=[WorldTool(name="boats", about="Boats.", result="boats")])  # fmt: skip
    stage = Stage(plain, Rng(1), as_written=True)
    add_periods(stage)
    assert not stage.periods
    assert period_question(stage) is None
