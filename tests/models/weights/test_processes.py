"""Pulling in processes of their own: killed half-way, and two at once."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from glassloop.extensions.embedded.weights.catalog import Asset
from glassloop.extensions.embedded.weights.file_weights import FileWeights
from glassloop.models.weights import WeightsError
from models.weights.depot import HUB_PATH, WAIT_S, Depot
from waiting import until_sync

PULLER = Path(__file__).with_name("puller.py")


@pytest.fixture
def start(depot: Depot, asset: Asset, models: Path) -> Iterator[Any]:
    started: list[subprocess.Popen[str]] = []

    def run() -> subprocess.Popen[str]:
        arguments = [msgspec.json.encode(asset).decode(), str(models), json.dumps(depot.environ())]
        process = subprocess.Popen(
            [sys.executable, str(PULLER), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def half_way(asset: Asset, models: Path) -> bool:
    return FileWeights(asset, models).fetched >= 3_000_000


def test_killed_half_way_the_next_goes_on_where_it_stood(
    depot: Depot, asset: Asset, models: Path, data: bytes, start: Any
) -> None:
    depot.files[HUB_PATH] = data
    depot.faults[HUB_PATH] = [("hold", 3_700_000)]
    first = start()
    until_sync(lambda: half_way(asset, models), "most of the file")
    first.kill()
    first.wait(WAIT_S)
    second = start()
    out, _ = second.communicate(timeout=WAIT_S)
    # Not sooner: the child of the first may have a moment left, in which it would take the rest.
    depot.open.set()
    assert second.returncode == 0, out
    assert FileWeights(asset, models).path.read_bytes() == data
    assert max(asked.start for asked in depot.asked) >= 3_000_000


@pytest.mark.slow
def test_two_at_once_fetch_everything_once_and_the_second_sees_how_far_the_first_is(
    depot: Depot, asset: Asset, models: Path, data: bytes, start: Any
) -> None:
    depot.files[HUB_PATH] = data
    depot.faults[HUB_PATH] = [("hold", 3_700_000)]
    first = start()
    until_sync(lambda: half_way(asset, models), "most of the file")
    second = start()
    line = second.stdout.readline()
    assert "another process downloads it" in line
    assert int(line.split()[0]) >= 3_000_000
    with pytest.raises(WeightsError, match="being downloaded right now"):
        FileWeights(asset, models).remove()
    depot.open.set()
    for process in (first, second):
        out, _ = process.communicate(timeout=WAIT_S)
        assert process.returncode == 0, out
    assert FileWeights(asset, models).path.read_bytes() == data
    assert [asked.path for asked in depot.asked] == [HUB_PATH]
