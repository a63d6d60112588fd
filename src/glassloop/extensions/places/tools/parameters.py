"""Parameters that several tools of places take, with the words a model reads about them."""

from typing import Annotated, Any, Final, Literal, cast

from pydantic import BeforeValidator, Field, WithJsonSchema

from glassloop.extensions.places.query.geo_filter import GEO_TYPES, MAX_RADIUS_M, GeoFilter


def _as_list(value: Any) -> Any:
    """One value in place of a list of one, as models write it; several in one text stay together, for names have
    commas."""
    return [str(value)] if isinstance(value, str | int) and not isinstance(value, bool) else value


def _texts(value: Any) -> Any:
    listed = _as_list(value)
    if not isinstance(listed, list):
        return listed
    return [str(one) if isinstance(one, int) else one for one in cast("list[Any]", listed)]


def lowered(value: Any) -> Any:
    """A word of a fixed choice as it is declared: `Day of Week` is `day_of_week`."""
    return value.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(value, str) else value


LONG_PERIOD: Final = "last_12_months"
"""For what is told in many small parts: a month of a panel is too short to show them."""

_Text = Annotated[str, Field(max_length=200)]
Texts = Annotated[list[_Text], BeforeValidator(_texts), Field(max_length=50)]

_GEO_WORDS: Final = (
    "Where: a name as text (city, metro, state, neighborhood; 'all' is everywhere), or an object: city {name, state?}, "
    "metro {name}, state {code}, zip {codes}, neighborhood {name, city?}, radius {meters, lat, lon} or {meters, "
    f"place_id}} (at most {MAX_RADIUS_M:,} m), bbox {{south, west, north, east}}, polygon {{coordinates: rings of "
    "[lon, lat], the outline first}, places {ids}."
)
_NUMBERS: Final = ("meters", "lat", "lon", "south", "west", "north", "east")
_STRING: Final[dict[str, Any]] = {"type": "string"}
_GEO_SCHEMA: Final[dict[str, Any]] = {
    "description": _GEO_WORDS,
    "examples": ["San Francisco"],
    "anyOf": [
        _STRING,
        {
            "type": "object",
            "properties": {
                "type": {"enum": list(GEO_TYPES), "type": "string"},
                **dict.fromkeys(("name", "state", "code", "city", "place_id"), _STRING),
                **{name: {"type": "array", "items": _STRING} for name in ("codes", "ids")},
                **{name: {"type": "number"} for name in _NUMBERS},
                "coordinates": {
                    "type": "array",
                    "items": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
                },
            },
            "required": ["type"],
        },
    ],
}
"""One object for all types: a schema of each, in every tool that takes an area, would be most of what a model reads."""
Geo = Annotated[GeoFilter, WithJsonSchema(_GEO_SCHEMA)]
CategoryIds = Annotated[
    Texts | None,
    Field(description="NAICS codes of any length (a short one means all below it) or names such as 'coffee shops'."),
]
ChainIds = Annotated[Texts | None, Field(description="Chains by id or name, such as 'Starbucks'.")]
PlaceIds = Annotated[Texts | None, Field(description="Ids of places, from search_places. Never make one up.")]
PlaceId = Annotated[_Text, Field(description="The id of a place, from search_places. Never make one up.")]
PeriodText = Annotated[
    str,
    Field(
        max_length=60,
        description="last_month, last_quarter, last_90_days, last_12_months, 2026-Q1, 2026-03, 2026, or all; 'last' "
        "counts from the last day of the data, and months and quarters are whole.",
    ),
]
StartDate = Annotated[
    str | None, Field(max_length=20, description="First day, such as 2026-03-01, in place of period.")
]
EndDate = Annotated[str | None, Field(max_length=20, description="Last day, included.")]
CompareWith = Annotated[
    Literal["previous", "year", "both"] | None,
    BeforeValidator(lowered),
    Field(description="Also the period before (previous), the same a year earlier (year), or both."),
]


def limit_of(most: int) -> Any:
    return Field(ge=1, le=most, description=f"How many rows, {most} at most.")
