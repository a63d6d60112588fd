"""Filter between a server's messages and the session: limits their rate and drops what nobody waits for.

A server that writes without end is read slowly; the rest waits on its side. Answers always pass. Notifications that
nobody listens to are dropped, the others and the server's own requests are limited, because each of them starts a task
in the session.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self

from mcp.client._transport import ReadStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest

MESSAGES_PER_S = 500
CHATTER_PER_S = 100
CHANGED = "notifications/tools/list_changed"
_HEARD = ("notifications/progress", "notifications/cancelled", "notifications/subscriptions/acknowledged")


class RateBudget:
    """So much a second, and so much at once."""

    def __init__(self, per_second: float, at_once: float, clock: Callable[[], float] = monotonic) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left = at_once
        self._clock = clock
        self._looked = clock()

    def take(self, amount: float = 1.0) -> float:
        """How many seconds to wait before going on; 0 within the budget."""
        now = self._clock()
        self._left = min(self._at_once, self._left + (now - self._looked) * self._per_second) - amount
        self._looked = now
        return max(0.0, -self._left / self._per_second)

    def allows(self) -> bool:
        """Takes one if there is one."""
        if self.take(0.0) > 0.0 or self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class MessageFilter:
    """A session's read stream. `changed` is called when the list of tools changed, `ended` when nothing more comes."""

    def __init__(
        self,
        source: ReadStream[SessionMessage | Exception],
        changed: Callable[[], None],
        ended: Callable[[], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._source = source
        self._changed = changed
        self._ended = ended
        self._pace = RateBudget(MESSAGES_PER_S, 2 * MESSAGES_PER_S, clock)
        self._chatter = RateBudget(CHATTER_PER_S, 5 * CHATTER_PER_S, clock)

    async def receive(self) -> SessionMessage | Exception:
        return await self.__anext__()

    def __aiter__(self) -> "MessageFilter":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            try:
                item = await self._source.__anext__()
            except BaseException:
                self._ended()
                raise
            if wait := self._pace.take():
                await asyncio.sleep(wait)
            if not isinstance(item, Exception) and self._passes(item):
                return item

    async def aclose(self) -> None:
        await self._source.aclose()

    async def __aenter__(self) -> Self:
        await self._source.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self._source.__aexit__(exc_type, exc_val, exc_tb)

    def _passes(self, item: SessionMessage) -> bool:
        message = item.message
        if isinstance(message, JSONRPCNotification):
            if message.method == CHANGED:
                self._changed()
            return message.method in _HEARD and self._chatter.allows()
        return not isinstance(message, JSONRPCRequest) or self._chatter.allows()
