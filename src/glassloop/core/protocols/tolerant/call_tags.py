"""Calls between the tags and tokens of open models: Hermes, Qwen, Llama, Mistral, DeepSeek, Kimi, GLM and others.

All of them are a mark, then calls: a JSON object or list, Python calls, or a name with its arguments as an object, in
parentheses or in tags of their own. Read from complete text; `call_filter` finds the mark in a stream.
"""

import re
from typing import Final, NamedTuple

from glassloop.core.protocols.reply_outcome import CALLS, ReplyOutcome, Tools, bad_arguments
from glassloop.core.protocols.tolerant.call_marks import MARKS, TAGS
from glassloop.core.protocols.tolerant.json_scan import JsonScan, ScannedArguments, read_json
from glassloop.core.protocols.tolerant.json_values import UNREADABLE
from glassloop.core.protocols.tolerant.repair import (
    mark_mended,
    match_name,
    properties,
    read_arguments,
    repair_call,
    types_of,
)
from glassloop.core.protocols.tolerant.written_calls import (
    BROKEN,
    PYTHON_CALL,
    UNKNOWN,
    CallsRead,
    after_space,
    place_arguments,
    read_calls,
    read_python,
)
from glassloop.core.records import Json, Mend, ToolCall

_OPENERS: Final = re.compile(
    r"(?:\s++|"
    + "|".join(re.escape(mark) for mark in MARKS if mark[-1] in ">]" or "to=" in mark)
    + r"|<\|plugin\|>|```\w*+)*+"
)
_CLOSERS: Final = re.compile(
    r"(?:[\s,;]++|</(?:tool_calls?|function(?:_calls?)?|invoke|minimax:tool_call|tool|tool_input|｜DSML｜(?:invoke|function_calls))>"
    r"|<[|｜](?:tool[_▁]calls?[_▁](?:section[_▁])?end|python_end|eom_id|eot_id|action_end|call|end)[|｜]>|```"
    r"|(?:Thought\s{0,2}+\d{0,4}+:[^\n]{0,2000}+\n)?+Action\s{0,2}+\d{0,4}+:)*+"
)
_TAGGED_NAME: Final = re.compile(
    r"<(?:function=|(?:｜DSML｜)?invoke\s{1,8}+name=)[\"']?([\w.:/-]{1,200}+)[\"']?\s{0,8}+(?:>|(?=\{))"
)
_BARE_NAME: Final = re.compile(r"(?:function<[|｜]tool[▁_]sep[|｜]>)?([A-Za-z_][\w.:/-]{0,199}+)(?:</tool>)?")
_FOLLOWS: Final = re.compile(r"\s*+(?:[{\[<]|([A-Za-z_][\w.:/-]{0,199}+))")
_UNDECIDED: Final = re.compile(r"\s*+[\w.:/-]*+")
_UNDECIDED_CHARS: Final = 400
_NUMBER: Final = re.compile(r":\d{1,6}\Z")
_BEFORE_ARGUMENTS: Final = re.compile(
    r"(?:\s++|<[|｜]tool[▁_]sep[|｜]>|<\|tool_call_argument_begin\|>|<\|constrain\|>\w*+|<\|message\|>|\[ARGS\]"
    r"|\[CALL_ID\]\w*+|<tool_input>(?=\s{0,8}+\{)|```\w*+|json(?=\s{0,8}+[<{]))*+"
)
_PARAMETER: Final = re.compile(
    r"<(?:(?:｜DSML｜)?parameter(?:=|\s{1,8}+name=)[\"']?([^\"'<>\s]{1,200}+)[\"']?(?:\s{1,8}+string=\"(\w{4,5}+)\")?\s{0,8}+>"
    r"|arg_key>\s{0,8}+([^<>]{1,200}+)</arg_key>\s{0,8}+<arg_value>|(tool_input)>)"
)
_VALUE_END: Final = re.compile(r"</(?:(?:｜DSML｜)?parameter|arg_value|tool_input)>")
_END: Final = re.compile(r"</(?:(?:｜DSML｜)?invoke|function|tool_call|tool_input|tool)>")


def begins_call(text: str, at: int, tools: Tools) -> bool | None:
    """Whether a call follows the mark at `at`; None while that cannot be told.

    Tags that are no tokens of a chat template stand in answers as well: there an object, another tag or the name of a
    tool must follow.
    """
    tag = next((tag for tag in TAGS if text.startswith(tag, at)), "")
    if not tag:
        return True
    follows = _FOLLOWS.match(text, at + len(tag), at + _UNDECIDED_CHARS)
    if follows is None or (follows.end() == len(text) and follows[1] is not None):
        return None if len(text) - at < _UNDECIDED_CHARS and _UNDECIDED.fullmatch(text, at + len(tag)) else False
    return follows[1] is None or match_name(follows[1], tools) is not None


class _Read(NamedTuple):
    found: CallsRead
    end: int
    seen: bool
    """Whether a call is meant, readable or not: anything else is text that speaks about tags."""


def read_tagged_calls(text: str, tools: Tools) -> ReplyOutcome | None:
    """The calls of `text`, which begins with a mark, or why they cannot be read; None where it holds none."""
    calls: list[ToolCall] = []
    at = 0
    while len(calls) < CALLS:
        begin = _match_end(_OPENERS, text, at)
        read = _read_one(text, begin, tools, opened=begin > at)
        if not read.seen:
            break
        if read.found is None or isinstance(read.found, str):
            return ReplyOutcome(complaint=read.found or UNKNOWN)
        at = _match_end(_CLOSERS, text, read.end)
        closed = _is_closed(text, read.end, at)
        calls += (mark_mended(call, None if closed else "guessed") for call in read.found)
        if not closed:
            break
    return ReplyOutcome(calls=tuple(calls[:CALLS])) if calls else None


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _is_closed(text: str, end: int, after: int) -> bool:
    """Whether what follows a call is a tag, another call or the text's end: other text may belong to the call."""
    if after == len(text) or text[end - 1] == ">" or text.startswith(MARKS, after):
        return True
    return bool(text[end:after].strip()) or (after > end and text[after] in "{[")


def _read_one(text: str, at: int, tools: Tools, *, opened: bool) -> _Read:
    named = _TAGGED_NAME.match(text, at)
    if named is None and text[at : at + 1] in ("{", "["):
        if text[at] == "[" and PYTHON_CALL.match(text, after_space(text, at + 1)):
            found, end = read_python(text, at, tools)
            return _Read(found, end, seen=True)
        scan = JsonScan()
        end = scan.feed(text, at)
        if scan.status != "done":
            return _Read(BROKEN, end, seen=True)
        return _Read(read_calls(scan.root, tools, "guessed" if scan.repeated else None), end, seen=True)
    if named is None and opened:
        named = _BARE_NAME.match(text, at)
    return _Read(None, at, seen=False) if named is None else _read_named(named, text, tools)


def _read_named(named: re.Match[str], text: str, tools: Tools) -> _Read:
    name = _NUMBER.sub("", named[1]).removesuffix(".call")
    known = match_name(name, tools) or ""
    at = _match_end(_BEFORE_ARGUMENTS, text, named.end())
    char = text[at : at + 1]
    if char in ("{", "("):
        scan = JsonScan(arguments=char == "(")
        end = scan.feed(text, at if char == "{" else at + 1)
        if scan.status != "done":
            return _Read(BROKEN, end, seen=bool(known) or char == "{")
        if not known:
            return _Read(None, end, seen=char == "{")
        return _Read(_fit(known, scan, tools), end, seen=True)
    if not known:
        return _Read(None, at, seen=_PARAMETER.match(text, at) is not None)
    return _read_parameters(known, text, at, tools)


def _fit(tool: str, scan: JsonScan, tools: Tools) -> CallsRead:
    if isinstance(scan.root, ScannedArguments):
        placed = place_arguments(tool, scan.root, tools, repeated=scan.repeated)
        return placed if isinstance(placed, str) else [placed]
    args = read_arguments(scan.root, tools[tool])
    return bad_arguments(tool, tools) if args is None else [_call(tool, args, scan.repeated, tools)]


def _call(tool: str, args: dict[str, Json], doubtful: bool, tools: Tools) -> ToolCall:
    mend: Mend | None = "guessed" if doubtful else None
    return repair_call(ToolCall(id="", tool=tool, args=args, mended=mend), tools)


def _read_parameters(tool: str, text: str, at: int, tools: Tools) -> _Read:
    """Arguments in tags of their own. Without the tag that ends them more may have been meant."""
    args: dict[str, Json] = {}
    repeated = False
    spec = tools[tool]
    while (begin := _PARAMETER.match(text, at)) is not None:
        end = _VALUE_END.search(text, begin.end())
        if end is None:
            return _Read(BROKEN, len(text), seen=True)
        value = text[begin.end() : end.start()]
        key = (begin[1] or begin[3] or "").strip()
        if not key:
            given = read_arguments(value, spec)
            return _Read(
                bad_arguments(tool, tools) if given is None else [_call(tool, given, False, tools)],
                end.end(),
                seen=True,
            )
        repeated = repeated or key in args
        args[key] = _typed(value, properties(spec).get(key), spec.parameters.get("$defs"), begin[2])
        at = after_space(text, end.end())
    closed = _END.match(text, at)
    return _Read([_call(tool, args, repeated, tools)] if closed else BROKEN, closed.end() if closed else at, seen=True)


def _typed(text: str, schema: Json, definitions: Json, is_string: str | None) -> Json:
    """What stands in a tag has no type of its own: text where the parameter takes text, JSON elsewhere."""
    text = text.removeprefix("\n").removesuffix("\n")
    types = types_of(schema, definitions)
    if is_string == "true" or ("string" in types and not (text in ("null", "None") and "null" in types)):
        return text
    value = read_json(text)
    return text if value is UNREADABLE else value
