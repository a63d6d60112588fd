"""Reflection: a model's verdict on a draft, and whether another step is worth it.

Owns the question to the evaluator, scores and thresholds. It never changes an answer, and without an evaluator there is
no score.
"""

import msgspec

from glassloop.core.ports import AskInContext
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import ExecutionPlan, Json, QualityEvaluation

RETRY_BELOW = 7.0
ENOUGH_FROM = 8.0
SLACK = 2
"""Steps beyond the plan's estimate before the loop stops."""
_CHECK = (
    "Automatic check of the draft above. The user has not seen it, and has said nothing since the question. Do not go "
    "on with the conversation and call no tool: judge that draft, as it stands, as a strict reviewer would who has "
    "read everything above. Reply with one JSON object and nothing else: "
    '{"completeness_score": 0-10, "quality_score": 0-10, "missing_info": [..], "needs_retry": true|false, '
    '"suggestions": [..]}. completeness: does it answer every part of the question, or say rightly why a part cannot '
    "be answered with these tools? quality: is it correct by what was observed and said, and clear? Below 7 it is "
    "written again. missing_info: what is absent; suggestions: what is wrong and how to mend it; in short phrases."
)
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "completeness_score": {"type": "number", "minimum": 0, "maximum": 10},
        "quality_score": {"type": "number", "minimum": 0, "maximum": 10},
        "missing_info": {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 8},
        "needs_retry": {"type": "boolean"},
        "suggestions": {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 8},
    },
    "required": ["completeness_score", "quality_score", "missing_info", "needs_retry", "suggestions"],
    "additionalProperties": False,
}


class _Opinion(msgspec.Struct):
    completeness_score: float
    quality_score: float
    missing_info: list[str] = []
    needs_retry: bool = False
    suggestions: list[str] = []


def should_continue(plan: ExecutionPlan | None, steps: int, evaluation: QualityEvaluation | None = None) -> bool:
    """Whether another step makes sense: the answer lacks something, and the plan's estimate is not far behind."""
    if plan is not None and steps > plan.estimated_iterations + SLACK:
        return False
    return evaluation is None or evaluation.needs_retry


def graded(
    completeness: float, quality: float, missing: tuple[str, ...], wants_retry: bool, suggestions: tuple[str, ...]
) -> QualityEvaluation:
    """Scores within 0–10; `needs_retry` by the lower of them: below 7 yes, from 8 on no, between as the evaluator
    says."""
    completeness, quality = _bounded(completeness), _bounded(quality)
    worse = min(completeness, quality)
    return QualityEvaluation(
        completeness_score=completeness,
        quality_score=quality,
        missing_info=missing,
        needs_retry=worse < RETRY_BELOW or (wants_retry and worse < ENOUGH_FROM),
        suggestions=suggestions,
    )


def _bounded(score: float) -> float:
    return min(10.0, max(0.0, score)) if score == score else 0.0


def is_worse(evaluation: QualityEvaluation | None, than: QualityEvaluation | None) -> bool:
    """Whether the answer got worse by being written again; where one of them has no score, nobody can tell."""
    if evaluation is None or than is None:
        return False
    return evaluation.completeness_score + evaluation.quality_score < than.completeness_score + than.quality_score


async def evaluate_output(ask: AskInContext, draft: str) -> QualityEvaluation | None:
    """The verdict of the evaluator, who sees what the decider saw; None where it gives none that can be read."""
    opinion = read_opinion(await ask("evaluate", _CHECK, _SCHEMA, draft))
    if opinion is None:
        return None
    return graded(
        opinion.completeness_score,
        opinion.quality_score,
        tuple(item[:200] for item in opinion.missing_info[:8]),
        opinion.needs_retry,
        tuple(item[:200] for item in opinion.suggestions[:8]),
    )


def read_opinion(text: str | None) -> _Opinion | None:
    """The evaluator's JSON, wherever in its reply it stands."""
    found = read_object(text)
    if found is None:
        return None
    try:
        return msgspec.convert(found, _Opinion, strict=False)
    except msgspec.ValidationError:
        return None


def retry_note(verdict: QualityEvaluation | None) -> str:
    """What the model is told of a draft that is not good enough. Nobody but the runtime has read it."""
    lacks = (("Missing", verdict.missing_info), ("To mend", verdict.suggestions)) if verdict else ()
    found = " ".join(f"{title}: {'; '.join(items)}." for title, items in lacks if items) or "Read the question again."
    return (
        f"An automatic check did not accept your draft; the user has not seen it, and did not write this. {found} Look "
        "up what is still needed, then write the whole answer again, complete by itself, with what was right in the "
        "draft. Do not mention the check or the draft."
    )
