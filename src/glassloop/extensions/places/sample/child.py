"""A process that writes the sample into the folder that it is given, and a line for each step to standard output."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from glassloop.extensions.places.sample import write_sample
from glassloop.extensions.places.sample.job import Step

NICENESS = 10
"""Whoever answers questions on the same machine comes first."""


def main(folder: Path) -> None:
    lines = sys.stdout.buffer
    # What a library prints must not be taken for a step.
    sys.stdout = sys.stderr

    def tell(title: str, fraction: float) -> None:
        lines.write(msgspec.json.encode(Step(title, fraction)) + b"\n")
        lines.flush()

    write_sample(folder, tell=tell)


if __name__ == "__main__":
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main(Path(sys.argv[1]))
