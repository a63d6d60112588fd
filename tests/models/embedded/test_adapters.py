"""Adapters: which one is in force, that it is the one it should be, and that read prompts are kept apart by it."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from glassloop.core.errors import ModelUnusable
from glassloop.extensions.embedded import adapters, embedded_options
from glassloop.extensions.embedded.adapters import (
    FILE,
    MANIFEST,
    AdapterManifest,
    check_adapter,
    choose_adapter,
    read_manifest,
)
from glassloop.extensions.embedded.options import EmbeddedOptions
from glassloop.extensions.embedded.weights.catalog import QWEN
from glassloop.runtime.settings import load_settings
from models.embedded.conftest import MakeModel
from models.embedded.test_model import reply
from models.embedded.tiny_gguf import write_tiny_adapter


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder as the package has it."""
    folder = tmp_path / "package"
    folder.mkdir()
    data = write_tiny_adapter(folder / FILE).read_bytes()
    about = AdapterManifest(
        name="tiny", size=len(data), sha256=hashlib.sha256(data).hexdigest(), weights_sha256=QWEN.sha256
    )
    (folder / MANIFEST).write_bytes(msgspec.json.encode(about))
    return folder


@pytest.fixture
def pulled(tmp_path: Path) -> Path:
    """A file with the size of the weights that are pulled, and nothing in it."""
    path = tmp_path / "pulled.gguf"
    with path.open("wb") as file:
        file.truncate(QWEN.size)
    return path


def test_the_package_s_adapter_goes_with_the_weights_it_was_made_for_and_no_others(
    package: Path, pulled: Path, weights: Path, tmp_path: Path
) -> None:
    chosen = choose_adapter(None, pulled, package)
    assert chosen is not None
    assert (chosen.name, chosen.path) == ("tiny", package / FILE)
    assert choose_adapter(None, weights, package) is None
    assert choose_adapter(None, tmp_path / "missing.gguf", package) is None


def test_a_setting_names_another_or_none(package: Path, pulled: Path, tmp_path: Path) -> None:
    other = choose_adapter(str(tmp_path / "mine.gguf"), pulled, package)
    assert other is not None
    assert (other.name, other.sha256) == ("mine.gguf", "")
    for none in ("none", "None"):
        assert choose_adapter(none, pulled, package) is None


@pytest.mark.parametrize("needs_rules", [False, True])
def test_the_manifest_says_whether_prompts_need_rules(package: Path, pulled: Path, *, needs_rules: bool) -> None:
    manifest = read_manifest(package)
    assert manifest is not None
    told = msgspec.structs.replace(manifest, needs_rules=needs_rules)
    (package / MANIFEST).write_bytes(msgspec.json.encode(told))
    chosen = choose_adapter(None, pulled, package)
    assert chosen is not None
    assert chosen.tuned is not needs_rules


@pytest.mark.parametrize("harm", [MANIFEST, FILE, "torn"])
def test_a_package_without_an_adapter_goes_without(package: Path, pulled: Path, harm: str) -> None:
    if harm == "torn":
        (package / MANIFEST).write_bytes(b"{")
    else:
        (package / harm).unlink()
    assert choose_adapter(None, pulled, package) is None


def test_an_adapter_of_other_bytes_is_refused_with_the_remedy(package: Path, pulled: Path) -> None:
    chosen = choose_adapter(None, pulled, package)
    assert chosen is not None
    options = EmbeddedOptions(weights=pulled, adapter=chosen.path, adapter_sha256=chosen.sha256)
    assert check_adapter(options) == chosen.sha256
    with chosen.path.open("ab") as file:
        file.write(b"x")
    remedy = r"is damaged .* install glassloop again, or set GLASSLOOP_EMBEDDED_ADAPTER"
    with pytest.raises(ModelUnusable, match=remedy):
        check_adapter(options)


def test_what_is_no_adapter_is_refused_before_anything_is_loaded(tmp_path: Path, weights: Path) -> None:
    (tmp_path / "text").write_text("hello")
    for name, why in (("text", "is no GGUF file"), ("missing", "cannot be read")):
        with pytest.raises(ModelUnusable, match=why):
            check_adapter(EmbeddedOptions(weights=weights, adapter=tmp_path / name))
    assert check_adapter(EmbeddedOptions(weights=weights)) == ""


def test_the_settings_reach_the_options(tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSLOOP_HOME", str(tmp_path))
    monkeypatch.setenv("GLASSLOOP_EMBEDDED_WEIGHTS", str(weights))
    monkeypatch.setenv(adapters.VARIABLE, str(tmp_path / "mine.gguf"))
    options = embedded_options(load_settings())
    assert options is not None
    assert options.adapter == tmp_path / "mine.gguf"


@pytest.mark.slow
async def test_an_adapter_changes_what_is_said_and_has_read_prompts_of_its_own(make: MakeModel, tmp_path: Path) -> None:
    plain, tuned = make(), make(adapter=write_tiny_adapter(tmp_path / "lora.gguf"))
    said = [(await reply(model, "Go on.")).message.text for model in (plain, tuned)]
    assert said[0] != said[1]
    assert plain.engine._key("prefix") != tuned.engine._key("prefix")


async def test_an_adapter_that_does_not_fit_is_named_with_the_remedy(make: MakeModel, tmp_path: Path) -> None:
    model = make(adapter=write_tiny_adapter(tmp_path / "other.gguf", architecture="qwen2"))
    with pytest.raises(ModelUnusable, match=r"with the adapter .*other\.gguf.*GLASSLOOP_EMBEDDED_ADAPTER=none"):
        await reply(model, "Go on.")
