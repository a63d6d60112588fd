"""Review of a small model's calls: what nobody gave does not stand, and what was given does."""

import msgspec
import pytest
from tests.engine.reviewed_calls import call, observed, reason

from glassloop.core.messages import AssistantMessage, ToolMessage, ToolSpec, UserMessage, note
from glassloop.core.planning.decision_review import review
from glassloop.core.records import Decision, ToolCall


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"crate_id": "CR-7"}, "Weigh cr 7, please."),
        ({"crate_id": "ORD-4711"}, "How heavy is order 4711?"),
        ({"badge_no": 4711}, "Weigh what badge 4711 holds."),
        ({"crate_ids": ["CR-7", "CR-8"]}, "CR-7 or CR-8?"),
        ({"language_code": "de"}, "In German, please."),
        ({"day_id": "2026-11-18"}, "Tomorrow?"),
        ({"city": "X-99"}, "Anywhere."),
        ({"number": 10}, "Some of them."),
    ],
)
def test_what_was_given_or_is_no_id_stands(args, said):
    assert reason(Decision(calls=(call(**args),)), said) == ""


@pytest.mark.parametrize(
    "args",
    [
        {"crateId": "CR-100"},
        {"badge_no": 4712},
        {"badge_no": "47"},
        {"order_number": "A-12"},
        {"crate_ids": ["CR-7", "CR-9"]},
    ],
)
def test_an_id_from_nowhere_does_not_stand(args):
    assert reason(Decision(calls=(call(**args),)), "Weigh crate CR-7 for badge 4711.") == "id"


def described(**texts):
    return {
        "type": "object",
        "properties": {name: {"type": "string", "description": text} for name, text in texts.items()},
    }


ORGANS = {
    name: ToolSpec(name=name, description="", parameters=described(**texts))
    for name, texts in {
        "organ": {"organ_id": "Id, such as ORG-02."},
        "contract": {"contract_no": "No., such as SC-22 (organ has it)."},
        "absences": {"staff_no": "Staff number, such as TN-01, or all."},
        "book": {"technician": "Name of the technician.", "day": "Day."},
        "stops": {"organ_code": "Id such as ORG-02, or its name."},
        "room": {"room_no": "Room, such as A12."},
        "hold": {"hold_no": "Hold, such as C12."},
        "staff": {"who": "First name, surname, or the staff number."},
        "ride": {"ride_code": "Code, such as TRN-09. Names are not accepted."},
        "route": {"route_id": "Number, such as RT-05 (find_routes finds it by name)."},
    }.items()
}


@pytest.mark.parametrize(
    ("tool", "args", "stands"),
    [
        ("contract", {"contract_no": "ORG-09"}, False),
        ("contract", {"contract_no": "the old one"}, False),
        ("absences", {"staff_no": "Owen Thackray"}, False),
        ("book", {"technician": "TN-06"}, False),
        ("ride", {"ride_code": "Swallowtail"}, False),
        ("route", {"route_id": "Mill Bank"}, False),
        ("contract", {"contract_no": "SC-31"}, True),
        ("contract", {"contract_no": "OLD-A"}, True),
        ("staff", {"who": "TN-06"}, True),
        ("contract", {"contract_no": "sc-31"}, True),
        ("absences", {"staff_no": "all"}, True),
        ("book", {"technician": "Owen", "day": "2032-11-25"}, True),
        ("stops", {"organ_code": "St Bride"}, True),
        ("room", {"room_no": "B7"}, True),
        ("room", {"room_no": "C3"}, True),
        ("organ", {"organ_id": 9}, True),
    ],
)
def test_an_id_of_another_thing_or_a_name_for_an_id_does_not_stand(tool, args, stands):
    said = f"About {' and '.join(map(str, args.values()))}, please."
    made = review(Decision(calls=(call(tool, **args),)), said, [UserMessage(said)], ORGANS)
    assert bool(made.calls) is stands
    if not stands:
        assert made.refused is not None
        assert made.refused.reason == "id"
        assert made.complaint is not None
        assert "Find it with a tool, or ask the user for it." in made.complaint


@pytest.mark.parametrize(
    ("said", "value", "prompt", "stands"),
    [
        ("How old is the dog?", "Rex", "", False),
        ("how old is rex", "Rex", "", True),
        ("How old is Lantern Skery?", "Lantern Skerry", "", True),
        ("How old is Lantern Sky?", "Lantern Skerry", "", False),
        ("How old is the camelia house?", "Marlipit Camelia House", "", False),
        ("And the house dog?", "Rex", "The house dog is called Rex.", True),
        ("How old is the dog?", "Bella", "", True),
        ("那只狗多大？", "Rex", "", True),
        ("How old is the dog?", "dog", "", True),
    ],
)
def test_a_name_from_nowhere_does_not_stand(said, value, prompt, stands):
    tools = {"dog": ToolSpec(name="dog", description="", parameters=described(name="Name: Bella, Max."), effect="read")}
    made = review(Decision(calls=(call("dog", name=value),)), said, [UserMessage(said)], tools, prompt)
    assert bool(made.calls) is stands
    tools["dog"] = ToolSpec(name="dog", description="", parameters=described(name="Name."), effect="write")
    assert review(Decision(calls=(call("dog", name=value),)), said, [UserMessage(said)], tools, prompt).calls


@pytest.mark.parametrize(
    ("shown", "stands"),
    [
        ('{"contract_no": "ORG-09"}', True),
        ("contract_no: ORG-09", True),
        ('{"old_contract_no": "ORG-09"}', False),
        ('{"organ": "ORG-09"}', False),
        ('{"contract_no": "ORG-091"}', False),
    ],
)
def test_what_a_tool_told_under_the_name_of_the_parameter_fits_it(shown, stands):
    said = "The contract of ORG-09?"
    messages = [UserMessage(said), *observed(shown)]
    made = review(Decision(calls=(call("contract", contract_no="ORG-09"),)), said, messages, ORGANS)
    assert bool(made.calls) is stands


def test_what_a_tool_told_as_the_id_of_one_thing_is_none_of_another():
    tools = reading(organ={"organ_id": "Such as ORG-02."}, contract={"id": "Such as SC-22."})
    said = "The contract of ORG-09?"
    messages = [UserMessage(said), *observed('{"id": "ORG-09"}')]
    made = review(Decision(calls=(call("contract", id="ORG-09"),)), said, messages, tools)
    assert made.refused is not None


def test_what_is_no_such_id_is_told_with_what_the_parameter_says():
    wanted = Decision(calls=(call("contract", contract_no="ORG-09"),))
    made = review(wanted, "ORG-09?", [UserMessage("ORG-09?")], ORGANS)
    assert made.complaint == (
        "'ORG-09' is no `contract_no` (No., such as SC-22 (organ has it)). Find it with a tool, or ask the user for it."
    )


def reading(**tools):
    return {
        name: ToolSpec(name=name, description="", parameters=described(**texts), effect="read")
        for name, texts in tools.items()
    }


ARCHIVE = reading(
    list_items={"collection": "The collection's reference, such as D901; not its name."},
    item_record={"item": "Its reference (shelfmark), such as D901/4."},
    box_location={"box": "The box number, such as BX-9001; item_record has it for an item."},
    loan_record={"loan": "Its number, such as L-90/01, or a word of the exhibition."},
    free_seats={"seat": "The seat, such as A9.", "day": "The day, such as 2029-09-01."},
    faults={"asset": "An id such as FC-2 or CL-1."},
    reader={"reader": "Ticket number, such as HX9001, or name."},
)


@pytest.mark.parametrize(
    ("tool", "args", "takers"),
    [
        ("box_location", {"box": "B9/3"}, "item_record takes it as `item`, loan_record takes it as `loan`"),
        ("box_location", {"box": "D240/2"}, "item_record takes it as `item`"),
        ("list_items", {"collection": "D266/3"}, "item_record takes it as `item`"),
        ("item_record", {"item": "D231"}, "list_items takes it as `collection`"),
        ("item_record", {"item": "REQ-7768"}, "Its reference (shelfmark), such as D901/4"),
        ("item_record", {"item": "M12/3"}, None),
        ("free_seats", {"seat": "L3"}, None),
        ("box_location", {"box": "bx-0511"}, None),
        ("reader", {"reader": "HX 4150"}, None),
    ],
)
def test_the_id_of_another_thing_is_sent_back_with_the_tool_that_takes_it(tool, args, takers):
    (name, value), said = next(iter(args.items())), f"About {' '.join(args.values())}."
    made = review(Decision(calls=(call(tool, **args),)), said, [UserMessage(said)], ARCHIVE)
    wanted = f"{value!r} is no `{name}` ({takers}). Find it with a tool, or ask the user for it."
    assert made.complaint == (wanted if takers else None)


def test_a_tool_that_was_asked_for_the_id_is_not_named_again():
    asked = AssistantMessage(calls=(call("item_record", item="D240/2"),))
    messages = [UserMessage("Where is D240/2?"), asked, ToolMessage(call_id="1", tool="item_record", content="{}")]
    made = review(Decision(calls=(call("box_location", box="D240/2"),)), "Where is D240/2?", messages, ARCHIVE)
    assert made.complaint is not None
    assert "(The box number, such as BX-9001; item_record has it for an item)" in made.complaint


@pytest.mark.parametrize(
    ("tool", "args", "said", "stands"),
    [
        ("reader", {"reader": "HX9001"}, "Who sits at M1?", False),
        ("reader", {"reader": "HX9001"}, "Who is hx-9001?", True),
        ("reader", {"reader": "HX4150"}, "Who sits at M1?", True),
        ("list_items", {"collection": "D901"}, "Which of them are maps?", False),
        ("free_seats", {"day": "2029-09-01"}, "Is a seat free?", False),
        ("free_seats", {"day": "2029-09-01"}, "Is a seat free on 1 September?", True),
        ("free_seats", {"day": "2029-09-01"}, "Free in September?", True),
        ("free_seats", {"day": "2029-09-01"}, "may i have a seat?", False),
        ("faults", {"asset": "CL-1"}, "Has the chairlift a fault?", True),
    ],
)
def test_the_example_of_a_description_is_no_value(tool, args, said, stands):
    made = review(Decision(calls=(call(tool, **args),)), said, [UserMessage(said)], ARCHIVE)
    assert bool(made.calls) is stands


def test_the_figures_of_another_id_are_not_given():
    wanted = Decision(calls=(call(owner_id="OW-2040"),))
    assert reason(wanted, "Who owns LF-2040?") == "id"
    assert reason(wanted, "Who is owner 2040?") == ""


@pytest.mark.parametrize(
    ("number", "said", "stands"), [("14", "Postage?", False), ("07", "?", False), ("07", "07?", True)]
)
def test_figures_of_the_prompt_and_the_time_of_the_day_give_no_id(number, said, stands):
    tools = reading(supplier={"supplier_no": "Such as S-01."})
    messages = [note("context", "Wednesday 2031-10-15, in the week from 10-13. 07:42 UTC."), UserMessage(said)]
    made = review(Decision(calls=(call("supplier", supplier_no=f"S-{number}"),)), said, messages, tools, "14 days.")
    assert bool(made.calls) is stands


@pytest.mark.parametrize(
    ("tool", "value", "stands"),
    [
        ("card", "Ann Grell", False),
        ("card", "BT-07", False),
        ("card", "MB-1077", True),
        ("findCard", "Ann Grell", True),
    ],
)
def test_names_of_tools_and_parameters_in_camel_case_are_read_like_others(tool, value, stands):
    tools = reading(
        card={"cardId": "Such as MB-1044. findCard gives it for a name."}, findCard={"holderName": "Holder."}
    )
    said, args = f"About {value}.", {"cardId" if tool == "card" else "holderName": value}
    tools |= reading(boat={"boat": "Such as BT-01."})
    made = review(Decision(calls=(call(tool, **args),)), said, [UserMessage(said)], tools)
    assert bool(made.calls) is stands


def test_an_id_that_was_observed_stands_and_one_that_was_complained_of_does_not():
    wanted = Decision(calls=(call(crate_id="CR-31"),))
    assert reason(wanted, "How heavy is it?", *observed('[{"crate_id": "CR-31"}]')) == ""
    assert reason(wanted, "How heavy is it?", note("complaint", "Nobody gave 'CR-31' as `crate_id`.")) == "id"


def test_a_call_is_repeated_only_within_its_question_and_while_nothing_was_changed():
    again = Decision(calls=(call(crate_id="CR-7"),))
    made = observed("12 kg", call(crate_id="CR-7"))
    assert reason(again, "Weigh CR-7.", *made) == "repeated"
    assert reason(again, "Weigh CR-7.", *made, *observed("06:10", call("sunrise", city="Bonn"))) == "repeated"
    assert reason(again, "Weigh CR-7.", *made, *observed("done", call("fill_crate", crate_id="CR-7"))) == ""
    assert reason(again, "Weigh CR-7.", *made, AssistantMessage(text="12 kg."), UserMessage("And now?")) == ""


@pytest.mark.parametrize(
    ("day", "stands"),
    [
        ("2022-02-14", False),
        ("2022-02", False),
        ("2032-02-14", True),
        ("2033-01-01", True),
        ("2031-12", True),
        ("H-2022", True),
    ],
)
def test_a_day_of_a_year_that_nobody_spoke_of_is_sent_back(day, stands):
    messages = [
        note("context", "Thursday 12 February 2032, 10:00 UTC."),
        UserMessage(content="Who is on duty on 14 feb?"),
    ]
    call = ToolCall(id="1", tool="roster", args={"day": day})
    made = review(Decision(calls=(call,)), "Who is on duty on 14 feb?", messages, {"roster": None})
    assert bool(made.calls) is stands
    assert stands or made.complaint == f"Nobody spoke of the year of {day!r}. It is 2032: {'2032' + day[4:]!r}."


def test_the_year_that_the_prompt_tells_is_spoken_of():
    messages = [note("context", "Thursday 12 February 2032, 10:00 UTC."), UserMessage(content="And on 23 June?")]
    decision = Decision(calls=(ToolCall(id="1", tool="roster", args={"day": "2034-06-23"}),))
    assert review(decision, "And on 23 June?", messages, {"roster": None}, "It is 2 June 2034 here.").calls
    assert not review(decision, "And on 23 June?", messages, {"roster": None}).calls


def test_without_any_year_told_no_day_is_strange():
    call = ToolCall(id="1", tool="roster", args={"day": "2022-02-14"})
    assert review(Decision(calls=(call,)), "Who?", [UserMessage(content="Who?")], {"roster": None}).calls


@pytest.mark.parametrize(
    "question", ["Who was on duty on 14 feb 22?", "Who was on duty ten years ago?", "Wer vor zehn Jahren?"]
)
def test_a_year_that_is_said_otherwise_stands(question):
    built = ToolMessage(call_id="0", tool="hut", content='{"built": 1998}')
    messages = [built, note("context", "Thursday 12 February 2032, 10:00 UTC."), UserMessage(content=question)]
    call = ToolCall(id="1", tool="roster", args={"day": "2022-02-14"})
    assert review(Decision(calls=(call,)), question, messages, {"roster": None}).calls
    asked = review(Decision(calls=(call,)), "Who is it on 14 feb?", messages[:2], {"roster": None})
    assert asked.complaint == "Nobody spoke of the year of '2022-02-14'. It is 2032: '2032-02-14'."


@pytest.mark.parametrize(("question", "stands"), [("Move it to 19 may", False), ("Was it on 5/19/19?", True)])
def test_the_day_of_a_month_is_no_short_year(question, stands):
    messages = [note("context", "Wednesday 15 March 2028, 10:00 UTC."), UserMessage(content=question)]
    call = ToolCall(id="1", tool="move", args={"day": "2019-05-19"})
    assert bool(review(Decision(calls=(call,)), question, messages, {"move": None}).calls) is stands


@pytest.mark.parametrize(
    "shape", [True, {"anyOf": True}, {"anyOf": [True, {"description": 5}]}, {"description": ["such as SC-1"]}, []]
)
def test_a_schema_that_is_none_says_nothing(shape):
    tools = {"x": ToolSpec(name="x", description="", parameters={"properties": {"contract_no": shape}}, effect="read")}
    tools["y"] = ToolSpec(name="y", description="", parameters={"properties": shape}, effect="read")
    for name in tools:
        asked = Decision(calls=(call(name, contract_no="the old one", name="Rex"),))
        assert review(asked, "The old one of Rex?", [UserMessage("The old one of Rex?")], tools).calls


BOOK = ToolSpec(
    name="book",
    description="",
    effect="write",
    parameters={
        "type": "object",
        "properties": {
            "hut": {"type": "string"},
            "arrive": {"type": "string"},
            "nights": {"type": "integer"},
            "bunks": {"type": "integer", "default": 1},
            "fee": {"type": "number"},
            "room": {"type": "integer"},
        },
    },
)
ROWS = observed('[{"hut":"Birk","free":17,"opens":"2029-05-26"},{"hut":"Fell","free":17,"price":38.4}]')


@pytest.mark.parametrize(
    ("said", "args", "unsaid"),
    [
        ("Book Birk for two nights from Friday.", {"arrive": "2029-09-21", "nights": 2}, ""),
        ("Bitte Birk für zwei Nächte ab dem 21.9. buchen.", {"arrive": "2029-09-21", "nights": 2}, ""),
        ("请帮我订 Birk，住两个晚上，明天到。", {"arrive": "2029-09-21", "nights": 2}, ""),
        ("Birk from the 20th to the 23rd.", {"arrive": "2029-09-20", "nights": 3}, ""),
        ("Birk, 3 nights, twenty bunks.", {"nights": 3, "bunks": 20}, ""),
        ("All the bunks at Birk, tomorrow.", {"bunks": 17}, ""),
        ("The day that Birk opens.", {"arrive": "2029-05-26"}, ""),
        ("请订Birk从星期五开始共12晚。", {"arrive": "2029-09-21", "nights": 12}, ""),
        ("Birk ab Freitagvormittag, drei Nächte.", {"arrive": "2029-09-21", "nights": 3}, ""),
        ("An hour and a half at Birk.", {"nights": 90}, ""),
        ("Half a dozen at Birk, fifty for each.", {"nights": 6, "fee": 50}, ""),
        ("Eine Nacht in Birk.", {"nights": 1}, ""),
        ("Birk from tomorrow for a week, bunks x4.", {"arrive": "2029-09-21", "nights": 7, "bunks": 4}, ""),
        ("Birk,1000 一晚", {"fee": 1000}, ""),
        ("Half an hour, one and a half kilos.", {"nights": 30, "fee": 1.5}, ""),
        ("A bunk at Birk.", {"bunks": 1}, ""),
        ("A fee of 1,250.50 for Birk.", {"fee": 1250.5}, ""),
        ("Book Birk for two nights.", {"arrive": "2029-09-20", "nights": 2}, "arrive"),
        ("Book Birk, please, from Friday.", {"arrive": "2029-09-21", "nights": 5}, "nights"),
        ("Have some bunks kept at Birk.", {"bunks": 100}, "bunks"),
        ("Have B12 kept at Birk.", {"bunks": 12}, "bunks"),
        ("Have room R12 kept at Birk.", {"room": 12}, ""),
        ("Have K12 kept at Birk.", {"room": 12}, "room"),
        ("Have some bunks kept at H-100.", {"bunks": 7}, "bunks"),
    ],
)
def test_a_number_or_day_that_nobody_gave_changes_nothing(said, args, unsaid):
    today = note("context", "It is Thu 2029-09-20, 9:05.")
    messages = [today, UserMessage(said), *ROWS]
    found = review(Decision(calls=(call("book", hut="Birk", **args),)), said, messages, {"book": BOOK})
    assert (found.refused.parameter if found.refused else "") == unsaid
    assert found.complaint is None or "ask the user" in found.complaint


@pytest.mark.parametrize(("number", "unsaid"), [(2, ""), (3, "nights")])
def test_a_number_may_count_how_often_a_text_of_the_call_was_observed(number, unsaid):
    said = "Say spare where it says free."
    decision = Decision(calls=(call("book", hut='"free"', nights=number),))
    found = review(decision, said, [UserMessage(said), *ROWS], {"book": BOOK})
    assert (found.refused.parameter if found.refused else "") == unsaid


def test_a_number_that_nobody_gave_may_be_looked_up():
    reads = msgspec.structs.replace(BOOK, effect="read")
    assert review(Decision(calls=(call("book", nights=9),)), "Birk?", [], {"book": reads}).complaint is None
