"""The cost of a simple call, in function calls: a number that does not depend on the machine."""

import cProfile
import pstats

from glassloop.core.planning.references import resolve_parameters
from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import tool

CALLS = 50


@tool
async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def test_a_simple_call_costs_at_most_sixty_function_calls():
    orchestrator = ToolOrchestrator(ToolRegistry([add]))
    context = CallContext(turn_id="t", session_id="s", user="u", call_id="c")
    call = ToolCall(id="c", tool="add", args={"a": 1, "b": 2})
    assert (await orchestrator.execute_tool(call, context)).data == 3
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(CALLS):
        await orchestrator.execute_tool(call, context)
    profile.disable()
    assert pstats.Stats(profile).total_calls / CALLS <= 60


def test_arguments_without_references_cost_next_to_nothing():
    args = {"a": 1, "b": 2.5, "c": True, "d": None}
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(CALLS):
        resolve_parameters(args, {})
    profile.disable()
    assert pstats.Stats(profile).total_calls / CALLS <= 4
