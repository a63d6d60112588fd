"""Assistants as files: a folder with `assistant.toml` and, if it has tools of its own, a Python file.

Ours and the user's are the same: ours are extensions, theirs lie in the home or the working folder. The home
folder is the user's own and may replace ours; the working folder may be somebody else's, so that a name already taken
never means what lies there, and no name means it before the user trusts the folder. Listing reads profiles only; a
Python file is loaded when its assistant is asked for.
"""

import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from glassloop.core.errors import UnknownAssistant, UnknownName, UsageError
from glassloop.core.events import ProtocolName, TurnStarted, WrittenProtocol
from glassloop.core.loop.policy import Approvals, Limits, Profile
from glassloop.ready_types import make_ready
from glassloop.runtime.assistants.agent_parts.tool_files import tools_of_file, tools_of_module
from glassloop.runtime.assistants.plugins import load_plugins
from glassloop.runtime.assistants.routing import RouterMode, RoutingTable
from glassloop.runtime.assistants.served_agents import ServedAgent, agents_of
from glassloop.runtime.extensions import Extensions, installed_extensions
from glassloop.runtime.settings import Settings, trusted_folders
from glassloop.runtime.trust.kinds import PROFILE as FILE
from glassloop.runtime.trust.kinds import profiles_below
from glassloop.store.records import IMPORTED
from glassloop.tools.guardrail import Guardrail
from glassloop.tools.plugin import Plugin
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import Tool

SUITES = Path("evals", "assistants")
"""In the home folder: assistants that were made for the suites a person ran."""

_MAX_BYTES = 1_000_000
_KEPT_PROFILES = 32


class LimitsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[limits]` of a profile; `max_iterations` stands beside it."""

    tool_calls: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class Assistant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A profile as it stands in its file, or an agent that is written in Python: that has no `folder`. `source` tells
    who brings it; empty for what lies in the home or working folder."""

    name: str
    prompt: str
    prompt_brief: str = ""
    title: str = ""
    description: str = ""
    protocol: ProtocolName = "native"
    written_protocol: WrittenProtocol = "json"
    planner: bool = False
    reflection: bool = False
    ask_user: bool = True
    max_iterations: int | None = None
    temperature: float = 0.3
    max_tokens: int = 4096
    approvals: Approvals = "provenance"
    preset: str | None = None
    context_tokens: int | None = None
    observation_chars: int | None = None
    shortlist: int | None = None
    tools: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    handoffs: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    router: RouterMode = "auto"
    routing: RoutingTable | None = None
    questions: tuple[str, ...] = ()
    limits: LimitsTable = LimitsTable()
    like: str = ""
    rank: int = 0
    folder: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("max_iterations", "max_tokens", "context_tokens", "observation_chars"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"`{name}` must be at least 1, not {value}; omit it to use the default")

    def profile(self, settings: Settings) -> Profile:
        limits = msgspec.structs.asdict(self.limits)
        return Profile(
            name=self.name,
            prompt=self.prompt.strip(),
            prompt_brief=self.prompt_brief.strip(),
            protocol=self.protocol,
            written_protocol=self.written_protocol,
            planner=self.planner,
            reflection=self.reflection,
            ask_user=self.ask_user,
            limits=Limits(iterations=self.max_iterations or settings.max_iterations, **limits),
            approvals=self.approvals,
            egress=settings.egress,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            context_tokens=self.context_tokens,
            keep_recent=settings.context_keep_recent,
            observation_chars=self.observation_chars,
            shortlist=self.shortlist,
            tells_context=True,
            collections=self.collections,
            preset=self.preset or settings.preset,
        )


make_ready(Assistant)


class UnusableAssistant(msgspec.Struct, frozen=True, kw_only=True):
    """A profile that no name leads to, and why. `untrusted`: the user has not trusted its folder."""

    name: str
    folder: str
    reason: str
    untrusted: bool = False


def list_assistants(settings: Settings, folder: Path | None = None) -> Sequence[Assistant]:
    """Every assistant that can be asked by its name."""
    return survey_assistants(settings, folder)[0]


def survey_assistants(
    settings: Settings, folder: Path | None = None
) -> tuple[Sequence[Assistant], Sequence[UnusableAssistant]]:
    """The assistants that can be asked by name, and the profiles that cannot be."""
    found: dict[str, Assistant | UnusableAssistant] = {}
    passed: list[UnusableAssistant] = []
    foreign = _ForeignProfiles(settings, folder or Path.cwd())
    for place in _places(settings, folder or Path.cwd()):
        entry = _served(place) if isinstance(place, ServedAgent) else _look_at(place, settings.extensions)
        if isinstance(entry, Assistant) and entry.name not in found:
            entry = foreign.checked(entry)
        if isinstance(entry, UnusableAssistant):
            passed.append(entry)
            # A broken one at home keeps its name: ours would answer by other rules than the user wrote.
            if isinstance(place, Path) and place.parent == settings.home_path / "assistants":
                found.setdefault(entry.name, entry)
            continue
        first = found.setdefault(entry.name, entry)
        if first is not entry and (not entry.folder or not is_of_extension(entry, settings)):
            by_path = "use its path, or " if entry.folder else ""
            reason = f"The name {entry.name!r} belongs to {_owner(first)}: {by_path}give this one another name."
            passed.append(UnusableAssistant(name=entry.name, folder=entry.folder or entry.source, reason=reason))
    usable = [entry for entry in found.values() if isinstance(entry, Assistant)]
    return sorted(usable, key=lambda assistant: assistant.name), passed


def is_of_extension(assistant: "Assistant | UnusableAssistant", settings: Settings) -> bool:
    """Whether an extension brought it, and so nobody who only wrote into a folder."""
    return not assistant.folder or Path(assistant.folder) in _folders(settings.extensions)


def default_assistant(settings: Settings) -> str:
    """Who answers where nobody is named: the first agent of the program, else of those that extensions bring the one of
    the highest `rank`."""
    return _first_of(settings.extensions)


@lru_cache(maxsize=8)
def _first_of(extensions: Extensions) -> str:
    handed = next((agent.name for agent in agents_of(extensions).values() if agent.of_program), None)
    if handed is not None:
        return handed
    found = [_look_at(place, extensions) for place in _folders(extensions)]
    usable = sorted((-entry.rank, entry.name) for entry in found if isinstance(entry, Assistant))
    if not usable:
        raise UsageError("No extension provides an assistant: choose one with --assistant.")
    return usable[0][1]


def find_assistant(name: str, settings: Settings, folder: Path | None = None) -> Assistant:
    """By name, never by path: what a client sends can only choose among the assistants there are."""
    usable, unusable = survey_assistants(settings, folder)
    every = {assistant.name: assistant for assistant in usable}
    if name in every:
        return every[name]
    broken = next((entry for entry in unusable if entry.name == name), None)
    if broken is not None:
        raise UsageError(broken.reason)
    near = get_close_matches(name, every, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(every)}."
    raise UnknownAssistant(f"There is no assistant {name!r}: {hint} `glassloop init NAME` creates your own.")


def is_path(name_or_path: str) -> bool:
    return name_or_path in (".", "..") or any(mark and mark in name_or_path for mark in ("/", os.sep, os.altsep))


def absolute(name_or_path: str, beside: Path) -> str:
    """The assistant as a turn remembers it: a name, or the whole path of a folder."""
    looks_like_path = is_path(name_or_path) or "\\" in name_or_path
    return str((beside / Path(name_or_path).expanduser()).resolve()) if looks_like_path else name_or_path


def open_assistant(name_or_path: str, settings: Settings, folder: Path | None = None) -> Assistant:
    """By name, or by folder where that is written as a path (`./NAME`): for what a person types, not for clients."""
    if not is_path(name_or_path):
        return find_assistant(name_or_path, settings, folder)
    path = (folder or Path.cwd()) / Path(name_or_path).expanduser()
    if not (path / FILE).is_file():
        raise UnknownName(
            f"There is no {FILE} in {name_or_path!r}: give a folder that has one, or the name of an assistant."
        )
    return read_assistant(path, settings.extensions)


def check_logged(started: TurnStarted, assistant: str, settings: Settings) -> None:
    """Refuses what a turn's log may not choose by itself, since a log may be somebody else's: a folder that is not the
    user's own and, where the conversation was imported, an assistant of the working folder."""
    what, home = "", settings.home_path
    if is_path(assistant):
        own = (path.parent for place in ("assistants", SUITES) for path in (home / place).glob(f"*/{FILE}"))
        if assistant not in {str(folder) for path in own for folder in (path, path.resolve())}:
            what = f"names the folder {assistant!r} as its assistant, and a folder that stands in a log is not opened"
    elif started.settings.get(IMPORTED):
        places = [*(path.parent for path in (home / "assistants").glob(f"*/{FILE}")), *_folders(settings.extensions)]
        known = {_look_at(place, settings.extensions).name for place in places} | agents_of(settings.extensions).keys()
        if assistant not in known:
            what = f"was imported, and its assistant {assistant!r} is none of Glassloop's or of your home folder"
    if what:
        raise UsageError(
            f"Turn {started.turn_id!r} {what}: give the command `--assistant {shlex.quote(assistant)}` if you trust "
            "the code that lies there."
        )


def read_assistant(folder: Path, extensions: Extensions | None = None) -> Assistant:
    """The profile in a folder; a mistake in it is told with its place."""
    path = folder / FILE
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"The profile {path} is larger than {_MAX_BYTES:,} bytes: shorten it.")
        assistant = msgspec.convert(_whole(_parsed(path.read_text("utf-8-sig")), extensions), Assistant)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"The profile {path} cannot be used: {error}. docs/assistants.md shows what it may hold."
        ) from None
    return msgspec.structs.replace(assistant, folder=str(folder), source="")


@lru_cache(_KEPT_PROFILES)
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def _whole(raw: dict[str, Any], extensions: Extensions | None) -> dict[str, Any]:
    """With what it takes over from an assistant of an extension that it is `like`."""
    like = raw.get("like")
    if not isinstance(like, str) or not like:
        return raw
    folders = _folders(installed_extensions() if extensions is None else extensions)
    known = {each["name"]: each for each in (_parsed((f / FILE).read_text("utf-8")) for f in folders)}
    if like not in known:
        raise UsageError(f"`like` names {like!r}, which no extension brings: there are {', '.join(sorted(known))}.")
    # The brief form belongs to its prompt: with another one it would say something else.
    return {**known[like], "rank": 0, **({"prompt_brief": ""} if "prompt" in raw else {}), **raw}


class AssistantParts(msgspec.Struct, frozen=True):
    """What an assistant is made of beside its profile."""

    tools: ToolRegistry
    plugins: Sequence[Plugin] = ()
    guardrails: Sequence[Guardrail] = ()


def load_parts(assistant: Assistant, settings: Settings, more: Mapping[str, Any] | None = None) -> AssistantParts:
    """The plugins of an assistant, its tools and its guardrails: `file.py` beside the profile, or
    `package.module:factory` called with the home folder, and what plugins add.

    A factory also gets `settings` and those of `more` that it has a parameter for.
    """
    offered = {"settings": settings, **(more or {})}
    parts: list[Tool | Guardrail] = []
    for entry in assistant.tools:
        parts += (
            tools_of_file(Path(assistant.folder) / entry)
            if entry.endswith(".py")
            else tools_of_module(entry, settings.home_path, offered)
        )
    tools = [part for part in parts if isinstance(part, Tool)]
    plugins, registry = load_plugins(assistant.name, assistant.plugins, settings, offered, tools)
    return AssistantParts(registry, plugins, [part for part in parts if isinstance(part, Guardrail)])


def _places(settings: Settings, folder: Path) -> Iterator[Path | ServedAgent]:
    """Every folder with a profile and every agent, those that win a name first."""
    agents = [agent for extension in settings.extensions for agent in extension.agents()]
    yield from (agent for agent in agents if agent.of_program)
    seen: set[Path] = set()
    for parent in (settings.home_path / "assistants", None, folder, folder / "assistants"):
        below = _folders(settings.extensions) if parent is None else [path.parent for path in profiles_below(parent)]
        # The working folder may be an assistant itself.
        here = [folder] if parent == folder and (folder / FILE).is_file() else []
        for place in (*here, *below):
            if place.resolve() not in seen:
                seen.add(place.resolve())
                yield place
        if parent is None:
            yield from (agent for agent in agents if not agent.of_program)


class _ForeignProfiles:
    """Profiles of the working folder, which no name leads to before the user trusts it; looked at when there is one."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._own = {path.parent for path in profiles_below(settings.home_path / "assistants")}
        self._trusted: bool | None = None

    def checked(self, entry: Assistant) -> Assistant | UnusableAssistant:
        place = Path(entry.folder)
        if is_of_extension(entry, self._settings) or place in self._own or self._is_trusted():
            return entry
        reason = (
            f"The assistant {entry.name!r} is of the working folder, which is not trusted: `glassloop trust` there "
            "shows what the folder would decide and asks."
        )
        return UnusableAssistant(name=entry.name, folder=entry.folder, reason=reason, untrusted=True)

    def _is_trusted(self) -> bool:
        if self._trusted is None:
            home = self._settings.home_path
            trust = trusted_folders(home, self._settings.extensions).look(self._folder)
            self._trusted = trust.trusted or self._folder.resolve() == home.resolve()
        return self._trusted


def _folders(extensions: Extensions) -> list[Path]:
    return [folder for extension in extensions for folder in extension.assistants()]


def _look_at(place: Path, extensions: Extensions) -> Assistant | UnusableAssistant:
    try:
        found = read_assistant(place, extensions)
        owner = next((each for each in extensions if place in each.assistants()), None)
        return msgspec.structs.replace(found, source=owner.origin(place)) if owner else found
    except UsageError as error:
        return UnusableAssistant(name=place.name, folder=str(place), reason=str(error))


def _served(agent: ServedAgent) -> Assistant:
    return Assistant(name=agent.name, prompt="", description=agent.description, source=agent.source)


def _owner(entry: Assistant | UnusableAssistant) -> str:
    if isinstance(entry, Assistant) and entry.source:
        return f"an assistant that is installed ({entry.source})" if entry.folder else f"an agent of {entry.source}"
    return entry.folder
