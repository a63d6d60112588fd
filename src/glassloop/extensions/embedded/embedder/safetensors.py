"""A safetensors file, read by hand: a length, a JSON header, raw tensors. Nothing of torch is needed for that."""

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from glassloop.core.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_HEADER_BYTES = 10_000_000


def read_tensors(path: Path) -> "dict[str, NDArray[np.float32]]":
    """Its float32 tensors by name, as views of the file; others are passed over."""
    import numpy as np

    try:
        raw = np.memmap(path, np.uint8, "r")
        (length,) = struct.unpack("<Q", raw[:8].tobytes())
        if length > MAX_HEADER_BYTES:
            raise ValueError(f"a header of {length:,} bytes")
        header = cast("dict[str, Any]", json.loads(raw[8 : 8 + length].tobytes()))
        found: dict[str, NDArray[np.float32]] = {}
        for name, entry in header.items():
            if entry.get("dtype") == "F32":
                begin, end = (8 + length + place for place in entry["data_offsets"])
                found[name] = raw[begin:end].view(np.float32).reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise UsageError(f"{path.name} is no safetensors file: {error}.") from error
    return found
