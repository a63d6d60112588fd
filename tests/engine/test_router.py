"""The router gives a question to a domain, visibly; when it fails, the general one takes it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import Abilities, UserMessage
from glassloop.core.planning.router import Domain, ModelRouter
from glassloop.core.records import RouteDecision
from glassloop.models.scripted_model import call
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
    assert "Recommended tools for this question: stock, leads, know" in model.requests[1].messages[-1].content
    assert model.requests[0].temperature == 0.1


@pytest.mark.parametrize("protocol", ["native", "json", "text"])
async def test_the_prefix_and_the_order_of_tools_are_the_same_for_every_route(protocol):
    seen = []
    for destination in ("erp_agent", "crm_agent"):
        _, model = await play([said(destination), "Five."], protocol=protocol)
        seen += [(request.system, request.tools) for request in model.requests]
    assert len(seen) == 4
    assert all(prefix == seen[0] for prefix in seen)


@pytest.mark.parametrize("abilities", [Abilities(small=True), Abilities(reads_prompts=False)])
async def test_nothing_is_recommended_to_a_model_that_is_small_or_reads_no_prompts(abilities):
    model = ScriptedModel([said("erp_agent"), "Five."], abilities=abilities)
    events = [event async for event in Agent(model, TOOLS, router=router()).stream("How many are there?")]
    assert next(event.recommended for event in events if isinstance(event, e.RouteDecided)) == ()


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


async def test_the_router_sees_what_the_decider_sees():
    model = ScriptedModel([call("stock"), "Five.", said("erp_agent"), "Still five."])
    first = Agent(model, TOOLS, prompt="You count.", protocol="native")
    await first.run("How many?", session_id="s")
    routed = Agent(model, TOOLS, prompt="You count.", router=router(), memory=first.memory)
    await routed.run("And now?", session_id="s")
    asked, decided = model.requests[-2:]
    assert (asked.purpose, asked.tool_choice, decided.purpose) == ("route", "none", "decide")
    assert (asked.system, asked.tools) == (decided.system, decided.tools)
    assert asked.messages[:-1] == decided.messages[: len(asked.messages) - 1]
    assert asked.messages[-1].author == "runtime"
    assert "erp_agent: stock" in asked.messages[-1].content


async def test_without_a_router_the_first_tools_domain_is_the_primary_one():
    model = ScriptedModel([call("leads"), [call("stock"), call("leads")], "Five.", "Hello."])
    agent = Agent(model, TOOLS)
    stream = agent.stream("How many?")
    await stream.drain()
    assert stream.state().context == {"primary_domain": "crm", "secondary_domains": ["erp"], "router_reasoning": ""}
    greeted = agent.stream("Hello")
    await greeted.drain()
    assert greeted.state().context["primary_domain"] == "general"


@given(
    st.text()
    | st.recursive(st.none() | st.text(), lambda x: st.dictionaries(st.text(), x), max_leaves=10).map(json.dumps)
)
def test_whatever_the_model_says_a_known_domain_comes_out(text):
    async def ask(purpose, question, schema):
        return text

    decided = run(router().route("q", [UserMessage("q")], ask))
    assert decided.destination in {"erp_agent", "crm_agent", "general_agent", "fallback"}
