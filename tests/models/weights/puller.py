"""Pulls weights in a process of its own, and says how far it is: `python puller.py ASSET FOLDER ENVIRON`, all JSON."""

import asyncio
import json
import sys
from pathlib import Path

import msgspec

from glassloop.models.weights.catalogue import Asset, Stage
from glassloop.models.weights.fetch import Patience
from glassloop.models.weights.pull import pull
from glassloop.models.weights.shelf import Shelf


def main() -> None:
    asset = msgspec.json.decode(sys.argv[1], type=Asset)
    patience = Patience(connect_s=30.0, read_s=120.0, backoff_s=0.01)

    def report(stage: Stage) -> None:
        print(stage.done, stage.message, flush=True)

    print(asyncio.run(pull(asset, Shelf(Path(sys.argv[2])), json.loads(sys.argv[3]), report, patience=patience)))


if __name__ == "__main__":
    main()
