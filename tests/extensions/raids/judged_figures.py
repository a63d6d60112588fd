"""Compares what the tools that judge one fight tell of it (rotation, cooldowns, preparation, auras, mechanics) with
figures computed from the generator's own."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from tests.extensions.raids.season import Played
from tests.extensions.raids.season_figures import Pair, same
from tests.extensions.raids.tool_figures import GAP_MS, POTIONS, Call

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample.figures import AuraFigures, FightFigures, PlayerFigures
from glassloop.extensions.raids.sample.gear import item_sockets
from glassloop.extensions.raids.sample.log_text import LogForm
from glassloop.extensions.raids.tools.result import MAX_KEPT

KNOWLEDGE = load_knowledge()
LETTERS = ((90, "A"), (80, "B"), (70, "C"), (60, "D"), (0, "F"))
WORTH_USING_MS = 10_000
FOR_ALL = {25392: "Power Word: Fortitude", 26991: "Mark of the Wild"}
RANGED = 17
WEAPONS = (15, 16)


class JudgedFigures:
    """One fight of a report."""

    def __init__(
        self, call: Call, code: str, number: int, truth: FightFigures, names: dict[str, str], form: LogForm
    ) -> None:
        self.call, self.truth, self.names, self.form = call, truth, names, form
        self.code, self.number = code, number
        self.encounter = KNOWLEDGE.encounters[truth.encounter_id]
        self.downtime = any(phase.downtime for phase in self.encounter.phases)

    async def differences(self) -> list[str]:
        """One line each."""
        found = list[str]()
        for check in (self._mechanics, self._raid_buffs, self._consumables, self._raid_gear):
            found += [f"{check.__name__.strip('_')}, {line}" async for line in wrong(check())]
        checks: tuple[Callable[[PlayerFigures], AsyncIterator[Pair]], ...] = (
            self._activity, self._rotation, self._cooldowns, self._gear, self._debuffs, self._overheal, self._potions,
        )  # fmt: skip
        for player in self.truth.players.values():
            for check in checks:
                told = [line async for line in wrong(check(player))]
                found += [f"{check.__name__.strip('_')} of {player.name}, {line}" for line in told]
        return found

    async def ask(self, tool: str, player: PlayerFigures | None = None, **more: Any) -> Any:
        named = {"player_name": self.names[player.guid]} if player else {}
        return await self.call(tool, report_code=self.code, fight_id=self.number, **named, **more)

    def played(self, player: PlayerFigures) -> Played:
        return Played(self.code, self.number, False, self.truth, player)

    def auras(self, spells: Iterable[int], **wanted: str) -> list[AuraFigures]:
        ids = set(spells)
        return [
            one
            for one in self.truth.auras.values()
            if one.spell_id in ids and all(getattr(one, name) == guid for name, guid in wanted.items())
        ]

    # Use of time

    async def _activity(self, player: PlayerFigures) -> AsyncIterator[Pair]:
        told, row = await self.ask("get_activity_report", player), self.played(player)
        yield "figures", (told["casts"], told["casts_per_minute"], told["gcd_uptime_percent"], told["alive_s"]), (
            row.casts, row.casts_per_minute, row.gcd_uptime, row.alive / 1000
        )  # fmt: skip
        idle = set(range(row.length)).difference(
            *(range(begin, min(end, row.length)) for begin, end in player.busy), *(range(*span) for span in player.dead)
        )
        gaps = [(begin / 1000, length / 1000) for begin, length in runs(idle) if length > GAP_MS]
        longest = sorted(sorted(gaps, key=lambda gap: -gap[1])[:MAX_KEPT])
        yield "gaps", sorted((gap["from_s"], gap["length_s"]) for gap in told["gaps"]), longest

    async def _rotation(self, player: PlayerFigures) -> AsyncIterator[Pair]:
        told, row = await self.ask("get_rotation_score", player), self.played(player)
        spec = KNOWLEDGE.specs.get((player.class_name, player.spec))
        if not player.casts or not self.form.combatant_lines or spec is None:
            return
        parts = {part["part"]: part for part in told["parts"]}
        values: dict[str, float] = {"Casts a minute": row.casts_per_minute, "GCD uptime": row.gcd_uptime}
        for name, value in values.items():
            if name in parts:
                yield name, parts[name]["value"], value
        if "Casts a minute" in parts:
            target = spec.casts_per_minute * min(1.0, self.encounter.gcd / 90)
            yield "target", parts["Casts a minute"]["target"], target
        rates = dict[str, float]()
        for name, spells in KNOWLEDGE.main_spells(spec).items():
            count = sum(len(one.done_at) for spell, one in player.casts.items() if spell in spells)
            rates[name] = count * 60_000 / row.alive
        if any(rates.values()):
            yield "abilities", {one["ability"]: one["casts_per_minute"] for one in told["main_abilities"]}, rates
        points = [part["out_of"] * min(1, part["value"] / part["target"]) for part in parts.values()]
        yield "points", [part["points"] for part in parts.values()], [float(one) for one in points]
        yield "whole", sum(part["out_of"] for part in parts.values()), 100.0
        yield "score", told["score"], sum(points)
        if min(abs(told["score"] - limit) for limit, _ in LETTERS) > 0.1:
            letter = told["grade"].removeprefix("rotation: ")
            yield "grade", letter, next(letter for limit, letter in LETTERS if told["score"] >= limit)

    async def _cooldowns(self, player: PlayerFigures) -> AsyncIterator[Pair]:
        rows = {
            row["cooldown"]: row for row in (await self.ask("get_cooldown_efficiency", player)).get("cooldowns", [])
        }
        uses = dict[str, list[int]]()
        for spell, casts in player.casts.items():
            known = KNOWLEDGE.cooldown_of(spell)
            if known is not None and known.major and casts.done_at:
                uses.setdefault(known.name, []).extend(casts.done_at)
        for name, times in uses.items():
            row = rows[name]
            found = row["used"], row["first_use_s"], row["last_use_s"]
            yield name, found, (len(times), min(times) / 1000, max(times) / 1000)
            known = next(one for one in KNOWLEDGE.cooldowns if one.name == name)
            if player.dead or self.downtime:
                continue
            needed = min(known.duration_s * 1000, WORTH_USING_MS) if known.kind == "throughput" else 1
            possible = 1 + max(0, int((self.truth.length_ms - needed) // (known.cooldown_s * 1000)))
            yield f"{name} possible", row["possible"], max(possible, len(times))

    # Preparation

    async def _consumables(self) -> AsyncIterator[Pair]:
        rows = {row["player"]: row for row in (await self.ask("get_consumable_check"))["players"]}
        for guid, player in self.truth.players.items():
            row = rows[self.names[guid]]
            for kind in ("flask", "food"):
                ids = {spell for one in KNOWLEDGE.consumables if one.kind == kind for spell in one.auras}
                spans = [span for one in self.auras(ids, target=guid) for span in one.spans]
                percent = min(100, 100 * covered(spans) / self.played(player).alive)
                told = float(row[kind].rpartition(" %")[0].rpartition(" ")[2]) if row[kind] else 0.0
                yield f"{kind} of {player.name}", abs(told - percent) <= 0.51, True
                if self.form.combatant_lines:
                    missing = "flask or elixirs" if kind == "flask" else kind
                    yield f"missing {kind} of {player.name}", missing in (row["missing"] or ""), not spans
            oils = [one for one in player.gear if one.slot in WEAPONS and one.temporary_enchant]
            yield f"weapons of {player.name}", bool(row["weapon"]), bool(oils) and self.form.combatant_lines
            drunk = [at for spell in POTIONS if spell in player.casts for at in player.casts[spell].done_at]
            yield f"potions of {player.name}", row["potions"], len(drunk)
            if player.role == "damage":
                wanted = not drunk and self.played(player).alive >= 60_000
                yield f"missing potion of {player.name}", "potion" in (row["missing"] or "").split(", "), wanted

    async def _gear(self, player: PlayerFigures) -> AsyncIterator[Pair]:
        told = await self.ask("get_enchant_gem_check", player)
        if not self.form.combatant_lines:
            yield "items", told["items"], None
            return
        enchanted = {*KNOWLEDGE.enchantable_slots, *((RANGED,) if player.class_name == "Hunter" else ())}
        bare = sum(one.slot in enchanted and not one.enchant for one in player.gear)
        empty = {one.slot for one in player.gear if len(one.gems) < item_sockets(one.item_id)}
        low = {
            (one.slot, gem)
            for one in player.gear
            for gem in one.gems
            if (known := KNOWLEDGE.gem(gem)) is not None and known.quality in ("common", "uncommon")
        }
        without = sum(row["slot"] != "off hand" for row in told["without_enchant"])
        yield "gear", (told["items"], told["gems"], without, len(told["low_gems"])), (
            len(player.gear), sum(len(one.gems) for one in player.gear), bare, len(low)
        )  # fmt: skip
        yield "level", told["average_item_level"], self.played(player).item_level
        if KNOWLEDGE.has_items:
            yield "sockets", len(told["empty_sockets"]), len(empty)

    async def _raid_gear(self) -> AsyncIterator[Pair]:
        told = await self.ask("get_enchant_gem_check", player_name="raid")
        each = [await self.ask("get_enchant_gem_check", player) for player in self.truth.players.values()]
        faults = [
            sum(len(one[part]) for part in ("without_enchant", "empty_sockets", "low_gems"))
            for one in each
            if one["items"] is not None
        ]
        yield "faults", [row["faults"] for row in told["everybody"]], sorted(faults, reverse=True)

    async def _potions(self, player: PlayerFigures) -> AsyncIterator[Pair]:
        told = await self.ask("get_resource_usage", player)
        found = [row["at_s"] for row in told["potions_and_help"] if "potion" in row["what"].casefold()]
        drunk = [at for spell in POTIONS if spell in player.casts for at in player.casts[spell].done_at]
        yield "times", found, [at / 1000 for at in sorted(drunk)]

    # Auras and mechanics

    async def _debuffs(self, player: PlayerFigures) -> AsyncIterator[Pair]:
        told = await self.ask("get_buff_analysis", player)
        bosses = {one.id for one in self.encounter.creatures if one.boss}
        spans = dict[int, list[tuple[int, int]]]()
        for one in self.truth.auras.values():
            hostile = one.source == player.guid and not one.buff and not one.target.startswith("Player-")
            if hostile and int(one.target.split("-")[5]) in bosses:
                spans.setdefault(one.spell_id, []).extend(one.spans)
        found = sorted(row["uptime_s"] for row in told["debuffs_on_enemies"])
        truth = sorted(covered(some) / 1000 for some in spans.values())
        if len(found) == len(truth):  # Else some are on others than bosses alone.
            yield "uptimes", found, truth
        else:
            yield "number", len(found) > len(truth), True

    async def _raid_buffs(self) -> AsyncIterator[Pair]:
        told = await self.ask("get_buff_analysis", player_name="raid")
        rows = {row["buff"]: row for row in told["raid_buffs"]}
        for spell, name in FOR_ALL.items():
            alive = {guid: self.played(one).alive for guid, one in self.truth.players.items()}
            on = {
                guid: covered([span for one in self.auras([spell], target=guid) for span in one.spans])
                for guid in alive
            }
            enough = sum(2 * on[guid] >= max(1, alive[guid]) for guid in alive)
            if any(on.values()):
                percents = [min(100, 100 * on[guid] / max(1, alive[guid])) for guid in alive]
                yield name, (rows[name]["covered"], rows[name]["of"], rows[name]["average_uptime_percent"]), (
                    enough, len(alive), sum(percents) / len(alive)
                )  # fmt: skip

    async def _overheal(self, player: PlayerFigures) -> AsyncIterator[Pair]:
        told = await self.ask("get_overheal_analysis", player)
        yield "percent", told["overheal_percent"], self.played(player).overheal or 0.0

    async def _mechanics(self) -> AsyncIterator[Pair]:
        told = await self.call("get_deaths_and_mechanics", encounter_name=self.encounter.name, report_code=self.code)
        if told["fights"] != 1:
            return
        real = [death for death in self.truth.deaths if not death.feigned]
        deaths = Counter(self.truth.players[death.guid].name for death in real)
        yield "deaths", (told["deaths"], sum(row["times"] for row in told["deaths_by_cause"])), (len(real), len(real))
        rows = {row["player"]: row["deaths"] for row in told.get("deaths_by_player", [])}
        alike = int((told.get("deaths_alike") or "0").split()[0])
        yield "players", rows, {name: times for name, times in deaths.items() if not alike or name in rows}
        yield "players in all", len(rows) + alike, len(deaths)
        interrupts, dispels = dict[str, Any](), dict[str, Any]()
        for one in self.encounter.mechanics:
            spells = dict.fromkeys(one.spells, one.name)
            through = sum(self.truth.enemy_casts.get(spell, 0) for spell in spells)
            stopped = sum(self.truth.interrupted.get(spell, 0) for spell in spells)
            shielded = sum(self.truth.shielded_casts.get(spell, 0) for spell in spells)
            if not one.shielded_by:
                through, shielded = through + shielded, 0
            if one.kind == "interrupt" and through + stopped + shielded:
                interrupts[one.name] = through + stopped, stopped, shielded
            if one.kind == "dispel":
                done = sum(self.truth.dispelled.get(spell, 0) for spell in spells)
                players = self.truth.players
                times = sum(len(one.spans) for one in self.auras(spells) if one.buff != (one.target in players))
                if done or times:
                    dispels[one.name] = max(done, times), done
        rows, columns = told.get("missed_interrupts", []), ("chances", "interrupted", "shielded")
        yield "interrupts", {row["mechanic"]: tuple(row.get(one, 0) for one in columns) for row in rows}, interrupts
        rows = told.get("missed_dispels", [])
        yield "dispels", {row["mechanic"]: (row["chances"], row["dispelled"]) for row in rows}, dispels


async def wrong(pairs: AsyncIterator[Pair]) -> AsyncIterator[str]:
    async for label, told, truth in pairs:
        if not same(told, truth):
            yield f"{label}: {told}, not {truth}"


def covered(spans: Iterable[tuple[int, int]]) -> int:
    """Ms that lie in any of them."""
    return len(set[int]().union(*(range(*span) for span in spans)))


def runs(moments: Iterable[int]) -> list[tuple[int, int]]:
    """Begin and length of each run of ms."""
    found = list[list[int]]()
    for at in sorted(moments):
        if found and found[-1][0] + found[-1][1] == at:
            found[-1][1] += 1
        else:
            found.append([at, 1])
    return [(begin, length) for begin, length in found]
