"""Compares the tools' answers about a whole generated night with what the generator knows to be in it."""

from collections import Counter
from typing import Any

from tests.extensions.raids.tool_figures import Call, unequal

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample.figures import FightFigures
from glassloop.extensions.raids.sample.raid import GeneratedRaid

ROUNDING = 0.1


class NightFigures:
    """A report by the tools that look at more than one fight."""

    def __init__(self, call: Call, code: str, raid: GeneratedRaid, names: dict[str, str]) -> None:
        self._call = call
        self._code = code
        self._form = raid.form
        self._fights = raid.truth.fights
        self._names = names
        self._encounters = load_knowledge().encounters

    async def differences(self) -> list[str]:
        """One line each."""
        found = await self._execution()
        for encounter_id in {fight.encounter_id for fight in self._fights}:
            fights = [fight for fight in self._fights if fight.encounter_id == encounter_id]
            name = self._encounters[encounter_id].name
            found += await self._attempts(name, fights)
            found += await self._avoidable(encounter_id, fights)
            found += await self._performance(name, fights)
        for number, fight in enumerate(self._fights, 1):
            found += await self._phases(number, fight)
        return found

    async def _execution(self) -> list[str]:
        told = (await self._call("get_raid_execution", report_code=self._code))["totals"]
        everybody = [player for fight in self._fights for player in fight.players.values()]
        return [
            *unequal("wipes", told["wipes"], sum(not fight.kill for fight in self._fights)),
            *unequal("deaths", told["deaths"], sum(player.deaths for player in everybody)),
            *unequal("interrupts", told["interrupts"], sum(player.interrupts for player in everybody)),
            *unequal("dispels", told["dispels"], sum(player.dispels for player in everybody)),
        ]

    async def _attempts(self, name: str, fights: list[FightFigures]) -> list[str]:
        told = await self._call("get_wipe_progression", report_code=self._code, encounter_name=name)
        found = unequal(f"attempts at {name}", len(told["by_attempt"]), len(fights))
        for row, fight in zip(told["by_attempt"], fights, strict=False):
            deaths = sum(player.deaths for player in fight.players.values())
            found += unequal(f"deaths at {name}", row["deaths"], deaths)
            found += unequal(f"length of {name}", row["length_s"], round(fight.length_ms / 1000, 1))
            left = row["boss_health_percent"]
            if self._form.advanced and abs(left - fight.boss_health) > 1:
                found.append(f"{name} had {left} % left, not {fight.boss_health}")
        return found

    async def _avoidable(self, encounter_id: int, fights: list[FightFigures]) -> list[str]:
        encounter = self._encounters[encounter_id]
        told = await self._call("get_deaths_and_mechanics", encounter_name=encounter.name, report_code=self._code)
        expected = Counter[tuple[str, str]]()
        for mechanic in encounter.mechanics:
            for fight in fights if mechanic.kind == "avoidable" else ():
                for player in fight.players.values():
                    for spell_id in mechanic.spells:
                        taken = player.taken_of.get(spell_id, 0) + player.absorbed_of.get(spell_id, 0)
                        expected[mechanic.name, player.name] += taken
        for row in told.get("avoidable_damage_to_most", ()):
            all_of = [taken for (mechanic, _), taken in expected.items() if mechanic == row["mechanic"] and taken]
            if (row["damage"], row["most_damage"]) != (sum(all_of), max(all_of)):
                return [f"avoidable {row}, not {sum(all_of)} and {max(all_of)}"]
        rows = [row for row in told.get("avoidable_damage", ()) if row["damage"]]
        wrong = [row for row in rows if expected[row["mechanic"], row["player"]] != row["damage"]]
        return [f"avoidable {row}, not {expected[row['mechanic'], row['player']]}" for row in wrong]

    async def _performance(self, name: str, fights: list[FightFigures]) -> list[str]:
        found = list[str]()
        for guid in list(fights[0].players)[:4]:
            told = await self._call("get_my_performance", encounter_name=name, player_name=self._names[guid])
            rows = sorted(told["fights"], key=lambda row: row["fight_id"])
            there = [fight for fight in fights if guid in fight.players]
            found += unequal(f"fights of {self._names[guid]}", len(rows), len(there))
            for row, fight in zip(rows, there, strict=False):
                player, seconds = fight.players[guid], fight.length_ms / 1000
                wrong = abs(row["dps"] - player.damage / seconds), abs(row["hps"] - player.healing / seconds)
                if max(wrong) > ROUNDING or row["deaths"] != player.deaths:
                    found.append(f"performance {row}, not {player.damage / seconds}, {player.healing / seconds}")
        return found

    async def _phases(self, number: int, fight: FightFigures) -> list[str]:
        told: Any = await self._call("get_phase_analysis", report_code=self._code, fight_id=number)
        damage = sum(row["dps"] * row["length_s"] for row in told["phases"])
        whole = sum(player.damage for player in fight.players.values())
        found = unequal("deaths by phase", sum(row["deaths"] for row in told["phases"]), sum(
            player.deaths for player in fight.players.values()
        ))  # fmt: skip
        if abs(damage - whole) > 0.02 * whole:
            found.append(f"damage by phase {damage:.0f}, not {whole}")
        return found
