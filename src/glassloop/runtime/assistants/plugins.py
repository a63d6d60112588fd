"""Plugins of an assistant: those its profile names, and those that extensions bring for it.

A profile that names a plugin which cannot be loaded is refused. One of an extension that cannot be loaded is logged and
left out: it is no reason for an assistant not to answer.
"""

import importlib
import inspect
import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from glassloop.core.errors import UsageError
from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings import Settings
from glassloop.tools.plugin import HOOK_POINTS, Plugin
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import Tool

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_log = logging.getLogger("glassloop.plugins")


def load_plugins(
    assistant: str, named: Sequence[str], settings: Settings, offered: Mapping[str, Any], tools: Sequence[Tool]
) -> tuple[Sequence[Plugin], ToolRegistry]:
    """The assistant's plugins in their order, those it names first, and all its tools: its own and theirs."""
    registry, home = ToolRegistry(tools), settings.home_path
    plugins: list[Plugin] = []
    for entry in named:
        plugin = _made(entry, _found(entry))
        _add(plugin, plugins, registry, home, offered)
    for extension in settings.extensions:
        for found in _brought(extension):
            try:
                plugin = _made(found.__name__, found)
                if not plugin.assistants or assistant in plugin.assistants:
                    _add(plugin, plugins, registry, home, offered)
            except Exception as error:
                _log.warning("a plugin of the extension %r was left out: %s", extension.name, error)
    return plugins, registry


def _brought(extension: Extension) -> Sequence[type[Plugin]]:
    try:
        return extension.plugins()
    except Exception as error:
        _log.warning("the plugins of the extension %r were left out: %r", extension.name, error)
        return ()


def _add(plugin: Plugin, plugins: list[Plugin], registry: ToolRegistry, home: Path, offered: Mapping[str, Any]) -> None:
    """All of it or nothing."""
    if any(plugin.name == other.name for other in plugins):
        raise UsageError(f"There is already a plugin {plugin.name!r}: remove one of the two.")
    try:
        made = list(plugin.tools(home, offered))
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"The tools of plugin {plugin.name!r} could not be created: {error}") from error
    ToolRegistry([*registry, *made])
    for tool in made:
        registry.register(tool)
    plugins.append(plugin)


def _found(entry: str) -> object:
    module, _, attribute = entry.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise UsageError(
            f"The profile names the plugin {entry!r}, which cannot be loaded: {type(error).__name__}: {error}. "
            "Write 'package.module:Name', where Name is a subclass of glassloop.Plugin."
        ) from error


def _made(entry: str, found: object) -> Plugin:
    """One of its own for each agent."""
    if not (isinstance(found, type) and issubclass(found, Plugin)):
        raise UsageError(f"{entry!r} is {_kind(found)!r}, not a plugin: name a subclass of glassloop.Plugin.")
    kind = found
    if not _NAME.fullmatch(kind.name):
        raise UsageError(f"The plugin {entry!r} has the name {kind.name!r}: use letters, digits, '.', '_' and '-'.")
    for point in HOOK_POINTS:
        if not inspect.iscoroutinefunction(getattr(kind, point)):
            raise UsageError(f"The hook {point} of plugin {kind.name!r} must be an `async def`.")
    try:
        return kind()
    except Exception as error:
        raise UsageError(f"The plugin {entry!r} could not be created: {type(error).__name__}: {error}") from error


def _kind(found: Any) -> str:
    return type(found).__name__
