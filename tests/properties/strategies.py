"""What the property tests draw from: tools that work, fail and take effect, and models that say anything."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, ToolError, tool
from glassloop.core.messages import AssistantMessage, Reply, Usage
from glassloop.core.records import ToolCall

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 120))


@tool(effect="read", integrity="trusted", volatile=True)
async def look(key: str = "a") -> dict[str, str]:
    """Look something up."""
    return {"key": key, "value": key.upper()}


@tool(effect="read", integrity="trusted", volatile=True)
async def broken(key: str = "a") -> str:
    """Never works."""
    raise ToolError(f"the shelf {key!r} is empty")


@tool(effect="write", integrity="trusted")
async def put(key: str = "a") -> str:
    """Write something down."""
    return f"put {key}"


TOOLS = (look, broken, put)

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=40)
said = words.filter(lambda text: text.strip())
calls = st.builds(
    ToolCall,
    id=st.sampled_from(["", "", "call_1", "x", "y"]),
    tool=st.sampled_from(["look", "broken", "put", "nowhere"]),
    args=st.one_of(
        st.just({}),
        st.fixed_dictionaries({"key": words}),
        st.fixed_dictionaries({"key": st.integers()}),
        st.dictionaries(words, words, max_size=2),
        st.fixed_dictionaries(
            {"key": st.sampled_from(["${step1.result}", "${step9.result.x}", "see ${step1.result.key}"])}
        ),
    ),
)
call_replies = st.builds(
    lambda text, thought, made: Reply(
        message=AssistantMessage(text=text, thought=thought, calls=tuple(made)),
        usage=Usage(input_tokens=3, output_tokens=4, cost=0.0),
        stop="tool_use",
        model="scripted",
    ),
    words,
    words,
    st.lists(calls, min_size=1, max_size=4),
)
noise = st.sampled_from(["", "<think>hm", "{", '{"action": "tool", "tool":', "<tool_call>{", "```json\n{"])
replies = st.one_of(call_replies, call_replies, said, noise)
scripts = st.lists(replies, max_size=9)


def agent(script: Sequence[Any], **options: Any) -> Agent:
    """An agent whose model plays `script` and then goes on answering."""
    return Agent(ScriptedModel([*script, *["The end."] * 40]), options.pop("tools", TOOLS), **options)
