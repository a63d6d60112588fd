"""Calls written as text and cut anywhere, or readable in two ways: whatever the protocol, no effect runs on them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.loop.policy import Profile
from glassloop.core.messages import Abilities, AssistantMessage, Reply, StopReason
from protocols.call_forms import TAGGED

CALL = [("delete_files", {"folder": "/srv/data/tmp"})]
STOPS: tuple[StopReason, ...] = ("end_turn", "tool_use", "max_tokens", "refusal", "other")
BEGINNINGS = {
    "json": '{"reasoning": "r", "action": "tool", "tool": "delete_files", "args": {"folder": "/srv/data/tmp"}}',
    "json list": '[{"tool": "delete_files", "args": {"folder": "/srv/data/tmp"}}]',
    "json text": '{"action": "delete_files", "args": "{\\"folder\\": \\"/srv/data/tmp\\"}", "reasoning": "r"}',
    "text": 'Thought: r\nAction: delete_files(folder="/srv/data/tmp", n=[1, 2])',
    "text input": 'Thought: r\nAction: delete_files\nAction Input: {"folder": "/srv/data/tmp"}',
    "text object": 'Action: {"tool": "delete_files", "args": {"folder": "/srv/data/tmp"}}',
    "text brackets": "Thought 1: r\nAction 1: delete_files[/srv/data/tmp]",
    "native": '<tool_call>{"name": "delete_files", "arguments": {"folder": "/srv/data/tmp"}}</tool_call>',
    "native bare": '{"name": "delete_files", "arguments": {"folder": "/srv/data/tmp"}}',
    "native tags": TAGGED["Qwen coder"](CALL).removesuffix("\n</tool_call>"),
    "native tokens": TAGGED["DeepSeek 3"](CALL).partition("\n```<")[0],
    "native python": TAGGED["Llama 4"](CALL).partition("]")[0] + "]",
    "native fence": '```json\n{"name": "delete_files", "arguments": {"folder": "/srv/data/tmp"}}\n```',
}
DOUBTFUL = {
    "json": [
        '{"tool": "delete_files", "args": {"folder": "/a"}, "args": {"folder": "/b"}}',
        '{"tool": "delete_files", "args": {"folder": "/a", "folder": "/b"}}',
        '{"tool": "delete_files", "args": {"folder": "/a"}, "parameters": {"folder": "/b"}}',
        '{"tool": "delete_files", "tool_name": "delete", "args": {"folder": "/a"}}',
        '{"action": "delete", "tool": "delete_files", "args": {}}',
        '{"tool": "delete_files", "args": "{\\"folder\\": \\"/a\\", \\"folder\\": \\"/b\\"}"}',
    ],
    "text": [
        'Action: delete_files(folder="/a", folder="/b")',
        'Action: delete_files({"folder": "/a", "folder": "/b"})',
        'Action: delete_files\nAction Input: {"folder": "/a", "folder": "/b"}',
        "Action: delete_files",
        "Action: delete_files\nAction Input: /srv/data",
        "Action: delete_files[/a] and delete_files[/b]",
        "Thought: r\nAction: delete",
    ],
    "native": [
        '<tool_call>{"name": "delete_files", "arguments": {"folder": "/a", "folder": "/b"}}</tool_call>',
        '<tool_call>{"name": "delete_files", "arguments": {"folder": "/a"}}{"name": "delete"}</tool_call>',
        '<tool_call>{"name": "delete_files", "arguments": {"folder": "/a"}} and more</tool_call>',
        '{"name": "delete_files", "arguments": {"folder": "/a"}, "input": {"folder": "/b"}}',
        '{"name": "delete_files", "tool": "delete", "arguments": {}}',
        'Like this:\n```json\n{"name": "delete_files", "arguments": {"folder": "/a"}}\n```',
        "<tool_call><function=delete_files><parameter=folder>/a</parameter><parameter=folder>/b</parameter></function>",
        '{"name": "delete_files", "arguments": {"folder": "/a", "folder": "/b"}}',
    ],
}


def make_tools() -> tuple[list[Any], list[Any]]:
    """An effect with defaults for everything, and one whose name is the beginning of the other's; what they did."""
    done: list[Any] = []

    @tool
    async def delete_files(folder: str = "/srv/data", n: list[int] | None = None) -> str:
        """Deletes files for good."""
        done.append((folder, n))
        return "gone"

    @tool(effect="write")
    async def delete() -> str:
        """Deletes everything."""
        done.append("everything")
        return "gone"

    return [delete_files, delete], done


async def play(name: str, text: str, stop: StopReason, tools: list[Any], profile: Profile | None = None) -> Any:
    """A turn whose first reply is `text`, and what its second request showed."""
    protocol = name.split()[0]
    reply = Reply(message=AssistantMessage(text=text), stop=stop)
    last = {"json": '{"action": "answer", "response": "Well."}', "text": "Answer: Well."}.get(protocol, "Well.")
    model = ScriptedModel([reply, last, last], abilities=Abilities(native_tools=protocol == "native"))
    agent = Agent(model, tools, protocol=protocol, profile=profile)
    return [event async for event in agent.stream("Clean up.")], model


@pytest.mark.parametrize(
    "name", [name if " " not in name else pytest.param(name, marks=pytest.mark.slow) for name in BEGINNINGS]
)
@given(data=st.data())
async def test_no_beginning_of_a_written_call_runs_an_effect(name: str, data: st.DataObject) -> None:
    text, (tools, done) = BEGINNINGS[name], make_tools()
    whole = len(text.removesuffix("\n```").removesuffix("</tool_call>").removesuffix("]"))
    cut, stop = data.draw(st.integers(0, whole - 1)), data.draw(st.sampled_from(STOPS))
    events, _ = await play(name, text[:cut], stop, tools)
    assert done == []
    assert isinstance(events[-1], e.TurnFinished)
    await play(name, text, "end_turn", tools)
    assert [folder for folder, _ in done] == ["/srv/data/tmp"]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in DOUBTFUL.items() for text in texts])
async def test_a_call_that_can_be_read_in_two_ways_runs_no_effect_and_is_told_back(name: str, text: str) -> None:
    tools, done = make_tools()
    events, model = await play(name, text, "end_turn", tools)
    assert done == []
    assert "again" in model.requests[1].messages[-1].content
    assert not any(isinstance(event, e.ToolCalled) for event in events)


async def test_a_decision_that_lacks_its_last_brace_is_neither_run_nor_shown_for_approval() -> None:
    tools, done = make_tools()
    text = '{"reasoning": "r", "action": "tool", "tool": "delete_files", "args": {"folder": "/srv/data/tmp"}'
    events, model = await play("json", text, "end_turn", tools, Profile(approvals="effects"))
    assert done == []
    assert not any(isinstance(event, e.ApprovalRequested) for event in events)
    assert "cut off" in model.requests[1].messages[-1].content


@pytest.mark.parametrize("text", ["Action: delete_files()", "Action: delete()", "Thought: r\nAction: delete\n"])
async def test_an_action_that_says_that_it_has_no_arguments_runs(text: str) -> None:
    tools, done = make_tools()
    await play("text", text, "end_turn", tools)
    assert len(done) == 1


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        ("text", "Action: delete_files(folder=/srv)"),
        ("text", "I clean up.\nAction 1: delete_files[/srv"),
        ("text", "Action: delete_files it all"),
        ("json", '{"tool_calls": [{"name": "delete_files"'),
        ("json", '<function=delete_files>{"folder": "/sr'),
        ("native", '<tool_call>{"name": "delete_files", "arguments": {"fol'),
        ("native", '[{"name": "delete_files", "arguments": {"fol'),
    ],
)
async def test_a_call_that_stays_unreadable_is_never_given_as_the_answer(protocol: str, text: str) -> None:
    tools, done = make_tools()
    model = ScriptedModel([text] * 3, abilities=Abilities(native_tools=protocol == "native"))
    response = await Agent(model, tools, protocol=protocol).stream("Clean up.").drain()
    assert done == []
    assert "delete_files" not in response.response
