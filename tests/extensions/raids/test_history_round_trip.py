"""Tools over many fights tell exactly what the generator of a log knows to be in it."""

import random
from pathlib import Path

import pytest

from extensions.raids.round_trip import import_raid
from extensions.raids.test_history_tools import Tools
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample import GeneratedRaid, make_raid
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.store.store import Store


@pytest.fixture
def call(store: Store) -> Tools:
    return Tools(store)


async def check_generated_night(raids: RaidStore, call: Tools, raid: GeneratedRaid, folder: Path) -> None:
    """Whether the tools tell what the generator knows."""
    user = f"user {raid.seed}"
    report, fights = import_raid(raid, folder)
    stored = await raids.begin(user, name="log")
    for one in fights:
        await raids.add_fight(stored, one)
    await raids.complete(stored, report)
    told = await call("get_raid_execution", user, report_code="last")
    for boss, truth, record in zip(told["bosses"], raid.truth.fights, fights, strict=True):
        players = truth.players.values()
        assert boss["deaths"] == sum(player.deaths for player in players)
        assert boss["interrupts"] == sum(player.interrupts for player in players)
        assert boss["dispels"] == sum(player.dispels for player in players)
        assert boss["wipes"] == (not truth.kill)
        if truth.kill:
            damage = sum(player.damage for player in players)
            assert boss["raid_dps"] == pytest.approx(damage * 1000 / truth.length_ms, abs=0.06)
        for player in players:
            named = {"encounter_name": str(truth.encounter_id), "player_name": player.name}
            rows = (await call("get_my_performance", user, **named))["fights"]
            if not rows:
                # Whoever had nothing to do in a short fight has no performance in it.
                assert (player.damage, player.healing, player.taken, player.casts) == (0, 0, 0, {})
                continue
            (row,) = rows
            assert row["dps"] == pytest.approx(player.damage * 1000 / truth.length_ms, abs=0.06)
            assert row["hps"] == pytest.approx(player.healing * 1000 / truth.length_ms, abs=0.06)
            assert (row["deaths"], row["fight_id"]) == (player.deaths, record.fight.number)


async def test_tools_find_exactly_the_figures_of_a_generated_night(
    raids: RaidStore, call: Tools, tmp_path: Path
) -> None:
    await check_generated_night(raids, call, make_raid(23, encounters=(656, 654), health=0.1), tmp_path)


@pytest.mark.slow
async def test_tools_find_exactly_the_figures_of_fifty_generated_nights(
    raids: RaidStore, call: Tools, tmp_path: Path
) -> None:
    bosses = sorted(set(load_knowledge().encounters) - {660})
    for seed in range(50):
        pair = random.Random(seed).sample(bosses, 2)
        await check_generated_night(raids, call, make_raid(seed, encounters=pair, health=0.1), tmp_path)
