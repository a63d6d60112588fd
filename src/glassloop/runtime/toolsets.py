"""Toolsets of all extensions, combined: tools that belong to no single assistant."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from glassloop.runtime.settings import Settings
from glassloop.tools.tool import Tool

T = TypeVar("T")


class Toolset(Protocol):
    """Tools that come and go while a process runs, such as those of other programs."""

    def begin(self) -> None:
        """Prepares them while nobody waits yet, in a process that will run turns for long."""
        ...

    async def tools_for(self, assistant: str) -> Sequence[Tool]:
        """The tools that this assistant may call now."""
        ...

    def sources_for(self, assistant: str) -> Mapping[str, str]:
        """Where each tool of the last `tools_for` comes from, in a few words, by the tool's name."""
        ...

    def notices_for(self, assistant: str) -> Sequence[str]:
        """What a person should know of tools that cannot be used, one sentence each."""
        ...

    @property
    def waiting_for(self) -> str:
        """What turns that start now wait for, in one sentence; empty where they do not."""
        ...

    async def aclose(self) -> None: ...


class Toolsets:
    """Close it before the event loop ends, after the turns."""

    def __init__(self, toolsets: Sequence[Toolset]) -> None:
        self._toolsets = tuple(toolsets)

    @classmethod
    def from_settings(cls, settings: Settings, *, patient: bool = False) -> "Toolsets":
        made = (extension.toolsets(settings, patient=patient) for extension in settings.extensions)
        return cls([toolset for toolsets in made for toolset in toolsets])

    def of(self, kind: type[T]) -> T | None:
        """The one of that class, for the routes and commands of the extension that brought it."""
        return next((toolset for toolset in self._toolsets if isinstance(toolset, kind)), None)

    def begin(self) -> None:
        for toolset in self._toolsets:
            toolset.begin()

    @property
    def waiting_for(self) -> str:
        return " ".join(filter(None, (toolset.waiting_for for toolset in self._toolsets)))

    async def tools_for(self, assistant: str) -> Sequence[Tool]:
        if len(self._toolsets) == 1:
            return await self._toolsets[0].tools_for(assistant)
        return [tool for toolset in self._toolsets for tool in await toolset.tools_for(assistant)]

    def sources_for(self, assistant: str) -> Mapping[str, str]:
        return {name: source for each in self._toolsets for name, source in each.sources_for(assistant).items()}

    def notices_for(self, assistant: str) -> Sequence[str]:
        return [notice for toolset in self._toolsets for notice in toolset.notices_for(assistant)]

    async def aclose(self) -> None:
        for toolset in self._toolsets:
            await toolset.aclose()
