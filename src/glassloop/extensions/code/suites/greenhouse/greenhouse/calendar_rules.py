"""Hours and days at which beds may be watered; `docs/hours.md` has the rules."""

from datetime import datetime

from greenhouse.moisture import Bed

NIGHT_BEGINS, NIGHT_ENDS = 21, 5
SUNDAY = 6


def is_night(hour: int) -> bool:
    return hour > NIGHT_BEGINS or hour < NIGHT_ENDS


def may_water(bed: Bed, now: datetime) -> bool:
    if is_night(now.hour):
        return False
    return bed.seedlings or now.weekday() != SUNDAY
