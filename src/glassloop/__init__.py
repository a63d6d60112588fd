"""Glassloop: a ReAct agent runtime whose every step can be seen, stored, reviewed and replayed.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassloop.core import events, messages
    from glassloop.core.errors import GlassloopError, ToolError, ToolUnavailable, UsageError
    from glassloop.core.loop.policy import Limits, Profile
    from glassloop.core.messages import Usage
    from glassloop.core.records import (
        ChildTurn,
        Evidence,
        Figure,
        ReactResponse,
        ReActStep,
        ToolCall,
        ToolResult,
    )
    from glassloop.extensions.mcp.mcp_server import McpServer
    from glassloop.models.scripted_model import ScriptedModel, call
    from glassloop.runtime.assistants.agent import Agent
    from glassloop.runtime.assistants.result import Answer, Approval, Result, TurnFailed, TurnPaused
    from glassloop.runtime.assistants.turn_stream import TurnStream
    from glassloop.runtime.attachments.parts import File, Image
    from glassloop.runtime.build import open_runtime
    from glassloop.runtime.durable.agent_store import UnfinishedTurn
    from glassloop.runtime.durable.runtime import Runtime
    from glassloop.runtime.extensions import Extension
    from glassloop.runtime.settings import Settings, load_settings, setting
    from glassloop.server.server_app import ServerApp
    from glassloop.store import open_store
    from glassloop.tools.guardrail import Guardrail, Rewrite, Stop, guardrail
    from glassloop.tools.plugin import HookedTurn, Plugin
    from glassloop.tools.registry import ToolRegistry
    from glassloop.tools.tool import Tool, ToolContext, tool

_HOMES = {
    "Agent": "runtime.assistants.agent",
    "Answer": "runtime.assistants.result",
    "Approval": "runtime.assistants.result",
    "ChildTurn": "core.records",
    "Evidence": "core.records",
    "Extension": "runtime.extensions",
    "Figure": "core.records",
    "File": "runtime.attachments.parts",
    "GlassloopError": "core.errors",
    "Guardrail": "tools.guardrail",
    "HookedTurn": "tools.plugin",
    "Image": "runtime.attachments.parts",
    "Limits": "core.loop.policy",
    "McpServer": "extensions.mcp.mcp_server",
    "Plugin": "tools.plugin",
    "Profile": "core.loop.policy",
    "ReActStep": "core.records",
    "ReactResponse": "core.records",
    "Result": "runtime.assistants.result",
    "Rewrite": "tools.guardrail",
    "Runtime": "runtime.durable.runtime",
    "ScriptedModel": "models.scripted_model",
    "ServerApp": "server.server_app",
    "Settings": "runtime.settings",
    "Stop": "tools.guardrail",
    "Tool": "tools.tool",
    "ToolCall": "core.records",
    "ToolContext": "tools.tool",
    "ToolError": "core.errors",
    "ToolRegistry": "tools.registry",
    "ToolResult": "core.records",
    "ToolUnavailable": "core.errors",
    "TurnFailed": "runtime.assistants.result",
    "TurnPaused": "runtime.assistants.result",
    "TurnStream": "runtime.assistants.turn_stream",
    "UnfinishedTurn": "runtime.durable.agent_store",
    "Usage": "core.messages",
    "UsageError": "core.errors",
    "guardrail": "tools.guardrail",
    "call": "models.scripted_model",
    "load_settings": "runtime.settings",
    "open_runtime": "runtime.build",
    "open_store": "store",
    "setting": "runtime.settings",
    "tool": "tools.tool",
}
_MODULES = {"events": "core.events", "messages": "core.messages"}

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "Answer",
    "Approval",
    "ChildTurn",
    "Evidence",
    "Extension",
    "Figure",
    "File",
    "GlassloopError",
    "Guardrail",
    "HookedTurn",
    "Image",
    "Limits",
    "McpServer",
    "Plugin",
    "Profile",
    "ReActStep",
    "ReactResponse",
    "Result",
    "Rewrite",
    "Runtime",
    "ScriptedModel",
    "ServerApp",
    "Settings",
    "Stop",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolRegistry",
    "ToolResult",
    "ToolUnavailable",
    "TurnFailed",
    "TurnPaused",
    "TurnStream",
    "UnfinishedTurn",
    "Usage",
    "UsageError",
    "guardrail",
    "call",
    "events",
    "load_settings",
    "messages",
    "open_runtime",
    "open_store",
    "setting",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(f"glassloop.{_MODULES[name]}")
    elif name in _HOMES:
        value = getattr(import_module(f"glassloop.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module 'glassloop' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
