"""A small application behind the real gate and limits: every kind of route there is, and nothing behind them."""

import asyncio
from types import SimpleNamespace

import httpx
import pytest
from fastapi import Body, FastAPI, Request, WebSocket
from starlette.responses import JSONResponse, Response

from glassloop.server.auth.authentication import Authenticator, AuthMiddleware
from glassloop.server.auth.identity import Admin, User
from glassloop.server.auth.limits import LimitsMiddleware
from glassloop.server.http import errors
from glassloop.server.http.sse import EventStream
from glassloop.server.routes import access
from glassloop.store import open_store

HERE = "http://127.0.0.1:8000"
OTHER_PAGE = "https://other.example"
TOKEN = "an-admin-token-of-tests"


def gated(settings, store, **limits):
    """The application; `limits` go to the limits."""
    app = FastAPI(docs_url=None)
    app.state.authenticator = Authenticator(settings, store)
    app.state.settings = settings
    app.state.runtime = SimpleNamespace(store=store)
    app.state.gone_on = asyncio.Event()
    errors.install(app)
    app.include_router(access.router)
    add_routes(app)
    app.add_middleware(LimitsMiddleware, settings=settings, **limits)
    app.add_middleware(AuthMiddleware, authenticator=app.state.authenticator)
    return app


def add_routes(app):
    @app.api_route("/api/who", methods=["GET", "POST", "PUT", "DELETE"])
    async def who(request: Request, caller: User):
        return {"user": caller.user, "admin": caller.admin, "by_cookie": request.scope["by_cookie"]}

    @app.get("/admin/sessions")
    async def sessions(caller: Admin):
        return {"user": caller.user}

    @app.post("/api/echo")
    async def echo(_caller: User, body: object = Body()):
        return JSONResponse(body)

    @app.post("/api/raw")
    async def raw(request: Request, _caller: User):
        return {"bytes": len(await request.body())}

    @app.post("/api/uploads")
    async def uploads(request: Request, _caller: User):
        pieces = [len(piece) async for piece in request.stream() if piece]
        return {"bytes": sum(pieces), "pieces": len(pieces)}

    @app.get("/api/stream")
    async def stream(request: Request, _caller: User):
        async def frames():
            yield b"data: first\n\n"
            await request.app.state.gone_on.wait()
            yield b"data: second\n\n"

        return EventStream(frames())

    @app.get("/api/broken")
    async def broken(_caller: User):
        raise RuntimeError("a secret of ours")

    @app.websocket("/api/socket")
    async def socket(websocket: WebSocket):
        await websocket.accept()
        await websocket.send_text(websocket.scope["caller"].user)
        await websocket.close()

    for path in ("/livez", "/", "/assets/page.js", "/docs", "/v1/models"):
        app.add_api_route(path, lambda: Response("here", media_type="text/plain"), methods=["GET", "HEAD"])


def client_of(app, *, peer="127.0.0.1", url=HERE, **headers):
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(peer, 4711) if peer else None)
    return httpx.AsyncClient(transport=transport, base_url=url, headers=headers)


@pytest.fixture
def database(put_store, tmp_path):
    """The path of the database that `settings` lead to."""
    return str(put_store(tmp_path / "glassloop.db"))


@pytest.fixture
async def store(database):
    async with await open_store(database) as opened:
        yield opened


@pytest.fixture
def door(settings, store):
    """A client of a server with these settings."""

    def open_door(peer="127.0.0.1", url=HERE, headers=None, **changes):
        return client_of(gated(settings(admin_token=TOKEN, **changes), store), peer=peer, url=url, **(headers or {}))

    return open_door


@pytest.fixture
async def key(store):
    await store.users.add("ann")
    return (await store.keys.create("ann"))[0]


def bearer(key):
    return {"authorization": f"Bearer {key}"}


CODES = {401: "not_signed_in", 403: "forbidden", 404: "not_found"}
"""What tells mistakes of a caller apart in an error's body."""


def told(answer, status, *words):
    """The answer is an error of ours, with a sentence that has these words."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["success"] is False
    if status in CODES:
        assert body["details"]["code"] == CODES[status]
        assert body["suggestions"]
    for word in words:
        assert word in body["error"], body
    return body["error"]


async def who(client, **headers):
    answer = await client.get("/api/who", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def behind(door, **changes):
    """A client that a proxy with a secret is in front of."""
    return door(auth="proxy", **({"proxy_secret": "known-to-both-of-us"} | changes))
