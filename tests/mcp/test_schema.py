"""What is offered of a server's schema, what is refused, and what arguments it lets pass."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.json_schema import without_references
from glassloop.extensions.mcp.client.schema import MAX_BYTES, ArgumentChecker, ArgumentMisfit, UnfitSchema, simplified
from glassloop.extensions.mcp.client.tool import MAX_CHARS, alias_of, tool_name
from glassloop.tools.arguments import explain


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return {"type": "object", "properties": {"a": schema}}


def test_known_words_stay_and_others_go() -> None:
    given = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "title": "Args",
        "properties": {
            "kind": {"type": "string", "enum": ["a", "b"], "description": "Which\u200b one.", "x-odd": 1},
            "many": {"type": "array", "items": {"type": "integer", "minimum": 1, "exclusiveMaximum": True}},
            "either": {"oneOf": [{"type": "string"}, {"type": "null"}], "description": "Or nothing."},
            "open": True,
            "never": False,
        },
        "required": ["kind", "missing", 3],
        "additionalProperties": False,
    }
    assert simplified(given) == {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "description": "Which one.", "enum": ["a", "b"]},
            "many": {"type": "array", "items": {"type": "integer", "minimum": 1}},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Or nothing."},
            "open": {},
        },
        "required": ["kind"],
        "additionalProperties": False,
    }


def test_references_inside_the_schema_become_definitions_also_where_they_turn_back() -> None:
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}}
    given = {
        "type": "object",
        "properties": {"root": {"$ref": "#/definitions/tree"}, "again": {"$ref": "#/properties/root"}},
        "definitions": {"tree": tree},
    }
    made = simplified(given)
    assert made["properties"] == {"root": {"$ref": "#/$defs/tree"}, "again": {"$ref": "#/$defs/root"}}
    assert made["$defs"]["tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/tree"}
    check = ArgumentChecker(made)
    assert check({"root": {"children": [{"children": []}]}})
    with pytest.raises(ArgumentMisfit):
        check({"root": {"children": [{"children": "none"}]}})
    assert without_references(made)["type"] == "object"


def test_a_union_at_the_top_becomes_optional_parameters() -> None:
    branches = [
        {"properties": {"id": {"type": "integer"}}, "required": ["id"]},
        {"properties": {"name": {"type": "string"}}, "required": ["name"]},
    ]
    made = simplified({"type": "object", "properties": {"all": {"type": "boolean"}}, "anyOf": branches})
    assert set(made["properties"]) == {"all", "id", "name"}
    assert "required" not in made
    assert "anyOf" not in made


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string"}, "not an object"),
        ({"type": "object", "properties": {"a": {"$ref": "http://evil/x.json"}}}, "nothing is fetched from elsewhere"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}, "which it does not hold"),
        ({"type": "object", "properties": {"a": {"type": "tuple"}}}, "'tuple'"),
        ({"type": "object", "properties": {"a": 5}}, "holds 5 where a schema should be"),
        ({"type": "object", "properties": {"a b": {}}}, "name that providers refuse"),
        ({"type": "object", "properties": {"a": {"enum": list(range(300))}}}, "more than 256 choices"),
        (nested(30), "nested more than 24 levels"),
        ({"type": "object", "properties": {f"p{n}": {} for n in range(2_000)}}, "more than 1,000 parts"),
        ({"type": "object", "properties": {f"p{n}": {"description": "x" * 600} for n in range(60)}}, "larger than"),
        ({"type": "object", "description": "x" * 200_000}, "larger than"),
        ({"$ref": "#"}, "nested more than"),
    ],
)
def test_what_cannot_be_offered_is_refused_with_a_reason(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(UnfitSchema, match=why):
        simplified(schema)


PLACES = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 5},
        "count": {"type": "integer", "minimum": 1, "maximum": 3},
        "above": {"type": "number", "exclusiveMinimum": 0},
        "kind": {"enum": ["a", 1, None]},
        "flag": {"const": True},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "maxItems": 2},
        "either": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"n": {"type": "integer"}}}]},
        "map": {"type": "object", "additionalProperties": {"type": "number"}},
    },
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "args",
    [
        {"city": "Ulm", "count": 2.0, "above": 0.1, "kind": None, "flag": True, "pair": ["x", 1], "map": {"a": 1.5}},
        {"city": "Ulm", "either": "text", "kind": 1},
        {"city": "Ulm", "either": {"n": 3}},
    ],
)
def test_arguments_that_fit_pass_as_they_are(args: dict[str, Any]) -> None:
    assert ArgumentChecker(simplified(PLACES))(args) is args


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "'city' is missing"),
        ({"city": 5}, "'city': should be string, not 5"),
        ({"city": ""}, "'city': should have at least 1 characters, not ''"),
        ({"city": "Hamburg"}, "at most 5 characters"),
        ({"city": "Ulm", "count": True}, "'count': should be integer, not True"),
        ({"city": "Ulm", "count": 1.5}, "'count': should be integer"),
        ({"city": "Ulm", "count": 4}, "'count': should be at most 3, not 4"),
        ({"city": "Ulm", "above": 0}, "'above': should be more than 0, not 0"),
        ({"city": "Ulm", "kind": True}, 'should be one of "a", 1, null'),
        ({"city": "Ulm", "flag": 1}, "should be one of true"),
        ({"city": "Ulm", "pair": ["x", "y"]}, "'pair.1': should be integer, not 'y'"),
        ({"city": "Ulm", "either": {"n": "x"}}, "'either.n': should be integer, not 'x'"),
        ({"city": "Ulm", "map": {"a": "x"}}, "'map.a': should be number, not 'x'"),
        ({"town": "Ulm", "city": "Ulm"}, "there is no 'town'"),
        ("Ulm", "they must be a JSON object, not 'Ulm'"),
    ],
)
def test_what_is_wrong_with_arguments_is_said_so_that_a_model_can_mend_it(args: Any, said: str) -> None:
    schema = simplified(PLACES)
    with pytest.raises(ArgumentMisfit) as raised:
        ArgumentChecker(schema)(args)
    assert said in explain("odd__do", raised.value, schema["properties"])


def test_a_schema_made_to_be_slow_is_given_up() -> None:
    twice = {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}
    deep: Any = "end"
    for _ in range(40):
        deep = [deep]
    made = simplified(
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"type": "array", "items": twice}},
        }
    )
    with pytest.raises(ArgumentMisfit):
        ArgumentChecker(made)({"a": deep})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)
words = st.sampled_from(
    [
        *("type", "properties", "items", "anyOf", "allOf", "oneOf", "$ref", "required", "enum", "const", "default"),
        *("additionalProperties", "prefixItems", "minimum", "maxLength", "description", "$defs", "a", "b"),
    ]
)
values = st.sampled_from(["string", "object", "array", "#", "#/$defs/a", "#/properties/a", 1, -1, True, False, None])
schemas = st.recursive(
    values | st.lists(values, max_size=3),
    lambda inner: st.dictionaries(words, inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=30,
)


@pytest.mark.slow
@given(st.dictionaries(words, schemas, max_size=6), json_values)
def test_no_schema_and_no_arguments_do_more_than_be_refused(schema: dict[str, Any], args: Any) -> None:
    try:
        made = simplified(schema)
    except UnfitSchema:
        return
    assert made["type"] == "object"
    assert len(msgspec.json.encode(made)) <= MAX_BYTES
    assert isinstance(without_references(made), dict)
    try:
        assert ArgumentChecker(made)(args) is args
    except ArgumentMisfit as error:
        assert explain("odd__do", error, made["properties"])


@given(st.text(max_size=90), st.text(min_size=1, max_size=130), st.text(max_size=90), st.text(min_size=1, max_size=130))
def test_names_fit_all_providers_and_stand_for_one_tool_only(one: str, tool: str, two: str, other: str) -> None:
    first, second = tool_name(alias_of(one), tool), tool_name(alias_of(two), other)
    for name in (first, second):
        assert len(name) <= MAX_CHARS
        assert name.isascii() and name[0].isalpha()
        assert all(letter.isalnum() or letter in "_-" for letter in name)
    assert first.partition("__")[0] == alias_of(one)
    assert (first == second) == ((one, tool) == (two, other))
