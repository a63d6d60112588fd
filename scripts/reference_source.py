"""Public names of the package as their source has them: signatures as written, docstrings, and members of classes.

Reads the syntax tree and not the objects, whose annotations and defaults say less than what somebody typed.
"""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from inspect import cleandoc
from pathlib import Path
from types import ModuleType
from typing import Literal, NamedTuple

import glassloop

WIDTH = 100
PROPERTIES = {"property", "cached_property"}
OWN = ("self", "cls")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Member(NamedTuple):
    """A field, property or method of a public class, or a class of a public module."""

    name: str
    kind: Literal["field", "method", "class"]
    signature: str
    meaning: str


class PublicName(NamedTuple):
    """A name of `glassloop.__all__`. `unexplained`: parameters that its docstring does not name."""

    name: str
    module: str
    signature: str
    meaning: str
    bases: Sequence[str] = ()
    members: Sequence[Member] = ()
    unexplained: Sequence[str] = ()


def public_names() -> list[PublicName]:
    return [read(name, getattr(glassloop, name)) for name in glassloop.__all__]


def read(name: str, value: object) -> PublicName:
    if isinstance(value, ModuleType):
        return of_module(name, value)
    if isinstance(value, type):
        return of_class(name, value)
    if inspect.isfunction(value):
        node = definition(value.__module__, value.__name__)
        if not isinstance(node, Function):
            raise TypeError(f"{name}: its source has no function {value.__name__!r}")
        meaning = docstring(node)
        unexplained = [arg for arg in argument_names(node) if not named(arg, meaning)]
        return PublicName(name, value.__module__, signature(node), meaning, unexplained=unexplained)
    return of_value(name, value)


def of_module(name: str, module: ModuleType) -> PublicName:
    """A module with its classes, each by the first paragraph of its docstring."""
    own = [value for value in vars(module).values() if isinstance(value, type) and not value.__name__.startswith("_")]
    nodes = (definition(each.__module__, each.__name__) for each in own if each.__module__.startswith(module.__name__))
    rows = [Member(node.name, "class", node.name, paragraph(docstring(node))) for node in nodes if node is not None]
    meaning = docstring(source(module.__name__))
    return PublicName(name, module.__name__, f"from glassloop import {name}", meaning, members=rows)


def of_value(name: str, value: object) -> PublicName:
    """A type alias or a constant: its assignment, and the string below it."""
    module = f"glassloop.{glassloop._HOMES[name]}"  # pyright: ignore[reportPrivateUsage]
    body = source(module).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if any(isinstance(target, ast.Name) and target.id == name for target in targets(node)):
            return PublicName(name, module, written(node), text_of(after))
    raise TypeError(f"{name}: {module} does not assign it ({value!r})")


def of_class(name: str, made: type) -> PublicName:
    node = definition(made.__module__, made.__name__)
    if not isinstance(node, ast.ClassDef):
        raise TypeError(f"{name}: its source has no class {made.__name__!r}")
    public = [base for base in made.__mro__[1:] if base.__name__ in glassloop.__all__]
    # What a public base has is told there.
    told = {above for base in public for above in base.__mro__}
    own = [each for each in made.__mro__ if each.__module__.startswith("glassloop.") and each not in told]
    nodes = [found for each in own if isinstance(found := definition(each.__module__, each.__name__), ast.ClassDef)]
    meaning = docstring(node)
    functions = (one for found in nodes for one in found.body if isinstance(one, Function))
    start = next((one for one in functions if one.name == "__init__"), None)
    arguments: list[str] = []
    if start is not None and not issubclass(made, BaseException) and "Made by" not in meaning:
        shown, arguments = signature(start, made.__name__), argument_names(start)
    elif hasattr(made, "__struct_fields__"):
        shown = struct_signature(made.__name__, nodes)
    else:
        shown = f"class {made.__name__}"
    bases = [base.__name__ for base in public[:1]]
    if not bases and issubclass(made, Exception) and made.__bases__[0].__module__ == "builtins":
        bases = [made.__bases__[0].__name__]
    unique = {one.name: one for found in reversed(nodes) for one in members(found, meaning)}
    unexplained = [arg for arg in arguments if not named(arg, meaning)]
    return PublicName(name, made.__module__, shown, meaning, bases, list(unique.values()), unexplained)


def members(node: ast.ClassDef, about: str) -> Iterator[Member]:
    """The public members in their order. A field is explained by the string below it, its `setting`, or by name in the
    docstring of its class."""
    for one, after in zip(node.body, [*node.body[1:], None], strict=True):
        match one:
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                meaning = text_of(after) or setting_text(one) or ("See above." if named(name, about) else "")
                yield Member(name, "field", written(plain(one)), meaning)
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not one.name.startswith("_"):
                yield from method(one)
            case ast.FunctionDef(name="__init__"):
                yield from instance_fields(one)
            case _:
                pass


def method(node: Function) -> Iterator[Member]:
    decorators = {written(decorator) for decorator in node.decorator_list}
    if "overload" in decorators or any(name.endswith(".setter") for name in decorators):
        return
    if decorators & PROPERTIES:
        kind = f": {written(node.returns)}" if node.returns else ""
        yield Member(node.name, "field", f"{node.name}{kind}", docstring(node))
        return
    prefix = next((f"@{name}\n" for name in ("classmethod", "staticmethod") if name in decorators), "")
    yield Member(node.name, "method", prefix + signature(node), docstring(node))


def instance_fields(node: Function) -> Iterator[Member]:
    """What `__init__` sets, and a string below it explains."""
    for one, after in zip(node.body, [*node.body[1:], None], strict=True):
        meaning, (target, *_) = text_of(after), targets(one)
        if meaning and isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
            kind = f": {written(one.annotation)}" if isinstance(one, ast.AnnAssign) else ""
            yield Member(target.attr, "field", f"{target.attr}{kind}", meaning)


def targets(node: ast.stmt) -> Sequence[ast.expr | None]:
    """What a statement assigns to; None where it assigns nothing."""
    match node:
        case ast.Assign():
            return node.targets
        case ast.AnnAssign():
            return [node.target]
        case _:
            return [None]


def plain(node: ast.AnnAssign) -> ast.AnnAssign:
    """The field without what is annotated beside its type."""
    annotation = node.annotation
    if isinstance(annotation, ast.Subscript) and written(annotation.value) in ("Annotated", "ClassVar"):
        inner = annotation.slice
        annotation = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
    return ast.AnnAssign(target=node.target, annotation=annotation, value=node.value, simple=1)


def setting_text(node: ast.AnnAssign) -> str:
    """The first text in `Annotated[…, setting("…")]`."""
    calls = (one for one in ast.walk(node.annotation) if isinstance(one, ast.Call) and one.args)
    return next((str(one.args[0].value) for one in calls if isinstance(one.args[0], ast.Constant)), "")


def signature(node: Function, name: str = "") -> str:
    """As it is written, without `self`; on several lines where it is long."""
    arguments = ast.arguments(**{field: getattr(node.args, field) for field in node.args._fields})
    arguments.args = [arg for arg in arguments.args if arg.arg not in OWN]
    arguments.posonlyargs = [arg for arg in arguments.posonlyargs if arg.arg not in OWN]
    prefix = "async def " if isinstance(node, ast.AsyncFunctionDef) else "" if name else "def "
    returns = f" -> {written(node.returns)}" if node.returns and not name else ""
    return laid_out(f"{'class ' if name else prefix}{name or node.name}", pieces(arguments), returns)


def pieces(arguments: ast.arguments) -> list[str]:
    """The parameters, one by one."""
    found: list[str] = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for number, (arg, default) in enumerate(zip(positional, defaults, strict=True), 1):
        found.append(piece(arg, default))
        if number == len(arguments.posonlyargs):
            found.append("/")
    if arguments.vararg:
        found.append(f"*{written(arguments.vararg)}")
    elif arguments.kwonlyargs:
        found.append("*")
    found += [piece(arg, default) for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    if arguments.kwarg:
        found.append(f"**{written(arguments.kwarg)}")
    return found


def piece(arg: ast.arg, default: ast.expr | None) -> str:
    kind = f": {written(arg.annotation)}" if arg.annotation else ""
    value = "" if default is None else f"{' = ' if kind else '='}{written(default)}"
    return f"{arg.arg}{kind}{value}"


def struct_signature(name: str, nodes: Sequence[ast.ClassDef]) -> str:
    fields = [one for node in reversed(nodes) for one in node.body if isinstance(one, ast.AnnAssign)]
    by_name = any(keyword.arg == "kw_only" for node in nodes for keyword in node.keywords)
    return laid_out(f"class {name}", [*(["*"] if by_name else []), *(written(plain(one)) for one in fields)], "")


def laid_out(head: str, parts: Sequence[str], returns: str) -> str:
    line = f"{head}({', '.join(parts)}){returns}"
    if len(line) <= WIDTH:
        return line
    inside = "".join(f"    {part},\n" for part in parts)
    return f"{head}(\n{inside}){returns}"


def argument_names(node: Function) -> list[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [arg.arg for arg in every if arg.arg not in OWN]


def named(name: str, text: str) -> bool:
    return re.search(rf"`[^`\n]*\b{re.escape(name)}\b[^`\n]*`", text) is not None


def written(node: ast.AST) -> str:
    """Code as people type it here."""
    code = ast.unparse(node)
    return code if '"' in code else code.replace("'", '"')


def docstring(node: ast.Module | ast.ClassDef | Function) -> str:
    return ast.get_docstring(node) or ""


def paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def text_of(node: ast.stmt | None) -> str:
    """The string that a statement is, which explains the one before it."""
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return cleandoc(text)
        case _:
            return ""


@cache
def source(module: str) -> ast.Module:
    found = inspect.getsourcefile(__import__(module, fromlist=["_"]))
    if found is None:
        raise TypeError(f"{module} has no source")
    return ast.parse(Path(found).read_text("utf-8"))


def definition(module: str, name: str) -> ast.ClassDef | Function | None:
    """The last one of that name: overloads come before it."""
    found = [one for one in source(module).body if isinstance(one, ast.ClassDef | Function) and one.name == name]
    return found[-1] if found else None
