"""Compares what the tools of whole nights tell of a season with figures computed from the generator's own."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, linear_regression, median
from typing import Any

from tests.extensions.raids.season import Played, parse_of
from tests.extensions.raids.season_figures import Pair, clock, differing
from tests.extensions.raids.tool_figures import Call

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample.figures import FightFigures

LOST_S = 1
LEAST_WIPES = 3
CHANGED = ("kill_time", "wipes", "deaths", "raid_dps", "interrupts")


def total(fights: Sequence[FightFigures], name: str) -> int:
    return sum(getattr(player, name) for fight in fights for player in fight.players.values())


def dps(fight: FightFigures) -> float:
    return total([fight], "damage") * 1000 / fight.length_ms


class Boss:
    """The attempts at a boss in one night, from the first pull on."""

    def __init__(self, fights: Sequence[FightFigures], encounter_id: int) -> None:
        self.tries = [fight for fight in fights if fight.encounter_id == encounter_id]
        self.wipes = [fight for fight in self.tries if not fight.kill]
        self.kill = next((fight for fight in self.tries if fight.kill), None)
        self.kill_number = None if self.kill is None else fights.index(self.kill) + 1
        before = [fight.ended_at for fight in fights if fight.ended_at <= self.tries[0].started_at]
        self.before = self.tries[0].started_at - max(before) if before else None
        self.between = sum(
            two.started_at - one.ended_at for one, two in pairwise(fights) if two in self.tries[1:]
        )  # fmt: skip

    def told(self) -> dict[str, Any]:
        return {
            "result": "not killed" if self.kill is None else "killed", "kill_fight_id": self.kill_number,
            "kill_time": self.kill and clock(self.kill.length_ms), "wipes": len(self.wipes),
            "time_in_wipes_s": seconds(sum(fight.length_ms for fight in self.wipes)),
            "deaths": total(self.tries, "deaths"),
            "spirits_of_redemption": sum(map(spirits, self.tries)) or None,
            "deaths_in_kill": self.kill and total([self.kill], "deaths"),
            "raid_dps": self.kill and dps(self.kill), "interrupts": total(self.tries, "interrupts"),
            "downtime_before_s": None if self.before is None else seconds(self.before),
        }  # fmt: skip


def spirits(fight: FightFigures) -> int:
    """Priests who became a spirit and were not dead before the end."""
    ends = [(one.guid, one.at) for one in fight.deaths if not one.feigned]
    return sum(
        not any(guid == one.guid and 0 < at - one.at <= 20_000 for guid, at in ends)
        for one in fight.deaths
        if one.feigned == "Spirit of Redemption"
    )


def seconds(ms: float) -> int:
    return round(ms / 1000)


class NightComparisons:
    """`nights`: the fights of the guild's nights by code, `references` those of the references."""

    def __init__(
        self,
        call: Call,
        rows: Sequence[Played],
        nights: Mapping[str, Sequence[FightFigures]],
        references: Mapping[str, Sequence[FightFigures]],
    ) -> None:
        self.call, self.rows, self.nights, self.references = call, rows, nights, references
        self.encounters = load_knowledge().encounters

    async def differences(self) -> list[str]:
        """One line each."""
        checks: tuple[Callable[[], AsyncIterator[Pair]], ...] = (
            self._execution, self._players, self._two_nights, self._beside_references, self._attempts,
        )  # fmt: skip
        return await differing(checks)

    def bosses(self, fights: Sequence[FightFigures]) -> dict[int, Boss]:
        return {number: Boss(fights, number) for number in dict.fromkeys(fight.encounter_id for fight in fights)}

    def totals(self, fights: Sequence[FightFigures]) -> dict[str, Any]:
        bosses, kills = self.bosses(fights), [fight for fight in fights if fight.kill]
        length, wiped = (sum(fight.length_ms for fight in some) for some in (kills, [f for f in fights if not f.kill]))
        between = sum(boss.between for boss in bosses.values())
        whole = fights[-1].ended_at - fights[0].started_at
        return {
            "bosses_killed": sum(boss.kill is not None for boss in bosses.values()),
            "wipes": len(fights) - len(kills), "deaths": total(fights, "deaths"),
            "spirits_of_redemption": sum(map(spirits, fights)),
            "interrupts": total(fights, "interrupts"), "dispels": total(fights, "dispels"),
            "raid_dps_in_kills": total(kills, "damage") * 1000 / length if kills else None,
            "time_from_first_pull_s": seconds(whole), "time_in_kills_s": seconds(length),
            "time_in_wipes_s": seconds(wiped), "time_between_attempts_s": seconds(between),
            "time_between_bosses_s": seconds(whole - length - wiped - between),
        }  # fmt: skip

    async def _execution(self) -> AsyncIterator[Pair]:
        for code, fights in self.nights.items():
            told = await self.call("get_raid_execution", report_code=code)
            truth = self.totals(fights)
            yield f"{code} totals", {name: told["totals"][name] for name in truth}, truth
            for row, (number, boss) in zip(told["bosses"], self.bosses(fights).items(), strict=True):
                parses = [
                    parse
                    for one in self.rows
                    if one.code == code and one.fight.encounter_id == number and one.player.role != "tank"
                    if (parse := parse_of(one, self.rows)[0]) is not None
                ]
                truth = boss.told() | {
                    "encounter": self.encounters[number].name, "dispels": total(boss.tries, "dispels"),
                    "parses": len(parses), "median_parse": median(parses) if parses else None,
                    "best_parse": max(parses, default=None), "worst_parse": min(parses, default=None),
                }  # fmt: skip
                yield f"{code} {number}", {name: row[name] for name in truth}, truth

    async def _players(self) -> AsyncIterator[Pair]:
        for code in self.nights:
            told = {row["player"]: row for row in (await self.call("get_raid_execution", report_code=code))["players"]}
            here = [row for row in self.rows if row.code == code]
            for name in {row.player.name for row in here}:
                rows = [row for row in here if row.player.name == name]
                kills = [row for row in rows if row.fight.kill]
                amount = sum(row.metric * row.length for row in kills)
                parses = [parse for row in kills if (parse := parse_of(row, self.rows)[0]) is not None]
                truth = {
                    "fights": len(rows), "kills": len(kills), "deaths": sum(row.player.deaths for row in rows),
                    "interrupts": sum(row.player.interrupts for row in rows), "spec": rows[0].label,
                    "dispels": sum(row.player.dispels for row in rows), "role": rows[0].player.role,
                    "dps_or_hps_in_kills": amount / sum(row.length for row in kills) if kills else None,
                    "median_parse": median(parses) if parses and rows[0].player.role != "tank" else None,
                }  # fmt: skip
                yield f"{code} {name}", {key: told[name][key] for key in truth}, truth

    async def _two_nights(self) -> AsyncIterator[Pair]:
        (code_a, fights_a), *_, (code_b, fights_b) = self.nights.items()
        told = await self.call("compare_two_raids", report_a=code_a, report_b=code_b)
        before, after = self.bosses(fights_a), self.bosses(fights_b)
        for row in told["bosses"]:
            number = next(one for one in before if self.encounters[one].name == row["encounter"])
            one, other = before.pop(number), after.pop(number)
            truth = {f"{name}_a": one.told()[name] for name in CHANGED}
            truth |= {f"{name}_b": other.told()[name] for name in CHANGED}
            truth |= {"downtime_before_a_s": one.told()["downtime_before_s"],
                      "downtime_before_b_s": other.told()["downtime_before_s"]}  # fmt: skip
            if one.kill and other.kill:
                truth["kill_time_change_s"] = (other.kill.length_ms - one.kill.length_ms) / 1000
                truth["raid_dps_change_percent"] = 100 * (dps(other.kill) / dps(one.kill) - 1)
            yield f"{row['encounter']}", {name: row.get(name) for name in truth}, truth
        yield "only in one", len(told["not_in_both"]), len(before) + len(after)
        sides = self.totals(fights_a), self.totals(fights_b)
        yield "totals", [(row["a"], row["b"]) for row in told["totals"]], [
            (value, sides[1][name]) for name, value in sides[0].items()
        ]  # fmt: skip

    async def _beside_references(self) -> AsyncIterator[Pair]:
        kills = dict[int, list[FightFigures]]()
        ways = dict[int, list[int]]()
        for fights in self.references.values():
            for number, boss in self.bosses(fights).items():
                kills.setdefault(number, []).extend(fight for fight in boss.tries if fight.kill)
                ways.setdefault(number, []).extend([] if boss.before is None else [boss.before])
        for code, fights in self.nights.items():
            told = await self.call("compare_raid_to_top", report_code=code)
            lost = dict[str, int]()
            for row, (number, boss) in zip(told["bosses"], self.bosses(fights).items(), strict=True):
                name, median_ms = self.encounters[number].name, median(fight.length_ms for fight in kills[number])
                raid_dps = fmean(map(dps, kills[number]))
                truth: dict[str, Any] = boss.told() | {
                    "reference_kills": len(kills[number]), "reference_kill_time": clock(median_ms),
                    "reference_deaths": fmean(total([fight], "deaths") for fight in kills[number]),
                    "reference_interrupts": fmean(total([fight], "interrupts") for fight in kills[number]),
                    "reference_raid_dps": raid_dps,
                }  # fmt: skip
                if boss.wipes:
                    many = f"{len(boss.wipes)} wipe{'s' if len(boss.wipes) > 1 else ''} on {name}, with the way back"
                    lost[many] = sum(fight.length_ms for fight in boss.wipes) + boss.between
                if boss.kill:
                    truth["kill_time_gap_s"] = (boss.kill.length_ms - median_ms) / 1000
                    truth["raid_dps_gap_percent"] = 100 * (dps(boss.kill) / raid_dps - 1)
                    lost[f"longer kill of {name}"] = round(boss.kill.length_ms - median_ms)
                if ways[number]:
                    truth["reference_downtime_before_s"] = seconds(median(ways[number]))
                    lost[f"longer way to {name}"] = round((boss.before or 0) - median(ways[number]))
                yield f"{code} {name}", {key: row.get(key) for key in truth}, truth
            found = {row["what"]: row["lost_s"] for row in told["where_the_time_went"]}
            yield f"{code} lost", found, {what: seconds(ms) for what, ms in lost.items() if ms >= LOST_S * 1000}

    async def _attempts(self) -> AsyncIterator[Pair]:
        for number in {row.fight.encounter_id for row in self.rows}:
            tries = [fight for fights in self.nights.values() for fight in fights if fight.encounter_id == number]
            if not tries:
                continue
            name = self.encounters[number].name
            told = await self.call("get_wipe_progression", report_code="all", encounter_name=name)
            truth = list[Any]()
            for fight in tries:
                real = [death for death in fight.deaths if not death.feigned]
                fallen = [death for death in fight.deaths if death.feigned != "Feign Death"]
                first = min(fallen, key=lambda death: death.at, default=None)
                how = f" ({first.feigned})" if first and first.feigned else ""
                truth.append((
                    fight.length_ms / 1000, dps(fight), len(real), first and fight.players[first.guid].name + how,
                    first and clock(first.at),
                ))  # fmt: skip
            columns = ("length_s", "raid_dps", "deaths", "first_death", "first_death_at")
            yield f"{name} attempts", [tuple(row[one] for one in columns) for row in told["by_attempt"]], truth
            left = [row["boss_health_percent"] for row in told["by_attempt"] if not row["result"].startswith("kill")]
            wipes = [fight for fight in tries if not fight.kill]
            yield f"{name} counts", (told["attempts"], told["wipes"], told["kills"]), (
                len(tries), len(wipes), len(tries) - len(wipes)
            )  # fmt: skip
            known = [(at, value) for at, value in enumerate(left, 1) if value is not None]
            yield f"{name} health", all(abs(value - wipes[at - 1].boss_health) <= 1 for at, value in known), True
            steep = linear_regression(*zip(*known, strict=True)).slope if len(known) >= LEAST_WIPES else None
            yield f"{name} trend", told["trend_percent_per_attempt"], steep
            yield f"{name} best", told["best_wipe_percent"], min((value for _, value in known), default=None)
