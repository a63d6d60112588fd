"""The decorator of all tools of places: they read, and what they read changes with an import."""

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from glassloop.extensions.places.tools.tool_words import words_of
from glassloop.tools.tool import FunctionTool, tool

P = ParamSpec("P")
R = TypeVar("R")


def place_tool(function: Callable[P, R]) -> FunctionTool[P, R]:
    words = words_of(function.__name__, inspect.signature(function).parameters)
    return tool(
        effect="read",
        # Results of imported files are lowered, as strangers may have written the names in them.
        integrity="trusted",
        confidentiality="operator",
        volatile=True,
        domain="places",
        timeout_s=60.0,
        words=words,
    )(function)
