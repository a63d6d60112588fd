"""Decisions of small models are reviewed: what nobody said or observed is sent back once, and the trace says why."""

import json

import msgspec
import pytest
from tests.engine.reviewed_calls import SMALL, answering, call, calling, observed, reason, sunrise, weigh_crate

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage, ToolMessage, UserMessage, note
from glassloop.core.planning.decision_review import review
from glassloop.core.records import Decision, ToolCall
from glassloop.runtime.replay.replay import replay


class Listening(ScriptedModel):
    """Remembers what it was told: a request's messages are a live view."""

    def __init__(self, script, abilities):
        super().__init__(script, abilities=abilities)
        self.told = []

    def stream(self, request):
        self.told.append([getattr(message, "content", "") for message in request.messages])
        return super().stream(request)


async def play(question, *said, abilities=SMALL, **options):
    model = Listening(said, abilities)
    agent = Agent(model, [weigh_crate, sunrise], **options)
    return [event async for event in agent.stream(question)], model, agent


def refusals(events):
    replies = [event for event in events if isinstance(event, e.ModelResponded)]
    return [reply.decision.refused.reason if reply.decision.refused else "" for reply in replies]


async def test_a_request_is_the_prompt_and_what_was_said_and_nothing_else():
    _, model, _ = await play("Weigh crate CR-7.", calling("weigh_crate", crate_id="CR-7"), answering("12 kg."))
    assert model.told == [["Weigh crate CR-7."], ["Weigh crate CR-7.", "", model.told[1][2]]]
    assert "12" in model.told[1][2]
    assert model.requests[0].system == model.requests[1].system
    assert model.requests[0].schema == model.requests[1].schema


async def test_an_id_that_nobody_gave_is_sent_back_once_and_the_trace_says_why():
    events, model, _ = await play(
        "How heavy is my crate?", calling("weigh_crate", crate_id="CR-100"), answering("Which crate do you mean?")
    )
    replies = [event for event in events if isinstance(event, e.ModelResponded)]
    assert (replies[0].decision.refused.reason, replies[0].decision.refused.parameter) == ("id", "crate_id")
    assert "Nobody gave 'CR-100' as `crate_id`" in model.told[1][-1]
    assert not [event for event in events if isinstance(event, e.ToolCalled)]


async def test_the_same_call_twice_is_sent_back_and_the_turn_replays_without_a_difference():
    again = calling("weigh_crate", crate_id="CR-7")
    events, model, agent = await play("Weigh crate CR-7.", again, again, answering("12 kg."))
    assert refusals(events) == ["", "repeated", ""]
    offered = ["weigh_crate" in msgspec.json.encode(request.schema).decode() for request in model.requests]
    assert offered == [True, True, False]
    assert len({request.system for request in model.requests}) == 1
    report = await replay([event for event in events if type(event) not in e.TRANSIENT], agent)
    assert report.differences == ()
    assert report.compared > 5


async def test_a_tool_that_was_called_twice_is_offered_again_after_another_decision():
    again, other = calling("weigh_crate", crate_id="CR-7"), calling("sunrise", city="Bonn")
    last = calling("weigh_crate", crate_id="CR-8")
    _, model, _ = await play("Weigh CR-7 and CR-8 in Bonn.", again, again, other, last, answering("12 kg."))
    offered = ["weigh_crate" in msgspec.json.encode(request.schema).decode() for request in model.requests]
    assert offered == [True, True, False, True, True]


async def test_other_models_are_not_reviewed():
    events, _, _ = await play(
        "How heavy is my crate?",
        calling("weigh_crate", crate_id="CR-100"),
        answering("981.4 kg."),
        abilities=None,
        protocol="json",
    )
    assert refusals(events) == ["", ""]


def deltas(events):
    return [event for event in events if isinstance(event, e.TextDelta)]


async def test_an_answer_with_a_figure_from_nowhere_is_a_draft_that_is_sent_back_and_never_given():
    events, model, agent = await play(
        "Weigh crate CR-7.",
        calling("weigh_crate", crate_id="CR-7"),
        answering("It weighs 981.4 kg."),
        answering("It weighs 12 kg."),
    )
    first, second = [event for event in events if isinstance(event, e.ModelResponded)][1:]
    assert first.decision.refused
    assert "981.4" in first.decision.complaint
    assert first.decision.answer is None
    assert all(event.draft for event in deltas(events))
    assert "981.4" in "".join(event.text for event in deltas(events) if event.block == first.block)
    given_answer = next(event for event in events if isinstance(event, e.AnswerGiven))
    assert given_answer.text == "It weighs 12 kg."
    assert given_answer.block == second.block != first.block
    assert any("981.4" in told for told in model.told[2])
    report = await replay([event for event in events if type(event) not in e.TRANSIENT], agent)
    assert report.differences == ()


async def test_an_answer_made_up_after_a_call_that_was_sent_back_is_sent_back_as_well():
    events, _, agent = await play(
        "Weigh crate CR-7.",
        calling("weigh_crate", crate_id="CR-7"),
        calling("weigh_crate", crate_id="CR-100"),
        answering("It weighs 981.4 kg."),
        answering("It weighs 12 kg."),
    )
    assert refusals(events) == ["", "id", "figure", ""]
    assert next(event for event in events if isinstance(event, e.AnswerGiven)).text == "It weighs 12 kg."
    report = await replay([event for event in events if type(event) not in e.TRANSIENT], agent)
    assert report.differences == ()


async def test_the_same_figure_again_is_given_since_no_answer_is_sent_back_twice_in_a_row():
    events, _, _ = await play(
        "Weigh crate CR-7.", calling("weigh_crate", crate_id="CR-7"), *[answering("It weighs 981.4 kg.")] * 2
    )
    refused = [event.decision.refused is not None for event in events if isinstance(event, e.ModelResponded)]
    assert refused == [False, True, False]
    assert events[-1].status == "completed"


async def test_a_turn_that_is_cancelled_after_a_draft_was_sent_back_does_not_keep_it():
    model = Listening(
        [calling("weigh_crate", crate_id="CR-7"), answering("It weighs 981.4 kg."), answering("12 kg.")], SMALL
    )
    agent = Agent(model, [weigh_crate, sunrise])
    stream = agent.stream("Weigh crate CR-7.")
    async for event in stream:
        if isinstance(event, e.ModelResponded) and event.decision.refused:
            break
    await stream.aclose()
    assert stream.events[-1].status == "cancelled"
    assert not [event for event in stream.events if isinstance(event, e.AnswerGiven)]


@pytest.mark.parametrize(
    ("said", "day", "stands"),
    [
        ("Who is on this friday?", "2030-08-23", True),
        ("Who is on this friday?", "2030-08-24", False),
        ("And tomorrow?", "2030-08-22", True),
        ("Who is on 26 august?", "2030-08-26", True),
        ("Who is on 26 august?", "2031-08-26", False),
        ("下周一谁在？", "2030-08-26", True),
        ("Who was on last month?", "2030-07-01", True),
        ("Who was on last month?", "2030-07-30", False),
        ("Thursday of the week after next?", "2030-09-05", True),
        ("Thursday of the week after next?", "2030-08-29", False),
        ("And in the night of the 12th?", "2030-09-12", True),
        ("And in the night of the 12th?", "2030-09-13", False),
        ("how many in august 2033?", "2033-08", True),
        ("how many in august 2033?", "2032-08", False),
    ],
)
def test_a_day_that_the_question_means_may_be_told(said, day, stands):
    context = note("context", "Wednesday 2030-08-21, in the week from 08-19. Thu 08-22, Fri 08-23. 10:00 UTC.")
    made = Decision(answer=f"On {day} it is Hanne.")
    assert (reason(made, said, context, *observed("bench 5: Hanne", call("rota", day=day))) == "") is stands


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It weighs 12.5 kg.", ""),
        ("They weigh 52.5 kg together.", ""),
        ("One is 27.5 kg heavier.", ""),
        ("It weighs 99.5 kg.", "figure"),
        ("It was weighed on 2026-03-04.", "figure"),
        ("See CR-812.", "figure"),
        ("There are 2 of them.", ""),
        ("It is heavy.", ""),
    ],
)
def test_a_figure_has_to_be_observed_said_or_made_of_two_that_were(answer, expected):
    assert reason(Decision(answer=answer), "How heavy is CR-7?", *observed('{"kg": 12.5, "other": 40}')) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The sweep starts there at 16:45.", ""),
        ("The sweep starts there at 16:55.", "figure"),
        ("The sweep starts there at 17:25.", "figure"),
        ("Two hours after the last ride it is 18:25.", ""),
        ("It runs for 465 minutes.", ""),
        ("It runs for 7.75 hours.", ""),
        ("It runs for 455 minutes.", "figure"),
        ("The last ride is at 16:25.", ""),
    ],
)
def test_a_time_of_the_day_may_be_so_long_after_another_as_was_told(answer, expected):
    question, prompt = "When does the sweep start there, and two hours later?", "20 minutes after the last ride."
    messages = [UserMessage(question), *observed("Lynx Tow, a drag lift: first ride 08:40, last ride 16:25")]
    refused = review(Decision(answer=answer), question, messages, {}, prompt).refused
    assert (refused.reason if refused else "") == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Er ist vom 25. bis 29. Oktober weg.", ""),
        ("Er ist vom 24. bis 29. Oktober weg.", "figure"),
        ("HO.05.e costs 27 euros per 30 minutes.", ""),
        ("HO.8311.e is free.", "figure"),
        ("No ride starts until 45 minutes after it.", ""),
        ("The office closes at 16:20.", ""),
        ("The office closes at 16:40.", "figure"),
    ],
)
def test_words_names_of_fields_and_the_prompt_are_sources(answer, expected):
    seen = [
        {"lot": "HO.05.e", "rate_per_30_min": 27, "first": "2029-10-25", "last": "2029-10-29", "rule": "forty-five"}
    ]
    question, prompt = "And then?", "The office closes at 16:20."
    messages = [UserMessage(question), *observed(json.dumps(seen))]
    refused = review(Decision(answer=answer), question, messages, {}, prompt).refused
    assert (refused.reason if refused else "") == expected


@pytest.mark.parametrize(
    ("thought", "answer", "expected"),
    [
        ("", "The balance is 214.08.", ""),
        ("", "For four months that is 856.32.", ""),
        ("20 × 14.5 = 290, 6 × 9 = 54, together 344.", "That is 344 in total.", ""),
        ("20 × 14.5 + 6 × 9 = 344", "That is 344 in total.", ""),
        ("20 × 14.5 = 290, 6 × 9 = 64, together 354.", "That is 354 in total.", "figure"),
        ("31 × 14.5 = 449.5", "That is 449.5.", "figure"),
        ("14.5 / 0 = 77", "That is 77.", "figure"),
        ("", "That is 344 in total.", "figure"),
    ],
)
def test_a_figure_may_be_worked_out_in_the_thought_of_what_was_told(thought, answer, expected):
    seen = observed('{"balance": -214.08, "chairs": 14.5, "tables": 9}')
    question = "20 chairs and 6 tables for four months, and the balance?"
    assert reason(Decision(thought=thought, answer=answer), question, *seen) == expected


def test_figures_of_plain_talk_are_free_unless_a_thing_is_named_that_a_tool_could_tell_of():
    assert reason(Decision(answer="A leap year has 366 days."), "How long is a leap year?") == ""
    assert reason(Decision(answer="It weighs 366 kg."), "How heavy is crate CR-7?") == "figure"


DAYS = "No shifts on 2026-11-18. The plan has 2031-05-12 to 2031-05-23."


@pytest.mark.parametrize(
    ("answer", "stands"),
    [
        ("There are no shifts on 2026-11-18.", True),
        ("The plan has the days from 2031-05-12 to 2031-05-23.", True),
        ("There are shifts from 2031-05-12 to 2031-05-24.", False),
        ("On 2026-11-18 Ada has the late shift.", False),
    ],
)
def test_what_an_error_tells_was_observed_but_not_what_it_repeats(answer, stands):
    call = ToolCall(id="1", tool="shifts", args={"day": "2026-11-18"})
    messages = [
        UserMessage(content="Who has the late shift?"),
        AssistantMessage(calls=(call,)),
        ToolMessage(call_id="1", tool="shifts", content=DAYS, is_error=True),
    ]
    made = review(Decision(thought="", answer=answer), "Who has the late shift?", messages, {"shifts": None})
    assert (made.answer == answer) is stands


@pytest.mark.parametrize(
    ("thought", "answer", "way"),
    [
        ("150 − 61 = 99.", "99 seats are free.", "150 − 61 = 89: answer with that."),
        ("61 × 12.5 = 762; 762 is more.", "752 in all.", "Call the tool that tells it, or answer without it."),
        ("61 × 12.5 = 752; 752 is more.", "752 in all.", "61 × 12.5 = 762.5: answer with that."),
        ("150 against 61: 99 apart.", "By 99.", "150 - 61 = 89: answer with that."),
        ("61 + " * 11 + "61 = 740.", "740 in all.", "61 + " * 11 + "61 = 732: answer with that."),
        ("150 against 61: 89 apart.", "The hall of 1999.", "Call the tool that tells it, or answer without it."),
        ("3 × 70 = 200.", "200 in all.", "Call the tool that tells it, or answer without it."),
        ("3 × 50.5 = 151.5.", "151.5 in all.", "Call the tool that tells it, or answer without it."),
        ("The hall has 99.", "99 seats.", "Call the tool that tells it, or answer without it."),
    ],
)
def test_a_wrong_sum_is_sent_back_with_the_right_one(thought, answer, way):
    messages = [
        UserMessage(content="How many?"),
        ToolMessage(call_id="1", tool="hall", content='{"seats": 150, "booked": 61, "price": 12.5}'),
    ]
    made = review(Decision(thought=thought, answer=answer), "How many?", messages, {"hall": None})
    assert made.complaint is not None
    assert made.complaint.endswith(way)


@pytest.mark.parametrize(
    ("thought", "answer", "stands"),
    [
        ("61 × 12.5 = 762.5.", "Zusammen 762,50 Euro.", True),
        ("150 × 12.5 = 1875; 1875 + 12.5 = 1887.5.", "Zusammen 1.887,50 Euro.", True),
        ("61 × 12,5 = 762,5.", "Zusammen 762,50 Euro.", True),
        ("", "Zusammen 762,50 Euro.", True),
        ("150 × 17 = 2550.", "一共2550元。", False),
        ("12 × 61 = 732.", "一共732元。", True),
        ("2061 - 2029 = 32.", "In 32 Jahren.", True),
        ("2061 - 2028 = 33.", "In 33 Jahren.", False),
        ("", "Zusammen 76,25 Euro.", False),
        ("", "Zusammen 76.250 Euro.", False),
    ],
)
def test_numbers_of_other_languages_and_years_are_read(thought, answer, stands):
    messages = [
        note("context", "It is Thu 2029-09-20, 9:05."),
        ToolMessage(call_id="1", tool="hall", content='{"seats": 150, "booked": 61, "price": 12.5, "until": 2061}'),
    ]
    made = review(Decision(thought=thought, answer=answer), "一共12个？", messages, {"hall": None})
    assert (made.answer == answer) is stands


@pytest.mark.parametrize(
    ("thought", "answer", "way"),
    [
        ("6 × 4 × 148 = 3456.", "3456 pounds.", "6 × 4 × 148 = 3552: answer with that."),
        ("6 × 4 = 24; 24 × 148 = 3456.", "3456 pounds.", "24 × 148 = 3552: answer with that."),
        ("6 × 4 × 148 = 3552.", "3,552 pounds.", ""),
        ("6 × 4 × 148 = 3456.", "I would ask the office.", ""),
        ("6 × 4 × 150 = 3456.", "3456 pounds.", ""),
        ("", "3456 pounds.", ""),
    ],
)
def test_in_plain_talk_a_wrong_sum_of_what_was_said_is_sent_back(thought, answer, way):
    question = "Six men, four days, 148 pounds a man per day. What does that come to?"
    made = review(Decision(thought=thought, answer=answer), question, [UserMessage(question)], {"hall": None})
    assert (made.complaint or "").endswith(way) and (made.complaint is None) is (way == "")


def test_an_answer_may_write_a_number_of_the_question_as_the_tools_do():
    question = "When was lift 2046 inspected?"
    observed = ToolMessage(call_id="c1", tool="history", content='[{"inspection_no": "INS-8226", "day": "2027-09-29"}]')
    said = [UserMessage(question), observed]
    assert review(Decision(answer="LF-2046 was inspected on 2027-09-29 (INS-8226)."), question, said, {}).answer
    assert review(Decision(answer="LF-2047 was inspected on 2027-09-29 (INS-8226)."), question, said, {}).refused


def test_a_figure_far_down_in_a_long_table_was_observed():
    rows = "\n".join(f"| p{number} | {number * 7.13:.2f} |" for number in range(60))
    observed = ToolMessage(
        call_id="c1", tool="summary", content=f"| id | Share of category (%) |\n{rows}\n| p99 | 9.66 |"
    )
    said = [UserMessage("How large is the share of p99?"), observed]
    assert review(Decision(thought="", answer="Its share is 9.66 %."), said[0].content, said, {}).answer
    assert review(Decision(thought="", answer="Its share is 8123456.789 kg."), said[0].content, said, {}).refused


def test_a_name_with_a_colon_before_a_negative_figure_is_no_identifier():
    observed = ToolMessage(call_id="c1", tool="regressions", content="| Encounter | Change |\n| Huntsman | -18.2 |")
    said = [UserMessage("哪里变差了？"), observed]
    assert review(Decision(thought="", answer="Huntsman：-18.2。"), said[0].content, said, {}).answer


def test_a_time_before_a_colon_was_said():
    question = "Which bars are open at 18:00: the ones downtown, I mean"
    observed = ToolMessage(call_id="c1", tool="search", content="Total: 29")
    assert review(Decision(answer="29 are open at 18:00."), question, [UserMessage(question), observed], {}).answer
