"""A process that writes the sample's combat logs, as of the day and by the seed that it is given, into the folder
that it is given."""

import os
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path

from glassloop.extensions.raids.sample import write_sample

NICENESS = 10
"""Nobody waits for it."""

if __name__ == "__main__":
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    write_sample(Path(sys.argv[1]), day=date.fromisoformat(sys.argv[2]), seed=int(sys.argv[3]))
