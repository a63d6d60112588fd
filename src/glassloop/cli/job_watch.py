"""A job of this or another process, watched to its end."""

import sys
from collections.abc import AsyncIterable, Callable

import msgspec

from glassloop.cli.untrusted import plain_json
from glassloop.store.records import JobRow


async def follow(changes: AsyncIterable[JobRow], show: Callable[[JobRow], None]) -> JobRow:
    """The job as it is in the end; `show` is told of every change."""
    last: JobRow | None = None
    async for last in changes:
        show(last)
    if last is None:
        raise AssertionError("A job that exists is told at least once.")
    return last


def write_json(job: JobRow) -> None:
    """A change, for programs: one line each."""
    sys.stdout.buffer.write(plain_json(msgspec.json.encode(job)) + b"\n")
    sys.stdout.buffer.flush()
