"""A process that writes a small sample as the real one does: `python -m extensions.places.small_sample FOLDER`."""

import sys
from datetime import date
from pathlib import Path

import msgspec

from glassloop.extensions.places.sample.generator import Extent, generate
from glassloop.extensions.places.sample.job import Step


def tell(title: str, fraction: float) -> None:
    print(msgspec.json.encode(Step(title, fraction)).decode(), flush=True)


if __name__ == "__main__":
    extent = Extent(scale=0.01, months=2, metros=1)
    generate(Path(sys.argv[1]), seed=1, today=date(2026, 11, 16), tell=tell, extent=extent)
