"""Waiting for a tool, but not for ever.

A timer costs more than most calls do, so work begins without one: what is done at its first step never needs it, and
only what has to wait is waited for with a limit. Owns no policy: how long, and what then, is the caller's.
"""

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

T = TypeVar("T")


class OutOfTime(Exception):
    """The work did not end within its time, and was cancelled."""


async def wait_for(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """What the work returns or raises; `OutOfTime` where it takes longer."""
    try:
        waits_for = work.send(None)
    except StopIteration as done:
        return done.value
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await _Rest(work, waits_for)
    except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        # Also what the work raised on its way out.
        if limit.expired():
            raise OutOfTime from error
        raise


class _Rest:
    """A coroutine that has begun, from where it waits: an awaitable that goes on with it."""

    __slots__ = ("_waits_for", "_work")

    def __init__(self, work: Coroutine[Any, Any, Any], waits_for: Any) -> None:
        self._work = work
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, Any]:
        work, waits_for = self._work, self._waits_for
        while True:
            try:
                yield waits_for
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                # Thrown at us by the event loop, meant for the work.
                try:
                    waits_for = work.throw(error)
                except StopIteration as done:
                    return done.value
            else:
                return (yield from work.__await__())
