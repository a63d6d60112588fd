"""JSON responses straight from our records, their schemas in the OpenAPI document, and headers of every answer.

The headers are for browsers: load nothing from elsewhere, run no script but ours, show us in no frame.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute
from starlette.types import Message, Send

from glassloop.core.errors import UsageError

View = TypeVar("View", bound=msgspec.Struct)

_encode = msgspec.json.Encoder().encode

EVENTS: dict[str, Any] = {
    "text/event-stream": {
        "itemSchema": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "event": {"type": "string"}, "data": {"type": "string"}},
            "required": ["data"],
        }
    }
}
"""Server-sent events, for a route's `responses`."""


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """`value` as JSON: a record, a list of them, or plain values."""
    return Response(_encode(value), status, headers, "application/json")


class JsonStream(StreamingResponse):
    """A JSON object or list of which no more is in memory than is sent: an async iterator of lists, the whole or a
    field, becomes one list, piece by piece, as quickly as the client reads."""

    def __init__(self, content: Mapping[str, object] | AsyncIterator[Sequence[object]]) -> None:
        pieces = _list_pieces(content) if isinstance(content, AsyncIterator) else _object_pieces(content)
        super().__init__(pieces, media_type="application/json")


async def _object_pieces(fields: Mapping[str, object]) -> AsyncGenerator[bytes, None]:
    before = b"{"
    for name, value in fields.items():
        yield before + _encode(name) + b":"
        before = b","
        if not isinstance(value, AsyncIterator):
            yield _encode(value)
            continue
        async for piece in _list_pieces(cast("AsyncIterator[Sequence[object]]", value)):
            yield piece
    yield b"}"


async def _list_pieces(pages: AsyncIterator[Sequence[object]]) -> AsyncGenerator[bytes, None]:
    opening = b"["
    async for page in pages:
        for item in page:
            yield opening + _encode(item)
            opening = b","
    yield b"]" if opening == b"," else b"[]"


class RecordSchema(dict[str, Any]):
    """How a record looks as JSON: empty until the OpenAPI document is made, so that no server waits for it to start."""

    def __init__(self, record: Any) -> None:
        super().__init__()
        self.record = record


def described(
    record: Any, description: str, status: int = 200, content: Mapping[str, Any] | None = None
) -> dict[int | str, Any]:
    """An entry for a route's `responses`: this record as JSON, `None` for none, and other `content` by media type."""
    shown: dict[str, Any] = {} if record is None else {"application/json": RecordSchema(record)}
    shown |= content or {}
    return {status: {"description": description, "content": shown} if shown else {"description": description}}


def view_of(view: type[View], record: object, **more: Any) -> View:
    """The view with the fields that the record has under the same names, and `more`."""
    return view(**{name: getattr(record, name) for name in view.__struct_fields__ if name not in more}, **more)


def document(app: FastAPI) -> None:
    """Has the schemas of our records in the app's OpenAPI document."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema:
            return app.openapi_schema
        schemas = _fill([body for route in app.routes for body in _record_schemas(route)])
        found = plain()
        others = found.setdefault("components", {}).setdefault("schemas", {})
        _refuse(others.keys() & schemas.keys())
        others |= schemas
        return found

    app.openapi = openapi


def _record_schemas(route: BaseRoute) -> Iterator[RecordSchema]:
    for response in route.responses.values() if isinstance(route, APIRoute) else ():
        for body in response.get("content", {}).values():
            if isinstance(body, RecordSchema):
                yield body


def _fill(bodies: Sequence[RecordSchema]) -> dict[str, Any]:
    """Writes the schema of each; what they refer to is the result. All at once, as they share most of it."""
    found, schemas = msgspec.json.schema_components(
        [body.record for body in bodies], ref_template="#/components/schemas/{name}"
    )
    for body, schema in zip(bodies, found, strict=True):
        body["schema"] = schema
    # Of two records with one name, each is documented with its module.
    _refuse({name.rpartition(".")[2] for name in schemas if "." in name})
    return schemas


def _refuse(names: Collection[str]) -> None:
    if names:
        raise UsageError(f"Two records are called {min(names)!r} in the API's document: give one another name.")


Headers = Sequence[tuple[bytes, bytes]]

POLICY = (
    b"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    b"frame-ancestors 'none'"
)
ALWAYS: Headers = (
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PRIVATE: Headers = ((b"cache-control", b"no-store"),)


class SecurityHeaders:
    """Sends on what it is given, at once, with our headers where an answer has none of that name."""

    def __init__(self, send: Send, more: Headers = (), *, private: bool = True) -> None:
        self._send = send
        self._more = (*more, *ALWAYS, *(_PRIVATE if private else ()))
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
            there = {name.lower() for name, _ in headers}
            headers += [(name, value) for name, value in self._more if name not in there]
            message = {**message, "headers": headers}
        await self._send(message)
