"""Figures of one fight that are easily misread: misses, trinkets, tanks' deaths, what ran out, who came back."""

from typing import Any

import pytest
from tests.extensions.raids.written_fight import ADD, BOSS, OTHER, PLAYER, WrittenFight, encounter, facts, wearing

from glassloop.core.records import ToolResult
from glassloop.extensions.raids.analysis.efficiency.resources import resource_uses
from glassloop.extensions.raids.analysis.review.abilities import PlayerAbility
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import ClassSpell, Consumable, Cooldown, Dot, Mechanic, Proc, RaidBuff
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import AbilityTotal, Blow, Combatant, Death, GearItem, Performance, Spell
from glassloop.extensions.raids.tools.efficiency import cooldown_answer, dot_answer
from glassloop.extensions.raids.tools.fight.activity import activity_answer, raid_activity_answer
from glassloop.extensions.raids.tools.fight.buffs import buff_answer, raid_buff_answer
from glassloop.extensions.raids.tools.fight.deaths import death_answer
from glassloop.extensions.raids.tools.overheal_and_power import resource_answer
from glassloop.extensions.raids.tools.preparation import consumable_answer, raid_enchant_answer
from glassloop.extensions.raids.tools.reader import RaidReader

READER = RaidReader(None, load_knowledge())
CLEAVE = 30619
LUST, ABACUS, FLASK = 2825, 33807, 17628


def told(result: ToolResult) -> dict[str, Any]:
    data: Any = result.data
    return data


@pytest.mark.parametrize(
    ("counts", "percent"),
    [
        ({"casts": 14, "ticks": 79, "misses": 1}, 100 / 14),
        ({"casts": 20, "hits": 18, "ticks": 60, "misses": 2}, 10),
        ({"hits": 90, "misses": 10}, 10),
        ({"casts": 5, "hits": 15, "misses": 5}, 25),
        ({"casts": 2, "ticks": 30, "misses": 10}, 25),
        ({"casts": 3}, 0),
    ],
)
def test_misses_are_of_the_casts_where_an_ability_only_ticks(counts: dict[str, Any], percent: float) -> None:
    one = PlayerAbility(name="Rupture", spell_ids=(1,), total=1, share=1.0, **counts)
    assert one.miss_percent == pytest.approx(percent)


def test_trinket_to_be_used_is_a_cooldown_and_no_proc() -> None:
    use = Cooldown(name="Abacus", spells=(ABACUS,), kind="throughput", cooldown_s=120, source="item")
    cloak = Cooldown(name="Cloak of Shadows", spells=(31224,), class_name="Rogue", kind="defensive", cooldown_s=60)
    proc = Proc(name="Abacus", items=(28288,), auras=(ABACUS,), uptime=8)
    fight = WrittenFight(200, class_name="Rogue", spec="Combat")
    fight.cast(1, 5)
    worn = wearing(gear=(GearItem(slot=12, item_id=28288),))
    view = fight.view(facts(cooldowns=(use, cloak), procs=(proc,)), combatants=(worn,))
    data = told(cooldown_answer(READER, view, PLAYER))
    assert {row["cooldown"]: row["flagged"] for row in data["cooldowns"]} == {"Abacus": True, "Cloak of Shadows": False}
    assert data["flagged"] == ["Abacus"]
    assert "Abacus is worn and was never used." in data["notes"]
    assert told(buff_answer(READER, view, PLAYER))["procs"] == []


def killed(role: str, *, back_at: float | None = None) -> dict[str, Any]:
    fight = WrittenFight(100, class_name="Warrior", role=role)
    fight.spells = [Spell(id=CLEAVE, name="Cleave", school=1)]
    blows = (
        Blow(at=1_000, kind="damage", source=BOSS, spell=0, amount=9),
        Blow(at=48_000, kind="heal", source=OTHER, spell=0, amount=0),
        Blow(at=50_000, kind="damage", source=BOSS, spell=0, amount=9_000, overkill=5),
    )
    if back_at is not None:
        fight.add(back_at, Kind.RESURRECT, CLEAVE, source=OTHER, target=PLAYER)
    wall = Cooldown(name="Shield Wall", spells=(871,), class_name="Warrior", kind="defensive", cooldown_s=300)
    fight.cast(10, 871)
    mechanic = Mechanic(
        name="Cleave", kind="position", spells=(CLEAVE,), advice="Only the tank stands there.", tank_takes=True
    )
    deaths = tuple(Death(actor=player, at=50_000, blows=blows, cause=2) for player in (PLAYER, OTHER))
    view = fight.view(facts(cooldowns=(wall,), encounters=encounter(mechanics=(mechanic,))), deaths=deaths)
    return told(death_answer(READER, view, None))


def test_what_a_tank_has_to_take_was_not_avoidable_for_a_tank() -> None:
    data = killed("tank")
    assert [row["avoidable"] for row in data["each"]] == ["no: a tank takes it", "yes"]
    assert data["advice"] == ["Cleave: Only the tank stands there."]
    assert killed("damage")["advice"] == ["Cleave: Only the tank stands there. (2 deaths)"]
    row = data["each"][0]
    assert (row["damage_type"], row["defensives_ready"], row["defensives_on_cooldown"]) == (
        "physical", "none", "Shield Wall",
    )  # fmt: skip


def test_death_tells_who_came_back_and_nothing_of_long_before() -> None:
    data = killed("tank", back_at=80)
    assert [(row["alive_again_at"], row["resurrected_by"]) for row in data["each"]] == [("1:20", "Anna"), (None, None)]
    assert any("Ulf at 1:20" in note for note in data["notes"])
    assert [row["before_s"] for row in data["before_death_1"]] == [0.0]


def test_flask_that_ran_out_does_not_count_as_there() -> None:
    fight = WrittenFight(200, class_name="Mage", role="damage")
    fight.buff(-1, 48, FLASK)
    view = fight.view(
        facts(consumables=(Consumable(name="Flask", kind="flask", auras=(FLASK,)),)), combatants=(wearing(FLASK),)
    )
    data = told(consumable_answer(READER, view, []))
    row = next(row for row in data["players"] if row["player"] == "Ulf")
    assert (row["flask"], row["ran_out_or_late"], data["flask_or_both_elixirs_percent"]) == (
        "Flask 24 %", "flask until 0:48, 24 %", 0.0,
    )  # fmt: skip


def test_buff_that_ran_out_is_missing_by_the_same_rule_everywhere_and_says_until_when() -> None:
    fortitude = RaidBuff(name="Fortitude", auras=(25389,), class_name="Priest", major=True)
    fight = WrittenFight(100, class_name="Mage", role="damage")
    fight.buff(-1, 42, 25389)
    fight.buff(-1, 80, 25389, target=OTHER)
    auras = ((OTHER, 25389),)
    worn = (Combatant(actor=PLAYER, auras=auras), Combatant(actor=OTHER, auras=auras))
    priest = Performance(actor=OTHER, class_name="Priest")
    view = fight.view(facts(raid_buffs=(fortitude,)), performances=(priest,), combatants=worn)
    (row,) = told(raid_buff_answer(READER, view))["raid_buffs"]
    assert (row["covered"], row["without"], row["covered_in_part"]) == (
        1, "Ulf (until 0:42 42 %)", "Anna (until 1:20 80 %)",
    )  # fmt: skip
    mine = told(buff_answer(READER, view, PLAYER))["missing_raid_buffs"]
    assert mine == ["Fortitude (Priest: Anna): until 0:42 42 %"]
    assert told(buff_answer(READER, view, OTHER))["missing_raid_buffs"] == []


def covered_by(buff: RaidBuff, fight: WrittenFight, *worn: Combatant) -> FightView:
    performances = (Performance(actor=OTHER, class_name="Warrior"),)
    return fight.view(facts(raid_buffs=(buff,)), performances=performances, combatants=worn)


def test_buff_of_a_group_is_missing_for_a_player_as_it_is_for_the_raid_and_its_caster_has_it() -> None:
    shout = RaidBuff(name="Battle Shout", auras=(2048,), class_name="Warrior", covers="group", major=True)
    fight = WrittenFight(100, class_name="Rogue", role="damage")
    fight.buff(1, 99, 2048, source=OTHER, target=ADD)
    view = covered_by(shout, fight, wearing(FLASK), Combatant(actor=OTHER))
    (row,) = told(raid_buff_answer(READER, view))["raid_buffs"]
    assert (row["covered"], row["of"], row["without"], row["casters"]) == (1, 2, "Ulf", "Anna")
    mine = told(buff_answer(READER, view, PLAYER))
    assert (mine["missing_raid_buffs"], mine["missing_group_buffs"]) == ([], ["Battle Shout (Warrior: Anna)"])


def test_who_should_bring_what_nobody_had_is_named() -> None:
    kings = RaidBuff(name="Kings", auras=(20217,), class_name="Warrior", major=True)
    view = covered_by(kings, WrittenFight(100, class_name="Rogue"), wearing(FLASK), Combatant(actor=OTHER))
    data = told(raid_buff_answer(READER, view))
    (row,) = data["raid_buffs"]
    assert (row["without"], row["should_bring"], data["issues"]) == ("all", "Anna", ["Kings"])


def test_buff_that_the_log_cannot_show_is_said_as_such_and_is_nobodys_fault() -> None:
    kings = RaidBuff(name="Kings", auras=(20217,), class_name="Warrior", major=True)
    view = covered_by(kings, WrittenFight(100, class_name="Rogue"))
    data = told(raid_buff_answer(READER, view))
    assert (data["raid_buffs"], data["issues"]) == ([], [])
    assert any(text.startswith("no Kings: cast before the pull") for text in data["missing"])
    mine = told(buff_answer(READER, view, PLAYER))
    assert mine["missing_raid_buffs"] == []
    assert any(text.startswith("no Kings") for text in mine["missing"])


def test_buffs_that_the_log_cannot_show_for_one_reason_are_one_line() -> None:
    buffs = tuple(RaidBuff(name=name, auras=(spell,), class_name="Warrior", major=True)
                  for name, spell in (("Kings", 20217), ("Might", 27140)))  # fmt: skip
    fight = WrittenFight(100, class_name="Rogue")
    warrior = Performance(actor=OTHER, class_name="Warrior")
    view = fight.view(facts(raid_buffs=buffs), performances=(warrior,))
    unseen = [text for text in told(raid_buff_answer(READER, view))["missing"] if "need not show" in text]
    assert len(unseen) == 1
    assert unseen[0].startswith("no Kings, Might: cast before the pull")


def test_buff_that_logs_need_not_show_is_held_against_nobody() -> None:
    windfury = RaidBuff(name="Windfury", auras=(25580,), class_name="Shaman", covers="group", major=True, hidden=True)
    fight = WrittenFight(100, class_name="Rogue", role="damage")
    shaman = Performance(actor=OTHER, class_name="Shaman")
    data = told(raid_buff_answer(READER, fight.view(facts(raid_buffs=(windfury,)), performances=(shaman,))))
    assert data["raid_buffs"] == [] and any("no Windfury" in text for text in data["missing"])
    fight.buff(-1, 90, 25580)
    (row,) = told(raid_buff_answer(READER, fight.view(facts(raid_buffs=(windfury,)), performances=(shaman,))))[
        "raid_buffs"
    ]
    assert (row["buff"], row["covered"]) == ("Windfury", 1)


def test_defensive_that_does_nothing_against_the_blow_is_not_offered() -> None:
    cloak = Cooldown(name="Cloak", spells=(31224,), class_name="Warrior", kind="defensive", cooldown_s=60, schools=126)
    wall = Cooldown(name="Wall", spells=(871,), class_name="Warrior", kind="defensive", cooldown_s=300)
    fight = WrittenFight(100, class_name="Warrior")
    blow = Blow(at=50_000, kind="damage", source=BOSS, spell=0xFFFF, amount=9_000)
    death = Death(actor=PLAYER, at=50_000, blows=(blow,), cause=0)
    view = fight.view(facts(cooldowns=(cloak, wall)), deaths=(death,))
    (row,) = told(death_answer(READER, view, PLAYER))["each"]
    assert (row["damage_type"], row["defensives_ready"]) == ("physical (melee)", "Wall")


def test_healer_gets_no_grade_for_activity_and_gaps_without_mana_say_so() -> None:
    fight = WrittenFight(60, class_name="Priest", spec="Holy", role="healer")
    for at, mana in ((0, 1000), (2, 700), (4, 400), (30, 400), (58, 400)):
        fight.cast(at, 10, flags=Flag.ABOUT_SOURCE, power=mana, max_power=1000, power_type=0)
    heal = AbilityTotal(actor=PLAYER, kind="healing", spell=fight.index(10), total=100, hits=6, casts=6)
    view = fight.view(abilities=(heal,))
    data = told(activity_answer(READER, view, PLAYER))
    assert data["grade"] is None and any("No grade" in note for note in data["notes"])
    reasons = {gap["from_s"]: gap["what_happened"] for gap in data["gaps"]}
    assert "less mana than the usual heal costs" in reasons[5.5]
    (use,) = resource_uses(view, PLAYER)
    assert (use.usual_heal, use.usual_cost) == ("Spell 10", 300)
    row = told(resource_answer(READER, view, PLAYER))
    assert row["resources"][0]["below_usual_heal_percent"] > row["resources"][0]["at_zero_percent"]
    assert row["verdict"].startswith("Out of mana: at zero or below the 300 mana")


def test_what_the_boss_does_all_the_time_explains_no_gap() -> None:
    fight = WrittenFight(200, class_name="Mage", role="damage")
    for at in range(0, 100, 2):
        fight.cast(at, 10)
    for at in range(1, 200, 5):
        fight.add(at, Kind.CAST, CLEAVE, source=BOSS, flags=Flag.SOURCE_HOSTILE)
    fight.add(120, Kind.CAST, LUST, source=BOSS, flags=Flag.SOURCE_HOSTILE)
    for at in range(130, 200, 2):
        fight.cast(at, 10)
    (gap,) = told(activity_answer(READER, fight.view(), PLAYER))["gaps"]
    assert gap["what_happened"] == f"Boss cast Spell {LUST}"


def test_bloodlust_is_told_by_when_it_came_and_by_who_had_it_at_all() -> None:
    lust = RaidBuff(name="Bloodlust", auras=(LUST,), class_name="Shaman", covers="group")
    cooldown = Cooldown(name="Bloodlust", spells=(LUST,), class_name="Shaman", kind="throughput", cooldown_s=600)
    fight = WrittenFight(400)
    for target in (PLAYER, OTHER):
        fight.buff(10, 50, LUST, target=target, source=OTHER)
    shaman = Performance(actor=OTHER, class_name="Shaman")
    view = fight.view(facts(raid_buffs=(lust,), cooldowns=(cooldown,)), performances=(shaman,))
    (row,) = told(raid_buff_answer(READER, view))["raid_buffs"]
    assert (row["covered"], row["of"], row["came_at"], row["without"]) == (2, 2, "0:10", None)


def test_first_time_without_mana_is_told() -> None:
    fight = WrittenFight(100, class_name="Priest", spec="Holy", role="healer")
    for at, mana in ((0, 1000), (20, 520), (40, 500), (60, 0), (90, 0)):
        fight.cast(at, 10, flags=Flag.ABOUT_SOURCE, power=mana, max_power=1000, power_type=0)
    view = fight.view()
    (use,) = resource_uses(view, PLAYER)
    # At 20 of 1,000, on the way from 500 to 0.
    assert use.first_zero_at == 40_000 + 20_000 * 480 // 500
    data = told(resource_answer(READER, view, PLAYER))
    assert data["resources"][0]["first_at_zero"] == "0:59"
    assert "first at 0:59" in data["verdict"]


def test_raid_is_told_in_one_table_who_has_most_to_enchant() -> None:
    gear = (GearItem(slot=0, item_id=1), GearItem(slot=15, item_id=2, enchant=5))
    whole = Combatant(actor=OTHER, gear=tuple(GearItem(slot=item.slot, item_id=1, enchant=5) for item in gear))
    view = WrittenFight(60, class_name="Rogue").view(
        facts(enchantable_slots=(0, 15)), combatants=(whole, wearing(gear=gear))
    )
    data = told(raid_enchant_answer(READER, view))
    assert [(row["player"], row["enchanted"], row["without_enchant"]) for row in data["everybody"]] == [
        ("Ulf", "1 of 2", "head"), ("Anna", "2 of 2", None),
    ]  # fmt: skip
    assert (data["players_checked"], data["without_fault"]) == (2, 1)
    bare = told(raid_enchant_answer(READER, WrittenFight(60).view()))
    assert bare["everybody"] == [] and any("no gear of 2 players (Ulf, Anna)" in text for text in bare["missing"])


def test_raid_is_told_in_one_table_who_lost_most_time_and_gaps_come_longest_first() -> None:
    fight = WrittenFight(60, class_name="Mage")
    for at in (0, 4, 14, 40):
        fight.cast(at, 5)
    for number in range(40):
        fight.cast(number * 1.5, 5, source=OTHER)
    view = fight.view()
    rows = told(raid_activity_answer(READER, view))["everybody"]
    assert [row["player"] for row in rows] == ["Ulf", "Anna"]
    # Four of forty global cooldowns, where 90 % are expected.
    assert (rows[0]["lost_s"], rows[1]["lost_s"], rows[0]["longest_gap_from"]) == (48.0, 0.0, "0:16")
    gaps = [row["length_s"] for row in told(activity_answer(READER, view, PLAYER))["gaps"]]
    assert gaps == [24.5, 18.5, 8.5]


def test_low_uptime_of_a_dot_is_told_beside_the_grade_of_its_renewals() -> None:
    dot = Dot(name="Pain", class_name="Priest", spells=(589,), duration_s=18, tick_s=3, longest_s=24)
    fight = WrittenFight(100, class_name="Priest", spec="Shadow")
    for at in (0, 50):
        fight.cast(at, 589)
        fight.add(at, Kind.AURA_ON, 589)
        fight.add(at + 18, Kind.AURA_OFF, 589)
    for at in (0, 100):
        fight.add(at, Kind.DAMAGE, 5, amount=1, flags=Flag.TARGET_HOSTILE)
    data = told(dot_answer(READER, fight.view(facts(dots=(dot,))), PLAYER))
    assert (data["grade"], data["uptime"], data["dots"][0]["renewal_grade"]) == (
        "renewals: good", "low of 1 of 1 DoTs", "good",
    )  # fmt: skip
    assert any("Pain was on Boss for 36 % of the time" in note for note in data["notes"])


def test_buff_table_names_few_and_blames_nobody_for_a_second_blessing() -> None:
    kings, light = (
        RaidBuff(name=f"Blessing of {name}", auras=(spell,), class_name="Paladin", major=True)
        for name, spell in (("Kings", 20217), ("Light", 19977))
    )
    misery = RaidBuff(name="Sunder Armor", auras=(3,), class_name="Paladin", major=True, debuff=True)
    view = WrittenFight(60).view(
        facts(raid_buffs=(kings, light, misery)), performances=(Performance(actor=OTHER, class_name="Paladin"),),
        combatants=(wearing(20217), Combatant(actor=OTHER)),
    )  # fmt: skip
    data = told(raid_buff_answer(READER, view))
    assert [(row["buff"], row["without"]) for row in data["raid_buffs"]] == [("Blessing of Kings", "Anna")]
    # The log has no debuffs at all: nobody failed to put one on.
    assert data["issues"] == [] and any("no debuffs" in text for text in data["missing"])


def test_auras_that_the_log_does_not_name_are_named_by_the_facts() -> None:
    form = ClassSpell(name="Shadowform", class_name="Priest", spells=(15473,), school=32)
    view = WrittenFight(60, class_name="Priest").view(facts(class_spells=(form,)), combatants=(wearing(15473),))
    assert [row["name"] for row in told(buff_answer(READER, view, PLAYER))["buffs"]] == ["Shadowform"]


def test_notes_come_after_the_tables() -> None:
    text = raid_enchant_answer(
        READER, WrittenFight(60).view(combatants=(wearing(gear=(GearItem(slot=0, item_id=1),)),))
    )
    assert text.output.index("| Player |") < text.output.index("Note: ")
