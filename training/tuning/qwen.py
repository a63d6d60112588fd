"""Qwen2 in plain torch, with LoRA on its seven linear layers. Names follow llama.cpp (`blk.N.attn_q`, …)."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention

# Its backward gave NaN gradients with block masks (torch 2.11, H200).
torch.backends.cuda.enable_cudnn_sdp(False)

TARGETS: Final = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
Weights = Mapping[str, Tensor]
Cache = tuple[Tensor, Tensor]
Mask = Tensor | BlockMask


class Shape:
    """The sizes of a model."""

    def __init__(self, *, layers: int, width: int, heads: int, kv_heads: int, epsilon: float, theta: float) -> None:
        self.layers, self.width, self.heads, self.kv_heads = layers, width, heads, kv_heads
        self.epsilon, self.theta, self.head_width = epsilon, theta, width // heads

    @classmethod
    def read(cls, metadata: Mapping[str, Any]) -> "Shape":
        """From the metadata of a GGUF file."""
        kind = metadata["general.architecture"]
        return cls(
            layers=metadata[f"{kind}.block_count"],
            width=metadata[f"{kind}.embedding_length"],
            heads=metadata[f"{kind}.attention.head_count"],
            kv_heads=metadata[f"{kind}.attention.head_count_kv"],
            epsilon=metadata[f"{kind}.attention.layer_norm_rms_epsilon"],
            theta=metadata[f"{kind}.rope.freq_base"],
        )


class LoraLinear(nn.Module):
    """A frozen layer and, with a rank, two small matrices beside it that are trained.

    `dropout` is the share of the values between the two that is left out while training.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, rank: int, alpha: float) -> None:
        super().__init__()
        self.dropout = 0.0
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.bias = None if bias is None else nn.Parameter(bias, requires_grad=False)
        self.rank, self.scale = rank, alpha / rank if rank else 0.0
        if rank:
            outputs, inputs = weight.shape
            self.a = nn.Parameter(torch.empty(rank, inputs, dtype=torch.float32, device=weight.device))
            self.b = nn.Parameter(torch.zeros(outputs, rank, dtype=torch.float32, device=weight.device))
            nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        y = F.linear(x, self.weight, self.bias)
        if not self.rank:
            return y
        inner = F.dropout(F.linear(x, self.a.to(x.dtype)) * self.scale, self.dropout, self.training)
        return torch.addmm(y.flatten(0, -2), inner.flatten(0, -2), self.b.to(x.dtype).t()).view_as(y)


def tree_mask(ends: Tensor, *, blocks: bool) -> Mask:
    """Each token sees itself and those before it whose subtree, which ends at `ends`, it belongs to.

    With `blocks` what no token of a block sees is not computed; this needs a GPU to be fast.
    """
    if not blocks:
        places = torch.arange(len(ends), device=ends.device)
        return ((places[:, None] >= places) & (places[:, None] < ends))[None, None]

    def seen(_batch: Tensor, _head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (query >= key) & (query < ends[key])

    return create_block_mask(seen, None, None, len(ends), len(ends), device=str(ends.device))


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class Block(nn.Module):
    """One layer of attention and its feed-forward part."""

    def __init__(self, weights: Weights, shape: Shape, rank: int, alpha: float) -> None:
        super().__init__()
        self.shape = shape
        for name in TARGETS:
            setattr(self, name, LoraLinear(weights[f"{name}.weight"], weights.get(f"{name}.bias"), rank, alpha))
        self.attention_norm = nn.Parameter(weights["attn_norm.weight"], requires_grad=False)
        self.feed_norm = nn.Parameter(weights["ffn_norm.weight"], requires_grad=False)

    def linear(self, name: str) -> LoraLinear:
        return getattr(self, name)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, mask: Mask, cache: Cache | None = None, at: int = 0
    ) -> Tensor:
        shape = self.shape
        batch, length, _ = x.shape
        h = F.rms_norm(x, (shape.width,), self.attention_norm, shape.epsilon)
        q, k, v = (
            self.linear(name)(h).view(batch, length, heads, shape.head_width).transpose(1, 2)
            for name, heads in (("attn_q", shape.heads), ("attn_k", shape.kv_heads), ("attn_v", shape.kv_heads))
        )
        q, k = _rotated(q, cos, sin), _rotated(k, cos, sin)
        if cache is not None:
            keys, values = cache
            keys[:, :, at : at + length], values[:, :, at : at + length] = k, v
            k, v = keys[:, :, : at + length], values[:, :, : at + length]
        if isinstance(mask, BlockMask):
            seen = cast("Tensor", flex_attention(q, k, v, block_mask=mask, enable_gqa=True))
        else:
            seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        x = x + self.linear("attn_output")(seen.transpose(1, 2).reshape(batch, length, -1))
        h = F.rms_norm(x, (shape.width,), self.feed_norm, shape.epsilon)
        return x + self.linear("ffn_down")(F.silu(self.linear("ffn_gate")(h)) * self.linear("ffn_up")(h))


def _run(block: Block, x: Tensor, cos: Tensor, sin: Tensor, mask: Mask) -> Tensor:
    return block(x, cos, sin, mask)


class Qwen(nn.Module):
    """The whole model over given weights."""

    def __init__(self, weights: Weights, shape: Shape, rank: int = 0, alpha: float = 32.0) -> None:
        super().__init__()
        self.shape, self.alpha = shape, alpha
        self.embedding = nn.Parameter(weights["token_embd.weight"], requires_grad=False)
        self.output = nn.Parameter(weights.get("output.weight", weights["token_embd.weight"]), requires_grad=False)
        self.norm = nn.Parameter(weights["output_norm.weight"], requires_grad=False)
        self.blocks = nn.ModuleList(
            Block(_below(weights, f"blk.{number}."), shape, rank, alpha) for number in range(shape.layers)
        )

        self._block: Callable[..., Tensor] = _run

    def leave_out(self, dropout: float) -> None:
        """Sets the dropout of all layers."""
        for layer in self.modules():
            if isinstance(layer, LoraLinear):
                layer.dropout = dropout

    def rescale(self, alpha: float) -> None:
        """Gives the adapter another weight beside the frozen layers."""
        self.alpha = alpha
        for layer in self.modules():
            if isinstance(layer, LoraLinear) and layer.rank:
                layer.scale = alpha / layer.rank

    def compile_blocks(self) -> None:
        """Compiles a block once for all; decoding with caches is left as it is."""
        self._block = torch.compile(_run)

    def hidden(
        self, ids: Tensor, positions: Tensor, mask: Mask, caches: list[Cache] | None = None, at: int = 0
    ) -> Tensor:
        x = F.embedding(ids, self.embedding)
        cos, sin = self._angles(positions, x.dtype)
        for number, block in enumerate(self.blocks):
            if caches is None:
                x = self._block(block, x, cos, sin, mask)
            else:
                x = block(x, cos, sin, mask, caches[number], at)
        return F.rms_norm(x, (self.shape.width,), self.norm, self.shape.epsilon)

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.output)

    def _angles(self, positions: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        width = self.shape.head_width
        steps = torch.arange(0, width, 2, device=positions.device, dtype=torch.float32) / width
        angles = positions[..., None].float() * self.shape.theta**-steps
        angles = torch.cat((angles, angles), -1)[:, None]
        return angles.cos().to(dtype), angles.sin().to(dtype)

    def adapter(self) -> dict[str, Any]:
        """What was trained, by the names that llama.cpp reads."""
        found: dict[str, Any] = {}
        for number, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            for name in TARGETS:
                layer = block.linear(name)
                found[f"blk.{number}.{name}.weight.lora_a"] = layer.a.detach().float().cpu().numpy()
                found[f"blk.{number}.{name}.weight.lora_b"] = layer.b.detach().float().cpu().numpy()
        return found

    def load_adapter(self, tensors: Mapping[str, Any]) -> None:
        with torch.no_grad():
            for key, value in tensors.items():
                _, number, name, _, which = key.split(".")
                block = self.blocks[int(number)]
                assert isinstance(block, Block)
                layer = block.linear(name)
                (layer.a if which == "lora_a" else layer.b).copy_(torch.from_numpy(value))


def _below(weights: Weights, head: str) -> dict[str, Tensor]:
    return {key.removeprefix(head): value for key, value in weights.items() if key.startswith(head)}


def load_weights(path: str, device: str, threads: int = 8) -> tuple[dict[str, Tensor], Shape]:
    """A GGUF file's weights, dequantized to bf16. Needs the package `gguf`."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from gguf import GGUFReader, dequantize  # pyright: ignore[reportMissingImports]

    reader: Any = GGUFReader(path)
    metadata = {key: field.contents() for key, field in reader.fields.items() if not key.startswith("tokenizer.")}

    def read(tensor: Any) -> tuple[str, Tensor]:
        shape = tuple(int(size) for size in reversed(tensor.shape))
        values = np.array(dequantize(tensor.data, tensor.tensor_type), copy=True).reshape(shape)
        return tensor.name, torch.from_numpy(values).to(torch.bfloat16).to(device)

    with ThreadPoolExecutor(threads) as pool:
        return dict(pool.map(read, reader.tensors)), Shape.read(metadata)
