"""`raid_tool`: the decorator of all raid tools, which read reports and change nothing."""

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from glassloop.core.errors import StoreAway
from glassloop.extensions.raids.tools.rule_words import rule_words
from glassloop.extensions.raids.tools.tool_words import described
from glassloop.tools.tool import FunctionTool, tool

P = ParamSpec("P")
R = TypeVar("R")


def raid_tool(function: Callable[P, R]) -> FunctionTool[P, R]:
    """A tool of the domain `raids`. It is not cached: `last` means another report as soon as one is imported."""
    words = rule_words(inspect.signature(function).parameters)
    words[""] = described(function.__name__, " ".join((function.__doc__ or "").split()))
    return tool(effect="read", domain="raids", volatile=True, retry_on=(StoreAway,), words=words)(function)
