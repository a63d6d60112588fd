"""References from a call's arguments to results of earlier steps: `${step1.result.items[0].sku}`.

Finds them and puts the real values in their place. The loop knows which number a step has and when it is done. Nothing
is evaluated: a reference is a step, a field (`result`, `output`, `error`) and a path of names and indexes.
A tool that returns an object with `result` in it, as `calculate` does, is meant by that.
`$${step1.result}` stands for the text `${step1.result}`; `${HOME}` and the like are only text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult

EXPANSION_CHARS = 5_000_000
"""What all references of one call may put into its arguments, in characters of JSON."""

_SHOWN = 10
_FIELDS = ("result", "output", "error")
_OPENING = re.compile(r"\$\{[ \t]*step([0-9]{1,9})(?=[\s.\[}])")
_CLOSING = re.compile(r"[ \t]*\}")
_PART = (
    r"\.(?P<name>[^\s.\[\]{}\"'$]+)"
    r"|\[\s*(?P<index>-?[0-9]{1,9})\s*\]"
    r"|\[\s*\"(?P<double>(?:[^\"\\]++|\\.)*+)\"\s*\]"
    r"|\[\s*'(?P<single>(?:[^'\\]++|\\.)*+)'\s*\]"
)
_ESCAPE = r"\\(u[0-9a-fA-F]{4}|.)"
_PLAIN = frozenset({int, float, bool, type(None)})
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Reference(msgspec.Struct, frozen=True):
    """One reference as it was written, the field first in its path. A path of None: it could not be read."""

    text: str
    step: int
    path: tuple[str | int, ...] | None


def find_references(args: Json) -> frozenset[int]:
    """The numbers of the steps that the arguments name, at any depth. Total: also for references that are broken."""
    return frozenset(piece.step for text in _texts(args) for piece in _pieces(text) if isinstance(piece, Reference))


def resolve_parameters(
    args: dict[str, Json], results: Mapping[int, Json], *, limit: int = EXPANSION_CHARS
) -> dict[str, Json]:
    """The arguments with every reference replaced; the same object when there is none.

    `results` holds for each step its value or its whole `ToolResult`. A string that is one reference becomes the value
    with its type; inside a longer string strings are put in as they are and other values as compact JSON. Raises
    `BadArguments`, in words for the model, for a step or path that does not exist and for too large an expansion.
    """
    for value in args.values():
        if type(value) not in _PLAIN:
            break
    else:
        return args
    if next(_texts(args), None) is None:
        return args
    try:
        return _Resolver(results, limit).fill(args)
    except RecursionError:
        raise BadArguments("The arguments or a result they refer to are nested too deeply: flatten them.") from None


def _texts(args: Json) -> Iterator[str]:
    """Every string value that could hold a reference. Iterative, so that no depth is too deep."""
    stack: list[Any] = [args]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            if "${" in value:
                yield value
        elif isinstance(value, dict):
            stack.extend(cast("dict[Any, Any]", value).values())
        elif isinstance(value, (list, tuple)):
            stack.extend(cast("list[Any]", value))


def _pieces(text: str) -> Iterator[str | Reference]:
    """The text cut into literals and references, one dollar of each escape removed. Linear in the text."""
    done, at = 0, text.find("${")
    while at >= 0:
        opening = _OPENING.match(text, at)
        if opening is None:
            at = text.find("${", at + 2)
            continue
        if at > done and text[at - 1] == "$":
            yield text[done:at]
            done, at = at + 1, text.find("${", at + 2)
            continue
        if at > done:
            yield text[done:at]
        reference, done = _read(text, opening)
        yield reference
        at = text.find("${", done)
    if done < len(text):
        yield text[done:]


def _read(text: str, opening: re.Match[str]) -> tuple[Reference, int]:
    """The reference that begins at `opening`, and where it ends."""
    path: list[str | int] = []
    end = opening.end()
    # Compiled when a reference is read, and kept by `re`: most turns have none.
    pattern = re.compile(_PART, re.DOTALL)
    while part := pattern.match(text, end):
        path.append(_key(part))
        end = part.end()
    closing = _CLOSING.match(text, end)
    step = int(opening[1])
    if closing is None:
        return Reference(text[opening.start() : end + 20], step, None), end
    return Reference(text[opening.start() : closing.end()], step, tuple(path)), closing.end()


def _key(part: re.Match[str]) -> str | int:
    if part.lastgroup == "name":
        return part["name"]
    if part.lastgroup == "index":
        return int(part["index"])
    key = re.sub(_ESCAPE, _unescape, part[part.lastgroup or 0], flags=re.DOTALL)
    # Two escapes can be the halves of one character.
    return key if "\\u" not in part[0] else key.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _ESCAPED.get(escape, escape)


class _Resolver:
    """Fills one call's arguments, and keeps count of how much that puts in."""

    def __init__(self, results: Mapping[int, Json], limit: int) -> None:
        self._results = results
        self._limit = limit
        self._spent = 0

    def fill(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._fill_text(value) if "${" in value else value
        if isinstance(value, dict):
            return {key: self.fill(item) for key, item in cast("dict[Any, Any]", value).items()}
        if isinstance(value, (list, tuple)):
            return [self.fill(item) for item in cast("list[Any]", value)]
        return value

    def _fill_text(self, text: str) -> Json:
        pieces = list(_pieces(text))
        if len(pieces) == 1 and isinstance(pieces[0], Reference):
            return self._copy(self._look_up(pieces[0]))
        return "".join(piece if isinstance(piece, str) else self._insert(piece) for piece in pieces)

    def _insert(self, reference: Reference) -> str:
        text = _as_text(self._look_up(reference))
        self._spend(len(text))
        return text

    def _copy(self, value: Any) -> Any:
        """A copy, because a tool may change what it is given, and a step's result must stay what it was."""
        if isinstance(value, str):
            self._spend(len(value) + 2)
            return value
        self._spend(4)
        if isinstance(value, dict):
            return {self._copy(key): self._copy(item) for key, item in cast("dict[Any, Any]", value).items()}
        if isinstance(value, (list, tuple)):
            return [self._copy(item) for item in cast("list[Any]", value)]
        return value

    def _spend(self, chars: int) -> None:
        self._spent += chars
        if self._spent > self._limit:
            raise BadArguments(
                f"The references put more than {self._limit:,} characters into the arguments: "
                "refer to a part of the result, such as ${step1.result.items[0]}."
            )

    def _look_up(self, reference: Reference) -> Any:
        path, step = reference.path, reference.step
        if not path or path[0] not in _FIELDS:
            raise BadArguments(
                f"{_quote(reference.text)} cannot be read: write ${{step{step}.result}}, a path into it such as "
                f"${{step{step}.result.name[0]}}, ${{step{step}.output}} or ${{step{step}.error}}; "
                "to have it as plain text, double the dollar sign."
            )
        if step not in self._results:
            raise BadArguments(f"{_quote(reference.text)}: there is no result of step {step}. {self._steps()}")
        value = _field(self._results[step], str(path[0]), reference)
        if path == ("result",) and isinstance(value, dict):
            # What a tool calls its result is what a reference to it means; `${step1.result.unit}` has the rest.
            value = cast("dict[str, Any]", value).get("result", value)
        for depth, part in enumerate(path[1:], 1):
            found = _descend(value, part)
            if found is None:
                place = ".".join(str(name) for name in path[:depth])
                raise BadArguments(
                    f"{_quote(reference.text)}: there is no {_quote(part)} in {_shorten(place)} of step {step}, "
                    f"which is {_describe(value)}."
                )
            value = found[0]
        return value

    def _steps(self) -> str:
        if not self._results:
            return "No step has a result yet."
        numbers = sorted(self._results)
        more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
        return f"Steps with a result: {', '.join(str(number) for number in numbers[:_SHOWN])}{more}."


def _field(result: Any, field: str, reference: Reference) -> Any:
    if field == "error":
        return result.error if isinstance(result, ToolResult) else None
    if field == "output":
        return result.output if isinstance(result, ToolResult) else _as_text(result)
    if not isinstance(result, ToolResult):
        return result
    if not result.success and result.value == "":
        raise BadArguments(
            f"{_quote(reference.text)}: step {reference.step} failed and has no result "
            f"({_shorten(result.error or 'no reason given', 200)}). Run it again or go on without it."
        )
    return result.value


def _descend(value: Any, part: str | int) -> tuple[Any] | None:
    """What is at `part`, in a tuple because None is a value too."""
    if isinstance(value, dict):
        items, key = cast("dict[Any, Any]", value), str(part)
        return (items[key],) if key in items else None
    if isinstance(value, (list, tuple)):
        entries = cast("list[Any]", value)
        if isinstance(part, str):
            if not (part.isascii() and part.isdigit() and len(part) <= 9):
                return None
            part = int(part)
        return (entries[part],) if -len(entries) <= part < len(entries) else None
    return None


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError):
        raise BadArguments("A result referred to cannot be written as text: refer to a part of it instead.") from None


def _describe(value: Any) -> str:
    """What a place holds, briefly: its keys, its length or its type."""
    if isinstance(value, dict):
        keys = list(cast("dict[Any, Any]", value))
        if not keys:
            return "an empty object"
        more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
        return f"an object with {', '.join(_quote(key) for key in keys[:_SHOWN])}{more}"
    if isinstance(value, (list, tuple)):
        length = len(cast("list[Any]", value))
        return f"a list of {length} (0 to {length - 1})" if length else "an empty list"
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the text {_quote(value)}"
    return "true or false" if isinstance(value, bool) else "a number"


def _quote(name: object) -> str:
    return repr(_shorten(name) if isinstance(name, str) else name)


def _shorten(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
