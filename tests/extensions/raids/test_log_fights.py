"""Where fights begin and end, what time it is, and which lines lie outside."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.extensions.raids.log_lines import (
    ANNA,
    CURATOR,
    HEADER,
    START,
    ULF,
    at,
    damage,
    died,
    end,
    fight,
    frostbolt,
    night,
    read,
    state,
)

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.log.clock import Clock
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.log.open_fight import ParsedFight
from glassloop.extensions.raids.log.parser import LogParser
from glassloop.extensions.raids.records import FightRecord

TRASH = 'Creature-0-1-532-1-16406-0000000003,"Phantom Attendant",0xa48,0x0'
NEWER = "5/24/2026 20:00:{:02}.{:03}{}  {}"


def every(step_ms: int, *events: str, begin: int = 0) -> list[str]:
    return [at(begin + place * step_ms, event) for place, event in enumerate(events)]


def pull(length_s: int, *, begin: int = 0, target: str = CURATOR) -> list[str]:
    """A hit a second."""
    return every(1000, *[frostbolt(target=target)] * length_s, begin=begin)


def lengths(fights: Sequence[FightRecord]) -> list[float]:
    return [(one.fight.ended_at - one.fight.started_at) / 1000 for one in fights]


def test_lines_between_fights_are_outside_and_all_are_counted(tmp_path: Path) -> None:
    trash = frostbolt(target=TRASH)
    report, (record,) = read(tmp_path / "log.txt", night(trash, trash, START, frostbolt(), frostbolt(), end(), trash))
    assert (report.lines, report.taken, report.outside, report.bad) == (8, 4, 4, 0)
    told = record.fight
    assert (told.encounter_id, told.name, told.kill, told.size, told.marked) == (656, "Der Kurator", True, 10, True)
    assert (report.zone, report.build) == ("Karazhan", "2.5.1")


@pytest.mark.parametrize(
    ("logged", "encounter_id"),
    [*((number, number - 1792) for number in range(2444, 2455)), (2455, 649), (2456, 650), (2457, 651), (663, 663)],
)
def test_an_encounter_is_known_by_every_id_that_clients_log(logged: int, encounter_id: int, tmp_path: Path) -> None:
    lines = [line.replace("656", str(logged)) for line in fight(frostbolt())]
    report, fights = read(tmp_path / "log.txt", lines)
    assert [one.fight.encounter_id for one in fights] == ([] if encounter_id == 660 else [encounter_id])
    assert (report.zone != "") == (encounter_id not in (660, 663))


def test_damage_that_an_effect_shares_is_no_friendly_fire(tmp_path: Path) -> None:
    shared = frostbolt(ULF, ANNA).replace("SPELL_DAMAGE", "DAMAGE_SPLIT")
    _, (record,) = read(tmp_path / "log.txt", fight(shared))
    assert {one.friendly_fire for one in record.performances} == {0}
    assert sum(one.taken for one in record.performances) == 500


def test_auto_shots_are_no_casts(tmp_path: Path) -> None:
    steady, auto = (f'SPELL_CAST_SUCCESS,{ULF},{CURATOR},{spell},"Shot",0x1,{state(ULF)}' for spell in (34120, 75))
    _, (record,) = read(tmp_path / "log.txt", fight(auto, steady, auto, steady, auto))
    assert [one.casts for one in record.performances] == [2]


def test_a_wipe_tells_the_health_that_the_boss_had_left(tmp_path: Path) -> None:
    _, (record,) = read(tmp_path / "log.txt", fight(frostbolt(about=state(CURATOR, health=37)), success=0))
    assert (record.fight.kill, record.fight.boss_health) == (False, 80.0)


@pytest.mark.parametrize("late", [False, True])
def test_an_end_without_success_is_a_kill_if_the_boss_died(late: bool, tmp_path: Path) -> None:
    last = (end(0), died(CURATOR)) if late else (died(CURATOR), end(0))
    report, (record,) = read(tmp_path / "log.txt", night(START, frostbolt(), frostbolt(), frostbolt(), *last))
    assert record.fight.kill
    assert report.outside == 1


def test_a_fight_without_end_is_over_when_the_next_begins_or_nothing_is_written(tmp_path: Path) -> None:
    lines = [
        *every(1000, START, *[frostbolt()] * 4),
        *every(1000, START, *[frostbolt()] * 9, begin=20_000),
        at(300_000, frostbolt(target=TRASH)),
        at(301_000, frostbolt(target=TRASH)),
    ]
    report, fights = read(tmp_path / "log.txt", lines)
    assert lengths(fights) == [4, 9]
    assert report.outside == 2


def test_chess_is_no_fight(tmp_path: Path) -> None:
    chess = 'ENCOUNTER_START,660,"Chess",3,10,532', 'ENCOUNTER_END,660,"Chess",3,10,1'
    report, fights = read(tmp_path / "log.txt", night(chess[0], frostbolt(), frostbolt(), frostbolt(), chess[1]))
    assert (fights, report.outside) == ([], 6)


class TestWithoutMarks:
    """Some servers write no ENCOUNTER lines."""

    def test_a_fight_goes_from_the_first_to_the_last_act_of_its_boss(self, tmp_path: Path) -> None:
        lines = [
            *pull(5, target=TRASH),
            *pull(20, begin=40_000),
            *pull(40, begin=60_000, target=TRASH),
            *pull(10, begin=200_000),
            at(210_000, died(CURATOR)),
        ]
        report, fights = read(tmp_path / "log.txt", lines)
        assert lengths(fights) == [19, 10]
        assert [one.fight.kill for one in fights] == [False, True]
        assert (report.taken, report.outside) == (31, 45)
        assert not any(one.fight.marked for one in fights)

    def test_it_ends_when_the_raid_is_dead(self, tmp_path: Path) -> None:
        melee = f"SWING_DAMAGE,{CURATOR},{ULF},{state(CURATOR)},9000,9000,500,1,0,0,0,nil,nil,nil"
        lines = [
            *pull(5),
            at(5000, melee),
            at(5000, died(ULF)),
            *every(1000, *[frostbolt(target=TRASH)] * 3, begin=14_000),
        ]
        _, (record,) = read(tmp_path / "log.txt", lines)
        assert (lengths([record]), record.fight.kill) == ([5.0], False)
        assert [death.at for death in record.deaths] == [5000]

    def test_two_bosses_must_both_die(self, tmp_path: Path) -> None:
        romulo = 'Creature-0-1-532-1-17533-0000000004,"Romulo",0xa48,0x0'
        julianne = 'Creature-0-1-532-1-17534-0000000005,"Julianne",0xa48,0x0'
        both = [frostbolt(target=one) for one in (romulo, julianne)] * 5
        alive = [*every(1000, *both, died(romulo), *both)]
        _, (wipe,) = read(tmp_path / "wipe.txt", alive)
        _, (kill,) = read(tmp_path / "kill.txt", [*alive, at(21_000, died(romulo)), at(21_100, died(julianne))])
        assert (wipe.fight.encounter_id, wipe.fight.kill, kill.fight.kill) == (655, False, True)

    def test_the_pull_before_a_mark_is_no_fight_of_its_own(self, tmp_path: Path) -> None:
        report, (record,) = read(
            tmp_path / "log.txt", night(frostbolt(), START, frostbolt(), frostbolt(), frostbolt(), end())
        )
        assert record.fight.marked
        assert (report.taken, report.outside) == (5, 2)


class TestClock:
    def test_a_year_is_that_of_the_option_and_turns_with_the_year(self, tmp_path: Path) -> None:
        before = [line.replace(" 20:", " 23:") for line in fight()]
        lines = [line.replace("5/24", "12/31") for line in before] + [line.replace("5/24", "1/1") for line in fight()]
        report, fights = read(tmp_path / "log.txt", lines, year=2021)
        assert [_date(one.fight.started_at) for one in fights] == ["2021-12-31", "2022-01-01"]
        assert _date(report.ended_at) == "2022-01-01"

    def test_without_option_the_year_is_the_last_before_the_file_was_written(self, tmp_path: Path) -> None:
        path = tmp_path / "log.txt"
        path.write_text("\n".join(fight()) + "\n")
        os.utime(path, (1_640_995_200, 1_640_995_200))  # 2022-01-01
        assert _date(read_log(path, found=lambda _: None).started_at) == "2021-05-24"

    def test_the_newer_form_has_year_and_offset(self, tmp_path: Path) -> None:
        events = (HEADER, START, *[frostbolt()] * 5, end())
        lines = [NEWER.format(place, 36, "-7", event) for place, event in enumerate(events)]
        later = [NEWER.format(place, 501, "10", event) for place, event in enumerate(events)]
        report, (record,) = read(tmp_path / "log.txt", lines, year=1999)
        assert (_date(record.fight.started_at), record.fight.started_at % 1000) == ("2026-05-24", 36)
        assert not report.bad
        report, (record,) = read(tmp_path / "later.txt", later)
        assert (record.fight.started_at % 1000, report.bad) == (501, 0)

    def test_one_wrong_time_ends_no_fight(self, tmp_path: Path) -> None:
        lines = fight(*[frostbolt()] * 6)
        lines[5] = lines[5].replace("5/24", "9/24")
        report, (record,) = read(tmp_path / "log.txt", lines)
        assert [(bad.reason, bad.count) for bad in report.bad_lines] == [
            ("a time that does not fit the lines around it", 1)
        ]
        assert (report.taken, record.fight.kill) == (len(lines) - 2, True)

    def test_a_pause_before_the_last_line_of_a_block_loses_no_line(self) -> None:
        lines = [*fight(), *night(START, frostbolt(), end(), day="5/25")]
        for cut in range(1, len(lines)):
            ended: list[ParsedFight] = []
            parser = LogParser(load_knowledge(), Clock(2026, 0.0), ended.append)
            parser.read_block(lines[:cut])
            parser.read_block(lines[cut:])
            parser.close()
            assert (parser.counts.bad, len(ended)) == (0, 2), cut

    def test_lines_a_little_out_of_order_stay_in_their_fight(self, tmp_path: Path) -> None:
        lines = fight(*[frostbolt()] * 6)
        lines[4], lines[6] = lines[6], lines[4]
        report, (record,) = read(tmp_path / "log.txt", lines)
        assert (report.bad, len(record.performances), report.taken) == (0, 1, len(lines) - 1)


def test_several_headers_and_days_are_one_report(tmp_path: Path) -> None:
    lines = [*fight(), *night(HEADER, START, frostbolt(ANNA), HEADER, frostbolt(ANNA), frostbolt(), end(), day="5/25")]
    report, fights = read(tmp_path / "log.txt", lines)
    assert [one.fight.number for one in fights] == [1, 2]
    assert [_date(one.fight.started_at) for one in fights] == ["2026-05-24", "2026-05-25"]
    assert {actor.name for actor in report.actors} == {"Ulf", "Anna", "The Curator"}
    assert sum(one.damage for one in fights[1].performances) == 1500


def test_damage_is_that_of_the_lines(tmp_path: Path) -> None:
    amounts = [frostbolt(payload=damage(amount)) for amount in (100, 200, 300)]
    _, (record,) = read(tmp_path / "log.txt", fight(*amounts))
    assert [one.damage for one in record.performances] == [1600]


def _date(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")
