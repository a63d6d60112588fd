"""Observers of turns: logs, metrics and spans of the turns that run here. None can change or delay a turn.

Only calls them; each observer decides what it makes of an event.
"""

import logging
from collections.abc import Collection, Sequence
from typing import Protocol

from glassloop.core.events import AnyEvent, Durable

_log = logging.getLogger(__name__)


class Observer(Protocol):
    """Called on the event loop, in the task that runs the turn. Must be quick and must not wait."""

    def begin(self, events: Sequence[Durable], tools: Collection[str]) -> None:
        """A turn is run here from now on: its log so far, and the names of its tools."""
        ...

    def see(self, event: AnyEvent) -> None:
        """Something happened in it."""
        ...

    def end(self, turn_id: str) -> None:
        """It is not run here any more: it is over, waits for people, was handed over or lost."""
        ...


class ObserverGroup:
    """All of them as one. Where one fails the others still see, and the turn goes on."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = tuple(observers)

    def begin(self, events: Sequence[Durable], tools: Collection[str]) -> None:
        for observer in self._observers:
            try:
                observer.begin(events, tools)
            except Exception:
                self._complain(observer)

    def see(self, event: AnyEvent) -> None:
        for observer in self._observers:
            try:
                observer.see(event)
            except Exception:
                self._complain(observer)

    def end(self, turn_id: str) -> None:
        for observer in self._observers:
            try:
                observer.end(turn_id)
            except Exception:
                self._complain(observer)

    @staticmethod
    def _complain(observer: Observer) -> None:
        _log.exception("%s failed over a turn that goes on", type(observer).__name__)
