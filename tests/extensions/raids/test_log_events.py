"""Lines to rows: every kind of event, what their values become, and what is refused."""

from pathlib import Path

import pytest
from tests.extensions.raids.log_lines import (
    ANNA,
    CURATOR,
    NOBODY,
    ULF,
    ZEROS,
    damage,
    died,
    fight,
    frostbolt,
    read,
    rows,
    state,
)

from glassloop.extensions.raids.fight_log import NO_SPELL, UNKNOWN, Flag, Kind, Miss, Row
from glassloop.extensions.raids.fight_log import NOBODY as NO_ACTOR
from glassloop.extensions.raids.log.shapes import CONTROL
from glassloop.extensions.raids.records import Actor, ReportRecord
from glassloop.extensions.raids.sample.log_text import LogForm
from glassloop.extensions.raids.sample.raid import make_raid

FRIEND_TO_FOE = Flag.TARGET_HOSTILE
FOE_TO_FRIEND = Flag.SOURCE_HOSTILE
FOE = CURATOR
WOLF = 'Pet-0-1-532-1-165189-0100000001,"Wolf",0x1112,0x0'
TOTEM = 'Creature-0-1-532-1-15439-0000000009,"Fire Elemental Totem",0x2112,0x0'
ELEMENTAL = 'Creature-0-1-532-1-15438-0000000008,"Greater Fire Elemental",0x2112,0x0'


def one(tmp_path: Path, *events: str) -> tuple[ReportRecord, Row]:
    """What the last of these lines became, in the middle of a fight."""
    report, (record,) = read(tmp_path / "log.txt", fight(*events))
    assert not report.bad, report.bad_lines
    log = rows(record)
    return report, log.row(len(log) - 2)


def actor(report: ReportRecord, name: str) -> Actor:
    return next(actor for actor in report.actors if actor.name == name)


@pytest.mark.parametrize(
    ("event", "kind", "amount", "extra", "flags"),
    [
        (frostbolt(payload=damage(1941, absorbed=30, critical="1")), Kind.DAMAGE, 1941, 30,
         FRIEND_TO_FOE | Flag.CRITICAL),
        (f'RANGE_DAMAGE,{ULF},{FOE},75,"Auto Shot",0x1,{state(FOE)},{damage(7)}', Kind.DAMAGE, 7, 0, FRIEND_TO_FOE),
        (f'DAMAGE_SHIELD,{ULF},{FOE},9910,"Thorns",0x8,{state(FOE)},{damage(19)}', Kind.DAMAGE, 19, 0, FRIEND_TO_FOE),
        (f'SPELL_PERIODIC_DAMAGE,{ULF},{FOE},27216,"Corruption",0x20,{state(FOE)},{damage(300)}', Kind.DAMAGE, 300, 0,
         FRIEND_TO_FOE | Flag.PERIODIC),
        (f"SWING_DAMAGE_LANDED,{FOE},{ULF},{state(ULF)},192,192,-1,1,0,0,152,nil,1,nil", Kind.DAMAGE, 192, 152,
         FOE_TO_FRIEND | Flag.GLANCING),
        (f"SWING_DAMAGE,{ULF},{FOE},{state(ULF)},192,192,-1,1,0,0,0,nil,nil,1", Kind.DAMAGE, 192, 0,
         FRIEND_TO_FOE | Flag.CRUSHING | Flag.ABOUT_SOURCE),
        (f"ENVIRONMENTAL_DAMAGE,{NOBODY},{ULF},{state(ULF)},Fire,12,12,0,4,0,0,3,nil,nil,nil", Kind.DAMAGE, 12, 3,
         Flag.ENVIRONMENT),
        (f'SPELL_HEAL,{ANNA},{ULF},25222,"Renew",0x2,{state(ULF)},1440,1440,440,0,1', Kind.HEAL, 1440, 440,
         Flag.CRITICAL),
        (f'SPELL_PERIODIC_HEAL,{ANNA},{ULF},25222,"Renew",0x2,{state(ULF)},90,90,0,0,nil', Kind.HEAL, 90, 0,
         Flag.PERIODIC),
        (f'SPELL_MISSED,{ULF},{FOE},25304,"Frostbolt",0x10,RESIST,nil,77', Kind.MISS, 77, Miss.RESIST, FRIEND_TO_FOE),
        (f"SWING_MISSED,{FOE},{ULF},ABSORB,nil,152,192", Kind.MISS, 152, Miss.ABSORB, FOE_TO_FRIEND),
        (f"SWING_MISSED,{ULF},{FOE},DODGE,1", Kind.MISS, 0, Miss.DODGE, FRIEND_TO_FOE | Flag.OFF_HAND),
        (f'SPELL_CAST_START,{ULF},{NOBODY},25304,"Frostbolt",0x10', Kind.CAST_START, 0, 0, 0),
        (f'SPELL_CAST_SUCCESS,{ULF},{FOE},25304,"Frostbolt",0x10,{state(ULF)}', Kind.CAST, 0, 0,
         FRIEND_TO_FOE | Flag.ABOUT_SOURCE),
        (f'SPELL_CAST_FAILED,{ULF},{NOBODY},25304,"Frostbolt",0x10,"Interrupted"', Kind.CAST_FAILED, 0, 0, 0),
        (f'SPELL_AURA_APPLIED,{ULF},{ULF},12472,"Icy Veins",0x10,BUFF', Kind.AURA_ON, 1, 0, Flag.BUFF),
        (f'SPELL_AURA_REMOVED,{ULF},{FOE},27216,"Corruption",0x20,DEBUFF', Kind.AURA_OFF, 0, 0, FRIEND_TO_FOE),
        (f'SPELL_AURA_REFRESH,{ULF},{FOE},27216,"Corruption",0x20,DEBUFF', Kind.AURA_REFRESH, 1, 0, FRIEND_TO_FOE),
        (f'SPELL_AURA_APPLIED_DOSE,{ULF},{FOE},12579,"Winter\'s Chill",0x10,DEBUFF,4', Kind.AURA_DOSE, 4, 0,
         FRIEND_TO_FOE),
        (f'SPELL_ENERGIZE,{ULF},{ULF},28499,"Restore Mana",0x1,{state(ULF)},1112.0000,0.0000,0,6168', Kind.ENERGIZE,
         1112, 0, Flag.ABOUT_SOURCE),
        (f'SPELL_PERIODIC_LEECH,{FOE},{ULF},27217,"Drain",0x20,{state(ULF)},35,1,35,100', Kind.DRAIN, 35, 1,
         FOE_TO_FRIEND | Flag.PERIODIC),
        (f'SPELL_EXTRA_ATTACKS,{ULF},{ULF},16459,"Sword Specialization",0x1,2', Kind.EXTRA_ATTACKS, 2, 0, 0),
        (f'SPELL_RESURRECT,{ANNA},{ULF},20748,"Rebirth",0x8', Kind.RESURRECT, 0, 0, 0),
        (died(ULF), Kind.DEATH, 0, 0, 0),
    ],
)  # fmt: skip
def test_each_event_becomes_a_row_with_its_values(
    event: str, kind: Kind, amount: int, extra: int, flags: int, tmp_path: Path
) -> None:
    _, row = one(tmp_path, event)
    assert (row.kind, row.amount, row.extra, row.flags) == (kind, amount, extra, int(flags))


def test_overkill_is_no_damage(tmp_path: Path) -> None:
    _, row = one(tmp_path, frostbolt(payload=damage(2000, overkill=300)))
    assert (row.amount, row.overkill) == (1700, 300)


def test_spells_that_were_interrupted_or_dispelled_are_told(tmp_path: Path) -> None:
    report, row = one(tmp_path, f'SPELL_INTERRUPT,{ULF},{FOE},2139,"Counterspell",0x40,118,"Polymorph",64')
    assert report.spells[row.extra].name == "Polymorph"
    report, row = one(tmp_path, f'SPELL_DISPEL,{ANNA},{ULF},988,"Dispel Magic",0x2,18881,"Siphon Life",32,DEBUFF')
    assert (row.kind, report.spells[row.extra].id, row.flags) == (Kind.DISPEL, 18881, 0)


@pytest.mark.parametrize("attack", ["", '30153,"Cleave",0x1,'])
def test_an_absorb_is_credited_to_whoever_shielded(attack: str, tmp_path: Path) -> None:
    report, row = one(tmp_path, f'SPELL_ABSORBED,{FOE},{ULF},{attack}{ANNA},25218,"Power Word: Shield",0x2,68,85')
    assert (row.kind, report.actors[row.source].name, row.amount) == (Kind.ABSORB, "Anna", 68)
    assert (report.actors[row.target].name, report.actors[row.extra].name) == ("Ulf", "The Curator")
    assert report.spells[row.spell].name == "Power Word: Shield"


def test_health_and_power_are_of_whom_the_block_is_about(tmp_path: Path) -> None:
    _, row = one(tmp_path, frostbolt(about=state(FOE, health=59, power=10)))
    assert (row.health, row.max_health, row.power, row.max_power, row.power_type) == (59, 100, 10, 4803, 0)
    assert not row.flags & Flag.ABOUT_SOURCE


def test_a_zeroed_block_is_missing_and_not_zero(tmp_path: Path) -> None:
    report, (record,) = read(tmp_path / "log.txt", [line.replace(state(FOE), ZEROS) for line in fight()])
    log = rows(record)
    assert set(log.health) == set(log.power) == set(log.max_health) == {UNKNOWN}
    assert not report.bad
    assert "advanced combat logging was off" in " ".join(record.fight.missing)


def test_a_zeroed_block_of_a_cast_at_nobody_is_nobodys(tmp_path: Path) -> None:
    nobody = "0000000000000000,nil,0x80000000,0x80000000"
    _, row = one(tmp_path, f'SPELL_CAST_SUCCESS,{ULF},{nobody},2687,"Bloodrage",0x1,{ZEROS}')
    assert (row.health, row.max_health, row.power, row.max_power, row.power_type) == (UNKNOWN,) * 5


def test_a_melee_hit_that_is_written_twice_counts_once_with_the_victims_health(tmp_path: Path) -> None:
    hit = "192,192,-1,1,0,0,0,nil,nil,nil"
    lines = [f"SWING_DAMAGE,{ULF},{FOE},{state(ULF, 97)},{hit}"] * 2
    lines += [f"SWING_DAMAGE_LANDED,{ULF},{FOE},{state(FOE, health)},{hit}" for health in (60, 59)]
    _, (record,) = read(tmp_path / "log.txt", fight(*lines, step_ms=250))
    log = rows(record)
    swings = [row for row in log.rows() if row.spell == NO_SPELL]
    assert [row.amount for row in swings] == [192, 192]
    assert sorted(row.health for row in swings) == [59, 60]
    assert not any(row.flags & Flag.ABOUT_SOURCE for row in swings)


@pytest.mark.parametrize("event", ["SWING_DAMAGE", "SWING_DAMAGE_LANDED"])
def test_a_melee_hit_that_is_written_once_counts(event: str, tmp_path: Path) -> None:
    hits = [f"{event},{ULF},{FOE},{state(FOE)},192,192,-1,1,0,0,0,nil,nil,nil"] * 3
    _, (record,) = read(tmp_path / "log.txt", fight(*hits))
    assert sum(row.amount for row in rows(record).rows() if row.spell == NO_SPELL) == 3 * 192


def test_names_may_hold_commas_and_realms_are_kept_apart(tmp_path: Path) -> None:
    strange = 'Creature-0-1-532-1-17229-0000000002,"Kil\'rek, the ""imp""",0xa48,0x0'
    report, row = one(tmp_path, frostbolt(target=strange))
    assert "Kil'rek, the" in report.actors[row.target].name
    assert (actor(report, "Ulf").realm, actor(report, "Ulf").kind) == ("Everlook", "player")
    assert actor(report, "The Curator").npc_id == 15691


def test_the_width_of_the_advanced_block_is_learnt(tmp_path: Path) -> None:
    wide = state(FOE).replace(",1561,", ",1561,0,0,")
    cast = f'SPELL_CAST_SUCCESS,{ULF},{FOE},25304,"Frostbolt",0x10,{state(ULF).replace(",1561,", ",1561,0,0,")}'
    lines = [line.replace(state(FOE), wide) for line in fight(cast, frostbolt(payload=damage(77)))]
    report, (record,) = read(tmp_path / "log.txt", lines)
    assert not report.bad, report.bad_lines
    assert [row.amount for row in rows(record).rows() if row.kind == Kind.DAMAGE] == [500, 77, 500]
    assert {row.power for row in rows(record).rows()} == {1200}


def test_pets_and_totems_belong_to_their_owners(tmp_path: Path) -> None:
    bite = f'SPELL_DAMAGE,{WOLF},{FOE},17261,"Bite",0x1,{state(FOE)},{damage()}'
    swing = f"SWING_DAMAGE,{WOLF},{FOE},{state(WOLF, owner='Player-1-0000000B')},9,9,-1,1,0,0,0,nil,nil,nil"
    report, (record,) = read(
        tmp_path / "log.txt",
        fight(
            bite,
            swing,
            frostbolt(ANNA),
            f'SPELL_SUMMON,{ULF},{TOTEM},2894,"Fire Elemental Totem",0x4',
            f'SPELL_SUMMON,{TOTEM},{ELEMENTAL},32982,"Fire Elemental",0x4',
            frostbolt(ELEMENTAL),
        ),
    )
    owners = {one.name: report.actors[one.owner].name for one in report.actors if one.owner is not None}
    assert owners == {"Wolf": "Anna", "Fire Elemental Totem": "Ulf", "Greater Fire Elemental": "Ulf"}
    damage_of = {report.actors[one.actor].name: one.pet_damage for one in record.performances}
    assert damage_of == {"Ulf": 500, "Anna": 509}


def test_a_pet_without_owner_field_belongs_to_whoever_mends_it(tmp_path: Path) -> None:
    mend = f'SPELL_PERIODIC_HEAL,{ANNA},{WOLF},27046,"Mend Pet",0x8,{state(WOLF)},90,90,0,0,nil'
    report, _ = read(tmp_path / "log.txt", fight(frostbolt(WOLF), mend))
    assert report.actors[actor(report, "Wolf").owner or 0].name == "Anna"


def test_a_player_under_mind_control_is_hostile_for_as_long(tmp_path: Path) -> None:
    _, row = one(tmp_path, frostbolt(source=ULF.replace("0x512", "0x1548")))
    assert row.flags & Flag.SOURCE_HOSTILE


@pytest.mark.parametrize("form", [LogForm(), LogForm(advanced=False)], ids=["advanced", "not advanced"])
def test_a_line_that_begins_like_one_before_makes_the_row_that_a_new_one_makes(form: LogForm, tmp_path: Path) -> None:
    lines = [line.rstrip() for line in make_raid(5, encounters=(652,), health=0.1, form=form).lines()]
    events = {line: line.partition("  ")[2].partition(",")[0] for line in lines}
    twice = [line for line in lines for _ in range(1 if events[line] in CONTROL else 2)]
    report, (record,) = read(tmp_path / "log.txt", twice)
    both = list(rows(record).rows())
    assert not report.bad
    assert len(both) > 500
    assert both[0::2] == both[1::2]


COMBATANT = (
    "COMBATANT_INFO,Player-1-0000000A,1,198,197,517,450,320,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1492,0,(18,0,43),(),"
    "[(29035,120,(3002,0,0),(),(24030,70,31867,70)),(0,0,(),(),()),(29037,120,(),(),())],"
    "[Player-1-0000000B,25392,1,Player-1-0000000A,12472,1],0,0,()"
)


def test_gear_talents_and_auras_are_read_from_the_start_of_the_fight(tmp_path: Path) -> None:
    report, (record,) = read(tmp_path / "log.txt", fight(COMBATANT))
    (combatant,) = record.combatants
    assert combatant.talents == (18, 0, 43)
    assert [(item.slot, item.item_id, item.enchant, item.gems) for item in combatant.gear] == [
        (0, 29035, 3002, (24030, 31867)),
        (2, 29037, 0, ()),
    ]
    assert combatant.auras == ((NO_ACTOR, 25392), (report.actors.index(actor(report, "Ulf")), 12472))
    assert not record.fight.missing


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "an empty line"),
        ("nonsense", "no timestamp"),
        ("5/24 20:00:01.0  UNIT_DIED", "no timestamp"),
        ("13/24 20:00:01.000  UNIT_DIED", "no such date"),
        ("5/24 20:00:01.000  SPELL_DAMAG,1", "unknown event"),
        (f"5/24 20:00:01.000  {frostbolt()[:-20]}", "another number of fields than this event has"),
        (f'5/24 20:00:01.000  {frostbolt()[:-3]}"1,2"', "another number of fields than this event has"),
        (f"5/24 20:00:01.000  {frostbolt(payload=damage().replace('500', '5x0'))}", "a number cannot be read"),
        (f"5/24 20:00:01.000  {frostbolt(payload=damage(-5))}", "a number is out of range"),
        (f"5/24 20:00:01.000  {frostbolt(payload=damage(99_999_999_999))}", "a number cannot be read"),
        (f"5/24 20:00:01.000  {frostbolt(source='Player,Ulf,0x512,0x0')}", "a unit's id cannot be read"),
        (f"5/24 20:00:01.000  {frostbolt(payload=damage(critical='maybe'))}", "a value that this event cannot have"),
        (f"5/24 20:00:01.000  {COMBATANT.replace('],', ',')}", "a bracket is not closed"),
        ("5/24 20:00:01.000  " + "x" * 70_000, "too long"),
    ],
)
def test_a_bad_line_is_counted_by_reason_and_shown(line: str, reason: str, tmp_path: Path) -> None:
    lines = fight()
    lines[3:3] = [line]
    report, (record,) = read(tmp_path / "log.txt", lines)
    assert [(bad.reason, bad.count) for bad in report.bad_lines] == [(reason, 1)]
    assert report.bad_lines[0].first == ((4, line[:300]),)
    assert len(rows(record)) == 2


def test_a_comma_in_quotes_where_a_number_belongs_is_counted(tmp_path: Path) -> None:
    """A cast's last values are not looked at."""
    cast = f'SPELL_CAST_SUCCESS,{ULF},{CURATOR},25304,"Frostbolt",0x10,{state(ULF)}'
    report, (record,) = read(tmp_path / "log.txt", fight(cast, f'{cast[:-2]}"5,9"', cast))
    assert (report.bad, len(rows(record))) == (1, 4)


def test_only_the_first_twenty_of_a_reason_are_kept(tmp_path: Path) -> None:
    lines = fight()
    lines[3:3] = ["nonsense"] * 30
    report, _ = read(tmp_path / "log.txt", lines)
    assert (report.bad, len(report.bad_lines[0].first)) == (30, 20)
