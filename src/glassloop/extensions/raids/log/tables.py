"""Actors and spells of a report with their indexes, learnt line by line."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, final

import msgspec

from glassloop.extensions.raids.fight_log import NOBODY, Flag
from glassloop.extensions.raids.log.fields import NO_GUID, BadLine, Numbers, is_guid, unquoted
from glassloop.extensions.raids.records import Actor, ActorKind, Spell

MAX_ACTORS: Final = 60_000
MAX_SPELLS: Final = 60_000
MAX_NAME: Final = 100
_MAX_FLAGS: Final = 20_000
_MAX_OWNERS: Final = 100_000

_FLAGS = re.compile(r"0x[0-9A-Fa-f]{1,8}|[0-9]{1,10}", re.ASCII)
_REALM = re.compile(r"([^-]+)-(.+)")

CONTROLLED_BY_NPC: Final = 0x200
HOSTILE: Final = 0x40
NEUTRAL: Final = 0x20
PET: Final = 0x1000
GUARDIAN: Final = 0x2000


@final
class Tables:
    """The dictionaries are for the readers of events, which look up and never add: what is missing there raises
    `KeyError`, and the line comes back here to be learnt from."""

    def __init__(self) -> None:
        self.actors: list[Actor] = []
        self.spells: list[Spell] = []
        self.actor_of: dict[str, int] = {NO_GUID: NOBODY, "nil": NOBODY}
        self.spell_of: dict[str, int] = {}
        self.source_side: dict[str, int] = {}
        self.target_side: dict[str, int] = {}
        self.numbers = Numbers()
        self.owner_guids: dict[str, str] = {}
        """Owners of pets, totems and guardians, by the guids of both: also of those that no fight has seen yet."""
        self._classes: dict[int, Counter[str]] = {}

    def learn_actor(self, guid: str, name: str, flags: str) -> None:
        """Raises `BadLine`."""
        self.learn_flags(flags)
        if guid in self.actor_of:
            return
        if not is_guid(guid):
            raise BadLine("a unit's id cannot be read")
        if len(self.actors) >= MAX_ACTORS:
            raise BadLine(f"more than {MAX_ACTORS:,} units")
        kind = _kind(guid, flags)
        text, realm = unquoted(name)[:MAX_NAME], ""
        if kind == "player" and (match := _REALM.fullmatch(text)):
            text, realm = match.groups()
        self.actor_of[guid] = len(self.actors)
        self.actors.append(Actor(guid=guid, name=text, realm=realm, kind=kind, npc_id=npc_id(guid)))

    def learn_spell(self, spell_id: str, name: str, school: str) -> None:
        """Raises `BadLine`."""
        if spell_id in self.spell_of:
            return
        number = self.numbers[spell_id]
        if len(self.spells) >= MAX_SPELLS:
            raise BadLine(f"more than {MAX_SPELLS:,} spells")
        if number < 0 or spell_id == "nil":
            raise BadLine("a spell's id cannot be read")
        self.spell_of[spell_id] = len(self.spells)
        self.spells.append(Spell(id=number, name=unquoted(name)[:MAX_NAME], school=_flags(school)))

    def learn_flags(self, text: str) -> None:
        if text in self.source_side:
            return
        hostile = is_hostile(_flags(text))
        if len(self.source_side) >= _MAX_FLAGS:
            self.source_side.clear()
            self.target_side.clear()
        self.source_side[text] = int(Flag.SOURCE_HOSTILE) if hostile else 0
        self.target_side[text] = int(Flag.TARGET_HOSTILE) if hostile else 0

    def own(self, pet: str, owner: str) -> None:
        """By a summon or the owner field: the last one counts, except that nobody owns itself or a player."""
        if pet != owner and pet != NO_GUID and owner != NO_GUID and not pet.startswith("Player-"):
            if len(self.owner_guids) >= _MAX_OWNERS:
                self.owner_guids.clear()
            self.owner_guids[pet] = owner

    def took_part(self, actor: int, class_name: str) -> None:
        if class_name:
            self._classes.setdefault(actor, Counter())[class_name] += 1

    def resolved(self) -> list[Actor]:
        """The actors with their owners and classes, as far as they are known by now."""
        for index, actor in enumerate(self.actors):
            if actor.kind == "player":
                classes = self._classes.get(index)
                if classes and (most := classes.most_common(1)[0][0]) != actor.class_name:
                    self.actors[index] = msgspec.structs.replace(actor, class_name=most)
            elif (owner := self._owner(actor.guid)) is not None and owner != actor.owner:
                kind: ActorKind = "pet" if self.actors[owner].kind == "player" else actor.kind
                self.actors[index] = msgspec.structs.replace(actor, owner=owner, kind=kind)
        return self.actors

    def _owner(self, guid: str) -> int | None:
        """Up to the player: a totem's elemental is its shaman's."""
        owner = self.owner_guids.get(guid)
        for _ in range(3):
            if owner is None or owner.startswith("Player-"):
                break
            further = self.owner_guids.get(owner)
            if further is None:
                break
            owner = further
        index = None if owner is None else self.actor_of.get(owner)
        return None if index in (None, NOBODY) or self.actors[index].guid == guid else index


def npc_id(guid: str) -> int:
    """Of creatures and pets, `Creature-0-4401-559-20609-510-00002BF406`: the last but one."""
    parts = guid.split("-")
    if parts[0] not in ("Creature", "Pet", "Vehicle", "GameObject") or len(parts) < 7:
        return 0
    return int(parts[5]) if len(parts[5]) < 10 and parts[5].isascii() and parts[5].isdecimal() else 0


def is_hostile(flags: int) -> bool:
    """Enemies, and neutral creatures that are nobody's pets: some bosses are neutral until they are hit."""
    if flags & HOSTILE:
        return True
    return bool(flags & NEUTRAL and flags & CONTROLLED_BY_NPC and not flags & (PET | GUARDIAN))


def learn_line(tables: Tables, fields: Sequence[str], *, spell: bool) -> None:
    """The source, the target and the spell of a line. Raises `BadLine`."""
    if len(fields) < (12 if spell else 9):
        raise BadLine("fields are missing")
    tables.learn_actor(fields[1], fields[2], fields[3])
    tables.learn_actor(fields[5], fields[6], fields[7])
    if spell:
        tables.learn_spell(fields[9], fields[10], fields[11])


def _flags(text: str) -> int:
    if _FLAGS.fullmatch(text) is None:
        raise BadLine("flags cannot be read")
    return int(text, 0) if text.startswith("0x") else int(text)


def _kind(guid: str, flags: str) -> ActorKind:
    if guid.startswith("Player-"):
        return "player"
    if guid.startswith("Pet-"):
        return "pet"
    bits = _flags(flags)
    return "pet" if bits & (PET | GUARDIAN) and not bits & CONTROLLED_BY_NPC else "npc"
