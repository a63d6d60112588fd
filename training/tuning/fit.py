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
from training.tuning.qwen import Qwen, tree_mask

PIECE = 8192
"""Logits of so many tokens are computed at once."""
PAD = 151643
OPEN_ROWS = 16


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
    """Groups in random order, filled into rows of at most so many tokens; a longer group is a row of its own."""
    found, open_rows = list[list[int]](), list[tuple[int, list[int]]]()
    for number in rng.permutation(len(groups)).tolist():
        size = len(groups[number])
        fitting = next((place for place, (room, _) in enumerate(open_rows) if room >= size), None)
        if fitting is not None:
            room, row = open_rows[fitting]
            open_rows[fitting] = room - size, [*row, number]
            continue
        open_rows.append((tokens - size, [number]))
        if len(open_rows) > OPEN_ROWS:
            fullest = min(range(len(open_rows)), key=lambda place: open_rows[place][0])
            found.append(open_rows.pop(fullest)[1])
    found += [row for _, row in open_rows]
    rng.shuffle(found)  # pyright: ignore[reportArgumentType]
    return found


class Row:
    """Some groups one after the other, padded to `length`: what the model reads and learns."""

    def __init__(self, groups: Sequence[Packed], length: int, device: str) -> None:
        starts = np.cumsum([0, *map(len, groups)]).tolist()
        length = max(length, starts[-1])
        ids, positions, learned = np.full(length, PAD, np.int64), np.zeros(length, np.int64), np.zeros(length, bool)
        ends, before = np.arange(length) + 1, np.zeros(length, np.int64)
        for start, group in zip(starts[:-1], groups, strict=True):
            place = slice(start, start + len(group))
            ids[place], positions[place], learned[place] = group.ids, group.position, group.learned
            ends[place], before[place] = group.subtree_end + start, group.before + start
        places = learned.nonzero()[0]
        self.ids, self.positions, self.ends, self.targets, self.inputs = (
            torch.from_numpy(each).to(device, non_blocking=True)
            for each in (ids[None], positions[None], ends, ids[places], before[places])
        )


def loss_of(model: Qwen, groups: Sequence[Packed], device: str, length: int = 0) -> tuple[Tensor, int]:
    """The summed loss of the learned tokens, and how many these are.

    Where a segment branches, the token before a branch is the last of its parent: targets are found by position in the
    tree, not by the place in the row.
    """
    row = Row(groups, length, device)
    inputs = model.hidden(row.ids, row.positions, tree_mask(row.ends, blocks=device != "cpu"))[0, row.inputs]
    total = inputs.new_zeros((), dtype=torch.float32)
    for start in range(0, len(row.targets), PIECE):
        part = slice(start, start + PIECE)
        total = total + F.cross_entropy(model.logits(inputs[part]).float(), row.targets[part], reduction="sum")
    return total, len(row.targets)


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
        total, count = loss_of(model, [groups[number] for number in batch], device, plan.tokens)
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
