"""Adapters (LoRA in GGUF) of the embedded model: the one in the package, one of the user's, or none.

The package's adapter was trained on the weights that `glassloop models pull` gets and on the requests of the brief JSON
protocol; `adapter/adapter.json` beside it says what it is. Nothing here loads one: `child` does.
"""

import hashlib
import logging
from pathlib import Path
from typing import Final

import msgspec

from glassloop.core.errors import ModelUnusable
from glassloop.extensions.embedded.options import EmbeddedOptions
from glassloop.extensions.embedded.weights.catalog import QWEN

FOLDER: Final = Path(__file__).with_name("adapter")
MANIFEST: Final = "adapter.json"
FILE: Final = "glassloop-tools.gguf"
NONE: Final = "none"
VARIABLE: Final = "GLASSLOOP_EMBEDDED_ADAPTER"
_MAX_MANIFEST: Final = 10_000

_log = logging.getLogger(__name__)


class AdapterManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What the package's adapter is: its file's hash, and that of the weights it was trained on. `needs_rules`: it was
    trained on prompts with rules, as models without an adapter get them."""

    name: str
    size: int
    sha256: str
    weights_sha256: str
    needs_rules: bool = False


class ChosenAdapter(msgspec.Struct, frozen=True, kw_only=True):
    """The adapter in force. `sha256` is empty where any content will do. `tuned`: it knows what the rules of a prompt
    say."""

    name: str
    path: Path
    sha256: str = ""
    tuned: bool = True


def read_manifest(folder: Path = FOLDER) -> AdapterManifest | None:
    """None where the package has no adapter, or none that can be told."""
    try:
        with (folder / MANIFEST).open("rb") as file:
            return msgspec.json.decode(file.read(_MAX_MANIFEST), type=AdapterManifest)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        _log.warning("%s of the adapter cannot be read (%s): install glassloop again", MANIFEST, error)
        return None


def choose_adapter(given: str | None, weights: Path, folder: Path = FOLDER) -> ChosenAdapter | None:
    """The adapter for these weights: the one that is given, else the package's where it was made for them."""
    if given:
        path = Path(given).expanduser()
        return None if given.strip().lower() == NONE else ChosenAdapter(name=path.name, path=path.absolute())
    manifest = read_manifest(folder)
    if manifest is None or not (folder / FILE).is_file() or not _are_pulled(weights, manifest):
        return None
    return ChosenAdapter(name=manifest.name, path=folder / FILE, sha256=manifest.sha256, tuned=not manifest.needs_rules)


def _are_pulled(weights: Path, manifest: AdapterManifest) -> bool:
    """By their size, to the byte: their hash was compared when they were pulled, and takes seconds."""
    try:
        return manifest.weights_sha256 == QWEN.sha256 and weights.stat().st_size == QWEN.size
    except OSError:
        return False


def check_adapter(options: EmbeddedOptions) -> str:
    """The hash of the adapter's file, empty without one. Blocks; raises `ModelUnusable` where it cannot be used."""
    if options.adapter is None:
        return ""
    remedy = f"set {VARIABLE} to another file or to `{NONE}`"
    try:
        with options.adapter.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelUnusable(f"The adapter {str(options.adapter)!r} is no GGUF file: {remedy}.")
            file.seek(0)
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnusable(
            f"The adapter {str(options.adapter)!r} cannot be read ({error.strerror or error}): {remedy}."
        ) from None
    if options.adapter_sha256 and found != options.adapter_sha256:
        raise ModelUnusable(
            f"The adapter {str(options.adapter)!r} is damaged (sha256 {found[:12]}… and not "
            f"{options.adapter_sha256[:12]}…): install glassloop again, or {remedy}."
        )
    return found
