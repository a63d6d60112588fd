# ruff: noqa: E501
"""Small projects drawn by chance, of which it is known what is where. The talks of a group are about one of them."""

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from training.data.assistants.code.pieces import MAKERS, Piece, Words, retry
from training.data.assistants.code.themes import DOCS, PACKAGES, SETTINGS, THEMES, TODOS, Theme
from training.data.values import Rng

MADE: Final = 1_700_000_000
"""When files were written: before every change, else Python takes what it compiled of a file of the same size."""


@dataclass
class Setting:
    key: str
    default: str
    in_file: str
    """Empty where the settings file does not have it."""
    means: Words

    def literal(self, value: str) -> str:
        return value if value.replace(".", "").isdigit() else f'"{value}"'


@dataclass
class Project:
    """`where`: of a function or constant its file. `callers`: of a function those that call it, with their file."""

    theme: Theme
    rng: Rng
    folder: Path = Path()
    files: dict[str, str] = field(default_factory=dict)
    base: str = ""
    pieces: list[Piece] = field(default_factory=list)
    retry: Piece | None = None
    where: dict[str, str] = field(default_factory=dict)
    consts: dict[str, str] = field(default_factory=dict)
    callers: dict[str, tuple[str, str]] = field(default_factory=dict)
    settings: list[Setting] = field(default_factory=list)
    style: str = "env"
    """Where settings come from: `env` alone, `env-wins` over a file or `file-wins`."""
    settings_file: str = ""
    version: str = ""
    python: str = ""
    dependencies: list[tuple[str, str]] = field(default_factory=list)
    dev: list[tuple[str, str]] = field(default_factory=list)
    runner: str = ""
    todos: list[tuple[str, str]] = field(default_factory=list)
    capacity: int = 0
    unused: str = ""
    undocumented: list[str] = field(default_factory=list)
    docs: dict[str, tuple[str, Words]] = field(default_factory=dict)
    """Of a topic the document and what it says."""
    changes: list[tuple[str, str, str]] = field(default_factory=list)
    shared_consts: bool = False
    js: str = ""
    js_ms: int = 0

    @property
    def broken(self) -> Piece | None:
        return next((piece for piece in self.pieces if piece.broken), None)

    @property
    def sound(self) -> list[Piece]:
        return [piece for piece in self.pieces if not piece.broken]

    def restore(self) -> "Project":
        """All files as they were made."""
        for path in self.folder.rglob("*"):
            if path.is_file() and path.relative_to(self.folder).as_posix() not in self.files:
                path.unlink()
        for name, text in self.files.items():
            path = self.folder / name
            if not path.is_file() or path.read_text() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                os.utime(path, (MADE, MADE))
        for path in self.folder.rglob("__pycache__"):
            shutil.rmtree(path, ignore_errors=True)
        return self


def draw_project(rng: Rng) -> Project:
    """All of it but the folder."""
    theme = rng.some(THEMES)
    project = Project(theme, rng)
    project.base = rng.some([f"src/{theme.package}", f"src/{theme.package}", theme.package])
    project.pieces = [make(rng, theme) for make in rng.sample(MAKERS, rng.randrange(4, 7))]
    _distinct(project)
    if rng.random() < 0.55:
        rng.some([piece for piece in project.pieces if piece.bug]).broken = True
    project.retry = retry(rng, theme) if rng.random() < 0.7 else None
    project.shared_consts = rng.random() < 0.35
    project.version = f"{rng.randrange(0, 4)}.{rng.randrange(1, 12)}.{rng.randrange(0, 9)}"
    project.python = rng.some(["3.10", "3.11", "3.12"])
    drawn = rng.sample(PACKAGES, rng.randrange(2, 5))
    project.dependencies = [(name, rng.some(versions)) for name, versions in drawn]
    project.dev = rng.sample([("ruff", "0.6"), ("mypy", "1.11"), ("coverage", "7.6"), ("tox", "4.18")], 2)
    project.runner = "python3 -m unittest discover -s tests"
    project.style = rng.some(["env", "env", "env-wins", "file-wins"])
    project.settings_file = "" if project.style == "env" else rng.some(["settings.toml", "settings.json"])
    for key, values, (en, de, zh) in rng.sample(SETTINGS, rng.randrange(3, 6)):
        default, other = rng.sample(values, 2)
        in_file = other if project.settings_file and rng.random() < 0.6 else ""
        project.settings.append(Setting(key, default, in_file, {"en": en, "de": de, "zh": zh}))
    project.capacity = rng.randrange(6, 80)
    _write_modules(project)
    _write_texts(project)
    return project


def _distinct(project: Project) -> None:
    seen: set[str] = set()
    kept: list[Piece] = []
    for piece in project.pieces:
        names = {piece.name, *(name for name, _ in piece.consts)}
        if not names & seen:
            kept.append(piece)
            seen |= names
    project.pieces = kept


def _write_modules(project: Project) -> None:
    theme, rng, base = project.theme, project.rng, project.base
    modules: dict[str, list[Piece]] = {name: [] for name in theme.modules[:2]}
    for place, piece in enumerate(project.pieces):
        modules[theme.modules[place % 2]].append(piece)
    package = theme.package
    shared: list[tuple[str, str]] = []
    for name, pieces in modules.items():
        path = f"{base}/{name}.py"
        consts = [const for piece in pieces for const in piece.consts]
        imports = [f"from {package}.errors import {theme.error}"] if any(piece.raises for piece in pieces) else []
        if project.shared_consts and consts:
            imports.append(f"from {package}.limits import {', '.join(sorted(each for each, _ in consts))}")
            shared += consts
            consts = []
        for piece in pieces:
            project.where[piece.name] = path
        project.files[path] = _module(
            f"{name.replace('_', ' ').capitalize()} of {theme.title}.",
            imports,
            consts,
            [_with_todo(project, path, piece) for piece in pieces],
        )
        for const, value in consts:
            project.where[const], project.consts[const] = path, value
    if shared:
        path = f"{base}/limits.py"
        project.files[path] = _module("Limits that several modules share.", [], shared, [])
        for const, value in shared:
            project.where[const], project.consts[const] = path, value
    if project.retry is not None:
        path = f"{base}/source.py"
        imports = [
            "import time",
            "from collections.abc import Callable",
            "",
            f"from {package}.errors import {theme.error}",
        ]
        project.files[path] = _module("Where the data comes from.", imports, project.retry.consts, [project.retry.text])
        project.where[project.retry.name] = path
        for const, value in project.retry.consts:
            project.where[const], project.consts[const] = path, value
    project.files[f"{base}/errors.py"] = (
        f'"""Errors of {theme.title}."""\n\n\nclass {theme.error}(ValueError):\n    """Something about a {theme.thing} is wrong."""\n'
    )
    project.where[theme.error] = f"{base}/errors.py"
    project.files[f"{base}/__init__.py"] = f'"""{theme.title}: {theme.about}."""\n\n__version__ = "{project.version}"\n'
    _write_book(project)
    _write_report(project)
    _write_settings(project)
    _write_tests(project)
    if rng.random() < 0.3:
        _write_js(project)


def _module(title: str, imports: list[str], consts: list[tuple[str, str]], bodies: list[str]) -> str:
    head = f'"""{title}"""\n'
    if imports:
        head += "\n" + "\n".join(imports) + "\n"
    if consts:
        head += "\n" + "".join(f"{name} = {value}\n" for name, value in consts)
    return head + "".join(f"\n\n{body}" for body in bodies)


def _with_todo(project: Project, path: str, piece: Piece) -> str:
    rng = project.rng
    if len(project.todos) >= 2 or rng.random() > 0.4:
        return piece.text
    text = rng.some([each for each in TODOS if each not in [one for one, _ in project.todos]])
    project.todos.append((text, path))
    lines = piece.text.split("\n")
    return "\n".join([*lines[:2], f"    # TODO: {text}", *lines[2:]])


def _write_book(project: Project) -> None:
    theme = project.theme
    path = f"{project.base}/{theme.modules[2]}.py"
    project.where[theme.book] = path
    project.where["CAPACITY"], project.consts["CAPACITY"] = path, str(project.capacity)
    project.files[path] = f'''"""The {theme.things} that are kept."""

from {theme.package}.errors import {theme.error}

CAPACITY = {project.capacity}


class {theme.book}:
    """Keeps {theme.things} by name, up to CAPACITY of them."""

    def __init__(self) -> None:
        self._kept: dict[str, int] = {{}}

    def add(self, name: str, value: int) -> None:
        """Put one in. A name can be there once."""
        if name in self._kept:
            raise {theme.error}("already there: " + name)
        if len(self._kept) >= CAPACITY:
            raise {theme.error}("no room left")
        self._kept[name] = value

    def remove(self, name: str) -> int:
        """Take one out and return its value; 0 if it is not there."""
        return self._kept.pop(name, 0)

    def names(self) -> list[str]:
        """All names in alphabetical order."""
        return sorted(self._kept)
'''


def _write_report(project: Project) -> None:
    """Callers: most functions are called there, one is not called at all."""
    theme, rng = project.theme, project.rng
    module = rng.some(["report", "cli", "summary"])
    path = f"{project.base}/{module}.py"
    called = rng.sample(project.pieces, len(project.pieces) - 1)
    project.unused = next(piece.name for piece in project.pieces if piece not in called)
    imports, bodies = [], []
    for piece in called:
        caller = rng.some(["show", "print", "list", "export"]) + "_" + rng.some(["row", "line", "entry", "item"])
        caller = f"{caller}_{piece.kind}"
        given = {"parse": "line: str", "label": "name: str, number: int"}.get(piece.kind, "value: int")
        values = ", ".join(part.split(":")[0] for part in given.split(", "))
        doc = f'    """One line of the {module}."""\n'
        if rng.random() < 0.3:
            doc = ""
            project.undocumented.append(caller)
        text = f"def {caller}({given}) -> str:\n{doc}    return str({piece.name}({values}))\n"
        project.callers[piece.name] = (caller, path)
        imports.append(f"from {theme.package}.{Path(project.where[piece.name]).stem} import {piece.name}")
        bodies.append(text)
        project.where[caller] = path
    project.files[path] = _module(f"The {module} of {theme.title}.", sorted(imports), [], bodies)


def _write_settings(project: Project) -> None:
    theme, style = project.theme, project.style
    path = f"{project.base}/{project.rng.some(['settings', 'config', 'options'])}.py"
    project.where["settings"] = path
    if style == "env":
        lines = [f'"""Settings of {theme.title}, read from the environment."""', "", "import os", ""]
        for each in project.settings:
            read = f'os.environ.get("{theme.env}_{each.key.upper()}", "{each.default}")'
            lines.append(f"{each.key.upper()} = {f'int({read})' if each.default.isdigit() else read}")
        project.files[path] = "\n".join(lines) + "\n"
        return
    kind = project.settings_file.rpartition(".")[2]
    loader = {"toml": ("tomllib", "tomllib.loads"), "json": ("json", "json.loads")}[kind]
    defaults = "".join(f'    "{each.key}": {each.literal(each.default)},\n' for each in project.settings)
    file_part = f"    found.update({loader[1]}(Path(path).read_text()))\n"
    env_part = (
        f'    for key in DEFAULTS:\n        if value := os.environ.get("{theme.env}_" + key.upper()):\n'
        "            found[key] = value\n"
    )
    order = file_part + env_part if style == "env-wins" else env_part + file_part
    project.files[path] = (
        f'"""Settings of {theme.title}."""\n\n'
        + "\n".join(sorted(["import os", f"import {loader[0]}"]))
        + f"\nfrom pathlib import Path\n\nDEFAULTS = {{\n{defaults}}}\n\n\n"
        f'def load_settings(path: str = "{project.settings_file}") -> dict[str, object]:\n'
        f'    """All settings; what is read later wins."""\n    found: dict[str, object] = dict(DEFAULTS)\n{order}    return found\n'
    )
    project.where["load_settings"] = path
    given = {each.key: each.in_file for each in project.settings if each.in_file}
    if kind == "json":
        values = {key: int(value) if value.isdigit() else value for key, value in given.items()}
        project.files[project.settings_file] = json.dumps(values, indent=2) + "\n"
    else:
        by_key = {each.key: each for each in project.settings}
        text = "".join(f"{key} = {by_key[key].literal(value)}\n" for key, value in given.items())
        project.files[project.settings_file] = text or "# nothing is set here\n"


def _write_tests(project: Project) -> None:
    theme = project.theme
    for name in theme.modules[:2]:
        path = f"{project.base}/{name}.py"
        pieces = [piece for piece in project.pieces if project.where[piece.name] == path]
        tests: list[str] = []
        for piece in pieces:
            if piece.broken and piece.bug:
                tests.append(_test(piece.name, piece.bug.args, piece.bug.wanted, piece.kind))
            elif piece.samples and (project.rng.random() < 0.75 or not tests):
                args, result, _ = piece.samples[0]
                tests.append(_test(piece.name, args, result, piece.kind))
        used = sorted(piece.name for piece in pieces if any(f"({piece.name}(" in test for test in tests))
        if used:
            start = "" if "/" not in project.base else "import sys\n"
            way = "" if "/" not in project.base else '\nsys.path.insert(0, "src")\n'
            project.files[f"tests/test_{name}.py"] = (
                f"{start}import unittest\n{way}\nfrom {theme.package}.{name} import {', '.join(used)}  # noqa: E402\n\n\n"
                f"class {name.title().replace('_', '')}Test(unittest.TestCase):\n" + "\n".join(tests)
            )


def _test(name: str, args: str, wanted: str, kind: str) -> str:
    return f"    def test_{kind}(self) -> None:\n        self.assertEqual({name}({args}), {wanted})\n"


def _write_js(project: Project) -> None:
    project.js, project.js_ms = "web/board.js", project.rng.randrange(2, 20) * 500
    project.files[project.js] = (
        f"// The page that shows the {project.theme.things}.\nconst REFRESH_MS = {project.js_ms};\n\n"
        f"function renderRow(name, value) {{\n  return `<li>${{name}}: ${{value}}</li>`;\n}}\n\n"
        "function start(load) {\n  setInterval(load, REFRESH_MS);\n}\n\nmodule.exports = { renderRow, start };\n"
    )


def _write_texts(project: Project) -> None:
    theme, rng = project.theme, project.rng
    needs = ", ".join(f'"{name}>={version}"' for name, version in project.dependencies)
    dev = ", ".join(f'"{name}>={version}"' for name, version in project.dev)
    project.files["pyproject.toml"] = (
        f'[project]\nname = "{theme.package}"\nversion = "{project.version}"\ndescription = "{theme.title}"\n'
        f'requires-python = ">={project.python}"\ndependencies = [{needs}]\n\n'
        f"[project.optional-dependencies]\ndev = [{dev}]\n"
    )
    for topic in rng.sample(list(DOCS), rng.randrange(1, 3)):
        sentence, (en, de, zh) = DOCS[topic]
        figures = {"n": rng.randrange(2, 6), "m": rng.randrange(11, 19)}
        path = f"docs/{topic}.md"
        project.docs[topic] = (
            path,
            {
                "en": en.format(**figures),
                "de": de.format(**figures),
                "zh": zh.format(**figures),
            },
        )
        project.files[path] = f"# {topic.capitalize()}\n\n{sentence.format(**figures)}\n"
    project.files["README.md"] = (
        f"# {theme.title}\n\n{theme.title} {theme.about}.\n\n## Tests\n\nRun `{project.runner}` in this folder.\n"
    )
    if rng.random() < 0.75:
        major, minor, _patch = project.version.split(".")
        older = f"{major}.{int(minor) - 1}.{rng.randrange(0, 5)}"
        notes = rng.sample(
            [
                "Faster start.",
                "New report.",
                "Dropped the old file format.",
                "Fixed a wrong total.",
                "German messages.",
                "Settings can be given by the environment.",
            ],
            2,
        )
        days = [
            f"2026-0{rng.randrange(6, 9)}-{rng.randrange(10, 28)}",
            f"2026-0{rng.randrange(1, 5)}-{rng.randrange(10, 28)}",
        ]
        project.changes = [(project.version, days[0], notes[0]), (older, days[1], notes[1])]
        project.files["CHANGELOG.md"] = "# Changes\n" + "".join(
            f"\n## {version} ({day})\n\n- {note}\n" for version, day, note in project.changes
        )
