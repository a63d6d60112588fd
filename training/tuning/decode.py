"""Greedy decoding of many prompts at once."""

from collections.abc import Sequence

import torch

from training.tuning.qwen import Cache, Qwen


@torch.no_grad()
def generate(
    model: Qwen, prompts: Sequence[Sequence[int]], stop: int, most: int = 160, batch: int = 64
) -> list[list[int]]:
    """The tokens after each prompt, up to `stop`. Prompts of about the same length go together, padded on the left."""
    model.eval()
    order = sorted(range(len(prompts)), key=lambda number: len(prompts[number]))
    found: list[list[int]] = [[] for _ in prompts]
    for start in range(0, len(order), batch):
        part = order[start : start + batch]
        for number, made in zip(part, _generate(model, [prompts[number] for number in part], stop, most), strict=True):
            found[number] = made
    return found


def _generate(model: Qwen, prompts: list[Sequence[int]], stop: int, most: int) -> list[list[int]]:
    device, dtype, shape = model.embedding.device, model.embedding.dtype, model.shape
    count, longest = len(prompts), max(map(len, prompts))
    ids = torch.zeros((count, longest), dtype=torch.long)
    real = torch.zeros((count, longest + most), dtype=torch.bool)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        real[row, longest - len(prompt) :] = True
    positions = (real[:, :longest].cumsum(1) - 1).clamp(min=0)
    ids, real, positions = ids.to(device), real.to(device), positions.to(device)
    size = count, shape.kv_heads, longest + most, shape.head_width
    caches: list[Cache] = [
        (torch.zeros(size, device=device, dtype=dtype), torch.zeros(size, device=device, dtype=dtype))
        for _ in model.blocks
    ]
    mask = (
        torch.ones(longest, longest, dtype=torch.bool, device=device).tril()[None, None] & real[:, None, None, :longest]
    )
    mask = mask | torch.eye(longest, dtype=torch.bool, device=device)[None, None]
    lengths, done = real[:, :longest].sum(1), torch.zeros(count, dtype=torch.bool, device=device)
    token = model.logits(model.hidden(ids, positions, mask, caches)[:, -1]).argmax(-1)
    made: list[torch.Tensor] = []
    for step in range(most):
        done = done | (token == stop)
        made.append(torch.where(done, -1, token))
        if step == most - 1 or (step % 8 == 7 and bool(done.all())):
            break
        at = longest + step
        hidden = model.hidden(token[:, None], (lengths + step)[:, None], real[:, None, None, : at + 1], caches, at)
        token = model.logits(hidden[:, -1]).argmax(-1)
    return [[number for number in row if number >= 0] for row in torch.stack(made, 1).tolist()]
