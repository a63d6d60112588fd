"""Trust in folders, as a user would have given it."""

from pathlib import Path
from typing import Literal

from glassloop.runtime.settings import trusted_folders


def trust(folder: Path, home: Path | str, decision: Literal["trusted", "refused"] = "trusted") -> None:
    """Decides about the folder as it is now."""
    folders = trusted_folders(Path(home))
    folders.decide(folders.look(folder).survey, decision)
