"""Types prepared for decoding in threads. Below all layers, as each of them reads files off the event loop."""

from typing import Any

import msgspec


def make_ready(*kinds: Any) -> None:
    """msgspec 0.22 crashes where several threads are the first to read a type at the same moment: call this where the
    type is defined."""
    for kind in kinds:
        msgspec.json.Decoder(kind)
