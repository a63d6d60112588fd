"""The server under a path: mounted in another application, and behind proxies that take the path off or not."""

import asyncio
import re

import httpx
import openai
import pytest
from fastapi import FastAPI

from glassloop import Agent, ScriptedModel, ServerApp
from glassloop.core.errors import UsageError
from glassloop.models.scripted_model import call
from glassloop.server.http.root_path import check_root_path, local_scope, mounted_at
from glassloop.server.lifecycle import open_serving
from server.authenticated import TOKEN
from server.dialect_turns import LOOKED, look, write
from server.listening import listening
from server.sse_client import read
from waiting import until

LINK = re.compile(r'(?:href|src)="([^"]*)"')


def making(script):
    model = ScriptedModel(script)
    return lambda wanted: Agent(model, [look, write], name=wanted.assistant)


@pytest.fixture
async def mounted(settings, put_store, tmp_path):
    """A client of an application that has the server at `/agent`, beside a route of its own."""
    put_store(tmp_path / "glassloop.db")
    glassloop = ServerApp(settings(request_rate=0, admin_token=TOKEN), make=making([*LOOKED, call("write", text="a")]))
    app = FastAPI(lifespan=glassloop.lifespan)
    app.mount("/agent", glassloop)

    @app.get("/own")
    async def own() -> str:
        return "mine"

    async with app.router.lifespan_context(app), listening(app) as url, httpx.AsyncClient(base_url=url) as client:
        yield client


async def test_a_mounted_server_asks_streams_and_measures(mounted):
    assert (await mounted.get("/own")).json() == "mine"
    answer = await mounted.post("/agent/api/turns", json={"question": "The cat?"})
    assert answer.json()["events"].startswith("/agent/api/turns/")
    frames = await read(mounted, answer.json()["events"])
    assert frames[-1].event == "turn_finished"
    assert (await mounted.get("/agent/readyz")).json() == {"status": "ready", "reason": None}
    measured = (await mounted.get("/agent/metrics")).text
    assert 'route="/api/turns/{turn_id}/events"' in measured
    assert (await mounted.get("/agent/openapi.json")).json()["servers"] == [{"url": "/agent"}]


async def test_links_of_pages_stay_under_the_path(mounted):
    there = await mounted.get("/agent", follow_redirects=True)
    assert there.url.path == "/agent/"
    assert await broken(mounted, there) == []
    assert await broken(mounted, await mounted.get("/agent/docs")) == []
    lost = await mounted.get("/agent/nowhere", headers={"accept": "text/html"})
    assert lost.status_code == 404
    assert LINK.findall(lost.text) == ["/agent/favicon.svg", "/agent/favicon.svg", "/agent/"]
    assert "/agent/docs" in (await mounted.get("/agent/nowhere")).json()["error"]
    moved = await mounted.get("/agent/s/abc")
    assert str(moved.url.join(moved.headers["location"])).endswith("/agent/#/s/abc")


async def broken(client, page):
    """What a page names on this server and is not there."""
    links = [str(page.url.join(link)) for link in LINK.findall(page.text) if not link.startswith("#")]
    assert links
    return [link for link in links if (await client.get(link)).status_code != 200 or "/agent/" not in link]


async def test_other_clients_get_their_own_errors_and_links_that_work(mounted):
    async with openai.AsyncOpenAI(base_url=f"{mounted.base_url}/agent/v1", api_key="x", max_retries=0) as client:
        with pytest.raises(openai.NotFoundError, match="generl") as missing:
            await client.chat.completions.create(model="generl", messages=[{"role": "user", "content": "Hi"}])
        assert missing.value.body["type"] == "not_found_error"
        said = [{"role": "user", "content": "Hi"}]
        assert (await client.chat.completions.create(model="general", messages=said)).choices
        waits = await client.chat.completions.create(model="general", messages=said)
        assert f"{mounted.base_url}/agent/s/" in waits.choices[0].message.content


async def test_a_cookie_is_for_the_path_only_and_works_there(mounted):
    signed_in = await mounted.post("/agent/api/sign-in", json={"key": TOKEN}, headers={"origin": str(mounted.base_url)})
    assert "Path=/agent;" in signed_in.headers["set-cookie"]
    me = (await mounted.get("/agent/api/me")).json()
    assert me["admin"]
    own = {"origin": str(mounted.base_url)}
    assert (await mounted.post("/agent/api/sign-out", headers=own)).status_code == 403
    token = {**own, "x-csrf-token": me["csrf_token"]}
    assert (await mounted.post("/agent/api/sign-out", headers=token)).json() == {"done": True, "provider_url": None}
    assert not mounted.cookies


async def test_an_agent_of_the_program_is_served_under_its_name(settings, put_store, tmp_path):
    put_store(tmp_path / "glassloop.db")
    agent = Agent(ScriptedModel(["Hello."]), name="support")
    glassloop = ServerApp(settings(request_rate=0), agents=[agent])
    async with glassloop.lifespan(), listening(glassloop) as url, httpx.AsyncClient(base_url=url) as client:
        models = (await client.get("/v1/models")).json()["data"]
        assert "support" in [model["id"] for model in models]
        answer = await client.post("/api/agent/execute", json={"query": "Hi", "assistant": "support"})
        assert answer.json()["response"] == "Hello."
        assert [turn.assistant for turn in await glassloop.runtime.store.turns.list()] == ["support"]


async def test_an_application_that_nobody_opened_says_how(settings):
    with pytest.raises(UsageError, match=r"lifespan=glassloop\.lifespan"):
        await ServerApp(settings())({"type": "http"}, None, None)


@pytest.mark.parametrize("taken_off", [False, True])
async def test_behind_a_proxy_the_path_may_be_taken_off_or_not(settings, put_store, tmp_path, taken_off):
    put_store(tmp_path / "glassloop.db")
    stopping = asyncio.Event()
    there = settings(request_rate=0, root_path="/my/agent")
    async with open_serving(there, "127.0.0.1", 0, make=making(LOOKED)) as serving:
        assert serving.url.endswith("/my/agent")
        running = asyncio.ensure_future(serving.run(stopping))
        seen = "" if taken_off else "/my/agent"
        async with httpx.AsyncClient(base_url=serving.url.removesuffix("/my/agent")) as client:
            await until(lambda: client_is_up(client), "the server")
            answer = (await client.post(f"{seen}/api/turns", json={"question": "The cat?"})).json()
            assert answer["events"].startswith("/my/agent/api/turns/")
            frames = await read(client, answer["events"].removeprefix("/my/agent" if taken_off else ""))
            assert frames[-1].event == "turn_finished"
            assert (await client.get(f"{seen}/")).status_code == 200
            assert "/my/agent/docs" in (await client.get(f"{seen}/v2")).json()["error"]
            assert (await client.get("/my/agent", follow_redirects=False)).headers["location"] == "/my/agent/"
        stopping.set()
        await running


async def client_is_up(client):
    try:
        return (await client.get("/livez")).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("given", ["agent", "/a b", "//agent", "/agent/../x", "/a<b>", "/" + "a" * 300])
def test_what_is_no_path_is_refused(given):
    with pytest.raises(UsageError, match="write it like /agent"):
        check_root_path(given, ["/api/turns"])


def test_a_path_of_the_servers_own_is_refused_and_a_slash_at_its_end_does_no_harm():
    with pytest.raises(UsageError, match="starts with /api"):
        check_root_path("/api/agent", ["/livez", "/api/turns"])
    assert check_root_path("/agent/", ["/", "/api/turns"]) == "/agent"
    assert check_root_path("/", ["/"]) == ""


@pytest.mark.parametrize(
    ("path", "root", "above", "local"),
    [
        ("/agent/api/me", "/agent", "", "/api/me"),
        ("/api/api/me", "/api", "", "/api/me"),
        ("/x/agent/api/me", "/x/agent", "/x", "/api/me"),
        ("/agent/api/me", "/x/agent", "/x", "/api/me"),
        ("/agents/api/me", "/agent", "", "/agents/api/me"),
    ],
)
def test_paths_are_read_as_applications_and_proxies_give_them(path, root, above, local):
    scope = {"type": "http", "path": path, "root_path": root, "app_root_path": above}
    found = local_scope(scope)
    assert (found["path"], found["root_path"], mounted_at(found)) == (local, "", root)
    assert local_scope(found) is found


def test_a_path_with_signs_in_it_is_harmless_in_pages_and_headers():
    scope = {"type": "http", "path": '/"<b>;/api/me', "root_path": '/"<b>;'}
    assert mounted_at(local_scope(scope)) == "/%22%3Cb%3E%3B"
