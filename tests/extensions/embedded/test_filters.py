"""Filters are filled with what was said for them."""

import pytest

from glassloop.core.messages import ToolSpec
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_choice import choose

PERIODS = ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "last_quarter", "this_year"]
PARCELS = ToolSpec(
    name="list_parcels",
    description="Parcels that were sent (包裹), by carrier, state and harbour.",
    effect="read",
    parameters={
        "type": "object",
        "properties": {
            "carrier": {"type": "string", "description": "Only of this carrier, such as Gull, Tern or Heron."},
            "sender": {"type": "string", "description": "Only from this sender: a name."},
            "owner": {"type": "string", "description": "Only those of this person."},
            "notes": {"type": "string", "description": "What was written on it."},
            "state": {
                "enum": ["any", "lost", "late", "unlost"],
                "description": "lost (gone, 丢失), late (overdue, 迟到).",
            },
            "fragile": {"type": "boolean", "description": "Only what can break (易碎)."},
            "period": {"enum": PERIODS},
            "compare": {"enum": ["none", "last_year"]},
            "trend": {"enum": ["none", "month"]},
            "limit": {"type": "integer"},
        },
    },
)


def chosen(question: str) -> dict[str, object]:
    found = choose([PARCELS], ParsedQuestion(question))
    assert found is not None
    return found.args


@pytest.mark.parametrize(
    ("question", "args"),
    [
        ("How many parcels went out last month?", {"period": "last_month"}),
        ("Parcels of the carrier Tern this year", {"carrier": "Tern", "period": "this_year"}),
        ("Which parcels sent by heron are overdue?", {"carrier": "Heron", "state": "late"}),
        ("How many parcels are there in the long grey shed?", {}),
        ("Parcels of this month compared with last year", {"period": "this_month", "compare": "last_year"}),
        ("The parcels of the last 7 days", {}),
        ("The first 7 parcels", {"limit": 7}),
        ("Are there any late parcels?", {"state": "late"}),
        ("哪些包裹迟到了？", {"state": "late"}),
        ("Which fragile parcels are there?", {"fragile": True}),
        ("Which parcels are not late?", {}),
        ("Parcels that nobody lost", {"state": "unlost"}),
    ],
)
def test_a_filter_gets_what_was_said_for_it_and_nothing_else(question, args):
    assert chosen(question) == args


def test_one_name_goes_into_one_filter():
    args = chosen("Parcels sent by the sender Ada Moreno")
    assert [name for name, value in args.items() if value == "Ada Moreno"] == ["sender"]


LOGS = ToolSpec(
    name="search_journal",
    description="Search the journal (日志) of the harbour by words and level.",
    effect="read",
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words in the line."},
            "level": {"enum": ["any", "error", "info"], "description": "error (failure, 错误), info."},
        },
    },
)


def test_a_search_box_gets_what_is_left_of_the_question():
    found = choose([LOGS], ParsedQuestion("Search the journal for failures of the crane"))
    assert found is not None
    assert found.args == {"level": "error", "query": "failures of the crane"}
