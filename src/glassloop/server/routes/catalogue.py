"""Catalogue of assistants, their tools, and models."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request
from pydantic import Field

from glassloop.core.call_terms import GrantKind
from glassloop.core.errors import UsageError
from glassloop.core.events import ProtocolName
from glassloop.core.loop.approvals.grants import grant_kind
from glassloop.core.messages import Abilities, Effect
from glassloop.runtime.assistants.assistant_files import default_assistant, is_of_extension
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.models import ModelInfo, default_model, describe_models
from glassloop.runtime.probed_models import list_probes
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import OFFLINE, PULL, find_weights, kept_weights
from glassloop.server.auth.identity import User, admin_of
from glassloop.server.dependencies import Body, Name, runtime_of, settings_of, wanted_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.jobs import JobView

router = APIRouter(prefix="/api", tags=["catalogue"])

MAX_JOBS = 20
"""Downloads that are looked at for the newest of each weights."""

AssistantName = Annotated[str, Path(min_length=1, max_length=200)]


class AssistantView(msgspec.Struct, frozen=True, kw_only=True):
    """An assistant, with questions it can answer. `installed`: an extension brought it, so that its tools can be looked
    at before anybody chose it; another one's own code is loaded only then. `default`: answers where none is named."""

    name: str
    description: str
    questions: Sequence[str]
    installed: bool
    default: bool


class ToolView(msgspec.Struct, frozen=True, kw_only=True):
    """A tool: what it takes, what it does to the world, and whether it asks first. `server` is the MCP server it is
    of, null for an assistant's own; `grant` how it may be allowed for a session."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect
    confirm: bool
    grant: GrantKind
    server: str | None


class WeightsView(msgspec.Struct, frozen=True, kw_only=True):
    """Weights that run on this machine, and how much of them is there. `job` downloads them, or was the last to try; it
    is null where none did, or the last one did it."""

    name: str
    title: str
    purpose: str
    state: str
    bytes: int
    size: int
    job: JobView | None


class ProbeView(msgspec.Struct, frozen=True, kw_only=True):
    """What the doctor found out about a model by asking it."""

    model: str
    at: float
    protocol: ProtocolName | None
    abilities: Abilities


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """Which model answers where none is named, what is configured, what is downloaded and what the doctor found."""

    default: str
    providers: Sequence[ModelInfo]
    weights: Sequence[WeightsView]
    examined: Sequence[ProbeView]


@route(router.get, "/assistants", "By name.")
async def assistants(request: Request, caller: User) -> Sequence[AssistantView]:
    """The assistants that you may use."""
    settings = settings_of(request)
    found, first = await runtime_of(request).access.assistants(caller.user), default_assistant(settings)
    return [
        view_of(AssistantView, one, installed=is_of_extension(one, settings), default=one.name == first)
        for one in found
    ]


@route(router.get, "/assistants/{name}/tools", "In the order the model sees them.", 400, 404)
async def tools(request: Request, name: AssistantName, caller: User) -> Sequence[ToolView]:
    """The tools of an assistant that you may use."""
    runtime, wanted = runtime_of(request), await wanted_of(request, name)
    agent = await runtime.agents.for_key(await runtime.access.admit(caller.user, wanted))
    allowed = await runtime.access.permissions(caller.user)
    sources = {**runtime.toolsets.sources_for(name), **agent.tool_sources()}
    own = runtime.agents.with_own_tools(wanted).tools.specs
    return [
        view_of(ToolView, spec, grant=grant_kind(spec), server=None if spec.name in own else sources.get(spec.name))
        for spec in agent.tools.specs.values()
        if allowed.allows_tool(spec.name)
    ]


class Pull(Body):
    """Which weights to download."""

    name: Name | None = Field(None, description="As `GET /api/models` lists them; absent is the first of them.")


@route(router.post, "/models/pull", "The job; `GET /api/jobs/{id}` shows its progress.", 400, 404, status=202)
async def pull(request: Request, body: Pull, caller: User) -> JobView:
    """Download the weights of a model that runs here. When the job is completed it answers, without a restart."""
    settings = settings_of(request)
    if settings.auth != "local":
        admin_of(request)
    weights = find_weights(body.name, settings)
    if settings.models_offline:
        raise UsageError(OFFLINE)
    job = await runtime_of(request).jobs.submit(PULL, {"name": weights.name}, user=caller.user)
    return view_of(JobView, job)


@route(router.get, "/models", "What is configured.")
async def models(request: Request, caller: User) -> Models:
    """Which model answers, and what others need. Of those that are configured only the ones that you may use."""
    runtime = runtime_of(request)
    jobs, access = await _pulls(runtime), runtime.access
    found = await asyncio.to_thread(_models, settings_of(request), jobs)
    usable = [
        one for one in found.providers if not one.configured or await access.may_use_model(caller.user, one.model)
    ]
    examined = [one for one in found.examined if await access.may_use_model(caller.user, one.model)]
    return msgspec.structs.replace(found, providers=usable, examined=examined)


async def _pulls(runtime: Runtime) -> Mapping[str, JobView]:
    """The newest download of each weights, whoever began it, unless it is completed."""
    newest: dict[str, JobView | None] = {}
    for row in await runtime.store.jobs.list(MAX_JOBS, None, kind=PULL):
        view = None if row.status == "completed" else view_of(JobView, row)
        newest.setdefault(str(row.params.get("name")), view)
    return {name: view for name, view in newest.items() if view is not None}


def _models(settings: Settings, jobs: Mapping[str, JobView]) -> Models:
    """Looks at files; without what only the server's own folders and addresses would tell."""
    return Models(
        default=default_model(settings),
        providers=describe_models(settings),
        weights=[view_of(WeightsView, kept, job=jobs.get(kept.name)) for kept in kept_weights(settings)],
        examined=[view_of(ProbeView, found) for found in list_probes(settings)],
    )
