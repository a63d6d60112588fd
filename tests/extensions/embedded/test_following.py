"""What a small model has to call after an observation, and which of its answers do not stand. No tool is known here."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.embedded.test_said import text
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.records import Advice, Decision, Json, ToolCall
from glassloop.extensions.embedded.advice.advisor import RuleAdvisor
from glassloop.extensions.embedded.advice.arithmetic import unit_named, unit_of_key, units_said
from glassloop.extensions.embedded.advice.observed_facts import facts_of
from glassloop.extensions.embedded.advice.turn_advice import MAX_STEPS

NUMBER = {"type": "number"}


def tool(name: str, description: str, effect: str = "read", /, **properties: Any) -> ToolSpec:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name=name, description=description, parameters=parameters, effect=effect)  # pyright: ignore[reportArgumentType]


TOOLS = {
    each.name: each
    for each in (
        tool("find_trees", "Find a tree's number by its name.", name=text("What the tree is called.")),
        tool("tree_record", "Height, age and gardener of a tree.", tree_id=text("Its number, such as TR-1.")),
        tool("visits_of_tree", "List the visits to a tree.", tree_id=text("Its number, such as TR-1.")),
        tool("gardener_contact", "Phone number and badge of a gardener.", name=text("First name, last name or both.")),
        tool("badge_details", "Rights and expiry of a badge.", badge_no={"type": "integer"}),
        tool("rain_in", "How much it rained in a town.", town=text("The town.")),
        tool("seed_price", "Price and stock of a bag of seeds.", seed_no=text("Its number, such as SD-1.")),
        tool("find_seeds", "Find the number of seeds by their name.", words=text("What they are called.")),
        tool("shows_in", "List the flower shows of a month.", month=text("The month's name.")),
        tool("show_details", "Host and entry fee of a flower show.", show_id=text("Its number, such as SH-1.")),
        tool("sum_up", "The sum of numbers.", numbers={"type": "array", "items": NUMBER}),
        tool(
            "convert_length",
            "Convert a length.",
            value=NUMBER,
            from_unit={"enum": ["m", "ft", "km"], "type": "string"},
            to_unit={"enum": ["m", "ft", "km"], "type": "string"},
        ),
        tool(
            "change_money",
            "Change money into another currency.",
            amount=NUMBER,
            from_currency=text("Three letters such as EUR."),
            to_currency=text("Three letters such as EUR."),
        ),
        tool("leave_message", "Leave a message for someone.", "write", recipient=text("Whose."), text=text("What.")),
    )
}
CALCULATOR = tool("work_out", "Evaluate arithmetic.", expression=text("An arithmetic expression such as 2+3."))
ADVISOR = RuleAdvisor()


def called(name: str, content: Json | str, /, **args: Any) -> tuple[Message, Message]:
    shown = content if isinstance(content, str) else json.dumps(content)
    call = ToolCall(id="1", tool=name, args=args)
    return AssistantMessage(calls=(call,)), ToolMessage(call_id="1", tool=name, content=shown)


async def advice(question: str, *seen: tuple[Message, ...], tools: dict[str, ToolSpec] = TOOLS) -> Advice:
    return await ADVISOR.advise(question, [UserMessage(question), *(each for pair in seen for each in pair)], tools)


def must(given: Advice) -> tuple[str, dict[str, tuple[Json, ...]]]:
    """The one tool that has to be called now, with what."""
    assert not given.answers, given
    assert given.tools is not None
    assert len(given.tools) == 1, given
    return given.tools[0], given.values[given.tools[0]]


OAK = {"tree_id": "TR-7", "name": "Old Oak", "height_m": 21.5, "age": 300, "gardener": "Mia Lund"}


async def test_a_lookup_that_only_found_the_number_leads_on_to_what_was_asked() -> None:
    seen = called("find_trees", [{"tree_id": "TR-7", "name": "Wotan"}], name="Wotan")
    assert must(await advice("How tall is Wotan?", seen)) == ("tree_record", {"tree_id": ("TR-7",)})
    assert must(await advice("Which visits did Wotan have?", seen)) == ("visits_of_tree", {"tree_id": ("TR-7",)})


async def test_a_number_that_was_asked_for_itself_is_the_answer() -> None:
    seen = called("find_trees", [{"tree_id": "TR-7", "name": "Wotan"}], name="Wotan")
    assert (await advice("Which number does the tree Wotan have?", seen)).answers


async def test_what_the_observation_tells_is_answered_from_it() -> None:
    seen = called("tree_record", OAK, tree_id="TR-7")
    for question in ("How tall is TR-7?", "Who is the gardener of TR-7?", "What is the age of TR-7?"):
        given = await advice(question, seen)
        assert given.answers, question
        assert given.text == ""


async def test_a_person_who_was_observed_is_looked_up() -> None:
    seen = called("tree_record", OAK, tree_id="TR-7")
    found = must(await advice("What is the phone number of the gardener of TR-7?", seen))
    assert found == ("gardener_contact", {"name": ("Mia Lund",)})


async def test_a_tool_on_the_way_to_the_one_that_is_meant_comes_first() -> None:
    question = "What rights and expiry does the badge of the gardener of TR-7 have?"
    record = called("tree_record", OAK, tree_id="TR-7")
    assert must(await advice(question, record))[0] == "gardener_contact"
    contact = called("gardener_contact", {"name": "Mia Lund", "phone": "55 12", "badge_no": 4711}, name="Mia Lund")
    assert must(await advice(question, record, contact)) == ("badge_details", {"badge_no": (4711,)})


async def test_an_identifier_in_prose_is_found() -> None:
    seen = called("visits_of_tree", "On Monday somebody sowed SD-40 around it.", tree_id="TR-7")
    found = must(await advice("What is the price of the seeds that were sown at TR-7?", seen))
    assert found == ("seed_price", {"seed_no": ("SD-40",)})


SHOWS = [{"show_id": "SH-3", "guests": 40}, {"show_id": "SH-5", "guests": 90}, {"show_id": "SH-6", "guests": 60}]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("the first flower show", "SH-3"),
        ("the last flower show", "SH-6"),
        ("the flower show with the most guests", "SH-5"),
        ("the flower show with the fewest guests", "SH-3"),
    ],
)
async def test_of_several_the_one_that_is_described_is_taken(which: str, expected: str) -> None:
    seen = called("shows_in", SHOWS, month="May")
    assert must(await advice(f"Who is the host of {which} in May?", seen)) == ("show_details", {"show_id": (expected,)})


async def test_after_that_one_the_others_are_left_alone() -> None:
    question = "Who is the host of the first flower show in May?"
    details = called("show_details", {"show_id": "SH-3", "host": "Ada", "fee_eur": 5}, show_id="SH-3")
    assert (await advice(question, called("shows_in", SHOWS, month="May"), details)).answers


async def test_where_all_are_meant_each_is_looked_up_in_turn() -> None:
    question = "How tall are all the trees called Linden?"
    found = called("find_trees", [{"tree_id": "TR-1"}, {"tree_id": "TR-2"}], name="Linden")
    assert must(await advice(question, found)) == ("tree_record", {"tree_id": ("TR-1", "TR-2")})
    first = called("tree_record", OAK | {"tree_id": "TR-1"}, tree_id="TR-1")
    assert must(await advice(question, found, first)) == ("tree_record", {"tree_id": ("TR-2",)})
    second = called("tree_record", OAK | {"tree_id": "TR-2"}, tree_id="TR-2")
    assert (await advice(question, found, first, second)).answers


async def test_the_row_that_is_called_just_so_is_meant() -> None:
    rows = [{"seed_no": "SD-1", "name": "red poppy"}, {"seed_no": "SD-2", "name": "poppy"}]
    given = await advice("What does a poppy cost?", called("find_seeds", rows, words="poppy"))
    assert must(given) == ("seed_price", {"seed_no": ("SD-2",)})


async def test_a_lookup_that_found_nothing_is_answered() -> None:
    assert (await advice("How tall is the tree Wotan?", called("find_trees", [], name="Wotan"))).answers


async def test_the_second_of_two_things_is_looked_up_too() -> None:
    question = "Which one is taller, TR-7 or TR-9?"
    first = called("tree_record", OAK, tree_id="TR-7")
    assert must(await advice(question, first)) == ("tree_record", {"tree_id": ("TR-9",)})
    second = called("tree_record", OAK | {"tree_id": "TR-9", "height_m": 9.0}, tree_id="TR-9")
    assert (await advice(question, first, second)).answers


@pytest.mark.parametrize(
    "question", ["Compare the rain in Bremen with the rain in Kiel.", "How much did it rain in Bremen and in Kiel?"]
)
async def test_the_second_of_two_places_is_looked_up_too(question: str) -> None:
    seen = called("rain_in", {"town": "Bremen", "mm": 4}, town="Bremen")
    assert must(await advice(question, seen)) == ("rain_in", {"town": ("Kiel",)})


async def test_another_part_of_the_question_gets_its_own_tool() -> None:
    seen = called("rain_in", {"town": "Bremen", "mm": 4}, town="Bremen")
    given = await advice("How much did it rain in Bremen, and what is the price of seeds SD-8?", seen)
    assert must(given)[0] == "seed_price"


async def test_figures_that_were_observed_are_summed_up_by_the_tool_for_it() -> None:
    question = "What do the seeds SD-1 and SD-2 cost together?"
    one = called("seed_price", {"seed_no": "SD-1", "price_eur": 4.5, "stock": 9}, seed_no="SD-1")
    two = called("seed_price", {"seed_no": "SD-2", "price_eur": 6, "stock": 1}, seed_no="SD-2")
    assert must(await advice(question, one, two)) == ("sum_up", {"numbers": ([4.5, 6],)})
    summed = called("sum_up", "10.5", numbers=[4.5, 6])
    assert (await advice(question, one, two, summed)).answers


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do 12 bags of SD-1 cost?", "12 * 4.5"),
        ("How much is 20% of the price of SD-1?", "4.5 * 20 / 100"),
    ],
)
async def test_what_is_to_be_worked_out_is_written_with_the_figures_observed(question: str, expected: str) -> None:
    tools = {"seed_price": TOOLS["seed_price"], "work_out": CALCULATOR}
    seen = called("seed_price", {"seed_no": "SD-1", "price_eur": 4.5, "stock": 9}, seed_no="SD-1")
    assert must(await advice(question, seen, tools=tools)) == ("work_out", {"expression": (expected,)})


async def test_a_length_is_converted_into_the_unit_that_is_asked_for() -> None:
    seen = called("tree_record", OAK, tree_id="TR-7")
    values = {"value": (21.5,), "from_unit": ("m",), "to_unit": ("ft",)}
    assert must(await advice("How many feet tall is TR-7?", seen)) == ("convert_length", values)
    assert (await advice("How many metres tall is TR-7?", seen)).answers


@pytest.mark.parametrize("amount", [{"price_eur": 4.5}, {"price": 4.5, "currency": "EUR"}])
async def test_money_is_changed_into_the_currency_that_is_asked_for(amount: dict[str, Json]) -> None:
    seen = called("seed_price", {"seed_no": "SD-1", **amount}, seed_no="SD-1")
    values = {"amount": (4.5,), "from_currency": ("EUR",), "to_currency": ("USD",)}
    assert must(await advice("What does SD-1 cost in US dollars?", seen)) == ("change_money", values)


async def test_nothing_is_changed_that_nobody_told_to_change() -> None:
    seen = called("tree_record", OAK, tree_id="TR-7")
    asked = await advice("Who is the gardener of TR-7, and how tall is it?", seen)
    assert asked.answers
    ordered = await advice("Find out who is the gardener of TR-7, then leave that person a message: water it.", seen)
    assert must(ordered) == ("leave_message", {"recipient": ("Mia Lund",)})


async def test_there_is_an_end_to_what_has_to_be_called() -> None:
    seen = [called("tree_record", OAK | {"tree_id": f"TR-{n}"}, tree_id=f"TR-{n}") for n in range(MAX_STEPS)]
    assert (await advice("Which is taller, TR-0, TR-1, TR-2, TR-3, TR-4 or TR-99?", *seen)).answers


async def test_who_calls_the_same_again_can_only_answer() -> None:
    record = called("tree_record", OAK, tree_id="TR-7")
    given_ = await advice("Is TR-7 a nice tree to visit?", record, record)
    assert given_.answers
    assert given_.tools == ()


async def test_how_many_were_found_is_answered_by_the_list() -> None:
    rows = [{"tree_id": "TR-1"}, {"tree_id": "TR-2"}]
    given_ = await advice("How many trees are called Linden?", called("find_trees", rows, name="Linden"))
    assert given_.answers


async def test_after_an_effect_no_other_tool_is_hinted_at() -> None:
    done = called("leave_message", {"left": True}, recipient="Mia Lund", text="Water TR-7.")
    given_ = await advice("Leave a message for Mia Lund: find the tree TR-7 and water it.", done)
    assert given_.answers
    assert given_.text == ""


def answered(question: str, answer: str, *messages: Message, held: Advice | None = None) -> Decision:
    decision = Decision(thought="t", answer=answer)
    return ADVISOR.review(decision, question, [UserMessage(question), *messages], TOOLS, held or Advice())


def test_an_answer_before_the_tool_that_must_be_called_is_sent_back() -> None:
    held = Advice(tools=("tree_record",), answers=False)
    decision = answered("How tall is TR-7?", "It is tall.", held=held)
    assert decision.refused
    assert decision.answer is None
    assert "First call `tree_record`" in (decision.complaint or "")


def test_a_figure_that_nobody_observed_is_sent_back() -> None:
    seen = called("tree_record", OAK, tree_id="TR-7")
    decision = answered("How tall is TR-7?", "TR-7 is 48.3 m tall.", *seen)
    assert decision.refused
    assert "48.3" in (decision.complaint or "")


@pytest.mark.parametrize(
    "answer",
    [
        "TR-7 is 21.5 m tall and 300 years old.",
        "It is tall.",
        "TR-7 is 278.5 m less tall than it is old.",
        "There are 3 gardeners.",
    ],
)
def test_figures_that_were_observed_or_follow_from_two_stand(answer: str) -> None:
    seen = called("tree_record", OAK, tree_id="TR-7")
    assert answered("How tall is TR-7?", answer, *seen).answer == answer


def test_what_everybody_knows_needs_no_tool() -> None:
    held = Advice(tools=("tree_record",))
    assert answered("Why do leaves fall?", "After about 200 days they are old.", held=held).answer is not None
    assert answered("How many seconds does a day have?", "It has 86400.", held=held).answer is not None


def test_units_are_told_by_their_words_their_symbols_and_their_keys() -> None:
    assert unit_named("feet") == unit_named("ft") == unit_of_key("height_ft")
    assert unit_of_key("total_eur") == unit_named("euros") == unit_of_key("euros_a_night")
    assert unit_of_key("name") is None
    assert [said for _, said in units_said("How many nautical miles is it, in kilometres?")] == [
        "nautical miles",
        "kilometres",
    ]


_KEYS = st.sampled_from(["tree_id", "name", "height_m", "gardener", "price_eur", "note", "town", "rows"])
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20), st.just("TR-3")
)
_JSON = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=12
)
_WORDS = ("how tall is", "TR-3", "TR-9", "Wotan", "and", "together", "in feet", "price of", "the first", "20%", "?")
_QUESTIONS = st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(question=_QUESTIONS, content=_JSON)
async def test_whatever_is_observed_only_what_was_told_can_be_bound_and_no_call_comes_twice(
    question: str, content: Json
) -> None:
    seen = called("tree_record", content, tree_id="TR-3")
    given_ = await advice(question, seen)
    assert given_.answers or given_.tools
    for name in given_.tools or ():
        assert name in TOOLS
    if not given_.answers:
        bound = [given_.values[name] for name in given_.tools or () if name == "tree_record"]
        assert all(values.get("tree_id") != ("TR-3",) for values in bound)


@settings(max_examples=80, deadline=None)
@given(content=st.text(max_size=300) | _JSON.map(json.dumps))
def test_anything_can_be_read_as_an_observation(content: str) -> None:
    facts = facts_of([ToolMessage(call_id="1", tool="x", content=content)])
    assert all(not isinstance(fact.value, dict | list) for fact in facts)


async def test_what_is_asked_of_the_world_at_large_is_not_led_to_tools() -> None:
    given_ = await advice("How do you say cheers in Danish?")
    assert given_.text == "Hint: no tool is for this: answer it yourself."
    assert given_.answers
