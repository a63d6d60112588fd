"""Survival beside deaths: near deaths of who lived, and the course of a wipe."""

from typing import Any

from tests.extensions.raids.written_fight import BOSS, OTHER, PLAYER, WrittenFight, encounter, facts

from glassloop.extensions.raids.analysis.parses import ParsePopulation
from glassloop.extensions.raids.fight_log import NO_SPELL, Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Cooldown
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import Blow, Death, Performance, Spell
from glassloop.extensions.raids.tools.fight.deaths import death_answer
from glassloop.extensions.raids.tools.fight.defensives import defensives_at
from glassloop.extensions.raids.tools.fight.overview import fight_answer
from glassloop.extensions.raids.tools.reader import RaidReader

READER = RaidReader(None, load_knowledge())
CLEAVE, WALL = 30619, 871
SHIELD_WALL = Cooldown(
    name="Shield Wall", spells=(WALL,), class_name="Warrior", kind="defensive", cooldown_s=300, duration_s=10
)


def told(fight: WrittenFight, player: int | None = None, **record: Any) -> dict[str, Any]:
    knowledge = facts(cooldowns=(SHIELD_WALL,), encounters=encounter())
    data: Any = death_answer(READER, fight.view(knowledge, **record), player).data
    return data


def struck(fight: WrittenFight, at_s: float, health: int, target: int = PLAYER) -> None:
    fight.add(at_s, Kind.DAMAGE, CLEAVE, source=BOSS, target=target, amount=500, flags=Flag.SOURCE_HOSTILE,
              health=health, max_health=1_000)  # fmt: skip


def test_near_death_is_told_with_the_hits_before_and_the_defensives_used() -> None:
    fight = WrittenFight(100, class_name="Warrior", role="tank")
    struck(fight, 20, 900)
    struck(fight, 38, 600)
    fight.add(39, Kind.HEAL, 1, source=OTHER, target=PLAYER, amount=50, extra=50, health=600, max_health=1_000)
    struck(fight, 40, 100)
    fight.cast(42, WALL, target=PLAYER)
    data = told(fight)
    (row,) = data["lowest_health_of_survivors"]
    assert (row["number"], row["player"], row["lowest_percent"], row["defensives_used"], row["defensives_ready"]) == (
        1, "Ulf", 10.0, "Shield Wall at 0:42", "none",
    )  # fmt: skip
    assert [(blow["before_s"], blow["health_left"]) for blow in data["before_near_death_1"]] == [(2.0, 600), (0.0, 100)]
    assert told(fight, PLAYER)["before_the_lowest_health"] == data["before_near_death_1"]


def test_near_death_says_how_often_when_first_and_which_cooldowns_were_used_in_the_fight() -> None:
    fight = WrittenFight(100, class_name="Warrior", role="tank")
    for at, health in ((10, 150), (11, 120), (12, 900), (60, 50)):
        struck(fight, at, health)
    fight.cast(10.5, WALL, target=PLAYER)
    (row,) = told(fight)["lowest_health_of_survivors"]
    assert (row["lowest_percent"], row["hits_below_20_percent"], row["first_below_20_percent_at"]) == (5.0, 3, "0:10")
    assert row["defensives_in_the_fight"] == "Shield Wall at 0:10 (not ready again)"


def test_evasion_is_no_help_against_damage_of_an_area() -> None:
    evasion = Cooldown(name="Evasion", spells=(26669,), class_name="Rogue", kind="defensive", cooldown_s=300,
                       schools=1, swings_only=True)  # fmt: skip
    fight = WrittenFight(100, class_name="Rogue")
    fight.cast(1, 26669, target=PLAYER)
    fight.spells.append(Spell(id=CLEAVE, name="Cave In", school=1))
    fight.length_s = 500
    view = fight.view(facts(cooldowns=(evasion,), encounters=encounter()))
    swing = Blow(at=400_000, kind="damage", source=BOSS, spell=NO_SPELL, amount=5)
    cave_in = Blow(at=400_000, kind="damage", source=BOSS, spell=1, amount=5)
    assert defensives_at(view, PLAYER, 400_000, swing).ready == ("Evasion",)
    assert defensives_at(view, PLAYER, 400_000, cave_in).ready == ()


def test_tank_is_listed_among_survivors_however_healthy() -> None:
    fight = WrittenFight(100, class_name="Warrior", role="tank")
    fight.actors = (*fight.actors, *(fight.actors[PLAYER].__class__(guid=f"Player-1-{n}", name=f"P{n}", kind="player")
                                     for n in range(3, 9)))  # fmt: skip
    struck(fight, 10, 950)
    others = tuple(Performance(actor=4 + number, class_name="Mage", role="damage") for number in range(6))
    for one in others:
        struck(fight, 20, 600 + one.actor, one.actor)
    data = told(fight, performances=others)
    assert [row["player"] for row in data["lowest_health_of_survivors"]] == ["P3", "P4", "P5", "P6", "P7", "Ulf"]
    assert data["other_survivors"] == "1, none below 60.9 % health"


def test_priest_who_ends_as_a_spirit_is_no_survivor() -> None:
    fight = WrittenFight(100, class_name="Priest", role="healer")
    struck(fight, 90, 0)
    spirit = Death(actor=PLAYER, at=90_000, blows=(), cause=None, feigned="Spirit of Redemption")
    assert told(fight, deaths=(spirit,))["lowest_health_of_survivors"] is None


def test_priest_who_became_a_spirit_first_is_told_as_the_first_to_fall() -> None:
    fight = WrittenFight(100, class_name="Priest", role="healer")
    fight.add(1, Kind.DAMAGE, CLEAVE, source=BOSS, target=PLAYER, amount=1, flags=Flag.SOURCE_HOSTILE)
    blow = Blow(at=77_000, kind="damage", source=BOSS, spell=0, amount=9_000, overkill=700)
    spirit = Death(actor=PLAYER, at=77_000, blows=(blow,), cause=0, feigned="Spirit of Redemption")
    feigned = Death(actor=OTHER, at=50_000, feigned="Feign Death")
    deaths = (feigned, spirit, Death(actor=OTHER, at=79_000, blows=(blow,), cause=0))
    data = told(fight, kill=False, deaths=deaths)
    assert (data["deaths"], data["fell"], data["first_to_fall"]) == (
        1, "1 death and 1 that became a Spirit of Redemption", "Ulf at 1:17 (Spirit of Redemption)",
    )  # fmt: skip
    assert data["course_of_the_wipe"] == {
        "first_to_fall_at": "1:17", "first_death_at": "1:19", "first_healer_at": "1:17", "half_dead_at": "1:17",
        "last_death_at": "1:19",
    }  # fmt: skip
    assert data["notes"][0].startswith("Before the first death Ulf at 1:17 fell and became a Spirit of Redemption")
    apart = [(row["player"], row["what"], row.get("overkill")) for row in data["fell_or_feigned_without_a_death"]]
    assert apart == [("Anna", "Feign Death", None), ("Ulf", "Spirit of Redemption", 700)]
    details: Any = fight_answer(READER, fight.view(kill=False, deaths=deaths), ParsePopulation([])).data
    assert details["first_to_fall"] == "Ulf at 1:17 (Spirit of Redemption)"


def test_course_of_a_wipe_tells_when_it_was_lost_and_that_the_boss_turned_on_the_raid() -> None:
    fight = WrittenFight(100, class_name="Warrior", role="tank")
    fight.add(1, Kind.DAMAGE, source=BOSS, target=PLAYER, amount=1, flags=Flag.SOURCE_HOSTILE)
    blow = Blow(at=80_000, kind="damage", source=BOSS, spell=NO_SPELL, amount=9_000, overkill=5)
    deaths = tuple(
        Death(actor=actor, at=at, blows=(blow,), cause=0) for actor, at in ((OTHER, 80_000), (PLAYER, 83_000))
    )
    data = told(fight, kill=False, deaths=deaths)
    assert data["course_of_the_wipe"] == {
        "first_death_at": "1:20", "first_tank_at": "1:23", "half_dead_at": "1:20", "last_death_at": "1:23",
    }  # fmt: skip
    assert any(note.startswith("The first to fall was no tank and was struck") for note in data["notes"])
    assert told(fight, kill=True, deaths=deaths)["course_of_the_wipe"] is None
