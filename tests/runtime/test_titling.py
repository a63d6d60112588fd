"""A conversation is named by a language model after its first answer, and by rule where there is none."""

import asyncio

import pytest

from glassloop import Agent, Limits, ScriptedModel, Stop, guardrail
from glassloop.core.errors import ModelUnavailable
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.build import open_runtime
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.conversations.titles import clean
from glassloop.runtime.settings import Settings
from waiting import until

QUESTION = "What is the answer to everything, please, as I have asked before?"


class Named(ScriptedModel):
    """A script with the name of a language model; holds up what is asked to name a conversation."""

    def __init__(self, script, name):
        super().__init__(script)
        self._named = name
        self.gate = asyncio.Event()
        self.titles_asked = 0

    @property
    def name(self):
        return self._named

    async def stream(self, request):
        if request.purpose == "summarize":
            self.titles_asked += 1
            await self.gate.wait()
        async for chunk in super().stream(request):
            yield chunk


@pytest.fixture
async def opens(tmp_path, put_store):
    opened = []

    async def open_one(*script, name="openai:test", **options):
        settings = Settings(home=str(tmp_path), database_url=f"sqlite:///{put_store(tmp_path / 'log.db')}")
        model = Named(script, name)
        made = {}

        def make_agent(wanted):
            memory = ConversationMemory(archive=StoreArchive(made["runtime"].store))
            return Agent(model, [], memory=memory, name=wanted.assistant, **options)

        runtime = made["runtime"] = await open_runtime(settings, make=make_agent, titles=True)
        opened.append(runtime)
        return runtime, model

    yield open_one
    for runtime in opened:
        await runtime.aclose(1.0)


async def title_of(runtime):
    return (await runtime.store.sessions.get("s")).title


async def test_the_model_names_a_conversation_after_its_answer_was_given(opens):
    runtime, model = await opens("It is 42.", '"The answer to everything."')
    answered = await runtime.ask(QUESTION, session_id="s")
    assert answered.response == "It is 42."
    assert await title_of(runtime) == QUESTION
    model.gate.set()

    async def named():
        return await title_of(runtime) == "The answer to everything"

    await until(named, "the title")


async def test_a_turn_that_wants_no_title_makes_no_call_for_one(opens):
    runtime, model = await opens("It is 42.", "Yes.", "Of the model")
    await runtime.ask(QUESTION, session_id="stateless", titled=False)
    await runtime.ask(QUESTION, session_id="s")
    await until(lambda: model.titles_asked, "the title of the other session")
    model.gate.set()
    assert (await runtime.store.sessions.get("stateless")).title == QUESTION
    assert model.titles_asked == 1


async def test_only_the_first_turn_names_and_a_title_that_a_person_gave_stays(opens):
    runtime, model = await opens("It is 42.", "Of the model", "Yes.", "Never")
    await runtime.ask(QUESTION, session_id="s")
    await until(lambda: model.titles_asked == 1, "the model being asked")
    await runtime.store.sessions.rename("s", "Mine")
    model.gate.set()
    await runtime.ask("Sure?", session_id="s")
    await runtime.ask("Really?", session_id="t")
    await until(lambda: model.titles_asked == 2, "the model being asked again")
    assert await title_of(runtime) == "Mine"


@pytest.mark.parametrize("name", ["reflex", "embedded"])
async def test_without_a_large_model_the_question_is_the_title(opens, name):
    runtime, model = await opens("It is 42.", "Never", name=name)
    await runtime.ask(QUESTION, session_id="s")
    assert model.titles_asked == 0
    assert await title_of(runtime) == QUESTION


async def test_an_assistant_with_a_budget_is_not_asked_for_what_no_turn_accounts_for(opens):
    runtime, model = await opens("It is 42.", "Never", limits=Limits(cost=1.0))
    model.quote = lambda *_tokens: 0.0
    await runtime.ask(QUESTION, session_id="s")
    await runtime.aclose(1.0)
    assert model.titles_asked == 0


async def test_a_model_that_fails_leaves_the_title_and_the_next_conversation_gets_one(opens):
    runtime, model = await opens("It is 42.", ModelUnavailable("away"), "Yes.", "A second one")
    model.gate.set()
    await runtime.ask(QUESTION, session_id="s")
    await until(lambda: model.titles_asked == 1, "the model being asked")
    await runtime.ask("Really?", session_id="t")

    async def named():
        return (await runtime.store.sessions.get("t")).title == "A second one"

    await until(named, "the second title")
    assert await title_of(runtime) == QUESTION


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Stock in WH-001", "Stock in WH-001"),
        ('Title: "Late **orders**."', "Late orders"),
        ("标题：库存水平。", "库存水平"),
        ("", ""),
        ("One\nTwo", ""),
        ("x" * 61, ""),
        ("a\u202eb", ""),
    ],
)
def test_what_a_model_says_becomes_a_title_or_none(said, title):
    assert clean(said) == title


async def test_a_question_that_a_guardrail_stopped_is_not_sent_to_the_model_for_a_title(opens):
    stops = guardrail("input")(lambda text: Stop("No."))
    runtime, model = await opens("Never", guardrails=[stops])
    await runtime.ask(QUESTION, session_id="s")
    await runtime.aclose(1.0)
    assert model.titles_asked == 0
