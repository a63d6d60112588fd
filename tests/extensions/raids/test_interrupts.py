"""Interrupts: what could not be interrupted is no missed chance, and where there is nothing to do that is said."""

from tests.extensions.raids.guild_nights import PRINCE, START, fight, put_night
from tests.extensions.raids.test_history_tools import Tools
from tests.extensions.raids.written_fight import BOSS, OTHER, PLAYER, WrittenFight

from glassloop.extensions.raids.analysis.mechanics import missed_interrupts
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools.mechanics import MAX_READ
from glassloop.store.store import Store

MAULGAR, HEAL, SHIELD, KICK = 649, 33144, 33147, 38768


def test_a_heal_behind_a_shield_that_forbids_interrupts_is_no_missed_chance() -> None:
    written = WrittenFight(60)
    written.add(5, Kind.CAST, HEAL, source=BOSS, target=BOSS)
    written.add(10, Kind.AURA_ON, SHIELD, source=BOSS, target=BOSS, flags=Flag.BUFF)
    written.add(15, Kind.CAST, HEAL, source=BOSS, target=BOSS)
    written.add(18, Kind.CAST, HEAL, source=OTHER + 1, target=BOSS)
    written.add(20, Kind.AURA_OFF, SHIELD, source=BOSS, target=BOSS, flags=Flag.BUFF)
    written.add(25, Kind.CAST, HEAL, source=BOSS, target=BOSS)
    written.add(30, Kind.INTERRUPT, KICK, source=PLAYER, target=BOSS, extra=written.index(HEAL))
    (one,) = missed_interrupts(written.view(), load_knowledge().encounters[MAULGAR])
    assert (one.mechanic, one.chances, one.done, one.missed, one.shielded) == ("Heal", 4, 1, 3, 1)


async def test_a_boss_with_nothing_to_interrupt_is_not_told_as_none_missed(kept: Store) -> None:
    raids, call = RaidStore(kept), Tools(kept)
    await put_night(raids, "guildnight", [fight(1, START, encounter=PRINCE)])
    told = await call("get_deaths_and_mechanics", encounter_name="prince")
    assert "missed_interrupts" not in told and told["interrupts"].startswith("does not apply: nothing of Prince")


async def test_what_did_not_come_is_told_of_the_fights_that_were_read(kept: Store) -> None:
    raids, call = RaidStore(kept), Tools(kept)
    many = [fight(number, START + number * 900_000, encounter=MAULGAR) for number in range(1, MAX_READ + 4)]
    await put_night(raids, "guildnight", many)
    told = await call("get_deaths_and_mechanics", encounter_name="maulgar")
    of = "the newest 6 of these 9 fights"
    assert told["interrupts"] == f"nothing to miss: Prayer of Healing, Heal did not come in {of}"
