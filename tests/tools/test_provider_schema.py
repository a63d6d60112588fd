"""Schemas without references: accepted by the type of an SDK that takes them, bounded, and made without a trace."""

import copy
import enum
import warnings
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from glassloop.core.json_schema import without_references
from glassloop.tools.tool import tool


class Colour(enum.Enum):
    RED = "red"


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
    colour: Colour = Colour.RED,
    constant: Literal["only"] = "only",
    more: Annotated[int, Field(gt=0, lt=10)] = 1,
    pair: tuple[int, str] = (1, "a"),
    tags: Annotated[set[str], Field(max_length=5)] = frozenset(),
    counts: dict[str, int] | None = None,
    anything: Any = None,
) -> None:
    """Everything."""


@pytest.fixture(scope="module")
def declaration_type():
    with warnings.catch_warnings():
        # The SDK's own source has an escape that Python warns about when it compiles it.
        warnings.simplefilter("ignore")
        from google.genai.types import FunctionDeclaration
    return FunctionDeclaration


def test_every_construct_is_taken_without_references(declaration_type):
    declaration = everything.to_gemini_schema()
    declaration_type.model_validate(declaration)
    assert "$ref" not in str(declaration)
    assert "$defs" not in str(declaration)


def test_references_are_inlined_and_recursion_ends_in_an_open_object():
    tree = everything.to_gemini_schema()["parameters_json_schema"]["properties"]["tree"]
    assert tree["description"] == "The tree."
    assert tree["properties"]["left"]["anyOf"] == [{"type": "object"}, {"type": "null"}]
    leaf = tree["properties"]["leaf"]["anyOf"][0]
    assert leaf["properties"]["colour"]["enum"] == ["red"]


def test_references_that_multiply_are_bounded():
    definitions = {
        f"D{number}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/D{number + 1}"} for key in "abcd"}}
        for number in range(30)
    }
    made = without_references({"type": "object", "properties": {"x": {"$ref": "#/$defs/D0"}}, "$defs": definitions})
    assert str(made).count("type") < 20_000


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["type", "description", "title", "default", "examples"]), json_like))
def test_the_schema_given_is_left_as_it_was(extra):
    schema = {"type": "object", "properties": {"x": {"type": "string", "default": extra, "examples": [extra]}}}
    before = copy.deepcopy(schema)
    without_references(schema)
    assert schema == before
