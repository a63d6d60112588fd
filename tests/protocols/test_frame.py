"""How each protocol asks."""

import json

import pytest

from glassloop.core.errors import UnknownName
from glassloop.core.messages import Abilities, ToolSpec
from glassloop.core.protocols import choose_protocol, get_protocol
from glassloop.core.protocols.result_pages import READ_RESULT


def strings_in(schema):
    """Every schema of a string, wherever it stands."""
    if isinstance(schema, dict):
        kind = schema.get("type")
        if kind == "string" or (isinstance(kind, list) and "string" in kind):
            yield schema
        for value in schema.values():
            yield from strings_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from strings_in(value)


@pytest.mark.parametrize("name", ["native", "json", "text"])
def test_protocol_is_found_by_its_name(name):
    assert get_protocol(name).name == name


def test_unknown_protocol_is_named_with_the_ones_there_are():
    with pytest.raises(UnknownName, match=r"'xml'.*native, json, text"):
        get_protocol("xml")


@pytest.mark.parametrize(
    ("preferred", "able", "chosen"),
    [
        ("native", True, "native"),
        ("native", False, "json"),
        ("json", True, "json"),
        ("json", False, "json"),
        ("text", True, "text"),
        ("text", False, "text"),
    ],
)
def test_native_becomes_json_for_models_without_tools(preferred, able, chosen):
    assert choose_protocol(preferred, Abilities(native_tools=able)) == chosen


def test_a_profile_says_what_takes_the_place_of_native():
    assert choose_protocol("native", Abilities(native_tools=False), "text") == "text"
    assert choose_protocol("native", Abilities(native_tools=False, small=True, json_schema=True), "text") == "json"
    assert choose_protocol("native", Abilities(native_tools=True), "text") == "native"
    assert choose_protocol("json", Abilities(native_tools=False), "text") == "json"


def test_native_sends_the_tools_in_their_order_and_the_prompt_alone(tools):
    framing = get_protocol("native").frame("You help.", tools)
    shortlisted = get_protocol("native").frame("You help.", tools, ["search_code", "read_file"])
    assert framing.system == "You help."
    assert [spec.name for spec in framing.tools] == list(tools)
    assert [spec.name for spec in shortlisted.tools] == [name for name in tools if name in ("search_code", "read_file")]
    assert framing.schema is None


@pytest.mark.parametrize("protocol", ["json", "text"])
def test_tools_are_described_in_one_line_each(tools, protocol):
    framing = get_protocol(protocol).frame("You help.", tools)
    assert framing.system.startswith(
        "You help.\n\n"
        "Tools:\n"
        "- read_file(path: string, encoding?: string): Reads a file. All of it.\n"
        "- search_code(query: string, max_results?: integer, exact?: boolean, globs?: array<string>, "
        "filters?: object, scope?: string|null): Does search_code.\n"
        '- get_leads(region?: "north"|"south"): Does get_leads.\n'
        "- get_my_performance(encounter_name: string, player_name?: string): Does get_my_performance.\n\n"
    )
    assert framing.tools == ()


@pytest.mark.parametrize("protocol", ["json", "text"])
def test_no_tools_leave_no_headings(protocol):
    system = get_protocol(protocol).frame("You help.", {}).system
    assert "Recommended" not in system
    assert "Available" not in system


@pytest.mark.parametrize("protocol", ["native", "json", "text"])
def test_the_same_inputs_give_the_same_bytes(tools, protocol):
    frame = get_protocol(protocol).frame
    again = {name: ToolSpec(**{f: getattr(spec, f) for f in spec.__struct_fields__}) for name, spec in tools.items()}
    first, second = frame("p", tools, ["get_leads"]), frame("p", again, ["get_leads"])
    assert first.system.encode() == second.system.encode()
    assert json.dumps(first.schema) == json.dumps(second.schema)


def test_schema_has_a_branch_for_each_tool_and_one_for_the_answer(tools):
    schema = get_protocol("json").frame("p", tools).schema
    branches = schema["anyOf"]
    assert [branch["properties"].get("tool", {}).get("const") for branch in branches] == [
        *tools,
        None,
    ]
    assert [list(branch["properties"]) for branch in branches[-2:]] == [
        ["reasoning", "action", "tool", "args"],
        ["reasoning", "action", "response"],
    ]
    assert all(branch["required"] == list(branch["properties"]) for branch in branches)


def test_every_string_of_the_schema_is_bounded_below_what_grammars_refuse(tools):
    found = list(strings_in(get_protocol("json").frame("p", tools).schema))
    assert len(found) > 10
    assert all(0 < string["maxLength"] < 2000 for string in found)


def test_definitions_move_to_where_references_find_them_and_tools_do_not_share_them():
    def spec(name, limit):
        return ToolSpec(
            name=name,
            description="d",
            parameters={
                "type": "object",
                "properties": {"item": {"$ref": "#/$defs/Item"}, "default": {"type": "string", "maxLength": 5}},
                "$defs": {"Item": {"type": "string", "maxLength": limit}},
            },
        )

    schema = get_protocol("json").frame("p", {"a": spec("a", 3), "b": spec("b", 9000)}).schema
    args = schema["anyOf"][0]["properties"]["args"]["properties"]
    assert args == {"item": {"$ref": "#/$defs/a.Item"}, "default": {"type": "string", "maxLength": 5}}
    assert schema["$defs"]["a.Item"]["maxLength"] == 3
    assert schema["$defs"]["b.Item"]["maxLength"] < 2000


@pytest.mark.parametrize("protocol", ["json", "text"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"properties": 3},
        {"properties": {"a": 3, "b": {"type": ["string", "null"]}, "c": {"enum": [1, "x"]}, "d": {"const": 2}}},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}},
    ],
)
def test_odd_schemas_are_lived_with(protocol, parameters):
    spec = ToolSpec(name="t", description="d " * 1000, parameters=parameters)
    line = get_protocol(protocol).frame("p", {"t": spec}).system.split("\n")[3]
    assert line.startswith("- t(")
    assert len(line) < 1200


@pytest.mark.parametrize("protocol", ["json", "text"])
def test_parameters_are_told_with_their_descriptions_and_no_choice_is_left_out_in_silence(protocol):
    periods = [f"last_{number}_days" for number in range(1, 81)]
    spec = ToolSpec(
        name="get_orders",
        description="Orders of a period.",
        parameters={
            "type": "object",
            "properties": {
                "status": {
                    "type": "string",
                    "enum": ["open", "late"],
                    "default": "open",
                    "description": "Late: overdue.",
                },
                "period": {"type": "string", "enum": periods},
                "vendor": {"type": "string"},
            },
            "required": ["period"],
        },
    )
    system = get_protocol(protocol).frame("Be brief.", {"get_orders": spec}).system
    assert 'get_orders(status?: "open"|"late" = "open", period: "last_1_days"|' in system
    assert '"last_60_days"|… 20 more, vendor?: string): Orders of a period.\n    status: Late: overdue.\n' in system


def test_a_model_trained_on_short_prompts_is_told_the_form_and_no_rules(tools):
    small = get_protocol("json", Abilities(small=True)).frame("Help.", tools)
    tuned = get_protocol("json", Abilities(small=True, tuned=True)).frame("Help.", tools)
    assert "Rules:" in small.system
    assert "Rules:" not in tuned.system
    assert len(small.system) - len(tuned.system) > 600
    assert tuned.schema == small.schema


def test_a_small_models_prefix_stays_when_a_result_was_cut_and_the_schema_lets_it_read_on():
    protocol = get_protocol("json", Abilities(small=True))
    tools = {"get_orders": ToolSpec(name="get_orders", description="Orders.", parameters={"type": "object"})}
    before, after = protocol.frame("Help.", tools), protocol.frame("Help.", tools | {"read_result": READ_RESULT})
    assert after.system == before.system
    assert "read_result" in json.dumps(after.schema)
    own = {"read_result": ToolSpec(name="read_result", description="A blood test.", parameters={"type": "object"})}
    assert "A blood test." in protocol.frame("Help.", own).system
