"""Exports of Warcraft Logs to the same records as the game's own log."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.raids.log_lines import rows

from glassloop.core.errors import UsageError
from glassloop.extensions.raids.fight_log import Flag, Kind, Miss
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.records import FightRecord, ReportRecord

ACTORS = [
    {"id": 1, "gameID": 7, "name": "Ulf", "server": "Everlook", "type": "Player", "subType": "Mage"},
    {"id": 2, "gameID": 8, "name": "Anna", "server": "Everlook", "type": "Player", "subType": "Priest"},
    {"id": 3, "gameID": 15691, "name": "The Curator", "type": "NPC", "subType": "Boss"},
    {"id": 4, "gameID": 510, "name": "Water Elemental", "type": "Pet", "petOwner": 1},
]
ABILITIES = [{"gameID": 27072, "name": "Frostbolt", "type": "16"}]
FIGHTS = [
    {"id": 1, "name": "Trash", "encounterID": 0, "startTime": 0, "endTime": 9_000},
    {"id": 2, "name": "The Curator", "encounterID": 50656, "kill": False, "bossPercentage": 31.5, "size": 10,
     "startTime": 10_000, "endTime": 40_000},
    {"id": 3, "name": "The Curator", "encounterID": 50656, "kill": True, "startTime": 60_000, "endTime": 90_000},
]  # fmt: skip


def event(kind: str, at: int, source: int = 1, target: int = 3, ability: int = 27072, **more: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "sourceID": source, "targetID": target, "abilityGameID": ability, **more}


EVENTS = [
    event("damage", 5_000, amount=10),
    {"timestamp": 10_000, "type": "combatantinfo", "sourceID": 1, "talents": [{"id": 10}, {"id": 0}, {"id": 51}],
     "gear": [{"id": 29076, "itemLevel": 120, "permanentEnchant": 3002, "gems": [{"id": 24030}]}, {"id": 0}],
     "auras": [{"source": 1, "ability": 27079}]},
    event("begincast", 11_000),
    event("cast", 13_000, hitPoints=80, maxHitPoints=100, resourceActor=1,
          classResources=[{"amount": 900, "max": 9000, "type": 0}]),
    event("damage", 13_500, amount=1500, absorbed=20, overkill=0, hitType=2),
    event("damage", 14_000, ability=1, amount=0, hitType=7),
    event("damage", 14_500, 4, ability=31707, amount=300, tick=True),
    event("heal", 15_000, 2, 1, 25213, amount=700, overheal=300),
    event("absorbed", 15_500, 2, 1, 25218, amount=90, attackerID=3, extraAbilityGameID=1),
    event("applybuff", 16_000, 1, 1, 12472),
    event("applydebuffstack", 16_500, 1, 3, 12579, stack=4),
    event("interrupt", 17_000, 1, 3, 2139, extraAbilityGameID=118),
    event("damage", 18_000, 3, 1, 1, amount=4000, overkill=500),
    event("death", 18_100, -1, 1, 0),
    event("teleport", 19_000),
    event("damage", 70_000, amount=2000, hitType=1),
    event("damage", 70_000, amount=2000, hitType=1),
]  # fmt: skip


def export(**more: Any) -> dict[str, Any]:
    report = {
        "code": "aBcDeFgH12345678", "title": "Thursday", "startTime": 1_780_000_000_000, "endTime": 1_780_000_100_000,
        "fights": FIGHTS, "masterData": {"actors": ACTORS, "abilities": ABILITIES},
    }  # fmt: skip
    return {"data": {"reportData": {"report": report | more}}}


RANKING = {"fightID": 3, "roles": {"dps": {"characters": [{"name": "Ulf", "rankPercent": 87.5}]}}}


def read(path: Path) -> tuple[ReportRecord, list[FightRecord]]:
    found: list[FightRecord] = []
    report = read_log(path, found=found.append)
    assert report.lines == report.taken + report.bad + report.outside
    return report, found


@pytest.fixture
def night(tmp_path: Path) -> tuple[ReportRecord, list[FightRecord]]:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export(events={"data": EVENTS}, rankings={"data": [RANKING]})))
    return read(path)


def test_fights_of_bosses_are_read_and_every_event_counted(night: tuple[ReportRecord, list[FightRecord]]) -> None:
    report, fights = night
    assert (report.source, report.title, report.zone) == ("Warcraft Logs", "Thursday", "Karazhan")
    assert (report.lines, report.taken, report.bad, report.outside) == (17, 15, 1, 1)
    assert [(bad.reason, bad.count) for bad in report.bad_lines] == [("unknown event", 1)]
    told = [(one.fight.number, one.fight.encounter_id, one.fight.kill, one.fight.boss_health) for one in fights]
    assert told == [(2, 656, False, 31.5), (3, 656, True, 0.0)]
    assert fights[0].fight.started_at == 1_780_000_010_000


def test_amounts_gear_and_talents_are_those_of_the_export(night: tuple[ReportRecord, list[FightRecord]]) -> None:
    report, (wipe, kill) = night
    by_name = {report.actors[one.actor].name: one for one in wipe.performances}
    assert (by_name["Ulf"].damage, by_name["Ulf"].pet_damage, by_name["Ulf"].class_name) == (1800, 300, "Mage")
    assert (by_name["Anna"].healing, by_name["Anna"].overheal, by_name["Anna"].absorbs) == (790, 300, 90)
    assert [death.at for death in wipe.deaths] == [8_100]
    (combatant,) = wipe.combatants
    assert (combatant.talents, combatant.gear[0].enchant, combatant.gear[0].gems) == ((10, 0, 51), 3002, (24030,))
    assert kill.performances[0].damage == 4000
    assert kill.performances[0].their_parse == 87.5


def test_events_are_rows_as_those_of_a_log(night: tuple[ReportRecord, list[FightRecord]]) -> None:
    report, (wipe, _) = night
    log = list(rows(wipe).rows())
    miss = next(row for row in log if row.kind == Kind.MISS)
    cast = next(row for row in log if row.kind == Kind.CAST)
    interrupt = next(row for row in log if row.kind == Kind.INTERRUPT)
    assert (miss.extra, miss.flags) == (Miss.DODGE, Flag.TARGET_HOSTILE)
    assert (cast.health, cast.power, cast.max_power) == (80, 900, 9000)
    assert cast.flags & Flag.ABOUT_SOURCE
    assert report.spells[interrupt.extra].id == 118
    assert report.spells[cast.spell].name == "Frostbolt"
    assert next(row.amount for row in log if row.kind == Kind.AURA_DOSE) == 4


def test_pages_in_several_files_are_one_report_and_no_event_counts_twice(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("report.json", json.dumps(export()))
        file.writestr("all.json", json.dumps({"data": EVENTS}))
        file.writestr("damage.json", json.dumps({"data": [one for one in EVENTS if one["type"] == "damage"]}))
    report, fights = read(path)
    assert report.lines == 17
    assert fights[1].performances[0].damage == 4000


@pytest.mark.parametrize(
    ("content", "told"),
    [({"data": EVENTS}, "no fights"), (export(), "no events"), ([], "no fights"), (export(fights=[1]), "no fights")],
)
def test_what_an_export_lacks_is_told(content: Any, told: str, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(content))
    with pytest.raises(UsageError, match=told):
        read_log(path, found=lambda _: None)


@pytest.mark.parametrize("value", [None, -1, 1e300, "x", [], {}, 2**70, True])
@pytest.mark.parametrize(
    "key", ["timestamp", "sourceID", "abilityGameID", "amount", "hitType", "gear", "classResources"]
)
def test_strange_values_break_nothing(key: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    strange = [one | {key: value} if place % 2 else one for place, one in enumerate(EVENTS)]
    path.write_text(json.dumps(export(events={"data": strange})))
    read(path)
