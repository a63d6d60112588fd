"""Connections to model providers: which models each lists, and keys and addresses that an operator enters.

A key goes in and never comes out: no answer holds one, and the audit says only that it changed.
"""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request
from pydantic import Field, SecretStr

from glassloop.core.access import is_listed
from glassloop.core.errors import ModelError, UsageError
from glassloop.models.model_name import parse_model_name
from glassloop.runtime.catalogue.model_catalogue import ModelCatalogue, OfferedModel, ProviderModels, offered_model
from glassloop.runtime.catalogue.provider_connections import (
    ProviderConnection,
    choose_default,
    enter_connection,
    find_connection,
    list_connections,
    remove_connection,
    with_connection,
)
from glassloop.runtime.models import default_model
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.connections import MAX_CHARS
from glassloop.server.auth.identity import Caller, User, admin_of
from glassloop.server.dependencies import Body, Name, runtime_of, settings_of, wanted_of
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import ActionResult
from glassloop.store.tables.governance.audit import Action

router = APIRouter(prefix="/api", tags=["catalogue"])

ProviderName = Annotated[str, Path(min_length=1, max_length=40)]
_NOT_LISTED = "Its models could not be listed: the operator of this server can see why in Settings."


class ListProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why the list of a provider is not there; what is offered of it are its usual models."""

    provider: str
    message: str


class FoundProvider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider that answers on this machine though nobody set it up; `address` is what to enter for it."""

    provider: str
    address: str
    models: Sequence[OfferedModel]


class AvailableModels(msgspec.Struct, frozen=True, kw_only=True):
    """The models that you may choose, as their providers list them, and the one that answers where none is chosen.
    `found` is for who may connect providers."""

    default: str
    models: Sequence[OfferedModel]
    problems: Sequence[ListProblem]
    found: Sequence[FoundProvider]


class ModelSight(msgspec.Struct, frozen=True, kw_only=True):
    """The model that would answer, and whether it is shown images; a question with one is refused where it is not."""

    model: str
    images: bool


class NewConnection(Body):
    """A key, an address, or both. They are kept together: what is left out is not taken from elsewhere."""

    key: SecretStr = Field(SecretStr(""), max_length=MAX_CHARS, description="Never shown again.")
    address: str = Field(
        "", max_length=MAX_CHARS, description="For example `https://host/v1`. Default: the provider's own address."
    )
    untested: bool = Field(False, description="Save it even if its models cannot be listed.")


class Connected(msgspec.Struct, frozen=True, kw_only=True):
    """How the connection stands, and the models it gives; the default model where it changed with it."""

    connection: ProviderConnection
    models: Sequence[OfferedModel]
    default: str


class DefaultModel(Body):
    """The model that answers where none is chosen; null leaves it to the providers there are."""

    model: Name | None


def catalogue_of(request: Request) -> ModelCatalogue:
    return request.app.state.catalogue


def _operator(request: Request, caller: Caller) -> Caller:
    """Who may connect providers: an operator, and in `local` mode whoever uses this machine."""
    return caller if settings_of(request).auth == "local" else admin_of(request)


def _may_connect(request: Request, caller: Caller) -> bool:
    return settings_of(request).auth == "local" or caller.admin


@route(router.get, "/models/available", "Those of every provider that is configured.")
async def available(request: Request, caller: User) -> AvailableModels:
    """The models that you may choose from, as providers list them. Lists are kept for ten minutes."""
    settings, catalogue = settings_of(request), catalogue_of(request)
    operates = _may_connect(request, caller)
    offered, default = await catalogue.offered(), await asyncio.to_thread(default_model, settings)
    named = await runtime_of(request).access.models_of(caller.user)
    models = [
        model
        for each in offered
        for model in each.models
        if named is None or is_listed(str(parse_model_name(model.name)), named)
    ]
    problems = [
        ListProblem(provider=each.provider, message=each.problem if operates else _NOT_LISTED)
        for each in offered
        if each.problem
    ]
    found = await catalogue.found_here() if operates else ()
    return AvailableModels(
        default=default, models=models, problems=problems, found=[_found(each, settings) for each in found]
    )


@route(router.get, "/models/sight", "Of the model that would answer.", 404)
async def sight(
    request: Request,
    caller: User,
    assistant: Annotated[str, Query(max_length=200)] = "",
    model: Annotated[str, Query(max_length=200)] = "",
) -> ModelSight:
    """Whether a question with an image would be taken. `model`: default, the assistant's own."""
    runtime = runtime_of(request)
    wanted = await runtime.access.admit(caller.user, await wanted_of(request, assistant or None, model or None))
    answering = (await runtime.agents.for_key(wanted)).main_model
    return ModelSight(model=answering.name, images=bool(answering.abilities.images))


@route(router.get, "/connections", "By rank.", 401)
async def connections(request: Request, caller: User) -> Sequence[ProviderConnection]:
    """How each provider is connected, without its key. For operators."""
    _operator(request, caller)
    return await asyncio.to_thread(list_connections, settings_of(request))


@route(router.put, "/connections/{provider}", "Tested, saved and in use.", 400, 401, 404)
async def connect(request: Request, provider: ProviderName, body: NewConnection, caller: User) -> Connected:
    """Enter the key or the address of a provider. Its list of models is asked for first; what that refuses is not kept.
    For operators."""
    settings, by = settings_of(request), _operator(request, caller)
    key = body.key.get_secret_value()
    tried = with_connection(provider, key, body.address, settings)
    models = await _listed(provider, tried, untested=body.untested)
    names = [model.name for model in models]
    await asyncio.to_thread(enter_connection, provider, key, body.address, names, settings)
    told = " and ".join(what for what, given in (("key", key), ("address", body.address)) if given)
    await _changed(request, "connection_changed", provider, by, f"{told} entered")
    return await _connected(provider, models, settings)


@route(router.delete, "/connections/{provider}", "Removed, if there was one.", 401, 404)
async def disconnect(request: Request, provider: ProviderName, caller: User) -> ActionResult:
    """Forget the key and the address that were entered for a provider. For operators."""
    by = _operator(request, caller)
    done = await asyncio.to_thread(remove_connection, provider, settings_of(request))
    if done:
        await _changed(request, "connection_changed", provider, by, "removed")
    return ActionResult(done=done)


@route(router.put, "/models/default", "In use.", 400, 401, 404)
async def set_default(request: Request, body: DefaultModel, caller: User) -> ActionResult:
    """Set the model that answers where none is chosen. For operators."""
    by = _operator(request, caller)
    await choose_default(body.model, settings_of(request))
    await _changed(request, "default_model_changed", body.model or "", by, "")
    return ActionResult(done=True)


async def _listed(provider: str, tried: Settings, *, untested: bool) -> Sequence[OfferedModel]:
    about = tried.extensions.providers[provider]
    if about.list_models is None:
        return ()
    try:
        return [offered_model(provider, each) for each in await about.list_models(tried)]
    except ModelError as error:
        if untested:
            return ()
        raise UsageError(str(error)) from None


async def _changed(request: Request, action: Action, subject: str, by: Caller, detail: str) -> None:
    catalogue_of(request).forget()
    runtime = runtime_of(request)
    runtime.context.refresh()
    await runtime.store.audit.record(action, subject, by=by.user, detail=detail)


async def _connected(provider: str, models: Sequence[OfferedModel], settings: Settings) -> Connected:
    connection = await asyncio.to_thread(find_connection, provider, settings)
    default = await asyncio.to_thread(default_model, settings)
    return Connected(connection=connection, models=models, default=default)


def _found(each: ProviderModels, settings: Settings) -> FoundProvider:
    address = settings.extensions.providers[each.provider].usual_address
    return FoundProvider(provider=each.provider, address=address, models=each.models)
