"""Streaming of one decision object while it is written: reasoning, arguments and response.

A response is shown early only after the action said that it is the answer; the rest waits for the object's end.
"""

from glassloop.core.protocols.decision_object import (
    Field,
    ObjectDecision,
    field_of,
    makes_decision,
    says_tool,
)
from glassloop.core.protocols.reply_outcome import Tools
from glassloop.core.protocols.reply_reader import DeltaSink
from glassloop.core.protocols.tolerant.json_values import write_json
from glassloop.core.protocols.tolerant.repair import match_name
from glassloop.core.protocols.tolerant.written_calls import says_answer


class DecisionStream:
    """Listens to the scan of one object. `answerable` is false after a call: an answer would be made up."""

    __slots__ = (
        "_answerable",
        "_argued",
        "_field",
        "_live",
        "_response",
        "_sink",
        "_tool",
        "_tools",
        "_words",
        "decides",
    )

    def __init__(self, tools: Tools, sink: DeltaSink, *, answerable: bool) -> None:
        self._tools = tools
        self._sink = sink
        self._answerable = answerable
        self._words: dict[Field, list[str]] = {}
        self._field: Field | None = None
        self._live = False
        self._argued = False
        self._tool = ""
        self._response: list[str] = []
        self.decides = False

    @property
    def in_args(self) -> bool:
        return self._field == "args"

    @property
    def response(self) -> str:
        """As much of the response as was shown."""
        return "".join(self._response)

    def key(self, name: str) -> None:
        self.decides = self.decides or makes_decision(name)
        field = field_of(name)
        self._field = field
        self._live = False
        if field is None or field in self._words:
            return
        self._words[field] = []
        self._live = self._may_show(field)
        if field == "reasoning":
            self._sink.begin_thought()
        elif field == "args":
            self._tool = self._known_tool()

    def _may_show(self, field: Field) -> bool:
        action = self._word("action")
        match field:
            case "reasoning" | "action" | "tool":
                return True
            case "args":
                return not says_answer(action) and (says_tool(action, self._tools) or bool(self._word("tool")))
            case "response":
                return self._answerable and says_answer(action)

    def piece(self, text: str, raw: bool) -> None:
        if not self._live:
            return
        if self._field == "args":
            self._argued = True
            self._sink.argue(text, self._tool)
        elif raw:
            return
        elif self._field == "reasoning":
            self._sink.think(text)
        elif self._field == "response":
            self._response.append(text)
            self._sink.say(text)
        elif self._field is not None:
            self._words[self._field].append(text)

    def settle(self, decision: ObjectDecision) -> None:
        """The object is read: show what could not be shown before."""
        for call in decision.calls if not self._argued else ():
            if call.args:
                self._sink.argue(write_json(call.args), match_name(call.tool, self._tools) or "")
        if decision.answer and self._answerable and not self._response:
            self._sink.say(decision.answer)

    def _word(self, field: Field) -> str:
        return "".join(self._words.get(field, ())).strip()

    def _known_tool(self) -> str:
        """The tool the arguments are for, where it is known: another name is the model's own text."""
        return match_name(self._word("tool"), self._tools) or match_name(self._word("action"), self._tools) or ""
