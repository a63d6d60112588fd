"""Texts made to be slow for one regular expression, derived from the expression itself, and how its time grows on them.

For each repeat there are texts that reach it, fill it with what its body matches, and fail; others begin anew at every
place. Characters are chosen by the sets that they are in, so that every overlap of two repeats is filled once.
Only CPU time of the own process is looked at, and only its growth.
"""

import gc
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from re import _compiler, _constants, _parser
from time import process_time

REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY}
MANY = 1_000
"""A repeat with a smaller bound costs so much more at each place, and no more than that for longer texts."""

FEW = 40

ALPHABET = " \t\n\r0a1A_-.,:;=/\\'\"()[]{}<>|#*+?!@$%&^~`\x00xeé一。，？（"
SIZES = {12: 0.0005, 24: 0.0005, 48: 0.0005, 96: 0.001, 384: 0.01, 1_536: 0.03, 6_144: 0.2}
"""Each with the CPU time after which no larger one is tried: what is cubic or worse shows before it takes minutes."""

SUSPECT_S = 0.0004
QUICK = 6.5
"""The most that four times the size may take to be taken for linear without a closer look."""

LONG_S = 0.03
LARGEST = 32_768
TRIES = 3
LIMIT = 1.5
"""The exponent of growth over two doublings: 1 is linear, 2 quadratic; above `PLAIN` nobody need measure again."""
PLAIN = 2.5

COMMON = (
    " ",
    "\n",
    "\t ",
    "0",
    "1,",
    "1.",
    "a",
    "a ",
    "A",
    "Aa",
    "一",
    "-",
    "_",
    "a-",
    "(",
    "$(",
    "<a ",
    '"',
    "eyJaaaaaaaa-",
)


@dataclass(frozen=True)
class Effort:
    """How many characters are tried in each repeat, in texts of up to which size."""

    characters: int
    size: int

    @property
    def sizes(self) -> Mapping[int, float]:
        return {size: long_s for size, long_s in SIZES.items() if size <= self.size}


USUAL, EVERY = Effort(2, 1_536), Effort(100, 6_144)


@dataclass(frozen=True)
class Shape:
    """A text of any size: `head`, then `pump` as often as fits, then `tail`."""

    head: str
    pump: str
    tail: str

    def of(self, size: int) -> str:
        return self.head + self.pump * max(1, size // len(self.pump)) + self.tail


@dataclass(frozen=True)
class Growth:
    """The worst that was seen of one pattern: its exponent, and on what."""

    exponent: float
    seconds: float
    size: int
    shape: Shape
    use: str


class Pattern:
    """One expression, taken apart."""

    def __init__(self, compiled: re.Pattern) -> None:
        self.compiled = compiled
        self._flags = compiled.flags & ~re.DEBUG
        source = compiled.pattern
        self.is_bytes = isinstance(source, bytes)
        self._tree = _parser.parse(source, self._flags)
        self._cache: dict[int, re.Pattern | None] = {}
        self._nodes: list = []
        characters = dict.fromkeys([*ALPHABET, *self._literals(self._tree)])
        self._characters = self._distinct([each for each in characters if not self.is_bytes or ord(each) < 128])

    def shapes(self, most: int) -> Iterator[Shape]:
        for before, node in self._repeats(self._tree, []):
            body = node[1][2]
            least = max(1, min(node[1][0], FEW))
            singles = [each for each in self._characters if self._takes(body, each)]
            pumps = singles or list(
                dict.fromkeys(self._sample(body, [each], way) for each in self._characters for way in (0, 1, 2))
            )
            tails = [each for each in self._characters if not self._takes(body, each)][:2] or ["\x00"]
            for pump in [each for each in pumps if each][:most]:
                for way in (0, 1, 2):
                    head = "".join(self._sample(part, [pump[0]], way) for part in before)
                    yield from (Shape(head, pump, tail) for tail in ("", *tails))
                    yield Shape("", head + pump * least, "\x00")
                    for mark in self._characters[:4] if way == 1 else ():
                        yield Shape("", mark + head + pump * least, "\x00")
                    for other in pumps[:4] if way == 0 else ():
                        yield Shape(head, pump + other, "\x00")
        yield from (Shape("", pump, tail) for pump in COMMON for tail in ("\x00", ""))

    def _distinct(self, characters: list[str]) -> list[str]:
        """One for each way to be in the sets of the expression."""
        singles = [each for each in self._all(self._tree) if each[0] in SINGLE]
        seen: dict[tuple, str] = {}
        for each in characters:
            seen.setdefault(tuple(self._takes([node], each) for node in singles), each)
        return list(seen.values())

    def _all(self, tree) -> Iterator[tuple]:
        for node in tree:
            yield node
            for part in _parts(node):
                yield from self._all(part)

    def _literals(self, tree) -> Iterator[str]:
        for op, value in self._all(tree):
            if op is _constants.LITERAL:
                yield chr(value)
                yield chr(value).swapcase()[0]
            elif op is _constants.IN:
                for inner, given in value:
                    if inner is _constants.LITERAL:
                        yield chr(given)
                    elif inner is _constants.RANGE:
                        yield from map(chr, given)

    def _repeats(self, tree, before: list) -> Iterator[tuple[list, tuple]]:
        """Each repeat that can be long, with what comes before it."""
        for number, node in enumerate(tree):
            here = [*before, list(tree)[:number]]
            if node[0] in REPEATS and (node[1][1] is _constants.MAXREPEAT or node[1][1] > MANY):
                yield here, node
            if node[0] is _constants.ASSERT and node[1][0] < 0:
                continue
            for part in _parts(node):
                yield from self._repeats(part, here)

    def _takes(self, body, text: str) -> bool:
        key = id(body[0]) if len(body) == 1 else id(body)
        if key not in self._cache:
            tree = _parser.SubPattern(self._tree.state, list(body))
            self._nodes.append(body)
            try:
                self._cache[key] = _compiler.compile(tree, self._flags)
            except (re.error, IndexError, KeyError):
                self._cache[key] = None
        compiled = self._cache[key]
        return compiled is not None and compiled.fullmatch(text.encode() if self.is_bytes else text) is not None

    def _sample(self, tree, prefer: list[str], way: int) -> str:
        """Something that the nodes match, with the preferred character where it fits; each way another."""
        return "".join(self._sample_of(node, prefer, way) for node in tree)

    def _sample_of(self, node, prefer: list[str], way: int) -> str:
        op, value = node
        if op in SINGLE:
            wanted = self._characters if way == 1 else [*prefer, *self._characters]
            found = [each for each in wanted if self._takes([node], each)]
            return chr(value) if op is _constants.LITERAL else found[0] if found else ""
        if op in REPEATS:
            least, most, body = value
            often = max(least, 1) if way == 1 else least
            return self._sample(body, prefer, way) * min(often, FEW, int(most))
        if op is _constants.BRANCH:
            return self._sample(value[1][way % len(value[1])], prefer, way)
        if op in (_constants.SUBPATTERN, _constants.ATOMIC_GROUP):
            return self._sample(_parts(node)[0], prefer, way)
        return ""


def _parts(node) -> list:
    op, value = node
    if op in REPEATS:
        return [value[2]]
    if op is _constants.SUBPATTERN:
        return [value[3]]
    if op is _constants.BRANCH:
        return value[1]
    if op is _constants.ATOMIC_GROUP:
        return [value]
    if op in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [value[1]]
    if op is _constants.GROUPREF_EXISTS:
        return [each for each in value[1:] if each is not None]
    return []


def worst_growth(compiled: re.Pattern, uses: set[str], effort: Effort = USUAL) -> Growth | None:
    """The steepest growth over all texts made for it; None where none of them takes a time that can be measured."""
    pattern = Pattern(compiled)
    worst: Growth | None = None
    for shape, use in product(dict.fromkeys(pattern.shapes(effort.characters)), _distinct_uses(uses)):
        found = growth(_runner(compiled, use, pattern.is_bytes), shape, use, effort)
        if found is not None and (worst is None or found.exponent > worst.exponent):
            worst = found
        if worst is not None and worst.exponent > LIMIT:
            break
    return worst


def _distinct_uses(uses: set[str]) -> list[str]:
    return [use for use in ("match", "fullmatch") if use in uses] + ["finditer"] * bool(uses - {"match", "fullmatch"})


def _runner(compiled: re.Pattern, use: str, is_bytes: bool) -> Callable[[str], object]:
    method = getattr(compiled, use)

    def run(text: str) -> None:
        given = text.encode() if is_bytes else text
        if use == "finditer":
            for _ in method(given):
                pass
        else:
            method(given)

    return run


def growth(run: Callable[[str], object], shape: Shape, use: str = "", effort: Effort = EVERY) -> Growth | None:
    """How the time grows towards the largest size that takes long; None where it is plainly linear, or nothing."""
    before = taken = 0.0
    size = 0
    for size, long_s in effort.sizes.items():
        before, taken = taken, cpu_s(run, shape.of(size), 1)
        if taken > long_s:
            break
    else:
        if taken < SUSPECT_S or taken < before * QUICK:
            return None
    while size < LARGEST and taken < LONG_S:
        size = int(size * 1.5)
        taken = cpu_s(run, shape.of(size), 1)
    exponents: list[float] = []
    for _ in range(TRIES):
        small, taken = (cpu_s(run, shape.of(each), 3) for each in (size // 4, size))
        exponents.append(math.log(taken / max(small, 1e-6), 4))
        if not LIMIT < exponents[-1] < PLAIN:
            break
    return Growth(min(exponents), taken, size, shape, use)


def cpu_s(run: Callable[[str], object], text: str, times: int) -> float:
    """The least CPU time of so many runs."""
    was = gc.isenabled()
    gc.disable()
    try:
        taken = []
        for _ in range(times):
            began = process_time()
            run(text)
            taken.append(process_time() - began)
            if taken[-1] > LONG_S:
                break
        return min(taken)
    finally:
        if was:
            gc.enable()
