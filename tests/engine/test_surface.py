"""What `import glassloop` offers: its names, its errors, and an agent from its beginning to its end."""

import re
import subprocess
import sys

import glassloop
from glassloop import Agent, ScriptedModel, tool
from glassloop.core import errors
from glassloop.core.messages import UserMessage


def test_every_name_can_be_had_and_is_listed_before_it_is_used():
    code = "import glassloop; assert set(glassloop.__all__) <= set(dir(glassloop)) and 'Agent' not in vars(glassloop)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert all(getattr(glassloop, name).__name__.rpartition(".")[2] == name for name in glassloop.__all__)


def test_the_drawing_of_the_errors_is_what_they_are():
    above, drawn = [errors.GlassloopError.__name__], {}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"([│├└─ ]+)(\w+) ", line):
            depth = len(found[1]) // 4
            above[depth:] = [found[2]]
            drawn[found[2]] = above[depth - 1]
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind.__module__ == errors.__name__]
    assert drawn == {kind.__name__: kind.__base__.__name__ for kind in kinds if kind is not errors.GlassloopError}


async def test_what_one_holds_says_what_it_is():
    @tool
    async def look() -> str:
        """Looks."""
        return "seen"

    agent = Agent(ScriptedModel(["Hello."]), [look], name="clerk")
    stream = agent.stream("Hi")
    assert (repr(look), repr(agent)) == ("<FunctionTool 'look'>", "<Agent 'clerk' on 'scripted', 1 tools>")
    assert repr(stream) == f"<TurnStream {stream.turn_id!r}, running>"
    await stream.drain()
    assert repr(stream) == f"<TurnStream {stream.turn_id!r}, completed>"


async def test_an_agent_closes_its_model_where_its_block_ends():
    class Closes(ScriptedModel):
        closed = 0

        async def aclose(self):
            self.closed += 1

    model = Closes(["Hello."])
    async with Agent(model) as agent:
        response = await agent.run("And?", history=[UserMessage("Hi")])
        assert model.closed == 0
    assert model.closed == 1
    assert response.text == "Hello."
    assert model.requests[-1].messages[0] == UserMessage("Hi")
