"""Inputs of an agent, made from what a program gives: models by tier, tools, toolsets, its store."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from glassloop.core.errors import UsageError
from glassloop.core.messages import Purpose
from glassloop.core.ports import Clock, EventStore, Model, ToolExecutor
from glassloop.core.records import Tier
from glassloop.runtime.assistants.agent_parts.sub_agents import UsableAsTool, with_handoffs
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from glassloop.runtime.assistants.agent import Agent
    from glassloop.runtime.durable.agent_store import AgentStore
    from glassloop.runtime.toolsets import Toolset
    from glassloop.store.store import Store
    from glassloop.tools.tool import Tool

TIERS: tuple[Tier, ...] = ("fast", "balanced", "powerful")


def models_by_tier(model: Model | Mapping[Tier, Model] | str) -> Mapping[Tier, Model]:
    """A model for each tier; one that is named is made from the settings."""
    if isinstance(model, str):
        from glassloop.runtime.models import named_models

        return named_models(model)
    if isinstance(model, Mapping):
        if "balanced" not in model:
            raise UsageError("The models by tier must include 'balanced'.")
        return {tier: model.get(tier, model["balanced"]) for tier in TIERS}
    return dict.fromkeys(TIERS, model)


def split_tools(
    tools: "Iterable[Any] | ToolRegistry | ToolExecutor",
    handoffs: "Sequence[Agent[Any, Any] | Tool]" = (),
) -> "tuple[ToolExecutor, Sequence[Toolset]]":
    """What runs the tools, and the toolsets among them, whose tools are known only once they are opened."""
    if hasattr(tools, "execute_tool"):
        return with_handoffs(cast("ToolExecutor", tools), handoffs), ()
    if isinstance(tools, ToolRegistry):
        return with_handoffs(ToolOrchestrator(tools), handoffs), ()
    given = cast("Iterable[Any]", tools)
    every: list[Any] = [item.as_tool() if isinstance(item, UsableAsTool) else item for item in given]
    toolsets = [item for item in every if hasattr(item, "tools_for")]
    own = [item for item in every if not hasattr(item, "tools_for")] if toolsets else every
    return with_handoffs(ToolOrchestrator(ToolRegistry(own)), handoffs), toolsets


async def open_tools(toolsets: "Sequence[Toolset]", assistant: str) -> "Sequence[Tool]":
    """The tools of these toolsets, opened where they are not; a name stands for one of them only."""
    tools = [tool for toolset in toolsets for tool in await toolset.tools_for(assistant)]
    names = [tool.name for tool in tools]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two toolsets provide the tool {twice!r}: give each its own name, McpServer(name='…').")
    return tools


def agent_store(store: "EventStore | Store | str | os.PathLike[str] | None", clock: Clock) -> "AgentStore | None":
    """The store of an agent where it is more than a log: one that is open, or where one is opened when it is needed."""
    if isinstance(store, (str, os.PathLike)) or hasattr(store, "turns"):
        from glassloop.runtime.durable.agent_store import AgentStore

        return AgentStore(cast("Store | str | os.PathLike[str]", store), clock)
    return None


def always_balanced(_purpose: Purpose, _last_tool: str) -> Tier:
    return "balanced"
