"""Renamed groups: the same everywhere in a group, and nothing that could be told by another name is touched."""

import datetime
import re

import msgspec
import pytest
from training.data import worked
from training.data.conversation import Answer, Call, Conversation, Exchange, Group, ToolText
from training.data.forbidden import forbidden_tools
from training.data.renaming import names_in, names_kept, renamed
from training.data.requests import examples_of
from training.data.values import Rng

TOOLS = (
    ToolText(
        "find_member",
        "Finds members by name.",
        {"type": "object", "properties": {"name": {"type": "string", "description": "Name, or part of it."}}},
    ),
    ToolText(
        "job_ticket",
        "One repair job.",
        {"type": "object", "properties": {"job_no": {"type": "string", "description": "Number, such as J-3101."}}},
    ),
)
JOBS = [
    Call(
        "job_ticket: job_no J-3101.", "job_ticket", {"job_no": "J-3101"}, "J-3101 of Berta Castelmar, due 2031-10-17."
    ),
    Call("Next J-3104.", "job_ticket", {"job_no": "J-3104"}, "J-3104 of Jens Tellbruck, 2 parts at 31.04."),
    Call(
        "Next J-3090.",
        "job_ticket",
        {"job_no": "J-3090"},
        "J-3090, by Castelmar, M-1042; mail a.castelmar@desk.example",
    ),
]
DAY = datetime.datetime(2031, 10, 15, 9, tzinfo=datetime.UTC)


def group_of(*exchanges, prompt="You help at Garroway."):
    return Group(prompt, TOOLS, (Conversation("x", exchanges),), day=DAY.timestamp())


def asked(question, *steps, answer="Done."):
    return Exchange(question, (*steps, Answer("It says so.", answer)))


def renamed_often(group, kept=frozenset(), times=40):
    return [renamed(Rng(seed), group, kept) for seed in range(times)]


def texts_of(group):
    return msgspec.json.encode(group).decode()


GROUP = group_of(asked("castelmar's job j-3101, and J-3104?", *JOBS, answer="Castelmar: 17 October 2031, J-3101."))


def test_ids_move_together_and_keep_their_order_and_distance():
    for made in renamed_often(GROUP):
        exchange = made.conversations[0].exchanges[0]
        calls = [step for step in exchange.steps if isinstance(step, Call)]
        numbers = [str(*call.args.values()) for call in calls]
        assert all(call.observation.startswith(number) for call, number in zip(calls, numbers, strict=True))
        assert numbers[0].lower() in exchange.question
        assert numbers[1] in exchange.question
        figures = [int(number.partition("-")[2]) for number in numbers]
        assert (figures[1] - figures[0], figures[2] - figures[0]) == (3, -11)
        assert "31.04" in calls[1].observation
    assert len({texts_of(made) for made in renamed_often(GROUP)}) > 30


def test_names_are_the_same_wherever_they_stand():
    for made in renamed_often(GROUP):
        exchange = made.conversations[0].exchanges[0]
        answer = exchange.steps[-1]
        assert isinstance(answer, Answer)
        name = answer.text.partition(":")[0]
        assert name != "Castelmar"
        assert exchange.question.startswith(f"{name.lower()}'s job")
        assert texts_of(made).lower().count(name.lower()) == 5
        assert "astelmar" not in texts_of(made)


def test_a_year_has_the_same_calendar_and_the_days_stay():
    years = set()
    for made in renamed_often(GROUP):
        day = datetime.datetime.fromtimestamp(made.day, datetime.UTC)
        assert (day.month, day.day, day.weekday()) == (DAY.month, DAY.day, DAY.weekday())
        assert f"{day.year}-10-17" in texts_of(made)
        assert f"17 October {day.year}" in texts_of(made)
        years.add(day.year)
    assert len(years) > 1
    for told in ("Built in 1951.", "In '31.", "See L31-02.", "Brew 30/0412.", "On 29 February 2032."):
        kept = group_of(asked("What is J-3101?", *JOBS, answer=told))
        assert {made.day for made in renamed_often(kept)} == {DAY.timestamp()}


def test_years_that_are_numbers_move_with_the_others():
    counted = Call("census: year 2030.", "census", {"year": 2030, "places": 1200}, '{"year": 2030, "nests": 1980}')
    for made in renamed_often(group_of(asked("The census of 2030?", counted))):
        call = made.conversations[0].exchanges[0].steps[0]
        assert isinstance(call, Call)
        year = datetime.datetime.fromtimestamp(made.day, datetime.UTC).year
        assert call.args == {"year": year - 1, "places": 1200}
        assert f'"year": {year - 1}' in call.observation


@pytest.mark.parametrize(
    "exchange",
    [
        asked("Who is Castelmer?", *JOBS),
        asked("Who is Castel?", *JOBS),
        asked("Wer ist das?", Call("t", "find_member", {"name": "Castelmar"}, "Berta Castelmar"), *JOBS),
        asked("Who was Castelmar?", answer="A painter."),
    ],
    ids=["mistyped", "in part", "not said", "known without a call"],
)
def test_a_name_that_may_be_told_otherwise_is_kept(exchange):
    conversations = [*GROUP.conversations, Conversation("x", (exchange,))]
    assert "Castelmar" in names_in(conversations)
    assert "Castelmar" in names_kept(conversations)
    assert "Tellbruck" not in names_kept(conversations)


def test_names_that_a_tool_offers_are_kept():
    tool = ToolText("speaks", "Who speaks it, like Tellbruck.", {"type": "object", "properties": {}})
    for made in renamed_often(msgspec.structs.replace(GROUP, tools=(*TOOLS, tool))):
        assert "Tellbruck" in texts_of(made)
        assert "Castelmar" not in texts_of(made)


def test_ids_whose_figures_are_said_alone_are_kept():
    bare = group_of(asked("And job 3104?", *JOBS))
    for made in renamed_often(bare):
        assert re.search(r"J-3104 of", texts_of(made))


def test_tools_get_other_names_in_calls_and_thoughts():
    names = set()
    for made in renamed_often(GROUP):
        call = made.conversations[0].exchanges[0].steps[0]
        assert isinstance(call, Call)
        tools = {tool.name: tool for tool in made.tools}
        assert call.thought.startswith(f"{call.tool}: {next(iter(call.args))} ")
        assert set(call.args) <= set(tools[call.tool].parameters["properties"])
        names |= tools.keys()
    assert {"find_member", "findMember", "search_member", "jobTicket"} <= names
    assert not names & forbidden_tools()


def test_the_engine_asks_for_what_it_asked_for_before():
    name, rng = "pennistow", Rng(1)
    made = worked.read_set(name)
    cases = [each[0] for each in made.cases[:40]]
    plain = Group(made.prompt, made.tools, tuple(cases), day=DAY.timestamp())
    other = renamed(rng, plain, made.kept)
    assert [len(each.messages) for each in examples_of(plain)] == [len(each.messages) for each in examples_of(other)]
    assert texts_of(plain) != texts_of(other)
