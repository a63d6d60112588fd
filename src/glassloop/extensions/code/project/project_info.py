"""`ProjectInfo`: what a folder is, by the manifests at its top and by version control. Runs nothing of it. Blocks."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

import msgspec

from glassloop.extensions.code.project.git_status import is_dirty
from glassloop.root_folder import RootFolder

MAX_BYTES = 1_000_000
MAX_DEPENDENCIES = 200
MAX_NAME = 200
TOLD_DEPENDENCIES = 10

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_HEAD = re.compile(r"ref: refs/heads/([^\s\x00-\x1f]{1,200})")


class ProjectInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`dirty`: there are changes that are not committed; None where it is not known. `others`: types
    of further manifests at the top."""

    type: str = "unknown"
    name: str | None = None
    dependencies: Sequence[str] = ()
    version: str | None = None
    is_git: bool = False
    branch: str | None = None
    dirty: bool | None = None
    others: Sequence[str] = ()

    @property
    def _branch_told(self) -> str:
        return f"{self.branch or 'unknown'}{', with changes that are not committed' if self.dirty else ''}"

    @property
    def summary(self) -> str:
        """What is known, in a few lines for a prompt; empty where nothing is."""
        facts = {
            "type": "" if self.type == "unknown" else ", ".join((self.type, *self.others)),
            "name": " ".join(filter(None, (self.name, self.version))),
            "git branch": self._branch_told if self.is_git else "",
            "dependencies": ", ".join(self.dependencies[:TOLD_DEPENDENCIES]),
        }
        return "\n".join(f"{name}: {value}" for name, value in facts.items() if value)


def describe(folder: Path) -> ProjectInfo:
    """All that is known of a folder, with whether it has changes that are not committed, which takes longer."""
    with RootFolder(folder) as root:
        found = read_project(root)
    return msgspec.structs.replace(found, dirty=is_dirty(folder)) if found.is_git else found


Facts = tuple[str | None, str | None, list[str]]
"""Name, version and dependencies."""


def read_project(root: RootFolder) -> ProjectInfo:
    """By the first of the known manifests; the others are named."""
    names = _names(root)
    found: list[tuple[str, Facts]] = []
    for pattern, kind, read in _MANIFESTS:
        there = [name for name in sorted(names) if fnmatchcase(name, pattern)]
        found += [(kind, _facts(read, text)) for name in there if (text := _text(root, name)) is not None]
    is_git, branch = _version_control(root, names)
    if not found:
        return ProjectInfo(is_git=is_git, branch=branch)
    kind, (name, version, dependencies) = found[0]
    same = [facts for each, facts in found[1:] if each == kind]
    for more in same:
        name, version, dependencies = name or more[0], version or more[1], [*dependencies, *more[2]]
    return ProjectInfo(
        type=kind,
        name=_short(name),
        version=_short(version),
        dependencies=list(dict.fromkeys(filter(None, map(_short, dependencies))))[:MAX_DEPENDENCIES],
        is_git=is_git,
        branch=branch,
        others=list(dict.fromkeys(each for each, _ in found if each != kind)),
    )


def project_kind(root: RootFolder) -> tuple[bool, str]:
    """Whether a folder is a git work tree, and the type of its project: by the names at its top alone."""
    names = _names(root)
    found = (kind for pattern, kind, _ in _MANIFESTS if any(fnmatchcase(name, pattern) for name in names))
    return ".git" in names, next(found, "unknown")


def _names(root: RootFolder) -> set[str]:
    folder = root.open_folder("").descriptor
    try:
        return set(os.listdir(folder))  # noqa: PTH208
    finally:
        os.close(folder)


def _text(root: RootFolder, path: str) -> str | None:
    try:
        file = root.open_file(path).descriptor
    except (OSError, ValueError):
        return None
    try:
        return os.read(file, MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(file)


def _facts(read: Callable[[str], Facts], text: str) -> Facts:
    """What is wrong in a manifest is the project's to find: its type is known all the same."""
    with suppress(ValueError, TypeError, AttributeError, KeyError, RecursionError, ConfigError):
        return read(text)
    return None, None, []


def _short(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return "".join(mark for mark in value.strip() if mark.isprintable())[:MAX_NAME] or None


def _version_control(root: RootFolder, names: set[str]) -> tuple[bool, str | None]:
    if ".git" not in names:
        return False, None
    # Of a work tree elsewhere the branch stands outside, and is not looked for.
    head = _HEAD.match(_text(root, ".git/HEAD") or "")
    return True, _short(head[1]) if head else None


def _table(value: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        value = cast("Mapping[str, Any]", value).get(key, {})
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _pyproject(text: str) -> Facts:
    read = tomllib.loads(text)
    project, poetry = _table(read, "project"), _table(read, "tool", "poetry")
    listed = [found[1] for each in project.get("dependencies", []) if (found := _REQUIREMENT.match(str(each)))]
    named = [each for each in _table(poetry, "dependencies") if each != "python"]
    return project.get("name") or poetry.get("name"), project.get("version") or poetry.get("version"), listed + named


def _setup(text: str) -> Facts:
    read = ConfigParser(interpolation=None, strict=False)
    read.read_string(text)
    lines = read.get("options", "install_requires", fallback="").splitlines()
    name, version = (read.get("metadata", each, fallback=None) for each in ("name", "version"))
    return name, version, [found[1] for line in lines if (found := _REQUIREMENT.match(line))]


def _requirements(text: str) -> Facts:
    lines = (line for line in text.splitlines() if not line.lstrip().startswith(("#", "-")))
    return None, None, [found[1] for line in lines if (found := _REQUIREMENT.match(line))]


def _package_json(text: str) -> Facts:
    read = json.loads(text)
    named = [*_table(read, "dependencies"), *_table(read, "devDependencies")]
    return read.get("name"), read.get("version"), named


def _composer(text: str) -> Facts:
    read = json.loads(text)
    return read.get("name"), read.get("version"), [each for each in _table(read, "require") if each != "php"]


def _cargo(text: str) -> Facts:
    read = tomllib.loads(text)
    package = _table(read, "package")
    return package.get("name"), package.get("version"), list(_table(read, "dependencies"))


def _matching(name: str, version: str, dependencies: str) -> Callable[[str], Facts]:
    """Manifests in languages of their own: what stands out in them. Each expression takes one pass."""

    def read(text: str) -> Facts:
        one, two = re.search(name, text, re.MULTILINE), re.search(version, text, re.MULTILINE)
        found = re.finditer(dependencies, text, re.MULTILINE)
        return (
            one and one[1],
            two and two[1],
            [each[1] for each, _ in zip(found, range(MAX_DEPENDENCIES), strict=False)],
        )

    return read


_NOTHING = r"(?!)()"
_GRADLE = _matching(
    r"^rootProject\.name\s*=\s*['\"]([^'\"\n]+)", r"^version\s*=?\s*['\"]([^'\"\n]+)",
    r"^\s*(?:implementation|api|compileOnly|testImplementation)\s*\(?\s*['\"]([^'\"\n]+)",
)  # fmt: skip
_MANIFESTS: Sequence[tuple[str, str, Callable[[str], Facts]]] = (
    ("pyproject.toml", "python", _pyproject),
    ("setup.cfg", "python", _setup),
    ("requirements*.txt", "python", _requirements),
    ("package.json", "node", _package_json),
    ("Cargo.toml", "rust", _cargo),
    ("go.mod", "go", _matching(r"^module\s+(\S+)", _NOTHING, r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v")),
    ("pom.xml", "java", _matching(
        r"^(?:  |\t| {4})<artifactId>([^<\n]+)", r"^(?:  |\t| {4})<version>([^<\n]+)", r"^\s{6,}<artifactId>([^<\n]+)",
    )),
    ("build.gradle*", "gradle", _GRADLE),
    ("Gemfile", "ruby", _matching(_NOTHING, _NOTHING, r"^\s*gem\s+['\"]([^'\"\n]+)")),
    ("composer.json", "php", _composer),
    ("*.csproj", "dotnet", _matching(
        r"<AssemblyName>([^<\n]+)", r"<Version>([^<\n]+)", r"<PackageReference\s+Include=\"([^\"\n]+)",
    )),
    ("CMakeLists.txt", "cmake", _matching(
        r"^\s*project\s*\(\s*([\w.-]+)", r"^\s*project\s*\([^)\n]*VERSION\s+([\d.]+)",
        r"^\s*find_package\s*\(\s*([\w.-]+)",
    )),
    ("Makefile", "make", _matching(_NOTHING, _NOTHING, _NOTHING)),
)  # fmt: skip
"""The first that is there says what the project is."""
