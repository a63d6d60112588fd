"""Deaths over several nights, through the store."""

import msgspec
import pytest
from tests.extensions.raids.small_night import START, make_fight, put
from tests.extensions.raids.test_history_tools import Tools

from glassloop.core.errors import BadArguments, ToolError
from glassloop.extensions.raids.records import Blow, Death, FightRecord
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools.night.deaths_of_nights import MAX_FIGHTS
from glassloop.extensions.raids.tools.reader import show_time
from glassloop.store.store import Store

PRINCE, GRUUL = 661, 650


@pytest.fixture
def call(store: Store) -> Tools:
    return Tools(store)


def deadly(number: int, *, kill: bool = True, start: int = START, encounter: int = PRINCE) -> FightRecord:
    """Brak dies of a Fireball; where it is a wipe, the other one after that of something that the log does not tell."""
    made = make_fight(number, kill=kill, start=start, encounter=encounter)
    blow = Blow(at=5_000, kind="damage", source=2, spell=0, amount=9_000)
    deaths = [Death(actor=1, at=5_000, cause=0, blows=(blow,))]
    deaths += [] if kill else [Death(actor=0, at=9_000)]
    return msgspec.structs.replace(made, deaths=tuple(deaths))


async def test_deaths_over_all_nights_tell_who_dies_most_and_of_what(raids: RaidStore, call: Tools) -> None:
    await put(raids, code="nightone11", fights=[deadly(1, kill=False), deadly(2)])
    later = START + 7 * 86_400_000
    await put(raids, code="nighttwo22", start=later, fights=[deadly(1, start=later, encounter=GRUUL)])
    told = await call("get_death_analysis", report_code="all")
    assert (told["nights"], told["fights"], told["deaths"], told["on_kills"], told["early_deaths"]) == (2, 3, 4, 2, 4)
    columns = ("player", "fights", "deaths", "first_to_fall", "last_early", "early_of")
    assert [tuple(row[name] for name in columns) for row in told["by_player"]] == [
        ("Brak-Firemaw", 3, 3, 3, show_time(later)[:10],
         "Fireball at Prince Malchezaar 2, Fireball at Gruul the Dragonkiller 1"),
        ("Élan-Firemaw", 3, 1, 0, show_time(START)[:10], "unknown at Prince Malchezaar 1"),
    ]  # fmt: skip
    assert [row["early_players"] for row in told["by_cause"]] == ["Brak 2", "Brak 1", "Élan 1"]
    assert [(row["cause"], row["encounter"], row["deaths"]) for row in told["by_cause"]] == [
        ("Fireball", "Prince Malchezaar", 2), ("Fireball", "Gruul the Dragonkiller", 1),
        ("unknown", "Prince Malchezaar", 1),
    ]  # fmt: skip
    assert [(row["report_code"], row["deaths"]) for row in told["by_night"]] == [("nightone11", 3), ("nighttwo22", 1)]
    prince = await call("get_death_analysis", report_code="all", fight_id="prince", player_name="brak")
    assert (prince["player"], prince["fights"], prince["deaths"]) == ("Brak-Firemaw", 2, 2)
    assert [(row["report_code"], row["fight_id"]) for row in prince["each"]] == [("nightone11", 2), ("nightone11", 1)]


async def test_deaths_over_nights_take_no_number_of_a_fight(raids: RaidStore, call: Tools) -> None:
    with pytest.raises(ToolError, match="No combat log has been imported"):
        await call("get_death_analysis", report_code="all")
    await put(raids)
    with pytest.raises(BadArguments, match="give a boss with report_code 'all'"):
        await call("get_death_analysis", report_code="all", fight_id=2)
    with pytest.raises(ToolError, match="No fight that is meant by 'magtheridon'"):
        await call("get_death_analysis", report_code="all", fight_id="magtheridon")


async def test_deaths_over_nights_can_be_bounded_by_days(raids: RaidStore, call: Tools) -> None:
    later = START + 7 * 86_400_000
    await put(raids, code="nightone11", fights=[deadly(1)])
    await put(raids, code="nighttwo22", start=later, fights=[deadly(1, start=later)])
    day = show_time(later)[:10]
    since = await call("get_death_analysis", report_code="all", since=day)
    until = await call("get_death_analysis", until=show_time(START)[:10])
    assert [row["report_code"] for row in since["by_night"]] == ["nighttwo22"] and since["since"] == day
    assert [row["report_code"] for row in until["by_night"]] == ["nightone11"]
    with pytest.raises(ToolError, match=r"No fight was imported since 2099-01-01"):
        await call("get_death_analysis", report_code="all", since="2099-01-01")
    with pytest.raises(BadArguments, match="`since` is 'yesterday': write a day as"):
        await call("get_death_analysis", report_code="all", since="yesterday")
    with pytest.raises(BadArguments, match="give report_code 'all'"):
        await call("get_death_analysis", report_code="nightone11", since=day)


async def test_a_night_whose_first_fights_are_left_out_says_so(raids: RaidStore, call: Tools) -> None:
    later, cut = START + 7 * 86_400_000, [deadly(number) for number in (1, 2, 3)]
    await put(raids, code="nightone11", fights=cut)
    many = [deadly(number, start=later) for number in range(1, MAX_FIGHTS)]
    await put(raids, code="nighttwo22", start=later, fights=many)
    told = await call("get_death_analysis", report_code="all")
    assert (told["fights"], told["deaths"]) == (MAX_FIGHTS, MAX_FIGHTS)
    assert [(row["report_code"], row["first_fights_left_out"], row["deaths"]) for row in told["by_night"]] == [
        ("nightone11", 2, 1), ("nighttwo22", None, MAX_FIGHTS - 1),
    ]  # fmt: skip
    until = show_time(cut[-1].fight.started_at).replace(" ", "T")
    assert told["left_out"].startswith("2 older fights") and f"`until` {until}" in told["left_out"]
    older = await call("get_death_analysis", report_code="all", until=until)
    assert older["fights"] == 2 and older.get("left_out") is None
