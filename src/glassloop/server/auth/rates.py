"""Rate and concurrency limits by name, in bounded tables, of this process only."""

import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager

from glassloop.core.errors import TooManyTurns

MAX_NAMES = 10_000
_ROUNDING_S = 1e-6


class TooManyRequests(TooManyTurns):
    """A limit of requests is reached; `retry_after` says in how many seconds it is worth trying again."""


class RateLimit:
    """So many a minute of each name, at once if one likes. A full table forgets whom it heard of longest ago."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic, most: int = MAX_NAMES) -> None:
        self._each_s = 60.0 / a_minute
        self._ahead_s = 60.0 - self._each_s
        self._clock = clock
        self._most = most
        # When each name's allowance would be whole again; one number stands for all its past requests.
        self._whole_at: OrderedDict[str, float] = OrderedDict()

    def wait(self, name: str) -> float:
        """Seconds until there is room for one more; 0 when there is."""
        left = self._whole_at.get(name, 0.0) - self._clock() - self._ahead_s
        return left if left > _ROUNDING_S else 0.0

    def take(self, name: str) -> float:
        """Counts one, if there is room for it; else the seconds until there is."""
        wait = self.wait(name)
        if not wait:
            now = self._clock()
            self._whole_at[name] = max(self._whole_at.get(name, now), now) + self._each_s
            self._whole_at.move_to_end(name)
            if len(self._whole_at) > self._most:
                self._whole_at.popitem(last=False)
        return wait

    def __len__(self) -> int:
        return len(self._whole_at)


class ConcurrencyLimit:
    """At most so many at once of each name, and of all together; `told` is what is said to one too many."""

    def __init__(self, each: int, together: int, told: str) -> None:
        self._each = each
        self._together = together
        self._told = told
        self._taken: dict[str, int] = {}
        self._all = 0

    @contextmanager
    def taken(self, name: str) -> Generator[Callable[[], None]]:
        """Takes a place, or raises `TooManyRequests`; what it gives frees the place before the end."""
        if self._taken.get(name, 0) >= self._each or self._all >= self._together:
            raise TooManyRequests(self._told, retry_after=1)
        self._taken[name] = self._taken.get(name, 0) + 1
        self._all += 1
        held = True

        def free() -> None:
            nonlocal held
            if held:
                held = False
                self._all -= 1
                self._taken[name] -= 1
                if not self._taken[name]:
                    del self._taken[name]

        try:
            yield free
        finally:
            free()
