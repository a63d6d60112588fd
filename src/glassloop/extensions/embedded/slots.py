"""Slots of the child's memory: which conversation is kept in which, the least recently used is given away."""

from typing import Final

MIN_PREFIX: Final = 400
"""Characters below which a prefix is read again faster than it is looked for."""


class PrefixSlot:
    """One place in the child's memory: whose transcript it holds, and after which prefix."""

    __slots__ = ("number", "owner", "prefix", "used")

    def __init__(self, number: int) -> None:
        self.number = number
        self.owner: tuple[str, str] | None = None
        self.prefix = ""
        self.used = 0


class PrefixSlots:
    """All of them. A new child starts with empty ones."""

    def __init__(self, count: int) -> None:
        self._slots = [PrefixSlot(number) for number in range(count)]
        self._clock = 0

    def take(self, session: str, prefix: str) -> PrefixSlot:
        """The slot that holds this conversation, else the one longest unused."""
        self._clock += 1
        owner = (session, prefix)
        slot = next((slot for slot in self._slots if slot.owner == owner), None)
        if slot is None:
            slot = min(self._slots, key=lambda slot: slot.used)
        slot.owner, slot.used = owner, self._clock
        return slot
