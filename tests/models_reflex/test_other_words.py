"""Questions that share no word with the tool they need: paraphrases, German, Chinese, typing mistakes, neighbours."""

import pytest

from glassloop.core.messages import Message, ModelRequest, Reply, UserMessage
from glassloop.core.records import Json
from glassloop.models.reflex import ReflexModel
from glassloop.extensions.embedded.language.matching import likeness
from glassloop.extensions.embedded.language.question import Question
from models_reflex.office_tools import FIRM


async def reply_to(*messages: Message) -> Reply:
    request = ModelRequest(system="", messages=list(messages), tools=FIRM)
    (reply,) = [chunk async for chunk in ReflexModel().stream(request) if isinstance(chunk, Reply)]
    return reply


async def called(question: str) -> tuple[str, dict[str, Json]] | None:
    calls = (await reply_to(UserMessage(question))).message.calls
    return (calls[0].tool, dict(calls[0].args)) if calls else None


@pytest.mark.parametrize(
    ("question", "tool", "args"),
    [
        ("Do I need an umbrella in Bergen tomorrow?", "get_forecast", {"city": "Bergen"}),
        ("How long is the drive from Bonn to Trier?", "route_time", {"origin": "Bonn", "destination": "Trier"}),
        (
            "Turn 1,200 francs into euros",
            "exchange_money",
            {"amount": 1200, "from_currency": "CHF", "to_currency": "EUR"},
        ),
        ("How can I reach Olga Brandt?", "find_colleague", {"name": "Olga Brandt"}),
        ("What's on my agenda on 2026-11-20?", "list_meetings", {"date": "2026-11-20"}),
        ("Call off M-301", "cancel_meeting", {"meeting_id": "M-301"}),
        ("Give 25 euros back for ORD-50012", "refund_order", {"order_id": "ORD-50012", "amount": 25}),
    ],
)
async def test_what_is_said_in_other_words_finds_its_tool(question: str, tool: str, args: dict[str, Json]) -> None:
    assert await called(question) == (tool, args)


@pytest.mark.parametrize(
    ("question", "tool", "args"),
    [
        ("Wie wird das Wetter morgen in Rostock?", "get_forecast", {"city": "Rostock"}),
        ("Wie weit ist es von Kiel nach München?", "route_time", {"origin": "Kiel", "destination": "Munich"}),
        ("Wie ist der Lagerbestand von AR-118?", "stock_level", {"article": "AR-118"}),
        ("Sag die Besprechung M-301 ab", "cancel_meeting", {"meeting_id": "M-301"}),
        ("Welche Telefonnummer hat Petra Lang?", "find_colleague", {"name": "Petra Lang"}),
        ("上海明天会下雨吗？", "get_forecast", {"city": "Shanghai"}),
        ("从北京到天津坐火车要多久？", "route_time", {"origin": "Beijing", "destination": "Tianjin", "mode": "train"}),
        ("AR-220 还有多少库存？", "stock_level", {"article": "AR-220"}),
        ("取消会议 M-301", "cancel_meeting", {"meeting_id": "M-301"}),
        ("王芳的电话是多少？", "find_colleague", {"name": "王芳"}),
    ],
)
async def test_german_and_chinese_find_tools_described_in_english(
    question: str, tool: str, args: dict[str, Json]
) -> None:
    assert await called(question) == (tool, args)


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("whats the wether in Bergen", "get_forecast"),
        ("cancle meeting M-301", "cancel_meeting"),
        ("serach the handbok for parking", "search_handbook"),
        ("how many AR-118 are in the warehosue", "stock_level"),
    ],
)
async def test_a_mistyped_word_still_counts(question: str, tool: str) -> None:
    found = await called(question)
    assert found is not None
    assert found[0] == tool


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("How many AR-220 are left?", "stock_level"),
        ("What would 40 pieces of AR-220 cost?", "price_quote"),
        ("Which meetings are there on 2026-11-20?", "list_meetings"),
        ("Arrange a meeting about the logo on 2026-11-20 at 10:30", "schedule_meeting"),
        ("Take meeting M-301 off the calendar", "cancel_meeting"),
    ],
)
async def test_near_neighbours_are_told_apart(question: str, tool: str) -> None:
    found = await called(question)
    assert found is not None
    assert found[0] == tool


@pytest.mark.parametrize(
    "question",
    [
        "Good morning!",
        "Thanks, that was helpful",
        "Who are you?",
        "What is 17 + 25?",
        "How many minutes are in 3 hours?",
        "Write me a poem about rain",
        "Translate 'good morning' into French",
        "Who painted the Mona Lisa?",
        "Draft a polite reply to a customer who is angry about a late delivery",
        "Guten Morgen!",
        "Was ist die Hauptstadt von Spanien?",
        "谢谢你",
        "你是谁？",
        "给我写一首诗",
    ],
)
async def test_small_talk_sums_and_what_must_be_made_up_call_nothing(question: str) -> None:
    assert await called(question) is None


@pytest.mark.parametrize(
    ("question", "name", "words"),
    [
        ("Cancel my meeting", "meeting_id", "Asked by reflex, without a language model"),
        ("What's the weather like?", "city", "Asked by reflex, without a language model"),
        ("Give me a price for AR-220", "quantity", "Asked by reflex, without a language model"),
        ("Wie wird das Wetter?", "city", "Gefragt von reflex, ohne Sprachmodell"),
        ("我的包裹到哪里了？", "parcel_id", "由 reflex 提问，未使用语言模型"),
    ],
)
async def test_a_missing_argument_is_asked_for_by_its_name(question: str, name: str, words: str) -> None:
    message = (await reply_to(UserMessage(question))).message
    assert message.calls == ()
    assert f"`{name}`" in message.text
    assert "?" in message.text or "？" in message.text
    assert words in message.text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Tell Mia that I am ten minutes late", "I am ten minutes late"),
        ("Schreib Mia, dass ich später komme", "ich später komme"),
        ("给 Mia 发消息说我会晚到", "我会晚到"),
    ],
)
async def test_a_message_is_what_is_to_be_told_not_the_order_to_tell_it(question: str, text: str) -> None:
    assert await called(question) == ("send_message", {"recipient": "Mia", "text": text})


async def test_an_invoice_number_is_not_taken_for_an_article() -> None:
    found = await called("Is INV-7781 in the warehouse?")
    assert found is None or "INV-7781" not in found[1].values()


async def test_the_shortlist_profits_from_the_lexicon() -> None:
    for question in ("Brauche ich einen Regenschirm?", "要带伞吗？", "Is it going to be sunny?"):
        scores = likeness(FIRM, Question(question))
        assert FIRM[max(range(len(FIRM)), key=scores.__getitem__)].name == "get_forecast"


async def test_the_same_request_gives_the_same_reply() -> None:
    for question in ("How many AR-220 are left?", "Wie wird das Wetter?", "谢谢"):
        assert await reply_to(UserMessage(question)) == await reply_to(UserMessage(question))


_NASTY = [
    "你好",
    "from a to ",
    "1 ",
    "Aa ",
    "'",
    "der Lagerbestand ",
    "从上海到北京",
    "rechnungs",
    "AB-12 ",
    "(",
    "a-",
    "and ",
]


@pytest.mark.parametrize("piece", _NASTY)
async def test_two_hundred_thousand_characters_of_anything_are_answered(piece: str) -> None:
    message = (await reply_to(UserMessage(piece * (200_000 // len(piece)) + "X"))).message
    assert message.calls or message.text.strip()
