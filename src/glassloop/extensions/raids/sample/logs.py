"""The files of the sample: a guild's eight weeks, and kills to compare with."""

from datetime import UTC, date, datetime
from pathlib import Path

from glassloop.extensions.raids.sample.guild import guild_nights
from glassloop.extensions.raids.sample.raid import GeneratedRaid
from glassloop.extensions.raids.sample.references import reference_nights

REFERENCES = "reference"
"""The folder of those logs of a sample that are to be imported as references."""


def write_sample(folder: Path, *, seed: int = 1, day: date | None = None) -> list[Path]:
    """Write the logs of a guild's eight weeks, and below `reference` those of kills to compare with. The last night was
    that before `day`, which is today where none is given. The same seed and day give the same files."""
    day = day or datetime.now(UTC).date()
    references = folder / REFERENCES
    references.mkdir(parents=True, exist_ok=True)
    written = [night.write(folder / file_name(night)) for night in guild_nights(seed, day)]
    return written + [night.write(references / file_name(night)) for night in reference_nights(seed, day)]


def file_name(night: GeneratedRaid) -> str:
    """As the game names its logs, packed."""
    return f"WoWCombatLog-{datetime.fromtimestamp(night.started_at / 1000, UTC):%m%d%y_%H%M%S}.txt.gz"
