"""Owners of pets where the log names none: who cast the summons just before, or something that only touches one's own
pet.

Ids were checked: creatures against the creature names of CMaNGOS TBC, summons against its core and WhatsTraining,
spells on one's own pet against WhatsTraining, LibClassicDurations and Gladdy for Burning Crusade Classic.
"""

from collections.abc import Sequence
from typing import Final

from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog, Kind
from glassloop.extensions.raids.records import Actor, Spell

SUMMONS: Final[dict[int, frozenset[int]]] = {
    510: frozenset({31687}),  # Water Elemental
    1964: frozenset({33831}),  # Treant: Force of Nature
    19668: frozenset({34433}),  # Shadowfiend
    15438: frozenset({2894, 32982}),  # Greater Fire Elemental
    15352: frozenset({2062, 33663}),  # Greater Earth Elemental
    19833: frozenset({34600, 43449}),  # Venomous Snake: Snake Trap
    19921: frozenset({34600, 43449}),  # Viper: Snake Trap
    89: frozenset({1122, 22703}),  # Infernal: Inferno
    11859: frozenset({18540, 18541}),  # Doomguard: Ritual of Doom
}
"""Guardians by creature id, and the spells that bring them."""
OWN_PET_SPELLS: Final = frozenset({
    136, 3111, 3661, 3662, 13542, 13543, 13544, 27046,  # Mend Pet
    755, 3698, 3699, 3700, 11693, 11694, 11695, 27259,  # Health Funnel
    19574, 19577,  # Bestial Wrath, Intimidation
    1539, 6991,  # Feed Pet
    25228,  # Soul Link
})  # fmt: skip
"""Cast by a hunter or warlock, these touch nobody but their own pet."""
CALL_MS: Final = 3_000
"""A guardian appears at most this long after its spell."""


def guess_owners(log: FightLog, actors: Sequence[Actor], spells: Sequence[Spell], pets: set[int]) -> dict[int, int]:
    """Owners of those of `pets` (indexes of `actors`) that the fight tells."""
    callers: dict[int, list[tuple[int, int]]] = {}
    summoning = {spell for brought_by in SUMMONS.values() for spell in brought_by}
    own = {index for index, spell in enumerate(spells) if spell.id in OWN_PET_SPELLS}
    calls = {index: spell.id for index, spell in enumerate(spells) if spell.id in summoning}
    found: dict[int, int] = {}
    seen: set[int] = set()
    for at, kind, source, target, spell in zip(log.at, log.kind, log.source, log.target, log.spell, strict=True):
        if source in pets and source not in seen:
            seen.add(source)
            brought_by = SUMMONS.get(actors[source].npc_id, frozenset())
            last = max(
                (call for name in brought_by for call in callers.get(name, []) if at - call[0] <= CALL_MS), default=None
            )
            if last is not None:
                found.setdefault(source, last[1])
        if spell == NO_SPELL or source == NOBODY or actors[source].kind != "player":
            continue
        if kind == Kind.CAST and spell in calls:
            callers.setdefault(calls[spell], []).append((at, source))
        elif spell in own and target in pets:
            found.setdefault(target, source)
    return found
