"""Models that run on this machine without an account: a language model with llama.cpp, an embedder with ONNX.

Also their weights, and the choice among many tools. Whatever is heavy is imported when it is used.
"""

import platform
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from glassloop.core.errors import UsageError
from glassloop.core.ports import Embedder, Model
from glassloop.extensions.embedded.options import CacheType, EmbeddedOptions, Memory, default_threads
from glassloop.models.model_name import ModelName
from glassloop.runtime.extensions import Extension
from glassloop.runtime.providers import EmbedderProvider, ModelOptions, Provider
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    from glassloop.core.ports import Shortlist
    from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
    from glassloop.extensions.embedded.weights.file_weights import FileWeights
    from glassloop.models.weights import Weights

MINILM = "minilm"


class EmbeddedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[embedded]`"""

    weights: Annotated[
        str | None,
        setting("A GGUF file that the model `embedded` runs instead of the one pulled.", folder="never"),
    ] = None
    adapter: Annotated[
        str | None,
        setting(
            "An adapter (LoRA) in GGUF for these weights, or `none`. Without it the one of the package is used, with "
            "the weights that are pulled.",
            folder="never",
        ),
    ] = None
    threads: Annotated[
        Annotated[int, Meta(ge=0)], setting("Threads of `embedded`; 0 is one for each core, at most four.")
    ] = 0
    context: Annotated[
        Annotated[int, Meta(ge=1024)], setting("Tokens that one conversation with `embedded` has room for.")
    ] = 4096
    conversations: Annotated[
        Annotated[int, Meta(ge=1)],
        setting("Conversations that `embedded` keeps in memory at once, about 30 kB a token of their context each."),
    ] = 4
    memory: Annotated[
        Memory,
        setting("How its weights are held: `map` (from the file), `lock` (never swapped out) or `load` (a copy)."),
    ] = "map"
    cache: Annotated[
        CacheType, setting("How its memory of conversations is held: `f16`, or `q8_0` in half the space.")
    ] = "f16"
    embedder_threads: Annotated[
        Annotated[int, Meta(ge=1)], setting("Threads of the embedder `minilm`.", env="GLASSLOOP_EMBEDDER_THREADS")
    ] = 1


class EmbeddedExtension(Extension):
    name = "embedded"
    settings = EmbeddedSettings

    def providers(self) -> dict[str, Provider]:
        provider = Provider(make=_make, configured=_is_ready, note=_note, needs_model=False, rank=50, reads_ahead=True)
        return {self.name: provider}

    def embedders(self) -> dict[str, EmbedderProvider]:
        return {MINILM: EmbedderProvider(make=_make_embedder, ready=_embedder_is_ready, rank=10)}

    def weights(self, settings: Settings) -> "Sequence[Weights]":
        return (_model_weights(settings), _embedder_weights(settings))

    def fingerprint(self, settings: Settings) -> object:
        return tuple(weights.look().state == "ready" for weights in self.weights(settings))

    def shortlist(self, settings: Settings, embedder: Embedder | None, *, small: bool) -> "Shortlist":  # noqa: ARG002
        from glassloop.extensions.embedded.shortlist import LONG_TIMEOUT_S, TIMEOUT_S, ToolShortlist

        return ToolShortlist(embedder, LONG_TIMEOUT_S if small else TIMEOUT_S)


def weights_file(settings: Settings) -> Path | None:
    """The file that the model `embedded` runs; None where it is not there yet. Quick."""
    given = settings.of(EmbeddedSettings).weights
    if given:
        return Path(given).expanduser()
    weights = _model_weights(settings)
    return weights.path if weights.is_ready else None


def embedded_options(settings: Settings) -> EmbeddedOptions | None:
    """How `embedded` is run under these settings; None where its weights are not there."""
    from glassloop.extensions.embedded.adapters import choose_adapter

    weights, own = weights_file(settings), settings.of(EmbeddedSettings)
    if weights is None:
        return None
    adapter = choose_adapter(own.adapter, weights)
    return EmbeddedOptions(
        weights=weights.absolute(),
        adapter=adapter.path if adapter else None,
        adapter_sha256=adapter.sha256 if adapter else "",
        tuned=adapter is not None and adapter.tuned,
        threads=own.threads or default_threads(),
        context_tokens=own.context,
        conversations=own.conversations,
        memory=own.memory,
        cache_type=own.cache,
        states=(settings.home_path / "states").absolute(),
    )


def _make(name: ModelName, options: ModelOptions) -> Model:
    from glassloop.extensions.embedded.model import EmbeddedModel

    found = embedded_options(options.settings)
    if found is None:
        raise UsageError(
            f"The weights of {str(name)!r} are not here: `glassloop models pull` gets them, or set "
            "GLASSLOOP_EMBEDDED_WEIGHTS to a GGUF file."
        )
    return EmbeddedModel(found)


def _is_ready(settings: Settings) -> bool:
    return weights_file(settings) is not None and find_spec("xllamacpp") is not None


def _note(settings: Settings) -> str:
    from glassloop.extensions.embedded.adapters import choose_adapter
    from glassloop.extensions.embedded.weights.catalog import QWEN
    from glassloop.models.weights import format_bytes

    there, found, own = f"{QWEN.title} on this machine", weights_file(settings), settings.of(EmbeddedSettings)
    if found is not None:
        adapter = choose_adapter(own.adapter, found)
        with_adapter = f"with the adapter {adapter.name}" if adapter else "without an adapter"
        return f"{f'{found.name} on this machine' if own.weights else there}, {with_adapter}{_slow_build()}"
    if find_spec("xllamacpp") is None:
        return f"{there}: not set up here"
    return f"{there}: `glassloop models pull` downloads it, {format_bytes(QWEN.size)}"


def _slow_build() -> str:
    """What there is to say of llama.cpp's wheel for this processor."""
    if sys.platform != "linux" or platform.machine() != "aarch64":
        return ""
    return (
        "; the wheel of xllamacpp for this processor is about four times slower than one built here: "
        "`pip install --no-binary xllamacpp --force-reinstall xllamacpp`"
    )


def _embedder_is_ready(settings: Settings) -> bool:
    return _embedder_weights(settings).is_ready


def _make_embedder(_model: str, settings: Settings) -> Embedder:
    from glassloop.extensions.embedded.embedder.local import LocalEmbedder
    from glassloop.models.cached_embedder import CachedEmbedder

    threads = settings.of(EmbeddedSettings).embedder_threads
    return CachedEmbedder(LocalEmbedder(_embedder_weights(settings), threads=threads))


def _model_weights(settings: Settings) -> "FileWeights":
    from glassloop.extensions.embedded.weights.catalog import QWEN
    from glassloop.extensions.embedded.weights.file_weights import FileWeights

    return FileWeights(QWEN, settings.home_path / "models")


def _embedder_weights(settings: Settings) -> "EmbedderWeights":
    from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
    from glassloop.extensions.embedded.weights.catalog import MINILM as RECIPE

    return EmbedderWeights(RECIPE, settings.home_path / "models")
