"""Pulls weights in a process of its own, and says how far it is: `python puller.py ASSET FOLDER ENVIRON`, all JSON."""

import asyncio
import json
import sys
from pathlib import Path

import msgspec

from glassloop.extensions.embedded.weights.catalog import Asset
from glassloop.extensions.embedded.weights.file_weights import FileWeights
from glassloop.models.weights import PullStage


def main() -> None:
    asset = msgspec.json.decode(sys.argv[1], type=Asset)

    def report(stage: PullStage) -> None:
        print(stage.done, stage.message, flush=True)

    print(asyncio.run(FileWeights(asset, Path(sys.argv[2])).pull(json.loads(sys.argv[3]), report)))


if __name__ == "__main__":
    main()
