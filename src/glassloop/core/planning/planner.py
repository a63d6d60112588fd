"""Planner: estimates how hard a question is and proposes steps that might answer it.

Advice only; the model still chooses each action. The model makes the plan and it is checked here; where it gives no
valid one, a plan is derived from the tools, so there always is one.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import cast

import msgspec

from glassloop.core.loop.compaction import as_text
from glassloop.core.messages import Message, ToolSpec
from glassloop.core.ports import Ask
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import Complexity, ExecutionPlan, Json, PlanStep, describe_plan

MAX_STEPS = 12
_LONG_WORDS = 30
_JOINTS = re.compile(
    r"\b(?:and then|then|after that|afterwards|compare[ds]?|comparison|versus|vs\.?|as well as|both|each|between|"
    r"step by step|summari[sz]e|analy[sz]e|why|trend|finally|also|first)\b|"
    r"然后|接着|并且|以及|比较|对比|分别|趋势|分析|为什么|首先|最后|[;；]",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"(\$\{\s*step)([0-9]{1,4})(?=[\s.\[}])")
_ENDS = re.compile(r"[.?!](?:\s|$)|[。？！]")

_SYSTEM = (
    "You plan how to answer a question with the tools listed. Reply with one JSON object: "
    '{"steps": [{"description": "..", "tool_name": "..", "parameters": {..}, '
    '"required": true|false, "depends_on": null|step number}]}. Only tools from the list; as few steps as will do; '
    "a parameter may refer to an earlier step as ${step1.result} or a path into it."
)


class _Draft(msgspec.Struct):
    description: str = ""
    tool_name: str = ""
    parameters: dict[str, Json] = {}
    required: bool = True
    depends_on: int | None = None


def classify(query: str) -> Complexity:
    """Exactly one of three, by the shape of the question: its joints, its sentences, its length."""
    joints = len(_JOINTS.findall(query[:4000]))
    sentences = max(0, len(_ENDS.findall(query[:4000])) - 1)
    length = len(query.split()) if query.isascii() else len(query) // 3
    weight = joints + sentences + (length > _LONG_WORDS) + (length > 2 * _LONG_WORDS)
    return "simple" if weight == 0 else "medium" if weight == 1 else "complex"


class Planner:
    """Makes and mends plans for a set of tools, asking the model through `ask`."""

    def __init__(self, tools: Mapping[str, ToolSpec], ask: Ask) -> None:
        self._tools = tools
        self._ask = ask

    async def create_plan(self, query: str, history: Sequence[Message] = ()) -> ExecutionPlan:
        """A plan for the query. Simple ones are not planned in detail, and cost no model call."""
        complexity = classify(query)
        if complexity == "simple" or not self._tools:
            return ExecutionPlan(query=query, complexity="simple", estimated_iterations=2)
        before = f"The conversation so far:\n{as_text(history[-4:])[-1500:]}\n\n" if history else ""
        text = await self._ask("plan", f"{_SYSTEM}\n\nTools:\n{self._catalogue()}", f"{before}Question: {query}", None)
        steps = self._read_steps(text) or self._steps_by_rule(query, complexity)
        return _plan(query, complexity, steps)

    async def adjust_plan(
        self, plan: ExecutionPlan, observation: str, *, failed: int | None = None, done: Collection[int] = ()
    ) -> ExecutionPlan:
        """Another plan after a step went wrong: by the model if it has one, else without what cannot be done.

        `failed` is the step that did; if it is not said, the first that is not done.
        Steps that are done stay with their numbers, so that references to them hold; new ones come after all others.
        """
        if failed is None:
            failed = next((step.step_number for step in plan.steps if step.step_number not in done), 1)
        kept = [step for step in plan.steps if step.step_number in done and step.step_number != failed]
        first = max((step.step_number for step in plan.steps), default=0) + 1
        question = (
            f"Question: {plan.query}\nThe plan was:\n{describe_plan(plan)}\nDone: {sorted(done)}\n"
            f"Step {failed} failed: {observation[:500]}\n"
            f"Give the steps for what is left, another way; the first of them is step {first}."
        )
        text = await self._ask("plan", f"{_SYSTEM}\n\nTools:\n{self._catalogue()}", question, None)
        fresh = self._read_steps(text, first)
        if fresh:
            return _plan(plan.query, plan.complexity, [*kept, *fresh])
        return without_step(plan, failed)

    def _catalogue(self) -> str:
        return "\n".join(
            f"- {spec.name}({', '.join(spec.parameters.get('properties', {}))}): {_gist(spec)}"
            for spec in self._tools.values()
        )

    def _read_steps(self, text: str | None, first: int = 1) -> list[PlanStep]:
        """The steps of a model's plan that name a tool we have, numbered from `first`."""
        found = read_object(text)
        raw = found.get("steps") if found else None
        if not isinstance(raw, list):
            return []
        kept: list[tuple[int, _Draft]] = []
        for number, item in enumerate(cast("list[Json]", raw)[:MAX_STEPS], 1):
            try:
                draft = msgspec.convert(item, _Draft, strict=False)
            except msgspec.ValidationError:
                continue
            if draft.tool_name in self._tools:
                kept.append((number, draft))
        new = {old: index for index, (old, _) in enumerate(kept, first)}
        return [
            PlanStep(
                step_number=index,
                description=draft.description[:300] or f"Use {draft.tool_name}",
                tool_name=draft.tool_name,
                parameters=cast("dict[str, Json]", _renumbered(draft.parameters, new)),
                required=draft.required,
                depends_on=_earlier(new.get(draft.depends_on or 0), index),
            )
            for index, (_, draft) in enumerate(kept, first)
        ]

    def _steps_by_rule(self, query: str, complexity: Complexity) -> list[PlanStep]:
        """The tools whose words the question uses most, one step each."""
        words = set(re.findall(r"\w{3,}", query.lower()))
        ranked = sorted(
            self._tools.values(),
            key=lambda spec: (
                -len(words & set(re.findall(r"\w{3,}", f"{spec.name.replace('_', ' ')} {spec.description}".lower())))
            ),
        )
        wanted = (ranked * 2)[: 2 if complexity == "complex" else 1]
        return [
            PlanStep(step_number=number, description=f"Use {spec.name}", tool_name=spec.name, required=False)
            for number, spec in enumerate(wanted, 1)
        ]


def _renumbered(value: Json, new: Mapping[int, int]) -> Json:
    """References follow the steps they name."""
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: f"{found[1]}{new.get(int(found[2]), int(found[2]))}", value)
    if isinstance(value, dict):
        return {key: _renumbered(item, new) for key, item in cast("dict[str, Json]", value).items()}
    if isinstance(value, list):
        return [_renumbered(item, new) for item in cast("list[Json]", value)]
    return value


def _gist(spec: ToolSpec) -> str:
    return spec.description.split("\n", 1)[0][:160]


def _earlier(number: int | None, than: int) -> int | None:
    return number if number is not None and number < than else None


def _plan(query: str, complexity: Complexity, steps: Sequence[PlanStep]) -> ExecutionPlan:
    """A complex plan has at least two steps; one with fewer is not complex."""
    if complexity == "complex" and len(steps) < 2:
        complexity = "medium"
    return ExecutionPlan(query=query, complexity=complexity, steps=tuple(steps), estimated_iterations=len(steps) + 1)


def without_step(plan: ExecutionPlan, failed: int) -> ExecutionPlan:
    """The plan less the failed step and all that stood on it."""
    gone = {failed}
    for step in plan.steps:
        if step.depends_on in gone:
            gone.add(step.step_number)
    left = [step for step in plan.steps if step.step_number not in gone]
    return _plan(plan.query, plan.complexity, left)
