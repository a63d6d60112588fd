"""Turns as lines of the log: which facts are told, how loudly, and with which figures.

Started, finished and tools chosen: `info`. Tried again, another model, a log that lags, a turn with many
calls: `warning`. Failed: `error`.
Everything that happened, as it is stored: `debug`.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.projections.turn_state import CALLS_EXPECTED
from glassloop.server.observability.logs import LogContext, log_context

_log = logging.getLogger("glassloop.turn")

MAX_REASON = 500
MAX_NAME = 100


class TurnLog:
    """An `Observer` that writes lines."""

    def begin(self, events: Sequence[e.Durable], tools: Collection[str]) -> None:  # noqa: ARG002
        started = events[0]
        if not isinstance(started, e.TurnStarted):
            return
        log_context.set(LogContext(started.session_id, started.turn_id))
        worked = any(not isinstance(event, e.TurnStarted | e.TurnClaimed | e.HistoryLoaded) for event in events)
        _say(
            logging.INFO,
            "turn taken up again" if worked else "turn started",
            {
                "user": started.user,
                "assistant": started.assistant,
                "model": started.model,
                "question_chars": len(started.question),
                "events": len(events) if worked else None,
            },
        )

    def see(self, event: e.AnyEvent) -> None:
        tell = _TOLD.get(type(event))
        if tell is not None:
            tell(event)
        if type(event) not in e.TRANSIENT and _log.isEnabledFor(logging.DEBUG):
            _say(logging.DEBUG, f"event {event.__struct_config__.tag}", {"event": msgspec.to_builtins(event)})

    def end(self, turn_id: str) -> None:  # noqa: ARG002
        log_context.set(None)


def _chosen(event: e.ToolCalled) -> None:
    _say(logging.INFO, "tool chosen", {"tool": event.call.tool[:MAX_NAME], "effect": event.effect, "step": event.step})


def _asked(event: e.ApprovalRequested) -> None:
    tool = event.call.tool[:MAX_NAME]
    _say(logging.INFO, "approval requested", {"tool": tool, "reason": event.reason, "step": event.step})


def _retried(event: e.ModelRetried) -> None:
    # Only the change to the fallback model waits for nothing.
    what = "model tried again" if event.wait_s else "fallback model asked"
    data = {"model": event.model, "attempt": event.attempt, "wait_s": round(event.wait_s, 3)}
    _say(logging.WARNING, what, {**data, "reason": event.reason[:MAX_REASON]})


def _delayed(event: e.LogDelayed) -> None:
    _say(logging.WARNING, "turn kept in memory for now", {"reason": event.reason[:MAX_REASON]})


def _paused(event: e.TurnPaused) -> None:
    _say(logging.INFO, "turn paused", {"reason": event.reason, "calls": len(event.call_ids)})


def _finished(event: e.TurnFinished) -> None:
    figures = {
        "turn_id": event.turn_id,
        "status": event.status,
        "seconds": round(event.seconds, 3),
        "iterations": event.iterations,
        "tool_calls": event.tool_calls,
        "input_tokens": event.input_tokens,
        "output_tokens": event.output_tokens,
        "cost": event.cost,
    }
    if event.tool_calls > CALLS_EXPECTED:
        many = {"turn_id": event.turn_id, "tool_calls": event.tool_calls, "expected": CALLS_EXPECTED}
        _say(logging.WARNING, "turn took many tool calls", many)
    if event.status != "failed":
        _say(logging.INFO, "turn finished", figures)
        return
    why = {"error_type": event.error_type, "error": (event.error or "")[:MAX_REASON], "reference": event.reference}
    _say(logging.ERROR, "turn failed", figures | why)


_TOLD: Mapping[type[e.Event], Callable[[Any], None]] = {
    e.ToolCalled: _chosen,
    e.ApprovalRequested: _asked,
    e.ModelRetried: _retried,
    e.LogDelayed: _delayed,
    e.TurnPaused: _paused,
    e.TurnFinished: _finished,
}


def _say(level: int, message: str, data: Mapping[str, Any]) -> None:
    if _log.isEnabledFor(level):
        _log.log(level, message, extra={"data": {name: value for name, value in data.items() if value is not None}})
