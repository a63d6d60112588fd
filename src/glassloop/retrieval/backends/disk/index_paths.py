"""Paths of an index on the disk."""

from pathlib import Path

import msgspec


class IndexPaths(msgspec.Struct, frozen=True):
    folder: Path

    @property
    def truth(self) -> Path:
        return self.folder / "truth.db"

    def lexical(self, partition: int) -> Path:
        return self.folder / "lexical" / str(partition)
