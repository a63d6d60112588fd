"""Values of parameters as people say them: names of bosses, classes and specs, and ways to say "the last one".

For `reflex`, which matches words, and for advice to small models; no language model is shown them.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from glassloop.core.records import Json
from glassloop.core.text_terms import stem

LAST_REPORT: Final = (
    "last", "last report", "latest report", "newest report", "last raid", "latest raid", "newest raid", "last log",
    "latest log", "last night", "letzter raid", "letzten raid", "letzte nacht",
)  # fmt: skip
LAST_FIGHT: Final = (
    "last", "last fight", "latest fight", "newest fight", "last attempt", "last pull", "letzter kampf", "letzten kampf",
    "letzter versuch",
)  # fmt: skip
_LANGUAGES: Final = ("de", "fr", "es")


def rule_words(parameters: Iterable[str]) -> Mapping[str, Json]:
    """Examples of values, for those of these parameters that have any."""
    known = _examples()
    return {name: list(known[name]) for name in parameters if name in known}


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
    # Words are compared without their endings: "mag" would be said by every mage.
    taken = {stem(name.lower()) for name in knowledge.classes}
    return {
        "encounter_name": tuple(name for name in bosses if stem(name.lower()) not in taken),
        "class_name": tuple(knowledge.classes),
        "spec_name": tuple(dict.fromkeys(spec.name for spec in knowledge.specs.values())),
        "report_code": LAST_REPORT[1:],
        "fight_id": LAST_FIGHT[1:],
    }
