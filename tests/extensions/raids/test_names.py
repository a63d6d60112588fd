"""Names as people write them."""

from types import SimpleNamespace
from typing import Any

import pytest

from glassloop.core.errors import ToolError
from glassloop.extensions.raids.knowledge.facts import ClassFacts, Creature, Encounter, Spec
from glassloop.extensions.raids.names import find_encounter, find_player, find_spec, fold_name, role_of


def encounter(number: int, name: str, zone: str = "Karazhan", *nicknames: str, **names: str) -> Encounter:
    return Encounter(id=number, name=name, names=names, nicknames=nicknames, instance=532, zone=zone, size=10)


ENCOUNTERS = (
    encounter(661, "Prince Malchezaar", "Karazhan", "prince", de="Prinz Malchezaar", fr="Prince Malchezaar"),
    encounter(658, "Shade of Aran", "Karazhan", "aran", de="Arans Schemen", fr="Ombre d'Aran"),
    encounter(657, "Terestian Illhoof", "Karazhan", "illhoof", de="Terestian Siechhuf"),
    encounter(651, "Magtheridon", "Magtheridon's Lair", "mag"),
    encounter(649, "High King Maulgar", "Gruul's Lair", "hkm", de="Hochkönig Maulgar"),
    encounter(650, "Gruul the Dragonkiller", "Gruul's Lair", "gruul", de="Gruul der Drachenschlächter"),
    Encounter(id=655, name="Opera Hall", instance=532, zone="Karazhan", size=10,
              creatures=(Creature(id=17521, name="The Big Bad Wolf"), Creature(id=17533, name="Romulo"))),
)  # fmt: skip
SPECS = tuple(
    Spec(class_name=class_name, name=name, tree=tree, role="damage")
    for class_name, names in {
        "Warrior": ("Arms", "Fury", "Protection"), "Paladin": ("Holy", "Protection", "Retribution"),
        "Hunter": ("Beast Mastery", "Marksmanship", "Survival"), "Shaman": ("Elemental", "Enhancement", "Restoration"),
        "Druid": ("Balance", "Feral", "Restoration"), "Warlock": ("Affliction", "Demonology", "Destruction"),
    }.items()
    for tree, name in enumerate(names)
)  # fmt: skip
GERMAN = {"Warrior": "Krieger", "Paladin": "Paladin", "Hunter": "Jäger", "Shaman": "Schamane", "Druid": "Druide",
          "Warlock": "Hexenmeister"}  # fmt: skip
KNOWLEDGE: Any = SimpleNamespace(
    encounters={one.id: one for one in ENCOUNTERS},
    specs={(spec.class_name, spec.name): spec for spec in SPECS},
    classes={
        name: ClassFacts(name=name, names={"de": german}, colour="#fff", abilities=())
        for name, german in GERMAN.items()
    },
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Prince Malchezaar", 661), ("prince", 661), ("PRINZ malchezaar", 661), ("malchezar", 661), ("malch", 661),
        ("the prince", 661), ("661", 661), ("Prince Malchezaar in Karazhan", 661), ("mag", 651), ("magtheridon", 651),
        ("illhoof", 657), ("terestian", 657), ("Siechhuf", 657), ("hochkonig maulgar", 649), ("Hochkönig", 649),
        ("ombre daran", 658), ("Ombre d’Aran", 658), ("shade of aran", 658), ("shadeofaran", 658), ("gruul", 650),
        ("Gruul der Drachenschlachter", 650), ("big bad wolf", 655), ("romulo", 655), ("Magtheridon's Lair", 651),
        ("Mgatheridon", 651),
    ],
)  # fmt: skip
def test_an_encounter_is_found_by_any_of_its_names(text: str, number: int) -> None:
    assert find_encounter(KNOWLEDGE, text).id == number


@pytest.mark.parametrize("text", ["karazhan", "Gruul's Lair"])
def test_a_zone_with_several_bosses_is_asked_back_with_their_names(text: str) -> None:
    with pytest.raises(ToolError, match=r"say which boss") as refused:
        find_encounter(KNOWLEDGE, text)
    assert ("Maulgar" if "gruul" in text.lower() else "Malchezaar") in str(refused.value)


def test_an_unknown_boss_is_refused_with_the_nearest() -> None:
    with pytest.raises(ToolError, match=r"no boss 'Ragnaros'\. Nearest of 7: "):
        find_encounter(KNOWLEDGE, "Ragnaros")
    with pytest.raises(ToolError):
        find_encounter(KNOWLEDGE, "")


@pytest.mark.parametrize(
    ("class_name", "spec", "found"),
    [
        ("", "destro", ("Warlock", "Destruction")), ("warlock", "DESTRUCTION", ("Warlock", "Destruction")),
        ("", "fury warrior", ("Warrior", "Fury")), ("Krieger", "Furor", ("Warrior", "Fury")),
        ("druid", "resto", ("Druid", "Restoration")), ("", "resto druid", ("Druid", "Restoration")),
        ("", "boomkin", ("Druid", "Balance")), ("Jager", "bm", ("Hunter", "Beast Mastery")),
        ("", "beast mastery hunter", ("Hunter", "Beast Mastery")), ("paladin", "holy", ("Paladin", "Holy")),
        ("Schamane", "Wiederherstellung", ("Shaman", "Restoration")), ("druid", "feral dps", ("Druid", "Feral")),
    ],
)  # fmt: skip
def test_a_spec_is_found_by_short_and_translated_names(class_name: str, spec: str, found: tuple[str, str]) -> None:
    known = find_spec(KNOWLEDGE, class_name, spec)
    assert (known.class_name, known.name) == found


def test_feral_druids_are_tanks_where_the_text_says_so() -> None:
    feral = find_spec(KNOWLEDGE, "druid", "feral tank")
    assert [role_of(feral, text) for text in ("feral tank", "Bär", "cat", "feral")] == [
        "tank",
        "tank",
        "damage",
        "damage",
    ]


def test_a_spec_of_several_classes_is_asked_back() -> None:
    with pytest.raises(ToolError, match=r"Restoration Shaman, Restoration Druid"):
        find_spec(KNOWLEDGE, "", "resto")
    with pytest.raises(ToolError, match=r"Say which spec"):
        find_spec(KNOWLEDGE, "Warlock", "")


def test_players_are_found_without_case_accents_and_realm() -> None:
    names = ["Björn-Everlook", "Anna", "Annabel", "Thrall-Gehennas", "Thrall-Everlook"]
    assert find_player(names, "bjorn") == "Björn-Everlook"
    assert find_player(names, "ANNA") == "Anna"
    assert find_player(names, "annab") == "Annabel"
    assert find_player(names, "thrall-gehennas") == "Thrall-Gehennas"
    assert find_player(names, "Anna-Everlook") == "Anna"
    assert find_player(names, "Anna (Holy Priest)") == "Anna"
    with pytest.raises(ToolError, match=r"Several players fit 'thrall'"):
        find_player(names, "thrall")
    with pytest.raises(ToolError, match=r"no player 'Zed'"):
        find_player(names, "Zed")


def test_letters_of_other_languages_are_folded() -> None:
    assert fold_name("  Kel'Thuzad, Ærø-ß ") == "kelthuzad aero ss"
    assert fold_name("Принц Малчезар") == "принц малчезар"
