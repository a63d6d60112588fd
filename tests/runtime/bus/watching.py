"""Pieces of a turn to publish, and ways to watch it that never wait for ever."""

import asyncio

from glassloop.core import events as e
from glassloop.core.ports import Nudge

BLOCK = 32
PATIENCE_S = 60


def text(offset, words, *, turn="t1", block=BLOCK, seq=1, draft=True):
    return e.TextDelta(turn_id=turn, seq=seq, at=1.0, block=block, offset=offset, text=words, draft=draft)


def thinking(offset, words, *, turn="t1", block=BLOCK, seq=1):
    return e.ThoughtDelta(turn_id=turn, seq=seq, at=1.0, block=block, offset=offset, text=words)


def arguments(offset, words, *, index=0, tool="", turn="t1", block=BLOCK, seq=1):
    return e.ArgumentsDelta(
        turn_id=turn, seq=seq, at=1.0, block=block, offset=offset, index=index, tool=tool, text=words
    )


def progress(message="half", *, turn="t1", seq=1):
    return e.ToolProgressed(turn_id=turn, seq=seq, at=1.0, call_id="c1", message=message)


def retried(*, turn="t1", block=BLOCK, seq=1):
    return e.ModelRetried(
        turn_id=turn, seq=seq, at=1.0, block=block, attempt=1, wait_s=0.5, reason="overloaded", model="scripted"
    )


def pieces(words, size, *, start=0, **more):
    """A text as a model streams it, from an offset on."""
    return [text(at, words[at : at + size], **more) for at in range(start, len(words), size)]


async def following(watch):
    """The next thing that comes."""
    async with asyncio.timeout(PATIENCE_S):
        return await anext(watch)


async def take(watch, count):
    return [await following(watch) for _ in range(count)]


async def there(watch, most=10_000):
    """What can be read without waiting."""
    found = []
    while len(found) < most:
        try:
            async with asyncio.timeout(0):
                found.append(await anext(watch))
        except TimeoutError:
            break
    return found


async def nudge_to(watch, number):
    """Reads on until a nudge says at least `number`; everything read, the nudge the last."""
    read = []
    while not (read and isinstance(read[-1], Nudge) and read[-1].number >= number):
        read.append(await following(watch))
    return read


async def text_of(watch, length, *, start=0):
    """The text of a block, once it is that long: every piece must go on where the one before it ended."""
    found = ""
    while start + len(found) < length:
        event = await following(watch)
        if isinstance(event, e.TextDelta):
            assert event.offset == start + len(found)
            found += event.text
    return found
