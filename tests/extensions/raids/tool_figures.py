"""Compares the tools' answers about a generated raid with what the generator knows to be in it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from glassloop.extensions.raids.analysis.auras import merged
from glassloop.extensions.raids.analysis.casts import gaps_between
from glassloop.extensions.raids.analysis.view import ENVIRONMENT
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample.figures import AbilityFigures, FightFigures, PlayerFigures
from glassloop.extensions.raids.tools.result import MAX_KEPT

Call = Callable[..., Awaitable[Any]]
POTIONS = (28499, 28507, 28508)
JITTER_MS = 400
GAP_MS = 2500
ROUNDING = 0.1


class ToolFigures:
    """One fight of a report, by its tools."""

    def __init__(
        self,
        call: Call,
        code: str,
        number: int,
        truth: FightFigures,
        names: dict[str, str],
        spells: dict[int, str],
    ) -> None:
        self._call = call
        self._fight = {"report_code": code, "fight_id": number}
        self._truth = truth
        self._names = names
        """Full names of players and units, by GUID."""
        self._spells = spells
        """Names of spells, by id."""

    async def differences(self) -> list[str]:
        """One line each."""
        found = [*await self._details(), *await self._deaths(), *await self._consumables()]
        for guid, player in self._truth.players.items():
            for check in (
                self._abilities, self._cancelled, self._overheal, self._dots, self._gear, self._cooldowns, self._mana,
                self._activity, self._buffs,
            ):  # fmt: skip
                told = [line async for line in check(player)]
                found += [f"{check.__name__.strip('_')} of {self._names[guid]}: {line}" for line in told]
        return found

    async def _ask(self, tool: str, **arguments: Any) -> Any:
        return await self._call(tool, **self._fight, **arguments)

    async def _of(self, tool: str, player: PlayerFigures) -> Any:
        return await self._ask(tool, player_name=self._names[player.guid])

    async def _details(self) -> list[str]:
        told = await self._ask("get_fight_details")
        rows = {row["player"]: row for row in told["everybody"]}
        found = list[str]()
        for guid, player in self._truth.players.items():
            row = rows[self._names[guid]]
            for name in ("damage", "healing", "taken", "deaths", "interrupts", "dispels"):
                found += unequal(f"details {player.name} {name}", row[name], getattr(player, name))
            found += unequal(f"details {player.name} friendly fire", row["friendly_fire"] or 0, player.friendly_fire)
            dps = player.damage * 1000 / self._truth.length_ms
            if abs(row["dps"] - dps) > ROUNDING:
                found.append(f"details {player.name} dps {row['dps']}, not {dps}")
        found += unequal("raid damage", told["raid_damage"], sum(one.damage for one in self._players))
        return found + unequal("raid healing", told["raid_healing"], sum(one.healing for one in self._players))

    @property
    def _players(self) -> list[PlayerFigures]:
        return list(self._truth.players.values())

    async def _deaths(self) -> list[str]:
        told = await self._ask("get_death_analysis")
        real = [one for one in self._truth.deaths if not one.feigned]
        found = unequal("deaths", told["deaths"], len(real))
        for row, death in zip(told["each"], real, strict=False):
            mine = (row["at_s"], row["amount"] or 0, row["overkill"] or 0, row["source"] or "")
            source = self._names[death.source] if death.source else ENVIRONMENT
            found += unequal("death", mine, (round(death.at / 1000, 1), death.amount, death.overkill, source))
        return found

    async def _consumables(self) -> list[str]:
        told = await self._ask("get_consumable_check")
        rows = {row["player"]: row for row in told["players"]}
        found = list[str]()
        for guid, player in self._truth.players.items():
            drunk = sum(player.casts[one].instant for one in POTIONS if one in player.casts)
            found += unequal(f"potions of {player.name}", rows[self._names[guid]]["potions"], drunk)
        return found

    async def _abilities(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_ability_breakdown", player)
        for name in ("damage", "pet_damage", "healing", "overheal"):
            for line in unequal(name, told[name], getattr(player, name)):
                yield line
        own = told.get("damage_by_ability", [])
        for line in _compare(own, player.done.get(player.guid, {}), ("hits", "ticks", "misses", "largest")):
            yield line
        if len(player.healed) <= 1:  # Totems heal under their own names.
            rows = told.get("healing_by_ability", [])
            for line in _compare(rows, player.healed.get(player.guid, {}), ("hits", "ticks", "largest")):
                yield line

    async def _cancelled(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_cancelled_casts", player)
        casts = player.casts.values()
        pairs = {
            "begun": sum(one.begun for one in casts),
            "finished": sum(one.finished for one in casts),
            "cancelled": sum(one.cancelled for one in casts),
            "open_at_the_end": sum(one.open for one in casts),
        }
        for name, expected in pairs.items():
            for line in unequal(name, told[name], expected):
                yield line

    async def _overheal(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_overheal_analysis", player)
        mine = (told["effective_healing"], told["of_it_absorbs"], told["overheal"])
        for line in unequal("effective, absorbs, overheal", mine, (player.healing, player.absorbs, player.overheal)):
            yield line

    async def _dots(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_dot_management", player)
        if not told["applies"]:
            return
        knowledge, rows = load_knowledge(), {row["dot"]: row for row in told["dots"]}
        for spell_id, expected in player.dots.items():
            dot = knowledge.dot_of(spell_id)
            if dot is None:
                continue
            if (
                expected.duration > dot.duration_s * 1000
                and expected.longest <= expected.duration - dot.tick_s * 1000 + JITTER_MS
            ):
                continue
            row = rows[dot.name]
            mine = (row["applications"], row["renewed_early"], row["lost_ticks"])
            for line in unequal(dot.name, mine, (expected.casts, expected.early, expected.lost_ticks)):
                yield line

    async def _gear(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_enchant_gem_check", player)
        if told["items"] is None:
            return
        for line in unequal("items", told["items"], len(player.gear)):
            yield line
        for line in unequal("gems", told["gems"], sum(len(item.gems) for item in player.gear)):
            yield line

    async def _cooldowns(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_cooldown_efficiency", player)
        rows, knowledge = {row["cooldown"]: row for row in told["cooldowns"]}, load_knowledge()
        for spell_id, casts in player.casts.items():
            cooldown = knowledge.cooldown_of(spell_id)
            if cooldown and cooldown.name in rows and not casts.begun:
                for line in unequal(cooldown.name, rows[cooldown.name]["used"], casts.instant):
                    yield line

    async def _mana(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_resource_usage", player)
        for row in told["resources"]:
            if row["resource"] == "mana":
                for line in unequal("lowest mana", row["lowest"], player.lowest_power):
                    yield line

    async def _activity(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_activity_report", player)
        if player.deaths:
            return
        length = self._truth.length_ms
        busy = sum(end - begin for begin, end in merged((begin, min(end, length)) for begin, end in player.busy))
        for line in unequal("active seconds", told["active_s"], round(busy / 1000, 1)):
            yield line
        spans = merged((begin, min(end, length)) for begin, end in player.busy)
        gaps = [(round(begin / 1000, 1), end - begin) for begin, end in gaps_between(spans, length, GAP_MS)]
        mine = [(row["from_s"], row["length_s"]) for row in told["gaps"] if not row["downtime_phase"]]
        longest = sorted(sorted(gaps, key=lambda gap: -gap[1])[:MAX_KEPT])
        wanted = [(begin, round(length / 1000, 1)) for begin, length in longest]
        if not any(row["downtime_phase"] for row in told["gaps"]):
            for line in unequal("gaps", sorted(mine), wanted):
                yield line

    async def _buffs(self, player: PlayerFigures) -> AsyncIterator[str]:
        told = await self._of("get_buff_analysis", player)
        if player.deaths:
            return
        spans: dict[str, list[tuple[int, int]]] = {}
        for aura in self._truth.auras.values():
            if aura.target == player.guid and aura.buff:
                spans.setdefault(self._spells.get(aura.spell_id, ""), []).extend(aura.spans)
        for row in told["buffs"]:
            if row["name"] in spans:
                uptime = sum(end - begin for begin, end in merged(spans[row["name"]]))
                for line in unequal(f"uptime of {row['name']}", row["uptime_s"], round(uptime / 1000, 1)):
                    yield line


def _compare(rows: list[Any], truth: dict[int, AbilityFigures], names: tuple[str, ...]) -> Iterator[str]:
    """Abilities that one spell alone belongs to; melee has none."""
    for row in rows:
        ids = row["spell_ids"] or [0]
        expected = truth.get(ids[0])
        if len(ids) > 1 or expected is None:
            continue
        for name in ("total", *names):
            yield from unequal(f"{row['ability']} {name}", row[name] or 0, getattr(expected, name))


def unequal(name: str, found: object, expected: object) -> list[str]:
    """A line, where they differ."""
    return [] if found == expected else [f"{name} {found}, not {expected}"]
