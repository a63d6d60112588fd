"""Round trips: an import and the analyses find in a generated log exactly what the generator knows to be in it."""

import copy
import json
from pathlib import Path

import pytest
from tests.extensions.raids.round_trip import differences, import_raid

from glassloop.extensions.raids.sample import LogForm, make_raid
from glassloop.extensions.raids.sample.raid import NEW_YEAR


@pytest.mark.parametrize("seed", [5, 13, 28])
def test_an_import_finds_exactly_what_happened(seed: int, tmp_path: Path) -> None:
    assert differences(make_raid(seed, varied=True, health=0.1), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 170))
def test_an_import_finds_exactly_what_happened_in_many_raids(seed: int, tmp_path: Path) -> None:
    assert differences(make_raid(seed, varied=True), tmp_path) == []


@pytest.mark.parametrize(
    "form",
    [
        LogForm(swings="damage", crlf=True),
        LogForm(swings="landed", language="de"),
        LogForm(dated=True, utc_offset=-7, boss_per_cent=False, aura_counts=False),
        LogForm(advanced=False, language="zh"),
    ],
    ids=["damage lines alone", "landed lines alone", "dated", "no advanced data"],
)
def test_the_form_of_a_log_changes_nothing_of_what_is_found(form: LogForm, tmp_path: Path) -> None:
    raid, plain = (make_raid(3, encounters=(654,), health=0.15, form=one) for one in (form, LogForm()))
    assert differences(raid, tmp_path) == []
    assert raid.truth.fights[0].players.keys() == plain.truth.fights[0].players.keys()
    assert [one.damage for one in raid.truth.fights[0].players.values()] == [
        one.damage for one in plain.truth.fights[0].players.values()
    ]


def test_a_night_over_the_turn_of_the_year_keeps_its_order(tmp_path: Path) -> None:
    raid = make_raid(2, encounters=(652, 655), health=0.2, started_at=NEW_YEAR)
    assert differences(raid, tmp_path) == []
    _, (first, second) = import_raid(raid, tmp_path)
    assert first.fight.ended_at < second.fight.started_at


def test_a_changed_log_is_told_apart_from_the_truth(tmp_path: Path) -> None:
    """The comparison itself can fail."""
    raid = make_raid(5, encounters=(652,), health=0.1)
    truth = copy.deepcopy(raid.truth)
    player = next(iter(truth.fights[0].players.values()))
    player.damage += 1
    player.busy.pop()
    (line, *others) = differences(raid, tmp_path, truth)
    assert "damage" in line
    assert any("busy" in other for other in others)


def test_the_same_seed_writes_the_same_log_and_another_one_does_not() -> None:
    one, again, other = (list(make_raid(seed, health=0.05).lines()) for seed in (8, 8, 9))
    assert one == again
    assert one != other


def test_the_truth_can_be_written_beside_a_log(tmp_path: Path) -> None:
    raid = make_raid(8, health=0.05)
    truth = json.loads(raid.write_truth(tmp_path / "truth.json").read_text("utf-8"))
    (fight,) = truth["fights"]
    assert fight["encounter_id"] == 656
    assert sum(one.get("damage", 0) for one in fight["players"].values()) > 10_000
