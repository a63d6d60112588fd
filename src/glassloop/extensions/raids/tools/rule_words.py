"""Values of parameters as people say them: names of bosses, classes and specs, and ways to say "the last one" and "I".

For `reflex`, which matches words, and for the shortlist of tools; no language model is shown them.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from glassloop.core.records import Json
from glassloop.extensions.raids.spec_names import SPEC_ALIASES

if TYPE_CHECKING:
    from glassloop.extensions.raids.knowledge.loader import GameKnowledge

LAST_REPORT: Final = (
    "last", "last report", "latest report", "newest report", "last raid", "latest raid", "newest raid", "last log",
    "latest log", "last night", "letzter raid", "letzten raid", "letzte raid", "letztem raid", "letzte nacht",
    "letzter abend", "letzten abend", "letzter report", "letzten report", "letzter bericht", "letzten bericht",
)  # fmt: skip
LAST_FIGHT: Final = (
    "last", "last fight", "latest fight", "newest fight", "last attempt", "last pull", "letzter kampf", "letzten kampf",
    "letzte kampf", "letztem kampf", "letzten kampfes", "letzter versuch", "letzten versuch",
)  # fmt: skip
KILLS: Final = "true for kills, false for wipes (kills, killed, siege, getötet, gelegt, besiegt)"
OWN: Final = ("my", "mine", "me", "i", "ich", "mein", "meine", "meinen", "meinem", "meiner", "meines", "mich", "mir")
_LANGUAGES: Final = ("de", "fr", "es")


def rule_words(parameters: Collection[str]) -> dict[str, Json]:
    """Examples of values, for those of these parameters that have any."""
    known = _examples()
    examples: dict[str, Json] = {name: list(known[name]) for name in parameters if name in known}
    return examples | ({"kill": KILLS} if "kill" in parameters else {})


@cache
def _examples() -> Mapping[str, tuple[str, ...]]:
    from glassloop.extensions.raids.knowledge.loader import load_knowledge

    knowledge = load_knowledge()
    encounters = knowledge.encounters.values()
    bosses = dict.fromkeys(encounter.name for encounter in encounters)
    bosses |= dict.fromkeys(name for encounter in encounters for name in encounter.nicknames)
    bosses |= dict.fromkeys(
        encounter.names[language] for language in _LANGUAGES for encounter in encounters if language in encounter.names
    )
    bosses |= dict.fromkeys(short for name in tuple(bosses) if (short := _without_article(name)) != name)
    return {
        "encounter_name": tuple(bosses),
        "class_name": tuple(dict.fromkeys(_class_names(knowledge))),
        "spec_name": tuple(dict.fromkeys(_spec_names(knowledge))),
        "report_code": LAST_REPORT[1:],
        "fight_id": LAST_FIGHT[1:],
        "player_name": OWN,
    }


def _class_names(knowledge: "GameKnowledge") -> Iterator[str]:
    for name, facts in knowledge.classes.items():
        yield name
        german = facts.names.get("de", name)
        yield german
        if german.endswith("e"):
            yield f"{german}n"


def _spec_names(knowledge: "GameKnowledge") -> Iterator[str]:
    """Without what is a common word: "combat", "tank" and "kampf" are said of other things."""
    common = {
        "combat",
        "kampf",
        "tank",
        "cat",
        "bear",
        "bar",
        "tree",
        "baum",
        "sp",
        "sub",
        "beast",
        "mut",
        "marks",
        "ours",
    }
    for class_name, name in knowledge.specs:
        yield name
        yield from (alias for alias in SPEC_ALIASES.get((class_name, name), ()) if alias not in common)


def _without_article(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if first in ("The", "Der", "Die", "Das") else name
