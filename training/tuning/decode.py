"""Greedy decoding of many prompts at once, and how often the decisions are those expected."""

import collections
import json
import re
from collections.abc import Sequence
from typing import Any

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


def same(first: Any, second: Any) -> bool:
    """Whether two values of arguments mean the same."""
    if isinstance(first, int | float) and isinstance(second, int | float):
        return abs(first - second) < 1e-6
    if isinstance(first, str) and isinstance(second, str):
        return re.sub(r"\s", "", first).casefold() == re.sub(r"\s", "", second).casefold()
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return first == second


def is_right(expected: str, written: str) -> tuple[bool, bool]:
    """Whether the tool is the one expected, and whether all of the decision is: arguments, or an answer's figures."""
    wanted = json.loads(expected)
    try:
        given = json.loads(written)
    except ValueError:
        return False, False
    if not isinstance(given, dict) or given.get("action") != wanted["action"]:
        return False, False
    if wanted["action"] != "answer":
        return True, same(given.get("args"), wanted["args"])
    said, told = str(given.get("response", "")), wanted["response"]
    asks = any(mark in told for mark in "?？")
    return True, figures(told) <= figures(said) and asks == any(mark in said for mark in "?？")


def figures(text: str) -> frozenset[str]:
    return frozenset(each.rstrip(".,").replace(",", "") for each in re.findall(r"\d[\d,.]*", text))


def score(cases: Sequence[dict[str, Any]], written: Sequence[str]) -> dict[str, dict[str, int]]:
    """Counts by kind of conversation, and of all."""
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for case, text in zip(cases, written, strict=True):
        tool, whole = is_right(case["decision"], text)
        for kind in ("all", str(case["kind"]).partition("+")[0]):
            counts[kind].update({"count": 1, "tool": tool, "right": whole})
    return {kind: dict(count) for kind, count in sorted(counts.items())}
