"""Waiting for something to become true, with a deadline."""

import asyncio
import time

WAIT_S = 60.0


async def until(condition, what="the condition"):
    deadline = time.monotonic() + WAIT_S
    while True:
        found = condition()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return found
        assert time.monotonic() < deadline, f"{what} did not come"
        await asyncio.sleep(0.005)
