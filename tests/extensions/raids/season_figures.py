"""Compares what the tools over many fights tell of a season with figures computed from the generator's own."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean, linear_regression, median, quantiles
from typing import Any, cast

from tests.extensions.raids.season import DAY_MS, NOT_WORN, Played, parse_of
from tests.extensions.raids.tool_figures import Call

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample.figures import WornItem

ROUNDING = 0.051
"""Tools round to a tenth."""
TOP = 3
PAIRS = ((10, 11), (12, 13))
"""Rings and trinkets, which may change places."""

Pair = tuple[str, Any, Any]


class SeasonFigures:
    """`rows` newest first; `codes` of the guild's nights, the oldest first."""

    def __init__(self, call: Call, rows: Sequence[Played], codes: Sequence[str]) -> None:
        self.call, self.rows, self.codes = call, rows, codes
        self.own = [row for row in rows if not row.reference]
        self.names = sorted({row.player.name for row in self.own})
        self.bosses = {
            number: load_knowledge().encounters[number].name
            for number in sorted({one.fight.encounter_id for one in rows})
        }

    async def differences(self) -> list[str]:
        """One line each."""
        checks: tuple[Callable[[], AsyncIterator[Pair]], ...] = (
            self._rankings, self._leaderboards, self._performances, self._bests, self._progression, self._searches,
            self._own_fights, self._regressions, self._gear_changes, self._encounter_benchmarks, self._spec_benchmarks,
            self._comparisons,
        )  # fmt: skip
        return await differing(checks)

    def of(
        self, rows: Iterable[Played], boss: int | None = None, name: str = "", *, kills: bool = False
    ) -> list[Played]:
        return [
            row
            for row in rows
            if boss in (None, row.fight.encounter_id)
            and name in ("", row.player.name)
            and (row.fight.kill or not kills)
        ]

    def specs(self, boss: int) -> dict[tuple[str, str, str], list[Played]]:
        """Reference kills by class, spec and role, the best first."""
        groups = defaultdict[tuple[str, str, str], list[Played]](list)
        for row in sorted(self.of(self.rows, boss, kills=True), key=lambda row: -row.metric):
            if row.reference:
                groups[row.spec].append(row)
        return groups

    async def _rankings(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            for spec, rows in self.specs(boss).items():
                told = await self.call("get_top_rankings", encounter_name=name, limit=50, **named(spec))
                best = {row.player.name: row for row in reversed(rows)}
                truth = [
                    (row.player.name, row.dps, row.hps, row.player.deaths, row.item_level,
                     None if row.player.deaths else row.casts_per_minute,
                     None if row.player.deaths else row.gcd_uptime)
                    for row in best.values()
                ]  # fmt: skip
                columns = ("player", "dps", "hps", "deaths", "item_level", "casts_per_minute", "gcd_uptime_percent")
                found, unit = told["rankings"], "hps" if spec[2] == "healer" else "dps"
                yield f"{name} {spec}", sorted(tuple(row[one] for one in columns) for row in found), sorted(truth)
                yield f"{name} {spec} order", found, sorted(found, key=lambda row: -row[unit])

    async def _leaderboards(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            told = await self.call("get_spec_leaderboard", encounter_name=name)
            kills = self.of(self.rows, boss, kills=True)
            yield f"{name} kills", told["kills"], len({(row.code, row.number) for row in kills})
            for role, table in (("damage", "specs_by_dps"), ("healer", "healers_by_hps"), ("tank", "tanks_by_dps")):
                unit, truth = "hps" if role == "healer" else "dps", list[Any]()
                groups = grouped(row for row in kills if row.player.role == role)
                for label, rows in sorted(groups.items(), key=lambda one: -fmean(row.metric for row in one[1])):
                    values = [row.metric for row in rows]
                    truth.append((label, fmean(values), median(values), max(values), players(rows), len(rows),
                                  sum(row.reference for row in rows)))  # fmt: skip
                columns = ("spec", f"average_{unit}", f"median_{unit}", f"best_{unit}", "players", "performances",
                           "of_references")  # fmt: skip
                yield f"{name} {role}", [tuple(row[one] for one in columns) for row in told[table]], truth

    async def _performances(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            for player in self.names:
                told = await self.call("get_my_performance", encounter_name=name, player_name=player)
                rows = self.of(self.own, boss, player)
                yield f"{player} {name} counts", (told["kills"], told["wipes"]), (
                    sum(row.fight.kill for row in rows), sum(not row.fight.kill for row in rows)
                )  # fmt: skip
                truth = [(row.code, row.number, row.dps, row.hps, row.player.deaths, row.item_level,
                          *parse_of(row, self.rows)) for row in rows]  # fmt: skip
                columns = ("report_code", "fight_id", "dps", "hps", "deaths", "item_level", "parse", "item_level_parse")
                yield f"{player} {name}", [tuple(row[one] for one in columns) for row in told["fights"]], truth

    async def _bests(self) -> AsyncIterator[Pair]:
        for player in self.names:
            told = await self.call("get_my_performance", player_name=player, bests_only=True)
            truth = list[Any]()
            for boss, name in self.bosses.items():
                if not (kills := self.of(self.own, boss, player, kills=True)):
                    continue
                parses = [parse for row in kills if (parse := parse_of(row, self.rows)[0]) is not None]
                truth.append((name, len(kills), max(row.dps for row in kills), max(row.hps for row in kills),
                              max(parses, default=None), clock(min(row.length for row in kills))))  # fmt: skip
            columns = ("encounter", "kills", "best_dps", "best_hps", "best_parse", "fastest_kill")
            yield player, [tuple(row[one] for one in columns) for row in told.get("bests", [])], truth

    async def _progression(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            for player in self.names:
                kills = self.of(self.own, boss, player, kills=True)
                told = await self.call("get_progression", encounter_name=name, player_name=player)
                if not kills:
                    yield f"{player} {name}", told["kills"], []
                    continue
                unit = "hps" if kills[0].player.role == "healer" else "dps"
                parses = [parse_of(row, self.rows)[0] for row in kills]
                truth = {
                    "parse": slope(kills, parses), unit: slope(kills, [row.metric for row in kills]),
                    "item_level": slope(kills, [row.item_level for row in kills]),
                    "kill_time_s": slope(kills, [row.length / 1000 for row in kills]),
                }  # fmt: skip
                yield f"{player} {name} change", told["change_a_week"], truth
                latest, first = told["latest"], told["first"]
                yield f"{player} {name}", (
                    told["kill_count"], told["wipe_count"], latest[unit], latest["parse"], first[unit],
                    first["item_level"],
                ), (
                    len(kills), len(self.of(self.own, boss, player)) - len(kills), kills[0].metric, parses[0],
                    kills[-1].metric, kills[-1].item_level,
                )  # fmt: skip

    async def _searches(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            for kill in (True, False, None):
                told = await self.call("search_fights", encounter_name=name, kill=kill, limit=50)
                wanted = [row for row in self.of(self.own, boss) if kill in (None, row.fight.kill)]
                truth = list(dict.fromkeys((row.code, row.number) for row in wanted))
                yield f"{name} {kill}", [(row["report_code"], row["fight_id"]) for row in told["fights"]], truth
        last = max(row.at for row in self.own)
        day = f"{datetime.fromtimestamp(last / 1000, UTC):%Y-%m-%d}"
        told = await self.call("search_fights", player_name=self.names[0], since=day, limit=50)
        truth = [row for row in self.of(self.own, name=self.names[0]) if row.at // DAY_MS == last // DAY_MS]
        yield "since", told["found"], len(truth)

    async def _own_fights(self) -> AsyncIterator[Pair]:
        """The first two names are the user's characters."""
        told = await self.call("resolve_my_fights", count=50)
        rows = [row for row in self.own if row.player.name in self.names[:2] and row.fight.kill]
        found = sorted((row["report_code"], row["fight_id"], row["player"], row["dps"]) for row in told["fights"])
        yield "kills", found, sorted((row.code, row.number, row.player.name, row.dps) for row in rows)

    async def _regressions(self) -> AsyncIterator[Pair]:
        truth: dict[str, list[Any]] = {"regressions": [], "improvements": []}
        counts = dict[str, int]()
        for player in self.names:
            for boss, name in self.bosses.items():
                kills = [row for row in self.of(self.own, boss, player, kills=True) if row.player.role != "tank"]
                parses = [parse_of(row, self.rows)[0] for row in kills]
                values = [parse for parse in parses if parse is not None]
                if len(values) < 3:
                    continue
                change = fmean(values[:2]) - fmean(values[2:7])
                counts[player] = counts.get(player, 0) + (change <= -15)
                if abs(change) >= 15:
                    truth["regressions" if change < 0 else "improvements"].append((player, name, change))
        told = await self.call("get_regressions", player_name="raid")
        for table, rows in truth.items():
            found = [(row["player"], row["encounter"], row["change_points"]) for row in told[table]]
            yield table, sorted(found), sorted(rows)
        yield "worse", {row["player"]: row["worse"] for row in told["by_player"]}, counts

    async def _gear_changes(self) -> AsyncIterator[Pair]:
        for player in self.names:
            for old, new in ((self.codes[0], self.codes[-1]), (self.codes[1], self.codes[2])):
                worn = [next(row for row in self.of(self.own, name=player) if row.code == code) for code in (old, new)]
                told = await self.call("get_gear_changes", player_name=player, report_code_old=old, report_code_new=new)
                before, after = ({item.slot: item for item in row.player.gear} for row in worn)
                yield f"{player} {old} {new}", (
                    told["slots_changed"], told["average_item_level_old"], told["average_item_level_new"],
                    sum(row["level_difference"] for row in told["changes"]),
                ), (
                    changed_slots(before, after), worn[0].item_level, worn[1].item_level,
                    sum(item.item_level for item in after.values()) - sum(item.item_level for item in before.values()),
                )  # fmt: skip

    async def _encounter_benchmarks(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            rows = [row for row in self.of(self.rows, boss, kills=True) if row.reference]
            told = await self.call("get_encounter_benchmarks", encounter_name=name)
            fights = {(row.code, row.number): row.fight for row in rows}.values()
            deaths = [sum(one.deaths for one in fight.players.values()) for fight in fights]
            sums = {
                key: [sum(getattr(one, key) for one in fight.players.values()) for fight in fights]
                for key in ("damage", "interrupts", "dispels")
            }
            lengths = [fight.length_ms for fight in fights]
            truth = {
                "kills": len(fights), "kill_time_median_s": median(lengths) / 1000,
                "kill_time_fastest": clock(min(lengths)), "kill_time_slowest": clock(max(lengths)),
                "deaths_a_kill": fmean(deaths), "kills_without_a_death_percent": 100 * fmean(not one for one in deaths),
                "raid_dps": fmean(sum(row.dps for row in rows if row.fight is fight) for fight in fights),
                "interrupts_a_kill": fmean(sums["interrupts"]), "dispels_a_kill": fmean(sums["dispels"]),
                "players": len(rows) / len(fights),
            }  # fmt: skip
            yield name, {key: told[key] for key in truth}, truth
            for role, unit in (("damage", "dps"), ("healer", "hps")):
                groups = grouped(row for row in rows if row.player.role == role)
                found = {row["spec"]: (row[f"average_{unit}"], row["performances"]) for row in told[f"{unit}_by_spec"]}
                yield f"{name} {unit}", found, {
                    label: (fmean(row.metric for row in group), len(group)) for label, group in groups.items()
                }  # fmt: skip
            classes = Counter(row.player.class_name for row in rows)
            roles = Counter({"tank": "tanks", "healer": "healers"}.get(row.player.role, "damage") for row in rows)
            found = {one: told["composition"][one] for one in (*classes, *roles)}
            yield f"{name} composition", found, {
                one: count / len(fights) for one, count in (classes + roles).items()
            }  # fmt: skip

    async def _spec_benchmarks(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            for spec, rows in self.specs(boss).items():
                told = await self.call("get_spec_benchmark", encounter_name=name, **named(spec))
                unit, values = "hps" if spec[2] == "healer" else "dps", [row.metric for row in rows]
                # Each spec is at least once in each of three reference nights.
                alive = [row for row in rows if not row.player.deaths] or rows
                best = best_players(rows)
                truth = {
                    "performances": len(rows), f"{unit}_target": median(values), f"{unit}_best": max(values),
                    f"{unit}_best_quarter": quantiles(values, n=4, method="inclusive")[2],
                    "gcd_uptime_percent": fmean(row.gcd_uptime * row.alive / row.length for row in alive),
                    "casts_per_minute": fmean(row.casts * 60_000 / row.length for row in alive),
                }  # fmt: skip
                yield f"{name} {spec}", {key: told[key] for key in truth}, truth
                if len(set(values)) == len(values):  # Of equal ones any may be among the best.
                    yield f"{name} {spec} best", profile_figures(told["best_kills"], unit), mean_figures(best, unit)

    async def _comparisons(self) -> AsyncIterator[Pair]:
        for boss, name in self.bosses.items():
            for player in self.names:
                if not (kills := self.of(self.own, boss, player, kills=True)):
                    continue
                told = await self.call("compare_to_top", encounter_name=name, player_name=player)
                row, ranked = kills[0], self.specs(boss)[kills[0].spec]
                if len({one.metric for one in ranked}) < len(ranked):
                    continue
                best = best_players(ranked)
                unit = "hps" if row.player.role == "healer" else "dps"
                yours, top = ({one["figure"]: one[side] for one in told["figures"]} for side in ("yours", "top"))
                truths = [(yours, mean_figures([row], unit)), (top, mean_figures(best, unit))]
                for side, (found, truth) in zip(("yours", "top"), truths, strict=True):
                    figures = {
                        unit: found[unit.upper()], "casts_per_minute": found["Casts per minute"],
                        "gcd_uptime_percent": found["GCD uptime (%)"], "item_level": found["Item level"],
                    }  # fmt: skip
                    if unit == "hps" and "Overheal (%)" in found:
                        figures["overheal_percent"] = found["Overheal (%)"]
                    yield f"{player} {name} {side}", figures, {key: truth[key] for key in figures}


def named(spec: tuple[str, str, str]) -> dict[str, str]:
    """The parameters of a spec; Feral is a cat or a bear."""
    class_name, name, role = spec
    return {"class_name": class_name, "spec_name": f"{name} bear" if name == "Feral" and role == "tank" else name}


def grouped(rows: Iterable[Played]) -> dict[str, list[Played]]:
    groups = defaultdict[str, list[Played]](list)
    for row in rows:
        groups[row.label].append(row)
    return groups


def players(rows: Iterable[Played]) -> int:
    return len({row.player.guid for row in rows})


def best_players(rows: Iterable[Played]) -> list[Played]:
    """The best kill of each of the best three."""
    best = dict[str, Played]()
    for row in sorted(rows, key=lambda row: -row.metric):
        best.setdefault(row.player.guid, row)
    return list(best.values())[:TOP]


def mean_figures(rows: Sequence[Played], unit: str) -> dict[str, Any]:
    overheals = [row.overheal for row in rows if row.overheal is not None]
    return {
        unit: fmean(row.metric for row in rows),
        "casts_per_minute": fmean(row.casts_per_minute for row in rows),
        "gcd_uptime_percent": fmean(row.gcd_uptime for row in rows),
        "item_level": fmean(row.item_level for row in rows),
        "overheal_percent": fmean(overheals) if overheals and unit == "hps" else None,
    }


def profile_figures(told: Mapping[str, Any], unit: str) -> dict[str, Any]:
    return {
        key: told.get(key) for key in (unit, "casts_per_minute", "gcd_uptime_percent", "item_level", "overheal_percent")
    }


def slope(rows: Sequence[Played], values: Sequence[float | None]) -> float | None:
    """A week."""
    points = [(row.at / (7 * DAY_MS), value) for row, value in zip(rows, values, strict=True) if value is not None]
    return linear_regression(*zip(*points, strict=True)).slope if len(points) > 1 else None


def changed_slots(before: Mapping[int, WornItem], after: Mapping[int, WornItem]) -> int:
    """With rings and trinkets in whichever order changes least."""

    def worn(item: WornItem | None) -> object:
        return item and (item.item_id, item.enchant, sorted(item.gems))

    def count(pairs: Iterable[tuple[int, int]]) -> int:
        return sum(worn(before.get(one)) != worn(after.get(other)) for one, other in pairs)

    paired = {slot for pair in PAIRS for slot in pair}
    single = (before.keys() | after.keys()) - paired - set(NOT_WORN)
    return count((slot, slot) for slot in single) + sum(
        min(count(((a, a), (b, b))), count(((a, b), (b, a)))) for a, b in PAIRS
    )


def clock(ms: float) -> str:
    seconds = round(ms / 1000)
    return f"{seconds // 60}:{seconds % 60:02d}"


def same(told: Any, truth: Any) -> bool:
    """Alike, but for rounding."""
    if isinstance(truth, float) and isinstance(told, (int, float)):
        return abs(told - truth) <= ROUNDING
    if isinstance(truth, dict):
        table = cast("dict[Any, Any]", truth)
        return told.keys() == table.keys() and all(same(told[key], value) for key, value in table.items())
    if isinstance(truth, (list, tuple)):
        values = cast("Sequence[Any]", truth)
        return len(told) == len(values) and all(map(same, told, values))
    return told == truth


async def differing(checks: Iterable[Callable[[], AsyncIterator[Pair]]]) -> list[str]:
    """What the tools told otherwise than the truth, one line each."""
    found = list[str]()
    for check in checks:
        async for label, told, truth in check():
            if not same(told, truth):
                found.append(f"{check.__name__.strip('_')}, {label}: {told}, not {truth}")
    return found
