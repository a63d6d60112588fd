"""The log for operators: one JSON object a line, or text at a terminal. Written by a thread: nobody waits for it.

Secrets are taken out of every line. Of what people and models say, lines below `debug` tell only how long it is.
Which facts of a turn are worth a line is `turn_log`'s business.
"""

import logging
import queue
import re
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, NamedTuple, TextIO

import msgspec

from glassloop.runtime.settings import Settings
from glassloop.store.log.redaction import Redactor

MAX_LINES = 10_000
"""Lines that wait to be written; when nobody takes them, more are dropped and counted."""
MAX_CHARS = 10_000
LAST_LINES_S = 2.0
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
OURS = "glassloop"

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_encode = msgspec.json.Encoder(enc_hook=str).encode


class LogContext(NamedTuple):
    """The turn that a line is about."""

    session_id: str
    turn_id: str


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
        line = self._redactor.clean(line)
        return line.decode() if self._as_json else _as_text(msgspec.json.decode(line))

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
        told = 0
        while (line := self._queue.get()) is not None:
            try:
                self._stream.write(f"{line}\n")
                if (missing := self.dropped - told) and self._queue.empty():
                    told += missing
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
    told = " ".join(f"{name}={_encode(value).decode()}" for name, value in data.items() if value is not None)
    head = f"{fields['timestamp'][11:19]} {fields['level']:<7} {fields['message']}"
    line = _CONTROL.sub(_written_out, f"{head}  {told}" if told else head)
    return "\n".join([line, *(f"    {_CONTROL.sub(_written_out, part)}" for part in stack.splitlines())])


def _written_out(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def _cut(text: str) -> str:
    plain = text.encode("utf-8", "backslashreplace").decode()
    return plain if len(plain) <= MAX_CHARS else f"{plain[:MAX_CHARS]}…"


def _dropped(count: int) -> logging.LogRecord:
    text = "%d lines were not written: nobody took them quickly enough"
    return logging.LogRecord(f"{OURS}.server.logs", logging.WARNING, __file__, 0, text, (count,), None)
