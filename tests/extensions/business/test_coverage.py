"""Every parameter of every tool, and every choice it offers, is used by a test that works its figures out by itself.

Read from the tests of the tools: what they are parametrized with, and what their text hands to a tool. A new parameter,
or a new choice, fails here until a test uses it.
"""

import ast
import importlib.util
import inspect
import textwrap
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from glassloop.extensions.business.tools import make_tools
from glassloop.tools.registry import ToolRegistry

HERE = Path(__file__).parent
CALLS = ("ask", "call", "execute")
SHARED = {"period", "compare", "trend"}
"""One piece of code reads these for all tools: each tool uses the parameter, any of them, or the tests of periods, each
choice."""

Uses = dict[str, dict[str, set[Any]]]


def functions(path: Path) -> list[Any]:
    found = importlib.util.spec_from_file_location(f"covered_{path.stem}", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return [value for name, value in vars(module).items() if name.startswith("test_")]


def parametrized(test: Any) -> dict[str, list[Any]]:
    """What each parameter of a test is given."""
    given: dict[str, list[Any]] = defaultdict(list)
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            names, rows = mark.args[:2]
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            for row in rows:
                for name, value in zip(names, row if len(names) > 1 else [row], strict=True):
                    given[name].append(value)
    return given


def constants(*nodes: ast.AST) -> set[Any]:
    return {found.value for node in nodes for found in ast.walk(node) if isinstance(found, ast.Constant)} or {...}


def uses_of(test: Any, uses: Uses) -> None:
    given = parametrized(test)
    tree = ast.parse(textwrap.dedent(inspect.getsource(test)))
    looped = {
        name.id: constants(loop.iter)
        for loop in ast.walk(tree)
        if isinstance(loop, ast.For)
        for name in ast.walk(loop.target)
        if isinstance(name, ast.Name)
    }
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or ast.unparse(call.func).split(".")[-1] not in CALLS:
            continue
        tool = next((str(arg.value) for arg in call.args if isinstance(arg, ast.Constant)), "")
        for keyword in call.keywords:
            said = keyword.value
            if keyword.arg is not None:
                values = set(given.get(said.id, looped.get(said.id, [...]))) if isinstance(said, ast.Name) else None
                uses[tool][keyword.arg] |= constants(said) if values is None else values
        for table in (value for values in given.values() for value in values if isinstance(value, dict)):
            for name, value in table.items():
                uses[tool][name].add(value if isinstance(value, (str, int, float)) else ...)
        for table in (node for node in ast.walk(tree) if isinstance(node, ast.Dict)):
            for key, value in zip(table.keys, table.values, strict=True):
                if isinstance(key, ast.Constant):
                    uses[tool][str(key.value)] |= constants(value)


def choices_of(schema: dict[str, Any]) -> list[Any]:
    return [*schema.get("enum", ()), *(each for branch in schema.get("anyOf", ()) for each in branch.get("enum", ()))]


def test_every_parameter_of_every_tool_and_every_choice_is_used_by_a_test(tmp_path: Path) -> None:
    uses: Uses = defaultdict(lambda: defaultdict(set))
    for path in sorted(HERE.glob("test_*_tools.py")):
        for test in functions(path):
            uses_of(test, uses)
    anywhere = {name: set().union(*(each[name] for each in uses.values())) for name in SHARED}
    periods = constants(ast.parse((HERE / "test_periods.py").read_text("utf-8")))
    unused: list[str] = []
    for tool, spec in ToolRegistry(make_tools(tmp_path, clock=time.time)).specs.items():
        properties: Any = spec.parameters["properties"]
        for name, schema in properties.items():
            found = uses[tool][name]
            known = found | anywhere[name] | periods if name in SHARED else found
            wanted = [each for each in choices_of(schema) if each != schema.get("default")]
            unused += [f"{tool}({name})"] if not found else []
            unused += [f"{tool}({name}={each!r})" for each in wanted if each not in known]
    assert unused == [], "\n".join(unused)
