"""Planner: how hard a question looks, and the plans that models make, read and checked.

A plan is advice; the model still chooses each action. It makes its own by calling `update_plan`, along with its other
calls; nobody plans for it.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Final, cast

import msgspec

from glassloop.core.messages import Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.ports import AskInContext
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import Complexity, ExecutionPlan, Json, PlanStep

UPDATE_PLAN: Final = "update_plan"
NO_TOOL: Final = "answer"
"""The tool of a plan step that needs none."""
MAX_STEPS = 20
MAX_DESCRIPTION_CHARS = 300
MAX_HISTORY_CHARS = 6000

PLAN_SPEC: Final = ToolSpec(
    name=UPDATE_PLAN,
    description=(
        "Write down your plan for this question, or change it. For work of two or more different steps: call it "
        "together with your first calls, and again when the plan changes. Not for a single lookup. It looks nothing up."
    ),
    parameters={
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "description": "All steps in order, each time the whole list.",
                "items": {
                    "type": "object",
                    "properties": {
                        "description": {"type": "string"},
                        "tool": {"type": "string", "description": "The tool it uses, if any."},
                        "depends_on": {"type": "integer", "description": "An earlier step it needs, counted from 1."},
                        "status": {"type": "string", "enum": ["pending", "running", "done"]},
                    },
                    "required": ["description"],
                },
            }
        },
        "required": ["steps"],
    },
    effect="read",
)

_RANKS: Final[tuple[Complexity, ...]] = ("simple", "medium", "complex")
_DONE = frozenset({"done", "completed", "complete", "finished"})
_LONG_WORDS = 30
_FAILED = " (failed"

_QUESTION = (
    "Beside the conversation: how would you answer the question below with your tools? Do not answer it and call no "
    'tool. Reply with one JSON object and nothing else: {"complexity": "simple"|"medium"|"complex", "steps": '
    '[{"description": "..", "tool": "..", "depends_on": null|step number}]}. As few steps as will do; none for a '
    "simple question."
)


class _Draft(msgspec.Struct):
    description: str = ""
    tool: str | None = None
    tool_name: str | None = None
    depends_on: int | None = None
    status: str = ""
    required: bool = True


class ReadPlan(msgspec.Struct, frozen=True):
    """A plan as the model wrote it, and the numbers of the steps that it calls done."""

    plan: ExecutionPlan
    done: tuple[int, ...]


def classify(query: str) -> Complexity:
    """Exactly one of three, by the shape of the question: its joints, its sentences, its length."""
    joining, ends = _patterns()
    joints = len(joining.findall(query[:4000]))
    sentences = max(0, len(ends.findall(query[:4000])) - 1)
    length = len(query.split()) if query.isascii() else len(query) // 3
    weight = joints + sentences + (length > _LONG_WORDS) + (length > 2 * _LONG_WORDS)
    return "simple" if weight == 0 else "medium" if weight == 1 else "complex"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What joins two questions, and where a sentence ends. Compiled when first asked: it slows the import."""
    joining = re.compile(
        r"\b(?:and then|then|after that|afterwards|compare[ds]?|comparison|versus|vs\.?|as well as|both|each|between|"
        r"step by step|summari[sz]e|analy[sz]e|why|trend|finally|also|first|"
        r"and (?:the|which|what|who|whose|when|where|how|list|show|tell|give))\b|"
        r"然后|接着|并且|以及|比较|对比|分别|趋势|分析|为什么|首先|最后|[;；]",
        re.IGNORECASE,
    )
    return joining, re.compile(r"(?<=\w{4})\.(?=\s|$)|[?!](?=\s|$)|[。？！]")


def unplanned(query: str, iterations: int) -> ExecutionPlan:
    """What there is before the model planned anything: no steps, and no other estimate than the limit."""
    return _plan(query, classify(query), (), iterations)


def read_plan(query: str, raw: Json, tools: Collection[str], taken: int = 0) -> ReadPlan | str:
    """The plan in the arguments of `update_plan`, after so many iterations; or what is wrong with it, for the model."""
    steps = cast("dict[str, Json]", raw).get("steps") if isinstance(raw, dict) else None
    if isinstance(steps, str):
        steps = _decoded(steps)
    if not isinstance(steps, list) or not steps:
        return "Give `steps` as a list of objects, each with a `description`."
    if len(cast("list[Json]", steps)) > MAX_STEPS:
        return f"A plan has at most {MAX_STEPS} steps: put some of them together."
    made: list[PlanStep] = []
    done: list[int] = []
    for number, item in enumerate(cast("list[Json]", steps), 1):
        try:
            draft = msgspec.convert({"description": item} if isinstance(item, str) else item, _Draft, strict=False)
        except msgspec.ValidationError as error:
            return f"Step {number} cannot be read: {error}"
        tool = draft.tool or draft.tool_name or NO_TOOL
        if tool not in tools and tool != NO_TOOL:
            return f"Step {number} names the tool {tool[:60]!r}, which is not offered: name one that is, or none."
        if not draft.description.strip() and tool == NO_TOOL:
            form = '{"description": "what is done", "tool": "the tool it uses"}'
            return f"Step {number} has no description: write each as {form}."
        before = draft.depends_on
        made.append(
            PlanStep(
                step_number=number,
                description=draft.description.strip()[:MAX_DESCRIPTION_CHARS] or f"Use {tool}",
                tool_name=tool,
                required=draft.required,
                depends_on=before if before is not None and 0 < before < number else None,
            )
        )
        if draft.status.strip().lower() in _DONE:
            done.append(number)
    by_length: Complexity = "complex" if len(made) > 2 else "medium"
    complexity = _RANKS[max(_RANKS.index(classify(query)), _RANKS.index(by_length))]
    return ReadPlan(_plan(query, complexity, made, taken + len(made) - len(done) + 1), tuple(done))


def adjust_plan(plan: ExecutionPlan, observation: str, *, failed: int | None = None) -> ExecutionPlan:
    """The plan after a step went wrong: the step says why, and there is time for another way. What comes next is the
    model's to decide. Where it is not said which step failed, it is the first."""
    steps: list[PlanStep] = []
    for step in plan.steps:
        if step.step_number == (failed if failed is not None else plan.steps[0].step_number):
            what, again, _ = step.description.partition(_FAILED)
            why = f"{_FAILED}{' again' if again else ''}: {observation[:160].strip() or 'no reason was given'})"
            steps.append(msgspec.structs.replace(step, description=what + why))
        else:
            steps.append(step)
    return msgspec.structs.replace(plan, steps=tuple(steps), estimated_iterations=plan.estimated_iterations + 1)


class Planner:
    """Plans a question that is not asked yet, as `/plan` does, by asking the model through `ask`."""

    def __init__(self, tools: Mapping[str, ToolSpec], ask: AskInContext) -> None:
        self._tools = tools
        self._ask = ask

    async def create_plan(self, query: str, history: Sequence[Message] = ()) -> ExecutionPlan:
        """The model's plan for the query; without steps where it finds it simple, or gives none that can be used.
        `history` is what was said beyond the conversation that the model sees anyway."""
        if not self._tools:
            return _plan(query, "simple", (), 1)
        before = f"\n\nSaid before:\n{_as_text(history)}" if history else ""
        found = read_object(await self._ask("plan", f"{_QUESTION}{before}\n\nQuestion: {query}")) or {}
        if found.get("complexity") == "simple":
            return _plan(query, "simple", (), 2)
        read = read_plan(query, found, self._tools)
        return _plan(query, classify(query), (), 2) if isinstance(read, str) else read.plan

    async def adjust_plan(self, plan: ExecutionPlan, observation: str, *, failed: int | None = None) -> ExecutionPlan:
        """The plan after a step went wrong; see `adjust_plan`."""
        return adjust_plan(plan, observation, failed=failed)


def describe_plan(plan: ExecutionPlan) -> str:
    """The plan as people read it."""
    return "\n".join(
        f"{step.step_number}. {step.description} [{step.tool_name}]"
        + (f" (after {step.depends_on})" if step.depends_on else "")
        for step in plan.steps
    )


def _decoded(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _as_text(history: Sequence[Message]) -> str:
    said = [message for message in history if not isinstance(message, ToolMessage)]
    lines = [f"User: {m.content}" if isinstance(m, UserMessage) else f"Assistant: {m.text}" for m in said]
    return "\n".join(lines)[-MAX_HISTORY_CHARS:]


def _plan(query: str, complexity: Complexity, steps: Sequence[PlanStep], estimate: int) -> ExecutionPlan:
    """A complex plan has at least two steps; one with fewer is not complex."""
    if complexity == "complex" and len(steps) < 2:
        complexity = "medium"
    return ExecutionPlan(query=query, complexity=complexity, steps=tuple(steps), estimated_iterations=estimate)
