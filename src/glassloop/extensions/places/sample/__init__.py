"""A generator of sample data: the people and places of six metros, two years of visits, and a panel that saw some."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassloop.extensions.places.data_set.about import About
    from glassloop.runtime.importers import Tell


def _silent(title: str, fraction: float) -> None: ...


def write_sample(folder: Path, *, seed: int = 1, today: date | None = None, tell: "Tell" = _silent) -> "About":
    """Write the sample's files into a folder: the 24 whole months before `today`. The same seed and day give the same
    bytes."""
    # Imported late: numpy and DuckDB are of an extra, and the commands of every extension are loaded at each start.
    from glassloop.extensions.places.sample.generator import generate

    return generate(folder, seed=seed, today=today or date.today(), tell=tell)
