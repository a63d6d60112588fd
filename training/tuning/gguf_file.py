"""GGUF files: the metadata of any, and adapters written in f16 or Q8_0. Only numpy is needed.

`python -m training.tuning.gguf_file IN.gguf … OUT.gguf` writes an adapter again in Q8_0, or the mean of several.
`--shares` weighs them; `--rank` keeps the largest directions of each layer only.
"""

import argparse
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

ALIGNMENT: Final = 32
F16, Q8_0 = 1, 8
BLOCK: Final = 32
_UINT32, _FLOAT32, _STRING, _ARRAY = 4, 6, 8, 9
_PLAIN: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
Array = np.ndarray[Any, np.dtype[Any]]


def read_metadata(path: Path) -> dict[str, Any]:
    """The keys and values at the head of a file."""
    with path.open("rb") as file:
        return _read_head(file)[0]


def read_adapter(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """An adapter's metadata and its tensors as float32, however they are stored."""
    with path.open("rb") as file:
        metadata, count = _read_head(file)
        infos = [_read_info(file) for _ in range(count)]
        start = file.tell() + -file.tell() % ALIGNMENT
        tensors: dict[str, Array] = {}
        for name, shape, kind, offset in infos:
            file.seek(start + offset)
            tensors[name] = _decode(file.read(_size(shape, kind)), shape, kind)
    return metadata, tensors


def write_adapter(
    path: Path, tensors: Mapping[str, Array], *, name: str, alpha: float, quantized: bool = False
) -> None:
    """A LoRA adapter for `qwen2`. Quantized, tensors whose rows are whole blocks are Q8_0, others f16."""
    values = {
        "general.architecture": _text("qwen2"),
        "general.type": _text("adapter"),
        "general.name": _text(name),
        "adapter.type": _text("lora"),
        "adapter.lora.alpha": struct.pack("<If", _FLOAT32, alpha),
    }
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(values))]
    head += [_string(key) + value for key, value in values.items()]
    data: list[bytes] = []
    offset = 0
    for key, tensor in tensors.items():
        kind = Q8_0 if quantized and tensor.shape[-1] % BLOCK == 0 else F16
        piece = _encode(tensor, kind)
        shape = tuple(reversed(tensor.shape))
        head.append(_string(key) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset))
        piece += b"\0" * (-len(piece) % ALIGNMENT)
        data.append(piece)
        offset += len(piece)
    whole = b"".join(head)
    path.write_bytes(whole + b"\0" * (-len(whole) % ALIGNMENT) + b"".join(data))


def _encode(tensor: Array, kind: int) -> bytes:
    if kind == F16:
        return tensor.astype("<f2").tobytes()
    blocks = tensor.astype(np.float32).reshape(-1, BLOCK)
    scales = (np.abs(blocks).max(axis=1, keepdims=True) / 127).astype("<f2")
    safe = np.where(scales == 0, 1, scales).astype(np.float32)
    rounded = np.clip(np.round(blocks / safe), -127, 127).astype(np.int8)
    return np.concatenate([scales.view(np.uint8), rounded.view(np.uint8)], axis=1).tobytes()


def _decode(raw: bytes, shape: tuple[int, ...], kind: int) -> Array:
    if kind == F16:
        return np.frombuffer(raw, "<f2").astype(np.float32).reshape(shape)
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, BLOCK + 2)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    return (blocks[:, 2:].copy().view(np.int8).astype(np.float32) * scales).reshape(shape)


def _size(shape: tuple[int, ...], kind: int) -> int:
    count = int(np.prod(shape))
    if kind == F16:
        return 2 * count
    if kind == Q8_0:
        return count // BLOCK * (BLOCK + 2)
    raise ValueError(f"A tensor of kind {kind} is no adapter's: use f16 or Q8_0.")


def _read_head(file: BinaryIO) -> tuple[dict[str, Any], int]:
    magic, version, tensors, count = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or version < 2:
        raise ValueError(f"{file.name} is no GGUF file of version 2 or 3: choose another.")
    return {_read_string(file): _read_value(file, _read(file, "I")) for _ in range(count)}, tensors


def _read_info(file: BinaryIO) -> tuple[str, tuple[int, ...], int, int]:
    name, dimensions = _read_string(file), _read(file, "I")
    shape = struct.unpack(f"<{dimensions}Q", file.read(8 * dimensions))
    return name, tuple(reversed(shape)), _read(file, "I"), _read(file, "Q")


def _read(file: BinaryIO, form: str) -> Any:
    return struct.unpack(f"<{form}", file.read(struct.calcsize(form)))[0]


def _read_string(file: BinaryIO) -> str:
    return file.read(_read(file, "Q")).decode("utf-8", "replace")


def _read_value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _read_string(file)
    if kind == _ARRAY:
        inner, count = _read(file, "I"), _read(file, "Q")
        return [_read_value(file, inner) for _ in range(count)]
    return _read(file, _PLAIN[kind])


def _string(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _text(value: str) -> bytes:
    return struct.pack("<I", _STRING) + _string(value)


def mean(
    adapters: Sequence[tuple[Mapping[str, Array], float]], shares: Sequence[float] = (), rank: int = 0
) -> dict[str, Array]:
    """Tensors whose alpha is their rank, from the tensors and the alpha of each adapter.

    The sum of two products of rank 16 is one product of rank 32: the factors stand side by side, and nothing is lost.
    With `rank` the nearest product of that rank takes its place.
    """
    shares = shares or [1 / len(adapters)] * len(adapters)
    made: dict[str, Array] = {}
    for key in (each for each in adapters[0][0] if each.endswith("lora_a")):
        other = key.removesuffix("a") + "b"
        weights = [
            alpha / tensors[key].shape[0] * share for (tensors, alpha), share in zip(adapters, shares, strict=True)
        ]
        a = np.concatenate([tensors[key] for tensors, _ in adapters])
        b = np.hstack([tensors[other] * weight for (tensors, _), weight in zip(adapters, weights, strict=True)])
        made[key], made[other] = _nearest(a, b, rank) if 0 < rank < len(a) else (a, b)
    return made


def _nearest(a: Array, b: Array, rank: int) -> tuple[Array, Array]:
    """Factors of the product of a rank that is nearest to `b @ a`.

    The sizes of the directions stand in `a`, whose rows are quantized one by one, so that small ones keep their digits.
    """
    right, inner_right = np.linalg.qr(a.T)
    left, inner_left = np.linalg.qr(b)
    u, sizes, v = np.linalg.svd(inner_left @ inner_right.T)
    return sizes[:rank, None] * (v[:rank] @ right.T), left @ u[:, :rank]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapters", type=Path, nargs="+", help="GGUF files")
    parser.add_argument("out", type=Path)
    parser.add_argument("--shares", type=float, nargs="*", default=[], help="of each adapter; else all alike")
    parser.add_argument("--rank", type=int, default=0, help="at most this rank; else the sum of all")
    given = parser.parse_args()
    read = [read_adapter(path) for path in given.adapters]
    adapters = [(tensors, float(metadata["adapter.lora.alpha"])) for metadata, tensors in read]
    tensors = mean(adapters, given.shares, given.rank)
    name = " + ".join(str(metadata["general.name"]) for metadata, _ in read)
    rank = next(iter(tensors.values())).shape[0]
    write_adapter(given.out, tensors, name=name, alpha=float(rank), quantized=True)


if __name__ == "__main__":
    main()
