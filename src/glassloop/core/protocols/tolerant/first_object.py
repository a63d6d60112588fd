"""The first JSON object in a reply that should hold one: a plan, a route, an opinion. Total; the rest is dropped."""

from typing import cast

from glassloop.core.protocols.tolerant.json_scan import JsonScan
from glassloop.core.protocols.tolerant.think_tags import without_thoughts
from glassloop.core.records import Json

TRIES = 8
READ_CHARS = 100_000


def read_object(text: str | None) -> dict[str, Json] | None:
    """The object, or None where there is none that can be read."""
    shown = without_thoughts((text or "")[:READ_CHARS])
    start = shown.find("{")
    for _ in range(TRIES):
        if start < 0:
            return None
        scan = JsonScan()
        scan.feed(shown, start)
        scan.finish()
        if scan.status == "done" and isinstance(scan.root, dict):
            return cast("dict[str, Json]", scan.root)
        start = shown.find("{", start + 1)
    return None
