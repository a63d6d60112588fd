"""How long the raid tools take: on the sample, and with two hundred reports of one's own.

    python bench/raid_tools.py [--reports N …] [--rounds R] [--folder F] [--postgres] [--json FILE]

Every tool is asked about a raider of the sample. More reports are the sample's own nights again, earlier and with other
figures. In CPU time, of threads too, and with `--postgres` of the server that is started for it; the first call of
each, for which nothing is in memory and no benchmark is kept yet, counts as the others do. The store is made in a
folder that is removed again, unless `--folder` names one to keep it in. Prints every call, and the slowest with its
bar; exits with 1 when one is missed.
"""

import asyncio
import gc
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import msgspec

import bars
import durable
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.records import FightRecord, ReportRecord
from glassloop.extensions.raids.sample.guild import guild_nights
from glassloop.extensions.raids.sample.references import reference_nights
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools import make_tools
from glassloop.runtime.extensions import installed_extensions
from glassloop.store import open_store
from glassloop.store.store import Store
from glassloop.tools.tool import FunctionTool, ToolContext

USER = "bench"
BARS_MS = {0: 100.0, 200: 300.0}
DAY_MS = 24 * 3600 * 1000
CODE_SIGNS = "abcdefghijkmnpqrstuvwxyz23456789"

Imported = tuple[ReportRecord, list[FightRecord]]

FIGHT = {"report_code": "last", "fight_id": "last"}
CASTER, HEALER, TANK = ({**FIGHT, "player_name": name} for name in ("Vessara", "Mirelle", "Aldren"))
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_my_performance", {"encounter_name": "curator", "player_name": "Ysolt"}),
    ("get_my_performance", {"player_name": "me", "bests_only": True}),
    ("get_my_performance", {"encounter_name": "curator", "player_name": "Vessa"}),
    ("get_top_rankings", {"encounter_name": "gruul", "class_name": "priest", "spec_name": "shadow"}),
    ("compare_to_top", {"encounter_name": "curator", "player_name": "me"}),
    ("compare_to_top", {"encounter_name": "gruul", "player_name": "Mirelle"}),
    ("get_fight_details", FIGHT),
    ("get_progression", {"player_name": "me", "encounter_name": "Der Kurator"}),
    ("get_deaths_and_mechanics", {"encounter_name": "prince"}),
    ("search_fights", {"limit": 50}),
    ("get_spec_leaderboard", {"encounter_name": "gruul"}),
    ("compare_raid_to_top", {"report_code": "last"}),
    ("compare_two_raids", {"report_a": "last", "report_b": "last"}),
    ("get_raid_execution", {"report_code": "last"}),
    ("get_ability_breakdown", CASTER),
    ("get_buff_analysis", {**FIGHT, "player_name": "raid"}),
    ("get_buff_analysis", CASTER),
    ("get_death_analysis", FIGHT),
    ("get_death_analysis", {"report_code": "all"}),
    ("get_activity_report", CASTER),
    ("get_cooldown_efficiency", CASTER),
    ("get_consumable_check", FIGHT),
    ("get_overheal_analysis", HEALER),
    ("get_cancelled_casts", CASTER),
    ("get_wipe_progression", {"report_code": "WIPES", "encounter_name": "prince"}),
    ("get_regressions", {}),
    ("resolve_my_fights", {}),
    ("get_gear_changes", {"player_name": "Vessara", "report_code_old": "WIPES", "report_code_new": "last"}),
    ("get_phase_analysis", FIGHT),
    ("get_resource_usage", HEALER),
    ("get_dot_management", CASTER),
    ("get_rotation_score", TANK),
    ("get_enchant_gem_check", CASTER),
    ("get_encounter_benchmarks", {"encounter_name": "gruul"}),
    ("get_spec_benchmark", {"encounter_name": "curator", "class_name": "mage", "spec_name": "fire"}),
)
"""`WIPES` stands for the code of a night with wipes on that boss."""


def cpu() -> float:
    """Of this process and of those under it that run, such as a database's."""
    found, pids = time.process_time(), children_of(os.getpid())
    while pids:
        pid = pids.pop()
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            found += sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        pids += children_of(pid)
    return found


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text(encoding="utf-8").split())
    return found


def read_nights(folder: Path, *, reference: bool) -> list[Imported]:
    """The sample's nights, as an import makes records of them."""
    nights: list[Imported] = []
    for night in reference_nights() if reference else guild_nights():
        fights: list[FightRecord] = []
        path = night.write(folder / f"night-{night.seed}-{night.started_at}.txt")
        nights.append((read_log(path, found=fights.append), fights))
        path.unlink()
    return nights


def again(night: Imported, rng: random.Random, earlier_ms: int) -> Imported:
    """The same night at another time, in which everybody did a little more or less."""
    report, fights = night

    def moved(record: FightRecord) -> FightRecord:
        fight, replace = record.fight, msgspec.structs.replace
        performances = tuple(
            replace(one, damage=round(one.damage * factor), healing=round(one.healing * factor))
            for one in record.performances
            if (factor := rng.uniform(0.85, 1.05))
        )
        at = {"started_at": fight.started_at - earlier_ms, "ended_at": fight.ended_at - earlier_ms}
        return replace(record, fight=replace(fight, **at), performances=performances)

    code = "".join(rng.choice(CODE_SIGNS) for _ in range(10))
    at = {"started_at": report.started_at - earlier_ms, "ended_at": report.ended_at - earlier_ms}
    return msgspec.structs.replace(report, code=code, **at), [moved(fight) for fight in fights]


async def put(raids: RaidStore, night: Imported, *, reference: bool) -> None:
    report = await raids.begin(USER, reference=reference, name="bench")
    for fight in night[1]:
        await raids.add_fight(report, fight)
    await raids.complete(report, night[0])


async def fill(store: Store, folder: Path, reports: int) -> None:
    """The sample, and its nights again until there are so many reports."""
    raids, rng = RaidStore(store), random.Random(1)
    if await raids.characters(USER):
        return
    nights = read_nights(folder, reference=False)
    for night in nights:
        await put(raids, night, reference=False)
    for night in read_nights(folder, reference=True):
        await put(raids, night, reference=True)
    for number in range(len(nights), reports):
        weeks = 8 * (number // len(nights))
        await put(raids, again(nights[number % len(nights)], rng, weeks * 7 * DAY_MS), reference=False)
    await raids.add_character(USER, "Ysolt", "", "Priest", "Shadow")


async def measure(store: Store, name: str, args: dict[str, Any], rounds: int) -> list[float]:
    """Milliseconds of CPU of a call in each round, by tools that remember nothing of the round before."""
    took: list[float] = []
    for _ in range(rounds):
        tools: dict[str, Any] = {tool.name: tool for tool in make_tools(Path(), store)}
        tool: FunctionTool[..., Any] = tools[name]
        began = cpu()
        result = await tool.execute(args, ToolContext(user=USER))
        took.append((cpu() - began) * 1000)
        if not result.success:
            raise RuntimeError(f"{name} {args} failed: {result.error}")
    return took


async def run(folder: Path, reports: int, rounds: int, url: str = "") -> bars.Bar:
    """Every call at one size, told as it is measured; the slowest is judged. In a file, or in the database of `url`."""
    path = url or str(folder / f"raids-{reports}.db")
    async with await open_store(path, branches=installed_extensions().branches) as store:
        await fill(store, folder, reports)
        await store.engine.write(lambda db: db.run("DELETE FROM raids_benchmarks"))
        # Collections that go through the records of the filling are no cost of the tools.
        gc.collect()
        gc.freeze()
        wipe = (await RaidStore(store).search(USER, encounter_id=661, kill=False, limit=1))[0]
        calls = [
            (name, {key: wipe.code if value == "WIPES" else value for key, value in args.items()})
            for name, args in CALLS
        ]
        names = {tool.name for tool in make_tools(Path(), store)}
        if untested := names - {name for name, _ in calls}:
            raise RuntimeError(f"No call of {', '.join(sorted(untested))} is measured: add one.")
        there = len(await RaidStore(store).reports(USER))
        took = {f"{name} {json.dumps(args)}": await measure(store, name, args, rounds) for name, args in calls}
    print(f"\n{there} reports")
    for call, each in took.items():
        print(f"  {statistics.median(each):8.1f} ms, first {each[0]:8.1f} ms  {call}")
    size = f"{there} reports" if reports else "sample"
    slowest = max(took, key=lambda call: max(took[call]))
    print(f"  slowest: {slowest}")
    return bars.Bar(
        title=f"{size}{', PostgreSQL' if url else ''}: slowest of {len(took)} calls to tools",
        limit=BARS_MS.get(reports, 300.0), unit=" ms", figures={bars.OURS: max(took[slowest])},
        spread=bars.span(took[slowest]), source="#19",
    )  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How long the raid tools take.", 5)
    parser.add_argument("--reports", type=int, nargs="*", default=[0, 200], help="at least; 0 is the sample alone")
    parser.add_argument("--folder", type=Path, help="keep the stores there")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL that is started for it")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows: list[bars.Bar] = []
        for reports in asked.reports:
            with durable.database() if asked.postgres else nullcontext("") as url:
                rows.append(asyncio.run(run(folder, reports, asked.rounds, url)))
    return bars.tell(bars.Report(rows=rows), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
