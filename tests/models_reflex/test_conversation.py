"""More than one question, more than one call: follow-ups, answers to what was asked back, calls in a row."""

import msgspec
import pytest

from glassloop.core.messages import AssistantMessage, Message, ModelRequest, Reply, ToolMessage, ToolSpec, UserMessage
from glassloop.core.records import Json
from glassloop.models.reflex import ReflexModel
from glassloop.extensions.embedded.language.sequence import MOST_CALLS
from models_reflex.office_tools import FIRM

RESULTS: dict[str, Json] = {
    "order_details": {
        "order_id": "ORD-50012",
        "articles": [{"article": "AR-220", "quantity": 4}],
        "total": 120.5,
        "currency": "EUR",
        "parcel_id": "PX-90012",
    },
    "find_colleague": {"name": "Petra Lang", "phone": "+47 22 12", "office": "Oslo"},
    "stock_level": {"article": "AR-220", "pieces": 44},
}


async def decide(messages: list[Message], tools: list[ToolSpec]) -> AssistantMessage:
    request = ModelRequest(system="", messages=messages, tools=tools)
    (reply,) = [chunk async for chunk in ReflexModel().stream(request) if isinstance(chunk, Reply)]
    return reply.message


async def calls_for(*questions: str, results: dict[str, Json] = RESULTS) -> list[tuple[str, dict[str, Json]]]:
    """The calls of the last question, each answered from `results`."""
    messages: list[Message] = []
    made: list[tuple[str, dict[str, Json]]] = []
    for question in questions:
        messages.append(UserMessage(question))
        steps, made = list(messages), []
        while (said := await decide(steps, FIRM)).calls:
            (call,) = said.calls
            made.append((call.tool, dict(call.args)))
            assert len(made) <= MOST_CALLS
            seen = msgspec.json.encode(results.get(call.tool, {"ok": True})).decode()
            steps += [said, ToolMessage(call_id="c", tool=call.tool, content=seen)]
        messages.append(AssistantMessage(text=said.text))
    return made


@pytest.mark.parametrize(
    ("questions", "call"),
    [
        (("Will it rain in Kiel?", "And in Bergen?"), ("get_forecast", {"city": "Bergen"})),
        (("Wie wird das Wetter in Kiel?", "Und in Rostock?"), ("get_forecast", {"city": "Rostock"})),
        (("上海天气怎么样？", "那北京呢？"), ("get_forecast", {"city": "Beijing"})),
        (("How many AR-220 are left?", "What about AR-118?"), ("stock_level", {"article": "AR-118"})),
        (
            ("How many AR-220 are left?", "And what would 30 of them cost?"),
            ("price_quote", {"article": "AR-220", "quantity": 30}),
        ),
        (
            ("How much is 300 EUR in USD?", "and in CHF?"),
            ("exchange_money", {"amount": 300, "from_currency": "EUR", "to_currency": "CHF"}),
        ),
    ],
)
async def test_a_short_question_goes_on_from_the_one_before(
    questions: tuple[str, ...], call: tuple[str, dict[str, Json]]
) -> None:
    assert await calls_for(*questions) == [call]


async def test_what_was_asked_back_is_taken_as_the_missing_argument() -> None:
    assert await calls_for("Cancel my meeting", "M-317") == [("cancel_meeting", {"meeting_id": "M-317"})]


@pytest.mark.parametrize("last", ["Thanks!", "What's the capital of Peru?", "Tell me a joke"])
async def test_a_question_of_its_own_does_not_repeat_the_last_call(last: str) -> None:
    assert await calls_for("Will it rain in Kiel?", last) == []


async def test_two_questions_in_one_are_two_calls() -> None:
    assert await calls_for("How many AR-220 are in stock and what do 20 of them cost?") == [
        ("stock_level", {"article": "AR-220"}),
        ("price_quote", {"article": "AR-220", "quantity": 20}),
    ]


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        (
            "Where is the parcel for ORD-50012?",
            [("order_details", {"order_id": "ORD-50012"}), ("parcel_status", {"parcel_id": "PX-90012"})],
        ),
        (
            "What's the weather where Petra Lang works?",
            [("find_colleague", {"name": "Petra Lang"}), ("get_forecast", {"city": "Oslo"})],
        ),
        (
            "How much is the total of ORD-50012 in dollars?",
            [
                ("order_details", {"order_id": "ORD-50012"}),
                ("exchange_money", {"amount": 120.5, "from_currency": "EUR", "to_currency": "USD"}),
            ],
        ),
    ],
)
async def test_what_the_first_tool_found_is_the_second_ones_argument(
    question: str, calls: list[tuple[str, dict[str, Json]]]
) -> None:
    assert await calls_for(question) == calls


async def test_without_the_argument_in_the_observation_there_is_no_second_call() -> None:
    made = await calls_for("Where is the parcel for ORD-50012?", results={"order_details": {"state": "open"}})
    assert made == [("order_details", {"order_id": "ORD-50012"})]


@pytest.mark.parametrize(
    "question", ["Is ORD-50012 ready?", "How many AR-220 are left?", "What's Petra Lang's phone number?"]
)
async def test_one_call_is_enough_where_one_answers(question: str) -> None:
    assert len(await calls_for(question)) == 1


async def test_a_failed_call_is_not_followed_by_another() -> None:
    asked = UserMessage("How many AR-220 are in stock and what do 20 of them cost?")
    seen = ToolMessage(call_id="c", tool="stock_level", content="No such article.", is_error=True)
    said = await decide([asked, seen], FIRM)
    assert said.calls == ()
    assert said.text.startswith("`stock_level` could not do this: No such article.")


async def test_an_effect_takes_an_observed_argument_only_where_there_is_but_one() -> None:
    asked = UserMessage("Show the meetings on 2026-11-20 and cancel the meeting")
    for ids, tools in ((["M-1"], ["cancel_meeting"]), (["M-1", "M-2"], [])):
        content = msgspec.json.encode({"meetings": [{"meeting_id": each} for each in ids]}).decode()
        said = await decide([asked, ToolMessage(call_id="c", tool="list_meetings", content=content)], FIRM)
        assert [call.tool for call in said.calls] == tools
