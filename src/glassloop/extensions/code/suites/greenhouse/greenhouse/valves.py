"""Litres for beds, and the frost level that decides over the valves."""

from collections.abc import Sequence

from greenhouse.config import GreenhouseConfig
from greenhouse.moisture import DRY_BELOW, Bed, clamp

LITRES_PER_POINT = 0.05
"""For each square metre and each percent below `DRY_BELOW`."""


def litres_for(bed: Bed, max_litres: float) -> float:
    # TODO: subtract the rain that came through the open roof.
    missing = clamp(DRY_BELOW - bed.moisture, 0, DRY_BELOW)
    return clamp(bed.area * missing * LITRES_PER_POINT, 0, max_litres)


def water_plan(beds: Sequence[Bed], config: GreenhouseConfig) -> dict[str, float]:
    """Litres by bed, without beds that need none."""
    plan = {bed.name: litres_for(bed, config.max_litres) for bed in beds if not bed.fallow}
    return {name: litres for name, litres in plan.items() if litres > 0}


def minutes_open(litres: float, pressure_bar: float) -> float:
    """How long a valve stays open: 3 litres a minute at 1 bar."""
    return litres / (3 * clamp(pressure_bar, 0.5, 4))


def frost_level(celsius: float) -> str:
    if celsius > 0:
        return "green"
    return "amber" if celsius >= -4 else "red"
