"""Tools that a question needs beside those of its assistant: to read on in long files, and to search collections."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from glassloop.core.messages import READ_ATTACHMENT
from glassloop.core.records import Json
from glassloop.retrieval.collections.knowledge import KnowledgeBase
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.attachments.long_files import has_long_files
from glassloop.runtime.attachments.prompt import Prompt
from glassloop.runtime.collections.chosen import collection_settings, collections_for, told_collections
from glassloop.runtime.collections.collections import Collections
from glassloop.runtime.tools.attachments import reading_tool
from glassloop.runtime.tools.knowledge import SEARCH, make_tools
from glassloop.store.store import Store
from glassloop.tools.tool import Tool


class EquippedAgent(msgspec.Struct, frozen=True, kw_only=True):
    """The agent of a question with the tools it needs, its key, what its turn keeps and what the model is told."""

    wanted: AgentKey
    agent: Agent
    settings: Mapping[str, Json] = {}
    told: Mapping[str, Json] = {}


def question_tools(store: Store, knowledge: Callable[[], KnowledgeBase], home: Path) -> Mapping[str, Tool]:
    """Those that a key may name."""
    (search,) = make_tools(home, knowledge, store=store)
    return {READ_ATTACHMENT: reading_tool(store), SEARCH: search}


class QuestionTools:
    """Gives each question the tools it needs."""

    def __init__(self, store: Store, agents: Agents, collections: Collections) -> None:
        self._store = store
        self._agents = agents
        self._collections = collections

    async def equip(
        self,
        wanted: AgentKey,
        agent: Agent,
        prompt: Prompt,
        user: str,
        session_id: str | None,
        collections: Sequence[str] | None,
    ) -> EquippedAgent:
        """`collections`: those that the person chose, by name or id; raises `UnknownName` where there is no such."""
        tools: list[str] = []
        if any(each.chars for each in prompt.attachments) or (
            session_id is not None and await has_long_files(self._store, session_id)
        ):
            tools.append(READ_ATTACHMENT)
        profile = agent.profile
        found, only = await collections_for(self._collections, user, wanted.assistant, profile.collections, collections)
        if found:
            tools.append(SEARCH)
        if tuple(tools) != wanted.tools:
            wanted = msgspec.structs.replace(wanted, tools=tuple(tools))
            agent = await self._agents.for_key(wanted)
        return EquippedAgent(
            wanted=wanted,
            agent=agent,
            settings=collection_settings(found, only=only),
            told=told_collections(found, only=only),
        )
