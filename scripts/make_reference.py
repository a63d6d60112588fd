"""Writes docs/reference, and the programs into docs/cookbook.md: `python scripts/make_reference.py [--check]`.

A public name is one of `glassloop.__all__`. Its signature and members are read from the source as they are written
there, its meaning from the docstrings, its example from `examples/reference`: a file whose docstring begins with the
names that it shows (`Approval, TurnPaused: …`). The examples are run, and what they print is shown below them.
`--check` writes nothing and prints what is stale, and what has no meaning or no example.
"""

import argparse
import ast
import contextlib
import io
import os
import re
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

from reference_source import PublicName, public_names

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "reference"
EXAMPLES = ROOT / "examples" / "reference"
COOKBOOK = ROOT / "docs" / "cookbook.md"
INCLUDED = re.compile(r"^```(python|toml)\n# (examples/\S+)\n.*?^```$", re.M | re.S)
NOTE = "<!-- Written by scripts/make_reference.py from the docstrings. -->"
SETTINGS = ("_API_KEY", "_BASE_URL", "GLASSLOOP_", "REACT_", "CONTEXT_", "OLLAMA_", "DATABASE_URL", "SESSION_STORE_")


class Example(NamedTuple):
    """A program of `examples/reference`, and what it prints."""

    path: Path
    names: Sequence[str]
    code: str
    output: str


def examples() -> Iterator[Example]:
    """Runs each example in an empty folder, with nobody's settings."""
    for name in [name for name in os.environ if any(part in name for part in SETTINGS)]:
        del os.environ[name]
    os.environ["GLASSLOOP_MODELS_OFFLINE"] = "true"
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text("utf-8")
        about = ast.get_docstring(ast.parse(text)) or ""
        names = [name.strip() for name in about.partition(":")[0].split(",")]
        yield Example(path, names, without_docstring(text), printed(path))


def without_docstring(code: str) -> str:
    """What the page says in its own words stands in no listing."""
    first = ast.parse(code).body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return "\n".join(code.splitlines()[first.end_lineno if is_text else 0 :]).strip()


def printed(path: Path) -> str:
    before, folder = Path.cwd(), tempfile.mkdtemp()
    os.environ["GLASSLOOP_HOME"] = folder
    written = io.StringIO()
    try:
        os.chdir(folder)
        with contextlib.redirect_stdout(written):
            runpy.run_path(str(path), run_name="__main__")
    except BaseException as error:
        error.add_note(f"in {path.relative_to(ROOT)}")
        raise
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)
    return written.getvalue().rstrip()


def pages(names: Sequence[PublicName], programs: Sequence[Example]) -> dict[str, str]:
    """The text of every page, by its name."""
    homes: dict[str, list[PublicName]] = {}
    for name in names:
        homes.setdefault(name.module, []).append(name)
    lasts = [module.rpartition(".")[2] for module in homes]
    files = {
        module: f"{last if lasts.count(last) == 1 else module.replace('.', '_')}.md"
        for module, last in zip(homes, lasts, strict=True)
    }
    links = {name.name: f"{files[name.module]}#{anchor(name, homes[name.module])}" for name in names}
    by_name = {name: example for example in programs for name in example.names}
    found = {files[module]: page(group, by_name, links) for module, group in homes.items()}
    return {**found, "README.md": index(names, links)}


def anchor(name: PublicName, beside: Sequence[PublicName]) -> str:
    """As GitHub makes it: in lower case, numbered where another heading of the page has it already."""
    same = [one.name for one in beside if one.name.lower() == name.name.lower()]
    return f"{name.name.lower()}-{same.index(name.name)}".removesuffix("-0")


def index(names: Sequence[PublicName], links: Mapping[str, str]) -> str:
    rows = (f"| [`{name.name}`]({links[name.name]}) | {cell(first_sentence(name.meaning))} |" for name in names)
    head = f"{NOTE}\n\n# Reference\n\nEvery name that `from glassloop import …` gives, with its signature, its meaning"
    about = "and an example that a test runs. Whole programs: the [cookbook](../cookbook.md)."
    return "\n".join([f"{head}\n{about}\n", "| name | is |", "| --- | --- |", *rows, ""])


def page(names: Sequence[PublicName], by_name: Mapping[str, Example], links: Mapping[str, str]) -> str:
    parts = [NOTE, f"# {', '.join(name.name for name in names)}"]
    done: dict[Path, str] = {}
    for name in names:
        parts += [*([f"## {name.name}"] if len(names) > 1 else []), f"```python\n{name.signature}\n```", name.meaning]
        if name.bases:
            linked = (f"[`{base}`]({links[base]})" if base in links else f"`{base}`" for base in name.bases)
            parts.append(f"A kind of {', '.join(linked)}.")
        if example := by_name.get(name.name):
            first = done.setdefault(example.path, name.name)
            parts.append(shown(example) if first == name.name else f"Example: that of [`{first}`]({links[first]}).")
        parts += members(name)
    return "\n\n".join(parts) + "\n"


def shown(example: Example) -> str:
    printed = f"\n\n```text\n{example.output}\n```" if example.output else ""
    return f"```python\n{example.code}\n```{printed}"


def members(name: PublicName) -> Iterator[str]:
    for kind in ("field", "class"):
        rows = [f"| `{cell(one.signature)}` | {cell(one.meaning)} |" for one in name.members if one.kind == kind]
        if rows:
            yield "\n".join([f"| {kind} | meaning |", "| --- | --- |", *rows])
    for one in name.members:
        if one.kind == "method":
            yield f"### {name.name}.{one.name}\n\n```python\n{one.signature}\n```\n\n{one.meaning}"


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def first_sentence(text: str) -> str:
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s", paragraph, maxsplit=1)[0].rstrip(":")


def lacking(names: Sequence[PublicName], shown: Sequence[Example]) -> Iterator[str]:
    """What a reader would look for in vain."""
    with_example = {name for example in shown for name in example.names}
    for name in names:
        if not name.meaning:
            yield f"{name.name}: has no docstring: say what it is"
        for parameter in name.unexplained:
            yield f"{name.name}: says nothing of `{parameter}`: name it in the docstring"
        for member in name.members:
            if not member.meaning:
                yield f"{name.name}.{member.name}: has no meaning: write a docstring below it"
        if name.name not in with_example:
            yield f"{name.name}: has no example: add a file to examples/reference that begins with '{name.name}: …'"
    public = {name.name for name in names}
    for example in shown:
        for unknown in set(example.names) - public:
            yield f"{example.path.name}: shows {unknown!r}, which is not public"


def cookbook(text: str) -> str:
    """The page with each program as it is in its file."""

    def program(found: re.Match[str]) -> str:
        code = (ROOT / found[2]).read_text("utf-8")
        return f"```{found[1]}\n# {found[2]}\n{without_docstring(code) if found[1] == 'python' else code.strip()}\n```"

    return INCLUDED.sub(program, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=cleandoc(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where anything is stale")
    check = parser.parse_args().check
    names, shown = public_names(), list(examples())
    wanted = {TARGET / name: text for name, text in pages(names, shown).items()}
    if COOKBOOK.exists():
        wanted[COOKBOOK] = cookbook(COOKBOOK.read_text("utf-8"))
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    gone = [path for path in TARGET.glob("*") if path not in wanted]
    problems = list(lacking(names, shown))
    if check:
        problems += [f"{path.relative_to(ROOT)}: stale: run scripts/make_reference.py" for path in (*stale, *gone)]
    else:
        TARGET.mkdir(exist_ok=True)
        for path in stale:
            path.write_text(wanted[path], "utf-8")
        for path in gone:
            path.unlink()
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
