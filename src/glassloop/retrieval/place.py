"""Where an index lies on the disk."""

from pathlib import Path

import msgspec


class Place(msgspec.Struct, frozen=True):
    folder: Path

    @property
    def truth(self) -> Path:
        return self.folder / "truth.db"

    def lexical(self, shelf: int) -> Path:
        return self.folder / "lexical" / str(shelf)
