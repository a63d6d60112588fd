"""Decisions beside those expected: the tool, its arguments, the figures of an answer. Needs nothing but Python."""

import collections
import json
import re
from collections.abc import Sequence
from typing import Any, cast


def same(first: Any, second: Any) -> bool:
    """Whether two values of arguments mean the same."""
    if isinstance(first, int | float) and isinstance(second, int | float):
        return abs(first - second) < 1e-6
    if isinstance(first, str) and isinstance(second, str):
        return re.sub(r"\s", "", first).casefold() == re.sub(r"\s", "", second).casefold()
    if isinstance(first, dict) and isinstance(second, dict):
        one, other = cast("dict[str, Any]", first), cast("dict[str, Any]", second)
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return first == second


def is_right(expected: str, written: str) -> tuple[bool, bool]:
    """Whether the tool is the one expected, and whether all of the decision is: arguments, or an answer's figures."""
    wanted = json.loads(expected)
    try:
        read: object = json.loads(written)
    except ValueError:
        return False, False
    given = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    if given.get("action") != wanted["action"]:
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
