"""Calls written as JSON or as Python into a reply's text: what one object, a list of them or `[f(a=1)]` asks for.

Read from complete text. What stands there without a tag counts only if it begins like a call and names a known tool,
for a person may have asked for JSON. Tags around calls are `call_tags`'.
"""

import re
from typing import Final, cast

from glassloop.core.protocols.reply_outcome import CALLS, ReplyOutcome, Tools, bad_arguments
from glassloop.core.protocols.tolerant.json_scan import JsonScan, ScannedArguments, read_json
from glassloop.core.protocols.tolerant.json_values import write_json
from glassloop.core.protocols.tolerant.repair import (
    mark_mended,
    match_name,
    properties,
    read_arguments,
    repair_call,
    types_of,
)
from glassloop.core.records import Json, Mend, ToolCall

FENCES: Final = frozenset(
    f"```{word}" for word in ("", "json", "json5", "tool", "tool_call", "tool_calls", "tool_code", "python")
)
FIRST_KEYS: Final = frozenset(
    {"name", "tool", "toolname", "function", "type", "id", "action", "arguments", "parameters"}
    | {"toolcalls", "functioncall"}
)
_NAMES: Final = ("tool", "toolname", "name", "function", "action")
_ARGUMENTS: Final = ("args", "arguments", "parameters", "params", "toolargs", "toolinput", "actioninput", "input")
_LISTS: Final = ("toolcalls", "functioncall")
_ANSWERS: Final = frozenset({"answer", "finalanswer", "final", "respond", "response", "finish", "done"})
_SEPARATORS: Final = re.compile(r"[-_\s]+")
BETWEEN: Final = re.compile(r"(?:[\s;,]++|```\w*+)*+")
"""What may stand before, between and after calls that have no tags."""
PYTHON_CALL: Final = re.compile(r"(?:print\()?([A-Za-z_][\w.]{0,199})\(")
_NAMED: Final = re.compile(r"[\"'](?:name|tool|tool_name|function|action)[\"'][\s:]{1,40}+[\"']([\w.-]{1,200})[\"']")
"""Where half a call says of which tool it is."""
_NAMED_CHARS: Final = 500
_AFTER_PYTHON: Final = re.compile(r"\)?+\s*+(?:,\s*+)?+")

UNKNOWN: Final = (
    "The call written in the reply's text names no tool that is offered: call one of the tools offered, "
    "or answer in plain text."
)
BROKEN: Final = (
    "The call written in the reply's text could not be read: send it again, complete, with its arguments as one JSON "
    "object."
)
POSITIONS: Final = "The unnamed arguments of the action do not fit its tool's parameters: name each argument."

CallsRead = list[ToolCall] | str | None
"""The calls, or a complaint about one of them, or None where one names no known tool."""


def plain_key(key: str) -> str:
    """A key without its case and separators: `ToolName`, `tool_name` and `tool-name` are one."""
    return _SEPARATORS.sub("", key).lower()


def says_answer(name: str) -> bool:
    """Whether an action of that name is the answer."""
    return plain_key(name) in _ANSWERS


def answer_of(name: str, args: Json, tools: Tools) -> str:
    """The text given to a tool that is none, `finish` or `Final Answer`. Empty where it is a call."""
    if not says_answer(name) or match_name(name, tools):
        return ""
    given = list(cast("dict[str, Json]", args).values()) if isinstance(args, dict) else [args]
    return text_of(given[0]) if len(given) == 1 else ""


def text_of(value: Json) -> str:
    """A value as an answer; empty where it says nothing."""
    if isinstance(value, str):
        return value if value.strip() else ""
    return "" if value is None or value in ({}, []) else write_json(value)


def read_answer(value: Json, tools: Tools) -> str:
    """The answer of `{"action": "Final Answer", "action_input": "42"}`; empty where an object is anything else."""
    members = fields_of(value)
    name = next((members[key] for key in _NAMES if isinstance(members.get(key), str)), "")
    return answer_of(cast(str, name), next((members[key] for key in _ARGUMENTS if key in members), None), tools)


def read_bare_calls(text: str, tools: Tools) -> ReplyOutcome | None:
    """The calls that `text` is made of, or why they cannot be read; None where it is anything else."""
    calls: list[ToolCall] = []
    at = _after_gap(text, 0)
    if text.startswith("{", at) and (answer := read_answer(read_json(text[at:].rstrip(" \n`")), tools)):
        return ReplyOutcome(answer=answer)
    while at < len(text) and len(calls) < CALLS:
        found, at = _read_value(text, at, tools)
        if not isinstance(found, list):
            return ReplyOutcome(complaint=found) if found else None
        calls += found
        at = _after_gap(text, at)
    return ReplyOutcome(calls=tuple(calls[:CALLS])) if calls else None


def _after_gap(text: str, at: int) -> int:
    gap = BETWEEN.match(text, at)
    return gap.end() if gap else at


def _read_value(text: str, at: int, tools: Tools) -> tuple[CallsRead, int]:
    if (text[at] == "[" and PYTHON_CALL.match(text, after_space(text, at + 1))) or PYTHON_CALL.match(text, at):
        return read_python(text, at, tools)
    if text[at] not in "{[":
        return None, at
    scan = JsonScan()
    end = scan.feed(text, at)
    items = cast("list[Json]", scan.root if isinstance(scan.root, list) else [scan.root])
    if scan.status == "open":
        begun = _NAMED.search(text[at : at + _NAMED_CHARS])
        return BROKEN if begun and match_name(begun[1], tools) else None, end
    if scan.status != "done" or not all(map(_looks_like_call, items)):
        return None, end
    return read_calls(items, tools, "guessed" if scan.repeated else None), end


def after_space(text: str, at: int) -> int:
    """The position of the first character from `at` on that is not white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _looks_like_call(value: Json) -> bool:
    members = fields_of(value)
    if next(iter(members), "") not in FIRST_KEYS:
        return False
    nested = isinstance(members.get("function"), dict) or any(key in members for key in _LISTS)
    return nested or any(key in members for key in _ARGUMENTS)


def listed_calls(value: Json) -> list[Json] | None:
    """What stands under `tool_calls` or `function_call`, where an object has one of these."""
    members = fields_of(value)
    listed = next((members[key] for key in _LISTS if isinstance(members.get(key), dict | list)), None)
    return cast("list[Json]", [listed] if isinstance(listed, dict) else listed)


def read_calls(value: Json, tools: Tools, mend: Mend | None = None) -> CallsRead:
    """The calls of an object, of a list of them, or of an object that holds such a list."""
    calls: list[ToolCall] = []
    for item in cast("list[Json]", value if isinstance(value, list) else [value]):
        listed = listed_calls(item)
        for each in [item] if listed is None else listed:
            found = read_call(each, tools)
            if found is None or isinstance(found, str):
                return found
            calls.append(mark_mended(found, mend))
    return calls or None


def read_call(value: Json, tools: Tools) -> ToolCall | str | None:
    """One object as a call; a complaint where its arguments are none; None where it names no known tool."""
    members = fields_of(value)
    function = members.get("function")
    if isinstance(function, dict):
        members = fields_of(cast(Json, function))
    named = [cast(str, members[key]) for key in _NAMES if isinstance(members.get(key), str)]
    tool = match_name(named[0], tools) if named else None
    if tool is None:
        return None
    given = [members[key] for key in _ARGUMENTS if key in members]
    args = read_arguments(given[0] if given else None, tools[tool])
    if args is None:
        return bad_arguments(tool, tools)
    # Two members that say what the tool or its arguments are: one of them stands, and it may be the wrong one.
    action = match_name(named[-1], tools) if "action" in members else tool
    doubtful = len(named) - ("action" in members) > 1 or action not in (None, tool) or len(given) > 1
    return repair_call(ToolCall(id="", tool=tool, args=args, mended="guessed" if doubtful else None), tools)


def read_python(text: str, at: int, tools: Tools) -> tuple[CallsRead, int]:
    """`f(a=1)` or `[f(a=1), g()]`, and where it ended."""
    listed = text[at] == "["
    at = after_space(text, at + 1) if listed else at
    calls: list[ToolCall] = []
    while (begin := PYTHON_CALL.match(text, at)) is not None and len(calls) < CALLS:
        tool = match_name(begin[1], tools)
        if tool is None:
            return None, at
        scan = JsonScan(arguments=True)
        at = scan.feed(text, begin.end())
        if scan.status != "done":
            return BROKEN, at
        found = place_arguments(tool, cast(ScannedArguments, scan.root), tools, repeated=scan.repeated)
        if isinstance(found, str):
            return found, at
        calls.append(found)
        after = _AFTER_PYTHON.match(text, at)
        at = after.end() if after else at
        if not listed:
            break
    if listed and text[at : at + 1] != "]":
        return (BROKEN if at == len(text) else None), at
    return calls or None, at + listed


def place_arguments(tool: str, given: ScannedArguments, tools: Tools, *, repeated: bool) -> ToolCall | str:
    """The call with what stood between its parentheses; a complaint where unnamed arguments fit nowhere."""
    spec = tools.get(match_name(tool, tools) or "")
    args = dict(given.named)
    if spec is not None and given.positional:
        declared = properties(spec)
        first = next(iter(declared.values()), None)
        takes_object = "object" in types_of(first, spec.parameters.get("$defs"))
        names = list(declared)[: len(given.positional)]
        if len(given.positional) == 1 and not args and isinstance(given.positional[0], dict) and not takes_object:
            args = cast("dict[str, Json]", given.positional[0])
        elif len(names) < len(given.positional) or not args.keys().isdisjoint(names):
            return POSITIONS
        else:
            args = dict(zip(names, given.positional, strict=True)) | args
    return repair_call(ToolCall(id="", tool=tool, args=args, mended="guessed" if repeated else None), tools)


def fields_of(value: Json) -> dict[str, Json]:
    """An object's members by plain key; the first of two alike stands."""
    found: dict[str, Json] = {}
    if isinstance(value, dict):
        for key, member in cast("dict[str, Json]", value).items():
            found.setdefault(plain_key(key), member)
    return found
