"""What a step costs, in function calls: the same on every machine. Times are for `make bench`."""

import cProfile
import pstats

from glassloop import Agent, tool
from glassloop.core.messages import Abilities, AssistantMessage, Reply, Usage
from glassloop.core.records import ToolCall

MAX_CALLS_A_STEP = 200
MAX_CALLS_A_TURN = 600


@tool(effect="write", integrity="trusted", confidentiality="public")
async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


class Plain:
    """The least a model can do: one reply a call, in one piece."""

    name = "plain"
    abilities = Abilities()

    def __init__(self, steps):
        usage = Usage(input_tokens=10, output_tokens=5, cost=0.0)
        calls = [ToolCall(id=f"c{number}", tool="add", args={"a": 2, "b": 3}) for number in range(steps)]
        messages = [*(AssistantMessage(calls=(call,)) for call in calls), AssistantMessage(text="done")]
        self._replies = iter([Reply(message=message, usage=usage, model="plain") for message in messages])

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        yield next(self._replies)


async def calls(steps):
    agent = Agent(Plain(steps), [add], max_iterations=steps + 1)
    profile = cProfile.Profile()
    profile.enable()
    response = await agent.run("go")
    profile.disable()
    assert response.text == "done"
    return pstats.Stats(profile).total_calls


async def test_a_step_costs_at_most_two_hundred_function_calls_however_long_the_turn():
    await calls(1)
    few, more, many = await calls(1), await calls(21), await calls(221)
    assert (more - few) / 20 <= MAX_CALLS_A_STEP
    assert (many - more) / 200 <= MAX_CALLS_A_STEP
    assert few <= MAX_CALLS_A_TURN
