"""Training: packed groups in batches, AdamW on the adapter alone, a warm-up and a cosine to the end of the time."""

import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.tuning.packing import Packed
from training.tuning.qwen import Qwen

PIECE = 8192
"""Logits of so many tokens are computed at once."""
PAD = 151643


class Plan:
    """How long and how fast: `tokens` a batch; with `seconds` the rate falls with the clock, and it ends in time."""

    def __init__(
        self,
        *,
        rate: float = 2e-4,
        tokens: int = 32_768,
        seed: int = 1,
        seconds: float = 0.0,
        epochs: int = 1,
        every: int = 10,
    ) -> None:
        self.rate, self.tokens, self.seed, self.seconds, self.epochs, self.every = (
            rate,
            tokens,
            seed,
            seconds,
            epochs,
            every,
        )

    def rate_at(self, step: int, steps: int, elapsed: float) -> float:
        done = max(step / steps, elapsed / self.seconds if self.seconds else 0.0)
        warm = min(1.0, (step + 1) / max(steps * 0.04, 1))
        return self.rate * warm * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(done, 1.0))))


def batches(groups: Sequence[Packed], tokens: int, rng: np.random.Generator) -> list[list[int]]:
    """Groups of about the same length together, in random order."""
    order, found = rng.permutation(len(groups)), list[list[int]]()
    for start in range(0, len(order), 256):
        current: list[int] = []
        for number in sorted(order[start : start + 256].tolist(), key=lambda each: len(groups[each])):
            if current and len(groups[number]) * (len(current) + 1) > tokens:
                found.append(current)
                current = []
            current.append(number)
        found += [current] if current else []
    rng.shuffle(found)  # pyright: ignore[reportArgumentType]
    return found


def tensors(groups: Sequence[Packed], device: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Tokens, positions, the attention mask and what is learned of some groups, padded to one length."""
    length = -(-max(map(len, groups)) // 64) * 64
    shape = len(groups), length
    ids, positions = np.full(shape, PAD, np.int64), np.zeros(shape, np.int64)
    learned, segment = np.zeros(shape, bool), np.zeros(shape, np.int64)
    most = max(len(group.parents) for group in groups) + 1
    ancestors = np.zeros((len(groups), most, most), bool)
    for row, group in enumerate(groups):
        count, segments = len(group), len(group.parents)
        ids[row, :count], positions[row, :count], learned[row, :count] = group.ids, group.position, group.learned
        segment[row, :count], segment[row, count:] = group.segment, most - 1
        ancestors[row, :segments, :segments] = group.ancestors
        ancestors[row, most - 1, most - 1] = True
    numbers, places, flags, parts, above = (
        torch.from_numpy(each).to(device, non_blocking=True) for each in (ids, positions, learned, segment, ancestors)
    )
    causal = torch.ones(length, length, dtype=torch.bool, device=device).tril()
    rows = torch.arange(len(groups), device=device)[:, None, None]
    mask = above[rows, parts[:, :, None], parts[:, None, :]] & causal
    return numbers, places, mask[:, None], flags


def loss_of(model: Qwen, groups: Sequence[Packed], device: str) -> tuple[Tensor, int]:
    """The summed loss of the learned tokens, and how many these are.

    Where a segment branches, the token before a branch is the last of its parent: targets are found by position in the
    tree, not by the place in the row.
    """
    ids, positions, mask, learned = tensors(groups, device)
    hidden = model.hidden(ids, positions, mask)
    before = torch.from_numpy(np.stack([_before(group, ids.shape[1]) for group in groups])).to(device)
    rows, places = learned.nonzero(as_tuple=True)
    inputs, targets = hidden[rows, before[rows, places]], ids[rows, places]
    total = hidden.new_zeros((), dtype=torch.float32)
    for start in range(0, len(targets), PIECE):
        part = slice(start, start + PIECE)
        total = total + F.cross_entropy(model.logits(inputs[part]).float(), targets[part], reduction="sum")
    return total, len(targets)


def _before(group: Packed, length: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """For each token the place of the one before it in its own sequence."""
    found = np.arange(length) - 1
    starts = np.concatenate([[0], np.cumsum(group.lengths)[:-1]])
    ends = np.cumsum(group.lengths) - 1
    for start, parent in zip(starts.tolist(), group.parents.tolist(), strict=True):
        found[start] = ends[parent] if parent >= 0 else 0
    return found


def fit(
    model: Qwen,
    groups: Sequence[Packed],
    plan: Plan,
    device: str,
    log: TextIO = sys.stdout,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """Trains the adapter in place; what it did, with the loss curve."""
    trained = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=plan.rate, betas=(0.9, 0.98), weight_decay=0.0, fused=device != "cpu")
    rng = np.random.default_rng(plan.seed)
    work = [batch for _ in range(plan.epochs) for batch in batches(groups, plan.tokens, rng)]
    began, seen, curve, recent = clock(), 0, list[tuple[int, float]](), list[float]()
    model.train()
    step = 0
    for step, batch in enumerate(work):
        elapsed = clock() - began
        if plan.seconds and elapsed > plan.seconds:
            print("the time is up", file=log, flush=True)
            break
        for group in optimizer.param_groups:
            group["lr"] = plan.rate_at(step, len(work), elapsed)
        total, count = loss_of(model, [groups[number] for number in batch], device)
        loss = total / max(count, 1)
        loss.backward()
        norm = float(torch.nn.utils.clip_grad_norm_(trained, 1.0))
        if math.isfinite(norm):
            optimizer.step()
            recent.append(float(loss.detach()))
        else:
            print(f"step {step}: gradient {norm}, left out", file=log, flush=True)
        optimizer.zero_grad(set_to_none=True)
        seen += sum(len(groups[number]) for number in batch)
        if step % plan.every == 0 or step == len(work) - 1:
            mean = float(np.mean(recent[-plan.every :])) if recent else float("nan")
            curve.append((step, round(mean, 4)))
            speed = seen / max(clock() - began, 1e-9)
            print(
                f"step {step}/{len(work)} loss {mean:.4f} {speed:.0f} tokens/s {clock() - began:.0f} s",
                file=log,
                flush=True,
            )
    return {"steps": step + 1, "of": len(work), "tokens": seen, "seconds": round(clock() - began, 1), "curve": curve}
