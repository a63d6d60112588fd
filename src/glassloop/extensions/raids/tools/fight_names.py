"""Reports and fights as people name them: "last Karazhan night", "our last 25", "last Gruul kill", "prince"."""

from typing import TYPE_CHECKING, Final

import msgspec

from glassloop.core.errors import BadArguments, ToolError
from glassloop.extensions.raids.names import find_encounter, fold_name

if TYPE_CHECKING:
    from glassloop.extensions.raids.knowledge.loader import GameKnowledge
    from glassloop.extensions.raids.storage.rows import FightRow

WHOLE_NIGHT: Final = frozenset(
    (
        "",
        "all",
        "all fights",
        "every fight",
        "night",
        "raid",
        "the raid",
        "last raid",
        "last night",
        "letzter raid",
        "letzte nacht",
        "the night",
        "whole night",
        "the whole night",
        "alle",
        "alle kämpfe",
    )
)
_MAX_CHARS: Final = 80
_LEAST_ZONE_CHARS: Final = 4
_SIZES: Final = {
    f"{size}{end}": size for size in (10, 25) for end in ("", "er", "m", "man", "-man", "-player", "-players", "-mann")
}
_KILL_WORDS: Final = frozenset(("kill", "kills", "killed", "sieg", "siege"))
_WIPE_WORDS: Final = frozenset(("wipe", "wipes", "wiped"))
_OTHER_WORDS: Final = frozenset((
    "last", "latest", "newest", "recent", "the", "our", "my", "this", "night", "raid", "report", "log", "run",
    "evening", "fight", "attempt", "pull", "try", "on", "of", "at", "in", "from", "players", "player", "man",
    "letzter", "letzte", "letzten", "letztes", "letztem", "neueste", "neuester", "neuesten", "neuestes", "unser",
    "unsere", "unserem", "unseren", "mein", "meine", "abend", "nacht", "kampf", "versuch", "bericht", "bei",
    "gegen", "am", "im", "der", "die", "das", "den", "dem", "mann", "spieler",
))  # fmt: skip


class FightName(msgspec.Struct, frozen=True, kw_only=True):
    """What a name says of a fight; None, 0 and nothing where it does not."""

    encounters: frozenset[int] = frozenset()
    zone: bool = False
    """Whether the encounters are those of a zone."""
    size: int = 0
    kill: bool | None = None

    def is_of(self, report: "FightName") -> bool:
        """Whether a report that is named by a boss stands for this fight alone, and not for a night."""
        return bool(report.encounters) and not report.zone and self.encounters <= report.encounters

    def fits(self, row: "FightRow") -> bool:
        return (
            (not self.encounters or row.encounter_id in self.encounters)
            and (not self.size or self.size == (row.size or row.players))
            and self.kill in (None, row.kill)
        )


def read_fight_name(knowledge: "GameKnowledge", text: str, parameter: str) -> FightName:
    """Raises `BadArguments` where the name says nothing, `ToolError` where several bosses fit."""
    words = [word.strip('.,;:!?#"') for word in text[:_MAX_CHARS].casefold().split()]
    size = next((_SIZES[word] for word in words if word in _SIZES), 0)
    kill = True if _KILL_WORDS.intersection(words) else False if _WIPE_WORDS.intersection(words) else None
    left = [word for word in words if word and word not in _SIZES]
    named = " ".join(word for word in left if word not in _OTHER_WORDS | _KILL_WORDS | _WIPE_WORDS)
    if not named:
        if not size and kill is None:
            raise BadArguments(f"`{parameter}` is {text[:40]!r}: give a number or code, 'last', a boss or a zone.")
        return FightName(size=size, kill=kill)
    if zone := _zone(knowledge, named):
        return FightName(encounters=zone, zone=True, size=size, kill=kill)
    try:
        found = find_encounter(knowledge, named)
    except ToolError as error:
        raise ToolError(f"`{parameter}` is {text[:40]!r}, which is no number, code or boss. {error}") from None
    return FightName(encounters=frozenset({found.id}), size=size, kill=kill)


def _zone(knowledge: "GameKnowledge", named: str) -> frozenset[int]:
    """The encounters of a zone of that name, or whose name begins so; none where a boss is called that."""
    wanted = fold_name(named)
    if any(wanted in map(fold_name, one.nicknames) for one in knowledge.encounters.values()):
        return frozenset()
    return frozenset(
        one.id
        for one in knowledge.encounters.values()
        if (zone := fold_name(one.zone)) == wanted or (len(wanted) >= _LEAST_ZONE_CHARS and zone.startswith(wanted))
    )
