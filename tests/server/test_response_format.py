"""`response_format` under `/v1`, by the official `openai` client: answers are JSON that fits, or say why not."""

import json
from contextlib import AsyncExitStack

import openai
import pytest
from pydantic import BaseModel, Field

from glassloop import Agent, Approval, ScriptedModel
from glassloop.core import events as e
from glassloop.core.messages import Abilities, AssistantMessage, Reply
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.json_output import MAX_SCHEMA_BYTES, JsonOutput
from glassloop.runtime.build import open_runtime
from server.dialect_turns import LOOKED, WAITS, look, write

HELLO = [{"role": "user", "content": "Ulm?"}]
CITY = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "people": {"type": "integer", "minimum": 1}},
    "required": ["name", "people"],
    "additionalProperties": False,
}
ULM = '{"name":"Ulm","people":126000}'


class City(BaseModel):
    name: str
    people: int = Field(ge=1)


def schema(given=CITY, **more):
    return {"type": "json_schema", "json_schema": {"name": "city", "schema": given, **more}}


@pytest.fixture
async def connect(serve):
    """A client of a server whose model plays a script, with both."""
    async with AsyncExitStack() as stack:

        async def start(script, **abilities):
            model = ScriptedModel(script, abilities=Abilities(**abilities) if abilities else None)
            served = await serve(script=model, tools=[look, write])
            client = openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="x", max_retries=0)
            return await stack.enter_async_context(client), model, served

        yield start


async def complete(client, form, **options):
    return await client.chat.completions.create(model="general", messages=HELLO, response_format=form, **options)


async def test_an_answer_is_an_object_of_the_clients_schema_after_tools_too(connect):
    asking, model, _ = await connect([LOOKED[0], f"Here it is:\n```json\n{ULM}\n```"])
    answer = await asking.chat.completions.parse(model="general", messages=HELLO, response_format=City)
    (choice,) = answer.choices
    assert choice.message.parsed == City(name="Ulm", people=126_000)
    assert (json.loads(choice.message.content), choice.finish_reason) == (json.loads(ULM), "stop")
    assert model.requests[0].schema["properties"].keys() == {"name", "people"}, (
        "the provider's own way, where it has one"
    )
    assert '"minimum": 1' in model.requests[0].system


async def test_what_does_not_fit_is_asked_for_once_more_and_told_only_when_it_fits(connect):
    asking, model, served = await connect(['{"name": "Ulm", "people": 0}', ULM])
    async with asking.chat.completions.stream(model="general", messages=HELLO, response_format=City) as stream:
        answer = await stream.get_final_completion()
    assert answer.choices[0].message.parsed == City(name="Ulm", people=126_000)
    assert answer.choices[0].message.content == ULM
    assert "people: Should be at least 1" in str(model.requests[1].messages[-1])
    (row,) = await served.runtime.store.turns.list()
    events = await served.runtime.store.turns.read(row.id)
    assert [event.accepted for event in events if isinstance(event, e.AnswerEvaluated)] == [False, True]


@pytest.mark.parametrize("stream", [False, True])
async def test_what_still_does_not_fit_is_a_refusal(connect, stream):
    asking, *_ = await connect(["I would rather not.", "No, really."])
    if stream:
        opened = asking.chat.completions.stream(model="general", messages=HELLO, response_format=City)
        async with opened as chunks:
            answer = await chunks.get_final_completion()
    else:
        answer = await asking.chat.completions.parse(model="general", messages=HELLO, response_format=City)
    message = answer.choices[0].message
    assert message.parsed is None
    assert "No, really." in message.refusal
    assert "There is no JSON object" in message.refusal
    assert not message.content


async def test_an_object_that_was_cut_off_ends_by_its_length(connect):
    asking, *_ = await connect([Reply(message=AssistantMessage(text='{"name": "Ulm", "peo'), stop="max_tokens")] * 3)
    with pytest.raises(openai.LengthFinishReasonError):
        await asking.chat.completions.parse(model="general", messages=HELLO, response_format=City)


async def test_any_object_will_do_where_no_schema_is_given_and_text_is_text(connect):
    asking, model, _ = await connect(["No JSON.", '{"cat": [1, 2]}', "No JSON."])
    assert (await complete(asking, {"type": "json_object"})).choices[0].message.content == '{"cat":[1,2]}'
    assert (await complete(asking, {"type": "text"})).choices[0].message.content == "No JSON."
    assert model.requests[-1].schema is None


async def test_what_waits_for_people_is_no_object_and_says_so(connect):
    asking, *_ = await connect([WAITS[0]])
    answer = await asking.chat.completions.parse(model="general", messages=HELLO, response_format=City)
    assert "waits for your approval" in answer.choices[0].message.refusal


def nested(depth):
    made = {"type": "object"}
    for _ in range(depth):
        made = {"type": "object", "properties": {"a": made}}
    return made


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"type": "array", "items": {}}, "is not an object"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.org/city.json"}}}, "nothing is fetched"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}, "does not hold"),
        ({"type": "object", "properties": {"a": {"not": {}}}}, "at properties.a: 'not' is not supported"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "'type' must be of"),
        ({"type": "object", "properties": {"a": {"minimum": "1"}}}, "'minimum' is not as JSON schema has it"),
        ({"type": "object", "properties": []}, "'properties' is not"),
        ({"type": "object", "properties": {"a": 1}}, "no schema where one should be"),
        (nested(33), "levels"),
        ({"type": "object", "anyOf": [{}] * 2_001}, "parts"),
        ({"type": "object", "description": "a" * MAX_SCHEMA_BYTES}, "shorten it"),
    ],
)
async def test_a_schema_that_cannot_be_kept_to_is_refused(connect, given, words):
    asking, model, served = await connect([])
    with pytest.raises(openai.BadRequestError, match="schema of the answer") as refused:
        await complete(asking, schema(given))
    assert words in refused.value.body["message"]
    assert refused.value.body["type"] == "invalid_request_error"
    assert not model.requests
    assert not await served.runtime.store.turns.list()


async def test_a_format_that_is_none_is_refused(connect):
    asking, *_ = await connect([])
    with pytest.raises(openai.BadRequestError, match="has no schema"):
        await complete(asking, {"type": "json_schema"})
    with pytest.raises(openai.UnprocessableEntityError, match=r"response_format\.type"):
        await complete(asking, {"type": "yaml"})


async def test_a_turn_keeps_its_schema_when_another_process_goes_on_with_it(connect, settings):
    """Its log alone says what the answer must be: under names that are redacted, too."""
    asked = {**CITY, "properties": {**CITY["properties"], "api_key": {"type": "string", "const": "none"}}}
    _, _, served = await connect([WAITS[0]])
    turn = await served.runtime.submit("Ulm?", output_schema=asked)
    assert [event async for event in served.runtime.watch(turn.turn_id)]
    await served.runtime.aclose()
    model = ScriptedModel(["Done.", '{"name":"Ulm","people":1,"api_key":"none"}'])
    async with await open_runtime(served.settings, make=lambda wanted: agent(model, wanted)) as runtime:
        await decide(runtime, turn.turn_id)
        answer = [each async for each in runtime.watch(turn.turn_id, through_pauses=True)]
        (given,) = (event.text for event in answer if isinstance(event, e.AnswerGiven))
        assert JsonOutput(asked).read(given) == {"name": "Ulm", "people": 1, "api_key": "none"}
        assert "not of the schema" in str(model.requests[1].messages[-1])
        report = await runtime.replay(turn.turn_id)
        assert not report.differences


def agent(model, wanted):
    return Agent(model, [look, write], name=wanted.assistant)


async def decide(runtime, turn_id):
    (asked,) = pending(await runtime.store.turns.read(turn_id))
    await runtime.approve(turn_id, [Approval(call_id=asked.call.id, digest=asked.digest, approved=True)])


async def test_a_model_without_schemas_is_told_in_words(connect):
    asking, model, _ = await connect([ULM], json_schema=False, native_tools=False)
    assert (await complete(asking, schema())).choices[0].message.content == ULM
    assert '"people"' in model.requests[0].system


@pytest.mark.parametrize(
    ("part", "fits", "not_fitting"),
    [
        ({"pattern": "^[a-z]+$"}, ["ulm"], ["Ulm", ""]),
        ({"pattern": "^(?=x)"}, ["what no linear engine reads is let pass"], []),
        ({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 5}]}, [1, 5.5], [7, "a"]),
        ({"allOf": [{"minimum": 1}, {"maximum": 3}]}, [2], [0, 4]),
        ({"$ref": "#/$defs/tree"}, [{"of": [{"of": []}]}], [{"of": [{"of": 1}]}, {}]),
        ({"type": "array", "uniqueItems": True}, [[1, "1"]], [[{"a": 1, "b": 2}, {"b": 2, "a": 1}]]),
        ({"multipleOf": 0.1}, [0.3, 7], [0.35]),
        (False, [], [None]),
    ],
)
def test_values_fit_or_do_not(part, fits, not_fitting):
    tree = {"type": "object", "properties": {"of": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    output = JsonOutput({"properties": {"a": part}, "$defs": {"tree": {**tree, "required": ["of"]}}})
    for value in fits:
        assert output.read(json.dumps({"a": value})) == {"a": value}
    for value in not_fitting:
        with pytest.raises(ValueError, match=r"^a"):
            output.read(json.dumps({"a": value}))


async def test_one_model_is_found_by_its_name(connect):
    asking, *_ = await connect([])
    assert (await asking.models.retrieve("general")).id == "general"
    with pytest.raises(openai.NotFoundError, match="generl"):
        await asking.models.retrieve("generl")
