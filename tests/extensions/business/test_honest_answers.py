"""What `reflex` answers in the business assistant: all that was asked is used, or it is said that it was not."""

from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from glassloop.core import events as e
from glassloop.evals.suites.company.plugins import FOLDER
from glassloop.runtime.agent import Agent
from glassloop.runtime.build import build_agent
from glassloop.runtime.settings import Settings

COMPANY = str(files("glassloop.evals.suites") / "company")
OCTOBER = {"start_date": "2026-10", "end_date": "2026-10"}
THIRD = {"start_date": "Q3", "end_date": "Q3"}

TAKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "Which purchase orders are complete?": ("get_purchase_orders", {"status": "received"}),
    "Which purchase orders are not complete?": ("get_purchase_orders", {"status": "open"}),
    "Which purchase orders are delayed?": ("get_purchase_orders", {"status": "late"}),
    "哪些采购订单延迟了?": ("get_purchase_orders", {"status": "late"}),
    "哪些采购订单延误了？": ("get_purchase_orders", {"status": "late"}),
    "哪些采购订单晚到？": ("get_purchase_orders", {"status": "late"}),
    "已到货的采购订单有哪些？": ("get_purchase_orders", {"status": "received"}),
    "What was the revenue in October 2026?": ("get_customers", OCTOBER),
    "How many purchase orders in March?": ("get_purchase_orders", {"start_date": "March", "end_date": "March"}),
    "请列出2026年10月的采购订单": ("get_purchase_orders", OCTOBER),
    "第三季度的营收是多少": ("get_customers", THIRD),
    "Compare revenue of Q2 and Q3": ("get_customers", {**THIRD, "compare": "previous_period"}),
    "Compare revenue of Q3 2025 and Q3 2026": (
        "get_customers",
        {"start_date": "2026-Q3", "end_date": "2026-Q3", "compare": "last_year"},
    ),
    "How many purchase orders from July to September 2026?": (
        "get_purchase_orders",
        {"start_date": "2026-07", "end_date": "2026-09"},
    ),
    "How many purchase orders since June 2026?": ("get_purchase_orders", {"start_date": "2026-06"}),
    "Compare this quarter's revenue with last quarter": (
        "get_customers",
        {"period": "this_quarter", "compare": "previous_period"},
    ),
    "Compare our revenue with last quarter": (
        "get_customers",
        {"period": "this_quarter", "compare": "previous_period"},
    ),
    "上个月的销售额": ("get_customers", {"period": "last_month"}),
    "本月的销售收入是多少？": ("get_customers", {"period": "this_month"}),
    "上个季度的收入有多少": ("get_financial_summary", {"section": "revenue", "period": "last_quarter"}),
    "Which four suppliers have the highest spend this year?": ("get_top_vendors", {"limit": 4}),
    "How much stock is in WH-003 and what is it worth?": ("get_inventory_levels", {"warehouse_id": "WH-003"}),
    "Show me the three largest customers": ("get_customers", {"limit": 3}),
    "Who are our five biggest suppliers?": ("get_top_vendors", {"limit": 5}),
    "What is the price of ABS 757K?": ("get_vendor_price_trends", {"item": "ABS 757K"}),
    "Is the mail server down?": ("get_server_status", {"status": "down", "role": "mail"}),
    "Which invoices are overdue?": ("get_financial_summary", {}),
    "哪些发票逾期了？": ("get_financial_summary", {}),
}
"""The tool that is called, and what it is called with, beside defaults."""

LEFT: dict[str, str] = {
    "Revenue last month compared with last quarter": "Not used from your question: last quarter.",
    "Is there PP H4540 in Monterrey?": "Not used from your question: Monterrey.",
    "Which servers were down in October 2026?": "Not used from your question: October 2026.",
    "List unpaid invoices of the vendor 'Falcon Polymers' about pelicans": "pelicans",
    "Which invoices are overdue, and by how many weeks?": "Not used from your question: by how many weeks.",
    "Which molds need lubrication in the next 10 days?": "Searched for the words “lubrication” and found nothing",
    "亚太区的客户有哪些？": "问题中未用到：亚太区。",
    "出差的酒店标准是多少？": "问题中未用到：酒店标准。",
}
"""What no argument can take."""

REFUSED: dict[str, str] = {
    "Send a mail to ben.zhang@example.com about the audit": "send a mail to ben.zhang@example.com",
    "Please approve PO-01613": "approve PO-01613",
    "Can you cancel purchase order PO-01613?": "cancel purchase order PO-01613",
    "Delete customer C-0001": "delete customer C-0001",
    "I want to pay the invoices of Falcon Polymers": "pay the invoices",
    "Restart server db-01": "restart server db-01",
    "发邮件给张伟": "发邮件给张伟",
    "取消采购订单PO-01613": "取消采购订单PO-01613",
    "请把采购订单PO-01613批准": "批准",
}
"""What nobody's tool does."""

LOOKED_UP = (
    "Open purchase orders",
    "Change in revenue this year",
    "Create a report of the late purchase orders",
    "Cancelled purchase orders of this year",
    "已取消的采购订单",
    "Mail from last week",
)
"""What only sounds like an order."""


@pytest.fixture(scope="module")
def settings(made_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home = tmp_path_factory.mktemp("honest")
    (home / FOLDER).mkdir(parents=True)
    (home / FOLDER / "business.db").write_bytes(made_file.read_bytes())
    return Settings(home=str(home))


@pytest.fixture
async def agent(settings: Settings) -> AsyncIterator[Agent]:
    made = build_agent(COMPANY, settings, "reflex")
    yield made
    await made.aclose()


class Told:
    """What a question came to."""

    def __init__(self, events: list[Any]) -> None:
        self.calls = [event.call for event in events if isinstance(event, e.ToolCalled)]
        (self.answer,) = [event.text for event in events if isinstance(event, e.AnswerGiven)]
        checked = [event.evidence for event in events if isinstance(event, e.AnswerEvaluated)]
        self.unsupported = [figure for evidence in checked for figure in evidence.unsupported]


async def ask(agent: Agent, question: str) -> Told:
    return Told([event async for event in agent.stream(question, user="ada")])


@pytest.mark.parametrize("question", TAKEN)
async def test_what_a_tool_can_take_of_a_question_is_taken(question: str, agent: Agent) -> None:
    tool, args = TAKEN[question]
    told = await ask(agent, question)
    assert [call.tool for call in told.calls] == [tool]
    assert {name: told.calls[0].args.get(name) for name in args} == args
    assert "Not used" not in told.answer
    assert "未用到" not in told.answer
    assert not told.unsupported


@pytest.mark.parametrize("question", LEFT)
async def test_what_no_tool_can_take_of_a_question_is_said_above_the_figures(question: str, agent: Agent) -> None:
    told = await ask(agent, question)
    assert LEFT[question] in told.answer.partition("\n")[0]
    assert not told.unsupported


@pytest.mark.parametrize("question", REFUSED)
async def test_an_order_that_no_tool_can_follow_is_refused_plainly(question: str, agent: Agent) -> None:
    told = await ask(agent, question)
    assert not told.calls
    first = told.answer.partition("\n")[0]
    assert first.startswith(("I can look things up, but there is no tool here to ", "我只能查询；这里没有"))
    assert REFUSED[question] in first


@pytest.mark.parametrize("question", LOOKED_UP)
async def test_what_only_sounds_like_an_order_is_looked_up(question: str, agent: Agent) -> None:
    assert (await ask(agent, question)).calls


async def test_the_second_half_of_a_question_is_refused_above_the_answer_to_the_first(agent: Agent) -> None:
    told = await ask(agent, "Which purchase orders are late? Send them to Ben Zhang")
    assert [call.tool for call in told.calls] == ["get_purchase_orders"]
    assert told.answer.startswith("I can look things up, but there is no tool here to send them to Ben Zhang.")


async def test_the_department_that_a_question_was_given_to_is_asked_before_any_other(agent: Agent) -> None:
    told = await ask(agent, "模具M-001的状态")
    assert [call.tool for call in told.calls] == ["search_defect_cases"]


async def test_a_question_in_chinese_gets_the_rows_of_the_same_question_in_english(agent: Agent) -> None:
    told = await ask(agent, "哪些采购订单延迟了?")
    english = await ask(agent, "Which purchase orders are late?")
    assert not told.unsupported
    rows = [line for line in told.answer.split("\n") if line.startswith("| PO-")]
    assert rows
    assert rows == [line for line in english.answer.split("\n") if line.startswith("| PO-")]


async def test_an_answer_from_the_sample_company_says_that_it_is_one(agent: Agent) -> None:
    told = await ask(agent, "Which purchase orders are late?")
    assert told.answer.split("\n")[0].endswith("as of 2026-11-15 · sample company")


async def test_passages_of_documents_are_prose_with_where_they_stand(agent: Agent) -> None:
    told = await ask(agent, "What does the procurement policy say about approval limits?")
    assert "passages:" not in told.answer
    assert "\n— [1] Procurement policy" in told.answer


@pytest.mark.parametrize("question", ["模具MD-001的状态", "Status of mold MD-001"])
async def test_words_that_say_nothing_are_not_searched_for(question: str, agent: Agent) -> None:
    told = await ask(agent, question)
    assert told.calls[0].args.get("mold") == "MD-001"
    assert not told.calls[0].args.get("query")
