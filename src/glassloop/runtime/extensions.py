"""`Extension`: the one way in for everything that is not the kernel, and the registry of those in use.

An extension is found by the entry point group `glassloop.extensions`, or handed to `open_runtime` and `load_settings`.
Ours are found the same way as anybody's. The module of an extension is imported by every command: whatever is heavy is
imported inside the methods below.
"""

import importlib.metadata
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.runtime.durable.turn_context import AskedQuestion, TurnContext, TurnNotice
from glassloop.runtime.extension_problem import ExtensionProblem

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter
    from prometheus_client.registry import Collector

    from glassloop.core.ports import Embedder, Shortlist
    from glassloop.models.weights import Weights
    from glassloop.runtime.assistants.served_agents import ServedAgent
    from glassloop.runtime.code_indexes import CodeIndexes
    from glassloop.runtime.durable.jobs import JobKind
    from glassloop.runtime.importers import FileImporter, Importer
    from glassloop.runtime.providers import EmbedderProvider, Provider
    from glassloop.runtime.settings.settings import Settings
    from glassloop.runtime.toolsets import Toolset
    from glassloop.runtime.trust.survey import FolderKind
    from glassloop.runtime.workspaces import SessionWorkspaces
    from glassloop.store.engine.migrate import MigrationBranch
    from glassloop.store.store import Store
    from glassloop.tools.plugin import Plugin

GROUP = "glassloop.extensions"
ASSISTANTS = "glassloop.assistants"
MAX_EXTENSIONS = 100
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_log = logging.getLogger("glassloop.extensions")

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")


class MaintenanceTask(msgspec.Struct, frozen=True, kw_only=True):
    """Work that one process does again and again; what it raises is logged, and it is tried again."""

    name: str
    every_s: float
    run: Callable[[], Awaitable[object]]


class RuntimeContext(msgspec.Struct, frozen=True, kw_only=True):
    """An open runtime as extensions see it. `refresh` makes agents anew: models or embedders changed. `workspaces` are
    the folders of sessions and `code_indexes` those made of folders, where a runtime is open."""

    settings: "Settings"
    store: "Store"
    refresh: Callable[[], None]
    workspaces: "SessionWorkspaces | None" = None
    code_indexes: "CodeIndexes | None" = None


class Extension:
    """Subclass it and override what it brings. One is made for each process.

    `name` is its table in `glassloop.toml` and the second word of its variables; `settings` the struct that describes
    them with `setting`.
    """

    name: ClassVar[str] = ""
    settings: ClassVar[type[msgspec.Struct] | None] = None

    def providers(self) -> "Mapping[str, Provider]":
        """Model providers, by the word before the colon in `provider:model`."""
        return {}

    def embedders(self) -> "Mapping[str, EmbedderProvider]":
        """Providers of embedders, by name."""
        return {}

    def weights(self, settings: "Settings") -> "Sequence[Weights]":  # noqa: ARG002
        """Weights that `glassloop models pull` gets; the first are those worth offering where no model is there."""
        return ()

    def shortlist(self, settings: "Settings", embedder: "Embedder | None", *, small: bool) -> "Shortlist | None":  # noqa: ARG002
        """The choice of tools where there are more than can be offered. The first that is not None is used."""
        return None

    def assistants(self) -> Sequence[Path]:
        """Folders with an `assistant.toml`."""
        return ()

    def origin(self, folder: Path) -> str:  # noqa: ARG002
        """Where a folder of `assistants` comes from, in a few words."""
        return f"the extension {self.name!r}"

    def agents(self) -> "Sequence[ServedAgent]":
        """Agents written in Python, each under the name it is served by."""
        return ()

    def plugins(self) -> "Sequence[type[Plugin]]":
        """Tools, router domains and hooks that are added to assistants that are there."""
        return ()

    def routers(self) -> "Sequence[APIRouter]":
        """HTTP routes."""
        return ()

    def commands(self) -> "Mapping[str, typer.Typer]":
        """Commands of the terminal, by the group they belong to (`models`, `import`); '' is the top."""
        return {}

    def importers(self) -> "Sequence[Importer | FileImporter]":
        """What `glassloop import NAME` brings in, and the sample data that comes along."""
        return ()

    def upload_limits(self, settings: "Settings") -> Mapping[str, int]:  # noqa: ARG002
        """Bytes of uploads of a user at most, by what they are for: `POST /api/uploads?purpose=NAME`. Such uploads do
        not count among the others."""
        return {}

    def suites(self) -> Path | None:
        """The folder of its eval suites."""
        return None

    def migrations(self) -> Path | None:
        """The folder of its Alembic revisions, for tables of its own in the store's database: a branch with the label
        `name`, in files that are named after their revisions (`name_0001.py`). Upgraded when a store is opened."""
        return None

    def toolsets(self, settings: "Settings", *, patient: bool = False) -> "Sequence[Toolset]":  # noqa: ARG002
        """Tools that come and go; opened with a runtime and closed with it. `patient`: nobody goes on before each is
        known or has failed."""
        return ()

    def folder_kinds(self) -> "Sequence[FolderKind]":
        """Files of a working folder that it heeds once the user trusts the folder, and what each would decide."""
        return ()

    def fingerprint(self, settings: "Settings") -> object:  # noqa: ARG002
        """What its models and tools are made of on disk, such as weights: agents are made anew when it changes. Asked
        in a thread, once a second at most."""
        return None

    async def prompt_facts(self, settings: "Settings", user: str) -> Mapping[str, str]:  # noqa: ARG002
        """What `{name.fact}` in a prompt stands for, by fact, with the extension's `name` before it. Asked when a turn
        of this user starts whose prompt has such a line, and kept with the turn."""
        return {}

    def workspace_roots(self, settings: "Settings") -> Sequence[str]:  # noqa: ARG002
        """Folders that sessions may work in; `{user}` in one stands for the user's name."""
        return ()

    async def turn_context(self, context: RuntimeContext, asked: AskedQuestion) -> TurnContext:  # noqa: ARG002
        """What goes with a question to one of its assistants, kept with the turn."""
        return TurnContext()

    def jobs(self, context: RuntimeContext) -> "Sequence[JobKind]":  # noqa: ARG002
        """Kinds of long work."""
        return ()

    def maintenance(self, context: RuntimeContext) -> Sequence[MaintenanceTask]:  # noqa: ARG002
        """What is done again and again, in processes that keep the store."""
        return ()

    def metrics(self, context: RuntimeContext) -> "Sequence[Collector]":  # noqa: ARG002
        """What `/metrics` tells beside the kernel's own."""
        return ()

    async def erase(self, context: RuntimeContext, user: str | None, sessions: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002
        """Deletes what it keeps of these sessions and, where a user is named, of the user; how many of what."""
        return {}


class Extensions:
    """The extensions of a process with the values of their settings, and what they bring, as one. `problems`: what is
    installed and could not be used."""

    def __init__(
        self,
        extensions: Sequence[Extension],
        values: Mapping[str, msgspec.Struct] | None = None,
        problems: Sequence[ExtensionProblem] = (),
    ) -> None:
        self.extensions = tuple(extensions)
        self.problems = tuple(problems)
        for extension in self.extensions:
            _check(extension)
        _unique("extension", [(each.name, each.name) for each in self.extensions])
        given = values or {}
        self.values: Mapping[str, msgspec.Struct] = {
            each.name: given[each.name] if each.name in given else each.settings()
            for each in self.extensions
            if each.settings is not None
        }

    def __iter__(self) -> Iterator[Extension]:
        return iter(self.extensions)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Extensions)
        return same and (self.extensions, self.values) == (other.extensions, other.values)

    def __hash__(self) -> int:
        return hash(self.extensions)

    def joined(self, more: Sequence[Extension]) -> "Extensions":
        """These and more; one that is there already stays."""
        there = {type(extension) for extension in self.extensions}
        new = [extension for extension in more if type(extension) not in there]
        return Extensions((*self.extensions, *new), self.values, self.problems) if new else self

    def with_values(self, values: Mapping[str, msgspec.Struct]) -> "Extensions":
        """The same with other settings, by extension."""
        return Extensions(self.extensions, {**self.values, **values}, self.problems)

    def having(self, *structs: msgspec.Struct) -> "Extensions":
        """The same with these settings, each in the place of its kind."""
        owners = {each.settings: each.name for each in self.extensions}
        unknown = next((type(struct).__name__ for struct in structs if type(struct) not in owners), None)
        if unknown is not None:
            raise UsageError(f"No extension in use has settings of the type {unknown!r}: install or pass it.")
        return self.with_values({owners[type(struct)]: struct for struct in structs})

    def settings_of(self, kind: type[S]) -> tuple[str, S]:
        """The settings of that type, after the name of the extension that has them."""
        found = next(((name, struct) for name, struct in self.values.items() if type(struct) is kind), None)
        if found is None:
            raise UsageError(f"No extension in use has settings of the type {kind.__name__!r}: install or pass it.")
        return cast("tuple[str, S]", found)

    @cached_property
    def providers(self) -> "Mapping[str, Provider]":
        return _merged("provider", ((each.name, each.providers()) for each in self.extensions))

    @cached_property
    def embedders(self) -> "Mapping[str, EmbedderProvider]":
        return _merged("embedder", ((each.name, each.embedders()) for each in self.extensions))

    @cached_property
    def importers(self) -> "Mapping[str, Importer | FileImporter]":
        return _merged(
            "importer", ((each.name, {found.name: found for found in each.importers()}) for each in self.extensions)
        )

    @cached_property
    def branches(self) -> "Sequence[MigrationBranch]":
        """The tables that they have in the store's database."""
        from glassloop.store.engine.migrate import MigrationBranch

        folders = ((each.name, each.migrations()) for each in self.extensions)
        return tuple(MigrationBranch.from_folder(name, folder) for name, folder in folders if folder is not None)

    def upload_limits(self, settings: "Settings") -> Mapping[str, int]:
        limits = ((each.name, each.upload_limits(settings)) for each in self.extensions)
        return _merged("purpose of uploads", limits)

    def jobs(self, context: RuntimeContext) -> "Sequence[JobKind]":
        kinds = ((each.name, {kind.name: kind for kind in each.jobs(context)}) for each in self.extensions)
        return tuple(_merged("kind of job", kinds).values())

    def weights(self, settings: "Settings") -> "Mapping[str, Weights]":
        return _merged(
            "weights",
            ((each.name, {found.name: found for found in each.weights(settings)}) for each in self.extensions),
        )

    def shortlist(self, settings: "Settings", embedder: "Embedder | None", *, small: bool) -> "Shortlist | None":
        found = (each.shortlist(settings, embedder, small=small) for each in self.extensions)
        return next((shortlist for shortlist in found if shortlist is not None), None)

    def fingerprint(self, settings: "Settings") -> tuple[object, ...]:
        return tuple(each.fingerprint(settings) for each in self.extensions)

    async def prompt_facts(self, settings: "Settings", user: str, wanted: set[str]) -> dict[str, str]:
        """The facts of these extensions as prompts name them; one that cannot tell its own tells none."""
        found: dict[str, str] = {}
        for extension in self.extensions:
            if extension.name in wanted:
                try:
                    facts = await extension.prompt_facts(settings, user)
                except Exception:
                    _log.exception("the extension %s could not tell its facts", extension.name)
                    continue
                found |= {f"{extension.name}.{fact}": text for fact, text in facts.items()}
        return found

    def workspace_roots(self, settings: "Settings") -> Sequence[str]:
        return [root for each in self.extensions for root in each.workspace_roots(settings)]

    async def turn_context(self, context: RuntimeContext, asked: AskedQuestion) -> TurnContext:
        """What extensions tell with a question; one that cannot tells nothing."""
        told: dict[str, Json] = {}
        notices: list[TurnNotice] = []
        for extension in self.extensions:
            try:
                found = await extension.turn_context(context, asked)
            except Exception:
                _log.exception("the extension %s could not tell what goes with a question", extension.name)
                continue
            told |= found.told
            notices += found.notices
        return TurnContext(told=told, notices=notices)

    async def erase(self, context: RuntimeContext, user: str | None, sessions: Sequence[str]) -> dict[str, int]:
        """What every extension keeps of a user or of these sessions is deleted; how many of what."""
        found: dict[str, int] = {}
        for extension in self.extensions:
            found |= await extension.erase(context, user, sessions)
        return found


@lru_cache(maxsize=1)
def installed_extensions() -> Extensions:
    """Those found by entry point, by name, so that their order does not depend on the disk. One that cannot be loaded
    is left out with a warning; a name that is taken stays with the one that has it."""
    found: dict[str, Extension] = {}
    problems: list[ExtensionProblem] = []
    every = importlib.metadata.entry_points()
    points = sorted(every.select(group=GROUP), key=_own_first)
    for point in points[:MAX_EXTENSIONS]:
        try:
            extension = _made(point.name, point.load())
            if extension.name in found:
                raise UsageError(f"the name {extension.name!r} is taken")
            extension.assistants()
            found[extension.name] = extension
        except Exception as error:
            problems.append(ExtensionProblem.of(point, error))
    if packaged := sorted(every.select(group=ASSISTANTS), key=_own_first):
        from glassloop.runtime.assistants.served_agents import PackagedAssistants

        brought = PackagedAssistants(packaged)
        found[brought.name] = brought
        problems += brought.problems
    for problem in problems:
        _log.warning("%s", problem)
    return Extensions(tuple(found.values()), problems=problems)


def _own_first(point: importlib.metadata.EntryPoint) -> tuple[bool, str, str]:
    """Ours before others, which could otherwise take a name of ours."""
    return (not point.value.startswith("glassloop."), point.name, point.value)


def _made(name: str, found: object) -> Extension:
    if not (isinstance(found, type) and issubclass(found, Extension)):
        raise UsageError(f"{name!r} is not an extension: name a subclass of glassloop.Extension")
    extension = found()
    _check(extension)
    return extension


def _check(extension: Extension) -> None:
    if not _NAME.fullmatch(extension.name):
        raise UsageError(
            f"The extension {type(extension).__name__!r} has the name {extension.name!r}: use lowercase letters, "
            "digits and _, starting with a letter."
        )


def _unique(what: str, named: Sequence[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for name, owner in named:
        if name in seen:
            raise UsageError(f"Two extensions provide the {what} {name!r} ({seen[name]}, {owner}): remove one of them.")
        seen[name] = owner


def _merged(what: str, parts: "Iterator[tuple[str, Mapping[str, Any]]]") -> "dict[str, Any]":
    every = list(parts)
    _unique(what, [(name, owner) for owner, brought in every for name in brought])
    return {name: value for _, brought in every for name, value in brought.items()}
