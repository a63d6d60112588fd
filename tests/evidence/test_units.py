"""Units, ids, rows and number styles: what a figure must share with a value to have it as its source."""

from collections.abc import Callable
from typing import Any

import pytest

from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]

FIGHT = {
    "kills": 47,
    "length_s": 60,
    "players": [
        {"name": "Lyssa", "dps": 851.1, "casts": 5, "lost_s": 0, "potions": 1.0, "uptime_s": 33},
        {"name": "Aron", "dps": 912.6, "casts": 31, "lost_s": 12, "potions": 2.0, "uptime_s": 48},
    ],
}
NIGHT = {"boss": "Gruul", "kill_fight_id": 10, "downtime_before_s": 851, "fights": 3, "order_number": 4711}


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        ("Die Überheilung lag bei 47 %.", FIGHT),
        ("Davon waren 5 % der Zeit verloren.", FIGHT),
        ("Sie war 0 % der Zeit tot.", FIGHT),
        ("The raid was active for 60 % of it.", FIGHT),
        ("The potions were used to 100 %.", FIGHT),
        ("Lyssa kept it up for 48 s.", FIGHT),
        ("The mage did 851 DPS.", NIGHT),
        ("10 players died to it.", NIGHT),
        ("Es starben 10 Spieler bei dem Versuch.", NIGHT),
        ("It costs 4,711 EUR.", NIGHT),
        ("Am Ende fehlten der Gruppe 3.000 Mana, das sind viele.", NIGHT),
        ("12 % of it", "| player | lost s |\n| --- | --- |\n| Lyssa | 12 |"),
        ("12 minutes of it", "| player | lost s |\n| --- | --- |\n| Lyssa | 12 |"),
        ("512 % more", "duration_s: 512\ntests: 1204"),
        ("182 % more", "Turnout was high at 182 polling stations."),
        ("In Phase 3 you died at once.", {"players": [{"player": "Anna", "lowest_percent": 2.63}]}),
        ("It took 17 s longer.", {"abilities": [{"ability": "Strike", "casts_per_minute": 17.2}]}),
        ("It takes 74 hours.", {"line": "A", "minutes_per_run": 74}),
        ("It weighs 3.5 kg.", {"item": "granulate", "price_per_kg": 3.5}),
    ],
)
def test_a_value_of_another_unit_name_or_row_is_no_source(check: Check, answer: str, seen: Any) -> None:
    assert [figure.source for figure in check(answer, seen)] == [None]


@pytest.mark.parametrize(
    ("answer", "seen", "path"),
    [
        ("Lyssa did 851 DPS.", {**FIGHT, "downtime": 851}, ("players", 0, "dps")),
        ("Overheal was 47 %.", {"kills": 47, "overheal_percent": 47.3}, ("overheal_percent",)),
        ("Overheal: 47.", {"kills": 47, "overheal_percent": 47.3}, ("overheal_percent",)),
        ("Gruul died in fight 10.", NIGHT, ("kill_fight_id",)),
        ("Er fiel in Kampf 10 nach langer Zeit.", NIGHT, ("kill_fight_id",)),
        ("Order 4711 is on its way.", NIGHT, ("order_number",)),
        ("Der Kampf dauerte 60 Sekunden.", FIGHT, ("length_s",)),
        ("Der Kampf dauerte 1 Minute.", FIGHT, ("length_s",)),
        ("Die Feuchte ist 81 %.", {"humidity": 81, "stations": 12}, ("humidity",)),
        ("42 %", {"share": 0.42}, ("share",)),
        ("Licences cost €860.", {"licences": 860}, ("licences",)),
        ("Der Kredit über 250 läuft lange.", {"amount": 250, "size": 7}, ("amount",)),
        ("Wind at 4.2 m/s", {"wind_ms": 4.2}, ("wind_ms",)),
        ("A run takes 74 minutes.", {"line": "A", "minutes_per_run": 74}, ("minutes_per_run",)),
        ("She works 32 hours a week.", {"name": "Ann", "hoursPerWeek": 32}, ("hoursPerWeek",)),
        ("It costs 3.50 euros a kilo.", {"item": "granulate", "price_per_kg": 3.5}, ("price_per_kg",)),
        ("It costs 3.50 euros a kilo.", {"item": "granulate", "price_per_kg_eur": 3.5}, ("price_per_kg_eur",)),
        ("It reads 40 MB/s.", {"disk": "sda", "mb_per_s": 40}, ("mb_per_s",)),
        ("Es sind 3.000 Stück auf dem Lager.", {"stock": 3000, "boxes": 3}, ("stock",)),
    ],
)
def test_a_value_of_the_same_unit_and_subject_is_the_source(
    check: Check, answer: str, seen: Any, path: tuple[str | int, ...]
) -> None:
    assert [figure.path for figure in check(answer, seen)] == [path]


@pytest.mark.parametrize(
    ("answer", "question", "source"),
    [
        ("47,3 % und 3.000", "", None),
        ("It is 47.3 and 3,000", "", None),
        ("3.000", "Wie viel Mana fehlte der Gruppe, und ist das viel?", None),
        ("3.000", "", "c1"),
    ],
)
def test_other_numbers_and_the_language_say_what_a_point_means(
    check: Check, answer: str, question: str, source: str | None
) -> None:
    *_, figure = check(answer, {"overheal_percent": 47.3, "share": 47.3, "fights": 3}, question=question)
    assert (figure.text, figure.source) == (answer.split()[-1], source)


def test_results_of_several_calls_with_the_same_keys_are_told_apart_by_name(check: Check) -> None:
    aron, lyssa = {"player": "Aron", "uptime_s": 48}, {"player": "Lyssa", "uptime_s": 33}
    figures = check("Aron had 48 s, Lyssa 33 s; then Lyssa had 48 s.", aron, lyssa)
    assert [figure.source for figure in figures] == ["c1", "c2", None]


@pytest.mark.parametrize("answer", ["It holds 140 bearings and 820 kg.", "There are 820 kg left.", "Left: 820 of it."])
def test_goods_are_counted_weighed_or_measured(check: Check, answer: str) -> None:
    stock = [{"item": "Ball bearing", "on_hand": 140}, {"item": "Granulate, kg", "on_hand": 820}]
    assert [figure.source for figure in check("It took 820 s.", stock)] == [None]
    assert all(figure.source for figure in check(answer, stock))
