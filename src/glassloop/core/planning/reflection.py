"""Reflection: scores an answer and decides whether another step is worth it. Rules first, the model's opinion on
request.

Owns scores and thresholds. It never changes an answer.
"""

import msgspec

from glassloop.core.loop.policy import SLACK
from glassloop.core.ports import Ask
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import Evidence, ExecutionPlan, Json, QualityEvaluation, ToolResult

RETRY_BELOW = 7.0
ENOUGH_FROM = 8.0
_SYSTEM = (
    "You check an answer against its question and the observations it was made from. Reply with one JSON object: "
    '{"completeness_score": 0-10, "quality_score": 0-10, "missing_info": [..], "needs_retry": true|false, '
    '"suggestions": [..]}. completeness: is every part of the question answered? quality: is it correct by the '
    "observations and clear? missing_info: what is absent, as short phrases."
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
    """Scores within 0–10; `needs_retry` by the thresholds: below 7 yes, from 8 on no, between as the evaluator says."""
    completeness, quality = _bounded(completeness), _bounded(quality)
    if completeness < RETRY_BELOW:
        wants_retry = True
    elif completeness >= ENOUGH_FROM:
        wants_retry = False
    return QualityEvaluation(
        completeness_score=completeness,
        quality_score=quality,
        missing_info=missing,
        needs_retry=wants_retry,
        suggestions=suggestions,
    )


def _bounded(score: float) -> float:
    return min(10.0, max(0.0, score)) if score == score else 0.0


def evaluate_by_rule(
    answer: str,
    observations: list[tuple[str, ToolResult]],
    plan: ExecutionPlan | None,
    done: set[int],
    evidence: Evidence,
) -> QualityEvaluation:
    """Without a model: plan steps done, calls that failed and were not made good, figures without a source."""
    if not answer.strip():
        return not_answered()
    left = [step for step in plan.steps if step.required and step.step_number not in done] if plan else []
    failed = bool(observations) and not observations[-1][1].success
    completeness = 10.0 - (4.0 * len(left) / len(plan.steps) if plan and plan.steps else 0.0) - (2.0 if failed else 0.0)
    unsupported = evidence.unsupported
    quality = (
        10.0 - (5.0 * len(unsupported) / len(evidence.figures) if evidence.figures else 0.0) - (2.0 if failed else 0.0)
    )
    return graded(
        completeness,
        quality,
        tuple(step.description for step in left),
        False,
        tuple(f"No observation holds {figure.text!r}." for figure in unsupported[:5]),
    )


def not_answered() -> QualityEvaluation:
    """Nothing was said, or only that nothing can be."""
    return graded(0.0, 0.0, ("an answer",), True, ())


async def evaluate_output(
    ask: Ask, question: str, answer: str, observations: list[tuple[str, ToolResult]], fallback: QualityEvaluation
) -> QualityEvaluation:
    """The model's opinion of a draft, within the thresholds; the rule's where the model has none that can be read."""
    seen = "\n".join(
        f"- {(result.output if result.success else f'error: {result.error}')[:500]}" for _, result in observations[-12:]
    )
    text = await ask(
        "evaluate", _SYSTEM, f"Question: {question}\n\nObservations:\n{seen}\n\nAnswer: {answer[:4000]}", _SCHEMA
    )
    opinion = read_opinion(text)
    if opinion is None:
        return fallback
    return graded(
        opinion.completeness_score,
        opinion.quality_score,
        tuple(item[:200] for item in opinion.missing_info[:8]),
        opinion.needs_retry,
        (*(item[:200] for item in opinion.suggestions[:8]), *fallback.suggestions),
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
