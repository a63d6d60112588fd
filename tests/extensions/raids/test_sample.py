"""The sample: a guild's eight weeks, and kills of every encounter and spec to compare with."""

from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.records import FightRecord
from glassloop.extensions.raids.sample import REFERENCES, GeneratedRaid, make_raid, write_sample
from glassloop.extensions.raids.sample.figures import WornItem
from glassloop.extensions.raids.sample.gear import with_trinkets
from glassloop.extensions.raids.sample.guild import REGRESSION, guild_members, guild_nights
from glassloop.extensions.raids.sample.kits import kits
from glassloop.extensions.raids.sample.references import reference_nights
from glassloop.extensions.raids.sample.scripts import scripts
from glassloop.extensions.raids.sample.simulation.player import Habits


def test_references_have_every_spec_at_every_encounter() -> None:
    seen: dict[int, set[str]] = defaultdict(set)
    for night in reference_nights():
        for pull in night.pulls:
            seen[pull.encounter_id] |= {member.kit.label for member in night.members}
    assert seen.keys() == scripts().keys()
    assert all(labels == kits().keys() for labels in seen.values())


def test_classes_bring_the_debuffs_that_a_raid_is_asked_for() -> None:
    debuffs = {spell: buff for buff in load_knowledge().raid_buffs if buff.debuff for spell in buff.auras}
    brought = defaultdict[str, set[str]](set)
    for label, kit in kits().items():
        for ability in kit.abilities:
            ids = [one.id for one in ability.brings] + ([ability.id] if ability.debuff else [])
            brought[label] |= {debuffs[spell].name for spell in ids if spell in debuffs}
    assert brought["Mage Fire"] == {"Improved Scorch"}
    assert "Sunder Armor" in brought["Warrior Protection"]
    assert brought["Priest Shadow"] == {"Misery", "Shadow Weaving"}
    assert all("Hunter's Mark" in found for label, found in brought.items() if label.startswith("Hunter"))


def test_brought_debuffs_are_in_the_log_under_their_own_ids() -> None:
    raid = make_raid(5, size=25, health=0.3)
    truth = raid.truth
    kinds = {(one.spell_id, one.buff) for fight in truth.fights for one in fight.auras.values()}
    specs = {player.class_name + player.spec for fight in truth.fights for player in fight.players.values()}
    wanted = {"MageFire": 22959, "WarriorProtection": 25225, "PriestShadow": 33200}
    assert {spec for spec in wanted if spec in specs}
    assert {spec for spec, spell in wanted.items() if spec in specs and (spell, False) not in kinds} == set()
    assert (27074, False) not in kinds


def test_wipes_get_better_until_the_boss_falls() -> None:
    ends: dict[int, list[float]] = defaultdict(list)
    for night in guild_nights():
        for pull in night.pulls:
            ends[pull.encounter_id].append(pull.plan.wipe_at or 0)
    assert ends.keys() == scripts().keys()
    for tries in ends.values():
        assert tries == sorted(tries, reverse=True)
        assert tries[-1] == 0
    assert sum(len(tries) for tries in ends.values()) > 80


def test_players_are_dressed_better_from_week_to_week_and_one_of_them_plays_worse() -> None:
    early, late = guild_members(1, 0, 10), guild_members(1, 7, 10)
    for before, after in zip(early, late, strict=True):
        assert before.guid == after.guid
        assert sum(item.item_level for item in before.gear) < sum(item.item_level for item in after.gear)
        weaker = after.habits.strength < before.habits.strength
        assert weaker is (before.name == REGRESSION[0])


def test_only_the_players_that_are_to_lack_enchants_do() -> None:
    bare = Counter(
        member.name
        for member in guild_members(1, 5, 25)
        for item in member.gear
        if item.slot in (0, 4, 6) and not item.enchant
    )
    assert set(bare) <= {"Drusilla"}


def test_every_player_of_the_guild_has_the_fault_it_is_known_for() -> None:
    """By the figures of one night: the tools have something to find."""
    night = next(one for one in guild_nights() if one.pulls[-1].encounter_id == 661 and not one.pulls[-1].plan.wipe_at)
    encounters = load_knowledge().encounters
    fire, empty, clipped = Counter[str](), Counter[str](), Counter[str]()
    for fight in night.truth.fights:
        mechanics = encounters[fight.encounter_id].mechanics
        spells = {spell for one in mechanics if one.kind == "avoidable" for spell in one.spells}
        for player in fight.players.values():
            if player.role == "damage":
                fire[player.name] += sum(total for spell, total in player.taken_of.items() if spell in spells)
            if player.role == "healer" and player.lowest_power < 300:
                empty[player.name] += 1
            clipped[player.name] += sum(dot.early for dot in player.dots.values())
    assert fire.most_common(1)[0][0] == "Zorrin"
    assert empty.most_common(1)[0][0] == "Mirelle"
    assert clipped.most_common(1)[0][0] == "Vessara"
    assert clipped["Vessara"] > 10


def test_the_last_night_is_that_before_the_day_and_the_rest_is_the_same_every_day() -> None:
    one, other = guild_nights(day=date(2026, 3, 2)), guild_nights(day=date(2027, 1, 1))
    assert [night.started_at // 86_400_000 for night in (one[-1], other[-1])] == [
        (date(2026, 3, 1) - date(1970, 1, 1)).days, (date(2026, 12, 31) - date(1970, 1, 1)).days,
    ]  # fmt: skip
    assert all(night.started_at < one[-1].started_at for night in reference_nights(day=date(2026, 3, 2)))
    assert [night.seed for night in one] == [night.seed for night in other]
    assert [night.members for night in one] == [night.members for night in other]


def test_nobody_has_the_name_of_somebody_else() -> None:
    guild = {member.name for member in guild_members(1, 0, 25)}
    others = [member.name for night in reference_nights() for member in night.members]
    assert len(set(others)) == len(others)
    assert guild.isdisjoint(others)


def test_trinkets_that_are_worn_are_used_one_at_a_time() -> None:
    night = make_raid(5, health=0.3)
    kit = kits()["Mage Fire"]
    worn = (WornItem(slot=12, item_id=29370, item_level=110), WornItem(slot=13, item_id=24126, item_level=115))
    icon, ruby = (one for one in with_trinkets(kit, worn).abilities if one.trinket)
    assert {icon.name, ruby.name} == {"Icon of the Silver Crescent", "Figurine - Living Ruby Serpent"}
    member = msgspec.structs.replace(night.members[-1], kit=kit, gear=worn, habits=Habits(lapse=0))
    one = GeneratedRaid([*night.members[:-1], member], night.pulls, night.form, seed=5)
    used = [line.split(" ")[1] for line in one.lines() if "SPELL_AURA_APPLIED" in line and member.guid in line and any(
        f",{trinket.id}," in line for trinket in (icon, ruby)
    )]  # fmt: skip
    times = [datetime.strptime(text, "%H:%M:%S.%f").replace(tzinfo=UTC) for text in used]
    assert len(times) >= 2
    assert all((after - before).total_seconds() >= 19.9 for before, after in pairwise(times))


@pytest.mark.slow
def test_the_whole_sample_is_read_without_a_bad_line(tmp_path: Path) -> None:
    written = write_sample(tmp_path)
    assert len({path.name for path in written}) == len(written) == 32
    fights: dict[bool, list[FightRecord]] = {False: [], True: []}
    for path in written:
        report = read_log(path, found=fights[path.parent.name == REFERENCES].append)
        assert report.bad == 0
        assert report.lines == report.taken + report.outside
    assert all(record.fight.kill for record in fights[True])
    kills = Counter((record.fight.encounter_id, record.fight.kill) for record in fights[False])
    assert all(kills[encounter_id, True] for encounter_id in scripts())
    for record in fights[False] + fights[True]:
        length = (record.fight.ended_at - record.fight.started_at) / 1000
        assert 30 < length < 480
        if record.fight.kill:
            dps = [one.damage / length for one in record.performances if one.role == "damage"]
            assert 250 < sum(dps) / len(dps) < 1400
