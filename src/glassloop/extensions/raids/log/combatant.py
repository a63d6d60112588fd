"""`COMBATANT_INFO`: a player's talents, gear and auras at the start of a fight.

Builds differ in how many stats come first and in what follows, so that the parts are told by their form: the talents
are the first group of numbers, the gear is the list of groups, the auras are the list that begins with a unit's id.
"""

import re
from typing import Final, final

import msgspec

from glassloop.extensions.raids.log.fields import NO_GUID, BadLine, Group, integers, is_guid, parse_groups, whole_number
from glassloop.extensions.raids.records import GearItem

MAX_SLOTS: Final = 19
MAX_GEMS: Final = 6
MAX_AURAS: Final = 200
_MAX_REMEMBERED: Final = 500

_LIST = re.compile(r"\[([^\[\]]*)\]")
_TALENTS = re.compile(r"\(([0-9]{1,2}),([0-9]{1,2}),([0-9]{1,2})\)", re.ASCII)
_ITEM = re.compile(r"\([0-9]{1,9},[0-9]{1,9},\(", re.ASCII)


class CombatantLine(msgspec.Struct, frozen=True, kw_only=True):
    """Of a player, by guid. Auras are who cast them, by guid, and the spell's id."""

    guid: str
    talents: tuple[int, ...] = ()
    gear: tuple[GearItem, ...] = ()
    auras: tuple[tuple[str, int], ...] = ()


@final
class CombatantReader:
    """Remembers gear by its text, as it is the same from one pull to the next."""

    def __init__(self) -> None:
        self._gear: dict[str, tuple[GearItem, ...]] = {}

    def read(self, text: str) -> CombatantLine:
        """What follows the event's name. Raises `BadLine`."""
        guid, _, rest = text.partition(",")
        if not is_guid(guid):
            raise BadLine("a unit's id cannot be read")
        if rest.count("(") != rest.count(")") or rest.count("[") != rest.count("]"):
            raise BadLine("a bracket is not closed")
        lists = _LIST.findall(rest)
        talents = _TALENTS.search(rest)
        gear = next((text for text in lists if _ITEM.match(text)), "")
        auras = next((text for text in lists if is_guid(text.partition(",")[0])), "")
        if not lists and talents is None:
            raise BadLine("neither talents nor gear")
        return CombatantLine(
            guid=guid,
            talents=tuple(int(points) for points in talents.groups()) if talents else (),
            gear=self._read_gear(gear),
            auras=_auras(auras),
        )

    def _read_gear(self, text: str) -> tuple[GearItem, ...]:
        known = self._gear.get(text)
        if known is None:
            if len(self._gear) >= _MAX_REMEMBERED:
                self._gear.clear()
            known = self._gear[text] = _gear(parse_groups(text))
        return known


def _gear(group: Group) -> tuple[GearItem, ...]:
    worn: list[GearItem] = []
    for slot, item in enumerate(group[:MAX_SLOTS]):
        if not isinstance(item, list) or len(numbers := integers(item[:2])) < 2 or numbers[0] <= 0:
            continue
        parts = [part for part in item[2:] if isinstance(part, list)]
        enchants = integers(parts[0]) if parts else []
        worn.append(
            GearItem(
                slot=slot,
                item_id=numbers[0],
                item_level=max(numbers[1], 0),
                enchant=enchants[0] if enchants else 0,
                temporary_enchant=enchants[1] if len(enchants) > 1 else 0,
                gems=tuple(gem for gem in integers(parts[2])[: 2 * MAX_GEMS : 2] if gem > 0) if len(parts) > 2 else (),
            )
        )
    return tuple(worn)


def _auras(text: str) -> tuple[tuple[str, int], ...]:
    """Caster and spell follow one another, on some builds with a count after them."""
    found: list[tuple[str, int]] = []
    caster = ""
    for value in text.split(","):
        if caster:
            found.append((caster, whole_number(value)))
            caster = ""
        elif "-" in value or len(value) == len(NO_GUID):
            caster = value
    return tuple(found[:MAX_AURAS])
