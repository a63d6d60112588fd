"""Options of the embedded model: which weights, and how much of the machine. No environment is read here."""

import os
from pathlib import Path
from typing import Final, Literal

import msgspec

Memory = Literal["map", "lock", "load"]
CacheType = Literal["f16", "q8_0"]

MAX_THREADS: Final = 4
"""Chosen at most without being asked: a laptop has other work, and more threads bring little."""


class EmbeddedOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Models with equal options share one process.

    `adapter` is a LoRA for the weights; where it has to have a certain hash, `adapter_sha256` says so. `tuned`: with
    it, prompts need no rules. `memory`: `map` reads the weights through the page cache, `lock` also keeps them from
    being swapped out, `load` copies them.
    `conversations` keep what they read in memory, each up to `context_tokens`. `states` is the folder where read
    prompts are kept between starts; without it they are read anew.
    """

    weights: Path
    adapter: Path | None = None
    adapter_sha256: str = ""
    tuned: bool = False
    threads: int = 1
    context_tokens: int = 4096
    conversations: int = 4
    memory: Memory = "map"
    cache_type: CacheType = "f16"
    states: Path | None = None
    waiting: int = 100


def default_threads() -> int:
    """The physical cores this process may use, at most four: two threads on one core only wait for each other."""
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:
        usable = os.cpu_count() or 1
    return max(1, min(usable // _threads_a_core(), MAX_THREADS))


def _threads_a_core() -> int:
    """How many logical processors share a core, where Linux tells; 1 elsewhere."""
    try:
        siblings = Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return 1
    first, dash, last = siblings.partition("-")
    if dash and first.isdecimal() and last.isdecimal():
        return max(int(last) - int(first) + 1, 1)
    return siblings.count(",") + 1
