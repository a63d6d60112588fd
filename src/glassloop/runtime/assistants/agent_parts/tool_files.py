"""Tools and guardrails that a profile names: a Python file beside it, or a factory of an installed module."""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from glassloop.core.errors import UsageError
from glassloop.tools.guardrail import Guardrail
from glassloop.tools.tool import Tool


def tools_of_file(path: Path) -> list[Tool | Guardrail]:
    """The tools and guardrails of a Python file, which is run."""
    digest = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = f"glassloop_assistant_{path.parent.name}_{digest}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UsageError(f"The tools file {path} does not exist: create it, or remove it from the profile.")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and type hints look their module up by name, while it is executed and later.
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        _put_back(name, before)
        if isinstance(error, UsageError) or not isinstance(error, Exception):
            raise
        raise UsageError(f"The tools file {path} cannot be loaded: {type(error).__name__}: {error}") from error
    return [value for value in vars(module).values() if isinstance(value, Tool | Guardrail)]


def _put_back(name: str, before: ModuleType | None) -> None:
    if before is None:
        sys.modules.pop(name, None)
    else:
        sys.modules[name] = before


def tools_of_module(entry: str, home: Path, offered: Mapping[str, Any]) -> list[Tool | Guardrail]:
    """Those that a factory of an installed module makes."""
    name, _, attribute = entry.partition(":")
    try:
        found: Any = getattr(importlib.import_module(name), attribute or "make_tools")
        made: Any = found(home, **_wanted(found, offered)) if inspect.isroutine(found) else found
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(
            f"The profile names tools {entry!r}, which cannot be loaded: {type(error).__name__}: {error}. "
            "Write 'file.py' or 'package.module:factory', where the factory takes the home folder and returns tools."
        ) from error
    kind = type(made).__name__
    tools = list(cast("Iterable[object]", made)) if isinstance(made, (list, tuple)) else [made]
    if not all(isinstance(tool, Tool | Guardrail) for tool in tools):
        raise UsageError(
            f"The profile names tools {entry!r}, which gives {kind!r}, not tools: "
            "name a factory that returns a list of them, or the list itself."
        )
    return cast("list[Tool | Guardrail]", tools)


def _wanted(factory: Any, offered: Mapping[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(factory).parameters
    return {name: value for name, value in offered.items() if name in parameters}
