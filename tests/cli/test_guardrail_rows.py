"""What guardrails and the review did, in the terminal: guardrails with their names, and once."""

import io
from itertools import count
from typing import Any

from rich.console import Console

from glassloop.cli.ui.console import DARK, theme
from glassloop.cli.ui.output import TerminalStyle
from glassloop.cli.ui.trace import TraceView
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage
from glassloop.core.records import Decision, Refusal, ToolCall, ToolResult

REFUSED = ToolResult(success=False, error="Stopped by the guardrail 'no_pins': Private.", cause="refused")


def shown(*kinds: tuple[type[e.Event], dict[str, Any]]) -> str:
    view, numbers, out = TraceView(terminal=TerminalStyle(colour=False)), count(1), io.StringIO()
    for kind, fields in kinds:
        view.apply(kind(turn_id="t", seq=next(numbers), at=1.0, **fields))
    Console(file=out, width=140, theme=theme(DARK), markup=False).print(view)
    return out.getvalue()


def guarded(stage: str, action: str, **more: Any) -> tuple[type[e.Event], dict[str, Any]]:
    return e.GuardrailTriggered, {"stage": stage, "name": "no_pins", "action": action, "reason": "Private.", **more}


def replied(**decision: Any) -> tuple[type[e.Event], dict[str, Any]]:
    fields = {"purpose": "decide", "step": 1, "model": "m", "tier": "balanced", "message": AssistantMessage()}
    return e.ModelResponded, {**fields, "decision": Decision(**decision)}


def test_each_is_told_with_its_name_and_a_stopped_call_only_by_its_result() -> None:
    text = shown(
        guarded("input", "rewrite"),
        replied(calls=(ToolCall(id="c1", tool="send"),)),
        (e.ThoughtRecorded, {"step": 1, "text": "Use send.", "implied": True}),
        guarded("call", "stop", call_id="c1"),
        (e.ToolReturned, {"step": 1, "call_id": "c1", "result": REFUSED}),
        replied(complaint="Again.", withheld=True),
        guarded("output", "stop"),
        guarded("result", "rewrite", call_id="c1", reason=""),
        guarded("message", "stop", failed=True, reason="The guardrail failed."),
    )
    assert "no_pins changed the question: Private." in text
    assert "no_pins withheld the answer: Private." in text
    assert "no_pins changed the result of send." in text
    assert "The guardrail failed." in text
    assert text.count("Stopped by the guardrail 'no_pins'") == 1
    assert "could not be parsed" not in text


def test_a_decision_that_was_sent_back_is_told_as_such_and_not_as_unreadable() -> None:
    told = replied(complaint="Nobody gave 10 as `tonnes`.", refused=Refusal(reason="figure", parameter="tonnes"))
    text = shown(told, replied(complaint="That was no JSON."))
    assert "Sent back: Nobody gave 10 as `tonnes`." in text
    assert text.count("could not be parsed") == 1
