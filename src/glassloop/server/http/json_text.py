"""Check whether JSON that somebody sent is fit to be read, before anything builds values from it.

Python's own reader takes what cannot be stored or sent on (half characters, NaN), other encodings than UTF-8, and
nesting until it fails. What comes through here is plain.
"""

import array
import re
from itertools import accumulate

import msgspec

MAX_DEPTH = 100

# Takes a string that does not end too: a pattern that failed there would try again from every quote inside it.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_OPENING, _CLOSING = b"[{", b"]}"
# 255 is -1 as a signed byte: the running sum of what is left is the depth.
_STEPS = bytes.maketrans(_OPENING + _CLOSING, b"\x01\x01\xff\xff")
_OTHERS = bytes(byte for byte in range(256) if byte not in _OPENING + _CLOSING)


def why_unfit(body: bytes) -> str | None:
    """What is wrong with it, in words; None where nothing is."""
    if _too_deep(body):
        return f"The JSON is nested deeper than {MAX_DEPTH} levels: send it flatter."
    try:
        msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"The body is no JSON that can be read: {error}. Send valid JSON in UTF-8."
    return None


def _too_deep(body: bytes) -> bool:
    if sum(body.count(bytes((sign,))) for sign in _OPENING) <= MAX_DEPTH:
        return False
    steps = array.array("b", _STRING.sub(b"", body).translate(_STEPS, _OTHERS))
    return max(accumulate(steps), default=0) > MAX_DEPTH
