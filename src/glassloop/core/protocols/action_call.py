"""Parser of the call after `Action:`: `tool(arg="value")`, or `tool` with `Action Input: {…}`.

Knows where the call ends, so that anything written after it can be dropped. `text_protocol` reads the labels before it.
"""

import re
from typing import Final, Literal, cast

from glassloop.core.protocols.reply_outcome import ReplyOutcome, Tools
from glassloop.core.protocols.reply_reader import DeltaSink
from glassloop.core.protocols.tolerant.json_scan import JsonScan, ScannedArguments
from glassloop.core.protocols.tolerant.repair import mark_mended, match_name, properties, repair_call, types_of
from glassloop.core.protocols.tolerant.written_calls import read_call
from glassloop.core.records import Json, Mend, ToolCall

_NAME_CHARS: Final = 200
_INPUT_CHARS: Final = 40
_DECORATION: Final = " \t\r\n`*\"'"
_NAME: Final = re.compile(r"[\w.-]+")
_INPUT: Final = re.compile(r"[*_#> \t]{0,8}action[ _]input[*_ \t]{0,4}[:：]", re.IGNORECASE)
_NOTHING: Final = frozenset({"none", "n/a", "null", "nothing", "no action", "-"})

_SHAPE: Final = 'write Action: tool(name="value"), with text in double quotes, or Answer: and the answer.'
_BROKEN: Final = f"The action could not be read: {_SHAPE}"
_UNNAMED: Final = f"The action names no tool that is offered: {_SHAPE}"
_POSITIONS: Final = "The unnamed arguments of the action do not fit its tool's parameters: name each argument."


class ActionCall:
    """Fed with everything after the label. `state` is `void` where the model wrote that there is no action."""

    __slots__ = ("_head", "_known", "_scan", "_sink", "_tools", "name", "state")

    def __init__(self, tools: Tools, sink: DeltaSink) -> None:
        self._tools = tools
        self._sink = sink
        self.state: Literal["name", "label", "lead", "done", "broken", "void"] = "name"
        self.name = ""
        self._known = ""
        self._head = ""
        self._scan: JsonScan | None = None

    @property
    def attempted(self) -> bool:
        """A call was meant, and not a line of prose that happens to begin with the label."""
        name = self.name or self._cleaned()
        return bool(match_name(name, self._tools)) or (self._scan is not None and (not name or _is_word(name)))

    @property
    def ended(self) -> bool:
        return self.state in ("done", "broken", "void")

    def feed(self, text: str, at: int) -> int:
        """Read on from `at`; the position where the call ended, or the end of `text`."""
        while at < len(text) and not self.ended:
            if self._scan is not None:
                at = self._read_arguments(self._scan, text, at)
            elif self.state == "name":
                at = self._read_name(text, at)
            elif self.state == "label":
                at = self._read_label(text, at)
            else:
                at = self._read_lead(text, at)
        return at

    def verdict(self) -> ReplyOutcome:
        """What the action comes down to, once nothing more can come."""
        if self._scan is None:
            return ReplyOutcome(complaint=_BROKEN) if self.state == "broken" else self._without_arguments()
        if self.state != "done":
            return ReplyOutcome(complaint=_BROKEN)
        root = self._scan.root
        if isinstance(root, ScannedArguments):
            return self._with_positions(root)
        if self.name:
            return self._call(cast("dict[str, Json]", root))
        found = read_call(root, self._tools)
        if isinstance(found, ToolCall):
            return ReplyOutcome(calls=(mark_mended(found, self._mend),))
        return ReplyOutcome(complaint=found or _UNNAMED)

    def _read_name(self, text: str, at: int) -> int:
        char = text[at]
        if char in "({":
            return self._begin_arguments(at, char)
        if char == "\n" and self._cleaned():
            self.name = self._cleaned()
            self._head = ""
            self.state = "void" if self.name.lower() in _NOTHING else "label"
            return at
        if self._head or char not in _DECORATION:
            self._head += char
            self.state = "broken" if len(self._head) > _NAME_CHARS else "name"
        return at + 1

    def _begin_arguments(self, at: int, char: str) -> int:
        self.name = self._cleaned()
        self._known = match_name(self.name, self._tools) or ""
        if char == "{":
            self._scan = JsonScan()
            return at
        self._scan = JsonScan(arguments=True)
        if not self.name:
            self.state = "broken"
        return at + 1

    def _read_label(self, text: str, at: int) -> int:
        """After a name alone, its input may follow on the next line; anything else ends the call."""
        char = text[at]
        if char.isspace() and not self._head:
            return at + 1
        self._head += char
        if char in ":：" and _INPUT.fullmatch(self._head):
            self._head = ""
            self.state = "lead"
        elif char in ":：\n" or len(self._head) > _INPUT_CHARS:
            self.state = "done"
        return at + 1

    def _read_lead(self, text: str, at: int) -> int:
        """A fence may stand before the object."""
        char = text[at]
        if char == "{":
            self._known = match_name(self.name, self._tools) or ""
            self._scan = JsonScan()
            return at
        if char not in _DECORATION:
            self._head += char.lower()
            self.state = "lead" if "json".startswith(self._head) else "broken"
        return at + 1

    def _read_arguments(self, scan: JsonScan, text: str, at: int) -> int:
        end = scan.feed(text, at)
        closing = scan.status == "done" and isinstance(scan.root, ScannedArguments)
        self._sink.argue(text[at : end - 1 if closing else end], self._known)
        if scan.status != "open":
            self.state = "done" if scan.status == "done" else "broken"
        return end

    def _cleaned(self) -> str:
        return self._head.strip(_DECORATION)

    def _without_arguments(self) -> ReplyOutcome:
        name = match_name(self.name or self._cleaned(), self._tools)
        if name is None:
            return ReplyOutcome(complaint=_UNNAMED)
        if self._tools[name].parameters.get("required"):
            return ReplyOutcome(complaint=_BROKEN)
        # Where the reply ends in the name, the name itself may be half of one.
        mend = "closed" if self.state == "name" else "absent"
        return ReplyOutcome(calls=(ToolCall(id="", tool=name, mended=mend),))

    def _with_positions(self, given: ScannedArguments) -> ReplyOutcome:
        spec = self._tools.get(self._known)
        args = dict(given.named)
        if spec is None or not given.positional:
            return self._call(args)
        declared = properties(spec)
        first = next(iter(declared.values()), None)
        takes_object = "object" in types_of(first, spec.parameters.get("$defs"))
        if len(given.positional) == 1 and not args and isinstance(given.positional[0], dict) and not takes_object:
            return self._call(cast("dict[str, Json]", given.positional[0]))
        names = list(declared)[: len(given.positional)]
        if len(names) < len(given.positional) or not args.keys().isdisjoint(names):
            return ReplyOutcome(complaint=_POSITIONS)
        return self._call(dict(zip(names, given.positional, strict=True)) | args)

    def _call(self, args: dict[str, Json]) -> ReplyOutcome:
        if not self._known and not _is_word(self.name):
            return ReplyOutcome(complaint=_UNNAMED)
        call = ToolCall(id="", tool=self.name, args=args, mended=self._mend)
        return ReplyOutcome(calls=(repair_call(call, self._tools),))

    @property
    def _mend(self) -> Mend | None:
        return "guessed" if self._scan is not None and self._scan.repeated else None


def _is_word(name: str) -> bool:
    return _NAME.fullmatch(name) is not None
