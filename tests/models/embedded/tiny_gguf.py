"""A language model of a few kilobytes: one layer of random numbers over the 256 bytes, as a real GGUF file.

It says nothing sensible, which is the point: whatever can be read of it, the grammar made readable.
"""

import random
import struct
from pathlib import Path

EMBEDDING, HEADS, INNER, CONTEXT = 32, 4, 64, 32768
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_UINT32, _INT32, _FLOAT32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_NORMAL, _CONTROL = 1, 3
_ALIGNMENT = 32


def write_tiny(path: Path, seed: int = 1) -> Path:
    """Writes the file; the same bytes for the same seed."""
    tokens = [*_byte_names(), "Ġt", "<|im_start|>", "<|im_end|>"]
    last = len(tokens) - 1
    values = {
        "general.architecture": _text("llama"),
        "llama.context_length": _number(CONTEXT),
        "llama.embedding_length": _number(EMBEDDING),
        "llama.block_count": _number(1),
        "llama.feed_forward_length": _number(INNER),
        "llama.attention.head_count": _number(HEADS),
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", _FLOAT32, 1e-5),
        "llama.vocab_size": _number(len(tokens)),
        "tokenizer.ggml.model": _text("gpt2"),
        "tokenizer.ggml.pre": _text("qwen2"),
        "tokenizer.ggml.tokens": _texts(tokens),
        "tokenizer.ggml.token_type": _kinds([_NORMAL] * (last - 1) + [_CONTROL] * 2),
        "tokenizer.ggml.merges": _texts(["Ġ t"]),
        "tokenizer.ggml.eos_token_id": _number(last),
        "tokenizer.chat_template": _text(TEMPLATE),
    }
    shapes = {
        "token_embd.weight": (EMBEDDING, len(tokens)),
        "output_norm.weight": (EMBEDDING,),
        "output.weight": (EMBEDDING, len(tokens)),
        "blk.0.attn_norm.weight": (EMBEDDING,),
        "blk.0.attn_q.weight": (EMBEDDING, EMBEDDING),
        "blk.0.attn_k.weight": (EMBEDDING, EMBEDDING),
        "blk.0.attn_v.weight": (EMBEDDING, EMBEDDING),
        "blk.0.attn_output.weight": (EMBEDDING, EMBEDDING),
        "blk.0.ffn_norm.weight": (EMBEDDING,),
        "blk.0.ffn_gate.weight": (EMBEDDING, INNER),
        "blk.0.ffn_up.weight": (EMBEDDING, INNER),
        "blk.0.ffn_down.weight": (INNER, EMBEDDING),
    }
    return _write(path, values, shapes, seed)


def write_tiny_adapter(path: Path, seed: int = 2, architecture: str = "llama") -> Path:
    """A LoRA of rank 4 for the query matrix of those weights."""
    values = {
        "general.architecture": _text(architecture),
        "general.type": _text("adapter"),
        "adapter.type": _text("lora"),
        "adapter.lora.alpha": struct.pack("<If", _FLOAT32, 64.0),
    }
    shapes = {"blk.0.attn_q.weight.lora_a": (EMBEDDING, 4), "blk.0.attn_q.weight.lora_b": (4, EMBEDDING)}
    return _write(path, values, shapes, seed)


def _write(path: Path, values: dict[str, bytes], shapes: dict[str, tuple[int, ...]], seed: int) -> Path:
    head = [b"GGUF", struct.pack("<IQQ", 3, len(shapes), len(values))]
    head += [_string(key) + value for key, value in values.items()]
    data: list[bytes] = []
    rng, offset = random.Random(seed), 0
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        numbers = [1.0] * count if len(shape) == 1 else [rng.gauss(0.0, 0.3) for _ in range(count)]
        head.append(_string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset))
        piece = _padded(struct.pack(f"<{count}f", *numbers))
        data.append(piece)
        offset += len(piece)
    path.write_bytes(_padded(b"".join(head)) + b"".join(data))
    return path


def _byte_names() -> list[str]:
    """How a byte-level vocabulary writes its bytes: printable ones as they are, the others from U+0100 on."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)


def _string(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _text(text: str) -> bytes:
    return struct.pack("<I", _STRING) + _string(text)


def _number(value: int) -> bytes:
    return struct.pack("<II", _UINT32, value)


def _texts(texts: list[str]) -> bytes:
    return struct.pack("<IIQ", _ARRAY, _STRING, len(texts)) + b"".join(map(_string, texts))


def _kinds(kinds: list[int]) -> bytes:
    return struct.pack(f"<IIQ{len(kinds)}i", _ARRAY, _INT32, len(kinds), *kinds)
