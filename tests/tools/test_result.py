"""What a tool returns becomes plain JSON, whatever it is."""

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from glassloop.core.records import ToolResult
from glassloop.tools.result import failure, to_json, to_result


class Colour(enum.Enum):
    RED = "red"


class Corner(enum.Enum):
    ORIGIN = (0, 0)


class Point(NamedTuple):
    x: int
    y: int


class Part(msgspec.Struct):
    sku: str


@dataclasses.dataclass
class Box:
    part: Part
    at: datetime.date


class Order(BaseModel):
    id: uuid.UUID
    total: decimal.Decimal
    lines: list[Point]


BOX = Box(Part("A-1"), datetime.date(2026, 1, 2))
ORDER = Order(id=uuid.UUID(int=1), total=decimal.Decimal("9.90"), lines=[Point(1, 2)])


@pytest.mark.parametrize(
    ("value", "output", "data"),
    [
        (None, "done", None),
        ("plain", "plain", None),
        ("", "", None),
        (7, "7", 7),
        (True, "true", True),
        (False, "false", False),
        (1.5, "1.5", 1.5),
        (math.nan, "NaN", None),
        (-math.inf, "-Infinity", None),
        ({"name": "Zoë 日本", "n": math.inf}, '{"name":"Zoë 日本","n":null}', {"name": "Zoë 日本", "n": None}),
        ([1, "a"], '[1,"a"]', [1, "a"]),
        ((1, 2), "[1,2]", [1, 2]),
        ({3, 1, 2}, "[1,2,3]", [1, 2, 3]),
        ({"b", 1}, '["b",1]', ["b", 1]),
        (Point(1, 2), "[1,2]", [1, 2]),
        (Part("A-1"), '{"sku":"A-1"}', {"sku": "A-1"}),
        (BOX, '{"part":{"sku":"A-1"},"at":"2026-01-02"}', {"part": {"sku": "A-1"}, "at": "2026-01-02"}),
        ([ORDER], None, [{"id": str(uuid.UUID(int=1)), "total": "9.90", "lines": [[1, 2]]}]),
        (datetime.datetime(2026, 1, 2, 3), "2026-01-02T03:00:00", "2026-01-02T03:00:00"),
        (decimal.Decimal("1.10"), "1.10", "1.10"),
        (Colour.RED, "red", "red"),
        (Corner.ORIGIN, "[0,0]", [0, 0]),
        (b"ab", "YWI=", "YWI="),
        (pathlib.PurePosixPath("a/b"), "a/b", "a/b"),
        (range(3), "[0,1,2]", [0, 1, 2]),
        (collections.deque([1]), "[1]", [1]),
        (MappingProxyType({"a": 1}), '{"a":1}', {"a": 1}),
        (collections.Counter("aab"), '{"a":2,"b":1}', {"a": 2, "b": 1}),
        ({1: "a", 2.5: "b"}, '{"1":"a","2.5":"b"}', {"1": "a", "2.5": "b"}),
        ({None: 1, True: 2, (1, 2): 3}, '{"null":1,"true":2,"[1,2]":3}', {"null": 1, "true": 2, "[1,2]": 3}),
        ({datetime.date(2026, 1, 2): 1}, '{"2026-01-02":1}', {"2026-01-02": 1}),
        ("half \ud83d\ude00 \ud800", "half 😀 \ufffd", None),
        ({"\ud800": ["\ud800"]}, '{"\ufffd":["\ufffd"]}', {"\ufffd": ["\ufffd"]}),
        (2**70, str(2**70), 2**70),
        (ValueError("broken"), "ValueError: broken", "ValueError: broken"),
    ],
)
def test_each_kind_of_value_becomes_text_and_data(value, output, data):
    result = to_result(value)
    assert result.success
    assert result.data == data
    assert type(result.data) is type(data)
    assert result.output == (json.dumps(data, separators=(",", ":")) if output is None else output)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers() | st.booleans() | st.none(), inner),
    max_leaves=10,
)


@given(json_values)
def test_every_result_can_be_stored_and_read_back_equal(value):
    result = to_result(value)
    assert result.success
    assert msgspec.json.decode(msgspec.json.encode(result), type=ToolResult) == result


def cycle():
    value: list = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: object(), "its type is 'object'"),
        (lambda: {"deep": [object()]}, "object is not JSON"),
        (lambda: (number for number in [1]), "generator is not JSON"),
        (lambda: cycle(), "contains itself"),
        (lambda: {"c": cycle(), None: 1}, "contains itself"),
        (lambda: 10**5000, "cannot be written as JSON"),
        (lambda: range(10**12), "1,000,000,000,000 parts"),
        (lambda: {None: range(10**12)}, "1,000,000 parts"),
        (lambda: "x" * 5_000_001, "5,000,001 bytes, the limit is 5,000,000"),
        (lambda: "é" * 2_500_001, "5,000,002 bytes"),
        (lambda: {"x": "y" * 5_000_001}, "the limit is 5,000,000"),
    ],
)
def test_what_cannot_be_json_is_a_failure_that_says_the_tool_ran(make, said):
    result = to_result(make(), 3.0)
    assert not result.success
    assert result.error.startswith("The tool ran, but its result cannot be used: ")
    assert said in result.error
    assert result.duration_ms == 3.0


def test_a_tools_own_result_passes_through_with_its_data_copied():
    data = {"at": datetime.date(2026, 1, 2), "n": math.nan}
    result = to_result(ToolResult(success=True, output="seen", data=data, metadata={"k": 1}), 5.0)
    assert result == ToolResult(
        success=True, output="seen", data={"at": "2026-01-02", "n": None}, metadata={"k": 1}, duration_ms=5.0
    )


def test_a_tools_own_duration_is_kept():
    assert to_result(ToolResult(success=True, duration_ms=7.0), 5.0).duration_ms == 7.0


def test_a_tools_own_failure_is_never_without_a_reason():
    assert to_result(ToolResult(success=False, output="no such shelf")).error == "no such shelf"
    assert to_result(ToolResult(success=False)).error == "The tool failed and gave no reason."


def test_a_tools_own_result_of_the_wrong_types_is_a_failure():
    result = to_result(ToolResult(success=True, output=5))
    assert not result.success
    assert "cannot be written as JSON" in result.error


def test_reasons_are_bounded_and_can_be_stored():
    result = failure("\ud800" + "x" * 10_000)
    assert len(result.error) == 4000
    assert msgspec.json.encode(result)


def test_a_value_that_is_not_json_raises_where_json_is_asked_for():
    with pytest.raises(ValueError, match="object is not JSON"):
        to_json({"x": object()})
