"""The official `openai` client against `/v1`: assistants are its models."""

import asyncio

import httpx
import openai
import pytest

from glassloop import ScriptedModel, Stop, guardrail, tool
from glassloop.core.records import ToolResult
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.assistant_files import list_assistants
from glassloop.runtime.settings import Settings
from glassloop.tools.result import failure
from server.dialect_turns import FAILS, LOOKED, WAITS, said_to, scripted

HELLO = [{"role": "user", "content": "The cat?"}]


@pytest.fixture
def connect():
    """Clients of a server, as people make them."""

    def make(served, key="not needed", **options):
        return openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key=key, **{"max_retries": 0, **options})

    return make


async def streamed(client, messages=HELLO, **options):
    stream = await client.chat.completions.create(model="general", messages=messages, stream=True, **options)
    return [chunk async for chunk in stream]


def joined(chunks, name="content"):
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    return "".join(getattr(delta, name, None) or "" for delta in deltas)


async def test_a_plain_completion_has_answer_reasoning_and_usage(serve, connect):
    _, served = await scripted(serve, LOOKED)
    async with connect(served) as client:
        answer = await client.chat.completions.create(model="general", messages=HELLO, temperature=0.2, max_tokens=99)
    assert answer.object == "chat.completion"
    assert answer.model == "general"
    (choice,) = answer.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", "It is 42.", "stop")
    assert "→ look" in choice.message.reasoning_content
    assert "← cat is 42" in choice.message.reasoning_content
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0


async def test_a_stream_has_reasoning_first_then_the_answer_then_its_usage(serve, connect):
    _, served = await scripted(serve, LOOKED)
    async with connect(served) as client:
        chunks = await streamed(client, stream_options={"include_usage": True})
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[0].choices[0].delta.role == "assistant"
    assert joined(chunks) == "It is 42."
    assert "→ look" in joined(chunks, "reasoning_content")
    *_, stop, usage = chunks
    assert stop.choices[0].finish_reason == "stop"
    assert usage.choices == []
    assert usage.usage.total_tokens > 0


async def test_a_stream_without_options_ends_with_its_stop(serve, connect):
    _, served = await scripted(serve, LOOKED)
    async with connect(served) as client:
        chunks = await streamed(client)
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert all(chunk.usage is None for chunk in chunks)


async def test_the_clients_own_reader_of_streams_puts_the_answer_together(serve, connect):
    _, served = await scripted(serve, LOOKED)
    async with (
        connect(served) as client,
        client.chat.completions.stream(model="general", messages=HELLO) as stream,
    ):
        answer = await stream.get_final_completion()
    assert answer.choices[0].message.content == "It is 42."


async def test_a_conversation_is_history_with_whatever_other_clients_keep_in_it(serve, connect):
    model, served = await scripted(serve, ["Ann, as I said."])
    called = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    said = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "name": "ann", "content": [{"type": "text", "text": "Who are you?"}]},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": "nothing"},
        {"role": "assistant", "content": "My name is Ann.", "refusal": None},
        {"role": "user", "content": "Again?"},
    ]
    async with connect(served) as client:
        answer = await client.chat.completions.create(model="general", messages=said)
    assert answer.choices[0].message.content == "Ann, as I said."
    for text in ("Be brief.", "Who are you?", "My name is Ann.", "Again?"):
        assert text in said_to(model)


async def test_a_session_of_ours_goes_on_by_a_header(serve, connect):
    model, served = await scripted(serve, ["My name is Ann.", "Ann."])
    async with connect(served) as client:
        raw = await client.chat.completions.with_raw_response.create(model="general", messages=HELLO)
        session = {"x-session-id": raw.headers["x-session-id"]}
        await client.chat.completions.create(model="general", messages=HELLO, extra_headers=session)
    assert "My name is Ann." in said_to(model)
    assert len(await served.runtime.store.sessions.list()) == 1


async def test_only_a_session_that_the_client_names_may_be_given_a_title(serve, connect):
    _, served = await scripted(serve, ["Yes.", "Yes."])
    async with connect(served) as client:
        for headers in ({}, {"x-session-id": "mine"}):
            await client.chat.completions.create(model="general", messages=HELLO, extra_headers=headers)
    titled = {}
    for row in await served.runtime.store.turns.list():
        (started, *_) = await served.runtime.store.turns.read(row.id)
        titled[row.session_id == "mine"] = started.settings.get("titled", True)
    assert titled == {True: True, False: False}


async def test_the_models_are_the_assistants(serve, connect):
    _, served = await scripted(serve, [])
    async with connect(served) as client:
        found = [model async for model in client.models.list()]
    assert [model.id for model in found] == [one.name for one in list_assistants(Settings())]
    assert {model.object for model in found} == {"model"}
    assert all(model.created > 1_700_000_000 for model in found), "clients sort by it"
    assert "general" in [model.id for model in found]


async def test_an_unknown_model_is_not_found(serve, connect):
    _, served = await scripted(serve, [])
    async with connect(served) as client:
        with pytest.raises(openai.NotFoundError, match="generl"):
            await client.chat.completions.create(model="generl", messages=HELLO)


async def test_what_does_not_fit_is_told_as_the_client_knows_it(serve, connect):
    _, served = await scripted(serve, [])
    async with connect(served) as client:
        with pytest.raises(openai.UnprocessableEntityError, match="messages"):
            await client.chat.completions.create(model="general", messages=[])
        with pytest.raises(openai.BadRequestError, match="no question"):
            await client.chat.completions.create(model="general", messages=[{"role": "assistant", "content": "x"}])


async def test_tools_of_the_client_are_refused_rather_than_passed_over(serve, connect):
    _, served = await scripted(serve, ["Yes."])
    tools = [{"type": "function", "function": {"name": "mine", "parameters": {"type": "object"}}}]
    async with connect(served) as client:
        with pytest.raises(openai.BadRequestError, match="its own tools"):
            await client.chat.completions.create(model="general", messages=HELLO, tools=tools)
        answer = await client.chat.completions.create(model="general", messages=HELLO, tools=tools, tool_choice="none")
    assert answer.choices[0].message.content == "Yes."


async def test_a_picture_that_is_none_is_refused_in_words(serve, connect):
    _, served = await scripted(serve, [])
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    async with connect(served) as client:
        with pytest.raises(openai.BadRequestError, match=r"is empty: give one with content"):
            await client.chat.completions.create(model="general", messages=[{"role": "user", "content": parts}])
        with pytest.raises(openai.UnprocessableEntityError) as refused:
            await client.chat.completions.create(model="general", messages=[{"role": "user", "content": [{"text": 1}]}])
    assert "constrained" not in str(refused.value)
    assert "LoosePart" not in str(refused.value)
    assert "messages.0.content" in str(refused.value)


async def test_a_bad_key_is_an_authentication_error_and_a_good_one_is_none(serve, connect, settings):
    model, served = await scripted(serve, ["Yes."], settings=settings(auth="keys", request_rate=0))
    await served.runtime.store.users.add("ann")
    key, _ = await served.runtime.store.keys.create("ann")
    async with connect(served, "glk_wrong") as client:
        with pytest.raises(openai.AuthenticationError, match="API key"):
            await client.chat.completions.create(model="general", messages=HELLO)
        with pytest.raises(openai.AuthenticationError):
            await client.models.list()
    async with connect(served, key) as client:
        answer = await client.chat.completions.create(model="general", messages=HELLO)
    assert answer.choices[0].message.content == "Yes."
    assert len(model.requests) == 1


async def test_too_many_requests_are_a_rate_limit_error_that_says_when_to_come_again(serve, connect, settings):
    _, served = await scripted(serve, [], settings=settings(request_rate=2))
    async with connect(served) as client:
        for _ in range(2):
            await client.models.list()
        with pytest.raises(openai.RateLimitError) as caught:
            await client.models.list()
    assert int(caught.value.response.headers["retry-after"]) > 0


async def test_too_many_turns_are_a_rate_limit_error_too(serve, connect, settings):
    _, served = await scripted(serve, ["Yes.", "No."], settings=settings(request_rate=0, session_rate=1))
    async with connect(served) as client:
        session = {"x-session-id": "mine"}
        await client.chat.completions.create(model="general", messages=HELLO, extra_headers=session)
        with pytest.raises(openai.RateLimitError, match="limit"):
            await client.chat.completions.create(model="general", messages=HELLO, extra_headers=session)


async def test_a_failed_turn_is_an_error_plain_and_streaming(serve, connect):
    _, served = await scripted(serve, [*FAILS, *FAILS])
    async with connect(served) as client:
        with pytest.raises(openai.InternalServerError, match="says no") as caught:
            await client.chat.completions.create(model="general", messages=HELLO)
        assert caught.value.status_code == 502
        with pytest.raises(openai.APIError, match="says no"):
            await streamed(client)


async def test_a_client_that_tries_again_by_itself_does_not_have_a_failed_turn_done_twice(serve, connect):
    done = []

    @tool(effect="write", integrity="trusted", confidentiality="public")
    async def note(text: str) -> str:
        """Note something down."""
        done.append(text)
        return "noted"

    served = await serve(script=[call("note", text="once"), *FAILS] * 3, tools=[note])
    async with connect(served, max_retries=2) as client:
        with pytest.raises(openai.InternalServerError, match="says no"):
            await client.chat.completions.create(model="general", messages=HELLO)
    assert done == ["once"]


async def test_a_turn_that_somebody_cancelled_says_so_and_is_not_asked_again(serve, connect):
    model = Held()
    served = await serve(script=model)
    async with connect(served, max_retries=2) as client:
        asking = asyncio.ensure_future(client.chat.completions.create(model="general", messages=HELLO))
        await asyncio.wait_for(model.reached.wait(), 60)
        (row,) = await served.runtime.store.turns.list()
        await served.runtime.cancel(row.id)
        with pytest.raises(openai.ConflictError, match="was cancelled before it was answered: ask again"):
            await asking
    assert len(await served.runtime.store.turns.list()) == 1


class Held(ScriptedModel):
    """Never answers."""

    def __init__(self):
        super().__init__([])
        self.reached = asyncio.Event()

    async def stream(self, request):
        self.reached.set()
        await asyncio.Event().wait()
        yield


async def test_what_waits_for_people_is_said_as_text(serve, connect):
    _, served = await scripted(serve, [WAITS[0], WAITS[0]])
    async with connect(served) as client:
        answer = await client.chat.completions.create(model="general", messages=HELLO)
        told = answer.choices[0].message.content
        assert "waits for your approval" in told
        assert f"{served.url}/s/" in told, "a link that can be opened"
        assert "glassloop approve " in told
        assert f"{served.url}/api/turns/" in told
        assert "waits for your approval" in joined(await streamed(client))


async def test_what_may_have_run_already_is_said_with_what_would_run_again(serve, connect):
    @tool(effect="external", integrity="trusted", confidentiality="public")
    async def send(text: str) -> ToolResult:
        """Sends, and hears nothing."""
        return failure("The line went dead.", cause="in_doubt")

    served = await serve(script=ScriptedModel([call("send", text="a")]), tools=[send])
    async with connect(served) as client:
        answer = await client.chat.completions.create(model="general", messages=HELLO)
    told = answer.choices[0].message.content
    assert 'send {"text":"a"} (it may have run already: The line went dead.)' in told


async def test_a_client_that_does_not_wait_gives_up_without_hurting_the_server(serve, connect):
    _, served = await scripted(serve, ["Yes."])
    async with connect(served, timeout=httpx.Timeout(0.000_1)) as client:
        with pytest.raises(openai.APITimeoutError):
            await client.chat.completions.create(model="general", messages=HELLO)
    async with connect(served) as client:
        assert [model async for model in client.models.list()]


async def test_what_a_guardrail_stops_ends_as_filtered(serve, connect):
    @guardrail("input")
    def never(text: str) -> Stop:
        return Stop("Not that.")

    model, served = await scripted(serve, LOOKED, profile={"guardrails": [never]})
    async with connect(served) as client:
        answer = await client.chat.completions.create(model="general", messages=HELLO)
        chunks = await streamed(client)
    (choice,) = answer.choices
    assert (choice.message.content, choice.finish_reason) == ("Not that.", "content_filter")
    assert (joined(chunks), chunks[-1].choices[0].finish_reason) == ("Not that.", "content_filter")
    assert not model.requests
