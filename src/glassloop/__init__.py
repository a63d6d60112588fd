"""Glassloop: a ReAct agent runtime whose every step can be seen, stored, reviewed and replayed.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassloop.core.errors import GlassloopError, ToolError, UsageError
    from glassloop.core.loop.policy import Limits, Profile
    from glassloop.core.records import ReactResponse, ToolCall, ToolResult
    from glassloop.models.scripted_model import ScriptedModel
    from glassloop.runtime.assistants.agent import Agent
    from glassloop.runtime.assistants.result import Answer, Approval, Result, TurnFailed, TurnPaused
    from glassloop.runtime.assistants.turn_stream import TurnStream
    from glassloop.runtime.build import open_runtime
    from glassloop.runtime.extensions import Extension
    from glassloop.runtime.settings import Settings, load_settings, setting
    from glassloop.tools.plugin import HookedTurn, Plugin
    from glassloop.tools.registry import ToolRegistry
    from glassloop.tools.tool import Tool, ToolContext, tool

_HOMES = {
    "Agent": "runtime.assistants.agent",
    "Answer": "runtime.assistants.result",
    "Approval": "runtime.assistants.result",
    "Extension": "runtime.extensions",
    "GlassloopError": "core.errors",
    "HookedTurn": "tools.plugin",
    "Limits": "core.loop.policy",
    "Plugin": "tools.plugin",
    "Profile": "core.loop.policy",
    "ReactResponse": "core.records",
    "Result": "runtime.assistants.result",
    "ScriptedModel": "models.scripted_model",
    "Settings": "runtime.settings",
    "Tool": "tools.tool",
    "ToolCall": "core.records",
    "ToolContext": "tools.tool",
    "ToolError": "core.errors",
    "ToolRegistry": "tools.registry",
    "ToolResult": "core.records",
    "TurnFailed": "runtime.assistants.result",
    "TurnPaused": "runtime.assistants.result",
    "TurnStream": "runtime.assistants.turn_stream",
    "UsageError": "core.errors",
    "load_settings": "runtime.settings",
    "open_runtime": "runtime.build",
    "setting": "runtime.settings",
    "tool": "tools.tool",
}

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "Answer",
    "Approval",
    "Extension",
    "GlassloopError",
    "HookedTurn",
    "Limits",
    "Plugin",
    "Profile",
    "ReactResponse",
    "Result",
    "ScriptedModel",
    "Settings",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolRegistry",
    "ToolResult",
    "TurnFailed",
    "TurnPaused",
    "TurnStream",
    "UsageError",
    "load_settings",
    "open_runtime",
    "setting",
    "tool",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'glassloop' has no attribute {name!r}")
    value = getattr(import_module(f"glassloop.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
