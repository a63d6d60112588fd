"""The log for operators: one JSON object a line, or text at a terminal. Written by a thread: nobody waits for it.

Secrets are taken out of every line. Of what people and models say, lines below `debug` tell only how long it is.
Of turns, lines at `info` tell that they started and finished and which tools were chosen; at `warning` that a model was
tried again or changed, that the log lags, or that there were many calls; at `error` that one failed; at `debug` every
event as it is stored.
"""

import logging
import queue
import re
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, NamedTuple, TextIO

import msgspec

from glassloop.core import events as e
from glassloop.projections.turn_state import CALLS_EXPECTED
from glassloop.runtime.settings import Settings
from glassloop.store.log.redaction import Redactor, secrets_between

MAX_LINES = 10_000
"""Lines that wait to be written; when nobody takes them, more are dropped and counted."""
MAX_CHARS = 10_000
LAST_LINES_S = 2.0
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
OURS = "glassloop"

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_encode = msgspec.json.Encoder(enc_hook=str).encode


class LogContext(NamedTuple):
    """The turn that a line is about, and where the secrets that it is known to hold are known."""

    session_id: str
    turn_id: str
    redactor_of: Callable[[str], Redactor | None] | None = None


log_context: ContextVar[LogContext | None] = ContextVar("log_context", default=None)
"""Where the task that logs is: whatever it calls need not know its turn to be found under it."""


class LineFormatter(logging.Formatter):
    """A record as an object of the contract's fields, without secrets."""

    def __init__(self, redactor: Redactor, *, as_json: bool) -> None:
        super().__init__()
        self._redactor = redactor
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """One line; as text, a stack follows on lines of its own."""
        fields = self._fields(record)
        try:
            line = _encode(fields)
        except UnicodeEncodeError:
            # Half characters, as some models send them, fit in no line.
            line = _encode({**fields, "data": {"unwritable": _cut(ascii(fields["data"]))}})
        for redactor in self._redactors(record):
            line = redactor.clean(line)
        return line.decode() if self._as_json else _as_text(msgspec.json.decode(line))

    def _redactors(self, record: logging.LogRecord) -> Iterator[Redactor]:
        """What every line is cleaned with, what this turn's are, and what knows the `arguments` that a record names:
        those of a call are logged before the turn has stored them."""
        here = log_context.get()
        turns = here.redactor_of(here.turn_id) if here is not None and here.redactor_of is not None else None
        if (given := getattr(record, "arguments", None)) is not None:
            yield self._redactor.knowing(secrets_between(given, self._redactor.value(given)))
        else:
            yield self._redactor
        if turns is not None:
            yield turns

    def _fields(self, record: logging.LogRecord) -> dict[str, Any]:
        here = log_context.get()
        data: dict[str, Any] = {} if here is None else {"turn_id": here.turn_id}
        given = getattr(record, "data", None)
        if isinstance(given, Mapping):
            data |= given
        if record.exc_info:
            data["stack"] = _cut(self.formatException(record.exc_info))
        return {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "session_id": here and here.session_id,
            "component": record.name.removeprefix(f"{OURS}."),
            "message": _cut(record.getMessage()),
            "data": data,
        }


class LineHandler(logging.Handler):
    """Hands lines to a thread that writes them. A stream that nobody reads holds up nothing but its own lines."""

    def __init__(self, stream: TextIO, form: logging.Formatter, most: int = MAX_LINES) -> None:
        super().__init__()
        self.setFormatter(form)
        self.dropped = 0
        self._stream = stream
        self._queue: queue.Queue[str | None] = queue.Queue(most)
        self._thread = threading.Thread(target=self._write_all, name="glassloop-log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._queue.put_nowait(self.format(record))
        except queue.Full:
            self.dropped += 1
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Writes what waits, as long as that is quick."""
        if self._thread.is_alive():
            try:
                self._queue.put(None, timeout=LAST_LINES_S)
            except queue.Full:
                pass
            self._thread.join(LAST_LINES_S)
        super().close()

    def _write_all(self) -> None:
        reported = 0
        while (line := self._queue.get()) is not None:
            try:
                self._stream.write(f"{line}\n")
                if (missing := self.dropped - reported) and self._queue.empty():
                    reported += missing
                    self._stream.write(f"{self.format(_dropped(missing))}\n")
                self._stream.flush()
            except (OSError, ValueError):
                # Nobody will ever read it: the server goes on without a log.
                self.dropped += 1


class Logs:
    """The log of this process, from when it is made until `close`; then everything is as it was before."""

    def __init__(self, settings: Settings, stream: TextIO) -> None:
        as_json = settings.log == "json" or (settings.log == "auto" and not stream.isatty())
        self._handler = LineHandler(stream, LineFormatter(Redactor(settings.secrets), as_json=as_json))
        self._root, self._ours = logging.getLogger(), logging.getLogger(OURS)
        self._before = [(logger, logger.handlers, logger.level) for logger in (self._root, self._ours)]
        level = LEVELS[settings.log_level]
        self._root.handlers, self._ours.handlers = [self._handler], []
        self._root.setLevel(max(level, logging.WARNING))
        self._ours.setLevel(level)

    @property
    def dropped(self) -> int:
        """Lines that were not written."""
        return self._handler.dropped

    def close(self) -> None:
        for logger, handlers, level in self._before:
            logger.handlers = handlers
            logger.setLevel(level)
        self._handler.close()


def _as_text(fields: Mapping[str, Any]) -> str:
    """For a person: when, how bad, what, and the rest as words."""
    data = dict(fields["data"])
    stack = str(data.pop("stack", ""))
    facts = " ".join(f"{name}={_encode(value).decode()}" for name, value in data.items() if value is not None)
    head = f"{fields['timestamp'][11:19]} {fields['level']:<7} {fields['message']}"
    line = _CONTROL.sub(_written_out, f"{head}  {facts}" if facts else head)
    return "\n".join([line, *(f"    {_CONTROL.sub(_written_out, part)}" for part in stack.splitlines())])


def _written_out(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def _cut(text: str) -> str:
    plain = text.encode("utf-8", "backslashreplace").decode()
    return plain if len(plain) <= MAX_CHARS else f"{plain[:MAX_CHARS]}…"


def _dropped(count: int) -> logging.LogRecord:
    text = "%d lines were not written: nobody took them quickly enough"
    return logging.LogRecord(f"{OURS}.server.logs", logging.WARNING, __file__, 0, text, (count,), None)


_log = logging.getLogger("glassloop.turn")

MAX_REASON = 500
_DELTAS = (e.TextDelta, e.ThoughtDelta, e.ArgumentsDelta)
MAX_NAME = 100


class TurnLog:
    """An `Observer` that writes lines. `redactor_of`: the secrets that a turn is known to hold are left out of what is
    logged while it runs."""

    def __init__(self) -> None:
        self.redactor_of: Callable[[str], Redactor | None] | None = None

    def begin(self, events: Sequence[e.Durable], tools: Collection[str]) -> None:  # noqa: ARG002
        started = events[0]
        if not isinstance(started, e.TurnStarted):
            return
        log_context.set(LogContext(started.session_id, started.turn_id, self.redactor_of))
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
        told = e.innermost(event)
        if told is event and type(event) not in _DELTAS:
            _write(event)
        elif isinstance(told, e.ToolCalled | e.ApprovalRequested | e.ModelRetried):
            _write(told)
        if type(event) not in e.TRANSIENT and _log.isEnabledFor(logging.DEBUG):
            _say(logging.DEBUG, f"event {event.__struct_config__.tag}", {"event": msgspec.to_builtins(event)})

    def end(self, turn_id: str) -> None:  # noqa: ARG002
        log_context.set(None)


def _write(event: e.AnyEvent) -> None:
    match event:
        case e.ToolCalled(call=call):
            _say(
                logging.INFO, "tool chosen", {"tool": call.tool[:MAX_NAME], "effect": event.effect, "step": event.step}
            )
        case e.ApprovalRequested(call=call):
            data = {"tool": call.tool[:MAX_NAME], "reason": event.reason, "step": event.step}
            _say(logging.INFO, "approval requested", data)
        case e.QuestionAsked():
            _say(logging.INFO, "question asked", {"step": event.step, "options": len(event.options)})
        case e.MessageReceived():
            _say(logging.INFO, "message received", {"step": event.step, "number": event.number})
        case e.ModelRetried():
            # Only the change to the fallback model waits for nothing.
            what = "model tried again" if event.wait_s else "fallback model asked"
            data = {"model": event.model, "attempt": event.attempt, "wait_s": round(event.wait_s, 3)}
            _say(logging.WARNING, what, {**data, "reason": event.reason[:MAX_REASON]})
        case e.LogDelayed():
            _say(logging.WARNING, "turn kept in memory for now", {"reason": event.reason[:MAX_REASON]})
        case e.TurnWaiting():
            _say(logging.INFO, "turn paused", {"reason": event.reason, "calls": len(event.call_ids)})
        case e.TurnFinished():
            _finished(event)
        case _:
            pass


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


def _say(level: int, message: str, data: Mapping[str, Any]) -> None:
    if _log.isEnabledFor(level):
        _log.log(level, message, extra={"data": {name: value for name, value in data.items() if value is not None}})
