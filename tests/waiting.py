"""Waiting for something to become true: looked at again and again, and given up late, as some machines are slow."""

import asyncio
import time

WAIT_S = 120.0
LOOK_S = 0.005


async def until(condition, what="the condition", wait_s=WAIT_S):
    """What `condition`, a function or a coroutine function, gives as soon as that is true."""
    deadline = time.monotonic() + wait_s
    while True:
        found = condition()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return found
        assert time.monotonic() < deadline, f"{what} did not come within {wait_s:g} s"
        await asyncio.sleep(LOOK_S)


def until_sync(condition, what="the condition"):
    """The same where there is no event loop."""
    deadline = time.monotonic() + WAIT_S
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} did not come within {WAIT_S:g} s"
        time.sleep(LOOK_S)
    return found
