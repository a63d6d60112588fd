"""Summary of a run: shares right with their intervals, steps, tokens and seconds; in all and by tag. Pure.

Repetitions of a case are not independent: a case counts once, with the share of its repetitions that were right, so
that asking the same more often does not narrow an interval. Only readable decisions are counted one by one. The few
statistics are Wilson's interval for a share, the exact McNemar test and the adjusted Wald interval of Agresti and Min
for two shares of the same cases, and quantiles.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from glassloop.evals.run_file import CaseResult

Z = 1.959963984540054
"""Of the normal distribution, for 95 %."""


def wilson(right: float, of: int) -> tuple[float, float]:
    """The 95 % interval of a share; (0, 1) where nothing was counted."""
    if of <= 0:
        return 0.0, 1.0
    share, square = right / of, Z * Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = Z * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    # At the ends the sum is exact in theory and not in floats.
    low = 0.0 if right <= 0 else max(0.0, middle - half)
    high = 1.0 if right >= of else min(1.0, middle + half)
    return low, high


def mcnemar(gained: int, lost: int) -> float:
    """How likely flips as uneven as these are where both runs are equally good: two-sided, exact."""
    flips = gained + lost
    if flips == 0:
        return 1.0
    tail = sum(math.comb(flips, count) for count in range(min(gained, lost) + 1))
    return min(1.0, 2 * tail / 2**flips)


def paired_difference(gained: int, lost: int, of: int) -> tuple[float, float, float]:
    """The difference of two shares of the same cases, and its 95 % interval (adjusted Wald, Agresti and Min 2005)."""
    if of <= 0:
        return 0.0, -1.0, 1.0
    more, less, cases = gained + 0.5, lost + 0.5, of + 2
    middle = (more - less) / cases
    half = Z * math.sqrt(more + less - (more - less) ** 2 / cases) / cases
    return (gained - lost) / of, max(-1.0, middle - half), min(1.0, middle + half)


def quantile(values: Sequence[float], share: float) -> float:
    """Between the two nearest values; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


MEASURES = ("passed", "destination", "tool", "arguments", "answer")


class SuccessRate(msgspec.Struct, frozen=True, kw_only=True):
    """So many right of so many, as a share with its 95 % interval; no share where nothing was judged."""

    right: float
    of: int
    share: float | None
    low: float
    high: float


class QuantileSpread(msgspec.Struct, frozen=True, kw_only=True):
    """Of one case."""

    median: float
    p90: float
    total: float


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run or of one tag. `answered`: the model did not decline; `right_of_answered`: of
    those, all that the case judges is right."""

    cases: int
    asked: int
    failed: int
    passed: SuccessRate
    destination: SuccessRate
    tool: SuccessRate
    arguments: SuccessRate
    answer: SuccessRate
    readable: SuccessRate
    answered: SuccessRate
    right_of_answered: SuccessRate
    steps: QuantileSpread
    input_tokens: QuantileSpread
    cached_tokens: QuantileSpread
    output_tokens: QuantileSpread
    seconds: QuantileSpread
    cost: float | None


def summarize(results: Sequence[CaseResult]) -> RunSummary:
    """All of these together."""
    costs = [result.cost for result in results if result.cost is not None]
    return RunSummary(
        cases=len({result.case for result in results}),
        asked=len(results),
        failed=sum(result.status != "completed" for result in results),
        passed=rate(results, lambda result: result.passed),
        destination=rate(results, lambda result: result.destination),
        tool=rate(results, lambda result: result.tool),
        arguments=rate(results, lambda result: result.arguments),
        answer=rate(results, lambda result: result.answer),
        readable=_rate(sum(result.readable for result in results), sum(result.decisions for result in results)),
        answered=rate(results, lambda result: not result.declined),
        right_of_answered=rate(results, lambda result: None if result.declined else result.passed),
        steps=_spread(result.steps for result in results),
        input_tokens=_spread(result.input_tokens for result in results),
        cached_tokens=_spread(result.cached_tokens for result in results),
        output_tokens=_spread(result.output_tokens for result in results),
        seconds=_spread(result.seconds for result in results),
        cost=sum(costs) if costs and len(costs) == len(results) else None,
    )


def by_tag(results: Sequence[CaseResult]) -> Mapping[str, RunSummary]:
    """The same for each tag, in the order in which tags first come."""
    tags = dict.fromkeys(tag for result in results for tag in result.tags)
    return {tag: summarize([result for result in results if tag in result.tags]) for tag in tags}


def rate(results: Iterable[CaseResult], of: Callable[[CaseResult], bool | None]) -> SuccessRate:
    """The share that is right, of the cases that judge it."""
    shares = case_shares(results, of)
    return _rate(sum(shares.values()), len(shares))


def case_shares(results: Iterable[CaseResult], of: Callable[[CaseResult], bool | None]) -> dict[str, float]:
    """For each case that judges it, the share of its repetitions that were right."""
    found: dict[str, list[bool]] = {}
    for result in results:
        if (right := of(result)) is not None:
            found.setdefault(result.case, []).append(right)
    return {case: sum(each) / len(each) for case, each in found.items()}


def _rate(right: float, of: int) -> SuccessRate:
    low, high = wilson(right, of)
    return SuccessRate(right=right, of=of, share=right / of if of else None, low=low, high=high)


def _spread(values: Iterable[float]) -> QuantileSpread:
    every = list(values)
    return QuantileSpread(median=quantile(every, 0.5), p90=quantile(every, 0.9), total=sum(every))
