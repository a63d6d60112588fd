"""Schemas for Gemini: accepted by its own SDK's type, and without what the service refuses."""

import copy
import datetime
import enum
import uuid
import warnings
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from glassloop.tools.gemini import to_gemini
from glassloop.tools.tool import tool

ALLOWED = {
    "type", "properties", "required", "items", "anyOf", "nullable", "enum", "description", "format",
    "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "pattern",
}  # fmt: skip


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Leaf(BaseModel):
    """A leaf."""

    colour: Colour


class Tree(BaseModel):
    left: "Tree | None" = None
    leaf: Leaf | None = None


@tool
async def everything(
    tree: Annotated[Tree, "The tree."],
    maybe: int | None = None,
    either: int | str | None = None,
    colour: Colour = Colour.RED,
    level: Level = Level.LOW,
    number: Literal[1, 2] | None = None,
    word: Literal["a", None] = None,
    constant: Literal["only"] = "only",
    more: Annotated[int, Field(gt=0, lt=10)] = 1,
    share: Annotated[float, Field(gt=0, multiple_of=0.5)] = 0.5,
    at: datetime.date | None = None,
    moment: datetime.datetime | None = None,
    key: uuid.UUID | None = None,
    pair: tuple[int, str] = (1, "a"),
    triple: tuple[int, int] = (1, 2),
    tags: Annotated[set[str], Field(max_length=5)] = frozenset(),
    counts: dict[str, int] | None = None,
    anything: Any = None,
    nothing: None = None,
    properties: dict[str, Any] | None = None,
) -> None:
    """Everything."""


@pytest.fixture(scope="module")
def declaration_type():
    with warnings.catch_warnings():
        # The SDK's own source has an escape that Python warns about when it compiles it.
        warnings.simplefilter("ignore")
        from google.genai.types import FunctionDeclaration
    return FunctionDeclaration


def nodes(schema):
    yield schema
    for child in schema.get("properties", {}).values():
        yield from nodes(child)
    for child in schema.get("anyOf", []):
        yield from nodes(child)
    if "items" in schema:
        yield from nodes(schema["items"])


def test_only_keywords_that_gemini_takes_are_left(declaration_type):
    declaration = everything.to_gemini_schema()
    declaration_type.model_validate(declaration)
    for node in nodes(declaration["parameters"]):
        assert set(node) <= ALLOWED
        assert isinstance(node.get("type", ""), str)
        assert "type" in node or "anyOf" in node
        assert node.get("type") != "null"
        if "enum" in node:
            assert node["type"] == "string"
            assert all(isinstance(choice, str) for choice in node["enum"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("maybe", {"type": "integer", "nullable": True}),
        ("either", {"anyOf": [{"type": "integer"}, {"type": "string"}], "nullable": True}),
        ("colour", {"type": "string", "enum": ["red"]}),
        ("level", {"type": "integer", "description": "(one of: 1)"}),
        ("number", {"type": "integer", "description": "(one of: 1, 2)", "nullable": True}),
        ("constant", {"type": "string", "enum": ["only"]}),
        ("more", {"type": "integer", "minimum": 1, "maximum": 9}),
        ("share", {"type": "number", "description": "(more than 0; a multiple of 0.5)"}),
        ("at", {"type": "string", "nullable": True, "description": "(format: date)"}),
        ("moment", {"type": "string", "nullable": True, "format": "date-time"}),
        ("triple", {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
        (
            "counts",
            {"type": "object", "nullable": True, "description": "(an object of any keys with values of type integer)"},
        ),
        ("nothing", {"type": "string", "nullable": True, "description": "Always null."}),
    ],
)
def test_each_construct_is_said_in_geminis_words(name, expected):
    assert everything.to_gemini_schema()["parameters"]["properties"][name] == expected


def test_references_are_inlined_and_recursion_is_cut_off():
    tree = everything.to_gemini_schema()["parameters"]["properties"]["tree"]
    assert tree["description"] == "The tree."
    assert tree["properties"]["left"] == {
        "type": "object",
        "description": "Another Tree, of the same form.",
        "nullable": True,
    }
    assert tree["properties"]["leaf"]["properties"]["colour"]["enum"] == ["red"]


def test_parts_that_belong_together_are_merged_and_recursion_in_them_is_cut_off():
    child = {"allOf": [{"$ref": "#/$defs/Node"}, {"properties": {"extra": {"type": "string"}}}]}
    node = {"type": "object", "properties": {"child": child}, "required": ["child"]}
    converted = to_gemini({"type": "object", "properties": {"x": child}, "$defs": {"Node": node}})
    assert converted["properties"]["x"] == {
        "type": "object",
        "required": ["child"],
        "properties": {
            "child": {"type": "object", "description": "Another Node, of the same form."},
            "extra": {"type": "string"},
        },
    }


def test_references_that_multiply_are_bounded():
    definitions = {
        f"D{number}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/D{number + 1}"} for key in "abcd"}}
        for number in range(30)
    }
    converted = to_gemini({"type": "object", "properties": {"x": {"$ref": "#/$defs/D0"}}, "$defs": definitions})
    assert sum(1 for _ in nodes(converted)) < 20_000


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["type", "description", "title", "default", "examples"]), json_like))
def test_the_schema_given_is_left_as_it_was(extra):
    schema = {"type": "object", "properties": {"x": {"type": "string", "default": extra, "examples": [extra]}}}
    before = copy.deepcopy(schema)
    to_gemini(schema)
    assert schema == before
