"""Calls written as text by models without real tool calling: tagged, or one bare JSON object or fence.

Read from complete text. A bare object counts only if it begins like a call and names a known tool, for a person may
have asked for JSON; a tag with an object in it is always meant as a call.
"""

import re
from typing import Final, cast

from glassloop.core.protocols.reply_outcome import CALLS, ReplyOutcome, Tools, bad_arguments
from glassloop.core.protocols.tolerant.json_scan import JsonScan
from glassloop.core.protocols.tolerant.repair import mark_mended, match_name, read_arguments, repair_call
from glassloop.core.records import Json, ToolCall

TAG: Final = "<tool_call>"
_CLOSING_TAG: Final = "</tool_call>"
FENCES: Final = frozenset({"```", "```json", "```json5", "```tool", "```tool_call", "```tool_calls"})
FIRST_KEYS: Final = frozenset({"name", "tool", "toolname", "function", "type", "id"})
_NAMES: Final = ("tool", "toolname", "name", "function")
_ARGUMENTS: Final = ("args", "arguments", "parameters", "params", "toolargs", "toolinput", "input")
_FENCE: Final = re.compile(r"```\w*")
_SEPARATORS: Final = re.compile(r"[-_\s]+")

_UNKNOWN: Final = (
    "The call written in the reply's text names no tool that is offered: call one of the tools offered, "
    "or answer in plain text."
)
_BROKEN: Final = (
    "The call written in the reply's text could not be read: call the tool natively, or send one JSON object with "
    '"name" and "arguments" between the tool_call tags.'
)


def plain_key(key: str) -> str:
    """A key without its case and separators: `ToolName`, `tool_name` and `tool-name` are one."""
    return _SEPARATORS.sub("", key).lower()


def read_written_calls(text: str, tools: Tools) -> ReplyOutcome | None:
    """The calls in `text`, or why they cannot be read; None where it holds none and is plain text."""
    return _bare(text, tools) or _tagged(text, tools)


def _tagged(text: str, tools: Tools) -> ReplyOutcome | None:
    calls: list[ToolCall] = []
    before = ""
    at = text.find(TAG)
    while at >= 0 and len(calls) < CALLS:
        body = after_space(text, at + len(TAG))
        if text[body : body + 1] not in ("{", "["):
            at = text.find(TAG, body)
            continue
        before = before or text[:at]
        scan = JsonScan()
        end = scan.feed(text, body)
        if scan.status != "done":
            return ReplyOutcome(complaint=_BROKEN)
        found = _calls_of(scan.root, tools)
        if found is None:
            return ReplyOutcome(complaint=_UNKNOWN)
        if isinstance(found, str):
            return ReplyOutcome(complaint=found)
        at = text.find(TAG, end)
        certain = not scan.repeated and _is_closed(text, end)
        calls.extend(mark_mended(call, None if certain else "guessed") for call in found)
    return ReplyOutcome(thought=before, calls=tuple(calls[:CALLS])) if calls else None


def _is_closed(text: str, at: int) -> bool:
    """Whether nothing but the closing tag, another call or the text's end follows what a tag holds."""
    at = after_space(text, at)
    return at == len(text) or text.startswith((_CLOSING_TAG, TAG), at)


def after_space(text: str, at: int) -> int:
    """The position of the first character from `at` on that is not white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _bare(text: str, tools: Tools) -> ReplyOutcome | None:
    text = text.strip()
    fence = _FENCE.match(text)
    if fence and fence[0].lower() not in FENCES:
        return None
    begin = after_space(text, fence.end()) if fence else 0
    if text[begin : begin + 1] not in ("{", "["):
        return None
    scan = JsonScan()
    end = scan.feed(text, begin)
    rest = text[end:].strip()
    if scan.status != "done" or rest not in ("", "```"):
        return None
    items = cast("list[Json]", scan.root if isinstance(scan.root, list) else [scan.root])
    found = _calls_of(items, tools) if all(map(_looks_like_call, items)) else None
    if isinstance(found, str):
        return ReplyOutcome(complaint=found)
    mend = "guessed" if scan.repeated else None
    return ReplyOutcome(calls=tuple(mark_mended(call, mend) for call in found[:CALLS])) if found else None


def _looks_like_call(value: Json) -> bool:
    members = fields_of(value)
    if next(iter(members), "") not in FIRST_KEYS:
        return False
    return isinstance(members.get("function"), dict) or any(key in members for key in _ARGUMENTS)


def _calls_of(value: Json, tools: Tools) -> list[ToolCall] | str | None:
    """The calls, or a complaint about one of them, or None where one names no known tool."""
    calls: list[ToolCall] = []
    for item in cast("list[Json]", value if isinstance(value, list) else [value]):
        found = read_call(item, tools)
        if found is None or isinstance(found, str):
            return found
        calls.append(found)
    return calls or None


def read_call(value: Json, tools: Tools) -> ToolCall | str | None:
    """One object as a call; a complaint where its arguments are no object; None where it names no known tool."""
    members = fields_of(value)
    function = members.get("function")
    if isinstance(function, dict):
        members = fields_of(cast(Json, function))
    named = next((members[key] for key in _NAMES if isinstance(members.get(key), str)), "")
    tool = match_name(cast(str, named), tools)
    if tool is None:
        return None
    given = next((members[key] for key in _ARGUMENTS if key in members), None)
    args = read_arguments(given)
    if args is None:
        return bad_arguments(tool, tools)
    mend = "guessed" if _is_ambiguous(members) else None
    return repair_call(ToolCall(id="", tool=tool, args=args, mended=mend), tools)


def _is_ambiguous(members: dict[str, Json]) -> bool:
    """Whether two members say what the tool or its arguments are: one of them stands, and it may be the wrong one."""
    names = sum(isinstance(members.get(key), str) for key in _NAMES)
    given = sum(key in members for key in _ARGUMENTS)
    return names > 1 or given > 1


def fields_of(value: Json) -> dict[str, Json]:
    """An object's members by plain key; the first of two alike stands."""
    found: dict[str, Json] = {}
    if isinstance(value, dict):
        for key, member in cast("dict[str, Json]", value).items():
            found.setdefault(plain_key(key), member)
    return found
