"""Tools about one player find in generated raids exactly what the generator knows to be in them."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.raids.round_trip import import_raid

from glassloop.core.records import ToolResult
from glassloop.extensions.raids.analysis.auras import merged
from glassloop.extensions.raids.analysis.phase_totals import phase_totals
from glassloop.extensions.raids.analysis.phases import phases_of
from glassloop.extensions.raids.analysis.review.survival import swing_outcomes
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample import GeneratedRaid, make_raid
from glassloop.extensions.raids.sample.figures import FightFigures, PlayerFigures, RaidFigures
from glassloop.extensions.raids.tools.efficiency import cooldown_answer, dot_answer
from glassloop.extensions.raids.tools.fight.deaths import death_answer
from glassloop.extensions.raids.tools.fight.survival import MAX_SOURCES
from glassloop.extensions.raids.tools.overheal_and_power import overheal_answer, resource_answer
from glassloop.extensions.raids.tools.preparation import consumable_answer, enchant_answer
from glassloop.extensions.raids.tools.reader import RaidReader

KNOWLEDGE = load_knowledge()
READER = RaidReader(None, KNOWLEDGE)
DOTS = {"Warlock": ("Affliction", "Demonology", "Destruction"), "Priest": ("Shadow",), "Druid": ("Balance",)}
HUNTERS_SCOPE = 17
OFF_HAND = 16


def told(result: ToolResult) -> dict[str, Any]:
    data: Any = result.data
    return data


def differences(raid: GeneratedRaid, folder: Path, other: RaidFigures | None = None) -> Iterator[str]:
    report, records = import_raid(raid, folder)
    figures = other or raid.truth
    for record, truth in zip(records, figures.fights, strict=True):
        view = FightView(record, FightLog.unpack(record.events), report.actors, report.spells, KNOWLEDGE)
        players = {report.actors[player].guid: player for player in view.players()}
        yield from (f"{truth.name}: {line}" for line in phase_differences(view, truth, players))
        for guid, player in truth.players.items():
            check = PlayerTruth(raid, view, truth, player, players[guid])
            yield from (f"{truth.name}, {player.name}: {line}" for line in check.differences())


def phase_differences(view: FightView, truth: FightFigures, players: dict[str, int]) -> Iterator[str]:
    totals = phase_totals(view, phases_of(view), list(players.values()))
    for place, guid in enumerate(players):
        player = truth.players[guid]
        found = tuple(sum(getattr(each[place], name) for each in totals) for name in ("damage", "healing", "deaths"))
        if found != (player.damage, player.healing, player.deaths):
            yield f"{player.name}: all phases {found}, not {(player.damage, player.healing, player.deaths)}"


class PlayerTruth:
    """One player, by every tool that has something to compare."""

    def __init__(
        self, raid: GeneratedRaid, view: FightView, truth: FightFigures, player: PlayerFigures, number: int
    ) -> None:
        self.form, self.view, self.truth, self.player, self.number = raid.form, view, truth, player, number

    def differences(self) -> Iterator[str]:
        for name in ("overheal", "dots", "cooldowns", "power", "consumables", "gear", "health", "swings", "taken"):
            found, expected = getattr(self, name)()
            if found != expected:
                yield f"{name} {found}, not {expected}"

    def overheal(self) -> tuple[object, object]:
        data = told(overheal_answer(READER, self.view, self.number))
        spells = [one for abilities in self.player.healed.values() for one in abilities.values()]
        assert sum(row["effective"] for row in data["spells"]) == data["effective_healing"]
        found = data["effective_healing"], data["overheal"], sum(row["overheal"] for row in data["spells"])
        return found, (self.player.healing, self.player.overheal, sum(one.overheal for one in spells))

    def dots(self) -> tuple[object, object]:
        data = told(dot_answer(READER, self.view, self.number))
        if self.player.spec not in DOTS.get(self.player.class_name, ()) or not data["applies"]:
            return data["applies"], data["applies"] and self.player.class_name in DOTS
        known = {one: KNOWLEDGE.dot_of(one) for one in self.player.dots}
        mine = {one: dot for one, dot in known.items() if dot is not None and dot.class_name == self.player.class_name}
        if any(self.player.dots[one].duration > dot.duration_s * 1000 for one, dot in mine.items()):
            return None, None  # Whether the log shows the longer duration is the round trip's to know.
        truth = [self.player.dots[one] for one in mine]
        return (data["early_renewals"], data["lost_ticks"]), (
            sum(one.early for one in truth), sum(one.lost_ticks for one in truth),
        )  # fmt: skip

    def cooldowns(self) -> tuple[object, object]:
        """Those that were cast: how often."""
        rows = told(cooldown_answer(READER, self.view, self.number))["cooldowns"]
        names = {one.name for one in KNOWLEDGE.cooldowns if one.major}
        expected = dict[str, int]()
        for spell, casts in self.player.casts.items():
            known = KNOWLEDGE.cooldown_of(spell)
            if known is not None and known.name in names and casts.finished + casts.instant:
                expected[known.name] = expected.get(known.name, 0) + casts.finished + casts.instant
        return {row["cooldown"]: row["used"] for row in rows if row["used"]}, expected

    def power(self) -> tuple[object, object]:
        rows = told(resource_answer(READER, self.view, self.number))["resources"]
        mana = [row["lowest"] for row in rows if row["resource"] == "mana"]
        if not self.form.advanced or self.player.lowest_power < 0:
            return None, None
        return mana[:1], [self.player.lowest_power]

    def health(self) -> tuple[object, object]:
        """The lowest, and when it was."""
        lowest = told(death_answer(READER, self.view, self.number)).get("lowest_health")
        if not self.form.advanced or self.player.lowest_health < 0:
            return lowest, None
        found = (lowest["health"], lowest["at_s"]) if lowest else None
        return found, (self.player.lowest_health, round(self.player.lowest_health_at / 1000, 1))

    def swings(self) -> tuple[object, object]:
        """Those of creatures at the player, by how they ended."""
        one, truth = swing_outcomes(self.view, self.number), self.player.swings_at
        blocks = any(each.swings_at.get("blocked") for each in self.truth.players.values())
        expected = {"miss": one.missed, "dodge": one.dodged, "parry": one.parried, "absorb": one.absorbed,
                    "crushing": one.crushing, "blocked": one.blocked or 0}  # fmt: skip
        assert blocks == (one.blocked is not None)
        came = sum(truth.get(name, 0) for name in ("hit", "blocked", "crushing"))
        return (one.swings, one.hits, *expected.values()), (
            sum(truth.values()), came, *(truth.get(name, 0) for name in expected)
        )  # fmt: skip

    def taken(self) -> tuple[object, object]:
        rows = told(death_answer(READER, self.view, self.number))["damage_taken"]
        return (sum(row["damage"] for row in rows) if len(rows) < MAX_SOURCES else None), (
            self.player.taken if len(rows) < MAX_SOURCES else None
        )

    def consumables(self) -> tuple[object, object]:
        """Flasks, by how much of the time alive they were on."""
        (row,) = told(consumable_answer(READER, self.view, [self.number]))["players"]
        length, expected = self.view.alive_ms(self.number), list[str]()
        for aura in self.truth.auras.values():
            known = KNOWLEDGE.consumable_of_aura(aura.spell_id)
            if aura.target == self.player.guid and known is not None and known.kind == "flask":
                on = sum(end - begin for begin, end in merged(aura.spans))
                expected.append(f"{known.name} {min(100, 100 * on / length):.0f} %")
        return row["flask"], "; ".join(expected) or None

    def gear(self) -> tuple[object, object]:
        if not self.form.combatant_lines:
            return None, None
        data = told(enchant_answer(READER, self.view, self.number))
        slots = {*KNOWLEDGE.enchantable_slots, *((HUNTERS_SCOPE,) if self.player.class_name == "Hunter" else ())}
        bare = [one.slot for one in self.player.gear if one.slot in slots and not one.enchant]
        held = [gem for one in self.player.gear for gem in one.gems if gem]
        low = {
            (one.slot, gem)
            for one in self.player.gear
            for gem in one.gems
            if (known := KNOWLEDGE.gem(gem)) is not None and known.quality in ("common", "uncommon")
        }
        without = [row for row in data["without_enchant"] if row["slot"] != "off hand"]
        return (len(without), data["gems"], len(data["low_gems"])), (len(bare), len(held), len(low))


@pytest.mark.parametrize("seed", [4, 21])
def test_tools_find_exactly_what_happened(seed: int, tmp_path: Path) -> None:
    assert list(differences(make_raid(seed, varied=True, health=0.1), tmp_path)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 250))
def test_tools_find_exactly_what_happened_in_many_raids(seed: int, tmp_path: Path) -> None:
    assert list(differences(make_raid(seed, varied=True), tmp_path)) == []


def test_another_truth_is_told_apart(tmp_path: Path) -> None:
    """The comparison itself can fail."""
    raid = make_raid(4, varied=True, health=0.1)
    truth = copy.deepcopy(raid.truth)
    player = next(iter(truth.fights[0].players.values()))
    player.overheal += 1
    player.damage += 1
    lines = list(differences(raid, tmp_path, truth))
    assert len(lines) == 2 and all(player.name in line for line in lines)
