"""The job that takes an upload into a collection."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.retrieval.collections.knowledge import partition_of
from glassloop.retrieval.index.sources import DocumentSource
from glassloop.runtime.collections.collections import Collections
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.knowledge import EMBED, FOLDER, Knowledge, Submit

IMPORT = "collection"
"""The kind of job. Its parameters are those of `CollectionImport`."""


class CollectionImport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which upload of whom goes into which collection, and what it is called there."""

    collection_id: str
    path: str
    name: str
    by: str


def collection_jobs(knowledge: Knowledge, collections: Collections, submit: Submit) -> Sequence[JobKind]:
    """The job; when it is over, the upload itself is needed no more."""

    async def run(context: JobContext, params: dict[str, Json]) -> Json:
        told = await _import(knowledge, collections, context, msgspec.convert(params, CollectionImport))
        if knowledge.base().library.embedder is not None:
            told["embed_job"] = (await submit(EMBED, context.user)).id
        return told

    return (JobKind(name=IMPORT, run=run, resumable=True, one_at_a_time=FOLDER),)


async def _import(
    knowledge: Knowledge, collections: Collections, context: JobContext, wanted: CollectionImport
) -> dict[str, Json]:
    collection = await collections.get(wanted.collection_id, wanted.by, operator=True)
    owner, path = partition_of(collection.id), Path(wanted.path)
    if not await asyncio.to_thread(path.is_file):
        raise UsageError(f"The file {wanted.name!r} is no longer there: upload it again.")
    beside = [collection.owner, *(each for each in await collections.partitions(collection.owner) if each != owner)]
    source = DocumentSource(name=wanted.name, path=path)
    report = await knowledge.base().add(
        [source], domain=collection.id, user=owner, progress=context.progress, beside=beside
    )
    if report.problems:
        raise UsageError(report.problems[0].reason)
    await collections.note_file(collection.id, wanted.name, wanted.by)
    return {"name": wanted.name, "passages": report.chunks, "collection_id": collection.id}
