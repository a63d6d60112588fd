"""A turn's events as a native stream: durable ones with an id to go on from, transients gathered for a moment.

`id:` is `turn_id:seq`. A client that reconnects with `Last-Event-ID` gets what it missed from the store, the open
block of text whole, and then joins live; reconnecting never starts anything.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.runtime.durable.runtime import Runtime
from glassloop.server.http.sse import frame

GATHER_S = 0.04
"""Transients wait this long for others to share their write."""


def native_frame(event: e.AnyEvent) -> bytes:
    """One event as the page and our own clients read it."""
    return frame(e.encode(event), event=str(type(event).__struct_config__.tag), ident=event_id(event))


def event_id(event: e.AnyEvent) -> str | None:
    """What a client goes on from; transients are nothing to go on from."""
    return None if type(event) in e.TRANSIENT else f"{event.turn_id}:{event.seq}"


def read_last_id(given: str | None, turn_id: str) -> int:
    """The seq in a `Last-Event-ID` of this turn; 0 where there is none."""
    if not given:
        return 0
    turn, _, seq = given.rpartition(":")
    if turn != turn_id or not seq.isascii() or not seq.isdecimal() or len(seq) > 9:
        raise UsageError(f"Last-Event-ID {given[:80]!r} is not of turn {turn_id!r}: leave it out to begin anew.")
    return int(seq)


async def native_frames(runtime: Runtime, turn_id: str, after: int) -> AsyncGenerator[bytes, None]:
    """The stream of a turn from the event after `after` on, to its end; pauses are waited through."""
    watching = runtime.watch_batches(turn_id, after=after, through_pauses=True, gather_s=GATHER_S)
    async with aclosing(watching) as batches:
        async for batch in batches:
            if batch:
                yield b"".join([native_frame(event) for event in batch])
