"""Profiles of players, averaged and put side by side."""

from typing import Any

import msgspec
import pytest

from extensions.raids.guild_nights import SPELLS, START, actors, fight
from glassloop.extensions.raids.analysis.history.consumable_shares import consumable_shares
from glassloop.extensions.raids.analysis.history.profile import (
    PlayerProfile,
    ProfileAbility,
    ProfileAura,
    ProfileCooldown,
    average_profile,
    player_profile,
)
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import AbilityTotal, Combatant, FightRecord
from glassloop.extensions.raids.tools.history.player_comparison import (
    ability_gaps,
    cooldown_gaps,
    gap_notes,
    uptime_gaps,
)


def ability(name: str, share: float, *spells: int) -> ProfileAbility:
    return ProfileAbility(name=name, spells=spells, share=share, per_second=share, casts_per_minute=1.0, critical=0.0)


def aura(name: str, percent: float, *spells: int) -> ProfileAura:
    return ProfileAura(name=name, spells=spells, on="self", percent=percent)


def test_the_same_ability_in_two_languages_is_one() -> None:
    english = PlayerProfile(role="damage", abilities=(ability("Fireball", 60.0, 27070),))
    german = PlayerProfile(role="damage", abilities=(ability("Feuerball", 40.0, 27070, 38692),))
    (mean,) = average_profile([english, german]).abilities
    assert (mean.name, mean.share, mean.spells) == ("Fireball", 50.0, (27070, 38692))


def test_a_buff_that_a_log_cannot_tell_does_not_lower_its_average() -> None:
    with_buff = PlayerProfile(role="damage", auras=(aura("Mark of the Wild", 100.0, 26990),))
    without = PlayerProfile(role="damage")
    unknown = PlayerProfile(role="damage", buffs_known=False)
    (mean,) = average_profile([with_buff, without, unknown]).auras
    assert mean.percent == 50.0


def test_an_aura_that_only_its_id_names_gets_its_name_from_another_log() -> None:
    nameless = PlayerProfile(role="damage", auras=(aura("", 100.0, 15473), aura("", 100.0, 99)))
    named = PlayerProfile(role="damage", auras=(aura("Shadowform", 80.0, 15473),))
    means = {one.spells: one for one in average_profile([nameless, named]).auras}
    assert (means[15473,].name, means[15473,].percent) == ("Shadowform", 90.0)
    assert (means[99,].name, means[99,].percent) == ("", 50.0)


def test_uptime_is_a_priority_where_the_player_brings_it_and_is_far_behind() -> None:
    shout = msgspec.structs.replace(aura("Battle Shout", 100.0, 2048), own=False)
    top = PlayerProfile(role="damage", auras=(shout, aura("Food", 100.0, 1), aura("Slice and Dice", 95.0, 2)))
    own = PlayerProfile(role="damage", auras=(aura("Slice and Dice", 90.0, 2), aura("Sprint", 3.0, 3)))
    rows = [(row["aura"], row["gap_points"], row["priority"]) for row in uptime_gaps(own, top)]
    assert rows == [("Battle Shout", -100.0, False), ("Food", -100.0, True), ("Slice and Dice", -5.0, False)]


def view(record: FightRecord) -> FightView:
    return FightView(record, FightLog.unpack(record.events), actors(), SPELLS, load_knowledge())


def test_flasks_are_unknown_where_the_log_has_no_combatants() -> None:
    record = fight(1, START)
    assert "flask" not in consumable_shares(view(record))
    flask = next(one for one in load_knowledge().consumables if one.kind == "flask" and one.auras)
    one = Combatant(actor=0, auras=((NOBODY, flask.auras[0]),))
    shares = consumable_shares(view(msgspec.structs.replace(record, combatants=(one,))))
    assert shares["flask"] == pytest.approx(100 / 3)
    assert shares["food"] == 0.0


def test_trinket_that_the_player_does_not_wear_is_no_priority() -> None:
    icon = ProfileCooldown(name="Icon of the Silver Crescent", uses=3, possible=3)
    combustion = ProfileCooldown(name="Combustion", uses=2, possible=2)
    idle = msgspec.structs.replace(combustion, uses=0)
    own, top = (
        PlayerProfile(role="damage", cooldowns=cooldowns, abilities=(), auras=())
        for cooldowns in ((idle,), (icon, combustion))
    )
    gaps: Any = cooldown_gaps(own, top)
    rows = {row["cooldown"]: row for row in gaps}
    assert [(row["brought"], row["priority"]) for row in rows.values()] == [(False, False), (True, True)]
    (row,) = uptime_gaps(own, msgspec.structs.replace(top, auras=(aura(icon.name, 40, 7),)))
    assert (row["gap_points"], row["priority"]) == (-40, False)


def test_main_abilities_are_compared_by_what_a_cast_does() -> None:
    fireball, melee = ability("Fireball", 100, 1), ability("Melee", 100, 2)
    own = PlayerProfile(role="damage", dps=650, abilities=(replaced(fireball, 600, 20), replaced(melee, 50, 0)))
    top = PlayerProfile(role="damage", dps=1120, abilities=(replaced(fireball, 1000, 25), replaced(melee, 120, 0)))
    rows: Any = ability_gaps(own, top)
    assert (rows[0]["your_average_cast"], rows[0]["top_average_cast"]) == (1800, 2400)
    assert gap_notes(own, top) == [
        "Of the gap of 470 DPS about 150 is fewer casts of the same abilities, 250 what each cast does (gear, crits, "
        "missing buffs and debuffs; of damage over time also ticks lost where it was renewed early, missed or its "
        "target died), 70 what is not cast (swings, shots, poisons, procs) and 0 abilities of one side only and what "
        "is not listed."
    ]
    busy = msgspec.structs.replace(own, abilities=(replaced(fireball, 600, 30), replaced(melee, 50, 0)))
    (note,) = gap_notes(busy, top)
    assert "about -100 is fewer casts" in note and note.endswith("what the player does more of than the top.")


def test_only_what_the_global_cooldown_gates_grows_with_its_uptime() -> None:
    record = fight(1, START, dps=1000)
    white = AbilityTotal(actor=0, kind="damage", spell=NO_SPELL, total=50_000, hits=60)
    combustion = AbilityTotal(actor=0, kind="damage", spell=3, total=10_000, hits=1, casts=1)
    record = msgspec.structs.replace(record, abilities=(*record.abilities, white, combustion))
    assert player_profile(view(record), 0).gated_dps == 1000.0


def replaced(one: ProfileAbility, per_second: float, casts: float) -> ProfileAbility:
    return msgspec.structs.replace(one, per_second=per_second, casts_per_minute=casts)
