"""Finds Python functions and files that grew past what one can read at a glance.

`python scripts/check_sizes.py [PATH …]` looks at the project's code, or at the given files and folders, and names each
offender. A decorator is not part of its function's length. What the code does is no business of this check.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("src", "tests", "bench", "scripts", "examples", "training")
FUNCTION_LINES = 60
FILE_LINES = 400


def python_files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.py"))
        else:
            yield path


def offenders(path: Path) -> Iterator[str]:
    """One line for each function, and for the file itself, that is too long; also for a file that is no Python."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if (lines := len(text.splitlines())) > FILE_LINES:
        yield f"{path}:1 file: {lines} lines (at most {FILE_LINES})"
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield f"{path}:{error.lineno} is not Python: {error.msg}"
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES:
            yield f"{path}:{node.lineno} {node.name}: {lines} lines (at most {FUNCTION_LINES})"


def main(arguments: Sequence[str]) -> int:
    given = [Path(argument) for argument in arguments]
    if missing := [path for path in given if not path.exists()]:
        print(f"{missing[0]} does not exist: give files or folders that do.", file=sys.stderr)
        return 2
    paths = given or [ROOT / name for name in CODE if (ROOT / name).is_dir()]
    files = list(python_files(paths))
    found = [line.removeprefix(f"{ROOT}/") for path in files for line in offenders(path)]
    print("\n".join(found) or f"{len(files)} files, none too long")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
