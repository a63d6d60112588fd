"""Properties of chains of calls: 15, 17–19. (16 and 20 stand with the tools.)"""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import ToolError, ToolRegistry, tool
from glassloop.core.ports import CallContext
from glassloop.core.records import PlanStep
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from properties.strategies import run

CONTEXT = CallContext(turn_id="t", session_id="s", user="u", call_id="")


def workshop(ran):
    """Tools that note when they ran and finish in the order of their `late`."""

    async def work(name, late, fails):
        ran.append(name)
        for _ in range(late):
            await asyncio.sleep(0)
        if fails:
            raise ToolError(f"{name} broke")
        return name

    @tool(effect="read", volatile=True)
    async def reads(name: str, late: int = 0, fails: bool = False) -> str:
        """Reads."""
        return await work(name, late, fails)

    @tool(effect="write")
    async def writes(name: str, late: int = 0, fails: bool = False) -> str:
        """Writes."""
        return await work(name, late, fails)

    return ToolOrchestrator(ToolRegistry([reads, writes]))


def step(number, kind, late, fails, required, depends_on=None):
    return PlanStep(
        step_number=number,
        description="",
        tool_name=kind,
        parameters={"name": str(number), "late": late, "fails": fails},
        required=required,
        depends_on=depends_on,
    )


kinds = st.sampled_from(["reads", "writes"])
shapes = st.lists(st.tuples(kinds, st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=7)


def chain(shape, failing=frozenset(), required=False):
    return [
        step(i, kind, late, i in failing, required, depends_on=back if 0 < back < i else None)
        for i, (kind, late, back) in enumerate(shape, 1)
    ]


@pytest.mark.property(15)
@given(shapes)
def test_results_come_in_the_order_of_the_plan_and_effects_run_in_it(shape):
    ran = []
    results = run(workshop(ran).execute_chain(chain(shape), CONTEXT))
    assert [result.output for result in results] == [str(i) for i in range(1, len(shape) + 1)]
    effects = [str(i) for i, (kind, *_) in enumerate(shape, 1) if kind == "writes"]
    assert [name for name in ran if name in effects] == effects
    for i, (kind, _, back) in enumerate(shape, 1):
        if 0 < back < i:
            assert ran.index(str(back)) < ran.index(str(i))
        if kind == "writes":
            assert set(ran[: ran.index(str(i))]) == {str(n) for n in range(1, i)}


@pytest.mark.property(17)
@given(shapes, st.data())
def test_a_required_failure_lets_nothing_new_start(shape, data):
    failing = data.draw(st.integers(1, len(shape)))
    ran = []
    results = run(workshop(ran).execute_chain(chain(shape, {failing}, required=True), CONTEXT))
    assert [r.error for r in results if not r.success and "Cancelled" not in r.error] == [f"{failing} broke"]
    effects_after = {str(i) for i, (kind, *_) in enumerate(shape, 1) if kind == "writes" and i > failing}
    assert not effects_after & set(ran)
    dependent = {str(i) for i, (_, _, back) in enumerate(shape, 1) if back == failing and i > failing}
    assert not dependent & set(ran)


@pytest.mark.property(18)
@given(shapes, st.data())
def test_an_optional_failure_lets_the_rest_go_on(shape, data):
    failing = data.draw(st.sets(st.integers(1, len(shape))))
    ran = []
    results = run(workshop(ran).execute_chain(chain(shape, failing), CONTEXT))
    assert len(results) == len(shape)
    assert [not result.success for result in results] == [i in failing for i in range(1, len(shape) + 1)]


@pytest.mark.property(19)
@given(shapes, st.data(), st.booleans())
def test_there_are_as_many_results_as_tools_were_executed(shape, data, required):
    failing = data.draw(st.sets(st.integers(1, len(shape)), max_size=2))
    ran = []
    results = run(workshop(ran).execute_chain(chain(shape, failing, required), CONTEXT))
    assert len(results) == len(ran)


def test_a_step_whose_neighbour_fails_before_it_has_begun_has_no_result():
    """The third waits for the first, and is about to start as the second, which runs beside the first, fails."""
    ran = []
    shape = [("reads", 0, 0), ("reads", 0, 0), ("reads", 0, 1)]
    results = run(workshop(ran).execute_chain(chain(shape, {2}, required=True), CONTEXT))
    assert ran == ["1", "2"]
    assert [result.success for result in results] == [True, False]
