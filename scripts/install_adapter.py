"""Puts a trained adapter into the package, with the manifest that says what it is.

python scripts/install_adapter.py FILE [NAME]
"""

import hashlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from glassloop.extensions.embedded.adapters import FILE, FOLDER, MANIFEST, AdapterManifest
from glassloop.extensions.embedded.weights.catalog import QWEN


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        print("Give the adapter's file: python scripts/install_adapter.py FILE [NAME]", file=sys.stderr)
        return 2
    given, *names = arguments
    data = Path(given).read_bytes()
    if data[:4] != b"GGUF":
        print(f"{given} is no GGUF file.", file=sys.stderr)
        return 1
    digest = hashlib.sha256(data).hexdigest()
    manifest = AdapterManifest(
        name=names[0] if names else f"glassloop-tools {digest[:8]}",
        size=len(data),
        sha256=digest,
        weights_sha256=QWEN.sha256,
    )
    FOLDER.mkdir(exist_ok=True)
    shutil.copyfile(given, FOLDER / FILE)
    (FOLDER / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    print(f"{manifest.name}: {len(data):,} bytes, sha256 {digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
