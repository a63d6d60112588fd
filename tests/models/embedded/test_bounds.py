"""Schemas as a grammar can be held to them."""

from typing import Any

import pytest

from glassloop.extensions.embedded.grammar_schema import grammar_schema


def of(schema: dict[str, Any]) -> dict[str, Any]:
    members: Any = grammar_schema({"type": "object", "properties": {"x": schema}, "required": ["x"]})["properties"]
    return members["x"]


def test_every_string_has_a_length() -> None:
    assert of({"type": "string"})["maxLength"] == 400
    assert of({"type": ["string", "null"]})["maxLength"] == 400
    assert of({"type": "string", "maxLength": 12})["maxLength"] == 12
    assert of({"type": "string", "maxLength": 50_000})["maxLength"] == 1900


def test_a_string_that_must_be_longer_than_it_may_be_keeps_to_the_most() -> None:
    assert of({"type": "string", "minLength": 9000}) == {"type": "string", "minLength": 400, "maxLength": 400}


def test_every_list_has_an_end() -> None:
    found = of({"type": "array", "items": {"type": "string"}, "maxItems": 5000})
    assert found["maxItems"] == 12
    assert found["items"]["maxLength"] == 400
    assert of({"type": "array", "minItems": 3})["minItems"] == 3


@pytest.mark.parametrize("schema", [{}, {"title": "X"}, {"description": "whatever"}, {"pattern": "(?=a)b"}])
def test_what_says_nothing_about_its_type_becomes_a_plain_value(schema: dict[str, Any]) -> None:
    assert of(schema)["type"] == ["string", "number", "boolean", "null"]


def test_patterns_are_left_to_the_tool_and_dates_are_kept() -> None:
    assert "pattern" not in of({"type": "string", "pattern": "^(?!x).*$"})
    assert of({"type": "string", "format": "date"})["format"] == "date"
    assert "format" not in of({"type": "string", "format": "made-up"})


def test_a_choice_keeps_its_words_as_they_are() -> None:
    assert of({"type": "string", "enum": ["a", "b"]}) == {"type": "string", "enum": ["a", "b"]}


def test_definitions_and_branches_are_bounded_too() -> None:
    found: Any = grammar_schema({"anyOf": [{"$ref": "#/$defs/T"}], "$defs": {"T": {"type": "string"}}})
    assert found["$defs"]["T"]["maxLength"] == 400
    assert found["anyOf"] == [{"$ref": "#/$defs/T"}]


def test_a_schema_deeper_than_anyone_writes_ends() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(2000):
        deep = {"type": "array", "items": deep}
    assert grammar_schema(deep)["type"] == "array"


def test_an_object_has_only_the_members_that_were_named() -> None:
    assert of({"type": "object", "properties": {"a": {"type": "integer"}}})["additionalProperties"] is False
    assert of({"type": "object"})["additionalProperties"]["maxLength"] == 400
    assert of({"type": "object", "additionalProperties": {"type": "integer"}})["additionalProperties"] == {
        "type": "integer"
    }
