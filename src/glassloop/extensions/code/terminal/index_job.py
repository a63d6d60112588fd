"""`/index`: has the session's folder indexed by a job, and waits for its end."""

import asyncio
from collections.abc import Callable

import msgspec

from glassloop.core.errors import UsageError
from glassloop.runtime.code_indexes import INDEX, IndexedFolder, index_name
from glassloop.runtime.durable.runtime import Runtime
from glassloop.store.records import JobRow


async def index_folder(runtime: Runtime, user: str, workspace: str, show: Callable[[str], None]) -> str:
    """The name of the index, once its files are found by their words. `show` is told how far it is. Raises `UsageError`
    where it fails; a job that nobody waits for any more is cancelled."""
    name = index_name(workspace)
    job = await runtime.jobs.submit(
        INDEX, msgspec.to_builtins(IndexedFolder(name=name, workspace=workspace)), user=user
    )
    try:
        async for row in runtime.jobs.watch(job.id):
            job = row
            if row.message:
                show(row.message)
    except asyncio.CancelledError:
        await runtime.jobs.cancel(job.id, user)
        raise
    _check(job)
    return name


def _check(job: JobRow) -> None:
    if job.status != "completed":
        why = (job.error or f"it was {job.status}").rstrip(".")
        raise UsageError(f"The folder could not be indexed: {why}. Try /index again.")
