"""A fight's record from its events."""

from typing import Any

from extensions.raids.hand_made import (
    ACTORS,
    BLAST,
    BOSS,
    CLEAVE,
    FEIGN,
    FROSTBOLT,
    MAGE,
    PET,
    PRIEST,
    RENEW,
    ROGUE,
    SHIELD,
    SPELLS,
    SPIRIT,
    FewFacts,
    view_of,
)  # fmt: skip
from glassloop.extensions.raids.analysis.summary import summarise
from glassloop.extensions.raids.fight_log import NO_SPELL, FightLog, Flag, Kind, Miss
from glassloop.extensions.raids.knowledge.facts import Spec
from glassloop.extensions.raids.records import AbilityTotal, Combatant, FightRecord, GearItem, Performance

HIT = Flag.TARGET_HOSTILE
STRUCK = Flag.SOURCE_HOSTILE


def _record(log: FightLog, combatants: tuple[Combatant, ...] = (), **facts: Any) -> FightRecord:
    knowledge = FewFacts()
    for name, value in facts.items():
        setattr(knowledge, name, value)
    return summarise(view_of(log).fight, log, ACTORS, SPELLS, combatants, knowledge)  # pyright: ignore[reportArgumentType]


def _performance(record: FightRecord, actor: int) -> Performance:
    return next(one for one in record.performances if one.actor == actor)


def _ability(record: FightRecord, actor: int, spell: int, kind: str = "damage") -> AbilityTotal:
    return next(one for one in record.abilities if (one.actor, one.spell, one.kind) == (actor, spell, kind))


def test_damage_is_what_was_done_to_hostile_creatures_without_overkill() -> None:
    log = FightLog()
    log.append(1_000, Kind.CAST, MAGE, BOSS, FROSTBOLT)
    log.append(1_500, Kind.DAMAGE, MAGE, BOSS, FROSTBOLT, amount=900, flags=HIT)
    log.append(4_000, Kind.DAMAGE, MAGE, BOSS, FROSTBOLT, amount=1_800, overkill=300, flags=HIT | Flag.CRITICAL)
    log.append(5_000, Kind.DAMAGE, MAGE, BOSS, FROSTBOLT, amount=50, flags=HIT | Flag.PERIODIC)
    log.append(6_000, Kind.MISS, MAGE, BOSS, FROSTBOLT, extra=Miss.RESIST, flags=HIT)
    log.append(7_000, Kind.DAMAGE, PET, BOSS, amount=200, flags=HIT)
    record = _record(log)
    mage = _performance(record, MAGE)
    assert (mage.class_name, mage.damage, mage.pet_damage, mage.friendly_fire, mage.casts) == ("Mage", 2_950, 200, 0, 1)
    assert _ability(record, MAGE, FROSTBOLT) == AbilityTotal(
        actor=MAGE, kind="damage", spell=FROSTBOLT, total=2_750, hits=2, criticals=1, ticks=1, misses=1, casts=1,
        targets=1, largest=1_800,
    )  # fmt: skip
    assert _ability(record, PET, NO_SPELL).total == 200


def test_friendly_fire_and_mind_control_are_kept_apart() -> None:
    log = FightLog()
    log.append(1_000, Kind.DAMAGE, MAGE, ROGUE, FROSTBOLT, amount=100)
    log.append(2_000, Kind.DAMAGE, MAGE, ROGUE, FROSTBOLT, amount=200, flags=Flag.TARGET_HOSTILE)
    log.append(3_000, Kind.DAMAGE, ROGUE, MAGE, amount=400, flags=Flag.SOURCE_HOSTILE)
    log.append(4_000, Kind.DAMAGE, MAGE, MAGE, FROSTBOLT, amount=800)
    log.append(5_000, Kind.HEAL, ROGUE, BOSS, RENEW, amount=1_000, flags=STRUCK | HIT)
    record = _record(log)
    mage, rogue = _performance(record, MAGE), _performance(record, ROGUE)
    assert (mage.damage, mage.friendly_fire, mage.taken) == (0, 300, 1_200)
    assert (rogue.damage, rogue.friendly_fire, rogue.healing, rogue.taken) == (0, 0, 0, 300)


def test_healing_is_effective_and_absorbs_belong_to_whoever_shielded() -> None:
    log = FightLog()
    log.append(1_000, Kind.HEAL, PRIEST, MAGE, RENEW, amount=1_000, extra=400, flags=Flag.PERIODIC)
    log.append(2_000, Kind.DAMAGE, BOSS, MAGE, CLEAVE, amount=500, extra=700, flags=STRUCK)
    log.append(2_000, Kind.ABSORB, PRIEST, MAGE, SHIELD, amount=700, extra=BOSS)
    record = _record(log)
    priest = _performance(record, PRIEST)
    assert (priest.healing, priest.overheal, priest.absorbs, priest.role) == (1_300, 400, 700, "healer")
    assert _ability(record, PRIEST, SHIELD, "healing").total == 700
    assert _ability(record, PRIEST, RENEW, "healing").overheal == 400
    taken = _ability(record, MAGE, CLEAVE, "taken")
    assert (taken.total, taken.absorbed) == (500, 700)


def test_death_names_its_cause_and_the_ten_hits_and_heals_before() -> None:
    log = FightLog()
    for number in range(12):
        log.append(number * 100, Kind.DAMAGE, BOSS, ROGUE, amount=100, flags=STRUCK, health=9_000, max_health=9_000)
    log.append(1_500, Kind.HEAL, PRIEST, ROGUE, RENEW, amount=500, extra=100)
    log.append(2_000, Kind.DAMAGE, BOSS, ROGUE, CLEAVE, amount=4_000, overkill=1_200, flags=STRUCK, health=0)
    log.append(2_001, Kind.DEATH, target=ROGUE)
    record = _record(log)
    (death,) = record.deaths
    assert (death.actor, death.at, death.feigned, len(death.blows), death.cause) == (ROGUE, 2_001, "", 10, 9)
    killing, heal = death.blows[9], death.blows[8]
    assert (killing.spell, killing.amount, killing.overkill, killing.health) == (CLEAVE, 4_000, 1_200, 0)
    assert (heal.kind, heal.amount) == ("heal", 400)
    rogue = _performance(record, ROGUE)
    assert (rogue.deaths, rogue.died_at) == (1, 2_001)


def test_feigned_deaths_are_told_and_not_counted() -> None:
    log = FightLog()
    log.append(1_000, Kind.DAMAGE, BOSS, MAGE, amount=100, flags=STRUCK)
    log.append(5_000, Kind.CAST, MAGE, MAGE, FEIGN)
    log.append(5_010, Kind.DEATH, target=MAGE)
    log.append(9_000, Kind.DAMAGE, BOSS, PRIEST, CLEAVE, amount=3_000, overkill=500, flags=STRUCK)
    log.append(9_000, Kind.DEATH, target=PRIEST)
    log.append(9_010, Kind.AURA_ON, PRIEST, PRIEST, SPIRIT, flags=Flag.BUFF)
    log.append(24_000, Kind.DEATH, target=PRIEST)
    record = _record(log)
    assert [(death.at, death.feigned, death.cause) for death in record.deaths] == [
        (5_010, "Feign Death", None), (9_000, "Spirit of Redemption", 0), (24_000, "", 0),
    ]  # fmt: skip
    assert (_performance(record, MAGE).deaths, _performance(record, PRIEST).deaths) == (0, 1)
    assert _performance(record, PRIEST).died_at == 24_000
    assert _performance(record, PRIEST).spirits == 0


def test_spirit_that_outlasts_the_fight_is_counted_beside_the_deaths() -> None:
    log = FightLog()
    log.append(9_000, Kind.DAMAGE, BOSS, PRIEST, CLEAVE, amount=3_000, overkill=500, flags=STRUCK)
    log.append(9_000, Kind.DEATH, target=PRIEST)
    log.append(9_010, Kind.AURA_ON, PRIEST, PRIEST, SPIRIT, flags=Flag.BUFF)
    priest = _performance(_record(log), PRIEST)
    assert (priest.deaths, priest.died_at, priest.spirits) == (0, None, 1)


def test_death_soon_after_a_feigned_one_is_told_apart() -> None:
    log = FightLog()
    log.append(5_000, Kind.CAST, MAGE, MAGE, FEIGN)
    log.append(5_000, Kind.DEATH, target=MAGE)
    log.append(5_800, Kind.DAMAGE, BOSS, MAGE, CLEAVE, amount=3_000, overkill=500, flags=STRUCK)
    log.append(5_800, Kind.DEATH, target=MAGE)
    assert [(death.at, death.feigned) for death in _record(log).deaths] == [(5_000, "Feign Death"), (5_800, "")]


def test_death_while_feigning_is_a_death() -> None:
    log = FightLog()
    log.append(5_000, Kind.CAST, MAGE, MAGE, FEIGN)
    log.append(5_500, Kind.DAMAGE, BOSS, MAGE, CLEAVE, amount=3_000, overkill=500, flags=STRUCK)
    log.append(5_500, Kind.DEATH, target=MAGE)
    assert [death.feigned for death in _record(log).deaths] == [""]


def test_spec_comes_from_talents_else_from_spells_of_its_own() -> None:
    specs = {
        ("Mage", name): Spec(class_name="Mage", name=name, tree=tree, role="damage", signature=signature)
        for tree, (name, signature) in enumerate((("Arcane", ()), ("Fire", ()), ("Frost", (27072,))))
    }
    log = FightLog()
    log.append(1_000, Kind.CAST, MAGE, BOSS, FROSTBOLT)
    gear = (GearItem(slot=0, item_id=1, item_level=120), GearItem(slot=1, item_id=2, item_level=111),
            GearItem(slot=18, item_id=3, item_level=1))  # fmt: skip
    assert _performance(_record(log, specs=specs), MAGE).spec == "Frost"
    shown = FightLog()
    shown.append(500, Kind.DAMAGE, MAGE, BOSS, BLAST, amount=5, flags=HIT)
    shown.append(1_000, Kind.AURA_OFF, MAGE, BOSS, FROSTBOLT)
    known = _record(shown, specs=specs, class_of_spell=lambda *_: "Mage")  # pyright: ignore[reportUnknownLambdaType]
    assert _performance(known, MAGE).spec == "Frost"
    told = _record(log, (Combatant(actor=MAGE, talents=(40, 21, 0), gear=gear),), specs=specs)
    assert (_performance(told, MAGE).spec, _performance(told, MAGE).item_level) == ("Arcane", 115.5)


def test_feral_druid_is_a_tank_by_what_it_did() -> None:
    specs = {("Druid", "Feral"): Spec(class_name="Druid", name="Feral", tree=1, role="damage")}
    feral = (Combatant(actor=ROGUE, talents=(0, 46, 15)),)

    def role(power_type: int, swings: int) -> str:
        log = FightLog()
        log.append(1_000, Kind.CAST, ROGUE, BOSS, SHIELD, flags=Flag.ABOUT_SOURCE, power_type=power_type)
        for number in range(swings):
            log.append(2_000 + number, Kind.DAMAGE, BOSS, ROGUE, amount=10, flags=STRUCK)
        record = _record(log, feral, specs=specs, class_of_spell=lambda *_: "Druid")
        return _performance(record, ROGUE).role

    assert [role(1, 0), role(3, 5), role(-1, 5), role(-1, 0)] == ["tank", "damage", "tank", "damage"]
