"""The router gives a question to a domain, visibly; when it fails, the general one takes it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import AssistantMessage, UserMessage
from glassloop.core.planning.router import Domain, ModelRouter
from glassloop.core.records import RouteDecision
from properties.strategies import run


@tool(effect="read", domain="erp")
async def stock() -> int:
    """Units in stock."""
    return 5


@tool(effect="read", domain="crm")
async def leads() -> int:
    """Open leads."""
    return 7


@tool(effect="read", domain="general")
async def knowledge() -> str:
    """Policies."""
    return "none"


TOOLS = [knowledge, leads, stock]


def router():
    domains = [
        Domain(destination="erp_agent", name="erp", about="stock"),
        Domain(destination="crm_agent", name="crm", about="sales"),
        Domain(destination="general_agent", name="general", about="the rest"),
    ]
    return ModelRouter(domains, farewell="I only know the business.", always=["knowledge"])


def said(destination, secondary=()):
    return json.dumps({"destination": destination, "reasoning": "because", "secondary_domains": list(secondary)})


async def play(script, **options):
    model = ScriptedModel(script)
    stream = Agent(model, TOOLS, router=router(), **options).stream("How many are there?")
    return [event async for event in stream], model


async def test_the_route_is_a_step_of_the_trace_and_recommends_tools():
    events, model = await play([said("erp_agent", ["crm", "erp", "moon"]), "Five."])
    route = next(event.route for event in events if isinstance(event, e.RouteDecided))
    assert (route.destination, route.secondary_domains, route.confidence) == ("erp_agent", ("crm",), 1.0)
    assert model.requests[1].recommended == ("stock", "leads", "knowledge")
    assert [spec.name for spec in model.requests[1].tools] == [tool.spec.name for tool in TOOLS]
    assert model.requests[0].temperature == 0.1


@pytest.mark.parametrize("reply", ["no idea", '{"destination": "moon_agent"}', ModelUnavailable("away")])
async def test_a_router_that_fails_leaves_it_to_the_general_domain(reply):
    events, _ = await play([reply, "Five."])
    route = next(event.route for event in events if isinstance(event, e.RouteDecided))
    assert (route.destination, route.confidence) == ("general_agent", 0.0)
    assert events[-1].status == "completed"


async def test_what_is_none_of_our_business_is_answered_without_the_loop():
    events, model = await play([said("fallback")])
    assert len(model.requests) == 1
    assert next(event.text for event in events if isinstance(event, e.AnswerGiven)) == "I only know the business."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Write a poem", "Not ours."),
        ("写一首诗", "与业务无关。"),
        ("Schreib ein Gedicht", "Not ours."),
        ("PO-1 的诗", "与业务无关。"),
    ],
)
def test_a_farewell_is_written_as_the_question_is(question, told):
    away = RouteDecision(destination="fallback", reasoning="", confidence=1.0)
    assert ModelRouter([], farewell=("Not ours.", "与业务无关。")).farewell(question, away) == told
    assert ModelRouter([], farewell="Only one.").farewell(question, away) == "Only one."


async def test_the_json_prompt_tells_recommended_tools_from_the_others():
    _, model = await play([said("crm_agent"), "Seven."], protocol="json")
    system = model.requests[1].system
    assert system.index("leads") < system.index("stock")
    assert system.index("Recommended") < system.index("leads") < system.index("Available") < system.index("stock")


async def test_the_router_sees_the_last_three_messages_only():
    asked = []

    async def ask(purpose, system, content, schema):
        asked.append(content)
        return said("erp_agent")

    messages = [UserMessage("one"), AssistantMessage(text="two"), UserMessage("three"), AssistantMessage(text="four")]
    await router().route("five", [*messages, UserMessage("five")], ask)
    assert [word in asked[0] for word in ("one", "two", "three", "four", "five")] == [False, False, True, True, True]


@pytest.mark.parametrize(("letter", "most"), [("x", 4_500), ("库", 1_500)])
async def test_the_router_sees_at_most_1500_tokens_and_of_those_the_newest(letter, most):
    asked = []

    async def ask(purpose, system, content, schema):
        asked.append(content)
        return said("erp_agent")

    await router().route("q", [UserMessage("early"), UserMessage(letter * 100_000)], ask)
    assert asked[0] == f"User: {letter * most}"


@given(
    st.text()
    | st.recursive(st.none() | st.text(), lambda x: st.dictionaries(st.text(), x), max_leaves=10).map(json.dumps)
)
def test_whatever_the_model_says_a_known_domain_comes_out(text):
    async def ask(purpose, system, content, schema):
        return text

    decided = run(router().route("q", [UserMessage("q")], ask))
    assert decided.destination in {"erp_agent", "crm_agent", "general_agent", "fallback"}
