"""Questions of the assistant's over MCP: a form for the client's person, or words about what waits."""

from types import SimpleNamespace

import pytest
from mcp_types import CallToolRequestParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from glassloop import Agent, ScriptedModel
from glassloop.core.loop.user_question import ASK_USER
from glassloop.extensions.mcp.server.ask_tool import AskTool
from glassloop.extensions.mcp.server.rendering import Ask
from glassloop.models.scripted_model import call
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings

SCRIPT = [call(ASK_USER, question="Which \u202ecity?", options=["Bern", "Basel"]), "Done."]


class Client:
    """A client with a person who says one thing, or none who could."""

    def __init__(self, said=None, version="2025-06-18"):
        self.shown = []
        elicitation = SimpleNamespace(form={}, url=None) if said is not None else None
        self.client_capabilities = SimpleNamespace(elicitation=elicitation)
        self._said = said
        self.context = SimpleNamespace(session=self, protocol_version=version, request_id=1)

    async def elicit_form(self, message, schema, _request):
        self.shown.append((message, schema))
        return self._said

    async def report_progress(self, *_args, **_more):
        pass


@pytest.fixture
async def asking(tmp_path):
    model = ScriptedModel(SCRIPT)
    agent = Agent(model, ask_user=True, name="general")
    settings = Settings(home=str(tmp_path), database_url="sqlite:///:memory:")
    async with await open_runtime(settings, make=lambda _: agent) as runtime:
        yield AskTool(runtime, settings, "ann"), model


async def ask(tool, client, **more):
    params = CallToolRequestParams(name="ask", **more)
    return await tool.call(client.context, Ask(question="How far?"), params)


@pytest.mark.parametrize(
    ("content", "told"),
    [({"choice": "Basel"}, "Basel"), ({"choice": "Bern", "answer": "near Bern"}, "near Bern")],
)
async def test_a_client_that_can_ask_its_person_does(asking, content, told):
    tool, model = asking
    client = Client(ElicitResult(action="accept", content=content))
    result = await ask(tool, client)
    [(message, schema)] = client.shown
    assert message == "Which \\u202ecity?"
    assert schema["properties"]["choice"]["enum"] == ["Bern", "Basel"]
    assert result.structured_content["status"] == "completed"
    assert model.requests[-1].messages[-1].content == f"The user answered: {told}"


async def test_a_client_that_is_asked_between_calls_comes_again_with_the_answer(asking):
    tool, model = asking
    client = Client(ElicitResult(action="cancel"), version=next(iter(MODERN_PROTOCOL_VERSIONS)))
    waits = await ask(tool, client)
    assert isinstance(waits, InputRequiredResult)
    [call_id] = waits.input_requests
    said = {call_id: ElicitResult(action="accept", content={"answer": "Basel"})}
    result = await ask(tool, client, request_state=waits.request_state, input_responses=said)
    assert result.structured_content["status"] == "completed"
    assert model.requests[-1].messages[-1].content == "The user answered: Basel"


@pytest.mark.parametrize("said", [None, ElicitResult(action="decline")], ids=["nobody to ask", "declined"])
async def test_where_nobody_says_anything_the_result_tells_what_waits_and_how_it_is_answered(asking, said):
    tool, _ = asking
    result = await ask(tool, Client(said))
    found = result.structured_content
    assert (found["status"], found["waiting"]) == ("waiting", [])
    [question] = found["questions"]
    assert question["options"] == ["Bern", "Basel"]
    assert f"glassloop answer {found['turn_id']}" in result.content[0].text
