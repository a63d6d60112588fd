"""Reports in the store, on both databases."""

import msgspec
import pytest

from extensions.raids.small_night import ACTORS, SPELLS, START, make_fight, make_log, make_report, put
from glassloop.core.errors import StoreError, UnknownName
from glassloop.extensions.raids.records import Actor
from glassloop.extensions.raids.storage.changes import PARTS


async def test_a_report_is_read_back_as_it_was_written(raids):
    code = await put(raids)
    (row,) = await raids.reports("ada")
    assert (row.code, row.fights, row.kills, row.size, row.own) == (code, 2, 1, 2, True)
    stored = await raids.report("ada", code)
    assert stored.record == make_report()
    assert [(each.number, each.kill, each.boss_health) for each in stored.fights] == [(1, False, 42.5), (2, True, 0.0)]
    fight = await raids.fight("ada", code, 2)
    kept = make_fight(2)
    assert (fight.record.fight, fight.record.performances) == (kept.fight, kept.performances)
    assert (fight.record.deaths, fight.record.abilities) == (kept.deaths, kept.abilities)
    assert (fight.actors, fight.spells, fight.report) == (ACTORS, SPELLS, row)
    assert list((await raids.events("ada", code, 2)).rows()) == list(make_log().rows())
    assert await raids.last_report("ada") == code


async def test_nobody_sees_a_report_before_it_is_complete(raids):
    report = await raids.begin("ada", name="log")
    await raids.add_fight(report, make_fight())
    assert await raids.reports("ada") == []
    assert await raids.search("ada") == []
    assert await raids.performances("ada") == []
    await raids.complete(report, make_report())
    assert len(await raids.performances("ada")) == 2


async def test_another_users_report_is_not_there_unless_it_is_shared(raids):
    code = await put(raids)
    assert await raids.report("bob", code) is None
    assert await raids.fight("bob", code, 1) is None
    assert await raids.events("bob", code, 1) is None
    assert await raids.search("bob") == await raids.performances("bob") == await raids.players("bob") == []
    with pytest.raises(UnknownName):
        await raids.delete_report("bob", code)
    await raids.share(code, True)
    assert (await raids.report("bob", code)).row.own is False
    with pytest.raises(UnknownName):
        await raids.delete_report("bob", code)
    await raids.share(code, False)
    assert await raids.report("bob", code) is None


async def test_the_same_content_again_replaces_the_report_and_stays_shared(raids):
    code = await put(raids)
    await raids.share(code, True)
    await put(raids, fights=[make_fight(7)])
    (row,) = await raids.reports("ada")
    assert (row.fights, row.shared) == (1, True)
    await put(raids, "bob")
    assert [each.own for each in await raids.reports("bob")] == [True, False]


async def test_two_logs_of_one_night_name_each_other(raids):
    strangers = tuple(Actor(guid=f"Player-9-{name}", name=name, kind="player") for name in ("Cy", "Dee"))
    await put(raids, code="aaaaaaaaaa")
    await put(raids, code="bbbbbbbbbb", start=START + 60_000)
    await put(raids, code="cccccccccc", start=START + 60_000, actors=strangers)
    await put(raids, code="dddddddddd", start=START + 86_400_000)
    await put(raids, "bob", code="eeeeeeeeee")
    assert (await raids.report("ada", "aaaaaaaaaa")).same_night == ("bbbbbbbbbb",)
    assert (await raids.report("ada", "bbbbbbbbbb")).same_night == ("aaaaaaaaaa",)
    assert (await raids.report("ada", "cccccccccc")).same_night == ()


async def test_performances_are_found_by_encounter_player_and_spec(raids):
    await put(raids)
    await put(raids, "ops", code="rrrrrrrrrr", reference=True, fights=[make_fight(1, damage=(90_000, 1))])
    rows = await raids.performances("ada", encounter_id=661, player="elan", kills_only=True)
    assert [(row.name, row.realm, row.dps, row.reference) for row in rows] == [
        ("Élan", "Firemaw", 1000.0, False), ("Élan", "Firemaw", 1500.0, True),
    ]  # fmt: skip
    best = await raids.performances("ada", class_name="Mage", spec="Fire", order="dps", limit=1)
    assert (best[0].code, best[0].item_level, best[0].died_at) == ("rrrrrrrrrr", 112.5, None)
    assert {row.number for row in await raids.performances("ada", player="BRAK-firemaw", reference=False)} == {1, 2}
    assert await raids.performances("ada", player="Brak-Elsewhere") == []
    assert await raids.performances("ada", encounter_id=650) == []


async def test_a_class_that_one_fight_does_not_tell_is_that_of_the_nearest(raids):
    fights = [make_fight(1), make_fight(2), make_fight(3)]
    silent = tuple(msgspec.structs.replace(one, class_name="", spec="") for one in fights[0].performances)
    fights[0] = msgspec.structs.replace(fights[0], performances=silent)
    await put(raids, fights=fights)
    rows = await raids.performances("ada", player="Elan")
    assert {(row.number, row.class_name, row.spec) for row in rows} == {(one, "Mage", "Fire") for one in (1, 2, 3)}


async def test_a_player_called_like_a_realm_alone_is_found(raids):
    actors = (msgspec.structs.replace(ACTORS[0], name="-Firemaw", realm=""), *ACTORS[1:])
    await put(raids, actors=actors)
    for name in ("-Firemaw", "Firemaw", "-firemaw"):
        assert {row.name for row in await raids.performances("ada", player=name)} == {"-Firemaw"}
        assert len(await raids.search("ada", player=name)) == 2


async def test_fights_are_found_by_what_they_were(raids):
    await put(raids)
    await put(raids, "ops", code="rrrrrrrrrr", reference=True)
    found = await raids.search("ada", encounter_id=661, player="Brak", kill=False)
    assert [(row.code, row.number, row.length_ms, row.deaths) for row in found] == [("abcdefghij", 1, 60_000, 1)]
    assert [row.number for row in await raids.search("ada", since=START + 900_000)] == [2]
    assert [row.number for row in await raids.search("ada", until=START + 900_000)] == [1]
    assert len(await raids.search("ada", reference=None)) == 4
    assert await raids.search("ada", player="Nobody") == []


async def test_a_fight_of_an_import_that_was_given_up_is_refused(raids):
    report = await raids.begin("ada", name="log", job="job-1")
    again = await raids.begin("ada", name="log", job="job-1")
    with pytest.raises(StoreError, match="import the log again"):
        await raids.add_fight(report, make_fight())
    await raids.add_fight(again, make_fight())


async def test_nothing_is_left_of_a_deleted_report_or_user(raids, store):
    code = await put(raids)
    await put(raids, code="bbbbbbbbbb")
    await raids.add_fight(await raids.begin("ada", name="log"), make_fight())
    await raids.add_character("ada", "Élan", "Firemaw", "Mage", "Fire")
    await raids.delete_report("ada", code)
    assert [row.code for row in await raids.reports("ada")] == ["bbbbbbbbbb"]
    assert await raids.delete_user("ada") == (2, 1)
    for table in (*PARTS, "raids_reports", "raids_characters"):
        assert await store.engine.read(lambda db, table=table: db.run(f"SELECT count(*) FROM {table}")) == [(0,)]


async def test_a_benchmark_is_kept_until_the_references_change(raids):
    await raids.keep_benchmark(661, "Mage Fire", b"old")
    await raids.keep_benchmark(661, "Mage Fire", b"made")
    await put(raids)
    assert await raids.benchmark(661, "Mage Fire") == b"made"
    await put(raids, "ops", code="rrrrrrrrrr", reference=True)
    assert await raids.benchmark(661, "Mage Fire") is None
    # One more reference while it was worked out.
    await put(raids, "ops", code="ssssssssss", reference=True)
    await raids.keep_benchmark(661, "Mage Fire", b"stale")
    assert await raids.benchmark(661, "Mage Fire") is None
    await raids.keep_benchmark(661, "Mage Fire", b"fresh")
    assert await raids.benchmark(661, "Mage Fire") == b"fresh"


async def test_a_character_is_one_of_its_name_and_realm(raids):
    await raids.add_character("ada", "Elan", "", "Mage", "Frost")
    made = await raids.add_character("ada", "élan", "", "Mage", "Fire")
    assert await raids.characters("ada") == [made]
    with pytest.raises(UnknownName):
        await raids.delete_character("bob", made.id)
    await raids.delete_character("ada", made.id)
    assert await raids.characters("ada") == []
