"""The knowledge base: what is shared and what is yours. List, search, bring in, remove."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import Field

from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.retrieval.collections.knowledge import MAX_DOMAIN, SHARED, Document, KnowledgeBase, clean_domain
from glassloop.runtime.knowledge import IMPORT, Import
from glassloop.runtime.uploads import Uploads
from glassloop.server.auth.identity import Caller, Forbidden, User
from glassloop.server.dependencies import Body, Ident, runtime_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.jobs import JobView
from glassloop.server.routes.turns import ActionResult

router = APIRouter(prefix="/api/knowledge", tags=["knowledge"])

Domain = Annotated[str | None, Query(max_length=MAX_DOMAIN, description="Only this domain, such as `finance`.")]


class Documents(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the documents that your search sees. `total` counts all of them, `domains` names where they are."""

    documents: Sequence[Document]
    total: int
    domains: Sequence[str]


class PassageView(msgspec.Struct, frozen=True, kw_only=True):
    """A passage. `place` is where it stands in its document, `relevance` (0 to 1) how well it fits the question."""

    document: str
    title: str
    domain: str
    headings: Sequence[str]
    place: str
    text: str
    relevance: float
    why: str
    also: Sequence[str]


class NewDocument(Body):
    """An upload of yours that is to be found."""

    upload_id: Ident
    domain: str = Field("", max_length=MAX_DOMAIN, description="The domain to file it under. Default: `general`.")
    shared: bool = Field(False, description="Share it with everyone (operators only).")


def knowledge_of(request: Request) -> KnowledgeBase:
    return runtime_of(request).knowledge.base()


@route(router.get, "", "Yours first, then what is shared.", 400)
async def documents(
    request: Request,
    caller: User,
    domain: Domain = None,
    limit: Annotated[int, Query(ge=0, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Documents:
    """The documents that your search sees: your own, and what is shared."""
    every = await knowledge_of(request).documents(caller.user)
    wanted = clean_domain(domain) if domain else None
    found = [each for each in every if wanted in (None, each.domain)]
    domains = sorted({each.domain for each in every})
    return Documents(documents=found[offset : offset + limit], total=len(found), domains=domains)


@route(router.get, "/search", "Best first.", 400)
async def search(
    request: Request,
    caller: User,
    query: Annotated[str, Query(min_length=1, max_length=4_000)],
    domain: Domain = None,
    top_k: Annotated[int, Query(ge=1, le=50)] = 5,
    min_relevance: Annotated[float, Query(ge=0, le=1)] = 0.0,
) -> Sequence[PassageView]:
    """The passages that fit a question best, among your own documents and what is shared."""
    found = await knowledge_of(request).search(
        query, user=caller.user, domain=domain or "", max_results=top_k, min_relevance=min_relevance
    )
    return [view_of(PassageView, passage) for passage in found]


@route(router.post, "", "A job reads it; `GET /api/jobs/{id}` shows its progress.", 400, 404, status=202)
async def add(request: Request, body: NewDocument, caller: User) -> JobView:
    """Have an upload of yours found. When the job is completed it is found by its words; by its meaning soon after."""
    owner = _owner(caller, body.shared)
    uploads: Uploads = request.app.state.uploads
    upload, path = await uploads.get(caller.user, body.upload_id)
    wanted = Import(path=str(path), owner=owner, domain=clean_domain(body.domain), name=upload.name)
    params: dict[str, Json] = msgspec.to_builtins(wanted)
    return view_of(JobView, await runtime_of(request).jobs.submit(IMPORT, params, user=caller.user))


@route(router.delete, "/{document_id}", "Gone.", 400, 404)
async def remove(request: Request, document_id: Ident, caller: User) -> ActionResult:
    """Remove a document of yours; the operator may remove shared ones."""
    knowledge = knowledge_of(request)
    found = await knowledge.find(document_id, caller.user)
    if found.sample:
        raise UsageError(f"{found.name!r} is a sample, which is found only where it is asked for: leave it.")
    owner = _owner(caller, found.shared)
    return ActionResult(done=await knowledge.remove([found.name], domain=found.domain, user=owner) > 0)


def _owner(caller: Caller, shared: bool) -> str:
    if shared and not caller.admin:
        raise Forbidden("Only the operator can change shared documents: this needs the admin token.")
    return SHARED if shared else caller.user
