"""Agents by where they are written: `app.py:support` or `package.module:support`, as a person types it."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.served_agents import with_agents
from glassloop.runtime.settings import Settings

FORM = "write app.py:agent or package.module:agent"


def is_target(name: str) -> bool:
    """Whether that names a place in a program rather than an assistant or a folder."""
    place, colon, attribute = name.rpartition(":")
    return bool(colon) and len(place) > 1 and attribute.replace(".", "_").isidentifier()


def with_targets(settings: Settings, targets: Sequence[str]) -> Settings:
    """The settings with the agents that are written there."""
    if not targets:
        return settings
    return with_agents(settings, [_agent(target) for target in targets], ", ".join(targets))


def target_name(target: str) -> str:
    """The name of the agent that is written there."""
    return _agent(target).profile.name


@cache
def _agent(target: str) -> Agent:
    if not is_target(target):
        raise UsageError(f"{target!r} does not name an agent: {FORM}.")
    place, _, attribute = target.rpartition(":")
    try:
        found: Any = _module(place)
        for name in attribute.split("."):
            found = getattr(found, name)
        made: object = found() if callable(found) else found
    except GlassloopError:
        raise
    except Exception as error:
        raise UsageError(f"{target!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(made, Agent):
        raise UsageError(
            f"{target!r} is {type(made).__name__!r}, not an agent: {FORM}, or a function that returns one."
        )
    return cast("Agent", made)


def _module(place: str) -> ModuleType:
    """A file is loaded as Python runs it, with its folder to import from; a module is found from here."""
    if not place.endswith(".py"):
        _import_from(Path.cwd())
        return importlib.import_module(place)
    path = Path(place).expanduser().resolve()
    if not path.is_file():
        raise UsageError(f"There is no file {place!r}: {FORM}.")
    _import_from(path.parent)
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    if spec is None or spec.loader is None:
        raise UsageError(f"{place!r} is not a Python file: {FORM}.")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and type hints look their module up by name, while it is executed and later.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _import_from(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
