"""Tools that a question needs beside those of its assistant: one to read on in long files that were attached."""

from collections.abc import Mapping

import msgspec

from glassloop.core.messages import READ_ATTACHMENT
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.attachments.long_files import has_long_files
from glassloop.runtime.attachments.prompt import Prompt
from glassloop.runtime.tools.attachments import reading_tool
from glassloop.store.store import Store
from glassloop.tools.tool import Tool


def question_tools(store: Store) -> Mapping[str, Tool]:
    """Those that a key may name."""
    return {READ_ATTACHMENT: reading_tool(store)}


async def with_question_tools(
    store: Store, agents: Agents, wanted: AgentKey, agent: Agent, prompt: Prompt, session_id: str | None
) -> tuple[AgentKey, Agent]:
    """The agent with what this question needs, and its key."""
    tools: list[str] = []
    if any(each.chars for each in prompt.attachments) or (
        session_id is not None and await has_long_files(store, session_id)
    ):
        tools.append(READ_ATTACHMENT)
    if tuple(tools) == wanted.tools:
        return wanted, agent
    wanted = msgspec.structs.replace(wanted, tools=tuple(tools))
    return wanted, await agents.for_key(wanted)
