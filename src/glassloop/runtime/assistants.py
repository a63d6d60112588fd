"""Assistants as files: a folder with `assistant.toml` and, if it has tools of its own, a Python file.

Ours and the user's are the same: ours lie in the packs, theirs in the working folder or in the home folder. Listing
reads profiles only; a Python file is loaded when its assistant is asked for by name.
"""

import importlib
import importlib.util
import inspect
import tomllib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.events import ProtocolName
from glassloop.core.policy import Approvals, Limits, Profile
from glassloop.runtime.settings import Settings
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import Tool

FILE = "assistant.toml"
_PACKS = Path(__file__).parent.parent / "packs"
_STARTER = Path(__file__).parent / "starter"


class LimitsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[limits]` of a profile; `max_iterations` stands beside it."""

    tool_calls: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class Assistant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A profile as it stands in its file."""

    name: str
    prompt: str
    title: str = ""
    description: str = ""
    protocol: ProtocolName = "native"
    planner: bool = False
    reflection: bool = False
    max_iterations: int | None = None
    temperature: float = 0.3
    max_tokens: int = 4096
    approvals: Approvals = "declared"
    preset: str | None = None
    context_tokens: int | None = None
    observation_chars: int | None = None
    tools: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    limits: LimitsTable = LimitsTable()
    folder: str = ""

    def profile(self, settings: Settings) -> Profile:
        limits = msgspec.structs.asdict(self.limits)
        return Profile(
            name=self.name,
            prompt=self.prompt.strip(),
            protocol=self.protocol,
            planner=self.planner,
            reflection=self.reflection,
            limits=Limits(iterations=self.max_iterations or settings.max_iterations, **limits),
            approvals=self.approvals,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            context_tokens=self.context_tokens,
            keep_recent=settings.context_keep_recent,
            observation_chars=self.observation_chars,
            preset=self.preset or settings.preset,
        )


def list_assistants(settings: Settings, folder: Path | None = None) -> Sequence[Assistant]:
    """Every assistant there is, the user's own before ours of the same name."""
    found: dict[str, Assistant] = {}
    for place in _places(settings, folder or Path.cwd()):
        assistant = read_assistant(place)
        found.setdefault(assistant.name, assistant)
    return sorted(found.values(), key=lambda assistant: assistant.name)


def find_assistant(name: str, settings: Settings, folder: Path | None = None) -> Assistant:
    """By name, or by the folder it lies in."""
    folder = folder or Path.cwd()
    path = (folder / name).expanduser()
    if (path / FILE).is_file():
        return read_assistant(path)
    every = {assistant.name: assistant for assistant in list_assistants(settings, folder)}
    if name in every:
        return every[name]
    near = get_close_matches(name, every, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(every)}."
    raise UnknownName(f"There is no assistant {name!r}: {hint} `glassloop init {name}` makes one of that name.")


def read_assistant(folder: Path) -> Assistant:
    """The profile in a folder; a mistake in it is told with its place."""
    path = folder / FILE
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
        assistant = msgspec.convert(raw, Assistant)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(
            f"The profile {path} cannot be used: {error}. docs/assistants.md shows what it may hold."
        ) from None
    return msgspec.structs.replace(assistant, folder=str(folder))


def load_tools(assistant: Assistant, home: Path) -> ToolRegistry:
    """The tools a profile names: `file.py` beside it, or `package.module:factory` called with the home folder."""
    tools: list[Tool] = []
    for entry in assistant.tools:
        tools += _from_file(Path(assistant.folder) / entry) if entry.endswith(".py") else _from_module(entry, home)
    return ToolRegistry(tools)


def make_assistant(name: str, folder: Path) -> Path:
    """A new assistant of the user's own, ready to be asked."""
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise UsageError(f"{name!r} cannot be an assistant's name: use letters, digits, - and _.")
    target = folder / name
    if target.exists():
        raise UsageError(f"{target} exists already: choose another name, or remove it first.")
    target.mkdir(parents=True)
    for source in (_STARTER / FILE, _STARTER / "tools.py"):
        text = source.read_text("utf-8").replace("starter", name)
        (target / source.name).write_text(text, "utf-8")
    return target


def _places(settings: Settings, folder: Path) -> Iterator[Path]:
    if (folder / FILE).is_file():
        yield folder
    for parent in (folder, folder / "assistants", settings.home_path / "assistants", _PACKS):
        if parent.is_dir():
            yield from sorted(path.parent for path in parent.glob(f"*/{FILE}"))


def _from_file(path: Path) -> list[Tool]:
    spec = importlib.util.spec_from_file_location(f"glassloop_assistant_{path.parent.name}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UsageError(f"The tools file {path} is not there: write it, or take it out of the profile.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"The tools file {path} cannot be loaded: {type(error).__name__}: {error}") from error
    return [found for value in vars(module).values() if (found := _as_tool(value)) is not None]


def _from_module(entry: str, home: Path) -> list[Tool]:
    name, _, attribute = entry.partition(":")
    try:
        found: Any = getattr(importlib.import_module(name), attribute or "make_tools")
    except (ImportError, AttributeError) as error:
        raise UsageError(f"The profile names tools {entry!r}, which cannot be found: {error}") from None
    made = found(home) if inspect.isfunction(found) else found
    return [tool for value in made if (tool := _as_tool(value)) is not None]


def _as_tool(value: object) -> Tool | None:
    return value if isinstance(value, Tool) else None
