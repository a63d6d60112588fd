"""What there is: assistants, their tools, models."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from glassloop.core.messages import Effect
from glassloop.runtime.assistants import list_assistants
from glassloop.runtime.models import ModelInfo, default_model, describe_models
from glassloop.server.answers import json_answer, shows
from glassloop.server.caller import User
from glassloop.server.errors import failures
from glassloop.server.routes.turns import runtime_of

router = APIRouter(prefix="/api", tags=["catalogue"])

AssistantName = Annotated[str, Path(min_length=1, max_length=200)]


class AssistantView(msgspec.Struct, frozen=True, kw_only=True):
    """An assistant, with questions it can answer."""

    name: str
    description: str
    questions: Sequence[str]


class ToolView(msgspec.Struct, frozen=True, kw_only=True):
    """A tool: what it takes, what it does to the world, and whether it asks first. `server` is the MCP server it is
    of, null for an assistant's own."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect
    confirm: bool
    server: str | None


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """Which model answers where none is named, and what is configured."""

    default: str
    providers: Sequence[ModelInfo]


@router.get("/assistants", responses={**shows(list[AssistantView], "By name."), **failures()}, response_class=Response)
async def assistants(request: Request, _caller: User) -> Response:
    """The assistants there are."""
    found = await asyncio.to_thread(list_assistants, request.app.state.settings)
    return json_answer(
        [AssistantView(name=one.name, description=one.description, questions=one.questions) for one in found]
    )


@router.get(
    "/assistants/{name}/tools",
    responses={**shows(list[ToolView], "In the order the model sees them."), **failures(400, 404)},
    response_class=Response,
)
async def tools(request: Request, name: AssistantName, _caller: User) -> Response:
    """The tools of an assistant."""
    runtime, wanted = runtime_of(request), await request.app.state.wanted(name)
    agent = await runtime.agents.obtain(wanted)
    servers = {tool.name: status.name for status in runtime.servers.status_for(name) for tool in status.tools}
    own = runtime.agents.get(wanted).tools.specs
    return json_answer(
        [
            ToolView(
                name=spec.name,
                description=spec.description,
                parameters=spec.parameters,
                effect=spec.effect,
                confirm=spec.confirm,
                server=None if spec.name in own else servers.get(spec.name),
            )
            for spec in agent.tools.specs.values()
        ]
    )


@router.get("/models", responses={**shows(Models, "What is configured."), **failures()}, response_class=Response)
async def models(request: Request, _caller: User) -> Response:
    """Which model answers, and what others need."""
    settings = request.app.state.settings
    return json_answer(Models(default=default_model(settings), providers=describe_models(settings)))
