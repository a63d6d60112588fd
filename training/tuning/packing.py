"""Packed token sequences: those that begin alike share their beginning, as branches of one tree.

A group's requests share the system text, and the steps of a turn all that was said before. Each segment of the tree
attends to itself and its ancestors, with positions as in a sequence of its own, so that nothing is computed twice.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


class Segment:
    """A run of tokens after those of its parent. `learned` has one flag a token."""

    __slots__ = ("children", "ids", "learned")

    def __init__(self, ids: list[int], learned: list[bool]) -> None:
        self.ids, self.learned = ids, learned
        self.children: dict[int, Segment] = {}

    def split(self, at: int) -> None:
        """Keeps the first tokens; the others become its only child."""
        rest = Segment(self.ids[at:], self.learned[at:])
        rest.children = self.children
        self.ids, self.learned = self.ids[:at], self.learned[:at]
        self.children = {rest.ids[0]: rest}


class Tree:
    """Sequences by their beginnings."""

    def __init__(self) -> None:
        self.root = Segment([], [])

    def insert(self, prompt: Sequence[int], decision: Sequence[int]) -> None:
        """A prompt, and the tokens to be learned after it."""
        ids = [*prompt, *decision]
        node, at = self.root, 0
        while at < len(ids):
            child = node.children.get(ids[at])
            if child is None:
                fresh = Segment(ids[at:], [place >= len(prompt) for place in range(at, len(ids))])
                node.children[ids[at]] = fresh
                return
            common = shared(child.ids, ids[at : at + len(child.ids)])
            if common < len(child.ids):
                child.split(common)
            for place in range(max(at, len(prompt)), at + common):
                child.learned[place - at] = True
            node, at = child, at + common

    def segments(self) -> Iterator[tuple[Segment, int]]:
        """Every segment with the number of its parent, parents first; -1 for the root's children."""
        waiting, number = [(child, -1) for child in reversed(self.root.children.values())], 0
        while waiting:
            segment, parent = waiting.pop()
            yield segment, parent
            waiting += [(child, number) for child in reversed(segment.children.values())]
            number += 1


def shared(first: list[int], second: list[int]) -> int:
    """How many tokens two sequences have in common at their beginning."""
    most = min(len(first), len(second))
    if first[:most] == second[:most]:
        return most
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Packed:
    """A group as arrays: tokens, which are learned, the segment of each, its position, and the segments' parents."""

    __slots__ = ("ids", "learned", "lengths", "parents")

    def __init__(self, ids: Array, learned: Array, lengths: Array, parents: Array) -> None:
        self.ids, self.learned, self.lengths, self.parents = ids, learned, lengths, parents

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def segment(self) -> Array:
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def position(self) -> Array:
        ends: list[int] = []
        starts: list[int] = []
        lengths: list[int] = self.lengths.tolist()
        for length, parent in zip(lengths, cast("list[int]", self.parents.tolist()), strict=True):
            start = ends[parent] if parent >= 0 else 0
            starts.append(start)
            ends.append(start + length)
        return np.concatenate([np.arange(start, end) for start, end in zip(starts, ends, strict=True)])

    @property
    def subtree_end(self) -> Array:
        """For each token the place behind the last token below its segment. Parents come before their children, so a
        token sees those before it whose subtree has not ended."""
        ends: list[int] = np.cumsum(self.lengths).tolist()
        for number in range(len(ends) - 1, -1, -1):
            parent = int(self.parents[number])
            if parent >= 0:
                ends[parent] = max(ends[parent], ends[number])
        return np.repeat(np.array(ends), self.lengths)

    @property
    def before(self) -> Array:
        """For each token the place of the one before it in its own sequence."""
        found = np.arange(len(self)) - 1
        ends = np.cumsum(self.lengths)
        for start, parent in zip((ends - self.lengths).tolist(), self.parents.tolist(), strict=True):
            found[start] = ends[parent] - 1 if parent >= 0 else 0
        return found


def pack(tree: Tree) -> Packed:
    every = list(tree.segments())
    return Packed(
        np.array([number for segment, _ in every for number in segment.ids], np.int32),
        np.array([flag for segment, _ in every for flag in segment.learned], bool),
        np.array([len(segment.ids) for segment, _ in every], np.int32),
        np.array([parent for _, parent in every], np.int32),
    )


def save(path: Path, groups: Iterable[Packed]) -> None:
    every = list(groups)
    np.savez_compressed(
        path,
        ids=np.concatenate([group.ids for group in every]),
        learned=np.packbits(np.concatenate([group.learned for group in every])),
        lengths=np.concatenate([group.lengths for group in every]),
        parents=np.concatenate([group.parents for group in every]).astype(np.int16),
        segments=np.array([len(group.lengths) for group in every], np.int32),
        tokens=np.array([len(group) for group in every], np.int32),
    )


def load(path: Path) -> list[Packed]:
    data = np.load(path)
    ids, lengths, parents = data["ids"], data["lengths"], data["parents"].astype(np.int32)
    learned = np.unpackbits(data["learned"], count=len(ids)).astype(bool)
    found: list[Packed] = []
    token = segment = 0
    for count, tokens in zip(data["segments"].tolist(), data["tokens"].tolist(), strict=True):
        parts = slice(token, token + tokens), slice(segment, segment + count)
        found.append(Packed(ids[parts[0]], learned[parts[0]], lengths[parts[1]], parents[parts[1]]))
        token, segment = token + tokens, segment + count
    return found
