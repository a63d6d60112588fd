"""Routes as functions with types: what one returns is encoded, and what it may return is in the OpenAPI document."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, get_args, get_type_hints

import msgspec
from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from glassloop.server.http.errors import ErrorResponse, failures
from glassloop.server.http.responses import described, json_response

_TAKES_FILES = "takes_files"
P = ParamSpec("P")
Register = Callable[..., Callable[[Callable[..., Any]], Any]]


def route(
    register: Register,
    path: str,
    description: str,
    *errors: int,
    status: int = 200,
    content: Mapping[str, Any] | None = None,
    also: Mapping[int, tuple[Any, str]] | None = None,
    error_shape: type[msgspec.Struct] = ErrorResponse,
    takes_files: bool = False,
    **options: Any,
) -> Callable[[Callable[P, Awaitable[Any]]], Callable[P, Awaitable[Response]]]:
    """Makes a function a route, such as `@route(router.get, "/turns/{turn_id}", "The turn as it stands.", 404)`.

    What it returns is sent as JSON with `status`, unless it is a `Response` already; its return type and `description`
    are documented. `errors` are what else it may answer, beside what every route may; `content` further media types of
    the answer, `also` further answers by status. `takes_files`: its body may hold images and files, and be larger.
    """

    def decorate(endpoint: Callable[P, Awaitable[Any]]) -> Callable[P, Awaitable[Response]]:
        responses = {
            **described(_record(endpoint), description, status, content),
            **failures(*errors, shape=error_shape),
        }
        for code, (record, text) in (also or {}).items():
            responses |= described(record, text, code)

        @wraps(endpoint)
        async def answer(*args: P.args, **kwargs: P.kwargs) -> Response:
            found = await endpoint(*args, **kwargs)
            return found if isinstance(found, Response) else json_response(found, status)

        if takes_files:
            setattr(answer, _TAKES_FILES, True)
        register(
            path,
            status_code=status,
            response_model=None,
            response_class=Response,
            responses=responses,
            **options,
        )(answer)
        return answer

    return decorate


def paths_with_files(routers: Iterable[APIRouter]) -> tuple[str, ...]:
    """The paths of routes whose bodies may hold images and files."""
    routes = (one for router in routers for one in router.routes if isinstance(one, APIRoute))
    return tuple(one.path for one in routes if getattr(one.endpoint, _TAKES_FILES, False))


def _record(endpoint: Callable[..., Any]) -> Any:
    """The type of the records that the endpoint returns; None where it only returns responses of its own."""
    returned = get_type_hints(endpoint)["return"]
    if returned is Response:
        return None
    kinds = get_args(returned)
    return next(kind for kind in kinds if kind is not Response) if Response in kinds else returned
