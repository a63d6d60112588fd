"""The tools there are, by name, and choices among them.

Owns names: duplicates are refused, unknown ones explained. A choice (`only`, `without`, …) is a new registry that
cannot be added to, so that what an assistant was given stays what it was given.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import perf_counter
from types import MappingProxyType
from typing import Any, Self

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.messages import Effect, ToolSpec
from glassloop.core.ports import CallContext
from glassloop.core.records import Json, ToolResult
from glassloop.tools.execution.attempt import attempt
from glassloop.tools.result import failure
from glassloop.tools.suggestion import quote, suggest
from glassloop.tools.tool import Tool, tool


class ToolRegistry:
    """Tools by name, in the order they were registered; `tools` are tools or functions that become some."""

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._specs: dict[str, ToolSpec] = {}
        self._frozen = False
        self.tools: Mapping[str, Tool] = MappingProxyType(self._tools)
        self.specs: Mapping[str, ToolSpec] = MappingProxyType(self._specs)
        for item in tools:
            self.register(item)

    def register(self, item: Tool | Callable[..., Any]) -> Tool:
        """Adds a tool, or a function that becomes one; a name that is taken is refused."""
        if self._frozen:
            raise UsageError("This registry is a choice among another's tools: register the tool there, then choose.")
        made = item if isinstance(item, Tool) else tool(item)
        self._add(made)
        return made

    def get(self, name: str) -> Tool:
        """The tool of that name; raises `UnknownName` with the closest ones."""
        found = self._tools.get(name)
        if found is None:
            raise UnknownName(self.unknown(name))
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its tools, in their order."""
        return tuple(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    async def execute(
        self, name: str, args: Mapping[str, Json] | None = None, context: CallContext | None = None
    ) -> ToolResult:
        """One call, once, without cache or retries. Total, as the orchestrator is."""
        found = self._tools.get(name)
        if found is None:
            return failure(self.unknown(name))
        result, _ = await attempt(found, dict(args or {}), context or _by_hand(), perf_counter)
        return result

    def unknown(self, name: str) -> str:
        """What to say about a name that no tool has."""
        return f"There is no tool {quote(name)}. {suggest(name, self._tools)}"

    def only(self, *names: str) -> Self:
        """These tools, in this order."""
        return self._choice(self.get(name) for name in dict.fromkeys(names))

    def without(self, *names: str) -> Self:
        """All but these."""
        left_out = {self.get(name).name for name in names}
        return self._choice(made for made in self if made.name not in left_out)

    def of_domain(self, *domains: str) -> Self:
        """Those of these domains."""
        return self._choice(made for made in self if made.spec.domain in domains)

    def with_effect(self, *effects: Effect) -> Self:
        """Those with one of these effects."""
        return self._choice(made for made in self if made.spec.effect in effects)

    def prefixed(self, prefix: str) -> Self:
        """The same tools, each name with the prefix before it."""
        return self._choice(made.renamed(f"{prefix}{made.name}") for made in self)

    def __add__(self, other: "ToolRegistry") -> Self:
        """The tools of both. The same tool may be in both; two tools of one name may not."""
        return self._choice([*self, *(made for made in other if self._tools.get(made.name) is not made)])

    def _choice(self, tools: Iterable[Tool]) -> Self:
        choice = type(self)()
        for made in tools:
            choice._add(made)
        choice._frozen = True
        return choice

    def _add(self, made: Tool) -> None:
        spec = made.spec
        if spec.name in self._tools:
            raise UsageError(f"There is already a tool {spec.name!r}: rename one, or use prefixed('other_').")
        self._tools[spec.name] = made
        self._specs[spec.name] = spec


def _by_hand() -> CallContext:
    return CallContext(turn_id="by-hand", session_id="", user="anonymous", call_id=os.urandom(8).hex())
