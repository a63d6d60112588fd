"""Names and arguments as models send them."""

import pytest

from glassloop.core.messages import ToolSpec
from glassloop.core.protocols.tolerant.repair import repair_call
from glassloop.core.records import ToolCall


def repaired(tools, tool, args=None):
    call = repair_call(ToolCall(id="c1", tool=tool, args=args or {}), tools)
    assert call.id == "c1"
    return call


@pytest.mark.parametrize(
    "name",
    ["read_file", "READ_FILE", "ReadFile", "readFile", "read-file", "read file", "functions.read_file", " read_file "],
)
def test_tool_names_are_matched_by_spelling_alone(tools, name):
    assert repaired(tools, name).tool == "read_file"


@pytest.mark.parametrize("name", ["fly", "", "read_files", "functions.", "x" * 10_000, "\ud800", "- _"])
def test_unknown_tool_names_stay(tools, name):
    assert repaired(tools, name).tool == name


def test_name_that_fits_two_tools_stays(tools):
    spec = tools["read_file"]
    twins = {"read_file": spec, "readFile": spec}
    assert repaired(twins, "READFILE").tool == "READFILE"
    assert repaired(twins, "readFile").tool == "readFile"


@pytest.mark.parametrize(
    "key", ["EncounterName", "encounterName", "encounter-name", "Encounter_Name", "ENCOUNTER_NAME"]
)
def test_argument_names_become_snake_case_where_the_schema_has_it(tools, key):
    assert repaired(tools, "get_my_performance", {key: "Gruul"}).args == {"encounter_name": "Gruul"}


def test_argument_names_the_schema_does_not_have_stay(tools):
    args = {"encounter_name": "Gruul", "EncounterName": "x", "RaidSize": 25}
    assert repaired(tools, "get_my_performance", args).args == args


def test_argument_name_the_schema_has_as_given_stays():
    spec = ToolSpec(
        name="t",
        description="",
        parameters={"type": "object", "properties": {"fileName": {"type": "string"}, "file_name": {"type": "string"}}},
    )
    assert repaired({"t": spec}, "t", {"fileName": "a"}).args == {"fileName": "a"}


@pytest.mark.parametrize("wrapper", ["args", "arguments", "parameters", "params", "input", "kwargs"])
@pytest.mark.parametrize("inner", [{"path": "a"}, '{"path": "a"}'])
def test_arguments_wrapped_once_are_unwrapped(tools, wrapper, inner):
    assert repaired(tools, "read_file", {wrapper: inner}).args == {"path": "a"}


def test_parameter_that_is_called_like_a_wrapper_is_no_wrapper():
    spec = ToolSpec(
        name="t", description="", parameters={"type": "object", "properties": {"input": {"type": "object"}}}
    )
    assert repaired({"t": spec}, "t", {"input": {"a": 1}}).args == {"input": {"a": 1}}


def test_text_that_holds_json_is_parsed_only_for_lists_and_objects(tools):
    given = {"query": '["a"]', "globs": '["*.py",]', "filters": "{'a': 1}", "scope": "{}", "max_results": "3"}
    assert repaired(tools, "search_code", given).args == {
        "query": '["a"]',
        "globs": ["*.py"],
        "filters": {"a": 1},
        "scope": "{}",
        "max_results": "3",
    }


def test_text_that_holds_the_wrong_kind_of_json_stays(tools):
    given = {"query": "q", "globs": '{"a": 1}', "filters": "[broken"}
    assert repaired(tools, "search_code", given).args == given


def test_list_parameter_behind_a_reference_is_parsed():
    spec = ToolSpec(
        name="t",
        description="",
        parameters={
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/Names"}, "b": {"anyOf": [{"type": "array"}, {"type": "null"}]}},
            "$defs": {"Names": {"type": "array", "items": {"type": "string"}}},
        },
    )
    assert repaired({"t": spec}, "t", {"a": '["x"]', "b": "[1]"}).args == {"a": ["x"], "b": [1]}


def test_call_that_is_right_is_the_same_object(tools):
    call = ToolCall(id="c1", tool="search_code", args={"query": "q", "filters": {"ä": [1, 2.5, None, True]}})
    assert repair_call(call, tools) is call


def test_values_no_encoder_takes_are_replaced(tools):
    args = {"query": "a\ud800b", "filters": {"n": 10**200, "f": float("inf"), "k\udfff": 1}}
    assert repaired(tools, "search_code", args).args == {
        "query": "a\ufffdb",
        "filters": {"n": "1" + "0" * 200, "f": "inf", "k\ufffd": 1},
    }


@pytest.mark.parametrize("parameters", [{}, {"properties": None}, {"properties": {"a": 3}}, {"properties": [1]}])
def test_odd_schemas_are_lived_with(parameters):
    spec = ToolSpec(name="t", description="", parameters=parameters)
    assert repaired({"t": spec}, "t", {"a": "[1]", "B": 2}).args == {"a": "[1]", "B": 2}


def test_null_is_left_out_where_a_parameter_may_be_missing_and_takes_none(tools):
    args = {"query": "x", "max_results": None, "exact": None, "globs": None, "scope": None, "odd": None}
    assert repaired(tools, "search_code", args).args == {"query": "x", "scope": None, "odd": None}
    assert repaired(tools, "read_file", {"path": None}).args == {"path": None}


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        ({"type": "string", "default": None}, False),
        ({"type": "string", "nullable": True}, True),
        ({"type": ["string", "null"]}, True),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, True),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, False),
        ({"enum": ["a", None]}, True),
        ({"enum": ["a", "b"]}, False),
        ({"$ref": "#/$defs/Unit"}, False),
        ({}, True),
    ],
)
def test_null_stays_wherever_a_schema_allows_it(schema, kept):
    parameters = {"type": "object", "properties": {"a": schema}, "$defs": {"Unit": {"type": "string"}}}
    spec = ToolSpec(name="t", description="", parameters=parameters)
    assert repaired({"t": spec}, "t", {"a": None}).args == ({"a": None} if kept else {})


def test_null_of_a_native_call_is_left_out_too(read):
    call = ToolCall(id="c1", tool="search_code", args={"query": "x", "exact": None})
    assert read("native", "", calls=(call,)).decision.calls[0].args == {"query": "x"}
