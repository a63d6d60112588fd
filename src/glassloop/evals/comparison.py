"""Two runs of the same cases beside each other: which cases flipped, and whether that is more than chance. Pure."""

from collections.abc import Mapping, Sequence

import msgspec

from glassloop.evals.run_file import CaseResult, Key, RunHeader
from glassloop.evals.summary import MEASURES, case_shares, mcnemar, paired_difference


class MeasureDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Of one measure, over the cases that both runs judge. `gained` and `lost` are cases by id, `p` is McNemar's."""

    measure: str
    cases: int
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]


class RunComparison(msgspec.Struct, frozen=True, kw_only=True):
    """`before` is the run compared with; `note` says why the two may not be comparable."""

    before: RunHeader
    after: RunHeader
    differences: tuple[MeasureDifference, ...]
    note: str = ""


def compare(
    before: tuple[RunHeader, Mapping[Key, CaseResult]],
    after: tuple[RunHeader, Mapping[Key, CaseResult]],
    only: Sequence[str] = (),
) -> RunComparison:
    """The second run against the first. With repetitions a case is right where most of them are."""
    first, second = (
        [result for result in run[1].values() if not only or result.case in only] for run in (before, after)
    )
    asked = ({result.case: result.question for result in run} for run in (first, second))
    questions, others = asked
    # A case that was rewritten under its old id is another case.
    common = {case for case, question in questions.items() if others.get(case) == question}
    kept = [[result for result in run if result.case in common] for run in (first, second)]
    found = (_difference(measure, kept[0], kept[1]) for measure in MEASURES)
    differences = tuple(difference for difference in found if difference.cases)
    note = _note(before[0], after[0], len(common), len(questions.keys() | others.keys()))
    return RunComparison(before=before[0], after=after[0], differences=differences, note=note)


def _difference(measure: str, before: Sequence[CaseResult], after: Sequence[CaseResult]) -> MeasureDifference:
    first, second = (
        {case: share > 0.5 for case, share in case_shares(run, lambda result: getattr(result, measure)).items()}
        for run in (before, after)
    )
    cases = [case for case in first if case in second]
    gained = tuple(case for case in cases if second[case] and not first[case])
    lost = tuple(case for case in cases if first[case] and not second[case])
    difference, low, high = paired_difference(len(gained), len(lost), len(cases))
    return MeasureDifference(
        measure=measure,
        cases=len(cases),
        before=sum(first[case] for case in cases) / max(1, len(cases)),
        after=sum(second[case] for case in cases) / max(1, len(cases)),
        difference=difference,
        low=low,
        high=high,
        p=mcnemar(len(gained), len(lost)),
        gained=gained,
        lost=lost,
    )


def _note(before: RunHeader, after: RunHeader, common: int, every: int) -> str:
    if before.digest != after.digest:
        return f"The suites differ: {common} of {every} cases are in both with the same question."
    if before.offered != after.offered:
        return f"The runs chose from {before.offered} and {after.offered} tools."
    return f"{common} of {every} cases were asked in both runs." if common < every else ""
