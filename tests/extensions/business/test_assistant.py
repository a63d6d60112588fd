"""The `business` assistant: its profile, its departments as plugins, and where its router sends people's questions."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.messages import Abilities, UserMessage
from glassloop.core.planning.router import FALLBACK, ModelRouter
from glassloop.core.records import RouteDecision
from glassloop.evals.suite_files import find_suite
from glassloop.extensions.business.suites.company.plugins import FOLDER
from glassloop.extensions.reflex.model import ReflexModel
from glassloop.runtime.assistants.assistant_files import find_assistant, load_parts, open_assistant
from glassloop.runtime.assistants.routing import make_router
from glassloop.runtime.build import build_agent
from glassloop.runtime.settings import Settings

DEVELOPMENT = tomllib.loads((Path(__file__).parent / "routing_dev.toml").read_text("utf-8"))["questions"]
COMPANY = str(files("glassloop.extensions.business") / "suites" / "company")

SPECIFIED = {
    "erp": {
        "get_purchase_orders", "get_inventory_levels", "get_financial_summary", "get_vendor_price_trends",
        "get_procurement_summary", "get_top_vendors", "get_vendors",
    },
    "crm": {"get_leads", "get_customers", "get_deals", "get_sales_pipeline", "get_product_sales"},
    "itops": {"get_server_status", "get_alerts", "search_logs"},
    "oa": {"get_calendar", "get_emails", "get_employees", "schedule_meeting"},
    "mold": {"search_defect_cases", "get_defect_case", "get_trial_history", "get_defect_remedies"},
    "general": {"search_knowledge_base"},
}  # fmt: skip


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"))


@pytest.fixture
def profile(settings: Settings, tmp_path: Path):
    return find_assistant("business", settings, tmp_path)


def router_of(profile, abilities: Abilities | None = None) -> ModelRouter:
    """Of a model like this; of `reflex`, which goes by words, where none is given."""

    class Other(ReflexModel):
        @property
        def abilities(self) -> Abilities:
            return abilities or super().abilities

    made = make_router("on", profile.routing, (), Other(), Other())
    assert made is not None
    return made


async def prompt_of(router: ModelRouter, question: str) -> str:
    """What a model is asked to route a question."""
    asked: list[str] = []

    async def ask(_purpose, text, _schema):
        asked.append(text)

    await router.route(question, [UserMessage(question)], ask)
    return asked[0]


def test_the_departments_are_plugins_with_the_tools_of_the_contract(profile, settings) -> None:
    parts = load_parts(profile, settings)
    assert [plugin.name for plugin in parts.plugins] == ["erp", "crm", "itops", "oa", "mold", "general"]
    by_domain: dict[str, set[str]] = {}
    for name, spec in parts.tools.specs.items():
        by_domain.setdefault(spec.domain, set()).add(name)
    assert by_domain == SPECIFIED


def test_the_destinations_are_those_of_the_contract(profile) -> None:
    assert [(domain.destination, domain.name) for domain in profile.routing.domains] == [
        ("erp_agent", "erp"), ("crm_agent", "crm"), ("it_ops_agent", "itops"), ("oa_agent", "oa"),
        ("mold_agent", "mold"), ("general_agent", "general"),
    ]  # fmt: skip
    assert profile.routing.always == ("search_knowledge_base",)
    assert profile.questions


async def never(*_asked):
    raise AssertionError("the model was asked")


async def routed(profile, *asked: str, abilities: Abilities | None = None) -> RouteDecision:
    return await router_of(profile, abilities).route(asked[-1], [UserMessage(said) for said in asked], never)


async def test_questions_that_routing_was_developed_with_go_where_they_belong(profile) -> None:
    missed = [
        (question, destination, found)
        for destination, questions in DEVELOPMENT.items()
        for question in questions
        if (found := (await routed(profile, question)).destination) != destination
    ]
    assert len(missed) <= 4, missed


@pytest.mark.parametrize(("suite", "questions"), [("business120", 120), ("routes65", 65)])
async def test_of_all_the_suites_questions_four_of_five_go_where_they_belong_by_words(
    profile, tmp_path, suite, questions
) -> None:
    known = {question for questions in DEVELOPMENT.values() for question in questions}
    cases = find_suite(suite, Settings(home=str(tmp_path))).cases
    assert len(cases) >= questions
    assert known.isdisjoint(asked for case in cases for asked in case.asked)
    missed: list[str] = []
    for case in cases:
        found = await routed(profile, *case.asked)
        if found.destination not in case.destinations:
            missed.append(f"{case.id}: {case.asked[-1]} → {found.destination}")
    print("\n".join(missed))
    assert len(missed) <= 0.2 * len(cases), missed


@pytest.mark.parametrize(
    ("question", "destination", "beside"),
    [
        ("What does the procurement policy say?", "erp_agent", "itops"),
        ("采购制度怎么规定的？", "erp_agent", "itops"),
        ("Which vendors delayed deliveries, and which customers churned because of it?", None, None),
        ("披锋", "mold_agent", None),
        ("拉白", "mold_agent", None),
        ("火花纹", "mold_agent", None),
        ("模具", "mold_agent", None),
        ("表面污染", "mold_agent", None),
        ("What was wrong in T1?", "mold_agent", None),
        ("", "general_agent", None),
        ("🙂", "general_agent", None),
    ],
)
async def test_what_the_contract_names_is_routed_as_it_says(profile, question, destination, beside) -> None:
    found = await routed(profile, question)
    if destination is None:
        assert {found.destination.removesuffix("_agent"), *found.secondary_domains} >= {"erp", "crm"}
    else:
        assert found.destination == destination
    assert beside is None or beside in found.secondary_domains


async def test_a_follow_up_without_words_of_its_own_stays_with_its_department(profile) -> None:
    assert (await routed(profile, "How many deals did we win?", "And this year?")).destination == "crm_agent"
    assert (await routed(profile, "Which servers are down?", "What did we spend on resins?")).destination == "erp_agent"


async def test_small_models_are_asked_briefly_and_only_where_words_say_nothing(profile) -> None:
    large = await prompt_of(router_of(profile, Abilities()), "Hm, and there?")
    brief = await prompt_of(router_of(profile, Abilities(small=True)), "Hm, and there?")
    assert len(brief) < len(large) < 1500
    assert "reasoning" in large and "reasoning" not in brief
    assert "has nothing to do with the business" in large
    text = "What does the procurement policy say about stock in WH-001?"
    decided = await routed(profile, text, abilities=Abilities(small=True))
    assert (decided.destination, decided.confidence) == ("erp_agent", 1.0)
    assert decided.secondary_domains == ("itops",)
    assert "WH-" in decided.reasoning and "stock" in decided.reasoning


async def test_a_model_that_reads_no_prompts_is_never_asked_to_route(profile) -> None:
    decided = await routed(profile, "Hm, and there?")
    assert (decided.destination, decided.secondary_domains) == ("general_agent", ())


async def test_models_with_tool_calls_of_their_own_are_asked_by_them_in_one_order(settings, tmp_path) -> None:
    orders = set()
    for destination in ("crm_agent", "erp_agent"):
        model = ScriptedModel([f'{{"destination": "{destination}", "reasoning": "r"}}', "Hello."])
        agent = await _asked(model, settings, tmp_path)
        assert agent.protocol == "native"
        assert (model.requests[1].schema, "action" in model.requests[1].system) == (None, False)
        orders.add(tuple(tool.name for tool in model.requests[1].tools))
    assert len(orders) == 1
    assert set(*orders) >= set().union(*SPECIFIED.values())


async def _asked(model, settings, tmp_path):
    profile = find_assistant("business", settings, tmp_path)
    parts = load_parts(profile, settings)
    router = router_of(profile, Abilities())
    agent = Agent(model, parts.tools, profile=profile.profile(settings), router=router, plugins=parts.plugins)
    async for _ in agent.stream("Which customers owe us?"):
        pass
    return agent


async def test_the_route_is_seen_in_the_trace_and_widens_the_tools(settings, tmp_path) -> None:
    parts = load_parts(find_assistant("business", settings, tmp_path), settings)
    profile = find_assistant("business", settings, tmp_path)
    routed = '{"destination": "crm_agent", "reasoning": "customers", "secondary_domains": ["erp"]}'
    model = ScriptedModel([routed, "Hello."], abilities=Abilities(native_tools=False))
    agent = Agent(
        model,
        parts.tools,
        profile=profile.profile(settings),
        router=router_of(profile, Abilities()),
        plugins=parts.plugins,
    )
    stream = agent.stream("Which customers owe us for parts that are out of stock?")
    (decided,) = [event async for event in stream if isinstance(event, e.RouteDecided)]
    assert decided.route.secondary_domains == ("erp",)
    assert agent.protocol == "json"
    first = SPECIFIED["crm"] | SPECIFIED["erp"] | SPECIFIED["general"]
    assert {name for names in SPECIFIED.values() for name in names if name in decided.recommended} == first
    told = model.requests[1].messages[-1].content
    assert all(name in told for name in first)
    assert all(f"{name}(" in model.requests[1].system for names in SPECIFIED.values() for name in names)
    assert stream.state().context["primary_domain"] == "crm"


@pytest.mark.parametrize(
    ("mode", "abilities", "routed"),
    [
        ("auto", Abilities(), False),
        ("auto", Abilities(native_tools=False), True),
        ("auto", Abilities(small=True), True),
        ("auto", Abilities(reads_prompts=False), True),
        ("on", Abilities(), True),
        ("off", Abilities(native_tools=False), False),
    ],
)
def test_a_model_with_native_calls_is_not_routed_unless_the_profile_says_so(profile, mode, abilities, routed) -> None:
    model = ScriptedModel([], abilities=abilities)
    assert (make_router(mode, profile.routing, (), model, model) is not None) is routed
    assert profile.router == "auto"


async def test_every_suggested_question_is_answered_with_no_model_at_all(made_file, tmp_path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "business.db").write_bytes(made_file.read_bytes())
    agent = build_agent(COMPANY, Settings(home=str(tmp_path)), "reflex")
    for question in open_assistant("business", Settings(home=str(tmp_path))).questions:
        events = [event async for event in agent.stream(question)]
        results = [event.result for event in events if isinstance(event, e.ToolReturned)]
        assert results, question
        assert all(result.success for result in results), question
        assert next(event.evidence for event in events if isinstance(event, e.AnswerEvaluated)).unsupported == ()
    await agent.aclose()


async def test_what_is_none_of_its_business_is_answered_without_tools(tmp_path) -> None:
    agent = build_agent(COMPANY, Settings(home=str(tmp_path)), "reflex")
    events = [event async for event in agent.stream("Write a poem about rain")]
    assert next(event.route.destination for event in events if isinstance(event, e.RouteDecided)) == FALLBACK
    assert not any(isinstance(event, e.ToolCalled) for event in events)
    await agent.aclose()
