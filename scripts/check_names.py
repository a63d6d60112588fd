"""Checks the words of the project: names that exist once, files that are nouns, docstrings that are sentences, folders
that can be looked through, and a kernel that names none of its extensions.

`python scripts/check_names.py` prints what breaks a rule, one a line, and ends with 1 if anything does; `--count`
prints the figures instead.
"""

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "glassloop"
EXTENSIONS = PACKAGE / "extensions"
MAX_FILES = 20


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOUNS = words(
    """
    docstring embed embedding embeddings encoding feed listing logging meetings molding padding paging planning
    pricing purchasing ratings rendering routing scheduling seed setting settings speed spelling streaming string
    strings tracing training tuning warning warnings
    """
)
"""Words of the field that only look like a gerund or a participle."""

PARTICIPLES = words(
    """
    begun done found given gone heard held kept known lent made said seen sent shown spoken taken thought told
    written
    """
)
METAPHORS = words(
    """
    crew desk gate holder keeper pen place rail reception room rooms shelf shelves tape truth visit wish
    """
)
DECODED = ("What", "How", "Which", "Who", "Whoever", "Whose", "Where", "Whether", "When", "Whenever", "Why")
ENDING = re.compile(r"[a-z]+(ing|ings|ed)")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def file_names() -> Iterator[str]:
    for path in modules():
        last = path.stem.rpartition("_")[2]
        if last in NOUNS or path.stem.startswith("__"):
            continue
        if ENDING.fullmatch(last) or last in PARTICIPLES:
            yield f"{shown(path)}: {last!r} says what happened: name the file after what is inside"
        elif last in METAPHORS:
            yield f"{shown(path)}: {last!r} is a metaphor: use the word of the field"


def docstrings() -> Iterator[str]:
    for path in modules():
        text = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        if not text:
            if path.name != "__init__.py":
                yield f"{shown(path)}: has no docstring: say in a line what it owns"
            continue
        if text.split()[0].rstrip(",") in DECODED:
            yield f"{shown(path)}: begins with {text.split()[0]!r}: begin with a noun phrase or an imperative verb"


def public_classes() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path)
    return found


def duplicate_classes() -> Iterator[str]:
    for name, places in sorted(public_classes().items()):
        # The contract has one of this name for code beside the engine's.
        if len(places) > 1 and name != "ConversationMemory":
            yield f"{name}: defined in {', '.join(map(shown, places))}: a public class name exists once"


def folders() -> Iterator[str]:
    counts = Counter(path.parent for path in modules())
    for folder, count in sorted(counts.items()):
        if count > MAX_FILES:
            yield f"{shown(folder)}: {count} files: make sub-folders, {MAX_FILES} at most"


def extension_names() -> frozenset[str]:
    """By entry point, as a stranger's would be found."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    block = text.partition('[project.entry-points."glassloop.extensions"]')[2].partition("\n[")[0]
    return frozenset(re.findall(r"^(\w+) = ", block, re.MULTILINE))


def named_extensions() -> Iterator[str]:
    """Imports of an extension, and strings that name one, outside the extensions."""
    # "code" is an ordinary word, such as the field of an error; imports of that extension are found all the same.
    names = extension_names() - {"code"}
    for path in modules():
        # The package itself offers programs what extensions bring, and loads it when it is used.
        if EXTENSIONS in path.parents or path == PACKAGE / "__init__.py":
            continue
        tree = ast.parse(path.read_text("utf-8"))
        texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            line = getattr(node, "lineno", 0)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("glassloop.extensions"):
                yield f"{shown(path)}:{line}: imports {node.module}: the kernel knows no extension"
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
                value = node.value
                if (path.name, value) == ("messages.py", "general"):
                    # The domain of tools that belong to no other, which the contract calls so.
                    continue
                if value in names or value.partition(":")[0] in names or "glassloop.extensions." in value:
                    yield f"{shown(path)}:{line}: names {value[:60]!r}: the kernel knows no extension"


CHECKS = (file_names, docstrings, duplicate_classes, folders, named_extensions)


def counts() -> Iterator[str]:
    every, classes = modules(), public_classes()
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in every)
    kernel = sum(len(path.read_text("utf-8").splitlines()) for path in every if EXTENSIONS not in path.parents)
    yield f"{lines:,} lines in {len(every)} files; kernel, server and CLI {kernel:,}"
    twice = sum(len(places) > 1 for places in classes.values())
    yield f"public class names defined twice: {twice} of {len(classes)} ({twice / len(classes):.1%})"
    for check in CHECKS:
        yield f"{check.__name__}: {sum(1 for _ in check())}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", action="store_true", help="print figures instead of what breaks a rule")
    given = parser.parse_args()
    if given.count:
        print("\n".join(counts()))
        return 0
    found = [line for check in CHECKS for line in check()]
    print("\n".join(found) or "names: all rules are kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
