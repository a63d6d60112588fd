"""A module whose annotations are all text makes the same tools."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from pydantic import Field

from glassloop.tools.tool import ToolContext, tool


class Place(TypedDict):
    name: str


@tool
async def find(
    context: ToolContext,
    place: Place,
    kind: Literal["shop", "mall"] = "shop",
    limit: Annotated[int, Field(ge=1)] = 10,
) -> NotImported:  # noqa: F821
    """Find places.

    Args:
        place: Where.
    """
    return [place["name"], kind, limit, context.user]


def test_the_schema_is_that_of_the_types_named():
    properties = find.parameter_schema["properties"]
    assert list(properties) == ["place", "kind", "limit"]
    assert properties["place"] == {"$ref": "#/$defs/Place", "description": "Where."}
    assert properties["kind"]["enum"] == ["shop", "mall"]
    assert properties["limit"]["minimum"] == 1


async def test_the_tool_runs():
    assert (await find.execute({"place": {"name": "Oslo"}})).data == ["Oslo", "shop", 10, "anonymous"]
