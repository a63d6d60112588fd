"""reflex is never wrong in silence: what it does not use of a question makes it decline, whatever the tools."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.messages import ToolSpec
from glassloop.extensions.reflex.fit import DeclinedQuestion, ToolFit, choose, content_of
from glassloop.extensions.reflex.question import MAX_QUESTION, TokenizedQuestion
from glassloop.extensions.reflex.words import HARD, NOW, PAST
from glassloop.runtime.assistants.assistant_files import load_parts, open_assistant
from glassloop.runtime.settings import Settings

HOME = Path(__file__).parent / "nowhere"


def tools_of(assistant: str) -> list[ToolSpec]:
    given = Settings(home=str(HOME))
    return list(load_parts(open_assistant(assistant, given), given).tools.specs.values())


TOOLS = {name: tools_of(name) for name in ("general", "business")}

DECLINED = {
    "no content": [("general", "What day is it?"), ("general", "Show me all")],
    "two parts": [
        ("general", "What is 3 plus 4 and what is the time?"),
        ("general", "What is the time in Tokyo and London?"),
        ("general", "Convert 5 miles to kilometers and meters"),
        ("business", "Which purchase orders are late and which vendors caused it?"),
        ("business", "Show late purchase orders and open deals"),
        ("business", "How much stock is in WH-001 and WH-002?"),
        ("business", "Which deals are won or lost?"),
        ("business", "Show the alerts. Which servers are down?"),
        ("business", "哪些采购订单逾期，哪些客户流失？"),
    ],
    "a negation": [
        ("general", "Do not remember that my bike is blue"),
        ("business", "Which purchase orders are not late?"),
        ("business", "Which servers are not down?"),
        ("business", "Show new leads not in EMEA"),
        ("business", "Show deals without an owner"),
        ("business", "采购订单有哪些没有逾期？"),
        ("business", "哪些服务器不是宕机？"),
    ],
    "an exception": [
        ("business", "Which purchase orders are late other than those from V-001?"),
        ("business", "Which purchase orders are late except in WH-001?"),
        ("business", "Who are the top vendors this year excluding resins?"),
        ("business", "除了 V-001，哪些采购订单逾期？"),
        ("business", "还有哪些客户？"),
    ],
    "a comparison": [
        ("general", "Is it later in Tokyo than in London?"),
        ("general", "What is 10 more than 5?"),
        ("business", "Which vendors are the worst?"),
        ("business", "Show the largest purchase orders"),
        ("business", "Which purchase orders are over 10000?"),
        ("business", "Which warehouse has the least stock?"),
        ("business", "Is there more stock in WH-001 than in WH-002?"),
        ("business", "最严重的告警是什么？"),
        ("business", "告警比上个月多吗？"),
    ],
    "a time that no tool takes": [
        ("general", "What time was it in Tokyo yesterday?"),
        ("business", "Show alerts before 2026-03-01"),
        ("business", "Show alerts after 2026-03-01"),
        ("business", "Which servers were down?"),
        ("business", "How much stock was in WH-001 last month?"),
        ("business", "Which alerts are unresolved right now?"),
        ("business", "Show purchase orders from vendor V-001 in the last 60 days"),
        ("business", "上个月之前的告警有多少？"),
    ],
    "a follow-up": [
        ("general", "Convert it to kilometers"),
        ("general", "And in kilometers?"),
        ("business", "And last month?"),
        ("business", "What about WH-002?"),
        ("business", "Which of those are late?"),
        ("business", "How many of them are critical?"),
        ("business", "那上个月呢？"),
        ("business", "它什么时候到？"),
    ],
    "a person who asks": [
        ("business", "Show my calendar"),
        ("business", "What meetings do I have today?"),
        ("general", "What do you remember about me?"),
    ],
    "a filter that is none": [
        ("business", "Which customers have overdue invoices?"),
        ("business", "List late vendors"),
        ("business", "Which vendors are late?"),
        ("business", "Are all servers up?"),
        ("business", "What are the remedies for flash on mold MD-001?"),
    ],
    "a value too many or too few": [
        ("general", "Convert 5 miles"),
        ("general", "Forget everything"),
        ("general", "Remember my birthday"),
        ("business", "Show the last 5 purchase orders"),
        ("business", "Show purchase orders of at most 10000"),
        ("business", "Schedule a meeting tomorrow with Anna"),
    ],
    "a question that no tool is for": [
        ("general", "Who is the president of France?"),
        ("general", "Did you remember that I like tea?"),
        ("business", "Delete the purchase order PO-00001"),
        ("business", "Should we buy from V-001?"),
        ("business", "Why are purchase orders late?"),
        ("business", "Welche Bestellungen sind verspätet?"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "assistant", "question"), [(kind, *each) for kind, every in DECLINED.items() for each in every]
)
def test_it_declines_and_names_what_it_could_not_use(kind: str, assistant: str, question: str) -> None:
    found = choose(TOOLS[assistant], question)
    assert isinstance(found, DeclinedQuestion), (kind, found)
    assert found.words or found.reason == "sentences"


ANSWERED = [
    ("general", "What is 18% of 2,450?", "calculate", {"expression": "18% of 2,450"}),
    ("general", "3 加 4 等于多少？", "calculate", {"expression": "3 + 4"}),
    (
        "general", "How many miles are 5 kilometers?", "convert_units",
        {"value": 5, "from_unit": "kilometers", "to_unit": "miles"},
    ),
    ("general", "What time is it in Tokyo?", "current_time", {"timezone": "Tokyo"}),
    ("general", "Please remember that the key is under the mat", "remember", {"text": "the key is under the mat"}),
    ("general", "Forget note 3", "forget", {"note_id": 3}),
    ("general", 'Search past conversations for "Berlin"', "search_past_conversations", {"query": "Berlin"}),
    ("business", "Which servers are not up right now?", "get_server_status", {"status": "not_up"}),
    (
        "business", "Which production servers are down?", "get_server_status",
        {"status": "down", "environment": "production"},
    ),
    ("business", "Show alerts since 2026-03-01", "get_alerts", {"start_date": "2026-03-01"}),
    (
        "business", "Show alerts by severity last month", "get_alerts",
        {"group_by": "severity", "period": "last_month"},
    ),
    ("business", "Show purchase orders of at least 10000", "get_purchase_orders", {"min_amount": 10000}),
    ("business", "Show top 3 vendors", "get_top_vendors", {"limit": 3}),
    (
        "business", "What is on Vera Evans' calendar this week?", "get_calendar",
        {"person": "Vera Evans", "period": "this_week"},
    ),
    ("business", "上个月严重告警有几条？", "get_alerts", {"severity": "critical", "period": "last_month"}),
    ("business", "披锋怎么解决？", "get_defect_remedies", {"defect": "披锋"}),
]  # fmt: skip


@pytest.mark.parametrize(("assistant", "question", "tool", "args"), ANSWERED)
def test_it_answers_where_every_word_is_used(assistant: str, question: str, tool: str, args: dict[str, object]) -> None:
    found = choose(TOOLS[assistant], question)
    assert isinstance(found, ToolFit), found
    assert (found.tool, found.args) == (tool, args)


_UNKNOWN = st.text("bdfgklmprstvz", min_size=5, max_size=9).map(lambda text: f"x{text}q")
_ADDED = st.one_of(_UNKNOWN, st.sampled_from(sorted(HARD)), st.integers(31, 999).map(str))


@given(st.sampled_from(ANSWERED), _ADDED, st.integers(0, 12))
@pytest.mark.slow
def test_a_word_number_negation_or_comparison_that_is_added_is_used_or_makes_it_decline(asked, added, at) -> None:
    assistant, question, _, args = asked
    words = question.split(" ")
    more = " ".join([*words[:at], added, *words[at:]])
    found = choose(TOOLS[assistant], more)
    if isinstance(found, ToolFit):
        assert found.args != args, more
        assert added in str(found.args).lower(), more


@given(st.sampled_from(sorted(TOOLS)), st.data())
@pytest.mark.slow
def test_every_content_word_of_an_answered_question_was_used(assistant, data) -> None:
    words = [word for spec in TOOLS[assistant] for word in spec.description.replace(":", " ").split()]
    parts = st.sampled_from(
        [*words, "which", "show", "the", "of", "not", "and", "3", "WH-001", "last month", "by", "late"]
    )
    question = " ".join(data.draw(st.lists(parts, min_size=1, max_size=6)))
    found = choose(TOOLS[assistant], question)
    if isinstance(found, ToolFit):
        used = {word for word, _ in found.used}
        left = [word for word in content_of(TokenizedQuestion(question)) if word not in used and not set(word) <= used]
        assert set(left) <= PAST | set(" ".join(NOW).split()), question


@given(st.text(max_size=400))
def test_any_text_is_survived(text: str) -> None:
    found = choose(TOOLS["general"], text)
    assert isinstance(found, ToolFit | DeclinedQuestion)


def test_what_is_too_long_is_declined_unread() -> None:
    found = choose(TOOLS["general"], "What is 3 + 4? " * MAX_QUESTION)
    assert isinstance(found, DeclinedQuestion)
    assert found.reason == "long"
