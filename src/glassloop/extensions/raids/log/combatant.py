"""`COMBATANT_INFO`: a player's talents, gear and auras at the start of a fight.

Builds differ in how many stats come first and in what follows, so that the parts are told by their form: the talents
are the first group of numbers, the gear is the list of groups, the auras are the list that begins with a unit's id.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from glassloop.extensions.raids.log.fields import BadLine, Group, integers, is_guid, parse_groups, whole_number
from glassloop.extensions.raids.records import GearItem

MAX_SLOTS: Final = 19
MAX_GEMS: Final = 6
MAX_AURAS: Final = 200
_NOTHING: Final[Group] = []


class CombatantLine(msgspec.Struct, frozen=True, kw_only=True):
    """Of a player, by guid. Auras are who cast them, by guid, and the spell's id."""

    guid: str
    talents: tuple[int, ...] = ()
    gear: tuple[GearItem, ...] = ()
    auras: tuple[tuple[str, int], ...] = ()


def read_combatant(text: str) -> CombatantLine:
    """What follows the event's name. Raises `BadLine`."""
    values = parse_groups(text)
    if not values or not isinstance(values[0], str) or not is_guid(values[0]):
        raise BadLine("a unit's id cannot be read")
    groups = [value for value in values if isinstance(value, list)]
    if not groups:
        raise BadLine("neither talents nor gear")
    gear = max((group for group in groups if _is_gear(group)), key=len, default=_NOTHING)
    auras = next((group for group in groups if group and isinstance(group[0], str) and is_guid(group[0])), _NOTHING)
    return CombatantLine(guid=values[0], talents=_talents(groups[0]), gear=_gear(gear), auras=_auras(auras))


def _is_gear(group: Group) -> bool:
    """Items are `(id, level, (enchants), (bonuses), (gems))`; talents of later builds are groups of numbers alone."""
    return any(isinstance(item, list) and any(isinstance(part, list) for part in item) for item in group)


def _talents(group: Group) -> tuple[int, ...]:
    """Points of each tree."""
    points = integers(group)
    return tuple(points) if len(points) == len(group) == 3 and all(0 <= count <= 71 for count in points) else ()


def _gear(group: Group) -> tuple[GearItem, ...]:
    worn: list[GearItem] = []
    for slot, item in enumerate(group[:MAX_SLOTS]):
        numbers = integers(item[:2]) if isinstance(item, list) else []
        if len(numbers) < 2 or numbers[0] <= 0:
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


def _auras(group: Sequence[str | Group]) -> tuple[tuple[str, int], ...]:
    """Caster and spell follow one another, on some builds with a count after them."""
    found: list[tuple[str, int]] = []
    caster = ""
    for value in group:
        if not isinstance(value, str):
            break
        if is_guid(value):
            caster = value
        elif caster and value:
            found.append((caster, whole_number(value)))
            caster = ""
    return tuple(found[:MAX_AURAS])
