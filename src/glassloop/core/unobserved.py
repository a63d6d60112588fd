"""What is said in the place of an observation that was not made.

Replay knows by these words what had happened, in logs of long ago too: they never change.
"""

STOPPED = "Stopped before it finished."
CANCELLED = "Cancelled before it finished."
FAILED = "Not finished: the turn failed."
IN_DOUBT = "Whether it took effect is unknown."
UNLOGGED = "Not run: what cannot be logged is not done, and the log cannot be written now."
