"""Targets by few references: they never contradict what is told of the same references beside them."""

import msgspec
import pytest
from tests.extensions.raids.guild_nights import MAGE, START, WEEK, fight, put_night
from tests.extensions.raids.test_history_tools import Tools

from glassloop.extensions.raids.records import AbilityTotal, FightRecord
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.store.store import Store


@pytest.fixture
def call(kept: Store) -> Tools:
    return Tools(kept)


@pytest.fixture
def raids(kept: Store) -> RaidStore:
    return RaidStore(kept)


def calm(record: FightRecord, casts: int) -> FightRecord:
    """A mage who casts so many Fireballs, and no Scorch, which is a main ability of the spec in general."""
    mage, *others = record.performances
    fireball = AbilityTotal(actor=MAGE, kind="damage", spell=0, total=mage.damage, hits=casts, casts=casts)
    return msgspec.structs.replace(
        record, performances=(msgspec.structs.replace(mage, casts=casts), *others), abilities=(fireball,)
    )


@pytest.mark.parametrize(("count", "source"), [(1, "the only reference"), (2, "the best 2 references")])
async def test_targets_of_few_references_are_their_own_casts_and_say_how_many(
    raids: RaidStore, call: Tools, count: int, source: str
) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    for place in range(count):
        one = calm(fight(1, START - WEEK + place * 10_000_000, length_s=180), casts=30)
        await put_night(raids, f"ref{place:07d}", [one], user="operator", reference=True, mage=f"Top{chr(97 + place)}")
    score = await call("get_rotation_score", player_name="elan")
    compared = await call("compare_to_top", encounter_name="prince", player_name="elan")
    top = {row["ability"]: row["top_casts_per_minute"] for row in compared["abilities"]}
    targets = {row["ability"]: row["target_per_minute"] for row in score["main_abilities"]}
    assert targets == {"Fireball": top["Fireball"]} == {"Fireball": 10.0}
    assert {row["part"]: row["target"] for row in score["parts"]}["Casts a minute"] == 10.0
    assert any(source in note and "little to go by" in note for note in score["notes"])
    assert not any("estimates for the spec" in note for note in score["notes"])


async def test_without_references_targets_are_said_to_be_estimates(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    score = await call("get_rotation_score", player_name="elan")
    assert {row["ability"] for row in score["main_abilities"]} == {"Fireball", "Scorch"}
    assert any("estimates for the spec" in note for note in score["notes"])
