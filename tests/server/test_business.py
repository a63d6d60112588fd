"""The business assistant as it is served: `/chat/react` is its own, and its sessions are reviewed at `/admin`."""

import json
import time
from contextlib import AsyncExitStack
from datetime import date

import httpx
import pytest

from glassloop import ScriptedModel
from glassloop.extensions.business.company.generator import VERSION, make_company
from glassloop.extensions.business.database.writer import write_sqlite
from glassloop.models.scripted_model import call
from glassloop.runtime.build import open_runtime
from glassloop.runtime.extensions import Extension
from glassloop.runtime.providers import Provider
from glassloop.runtime.settings import Settings
from glassloop.server.app import create_app
from glassloop.server.auth.authentication import Authenticator
from server.authenticated import TOKEN
from server.dialect_turns import ADMIN
from server.listening import listening


@pytest.fixture(scope="module")
def company(tmp_path_factory):
    path = tmp_path_factory.mktemp("company") / "business.db"
    write_sqlite(path, lambda sink: make_company(sink, today=date(2026, 11, 15)), VERSION)
    return path.read_bytes()


class Scripted(Extension):
    """A provider whose model says what a test wants."""

    name = "scripted"

    def __init__(self, script):
        self.script = script

    def providers(self):
        def make(*_):
            return ScriptedModel(self.script)

        return {"scripted": Provider(make=make, configured=bool, note="a script", needs_model=False)}


@pytest.fixture
async def serving(tmp_path, company):
    """Starts a server as `glassloop serve` does; a client of it."""
    (tmp_path / "business.db").write_bytes(company)
    async with AsyncExitStack() as stack:

        async def start(model, *extensions):
            settings = Settings(home=str(tmp_path), model=model, admin_token=TOKEN, request_rate=0, session_rate=0)
            settings = settings.extended(extensions)
            runtime = await open_runtime(settings)
            stack.push_async_callback(runtime.aclose, 1.0)
            app = create_app(runtime, settings, Authenticator(settings, runtime.store))
            url = await stack.enter_async_context(listening(app))
            return await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60.0))

        yield start


@pytest.fixture
async def client(serving):
    """Of a server without a language model."""
    return await serving("reflex")


def question(text, **more):
    return {"messages": [{"role": "user", "content": text}], **more}


async def test_chat_react_is_answered_by_the_business_assistant_with_its_route(client):
    began = time.time()
    answer = (await client.post("/chat/react", json=question("How much stock is in WH-001?"))).json()
    assert (answer["object"], answer["model"]) == ("chat.completion", "business")
    route, thought, act, observe, _, last = answer["reasoning_trace"]
    assert [step["type"] for step in answer["reasoning_trace"]] == [
        "think", "think", "act", "observe", "think", "answer",
    ]  # fmt: skip
    assert route["content"].startswith("erp_agent: ")
    assert (act["tool_name"], act["tool_args"]) == ("get_inventory_levels", {"warehouse_id": "WH-001"})
    assert "WH-001 Dongguan Plant" in observe["content"]
    assert "| item id |" in last["content"]
    assert all(began <= step["timestamp"] <= time.time() for step in (route, thought, act))


async def test_a_thread_goes_on_and_is_reviewed_with_every_trace(client):
    first = (await client.post("/chat/react", json=question("Which servers are not up?"))).json()
    again = question("Which servers in production are not up?", thread_id=first["session_id"])
    second = (await client.post("/chat/react", json=again)).json()
    assert second["session_id"] == first["session_id"]
    act = next(step for step in second["reasoning_trace"] if step["type"] == "act")
    assert act["tool_args"] == {"status": "not_up", "environment": "production"}
    (listed,) = (await client.get("/admin/sessions", headers=ADMIN)).json()
    assert (listed["id"], listed["message_count"]) == (first["session_id"], 4)
    whole = (await client.get(f"/admin/sessions/{listed['id']}", headers=ADMIN)).json()
    assert whole["assistant"] == "business"
    answers = [message for message in whole["messages"] if message["role"] == "assistant"]
    assert all(message["reasoning_trace"][0]["content"].startswith("it_ops_agent") for message in answers)
    rating = {"rating": "bad", "note": "One is missing."}
    rated = await client.post(f"/admin/sessions/{listed['id']}/rating", json=rating, headers=ADMIN)
    assert rated.json() == {"status": "ok", "session_id": listed["id"], "rating": "bad"}


async def test_steps_come_while_they_happen_and_the_route_is_the_first(client):
    async with client.stream("POST", "/chat/react", json=question("上个季度的采购支出是多少？", stream=True)) as answer:
        lines = [line[5:].strip() async for line in answer.aiter_lines() if line.startswith("data:")]
    assert lines[-1] == "[DONE]"
    told = [json.loads(line) for line in lines[:-1]]
    steps = [each["step"] for each in told if each["type"] == "reasoning_step"]
    assert {each["type"] for each in told[:-1]} == {"reasoning_step", "response.delta"}
    assert told[0]["step"]["content"].startswith("erp_agent")
    assert told[-1]["type"] == "response.completed"
    assert told[-1]["reasoning_trace"] == steps


async def test_a_meeting_waits_for_approval_and_is_not_written_before(serving):
    attendees = ["ines.novak@harlowjin.example"]
    meeting = call("schedule_meeting", title="Budget", start="2027-01-11 10:00", attendees=attendees)
    looked = call("get_calendar", start_date="2027-01-11", end_date="2027-01-11")
    client = await serving("scripted", Scripted([meeting, looked, "That is all."]))
    answer = await client.post("/chat/react", json=question("Schedule a meeting with Ines Novak about the budget"))
    assert answer.status_code == 202
    (asked,) = answer.json()["approvals"]
    assert asked["call"]["tool"] == "schedule_meeting"
    seen = (await client.post("/chat/react", json=question("Show the calendar of 2027-01-11"))).json()
    (observe,) = (step for step in seen["reasoning_trace"] if step["type"] == "observe")
    assert "2027-01-11" in observe["content"]
    assert "MTG-" not in observe["content"]


async def test_the_assistant_is_listed_with_its_questions_and_tools(client):
    listed = {each["name"]: each for each in (await client.get("/api/assistants")).json()}
    assert {"business", "general"} <= set(listed)
    assert len(listed["business"]["questions"]) >= 4
    tools = {each["name"]: each for each in (await client.get("/api/assistants/business/tools")).json()}
    assert len(tools) == 24
    assert tools["schedule_meeting"]["confirm"]
