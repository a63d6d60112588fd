"""Command line: `plan` and `report`."""

import sys
from datetime import datetime

from greenhouse.calendar_rules import may_water
from greenhouse.config import load_config
from greenhouse.moisture import Bed
from greenhouse.report import daily_report
from greenhouse.valves import water_plan

BEDS = (
    Bed("tomatoes", area=6.0, moisture=31),
    Bed("seedlings", area=2.5, moisture=22, seedlings=True),
    Bed("herbs", area=4.0, moisture=48),
    Bed("north wall", area=8.0, moisture=12, fallow=True),
)


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else "report"
    config = load_config()
    if command == "plan":
        now = datetime.now()
        for name, litres in water_plan([bed for bed in BEDS if may_water(bed, now)], config).items():
            print(f"{name}: {litres:.1f} l")
    elif command == "report":
        print(daily_report(BEDS, config))
    else:
        print(f"unknown command {command!r}: plan or report")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
