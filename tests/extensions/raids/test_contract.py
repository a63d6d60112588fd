"""The raid contract's own clauses: the prompt, the shape of a turn, `/api/analyze` and its stream."""

import asyncio
import itertools
from contextlib import AsyncExitStack

import httpx
import msgspec
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.messages import (
    Abilities,
    AssistantMessage,
    Reply,
    TextChunk,
    ToolMessage,
    Usage,
    UserMessage,
    estimate_tokens,
)
from glassloop.core.records import ToolCall
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.memory.conversation import ConversationMemory
from glassloop.models.scripted_model import call
from glassloop.projections.answer_text import AnswerText
from glassloop.runtime.assistants.assistant_files import find_assistant, load_parts
from glassloop.runtime.build import open_runtime
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.settings import Settings
from glassloop.server.app import create_app
from glassloop.server.auth.authentication import Authenticator
from glassloop.server.observability.tracing import Spans
from glassloop.server.request_turns import RequestTurns
from server.listening import listening
from server.sse_client import opened, read
from waiting import until

TOOLS = (
    "get_my_performance", "get_top_rankings", "compare_to_top", "get_fight_details", "get_progression",
    "get_deaths_and_mechanics", "search_fights", "get_spec_leaderboard", "compare_raid_to_top", "compare_two_raids",
    "get_raid_execution", "get_ability_breakdown", "get_buff_analysis", "get_death_analysis", "get_activity_report",
    "get_cooldown_efficiency", "get_consumable_check", "get_overheal_analysis", "get_cancelled_casts",
    "get_wipe_progression", "get_regressions", "resolve_my_fights", "get_gear_changes", "get_phase_analysis",
    "get_resource_usage", "get_dot_management", "get_rotation_score", "get_enchant_gem_check",
    "get_encounter_benchmarks", "get_spec_benchmark",
)  # fmt: skip
ANSWER = "".join(f"Sentence {number:02} of an answer with some words in it. " for number in range(42)).strip()[:2_000]
INNER = "psycopg2 at /srv/inner/secret.py"


@pytest.fixture
def settings(tmp_path):
    return Settings(home=str(tmp_path), request_rate=0)


@pytest.fixture
def assistant(settings):
    return find_assistant("raids", settings)


@pytest.fixture
async def serve(settings, assistant, put_store):
    """Starts servers whose raid analyst plays a script, with its own prompt and tools."""
    async with AsyncExitStack() as stack:

        async def start(model, **options):
            put_store(settings.home_path / "glassloop.db")
            made = {}

            def make(_wanted):
                store = made["runtime"].store
                tools = load_parts(assistant, settings, {"store": store}).tools
                memory = ConversationMemory(archive=StoreArchive(store))
                return Agent(model, tools, memory=memory, profile=assistant.profile(settings))

            runtime = made["runtime"] = await open_runtime(settings, make=make, **options)
            stack.push_async_callback(runtime.aclose, 1.0)
            app = create_app(runtime, settings, Authenticator(settings, runtime.store))
            url = await stack.enter_async_context(listening(app, port=0))
            client = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60.0))
            return app, runtime, client

        yield start


class Writer:
    """Writes texts in the chunks they are given in; a call ends a reply, an event is waited for."""

    name = "writer"
    abilities = Abilities()

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = asyncio.Event()

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        self.asked.set()
        written, calls = "", ()
        for part in self.replies.pop(0):
            if isinstance(part, asyncio.Event):
                await part.wait()
            elif isinstance(part, ToolCall):
                calls = (part,)
            else:
                yield TextChunk(part)
                await asyncio.sleep(0)
                written += part
        message = AssistantMessage(text=written, calls=calls)
        yield Reply(message=message, usage=Usage(cost=0.0), stop="tool_use" if calls else "end_turn", model=self.name)


def chunks(text, size=12):
    return [text[start : start + size] for start in range(0, len(text), size)]


async def streamed(client, question="How was it?", **more):
    return await read(client, "/api/analyze/stream", method="POST", json={"question": question, **more})


# The profile and its prompt


def test_the_profile_is_model_and_tools_and_nothing_else(assistant, settings):
    profile = assistant.profile(settings)
    assert (profile.protocol, profile.limits.iterations, profile.temperature) == ("native", 15, 0.3)
    assert not profile.planner
    assert not profile.reflection
    assert (assistant.router, assistant.routing) == ("off", None)


def test_there_are_thirty_tools_that_read_and_past_conversations(assistant, settings):
    specs = load_parts(assistant, settings).tools.specs
    assert set(specs) == {*TOOLS, "search_past_conversations"}
    assert {(specs[name].domain, specs[name].effect) for name in TOOLS} == {("raids", "read")}


@pytest.mark.parametrize("form", ["prompt", "prompt_brief"])
def test_the_prompt_names_the_game_the_specs_and_every_tool(assistant, form):
    told = getattr(assistant, form)
    for word in (
        "World of Warcraft",
        "The Burning Crusade",
        "DPS",
        "arse",
        "verheal",
        "mana",
        "to the encounter",
        "raid",
    ):
        assert word in told, word
    for class_name, spec in load_knowledge().specs:
        assert class_name in told
        assert spec in told
    for name in TOOLS:
        assert name in told, name


def test_the_brief_prompt_leaves_a_small_window_room(assistant):
    assert estimate_tokens(assistant.prompt_brief) <= 600
    # Names of tools take more tokens than words: no tokenizer needs more than one for three characters of this.
    assert len(assistant.prompt_brief) / 3 <= 600


# The shape of a turn


async def test_the_prompt_comes_first_and_whole_before_the_whole_history(assistant, settings):
    tools = load_parts(assistant, settings).tools
    model = ScriptedModel([call("search_fights", limit=3), call("search_fights", limit=4), "Nothing is there."])
    agent = Agent(model, tools, profile=assistant.profile(settings))
    await agent.run("What went wrong?", session_id="s")
    assert len(model.requests) == 3
    for request in model.requests:
        assert request.system.startswith(assistant.prompt.strip())
    kinds = [type(message) for message in model.requests[-1].messages if not is_note(message)]
    # One message a turn of the model, each followed by what its call returned.
    assert kinds == [UserMessage, AssistantMessage, ToolMessage, AssistantMessage, ToolMessage]
    assert next(m.content for m in model.requests[-1].messages if not is_note(m)) == "What went wrong?"


def is_note(message):
    return isinstance(message, UserMessage) and message.author != "person"


async def test_what_was_said_before_is_passed_on(serve):
    model = ScriptedModel(["Gruul was bad.", "Because of Shatter."])
    _, runtime, client = await serve(model)
    for question in ("How was it?", "Why?"):
        assert (await client.post("/api/analyze", json={"question": question, "session_id": "mine"})).status_code == 200
    said = msgspec.json.encode(model.requests[-1].messages).decode()
    assert said.index("How was it?") < said.index("Gruul was bad.") < said.index("Why?")
    (row,) = await runtime.store.sessions.list()
    assert row.id == "mine"


async def test_names_of_arguments_are_read_as_models_write_them(assistant, settings):
    tools = load_parts(assistant, settings).tools
    model = ScriptedModel([call("search_fights", EncounterName="gruul", playerName="Ana", limit=3), "None."])
    events = [event async for event in Agent(model, tools, profile=assistant.profile(settings)).stream("Where?")]
    (called,) = [event for event in events if isinstance(event, e.ToolCalled)]
    assert called.call.args == {"encounter_name": "gruul", "player_name": "Ana", "limit": 3}


# /api/analyze


async def test_the_raid_analyst_answers_and_nothing_else(serve):
    _, runtime, client = await serve(ScriptedModel([call("search_fights"), "It went well."]))
    answer = await client.post("/api/analyze", json={"question": "How was it?"})
    assert answer.json() == {"answer": "It went well."}
    (row,) = await runtime.store.turns.list()
    assert row.assistant == "raids"


async def test_without_data_the_model_is_told_how_to_get_some(serve):
    model = ScriptedModel([call("resolve_my_fights"), "There is no log yet."])
    _, _, client = await serve(model)
    answer = await client.post("/api/analyze", json={"question": "How was my last fight?"})
    assert answer.json() == {"answer": "There is no log yet."}
    (told,) = [message for message in model.requests[-1].messages if isinstance(message, ToolMessage)]
    assert "import" in told.content


async def test_a_failure_is_told_without_inner_words(serve):
    _, _, client = await serve(ScriptedModel([RuntimeError(INNER), RuntimeError(INNER)]))
    answer = await client.post("/api/analyze", json={"question": "How was it?"})
    assert answer.status_code >= 500
    frames = await streamed(client)
    assert [(frame.event, set(frame.json)) for frame in frames] == [("error", {"detail"})]
    assert "secret" not in answer.text + frames[0].data


async def test_only_the_answer_is_streamed(serve):
    preamble, thought = "Let me look at your fights.", "<think>Which one? I never close this"
    model = Writer(
        [preamble, call("search_fights", limit=3)],
        [thought, call("search_fights", limit=4)],
        chunks("<think>Now.</think>The answer."),
    )
    _, _, client = await serve(model)
    *tokens, last = await streamed(client)
    assert last.json == {"done": True}
    assert all(set(frame.json) == {"token"} for frame in tokens)
    assert "".join(frame.json["token"] for frame in tokens) == "The answer."


async def test_an_answer_of_2000_characters_comes_in_twenty_pieces_the_first_before_its_end(serve):
    heard = asyncio.Event()
    model = Writer([call("search_fights")], [*chunks(ANSWER[:1_000]), heard, *chunks(ANSWER[1_000:])])
    _, _, client = await serve(model)
    tokens = []
    body = {"question": "How was it?"}
    async with asyncio.timeout(60), opened(client, "/api/analyze/stream", method="POST", json=body) as frames:
        async for frame in frames:
            tokens.append(frame.json.get("token", ""))
            # The model goes on only after its first words were read.
            heard.set()
    assert "".join(tokens) == ANSWER
    assert len(tokens) - 1 >= 20


async def test_a_client_that_leaves_stops_the_work(serve, caplog):
    model = Writer(["Let me see.", asyncio.Event()])
    app, runtime, client = await serve(model)
    app.state.request_turns = RequestTurns(runtime, 0.1)
    asking = asyncio.create_task(streamed(client))
    await asyncio.wait_for(model.asked.wait(), 60)
    asking.cancel()
    await asyncio.wait([asking])

    async def is_cancelled():
        (row,) = await runtime.store.turns.list()
        return row.status == "cancelled"

    await until(is_cancelled, "the end of the work")
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("path", ["/api/analyze", "/api/analyze/stream"])
async def test_both_routes_are_traced_where_a_handler_is_there_and_not_where_none_is(serve, settings, path):
    exporter = InMemorySpanExporter()
    spans = Spans(settings, exporter)
    _, runtime, client = await serve(ScriptedModel(["Well."]), observers=[spans])
    await client.post(path, json={"question": "How was it?"})
    await runtime.aclose(1.0)
    spans.shutdown()
    assert "invoke_agent raids" in {span.name for span in exporter.get_finished_spans()}


# Think tags

TAGGED = (
    "<think>ab</think>Yes.",
    "A <think>x</think>b.",
    "<think>a</think><think>b</think>No.",
    "Yes.<think>open",
    "<thinking>hm</thinking>1 < 2.",
)


@pytest.mark.parametrize("text", TAGGED)
async def test_a_tagged_stream_shows_the_same_however_it_is_cut(text):
    async def visible(*pieces):
        agent, shown = Agent(Writer(pieces)), AnswerText(300)
        events = [event async for event in agent.stream("?")]
        return "".join(piece.appended for piece in shown.pieces(events))

    whole = await visible(text)
    assert "<think" not in whole
    assert whole
    for first, second in itertools.combinations(range(1, len(text)), 2):
        assert await visible(text[:first], text[first:second], text[second:]) == whole, (first, second)
    assert await visible(*text) == whole
