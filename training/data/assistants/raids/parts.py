"""What the talks about raids share: names of bosses and players, where a fight is, and how a result is read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from glassloop.extensions.raids.sample.guild import ROSTER
from training.data.assistants.talk import Ask, MakeTalk, Seen, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

Row = dict[str, str]
Said = Mapping[Language, Sequence[str]]

LAIRS: Final = ("High King Maulgar", "Gruul the Dragonkiller", "Magtheridon")
NAMES: Final[Mapping[str, Said]] = {
    "High King Maulgar": {"en": ("Maulgar", "High King Maulgar"), "de": ("Maulgar",), "zh": ("莫加尔大王", "Maulgar")},
    "Gruul the Dragonkiller": {"en": ("Gruul",), "de": ("Gruul",), "zh": ("格鲁尔", "屠龙者格鲁尔")},
    "Magtheridon": {"en": ("Magtheridon", "Mag"), "de": ("Magtheridon",), "zh": ("玛瑟里顿",)},
    "Attumen the Huntsman": {"en": ("Attumen",), "de": ("Attumen",), "zh": ("猎手阿图门", "阿图门")},
    "Moroes": {"en": ("Moroes",), "de": ("Moroes",), "zh": ("莫罗斯",)},
    "Maiden of Virtue": {"en": ("Maiden", "Maiden of Virtue"), "de": ("Tugendhafte Maid",), "zh": ("贞节圣女",)},
    "Opera Hall": {"en": ("Opera",), "de": ("Oper",), "zh": ("Opera",)},
    "The Curator": {"en": ("Curator",), "de": ("Kurator",), "zh": ("馆长", "Curator")},
    "Terestian Illhoof": {"en": ("Illhoof", "Terestian Illhoof"), "de": ("Siechhuf",), "zh": ("特雷斯坦·邪蹄",)},
    "Shade of Aran": {"en": ("Aran", "Shade of Aran"), "de": ("Aran",), "zh": ("埃兰之影",)},
    "Netherspite": {"en": ("Netherspite",), "de": ("Nethergroll",), "zh": ("虚空幽龙",)},
    "Prince Malchezaar": {"en": ("Prince", "Malchezaar"), "de": ("Prinz Malchezaar",), "zh": ("玛克扎尔王子",)},
    "Nightbane": {"en": ("Nightbane",), "de": ("Nightbane",), "zh": ("夜之魇",)},
}
KARAZHAN: Final = tuple(name for name in NAMES if name not in LAIRS)
WIPED: Final = (*LAIRS, "The Curator", "Terestian Illhoof", "Shade of Aran", "Netherspite", "Prince Malchezaar",
                "Nightbane")  # fmt: skip

PLAYERS: Final = {name: label for name, label, _ in ROSTER}
TEN: Final = tuple(name for name, _, _ in ROSTER[:10])
HEALERS: Final = tuple(
    name for name, label in PLAYERS.items() if label.split()[-1] in ("Holy", "Restoration", "Discipline")
)
TANKS: Final = tuple(name for name, label in PLAYERS.items() if label.split()[-1] in ("Protection", "bear"))
DAMAGE: Final = tuple(name for name in PLAYERS if name not in HEALERS and name not in TANKS)
CASTERS: Final = tuple(
    name for name in DAMAGE if PLAYERS[name].split()[0] in ("Mage", "Warlock") or name in ("Ysolt", "Rhosyn", "Serapha")
)
DOTTERS: Final = ("Vessara", "Umbrik", "Ysolt", "Rhosyn")


class Boss(msgspec.Struct, frozen=True):
    """A boss: `name` in results, `said` in the question."""

    name: str
    said: str


class Where(msgspec.Struct, frozen=True):
    """A fight: how it is said, and the arguments for it. `boss` is empty for the last one."""

    said: str
    args: Mapping[str, str]
    boss: str = ""


def boss(rng: Rng, language: Language, among: Sequence[str] = tuple(NAMES)) -> Boss:
    name = rng.some(among)
    return Boss(name, rng.some(NAMES[name][language]))


def where(rng: Rng, language: Language, player: str = "", night: bool = False) -> Where:
    """The last fight, or the newest one of a boss. `night`: tools that mean the night where no fight is given."""
    if rng.chance(0.5):
        said = rng.some(
            {
                "en": ("in the last fight", "in our last fight", "last fight", "in the latest fight"),
                "de": ("im letzten Kampf", "in unserem letzten Kampf"),
                "zh": ("上一场战斗", "最后一场战斗"),
            }[language]
        )
        return Where(said, {"fight_id": "last"} if night else {})
    meant = boss(rng, language, tuple(NAMES) if not player or player in TEN else LAIRS)
    said = rng.some(
        {
            "en": (f"on {meant.said}", f"at {meant.said}", f"on the last {meant.said} fight"),
            "de": (f"bei {meant.said}", f"beim letzten {meant.said}-Kampf"),
            "zh": (f"打{meant.said}时", f"在{meant.said}那场"),
        }[language]
    )
    return Where(said, {"fight_id": meant.said}, meant.said)


def typed(rng: Rng, language: Language, question: str) -> str:
    """The question as somebody types it."""
    if language == "zh":
        return question.rstrip("？") if rng.chance(0.25) else question
    if rng.chance(0.15):
        opening = {"en": ("hey, ", "quick one: ", "ok so ", "hi! "), "de": ("hey, ", "kurze Frage: ", "sag mal, ")}
        question = rng.some(opening[language]) + question[0].lower() + question[1:]
    if language == "en" and rng.chance(0.35):
        question = question.lower()
    elif rng.chance(0.6):
        question = question[0].upper() + question[1:]
    return question.rstrip("?") if rng.chance(0.25) else question


def ask(rng: Rng, language: Language, said: Said, **values: str) -> Ask:
    """One of these wordings, filled in."""
    return Ask(typed(rng, language, rng.some(said[language]).format(**values)))


def head(text: str, label: str) -> str:
    """A value of the first line."""
    for part in text.split("\n", 1)[0].split(" · "):
        if part.startswith(f"{label}: "):
            return part.partition(": ")[2]
    return ""


def value(text: str, label: str) -> str:
    """What stands behind a label at the beginning of a line."""
    found = re.search(rf"^{re.escape(label)}: (.+)$", text, re.MULTILINE)
    return found[1].strip().removeprefix("rotation: ").removeprefix("renewals: ") if found else ""


def listed(text: str, label: str, key: str) -> str:
    """A value in a line such as `Totals: Wipes 0, Deaths 3`."""
    found = re.search(rf"(?:^|, ){re.escape(key)} (.+?)(?=, [A-Z]|$)", value(text, label))
    return found[1] if found else ""


def rows(text: str, title: str = "") -> list[Row]:
    """The rows of a table, as far as they are shown."""
    lines = text.split("\n")
    for at, line in enumerate(lines[:-2]):
        if line.startswith(title) and line.rstrip().endswith(":") and lines[at + 1].startswith("| "):
            return _cells(lines[at + 1 :])
    return _cells(lines) if not title else []


def _cells(lines: Iterable[str]) -> list[Row]:
    names: list[str] = []
    found: list[Row] = []
    for line in lines:
        if not line.startswith("|"):
            if names:
                break
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not names:
            names = cells
        elif not line.startswith("|---") and len(cells) == len(names):
            found.append(dict(zip(names, cells, strict=True)))
    return found


def row(table: Sequence[Row], column: str, wanted: str) -> Row | None:
    return next((each for each in table if each.get(column) == wanted), None)


def missing_bosses(text: str) -> list[str]:
    """The bosses that a result lists as missing."""
    return [name for name in NAMES if f"{name} (" in value(text, "Missing")]


def number(cell: str) -> float:
    """A figure to compare, of `1,077.4` or `2:21`."""
    cell = cell.replace(",", "")
    if re.fullmatch(r"\d+:\d\d", cell):
        minutes, seconds = cell.split(":")
        return int(minutes) * 60 + int(seconds)
    try:
        return float(cell)
    except ValueError:
        return float("-inf")


def fight_of(seen: Seen, language: Language, meant: str = "") -> str:
    """Which fight the figures are of, in words: the boss, kill or wipe, length."""
    name = meant or head(seen.text, "Encounter")
    result, length = head(seen.text, "Result"), head(seen.text, "Length")
    if language == "en":
        return f"on {name} ({result}, {length})"
    if language == "de":
        return f"bei {name} ({result.replace('wipe at', 'Wipe bei').replace('kill', 'Kill')}, {length})"
    return f"{name}（{result.replace('wipe at', '灭团，剩余').replace('kill', '击杀')}，{length}）"


class Figure(msgspec.Struct, frozen=True):
    """A figure in a line of a result about a player in a fight. Wordings have {who} and {where}; answers have {who},
    {fight}, {value} and the `also` by number ({also0})."""

    label: str
    en: Sequence[str]
    de: Sequence[str]
    zh: Sequence[str]
    answer: Mapping[Language, str]
    also: Sequence[str] = ()


def figure_talk(
    name: str, tool: str, thoughts: Sequence[str], figures: Sequence[Figure], players: Sequence[str]
) -> MakeTalk:
    """A talk that asks one of the figures of a player."""

    def talk(rng: Rng, language: Language) -> Talk:
        who, figure = rng.some(players), rng.some(figures)
        meant = where(rng, language, who)
        said: Said = {"en": figure.en, "de": figure.de, "zh": figure.zh}
        yield ask(rng, language, said, who=who, where=meant.said)
        seen = yield call(rng.some(thoughts).format(who=who), tool, player_name=who, **meant.args)
        assert seen
        read = value(seen.text, figure.label)
        also = {f"also{at}": value(seen.text, label) for at, label in enumerate(figure.also)}
        cells = ", ".join(f"{label} {value(seen.text, label)}" for label in (figure.label, *figure.also))
        told = figure.answer[language].format(who=who, fight=fight_of(seen, language, meant.boss), value=read, **also)
        yield Answer(f"{head(seen.text, 'Encounter')}, {who}: {cells}."[:160], told)

    talk.__name__ = name
    return talk
