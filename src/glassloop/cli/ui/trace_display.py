"""The trace on a console: as plain text, or while it happens.

Owns when something is written or redrawn, never what a turn looks like.
"""

import asyncio
import time
from typing import Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment

from glassloop.cli.ui.console import style_of, write
from glassloop.cli.ui.trace import TraceView
from glassloop.core import events as e

REDRAW_S = 0.08


class PlainTrace:
    """The trace as text that is written once, row by row, as rows settle."""

    def __init__(self, console: Console, *, question: bool = True) -> None:
        self._console = console
        self._view = TraceView(terminal=style_of(console), question=question, plain=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        return None

    def show(self, event: e.Event) -> None:
        self._view.apply(event)
        for row in self._view.take():
            write(self._console, row)


class LiveTrace:
    """The trace while it happens, redrawn at most every `REDRAW_S`, and left on the screen when the stretch ends."""

    def __init__(self, console: Console, *, question: bool = True) -> None:
        self._console = console
        self._view = TraceView(terminal=style_of(console), question=question, clock=time.time)
        self._frame = _Frame(self._view)
        self._live: Live | None = None
        self._redrawing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._frame.whole = False
        self._live = Live(self._frame, console=self._console, auto_refresh=False, vertical_overflow="visible")
        self._live.start(refresh=True)
        self._redrawing = asyncio.create_task(self._redraw(self._live))
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._redrawing is not None:
            self._redrawing.cancel()
            await asyncio.gather(self._redrawing, return_exceptions=True)
        if self._live is not None:
            self._frame.whole = True
            self._live.stop()
        self._view.take()

    def show(self, event: e.Event) -> None:
        self._view.apply(event)

    async def _redraw(self, live: Live) -> None:
        while True:
            await asyncio.sleep(REDRAW_S)
            live.refresh()


class _Frame:
    """The last lines of the trace that the screen has room for; all of them once nothing moves any more."""

    def __init__(self, view: TraceView) -> None:
        self._view = view
        self.whole = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._view, options, pad=False)
        if not self.whole:
            lines = lines[-max(1, console.size.height - 1) :]
        for number, line in enumerate(lines):
            if number:
                yield Segment.line()
            yield from line


def trace_on(console: Console, *, question: bool = True) -> PlainTrace | LiveTrace:
    """The trace as this console can show it."""
    # Colours may be forced into a pipe; movement there would only be noise.
    if console.file.isatty() and console.is_interactive:
        return LiveTrace(console, question=question)
    return PlainTrace(console, question=question)
