"""The event stream for programs: one JSON object a line, each written as soon as it happens."""

from contextlib import redirect_stdout
from typing import BinaryIO, Self, TextIO

from glassloop.cli.untrusted import plain_json
from glassloop.core import events as e


class JsonLines:
    """The event stream itself. While a turn runs, what tools print goes to `other`: every line here is an event."""

    def __init__(self, out: BinaryIO, other: TextIO) -> None:
        self._out = out
        self._elsewhere = redirect_stdout(other)

    async def __aenter__(self) -> Self:
        self._elsewhere.__enter__()
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._elsewhere.__exit__(None, None, None)

    def show(self, event: e.Event) -> None:
        self._out.write(plain_json(e.encode(event)) + b"\n")
        self._out.flush()
