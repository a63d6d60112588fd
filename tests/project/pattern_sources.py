"""Every regular expression of the source: what modules hold, and what functions write in a call of `re`."""

import ast
import importlib
import pkgutil
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import glassloop

ROOT = Path(glassloop.__file__).parent
USES = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
CALLS = USES | {"compile"}
SAMPLE = "ab"
"""Stands for the part of a pattern that is only known when it runs; such parts are escaped."""


@dataclass
class Found:
    """One pattern, where it stands, and the methods that are called on it; none known means any."""

    pattern: re.Pattern
    places: list[str] = field(default_factory=list)
    uses: set[str] = field(default_factory=set)


def modules() -> Iterator[types.ModuleType]:
    """Every module of the package, but those that do something when they are imported."""
    for each in pkgutil.walk_packages([str(ROOT)], "glassloop."):
        if not each.name.endswith("__main__") and ".versions." not in each.name and not each.name.endswith(".env"):
            yield importlib.import_module(each.name)


def collect() -> tuple[list[Found], set[str]]:
    """All of them, each once; and the functions that make one of what only they know."""
    found: dict[tuple, Found] = {}
    made: set[str] = set()
    trees = {each: list(ast.walk(ast.parse(Path(each.__file__).read_text()))) for each in modules() if each.__file__}
    used = _uses(trees)
    for module, nodes in trees.items():
        for name, pattern in _held(module):
            _add(found, pattern, f"{module.__name__}.{name}", used.get(f"{module.__name__}.{name}"))
        for place, pattern, use in _written(module, nodes):
            if pattern is None:
                made.add(place)
            else:
                _add(found, pattern, place, {use} if use != "compile" else None)
    return list(found.values()), made


def _add(found: dict[tuple, Found], pattern: re.Pattern, place: str, uses: set[str] | None) -> None:
    each = found.setdefault((pattern.pattern, pattern.flags), Found(pattern))
    each.places.append(place)
    # A call of `re.compile` at the top of a module is also held by a name of it, which says how it is used.
    each.uses |= uses or (set() if each.uses else USES)


def _uses(trees: dict[types.ModuleType, list[ast.AST]]) -> dict[str, set[str]]:
    """What is called on each name of each module, in whichever module; everything where it is handed on."""
    used: dict[str, set[str]] = {}
    for module, nodes in trees.items():
        whose, called = {}, set()
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                whose |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in USES:
                called.add(id(node.value))
                used.setdefault(whose.get(node.value.id, f"{module.__name__}.{node.value.id}"), set()).add(node.attr)
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
                used.setdefault(whose.get(node.id, f"{module.__name__}.{node.id}"), set()).update(USES)
    return used


def _held(module: types.ModuleType) -> Iterator[tuple[str, re.Pattern]]:
    """The patterns in its names: bare, in containers, in classes and objects of ours."""
    for name, value in vars(module).items():
        if not name.startswith("__"):
            for inner, pattern in _inside(value, module, 0):
                yield f"{name}{inner}", pattern


def _inside(value: object, module: types.ModuleType, depth: int) -> Iterator[tuple[str, re.Pattern]]:
    if isinstance(value, re.Pattern):
        yield "", value
        return
    parts: list[tuple[str, object]] = []
    if depth > 4:
        return
    if isinstance(value, dict):
        parts = [(f"[{each!r}]", side) for each, held in value.items() for side in (each, held)]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = [(f"[{number}]", each) for number, each in enumerate(value)]
    elif isinstance(value, type) and value.__module__ == module.__name__:
        parts = [(f"[{name}]", each) for name, each in vars(value).items() if not name.startswith("__")]
    elif type(value).__module__.startswith("glassloop") and hasattr(value, "__dict__"):
        parts = [(f"[{name}]", each) for name, each in vars(value).items()]
    for name, part in parts:
        for inner, pattern in _inside(part, module, depth + 1):
            yield f"{name}{inner}", pattern


def _written(module: types.ModuleType, nodes: list[ast.AST]) -> Iterator[tuple[str, re.Pattern | None, str]]:
    """The patterns in calls of `re` inside of functions; names of the module have their values."""
    if "re" not in vars(module) and not any(
        isinstance(node, ast.Import) and node.names[0].name == "re" for node in nodes
    ):
        return
    for function in nodes:
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _is_of_re(node.func) and node.args:
                flags = sum(eval(compile(ast.Expression(each), "", "eval"), vars(module)) for each in _flags(node))
                first = node.args[0]
                for given in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                    text = _text(given, module)
                    pattern = None if text is None else re.compile(text, flags)
                    yield f"{module.__name__}.{function.name}", pattern, node.func.attr


def _is_of_re(called: ast.expr) -> bool:
    is_name = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
    return is_name and called.value.id == "re" and called.attr in CALLS


def _flags(call: ast.Call) -> list[ast.expr]:
    at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)
    return call.args[at : at + 1] + [each.value for each in call.keywords if each.arg == "flags"]


def _text(node: ast.expr, module: types.ModuleType) -> str | bytes | None:
    """The pattern, with `SAMPLE` for what only a call knows; None where nothing of it is written there."""
    try:
        found = eval(compile(ast.Expression(node), "", "eval"), dict(vars(module)))
        return found if isinstance(found, str | bytes) else None
    except NameError:
        pass
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(each, module) or SAMPLE for each in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left, module), _text(node.right, module)
        sample = SAMPLE.encode() if isinstance(left or right, bytes) else SAMPLE
        return (left or sample) + (right or sample)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, module)
    return None
