"""Ids: UUIDs of version 7, so that what is made later sorts later."""

import os
import time

FORM, MAX_ID_CHARS = r"^[A-Za-z0-9._:@-]+$", 200
"""What an id may look like that comes from outside: others may have made theirs in another way."""


def new_id() -> str:
    """A unique id, ordered by time to the millisecond."""
    return time_ordered_id(time.time(), os.urandom(10))


def time_ordered_id(at: float, rest: bytes) -> str:
    """The id of a moment, in seconds since the epoch, and ten bytes."""
    raw = bytearray(int(at * 1000).to_bytes(6, "big") + rest)
    raw[6] = (raw[6] & 0x0F) | 0x70
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
