"""Probes, health and the page of the API: what they say, to whom, and that they tell strangers nothing."""

import asyncio
import json
import re
import threading

import pytest

from glassloop import __version__
from glassloop.extensions.openai import OpenAISettings
from glassloop.server.http.api_reference import page
from glassloop.server.routes.health import Probe

TOKEN = "an-admin-token-of-tests"
SECRET = "my-own-hidden-value"


async def test_a_server_that_is_up_is_alive_and_ready(serve):
    served = await serve()
    assert (await served.client.get("/livez")).json() == {"status": "ok"}
    ready = await served.client.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"status": "ready", "reason": None})


async def test_a_store_that_does_not_answer_makes_it_not_ready_but_alive(serve):
    served = await serve()
    await served.runtime.store.aclose()
    ready = await served.client.get("/readyz")
    assert ready.status_code == 503
    assert ready.json() == {"status": "not ready", "reason": "The database does not respond."}
    health = await served.client.get("/health")
    assert health.status_code == 503
    assert health.json()["status"] == "degraded"
    assert (await served.client.get("/livez")).status_code == 200


async def test_a_server_that_is_about_to_stop_says_so(serve):
    served = await serve()
    served.app.state.stopping = True
    ready = await served.client.get("/readyz")
    assert ready.status_code == 503
    assert ready.json()["reason"] == "The server is shutting down."


async def test_a_hundred_who_ask_at_once_cost_the_store_one_look(serve):
    served = await serve()
    # However long a busy machine takes for all of them, it is one moment.
    served.app.state.probe = Probe(served.runtime.store, fresh_s=3600.0, wait_s=120.0)
    looks = []
    served.runtime.store.engine.timed = lambda what, _seconds: looks.append(what)
    answers = await asyncio.gather(*(served.client.get("/readyz") for _ in range(100)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(looks) <= 20


async def test_health_tells_what_runs_and_no_secret(serve, settings):
    served = await serve(settings(OpenAISettings(api_key=SECRET), admin_token=TOKEN, model="openai:gpt-6"))
    health = await served.client.get("/health")
    assert health.json() == {
        "status": "ok",
        "version": __version__,
        "store": "sqlite",
        "model": "openai:gpt-6",
        "running_turns": 0,
        "left_out": 0,
        "reason": None,
    }
    assert SECRET not in health.text


async def test_memory_is_told_as_such(serve, settings):
    served = await serve(settings(session_store_enabled=False))
    assert (await served.client.get("/health")).json()["store"] == "memory"


async def test_probes_need_no_key_and_the_page_of_the_api_does(serve, settings):
    served = await serve(settings(auth="keys", admin_token=TOKEN))
    for path in ("/livez", "/readyz", "/health"):
        assert (await served.client.get(path)).status_code == 200
    for path in ("/docs", "/docs/style.css", "/openapi.json"):
        assert (await served.client.get(path)).status_code == 401
        assert (await served.client.get(path, headers={"admin-token": TOKEN})).status_code == 200


async def test_the_page_of_the_api_has_every_path_and_loads_nothing_from_elsewhere(serve):
    served = await serve()
    shown = await served.client.get("/docs")
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'self'" in shown.headers["content-security-policy"]
    paths = (await served.client.get("/openapi.json")).json()["paths"]
    assert len(paths) > 20
    for path in paths:
        assert f"<code>{path}</code>" in shown.text
    assert "<script" not in shown.text
    assert "<style" not in shown.text
    assert not re.search(r"<[a-z][^>]* (?:style|on[a-z]+)=", shown.text)
    loaded = re.findall(r'(?:href|src)="([^"#]+)"', shown.text)
    assert sorted(set(loaded)) == ["docs/style.css", "openapi.json"]
    assert (await served.client.get("/docs/style.css")).headers["content-type"].startswith("text/css")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
async def test_making_the_document_of_the_api_holds_up_nobody(serve, path):
    served = await serve()
    plain, threads = served.app.openapi, []

    def openapi():
        threads.append(threading.current_thread())
        return plain()

    served.app.openapi = openapi
    assert (await served.client.get(path)).status_code == 200
    assert threads
    assert threading.main_thread() not in threads
    assert (await served.client.get("/openapi.json")).json() == json.loads(json.dumps(plain()))


async def test_links_on_the_page_lead_to_something_on_it(serve):
    served = await serve()
    shown = (await served.client.get("/docs")).text
    targets = set(re.findall(r'href="#([^"]+)"', shown))
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', shown))


@pytest.mark.parametrize("field", ["description", "summary"])
def test_words_of_a_document_stay_words(field):
    operation = {"tags": ["<i>"], field: "<script>alert(1)</script>", "responses": {"200": {"description": "<b>"}}}
    document = {"info": {"title": "<u>", "version": "1"}, "paths": {"/<x>": {"get": operation}}}
    shown = page(document)
    for tag in ("<script", "<i>", "<b>", "<u>", "<x>"):
        assert tag not in shown
    assert "&lt;script&gt;" in shown
