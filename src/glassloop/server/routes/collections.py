"""Collections of documents: make, share, fill, look into, search, remove."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from glassloop.core.records import Json
from glassloop.retrieval.collections.knowledge import partition_of
from glassloop.runtime.collections.collections import MAX_DESCRIPTION_CHARS, Collections, CollectionView, FileView
from glassloop.runtime.collections.imports import IMPORT, CollectionImport
from glassloop.runtime.uploads import Uploads
from glassloop.server.auth.identity import Caller, User
from glassloop.server.dependencies import Body, Ident, Name, runtime_of, settings_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.jobs import JobView
from glassloop.server.routes.knowledge import PassageView
from glassloop.server.routes.turns import ActionResult

router = APIRouter(prefix="/api/collections", tags=["knowledge"])

Readers = Annotated[str, Field(min_length=1, max_length=210)]
Description = Annotated[str, Field(max_length=MAX_DESCRIPTION_CHARS)]
_READERS = "Who may read it: `owner`, `everyone` (for operators to say) or `group:NAME`, one of yours."


class CollectionList(msgspec.Struct, frozen=True, kw_only=True):
    """The collections that you may read, and whom you may let read yours."""

    collections: Sequence[CollectionView]
    readers: Sequence[str]


class CollectionFiles(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the files of a collection; `total` counts all of them."""

    files: Sequence[FileView]
    total: int


class NewCollection(Body):
    """A collection to make."""

    name: Name = Field(description="Letters, digits, - and _, 40 at most: what is written after `#` in a question.")
    description: Description = Field("", description="What is in it, for those who read it.")
    readers: Readers = Field("owner", description=_READERS)


class CollectionChange(Body):
    """What is to be otherwise; what is absent stays."""

    name: Name | None = Field(None, description="Another name.")
    description: Description | None = Field(None, description="Another description.")
    readers: Readers | None = Field(None, description=_READERS)
    assistants: Annotated[list[Name], Field(max_length=100)] | None = Field(
        None, description="Assistants that search it whenever you ask them; for everybody who may read it to choose."
    )


class NewFile(Body):
    """An upload of yours that goes into a collection."""

    upload_id: Ident


def collections_of(request: Request) -> Collections:
    return runtime_of(request).collections


def _is_operator(request: Request, caller: Caller) -> bool:
    """On a server of one's own machine nobody else is there to ask."""
    return caller.admin or settings_of(request).auth == "local"


@route(router.get, "", "Yours first, by name.")
async def list_collections(request: Request, caller: User) -> CollectionList:
    """The collections that you may read, and whom you may let read yours."""
    collections = collections_of(request)
    readers = await collections.possible_readers(caller.user, operator=_is_operator(request, caller))
    return CollectionList(collections=await collections.list(caller.user), readers=readers)


@route(router.post, "", "Made.", 400, 403, status=201)
async def create(request: Request, body: NewCollection, caller: User) -> CollectionView:
    """Make a collection."""
    collections, operator = collections_of(request), _is_operator(request, caller)
    made = await collections.create(caller.user, body.name, body.description, body.readers, operator=operator)
    return await collections.view(made.id, caller.user)


@route(router.get, "/{collection_id}", "The collection.", 404)
async def show(request: Request, collection_id: Ident, caller: User) -> CollectionView:
    """A collection that you may read."""
    return await collections_of(request).view(collection_id, caller.user, operator=caller.admin)


@route(router.patch, "/{collection_id}", "As it is now.", 400, 403, 404)
async def change(request: Request, collection_id: Ident, body: CollectionChange, caller: User) -> CollectionView:
    """Change a collection of yours: its name, its description, who may read it; and which assistants search it for
    you, which anybody who may read it decides for themselves."""
    collections = collections_of(request)
    if body.name is not None or body.description is not None or body.readers is not None:
        await collections.owned(collection_id, caller.user, operator=caller.admin)
        await collections.change(
            collection_id,
            caller.user,
            name=body.name,
            description=body.description,
            readers=body.readers,
            operator=_is_operator(request, caller),
        )
    if body.assistants is not None:
        await collections.give(collection_id, caller.user, body.assistants)
    return await collections.view(collection_id, caller.user, operator=caller.admin)


@route(router.delete, "/{collection_id}", "Gone, with all that was in it.", 403, 404)
async def remove(request: Request, collection_id: Ident, caller: User) -> ActionResult:
    """Remove a collection of yours with its files."""
    await collections_of(request).remove(collection_id, caller.user, operator=caller.admin)
    return ActionResult(done=True)


@route(router.get, "/{collection_id}/files", "By name.", 404)
async def files(
    request: Request,
    collection_id: Ident,
    caller: User,
    limit: Annotated[int, Query(ge=0, le=1000)] = 200,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> CollectionFiles:
    """What is in a collection: each file with its size, its passages, when it was added and by whom."""
    found = await collections_of(request).files(collection_id, caller.user, operator=caller.admin)
    return CollectionFiles(files=found[offset : offset + limit], total=len(found))


@route(
    router.post,
    "/{collection_id}/files",
    "A job reads it; `GET /api/jobs/{id}` tells how far.",
    400,
    403,
    404,
    status=202,
)
async def add_file(request: Request, collection_id: Ident, body: NewFile, caller: User) -> JobView:
    """Have an upload of yours read into a collection. Once its text is there, the upload may be deleted."""
    found = await collections_of(request).owned(collection_id, caller.user, operator=caller.admin)
    uploads: Uploads = request.app.state.uploads
    upload, path = await uploads.get(caller.user, body.upload_id)
    wanted = CollectionImport(collection_id=found.id, path=str(path), name=upload.name, by=caller.user)
    params: dict[str, Json] = msgspec.to_builtins(wanted)
    return view_of(JobView, await runtime_of(request).jobs.submit(IMPORT, params, user=caller.user))


@route(router.delete, "/{collection_id}/files/{name:path}", "Gone.", 403, 404)
async def remove_file(
    request: Request,
    collection_id: Ident,
    name: Annotated[str, Path(min_length=1, max_length=300, description="As the list names it.")],
    caller: User,
) -> ActionResult:
    """Remove a file from a collection of yours."""
    done = await collections_of(request).remove_file(collection_id, name, caller.user, operator=caller.admin)
    return ActionResult(done=done)


@route(router.get, "/{collection_id}/search", "Best first.", 400, 404)
async def search(
    request: Request,
    collection_id: Ident,
    caller: User,
    query: Annotated[str, Query(min_length=1, max_length=4_000)],
    top_k: Annotated[int, Query(ge=1, le=50)] = 5,
) -> Sequence[PassageView]:
    """The passages of a collection that fit a question best."""
    found = await collections_of(request).get(collection_id, caller.user, operator=caller.admin)
    passages = (
        await runtime_of(request).knowledge.base().search(query, owners=[partition_of(found.id)], max_results=top_k)
    )
    return [view_of(PassageView, passage) for passage in passages]
