"""Days as people say them mean the day that is meant."""

import datetime
import re

import pytest
from training.data.days import GERMAN_WEEKDAYS, MONTHS, WEEKDAYS, coming_day, say_day, with_spoken_days
from training.data.values import Rng

TODAY = datetime.date(2027, 5, 12)
"""A Wednesday."""
NAMES = [name.lower() for name in WEEKDAYS]


def rng(seed: int) -> Rng:
    made = Rng(seed)
    made.today = TODAY
    return made


def meant(said: str) -> datetime.date:
    """The day as a careful person reads it on that Wednesday."""
    said = said.lower()
    if iso := re.search(r"\d{4}-\d\d-\d\d", said):
        return datetime.date.fromisoformat(iso[0])
    for word, ahead in (("yesterday", -1), ("the day after tomorrow", 2), ("tomorrow", 1), ("today", 0)):
        if word in said:
            return TODAY + datetime.timedelta(days=ahead)
    if ahead := re.search(r"in (\d+) days", said):
        return TODAY + datetime.timedelta(days=int(ahead[1]))
    if ago := re.search(r"(\d+) days ago", said):
        return TODAY - datetime.timedelta(days=int(ago[1]))
    if name := next((each for each in NAMES if each in said), ""):
        if "last" in said:
            return TODAY - datetime.timedelta(days=(TODAY.weekday() - NAMES.index(name) - 1) % 7 + 1)
        if "next week" in said:
            return TODAY + datetime.timedelta(days=7 - TODAY.weekday() + NAMES.index(name))
        ahead = (NAMES.index(name) - TODAY.weekday() - 1) % 7 + 1
        assert "next" not in said or TODAY.weekday() + ahead >= 7
        return TODAY + datetime.timedelta(days=ahead)
    if dotted := re.search(r"(\d\d?)\.(\d\d?)\.(\d{4})?", said):
        return datetime.date(int(dotted[3] or TODAY.year), int(dotted[2]), int(dotted[1]))
    month = next(number for number, each in enumerate(MONTHS, 1) if each[:3].lower() in said)
    year = re.search(r"\d{4}", said)
    day = re.search(r"\d+", said.replace(year[0], "") if year else said)
    assert day
    return datetime.date(int(year[0]) if year else TODAY.year, month, int(day[0]))


@pytest.mark.parametrize("ahead", range(-8, 16))
def test_days_in_questions_are_said_otherwise_and_mean_the_same(ahead):
    day = TODAY + datetime.timedelta(days=ahead)
    said = {with_spoken_days(rng(seed), f"who is away on {day}?", "en") for seed in range(60)}
    assert {meant(each) for each in said} == {day}
    assert len(said) > 3
    assert not [each for each in said if re.search(r"on (this|next|last|today|tomorrow|yesterday|in \d|\d days)", each)]


def test_in_german_and_chinese():
    friday = "2027-05-14"
    german = {with_spoken_days(rng(seed), f"Wer fehlt am {friday}?", "de") for seed in range(60)}
    assert f"Wer fehlt am {GERMAN_WEEKDAYS[4]}?" in german
    chinese = {with_spoken_days(rng(seed), f"{friday}谁不在？", "zh") for seed in range(60)}
    assert chinese & {"这周五谁不在？", "本周五谁不在？"}
    assert not [each for each in chinese if "下周" in each]
    monday = {with_spoken_days(rng(seed), "2027-05-17谁不在？", "zh") for seed in range(60)}
    assert "下周一谁不在？" in monday
    tuesday = {with_spoken_days(rng(seed), "2027-05-04谁不在？", "zh") for seed in range(60)}
    assert not [each for each in tuesday if "周" in each]
    past = {with_spoken_days(rng(seed), "2027-05-07谁不在？", "zh") for seed in range(60)}
    assert "上周五谁不在？" in past
    assert "Wer fehlte letzten Freitag?" in {
        with_spoken_days(rng(seed), "Wer fehlte am 2027-05-07?", "de") for seed in range(60)
    }


def test_coming_days_and_days_of_this_year():
    for seed in range(200):
        day, said = coming_day(rng(seed))
        assert meant(said) == datetime.date.fromisoformat(day), said
    said = {say_day(rng(seed), "2027-11-25") for seed in range(80)}
    assert any("2027" not in each for each in said)
    assert {meant(each) for each in said} == {datetime.date(2027, 11, 25)}
    assert all("2028" in say_day(rng(seed), "2028-11-25") for seed in range(80))
