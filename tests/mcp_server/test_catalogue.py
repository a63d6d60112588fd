"""What a client finds: tools, assistants, sessions, resources, prompts; and nothing of another user."""

import asyncio
import re
import uuid
from pathlib import Path

import pytest

from glassloop.store import open_store
from mcp import MCPError
from mcp_server.conftest import SHARED, text_of
from waiting import until

pytestmark = SHARED


async def test_the_server_says_what_there_is(talk):
    tools = {tool.name: tool for tool in (await talk.client.list_tools()).tools}
    assert set(tools) == {"ask", "list_assistants", "search_sessions", "show_session"}
    assert tools["ask"].input_schema["required"] == ["question"]
    assert not tools["ask"].annotations.read_only_hint
    assert all(tools[name].annotations.read_only_hint for name in set(tools) - {"ask"})
    found = (await talk.client.call_tool("list_assistants", {})).structured_content["assistants"]
    assert [one["name"] for one in found] == ["business", "code", "general", "places", "porter", "raids"]
    assert all(len(one["questions"]) >= 3 for one in found[:2])
    templates = (await talk.client.list_resource_templates()).resource_templates
    assert [one.uri_template for one in templates] == ["glassloop://sessions/{id}"]


async def test_sessions_are_found_shown_and_read(talk):
    asked = (await talk.ask("What is 18% of 2,467?")).structured_content
    await talk.ask("What is 2 + 9?")
    hits = await talk.client.call_tool("search_sessions", {"query": "2,467 444.06"})
    (hit,) = hits.structured_content["sessions"]
    assert hit["session_id"] == asked["session_id"]
    assert "444.06" in hit["excerpt"]
    assert asked["session_id"] in text_of(hits)
    nothing = await talk.client.call_tool("search_sessions", {"query": "marmot"})
    assert (nothing.is_error, nothing.structured_content) == (False, {"sessions": []})
    assert "fewer words" in text_of(nothing)
    shown = await talk.client.call_tool("show_session", {"session_id": asked["session_id"]})
    question, answer = shown.structured_content["messages"]
    assert question["content"] == "What is 18% of 2,467?"
    assert [step["type"] for step in answer["steps"]] == ["think", "act", "observe", "think", "answer"]
    resources = (await talk.client.list_resources()).resources
    assert [one.name for one in resources[:2]] == ["What is 2 + 9?", "What is 18% of 2,467?"]
    (text,) = (await talk.client.read_resource(resources[1].uri)).contents
    assert text.text == text_of(shown)
    assert "- act: Calling calculate" in text.text


async def test_another_users_sessions_do_not_exist(talk):
    asked = (await talk.ask("What is 18% of 2,489?")).structured_content
    async with talk.place.connect("auto", "--user", "bob") as client:
        hits = await client.call_tool("search_sessions", {"query": "2,489"})
        assert hits.structured_content == {"sessions": []}
        assert (await client.list_resources()).resources == []
        shown = await client.call_tool("show_session", {"session_id": asked["session_id"]})
        assert shown.is_error
        assert "There is no session" in text_of(shown)
        with pytest.raises(MCPError, match="There is no session"):
            await client.read_resource(f"glassloop://sessions/{asked['session_id']}")
        gone_on = await client.call_tool("ask", {"question": "Hello", "session_id": asked["session_id"]})
        assert gone_on.is_error


@pytest.mark.slow
async def test_another_users_session_does_not_exist_while_it_is_busy_either(talk):
    door = f"others-{uuid.uuid4().hex}"
    held = asyncio.ensure_future(talk.ask(f'/tool wait_at_door {{"door": "{door}"}}', assistant="porter"))
    await until(lambda: talk.place.at_door(door), "the question")
    async with await open_store(str(talk.place.home / "glassloop.db")) as store:
        (row,) = [row for row in await store.turns.list(100, status="running") if door in row.question]
    async with talk.place.connect("auto", "--user", "bob") as client:
        gone_on = await client.call_tool("ask", {"question": "Hello", "session_id": row.session_id})
    talk.place.open_door(door)
    await held
    assert gone_on.is_error
    assert "There is no session" in text_of(gone_on)
    assert row.id not in text_of(gone_on)


async def test_a_prompt_has_an_assistant_asked(talk):
    prompts = (await talk.client.list_prompts()).prompts
    assert [one.name for one in prompts] == ["business", "code", "general", "places", "porter", "raids"]
    (message,) = (await talk.client.get_prompt("general", {"question": "How far is it?"})).messages
    assert "'general' with the tool `ask`" in message.content.text
    assert message.content.text.endswith("How far is it?")
    with pytest.raises(MCPError, match="There is no assistant 'nobody'"):
        await talk.client.get_prompt("nobody", {"question": "Hello"})
    with pytest.raises(MCPError, match="say what to ask"):
        await talk.client.get_prompt("general", {"question": " "})


async def test_names_that_nothing_answers_to_are_refused_with_those_that_do(talk):
    client = talk.client
    with pytest.raises(MCPError, match=r"There is no tool 'aks': there are ask, list_assistants"):
        await client.call_tool("aks", {})
    with pytest.raises(MCPError, match="There is no resource"):
        await client.read_resource("file:///etc/passwd")
    with pytest.raises(MCPError, match="There is no session"):
        await client.read_resource("glassloop://sessions/../x")
    for arguments, word in (({"query": ""}, "query"), ({"query": "a", "limit": 0}, "limit"), ({}, "query")):
        refused = await client.call_tool("search_sessions", arguments)
        assert refused.is_error
        assert word in text_of(refused)
    long = await client.call_tool("search_sessions", {"query": "a" * 2_001})
    assert "2000 characters" in text_of(long)


async def test_every_tool_is_documented_with_everything_it_takes(talk):
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8").split("## Glassloop as a server")[1]
    documented = dict(re.findall(r"^\| `(\w+)\((.*?)\)`", page, flags=re.MULTILINE))
    tools = (await talk.client.list_tools()).tools
    taken = {tool.name: set(tool.input_schema["properties"]) for tool in tools}
    assert {name: set(re.findall(r"(\w+)(?:=[^,]*|\?)?(?:, |$)", text)) for name, text in documented.items()} == taken
