"""Names, levels, slots and sockets of the game's wearable items: a packed file that `scripts/make_items.py` builds.

Git does not keep the file. Where it is not there, every look-up answers None.
"""

import lzma
from collections.abc import Mapping
from pathlib import Path

import msgspec

from glassloop.extensions.raids.knowledge.facts import ItemFacts

PACKED = Path(__file__).parents[1] / "data" / "items.msgpack.xz"


class PackedItems(msgspec.Struct, frozen=True, kw_only=True):
    """Columns, one entry an item, ordered by id. The small texts of an item are numbers in the lists of them."""

    ids: tuple[int, ...]
    """Each as its distance from the one before."""
    names: str
    """With a line feed between two."""
    levels: tuple[int, ...]
    slots: tuple[int, ...]
    qualities: tuple[int, ...]
    sockets: tuple[int, ...]
    slot_names: tuple[str, ...]
    quality_names: tuple[str, ...]
    socket_sets: tuple[tuple[str, ...], ...]


class ItemTable:
    """Items by id, made when asked for: few of them are ever worn in a report."""

    def __init__(self, packed: PackedItems | None) -> None:
        self._packed = packed
        self._names: list[str] = packed.names.split("\n") if packed else []
        self._rows: Mapping[int, int] = _rows(packed) if packed else {}

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, item_id: int) -> ItemFacts | None:
        row, packed = self._rows.get(item_id), self._packed
        if row is None or packed is None:
            return None
        return ItemFacts(
            id=item_id,
            name=self._names[row],
            level=packed.levels[row],
            slot=packed.slot_names[packed.slots[row]],
            quality=packed.quality_names[packed.qualities[row]],
            sockets=packed.socket_sets[packed.sockets[row]],
        )


def load_items(packed: Path = PACKED) -> ItemTable:
    """Empty where the packed file was not built, or is of another build than this code."""
    try:
        return ItemTable(msgspec.msgpack.decode(lzma.decompress(packed.read_bytes()), type=PackedItems))
    except (OSError, lzma.LZMAError, msgspec.DecodeError):
        return ItemTable(None)


def _rows(packed: PackedItems) -> Mapping[int, int]:
    rows: dict[int, int] = {}
    item_id = 0
    for row, step in enumerate(packed.ids):
        item_id += step
        rows[item_id] = row
    return rows
