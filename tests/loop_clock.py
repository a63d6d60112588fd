"""Time that passes when a test says so: for what waits for a timer of the event loop.

A short time limit in a test also runs out before what it is to interrupt has begun, on a machine that stands still
for a moment. So a limit is long, and passes at once when the test knows that it is time.
"""

import asyncio
import time


def pass_time(seconds):
    """From now on it is so much later on the running loop; timers due by then fire in its next round."""
    loop = asyncio.get_running_loop()
    ahead = loop.time() + seconds - time.monotonic()
    loop.time = lambda: time.monotonic() + ahead
