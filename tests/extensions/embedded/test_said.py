"""What was said and observed, and which values follow from it for a tool's parameters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage, note
from glassloop.core.records import ToolCall
from glassloop.extensions.embedded.advice.known_values import CallableTool, KnownValues, callable_tools
from glassloop.extensions.embedded.language.tool_scores import offer_tools


def spec(named: str, needed: list[str] | None = None, /, **properties: Any) -> ToolSpec:
    required = list(properties) if needed is None else needed
    parameters = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name=named, description=f"Does {named.replace('_', ' ')}.", parameters=parameters, effect="read")


def text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


CRATE = spec("weigh_crate", crate_id=text("The crate's number, such as CR-100."))


def now(tool: ToolSpec, question: str, *messages: Message) -> CallableTool:
    among = offer_tools((tool,))
    return callable_tools(among.profiles[0], KnownValues(question, [*messages, UserMessage(question)]), among)


def observed(content: str) -> ToolMessage:
    return ToolMessage(call_id="1", tool="x", content=content)


def test_an_identifier_can_only_be_one_that_somebody_said() -> None:
    assert now(CRATE, "How heavy is CR-204?").values == {"crate_id": ("CR-204",)}
    assert now(
        CRATE, "And the other one?", UserMessage("Weigh cr-7."), AssistantMessage(text="CR-8 is lighter.")
    ).values == {"crate_id": ("CR-8", "CR-7")}
    assert now(CRATE, "How heavy is it?", observed('[{"crate_id": "CR-31"}]')).values == {"crate_id": ("CR-31",)}


def test_a_tool_whose_identifier_nobody_said_lacks_it() -> None:
    for question in ("How heavy is my crate?", "How heavy is the crate of INV-22?"):
        assert [parameter.name for parameter in now(CRATE, question).lacks] == ["crate_id"]


def test_advice_of_ours_is_nobody_s_word() -> None:
    assert now(CRATE, "How heavy is it?", note("hint", "Hint: call it with CR-1.")).lacks


def test_a_number_beside_its_noun_is_completed_as_the_tool_writes_it() -> None:
    assert now(CRATE, "How heavy is crate 512?").values == {"crate_id": ("CR-512",)}
    assert now(CRATE, "How heavy are 512 apples?").lacks


def test_one_letter_before_the_digits_is_no_fixed_beginning() -> None:
    shelf = spec("shelf_content", shelf=text("Row and number, such as E3."))
    assert now(shelf, "What is on A5?").values == {"shelf": ("A5",)}
    assert now(shelf, "What is on AB-5?").lacks


def test_what_may_also_be_named_is_left_free() -> None:
    either = spec("find_boat", boat=text("Its number, such as BT-100, or its name."))
    assert now(either, "Where is the Albatros?") == CallableTool(values={})


def test_an_optional_identifier_that_nobody_said_cannot_be_given() -> None:
    tool = spec("list_crates", [], crate_id=text("Only this one, such as CR-100."))
    assert now(tool, "Which crates are there?").values == {"crate_id": ()}


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What is on from 2031-02-03 to 2031-02-09?", ("2031-02-03", "2031-02-09")),
        ("What is on 4 March 2031?", ("2031-03-04",)),
    ],
)
def test_days_that_were_said_outright_are_the_only_ones(question: str, days: tuple[str, ...]) -> None:
    tool = spec("events_on", day=text("The day as YYYY-MM-DD."))
    assert now(tool, question).values == {"day": days}


def test_a_day_in_words_is_left_to_the_model_and_no_day_at_all_is_lacking() -> None:
    tool = spec("events_on", day=text("The day as YYYY-MM-DD."))
    assert now(tool, "What is on tomorrow?") == CallableTool(values={})
    assert [parameter.name for parameter in now(tool, "What is on?").lacks] == ["day"]


def test_a_number_is_lacking_only_where_no_number_is_said_at_all() -> None:
    tool = spec("order_bolts", quantity={"type": "integer"})
    assert now(tool, "Order some bolts.").lacks
    for question in ("Order 40 bolts.", "Order a dozen bolts.", "订购三个"):
        assert not now(tool, question).lacks
    assert not now(tool, "Order some bolts.", observed('{"needed": 40}')).lacks


@pytest.mark.parametrize(
    ("question", "value", "known"),
    [
        ("Weather in Lisbon?", "Lisbon", True),
        ("Weather in Lisbn?", "Lisbon", True),
        ("What time is it in Lisbon?", "Europe/Lisbon", True),
        ("Will it rain?", "Lisbon", False),
        ("Who is Ada Byron?", "Ada", True),
        ("里斯本天气怎么样？", "Lisbon", True),
        ("Will it rain in NY?", "NYC", True),
    ],
)
def test_names_have_a_source_even_if_they_are_spelt_differently(question: str, value: str, known: bool) -> None:
    assert KnownValues(question, []).holds(value) is known


_MESSAGES = st.lists(
    st.one_of(
        st.builds(UserMessage, st.text(max_size=80)),
        st.builds(lambda words: AssistantMessage(text=words), st.text(max_size=80)),
        st.builds(lambda words: ToolMessage(call_id="1", tool="x", content=words), st.text(max_size=80)),
        st.just(AssistantMessage(calls=(ToolCall(id="1", tool="x"),))),
    ),
    max_size=5,
)


@given(st.text(max_size=120), _MESSAGES)
def test_no_identifier_ever_comes_from_nowhere(question: str, messages: list[Message]) -> None:
    said = KnownValues(question, messages)
    told = " ".join(said.texts).upper()
    for values in now(CRATE, question, *messages).values.values():
        for value in values:
            assert value in told or value.removeprefix("CR-") in told
    assert said.holds("Lisbon") in (True, False)
