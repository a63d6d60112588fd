"""Messages that people send to a turn while it runs or waits: what they may be, and where a turn finds them."""

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from glassloop.core.errors import UsageError

MAX_MESSAGES: Final = 20
"""To one turn: each gives it another step."""
MAX_MESSAGE_CHARS: Final = 20_000


class IncomingMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message to a running turn. `number` counts those of the turn from 1. `admitted`: guardrails let it pass."""

    number: int
    text: str
    by: str
    admitted: bool = False


class Inbox(Protocol):
    """The messages that were sent to turns."""

    async def after(self, turn_id: str, number: int) -> Sequence[IncomingMessage]:
        """Those after that number, in order."""
        ...


def read_message(text: str) -> str:
    """A message as it is kept; raises `UsageError` for one that says nothing, or too much."""
    text = text.encode("utf-8", "replace").decode().strip()
    if not text:
        raise UsageError("The message is empty: write what the turn should take into account.")
    if len(text) > MAX_MESSAGE_CHARS:
        raise UsageError(f"The message is longer than {MAX_MESSAGE_CHARS:,} characters: shorten it.")
    return text


def too_many(turn_id: str) -> UsageError:
    return UsageError(
        f"Turn {turn_id!r} has had {MAX_MESSAGES} messages, which is the limit: wait for its answer, then ask again."
    )


def over(turn_id: str, status: str) -> UsageError:
    return UsageError(f"Turn {turn_id!r} is {status} and accepts no more messages: ask again in its session.")
