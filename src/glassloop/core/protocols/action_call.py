"""Parser of the call after `Action:`, in the forms of several frameworks.

`tool(arg="value")`, the ReAct paper's `tool[value]`, LangChain's `tool` with `Action Input:` as JSON or as plain text,
and one JSON object, fenced or not. Knows where the call ends; `text_protocol` reads the labels around it.
"""

import re
from typing import Final, Literal, cast

from glassloop.core.protocols.reply_outcome import ReplyOutcome, Tools
from glassloop.core.protocols.reply_reader import DeltaSink
from glassloop.core.protocols.tolerant.json_scan import JsonScan, ScannedArguments
from glassloop.core.protocols.tolerant.repair import mark_mended, match_name, properties, read_arguments, repair_call
from glassloop.core.protocols.tolerant.written_calls import (
    answer_of,
    place_arguments,
    read_answer,
    read_bare_calls,
    read_calls,
    says_answer,
)
from glassloop.core.records import Json, Mend, ToolCall

_NAME_CHARS: Final = 200
_DECORATION: Final = " \t\r\n`*\"'"
_NAME: Final = re.compile(r"[\w.-]+")
_WORDS: Final = re.compile(r"[\w.-]+")
_ASSIGNMENT: Final = re.compile(r"\s{0,20}(\w{1,200})\s{0,20}=")
_FENCE_WORDS: Final = frozenset({"json", "json5", "python", "tool_code", "tool_call"})
_NOTHING: Final = frozenset({"none", "n/a", "null", "nothing", "no action", "-"})

_SHAPE: Final = 'write Action: tool(name="value"), with text in double quotes, or Answer: and the answer.'
_BROKEN: Final = f"The action could not be read: {_SHAPE}"
_UNNAMED: Final = f"The action names no tool that is offered: {_SHAPE}"


class ActionCall:
    """Fed with everything after the label. `state` says what it waits for, or how it ended: `named` is a name alone on
    its line, `input` plain text up to the next label, `void` that the model wrote that there is no action."""

    __slots__ = ("_closed", "_head", "_known", "_scan", "_sink", "_text", "_tools", "name", "state")

    def __init__(self, tools: Tools, sink: DeltaSink) -> None:
        self._tools = tools
        self._sink = sink
        self.state: Literal["name", "arguments", "line", "named", "lead", "input", "done", "broken", "void"] = "name"
        self.name = ""
        self._known = ""
        self._head = ""
        self._scan: JsonScan | None = None
        self._text: list[str] = []
        self._closed = False

    @property
    def untouched(self) -> bool:
        return self.state == "name" and not self._head

    @property
    def attempted(self) -> bool:
        """A call was meant, and not a line of prose that happens to begin with the label."""
        name = self.name or self._cleaned()
        words = _WORDS.findall(name)
        if match_name(name, self._tools) or (words and match_name(words[0], self._tools)):
            return True
        if any(word in self._tools for word in words) or (says_answer(name) and (self._text or self._scan)):
            return True
        if self.state == "input" and not name:
            return read_bare_calls("".join(self._text), self._tools) is not None
        return self._scan is not None and (not name or _is_word(name))

    def feed(self, text: str, at: int) -> int:
        """Read on from `at`; the position where the call ended or other lines decide, or the end of `text`."""
        while at < len(text):
            match self.state:
                case "name":
                    at = self._read_name(text, at)
                case "arguments" if self._scan is not None:
                    at = self._read_arguments(self._scan, text, at)
                case "line" if not self._closed:
                    at = self._read_line(text, at)
                case "lead":
                    at = self._read_lead(text, at)
                case _:
                    break
        return at

    def begin_input(self) -> None:
        """`Action Input:` follows a name."""
        self.state = "lead"
        self._head = ""

    def write(self, text: str) -> None:
        """More of an input that is plain text."""
        self._text.append(text)

    def close(self, *, labelled: bool) -> None:
        """Nothing more comes: another label, or the end of the reply."""
        self._closed = labelled
        if self._text:
            self._sink.argue("".join(self._text).strip(), self._known)

    def outcome(self) -> ReplyOutcome:
        """What the action comes down to, once nothing more can come."""
        if self.state == "line":
            return self._in_brackets("".join(self._text))
        if self.state == "input":
            return self._with_text("".join(self._text).strip())
        if self._scan is None:
            return ReplyOutcome(complaint=_BROKEN) if self.state == "broken" else self._without_arguments()
        if self.state != "done":
            return ReplyOutcome(complaint=_BROKEN)
        root, repeated = self._scan.root, self._scan.repeated
        if isinstance(root, ScannedArguments):
            return self._placed(root, repeated=repeated)
        if self.name:
            return self._call(cast("dict[str, Json]", root), "guessed" if repeated else None)
        if answer := read_answer(root, self._tools):
            return ReplyOutcome(answer=answer)
        found = read_calls(root, self._tools, "guessed" if repeated else None)
        return (
            ReplyOutcome(calls=tuple(found)) if isinstance(found, list) else ReplyOutcome(complaint=found or _UNNAMED)
        )

    def _read_name(self, text: str, at: int) -> int:
        char = text[at]
        if char in "({[":
            return self._begin_arguments(at, char)
        if char == "\n" and self._cleaned():
            self.name = self._cleaned()
            self._known = match_name(self.name, self._tools) or ""
            self.state = "void" if self.name.lower() in _NOTHING else "named"
            return at
        if self._head or char not in _DECORATION:
            self._head += char
            self.state = "broken" if len(self._head) > _NAME_CHARS else "name"
        return at + 1

    def _begin_arguments(self, at: int, char: str) -> int:
        self.name = self._cleaned()
        self._known = match_name(self.name, self._tools) or ""
        if char == "[":
            self.state = "line" if self.name else "input"
            return at + 1 if self.name else at
        self.state = "arguments"
        self._scan = JsonScan(arguments=char == "(")
        if char == "(" and not self.name:
            self.state = "broken"
        return at if char == "{" else at + 1

    def _read_line(self, text: str, at: int) -> int:
        end = text.find("\n", at)
        self._text.append(text[at : end if end >= 0 else len(text)])
        if end < 0:
            return len(text)
        self._closed = True
        return end

    def _read_lead(self, text: str, at: int) -> int:
        """A fence may stand before the object; anything else is plain text."""
        char = text[at]
        if char == "{":
            self._text = []
            self._scan = JsonScan()
            self.state = "arguments"
            return at
        self._text.append(char)
        if char not in _DECORATION:
            self._head += char.lower()
            self.state = "lead" if "json".startswith(self._head) else "input"
        return at + 1

    def _read_arguments(self, scan: JsonScan, text: str, at: int) -> int:
        end = scan.feed(text, at)
        closing = scan.status == "done" and isinstance(scan.root, ScannedArguments)
        self._sink.argue(text[at : end - 1 if closing else end], self._known)
        if scan.status != "open":
            self.state = "done" if scan.status == "done" else "broken"
        return end

    def _cleaned(self) -> str:
        name = self._head.strip(_DECORATION)
        return "" if name in _FENCE_WORDS and not match_name(name, self._tools) else name

    def _without_arguments(self) -> ReplyOutcome:
        name = match_name(self.name or self._cleaned(), self._tools)
        if name is None:
            return ReplyOutcome(complaint=_UNNAMED)
        if self._tools[name].parameters.get("required"):
            return ReplyOutcome(complaint=_BROKEN)
        # Where the reply ends in the name, the name itself may be half of one.
        mend = "closed" if self.state == "name" else "absent"
        return ReplyOutcome(calls=(ToolCall(id="", tool=name, mended=mend),))

    def _in_brackets(self, line: str) -> ReplyOutcome:
        """Up to the last bracket of the line, as the text may have brackets of its own."""
        given, closed, rest = line.rpartition("]")
        if not closed:
            return ReplyOutcome(complaint=_BROKEN)
        if answer := answer_of(self.name, given.strip(), self._tools):
            return ReplyOutcome(answer=answer)
        spec = self._tools.get(self._known)
        if spec is None:
            return ReplyOutcome(complaint=_UNNAMED)
        named = _ASSIGNMENT.match(given)
        args = None if named and named[1] in properties(spec) else read_arguments(given, spec)
        mend: Mend | None = "guessed" if rest.strip(_DECORATION + ".") or not _is_balanced(given) else None
        if args is not None:
            return self._call(args, mend)
        scan = JsonScan(arguments=True)
        scan.feed(f"{given})")
        if scan.status != "done":
            return ReplyOutcome(complaint=_BROKEN)
        return self._placed(cast(ScannedArguments, scan.root), repeated=scan.repeated or mend is not None)

    def _with_text(self, text: str) -> ReplyOutcome:
        """An input of plain text has no end of its own: without a label behind it half of it may be missing."""
        if not self.name:
            return read_bare_calls(text, self._tools) or ReplyOutcome(complaint=_UNNAMED)
        if answer := answer_of(self.name, text, self._tools):
            return ReplyOutcome(answer=answer)
        if not text or text.lower() in _NOTHING:
            return self._without_arguments()
        args = read_arguments(text, self._tools.get(self._known))
        if args is None:
            return ReplyOutcome(complaint=_BROKEN)
        return self._call(args, None if self._closed or _is_quoted(text) else "closed")

    def _placed(self, given: ScannedArguments, *, repeated: bool) -> ReplyOutcome:
        alone = given.positional[0] if len(given.positional) == 1 and not given.named else given.named
        if answer := answer_of(self.name, alone, self._tools):
            return ReplyOutcome(answer=answer)
        if not self._known and not _is_word(self.name):
            return ReplyOutcome(complaint=_UNNAMED)
        placed = place_arguments(self.name, given, self._tools, repeated=repeated)
        return ReplyOutcome(complaint=placed) if isinstance(placed, str) else ReplyOutcome(calls=(placed,))

    def _call(self, args: dict[str, Json], mend: Mend | None) -> ReplyOutcome:
        if answer := answer_of(self.name, args, self._tools):
            return ReplyOutcome(answer=answer)
        if not self._known and not _is_word(self.name):
            return ReplyOutcome(complaint=_UNNAMED)
        call = repair_call(ToolCall(id="", tool=self.name, args=args), self._tools)
        return ReplyOutcome(calls=(mark_mended(call, mend),))


def _is_word(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _is_balanced(text: str) -> bool:
    """Whether the brackets of `text` pair: otherwise another call may have been taken for its text."""
    depth = 0
    for char in text:
        depth += (char == "[") - (char == "]")
        if depth < 0:
            return False
    return depth == 0


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
