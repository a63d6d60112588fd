"""The daily report."""

from collections.abc import Sequence

from greenhouse.config import GreenhouseConfig
from greenhouse.moisture import DRY_BELOW, Bed, is_dry
from greenhouse.valves import litres_for

HEADING = "bed, moisture, litres"
MAX_ROWS = 8


def daily_report(beds: Sequence[Bed], config: GreenhouseConfig) -> str:
    """A line for each bed in use, driest first."""
    used = sorted((bed for bed in beds if not bed.fallow), key=lambda bed: bed.moisture)
    rows = [f"{bed.name}, {bed.moisture} %, {litres_for(bed, config.max_litres):.1f}" for bed in used[:MAX_ROWS]]
    return "\n".join([config.title, HEADING, *rows, refill_note(used, config)])


def refill_note(beds: Sequence[Bed], config: GreenhouseConfig) -> str:
    """Whether the tank has to be filled for the dry beds."""
    needed = sum(litres_for(bed, config.max_litres) for bed in beds if is_dry(bed))
    return f"{needed:.0f} l for beds below {DRY_BELOW} %"
