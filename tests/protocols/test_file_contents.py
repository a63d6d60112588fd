"""File contents in text actions: the ways models write them, and exact round trips."""

import json
import random

import pytest

from glassloop.core.messages import AssistantMessage, Reply, ToolSpec, Usage
from glassloop.core.protocols import get_protocol

TEXT = get_protocol("text")
CODE = "def f(x):\n    return {\"a\": [x, 'b']}  # (\n"
TOOLS = {
    "write_file": ToolSpec(
        name="write_file",
        description="Write.",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}, "n": {}},
            "required": ["path", "content"],
        },
    )
}


def read(text, size=0):
    reader = TEXT.reader(TOOLS)
    for at in range(0, len(text) if size else 0, size or 1):
        reader.feed(text[at : at + size])
    if not size:
        reader.feed(text)
    return reader.finish(Reply(message=AssistantMessage(text=text), usage=Usage(), model="m"))[1]


WAYS = {
    "escaped": f"content={json.dumps(CODE)}",
    "triple": f'content="""{CODE}"""',
    "single triple": "content='''" + CODE.replace("'b'", '"b"') + "'''",
    "raw newlines": 'content="def f(x):\n    return x\n"',
    "fenced": f"content=```py\n{CODE}```",
    "fenced with the bracket below": f"content=```python\n{CODE}```\n",
    "raw": 'content=r"a\\d+\\n"',
    "four ticks": f"content=````md\n# T\n```py\n{CODE}```\nend\n````",
}
EXPECTED = {
    "single triple": CODE.replace("'b'", '"b"'),
    "raw newlines": "def f(x):\n    return x\n",
    "raw": "a\\d+\\n",
    "four ticks": f"# T\n```py\n{CODE}```\nend\n",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [0, 1, 7])
def test_each_way_in_which_models_write_file_contents_is_read(way, size):
    decision = read(f'Thought: write it\nAction: write_file(path="a.py", {WAYS[way]})', size)
    (call,) = decision.calls
    assert call.args == {"path": "a.py", "content": EXPECTED.get(way, CODE)}
    assert call.mended is None


def test_a_fence_that_never_closes_is_complained_about():
    decision = read('Thought: x\nAction: write_file(path="a", content=```py\nx = 1\n')
    assert decision.complaint
    assert not decision.calls


PIECES = (
    *("\n", "\t", " ", '"', "'", "\\", "`", "```", "(", ")", "[", "]", "{", "}", ",", "=", "#", "é", "𝒳", "x", "r"),
    *("Answer:", "\\n", '"""', "Action: f("),
)


def _written(value, way):
    if way == "fence":
        ticks = "`" * (max((len(run) for run in _runs(value)), default=0) + 3)
        return f"{ticks}\n{value}\n{ticks}", value + "\n"
    return json.dumps(value, ensure_ascii=way == "ascii"), value


def _runs(text):
    run = ""
    for char in text + " ":
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""


def test_a_thousand_generated_actions_are_read_exactly():
    draw = random.Random(7)
    for number in range(1200):
        value = "".join(draw.choice(PIECES) for _ in range(draw.randrange(1, 40)))
        written, expected = _written(value, draw.choice(("ascii", "plain", "fence")))
        other = draw.choice([1, -2.5, True, False, None, ["a", 1], {"k": "v"}])
        action = f'Thought: t\nAction: write_file(path="p{number}", content={written}, n={json.dumps(other)})'
        (call,) = read(action).calls
        assert call.args == {"path": f"p{number}", "content": expected, "n": other}, action
