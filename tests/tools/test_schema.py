"""Signatures become schemas, and what cannot become one is refused where the tool is written."""

import dataclasses
import datetime
import enum
import inspect
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from glassloop.core.errors import UsageError
from glassloop.tools.tool import ToolContext, tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Size:
    width: int
    height: int = 1


class Filter(TypedDict):
    type: str
    near: NotRequired[list[float]]


class Node(BaseModel):
    """A node of a tree."""

    title: str
    children: list["Node"] = []


class Opaque:
    pass


def schema_of(function: Any) -> dict[str, Any]:
    return tool(function).parameter_schema


def property_of(hint: Any, *default: Any) -> dict[str, Any]:
    async def f(x):
        return x

    f.__annotations__ = {"x": hint}
    f.__defaults__ = default
    return schema_of(f)["properties"]["x"]


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (str, {"type": "string"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Any, {}),
        (datetime.date, {"type": "string", "format": "date"}),
        (Colour, {"$ref": "#/$defs/Colour"}),
        (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
        (
            Annotated[int, Field(ge=1, description="How many.")],
            {"type": "integer", "minimum": 1, "description": "How many."},
        ),
    ],
)
def test_each_kind_of_annotation_has_its_schema(hint, expected):
    assert property_of(hint) == expected


def test_defaults_are_in_the_schema_and_make_a_parameter_optional():
    assert property_of(Colour, Colour.RED)["default"] == "red"
    assert property_of(list[int], [1])["default"] == [1]
    assert property_of(float, float("nan"))["default"] is None
    assert "default" not in property_of(Any, object())


def test_a_default_of_none_allows_null():
    assert property_of(int, None) == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}


def test_nested_types_keep_their_names_and_descriptions_but_no_titles():
    async def f(size: Size, where: Filter, node: Node) -> None: ...

    schema = schema_of(f)
    assert schema["$defs"]["Size"]["required"] == ["width"]
    assert schema["$defs"]["Filter"]["required"] == ["type"]
    assert schema["$defs"]["Node"]["description"] == "A node of a tree."
    assert list(schema["$defs"]["Node"]["properties"]) == ["title", "children"]
    assert '"title": "' not in json.dumps(schema)


async def test_values_arrive_as_the_types_that_were_annotated():
    @tool
    async def f(size: Size, colour: Colour, at: datetime.date, node: Node, where: list[Filter] | None = None) -> str:
        """Look."""
        kinds = [type(value).__name__ for value in (size, colour, at, node)]
        return " ".join([*kinds, str(where)])

    args = {
        "size": {"width": 2},
        "colour": "blue",
        "at": "2026-01-02",
        "node": {"title": "t"},
        "where": [{"type": "x"}],
    }
    assert (await f.execute(args)).output == "Size Colour date Node [{'type': 'x'}]"
    assert "'where.0.type' is missing" in f.validate_params({**args, "where": [{}]})


def test_descriptions_come_from_annotation_before_docstring():
    async def f(a: Annotated[int, "From the annotation."], b: int, c: Annotated[int, Field(description="From Field.")]):
        """Look.

        Args:
            a: From the docstring.
            b: From the docstring.
            c: From the docstring.
        """

    properties = schema_of(f)["properties"]
    described = {name: schema["description"] for name, schema in properties.items()}
    assert described == {"a": "From the annotation.", "b": "From the docstring.", "c": "From Field."}


async def takes_many(*rows: int) -> None: ...
async def takes_any(**options: int) -> None: ...
async def by_place(a: int, /) -> None: ...
async def bare(a) -> None: ...
async def opaque(a: int, b: list[Opaque]) -> None: ...
async def not_a_type(a: "3 +") -> None: ...  # noqa: F722
async def missing(a: "Missing") -> None: ...  # noqa: F821
async def twice(a: ToolContext, b: ToolContext) -> None: ...
async def yields(a: int):
    yield a


class Shop:
    async def price(self, net: int) -> None: ...


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (takes_many, "Tool 'takes_many' takes '*rows', which a model cannot fill: declare 'rows: list[...]' instead."),
        (takes_any, "Tool 'takes_any' takes '**options', which a model cannot fill: declare each parameter"),
        (by_place, "Tool 'by_place': parameter 'a' is positional-only, but arguments come by name: remove the '/'"),
        (bare, "Tool 'bare': parameter 'a' has no annotation: write its type, as in 'a: str'."),
        (opaque, "Tool 'opaque': parameter 'b' is annotated 'list["),
        (not_a_type, "Tool 'not_a_type': parameter 'a' is annotated '3 +', which is not a type"),
        (
            missing,
            "Tool 'missing': parameter 'a' is annotated 'Missing', where 'Missing' is not known: define or import",
        ),
        (twice, "Tool 'twice' asks for the ToolContext twice, as 'a' and 'b': keep one."),
        (yields, "Tool 'yields' yields: return a list instead."),
        (Shop.price, "Tool 'price' is a method: make the tool of the bound method, 'tool(thing.price)'."),
        (print, "Tool 'print' takes '*args'"),
    ],
)
def test_a_signature_that_cannot_work_is_refused_in_one_sentence(function, said):
    with pytest.raises(UsageError) as caught:
        tool(function)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_a_local_type_named_as_text_is_refused():
    class Local:
        pass

    async def f(a: "list[Local]") -> None: ...

    with pytest.raises(UsageError, match="where 'Local' is not known: define or import it at the top level"):
        tool(f)


def test_a_callable_has_no_schema():
    async def f(a: int, callback: Callable[[int], int]) -> None: ...

    with pytest.raises(UsageError, match=r"parameter 'callback' is annotated .* no JSON schema can be made"):
        tool(f)


plain = {
    int: st.integers(-(2**53), 2**53),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(),
    bool: st.booleans(),
    Any: st.none() | st.integers() | st.text(),
    datetime.date: st.dates(),
    Colour: st.sampled_from(Colour),
    Size: st.builds(Size, width=st.integers(0, 9), height=st.integers(0, 9)),
}
shapes = st.sampled_from(list(plain)).map(lambda hint: (hint, plain[hint]))
shapes = shapes | shapes.map(lambda shape: (list[shape[0]], st.lists(shape[1], max_size=3)))
shapes = shapes | shapes.map(lambda shape: (shape[0] | None if shape[0] is not Any else Any, st.none() | shape[1]))
shapes = shapes | shapes.map(
    lambda shape: (dict[str, shape[0]], st.dictionaries(st.text(max_size=5), shape[1], max_size=3))
)
names = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(lambda name: name not in ("self", "cls"))


@given(st.dictionaries(names, shapes, max_size=4), st.data())
async def test_any_value_of_the_annotated_type_goes_through_json_to_the_function(signature, data):
    received = {}
    made = tool(name="f")(build(signature, received))
    assert list(made.parameter_schema["properties"]) == list(signature)
    json.dumps(made.parameter_schema)
    values = {name: data.draw(strategy) for name, (_, strategy) in signature.items()}
    args = json.loads(json.dumps(values, default=as_json))
    assert made.validate_params(args) is None
    await made.execute(args)
    assert received == values


def build(signature: dict[str, Any], received: dict[str, Any]) -> Any:
    """A function with that signature which keeps what it is called with."""

    async def f(**given: Any) -> None:
        received.update(given)

    kind = inspect.Parameter.KEYWORD_ONLY
    f.__signature__ = inspect.Signature(
        [inspect.Parameter(name, kind, annotation=hint) for name, (hint, _) in signature.items()]
    )
    return f


def as_json(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else value.isoformat()


def test_equal_signatures_share_a_schema_that_cannot_be_changed_through_one_of_them():
    def make(default):
        @tool
        def look(name: str, deep: bool | int = default):
            """Look."""

        return look

    first, second, other = make(1), make(1), make(True)
    first.spec.parameters["properties"]["name"]["type"] = "changed"
    assert second.spec.parameters["properties"]["name"]["type"] == "string"
    assert second.spec.parameters["properties"]["deep"]["default"] == 1
    assert other.spec.parameters["properties"]["deep"]["default"] is True
