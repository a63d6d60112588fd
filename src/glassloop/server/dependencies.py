"""Dependencies of routes beside the caller: the runtime, the settings, and the session that its path names."""

from typing import Annotated

from fastapi import Depends, Request

from glassloop.runtime.assistants.access_checks import resolve_assistant
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.assistant_files import default_assistant
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.server.auth.identity import Admin, Caller, User
from glassloop.server.http.errors import SwitchedOff
from glassloop.server.request_models import Ident
from glassloop.store.records import Session


def runtime_of(request: Request) -> Runtime:
    return request.app.state.runtime


def settings_of(request: Request) -> Settings:
    return request.app.state.settings


async def wanted_of(request: Request, assistant: str | None, model: str | None = None) -> AgentKey:
    """Which agent is to answer; raises `UnknownName` where there is no such assistant."""
    settings = settings_of(request)
    return await resolve_assistant(
        runtime_of(request).agents, settings, assistant or default_assistant(settings), model
    )


async def _own_session(request: Request, session_id: Ident, caller: User) -> Session:
    """The session, if the caller may see it, or 404."""
    return await runtime_of(request).session(session_id, caller.scope)


async def _reviewer(request: Request, caller: Admin) -> Caller:
    """An operator, where there is anything to review, or 503."""
    if not settings_of(request).session_store_enabled:
        raise SwitchedOff("Sessions are kept in memory only: set SESSION_STORE_ENABLED=true to review them.")
    return caller


OwnSession = Annotated[Session, Depends(_own_session)]
Reviewer = Annotated[Caller, Depends(_reviewer)]
