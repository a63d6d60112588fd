"""Decisions in short, as small models are asked for them."""

from typing import Any

import pytest

from glassloop.core.messages import Abilities, AssistantMessage, Reply, ToolSpec
from glassloop.core.ports import Delta
from glassloop.core.protocols import get_protocol
from glassloop.core.protocols.brief_json_protocol import write_brief_decisions
from glassloop.core.records import ToolCall

BRIEF = get_protocol("json", Abilities(small=True))


def spec(name: str, **properties: Any) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=f"Does {name}.",
        parameters={"type": "object", "properties": properties, "required": list(properties)},
    )


TOOLS = {one.name: one for one in (spec("weigh", item={"type": "string"}), spec("answer", text={"type": "string"}))}


def read(text: str) -> tuple[list[Delta], Any]:
    reader = BRIEF.reader(TOOLS)
    shown = [delta for character in text for delta in reader.feed(character)]
    held, decision = reader.finish(Reply(message=AssistantMessage(text=text)))
    return [*shown, *held], decision


def test_only_small_models_are_asked_in_short() -> None:
    assert get_protocol("json", Abilities()) is get_protocol("json")
    assert BRIEF is not get_protocol("json")
    assert BRIEF.name == "json"
    assert get_protocol("native", Abilities(small=True)) is get_protocol("native")


def test_the_tool_s_name_as_the_action_is_a_call_and_its_arguments_are_shown_as_they_come() -> None:
    shown, decision = read('{"thought":"Weigh it.","action":"weigh","args":{"item":"the box"}}')
    assert decision.thought == "Weigh it."
    assert [(call.tool, call.args) for call in decision.calls] == [("weigh", {"item": "the box"})]
    arguments = [delta for delta in shown if delta.kind == "arguments"]
    assert len(arguments) > 5
    assert {delta.tool for delta in arguments} == {"weigh"}


def test_an_answer_is_shown_as_it_comes() -> None:
    shown, decision = read('{"thought":"Known.","action":"answer","response":"It weighs 3 kg."}')
    assert decision.answer == "It weighs 3 kg."
    assert len([delta for delta in shown if delta.kind == "text"]) > 5
    assert len([delta for delta in shown if delta.kind == "thought"]) > 3


def test_what_a_call_is_written_as_reads_back_as_the_same_call() -> None:
    for tool, args in (("weigh", {"item": 'a <b> "c"'}), ("answer", {"text": "x"})):
        _, decision = read(write_brief_decisions("Why.", (ToolCall(id="1", tool=tool, args=args),)))
        assert [(call.tool, call.args) for call in decision.calls] == [(tool, args)]
        assert decision.thought == "Why."


def test_the_schema_has_one_branch_a_tool_and_one_for_the_answer() -> None:
    branches: Any = (BRIEF.frame("P", TOOLS).schema or {})["anyOf"]
    actions = [branch["properties"]["action"]["const"] for branch in branches]
    assert actions == ["weigh", "tool", "answer"]
    assert branches[1]["properties"]["tool"]["const"] == "answer"
    for branch in branches:
        assert list(branch["properties"]) == branch["required"]


def test_the_prefix_does_not_change_with_the_shortlist() -> None:
    assert BRIEF.frame("P", TOOLS).system == BRIEF.frame("P", TOOLS, list(TOOLS)[:1]).system


def test_the_prefix_tells_choices_and_numbers_but_neither_strings_nor_null() -> None:
    edge = {"anyOf": [{"type": "string", "enum": ["raw", "fine"]}, {"type": "null"}]}
    tools = {"cut": spec("cut", length={"type": "integer"}, edge=edge, wood={"type": "string"})}
    assert '- cut(length: integer, edge: "raw"|"fine", wood): Does cut.' in BRIEF.frame("P", tools).system


def test_a_long_type_is_told_once_for_parameters_of_one_name() -> None:
    period = {"type": "string", "enum": [f"last_{number}_days" for number in range(12)]}
    tools = {name: spec(name, period=period, kind={"enum": ["a", "b"]}) for name in ("sales", "costs")}
    system = BRIEF.frame("P", tools).system
    assert system.count('"last_7_days"') == 1
    assert '- costs(period, kind: "a"|"b")' in system


def test_many_tools_are_told_with_fewer_words_each_and_none_is_left_out() -> None:
    many = {f"tool_{n}": ToolSpec(name=f"tool_{n}", description="word " * 50, parameters={}) for n in range(100)}
    system = BRIEF.frame("P", many).system
    assert len(system) < 7500
    assert all(f"- tool_{n}(): word" in system for n in range(100))


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"description": "The product's number, such as SKU-100."}, "item like SKU-100"),
        ({"description": "Such as SKU-100."}, "item like SKU-100"),
        ({"description": "The day as YYYY-MM-DD."}, "item like YYYY-MM-DD"),
        ({"description": "A code, e.g. 'B7', of the place"}, "item like B7"),
        ({"examples": ["T-517", "T-9"]}, "item like T-517"),
        ({"description": "An expression such as 15% of 80"}, "weigh(item)"),
        ({"description": "Seen as useful, such as it is"}, "weigh(item)"),
        ({"description": "such as " + "X" * 60}, "weigh(item)"),
        ({"examples": [{"a": 1}], "description": 3}, "weigh(item)"),
        ({"description": "Name or id of the hut."}, "weigh(item: name or id)"),
        ({"description": "The company's name or a part of it."}, "weigh(item: name)"),
        ({"description": "The number plate or the nickname painted on the cab."}, "weigh(item: name or number)"),
        ({"description": "Number such as P01, or the path's name."}, "weigh(item like P01 or by name)"),
        ({"description": "Number such as P01 or the path's name."}, "weigh(item like P01 or by name)"),
        ({"description": "Part of the buyer's name, or the number, such as K10400."}, "(item like K10400 or by name)"),
        ({"description": "Name of the depot or a part of it, such as Northfold."}, "weigh(item like Northfold)"),
        ({"description": "The part number. Names are not accepted."}, "weigh(item)"),
        ({"description": "The account, such as C/0399-Z. No names."}, "weigh(item like C/0399-Z)"),
        ({"description": "Number of the route (find_routes finds it by name)."}, "weigh(item)"),
        ({"description": "Five digits; a partner's card names it."}, "weigh(item)"),
        ({"description": "Such as K20999; find_buyers finds it by name."}, "weigh(item like K20999)"),
        ({"description": "The number, such as P6.99, see find_parts by name."}, "weigh(item like P6.99)"),
        ({"description": "Such as K20999, or the buyer_name, or just the name."}, "weigh(item like K20999 or by name)"),
        ({"description": "The number, such as L-90/01, or the title."}, "weigh(item like L-90/01 or by name)"),
        ({"description": "The number, such as L-90/01. Not the title."}, "weigh(item like L-90/01)"),
        ({"description": "Number, such as RT-05 (find_routes finds it by name)."}, "weigh(item like RT-05)"),
        ({"description": "A word (or the number, such as RT-05)."}, "weigh(item like RT-05)"),
    ],
)
def test_how_a_value_is_written_is_told_where_the_tool_shows_it(schema: dict[str, Any], told: str) -> None:
    framing = BRIEF.frame("You help.", {"weigh": spec("weigh", item={"type": "string", **schema})})
    assert told in framing.system


def test_that_a_parameter_named_so_takes_a_name_is_not_told_twice() -> None:
    schema = {"type": "string", "description": "The customer's name."}
    assert "weigh(first_name)" in BRIEF.frame("P", {"weigh": spec("weigh", first_name=schema)}).system


def test_where_a_text_does_as_well_as_an_object_its_example_is_told() -> None:
    area = {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}}
    either: dict[str, Any] = {"anyOf": [{"type": "string"}, area]}
    assert "search(where: string|{lat" in BRIEF.frame("P", {"search": spec("search", where=either)}).system
    shown = spec("search", where={**either, "examples": ["Bonn"]})
    assert "search(where like Bonn)" in BRIEF.frame("P", {"search": shown}).system
