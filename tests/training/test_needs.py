"""First thoughts name the tool that tells what is asked, and where each of its arguments comes from."""

import datetime

import msgspec
import pytest
from training.data.conversation import Answer, Call, Conversation, Exchange, ToolText, Wanted
from training.data.needs import Said, asking, needs
from training.data.plans import MAX_THOUGHT, with_needs
from training.data.values import Rng

TODAY = datetime.date(2028, 3, 15)


def tool(name, /, *required, **more):
    properties = {key: {"type": "string"} for key in (*required, *more)}
    return ToolText(name, f"The {name}.", {"type": "object", "properties": properties, "required": list(required)})


TOOLS = {
    each.name: each for each in (tool("find_boat", "name"), tool("berth", "boat", day=1), tool("moor", "boat", "place"))
}
FIND = Call("I search.", "find_boat", {"name": "Tansy"}, '[{"boat":"B-417","name":"Tansy"}]')
BERTH = Call("Now it.", "berth", {"boat": "B-417"}, '{"pier":"N12","warden":"Ada"}')
WARDEN = Call("And who.", "person", {"who": "Ada"}, '{"phone":"0123"}')


def said(question, before=""):
    return Said(question, before, TODAY)


@pytest.mark.parametrize(
    ("question", "calls", "expected"),
    [
        ("Which boat is Tansy?", [FIND], "find_boat: name Tansy."),
        ("Where does B-417 lie?", [BERTH], "berth: boat B-417."),
        ("Where does Tansy lie?", [FIND, BERTH], "berth: boat missing; find_boat: name Tansy."),
        (
            "Who looks after tansy? Phone?",
            [FIND, BERTH, WARDEN],
            "person: who missing; berth: boat missing; find_boat: name Tansy.",
        ),
        ("All boats?", [Call("t", "boats", {}, "[]")], "boats."),
        (
            "Tansy and B-9?",
            [FIND, BERTH, Call("t", "berth", {"boat": "B-9"}, "{}")],
            "berth 2 times: boat missing and B-9; find_boat: name Tansy.",
        ),
        ("Tansy, and the tide?", [FIND, Call("t", "tide", {}, "{}")], "find_boat: name Tansy; then tide."),
        (
            "Two seats and a note for Tansy.",
            [Call("t", "book", {"seats": 2, "note": "x" * 90, "flag": True, "ids": [4, 5]}, "")],
            "book: seats Two, note said, flag true, ids 4 and 5.",
        ),
    ],
)
def test_the_way_is_told_backwards_with_what_is_said_and_what_is_missing(question, calls, expected):
    assert needs(calls, said(question), TOOLS) == expected


@pytest.mark.parametrize(
    ("question", "day", "expected"),
    [
        ("this friday", "2028-03-17", "day this friday = 2028-03-17"),
        ("tomorrow", "2028-03-16", "day tomorrow = Thursday 2028-03-16"),
        ("friday next week", "2028-03-24", "day friday next week = 2028-03-24"),
        ("on 2028-05-19", "2028-05-19", "day 2028-05-19"),
        ("19 may.", "2028-05-19", "day 19 may = 2028-05-19"),
        ("3 月 20 日", "2028-03-20", "day 3 月 20 日 = 2028-03-20"),
        ("whenever", "2028-03-10", "day Friday, 5 days ago, 2028-03-10"),
        ("last month", "2028-02", "day last month = 2028-02"),
    ],
)
def test_a_day_stands_beside_the_words_it_was_said_in(question, day, expected):
    call = Call("t", "berth", {"boat": "B-417", "day": day}, "")
    assert needs([call], said(f"B-417 {question}"), TOOLS) == f"berth: boat B-417, {expected}."


def test_what_a_later_call_takes_that_nobody_said_is_not_known_yet():
    change = Call(
        "t", "change", {"file": "a.py", "after": "1800, [query]", "line": 7, "currency": "EUR", "kind": "exact"}, ""
    )
    seen = Call("t", "find", {"name": "wait"}, '{"file":"a.py","price_eur":4}')
    plan = needs([seen, change], said("Make wait 1800."), {})
    assert plan == ("change: file missing, after missing, line missing, currency missing, kind exact; find: name wait.")
    assert needs([change], said("a.py"), {}).startswith("change: file a.py, after 1800, [query], line 7")
    more = Call("t", "read_result", {"result": "r1"}, "B-9")
    assert (
        needs([FIND, more, BERTH], said("Where does Tansy lie?"), TOOLS)
        == "berth: boat missing; find_boat: name Tansy."
    )


def test_the_one_day_of_a_period_is_told_once():
    call = Call("t", "log", {"first": "2028-03-16", "last": "2028-03-16"}, "")
    assert needs([call], said("tomorrow"), {}) == "log: first tomorrow = Thursday 2028-03-16, last 2028-03-16."


def test_every_look_up_that_a_call_needs_is_named():
    moor = Call("t", "moor", {"boat": "B-417", "place": "N12"}, "done")
    place = Call("t", "find_place", {"name": "north pier"}, '{"place":"N12"}')
    plan = needs([FIND, place, moor], said("Moor Tansy at the north pier."), TOOLS)
    assert plan == "moor: boat missing, place missing; find_place: name north pier; find_boat: name Tansy."
    kinds = Call("t", "price_list", {"kind": "cold_store"}, "[]")
    unit = Call("t", "get_unit", {"unit": "CS-2"}, '{"kind":"cold_store"}')
    assert (
        needs([unit, kinds], said("CS-2 a day?", "We hire cold stores."), {})
        == "price_list: kind missing; get_unit: unit CS-2."
    )


def test_what_was_told_before_is_said():
    assert needs([BERTH], said("And where is it?", "Tansy is B-417."), TOOLS) == "berth: boat B-417."


def test_what_no_tool_tells_is_asked_for():
    wants = Wanted("moor", {"boat": "B-417"})
    assert asking(wants, said("Moor B-417."), TOOLS) == "moor: boat B-417, place missing, and nobody said it."
    looked_up = Wanted("moor", {}, ("place",))
    assert asking(looked_up, said("Moor Tansy."), TOOLS) == "moor: boat to look up, place missing, and nobody said it."


def planned(*steps, at=0, seed=1, question="Where does Tansy lie?"):
    made = Conversation("x", (Exchange(question, steps),))
    rng = Rng(seed)
    rng.today = TODAY
    return with_needs(rng, made, "You help.", tuple(TOOLS.values())).exchanges[0].steps[at]


def test_a_turn_begins_so_and_goes_on_so_after_what_came_to_nothing():
    answer, failed = Answer("t", "N12."), msgspec.structs.replace(FIND, observation="There is none.", failed=True)
    assert planned(FIND, BERTH, answer).thought == "berth: boat missing; find_boat: name Tansy."
    assert planned(FIND, BERTH, answer, at=1).thought == "Now it."
    assert planned(failed, BERTH, answer).thought == "find_boat: name Tansy."
    assert planned(failed, FIND, BERTH, answer, at=1).thought == "I search. berth: boat missing; find_boat: name Tansy."
    mistake = msgspec.structs.replace(BERTH, learned=False)
    assert planned(mistake, FIND, BERTH, answer).thought == "berth: boat B-417."
    assert planned(mistake, FIND, BERTH, answer, at=1).thought.endswith("berth: boat missing; find_boat: name Tansy.")
    asks = Answer("Nobody said where.", "Where?", Wanted("moor", {"boat": "B-417"}))
    assert planned(asks, question="Moor B-417.").thought.startswith("moor: boat B-417, place missing")
    elsewhere = msgspec.structs.replace(asks, wants=Wanted("sell", {}))
    assert planned(elsewhere).thought == "Nobody said where."


def test_a_name_that_is_searched_for_twice_is_planned_for_as_one_that_is_found_at_once():
    nothing = msgspec.structs.replace(FIND, observation="[]")
    again = msgspec.structs.replace(FIND, args={"name": "Tans"})
    assert planned(nothing, again, BERTH, Answer("t", "N12.")).thought == "berth: boat missing; find_boat: name Tansy."


def test_what_a_result_does_not_tell_was_planned_for():
    asks = Answer("Two fit.", "Which one?", Wanted("berth", {}, ("boat",)))
    assert planned(FIND, asks).thought == "berth: boat missing; find_boat: name Tansy."
    way = msgspec.structs.replace(asks, wants=Wanted("berth", {}, (), (FIND, BERTH, WARDEN)))
    assert planned(FIND, way).thought == "person: who missing; berth: boat missing; find_boat: name Tansy."
    elsewhere = msgspec.structs.replace(asks, wants=Wanted("sell", {}))
    assert planned(FIND, elsewhere).thought == "find_boat: name Tansy."


def test_a_thought_that_would_be_too_long_stays_as_it_was():
    call = Call("I write.", "write", {f"text_{number}": f"{number} {'word ' * 7}" for number in range(20)}, "")
    assert planned(call, Answer("t", "Done.")).thought == "I write."
    assert len("I write.") < MAX_THOUGHT


def test_a_plan_that_ends_too_early_is_not_learned_and_what_is_there_counts():
    begun = [(planned(FIND, BERTH, Answer("t", "N12."), seed=seed), seed) for seed in range(300)]
    short = [(first, seed) for first, seed in begun if not first.learned]
    assert 5 < len(short) < 50
    first, seed = short[0]
    assert first.thought == "find_boat: name Tansy."
    second = planned(FIND, BERTH, Answer("t", "N12."), at=1, seed=seed)
    assert second.thought == "That is not all. Now it. berth: boat B-417." and second.learned
    failed = msgspec.structs.replace(FIND, failed=True)
    assert all(planned(failed, BERTH, Answer("t", "?"), seed=seed).learned for seed in range(200))


def test_a_plan_that_goes_on_for_what_is_told_already_is_not_learned():
    steps = (FIND, Answer("Tansy is B-417.", "B-417."))
    begun = [(planned(*steps, seed=seed, question="Which boat is Tansy?"), seed) for seed in range(400)]
    long = [(first, seed) for first, seed in begun if not first.learned]
    assert 3 < len(long) < 60
    for first, seed in long:
        assert first.thought == "berth: boat missing; find_boat: name Tansy."
        answer = planned(*steps, seed=seed, at=1, question="Which boat is Tansy?")
        assert answer.thought == "It is told already. Tansy is B-417."
    nothing = msgspec.structs.replace(FIND, observation="[]")
    assert all(planned(nothing, steps[1], seed=seed).learned for seed in range(200))


def test_after_a_call_that_was_refused_the_tool_that_fits_is_called():
    specs = {
        "find_boat": {"name": {"type": "string", "description": "The boat's name."}},
        "berth": {"boat": {"type": "string", "description": "The boat's number, such as B-100."}},
        "crew": {"crew_id": {"type": "string", "description": "Like C-22."}},
    }
    tools = [
        ToolText(name, "…", {"type": "object", "properties": each, "required": list(each)})
        for name, each in specs.items()
    ]

    def begun(question, *steps):
        made = Conversation("x", (Exchange(question, (*steps, Answer("t", "N12."))),))
        for seed in range(400):
            rng = Rng(seed)
            rng.today = TODAY
            exchange = with_needs(rng, made, "You help.", tools).exchanges[0]
            if exchange.rejected is not None:
                assert exchange.steps[0].learned and exchange.rejected_at == 0
                yield exchange.rejected.tool, exchange.rejected.args, exchange.steps[0].thought.partition(". ")

    late = list(begun("Where does Tansy lie?", FIND, BERTH))
    assert 10 < len(late) < 120
    assert {rest for _, _, (_, _, rest) in late} == {"berth: boat missing; find_boat: name Tansy."}
    told = {(tool, args["boat"], why) for tool, args, (why, _, _) in late}
    assert told == {("berth", "B-100", "Nobody gave the boat")}
    other = list(begun("Where does B-417 lie?", BERTH))
    assert {(tool, *args.values(), why) for tool, args, (why, _, _) in other} == {
        ("crew", "B-417", "B-417 is no crew id"),
        ("crew", "B-417", "B-417 is not the crew id"),
        ("find_boat", "B-417", "B-417 is no name"),
        ("find_boat", "B-417", "B-417 is not the name"),
    }
    assert {rest for _, _, (_, _, rest) in other} == {"berth: boat B-417."}
    assert not [*begun("Where does B-417 lie?", msgspec.structs.replace(BERTH, failed=True, learned=False))]
