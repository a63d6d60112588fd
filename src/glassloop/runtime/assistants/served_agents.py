"""Agents that are served by name: those a program hands over, and those that installed packages bring.

An installed package names them by entry points of the group `glassloop.assistants`: `package.module:agent` is an
`Agent` or a function that makes one, `package` a folder with an `assistant.toml`, or with folders that have one each.
They are listed without being imported; an agent is imported when it is first asked.
"""

import importlib.util
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime.extension_problem import ExtensionProblem, origin_of
from glassloop.runtime.extensions import Extension

if TYPE_CHECKING:
    from glassloop.runtime.assistants.agent import Agent
    from glassloop.runtime.assistants.assistant_files import UnusableAssistant
    from glassloop.runtime.settings.settings import Settings

MAX_ENTRIES = 200
_FILE = "assistant.toml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_making = threading.Lock()


class ServedAgent:
    """An agent and the name it is served under. `source` tells people where it comes from. `make` is called once, when
    it is first needed."""

    def __init__(
        self, name: str, make: "Callable[[], Agent]", *, source: str, description: str = "", of_program: bool = False
    ) -> None:
        check_name(name)
        self.name = name
        self.source = source
        self.description = description
        self.of_program = of_program
        self._make = make
        self._made: Agent | None = None

    @property
    def agent(self) -> "Agent":
        """Raises `UsageError` where it cannot be made. Blocks: modules are imported."""
        with _making:
            if self._made is None:
                self._made = self._checked()
        return self._made

    def _checked(self) -> "Agent":
        from glassloop.runtime.assistants.agent import Agent

        try:
            made: Any = self._make()
        except GlassloopError as error:
            raise UsageError(f"The agent {self.name!r} of {self.source} could not be created: {error}") from error
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise UsageError(f"The agent {self.name!r} of {self.source} cannot be loaded: {why}") from error
        if not isinstance(made, Agent):
            raise UsageError(
                f"{self.source} gives {type(made).__name__!r} for {self.name!r}, not an agent: name an `Agent`, or a "
                "function without parameters that returns one."
            )
        agent = cast("Agent", made)
        return agent if agent.profile.name == self.name else agent.served(name=self.name)


def check_name(name: str) -> None:
    """Refuses what cannot be an agent's name in addresses, commands and logs."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be an agent's name: use letters, digits, - and _, at most 64; Agent(name='support')."
        )


class ProgramAgents(Extension):
    """The agents that a program hands to `open_runtime`."""

    name = "program_agents"

    def __init__(self, agents: "Sequence[Agent]", source: str = "this program") -> None:
        self._agents = tuple(_handed(agent, source) for agent in agents)
        names = [agent.name for agent in self._agents]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"Two agents are named {twice!r}: give each its own name, Agent(name='…').")

    def agents(self) -> Sequence[ServedAgent]:
        return self._agents


def with_agents(settings: "Settings", agents: "Sequence[Agent]", source: str = "this program") -> "Settings":
    """The settings with these agents beside the assistants there are. Refuses a name that an installed one has."""
    if not agents:
        return settings
    from glassloop.runtime.assistants.assistant_files import list_assistants

    handed = ProgramAgents(agents, source)
    taken = {each.name: each for each in list_assistants(settings) if each.source}
    for agent in handed.agents():
        if (other := taken.get(agent.name)) is not None:
            raise UsageError(
                f"The agent {agent.name!r} has the name of an assistant of {other.source}: give it another, "
                "Agent(name='…')."
            )
    return settings.extended([handed])


class PackagedAssistants(Extension):
    """The assistants that installed packages name by entry points."""

    name = "packaged_assistants"

    def __init__(self, points: Sequence[EntryPoint]) -> None:
        self._folders: list[Path] = []
        self._agents: dict[str, ServedAgent] = {}
        self._origins: dict[Path, str] = {}
        self.problems: list[ExtensionProblem] = []
        for point in points[:MAX_ENTRIES]:
            try:
                self._take(point)
            except Exception as error:
                self.problems.append(ExtensionProblem.of(point, error))

    def assistants(self) -> Sequence[Path]:
        return self._folders

    def origin(self, folder: Path) -> str:
        return self._origins[folder]

    def agents(self) -> Sequence[ServedAgent]:
        return tuple(self._agents.values())

    def _take(self, point: EntryPoint) -> None:
        if point.attr:
            if point.name in self._agents:
                raise UsageError(f"the name {point.name!r} is taken by {self._agents[point.name].source}")
            summary = (point.dist.metadata["Summary"] if point.dist else None) or ""
            self._agents[point.name] = ServedAgent(
                point.name, lambda: _loaded(point), source=origin_of(point), description=summary[:400]
            )
            return
        for folder in _folders_of(point.module):
            self._folders.append(folder)
            self._origins[folder] = origin_of(point)


def agents_of(extensions: Iterable[Extension]) -> Mapping[str, ServedAgent]:
    """All agents that extensions bring; a program's own first, then the first that has the name."""
    every = [agent for extension in extensions for agent in extension.agents()]
    found: dict[str, ServedAgent] = {}
    for agent in sorted(every, key=lambda agent: not agent.of_program):
        found.setdefault(agent.name, agent)
    return found


def _handed(agent: "Agent", source: str) -> ServedAgent:
    return ServedAgent(agent.profile.name, lambda: agent, source=source, of_program=True)


def _loaded(point: EntryPoint) -> Any:
    found = point.load()
    return found if hasattr(found, "profile") or not callable(found) else found()


def _folders_of(module: str) -> Sequence[Path]:
    """The folders with a profile in that package. Its parents are imported to find it, itself it is not."""
    spec = importlib.util.find_spec(module)
    places = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    found = [folder for place in places for folder in (place, *sorted(place.iterdir())) if (folder / _FILE).is_file()]
    if not found:
        raise UsageError(f"the package {module!r} has no folder with an {_FILE}: add one, or name package.module:agent")
    return found


def unusable_agents(settings: "Settings") -> "Sequence[UnusableAssistant]":
    """Agents of packages that cannot be made, and why. Imports each of them."""
    from glassloop.runtime.assistants.assistant_files import UnusableAssistant

    found: list[UnusableAssistant] = []
    for agent in agents_of(settings.extensions).values():
        try:
            _ = agent.agent
        except UsageError as error:
            found.append(UnusableAssistant(name=agent.name, folder=agent.source, reason=str(error)))
    return found
