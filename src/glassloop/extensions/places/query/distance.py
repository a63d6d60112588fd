"""Distances in a straight line over the sphere, in meters: once for SQL and once for Python, by the same formula."""

import math
from typing import Final

EARTH_RADIUS_M: Final = 6_371_008.8
_METERS_PER_DEGREE: Final = math.pi * EARTH_RADIUS_M / 180


def distance_m(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """The haversine formula."""
    first, second = math.radians(lat), math.radians(other_lat)
    across = math.radians(other_lon - lon)
    part = math.sin((second - first) / 2) ** 2 + math.cos(first) * math.cos(second) * math.sin(across / 2) ** 2
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(min(1.0, part)))


def distance_sql(lat: str, lon: str, other_lat: str, other_lon: str) -> str:
    """The same of four SQL expressions; null where one of them is (`least` would pass nulls by)."""
    part = (
        f"sin(radians({other_lat} - {lat}) / 2) ** 2 + cos(radians({lat})) * cos(radians({other_lat}))"
        f" * sin(radians({other_lon} - {lon}) / 2) ** 2"
    )
    return f"(2 * {EARTH_RADIUS_M} * asin(sqrt(CASE WHEN {part} > 1 THEN 1.0 ELSE {part} END)))"


def degrees_around(lat: float, meters: float) -> tuple[float, float]:
    """How many degrees of latitude and of longitude hold that distance; 180 of longitude near a pole."""
    high = meters / _METERS_PER_DEGREE * 1.001
    farthest = min(89.9, abs(lat) + high)
    wide = high / math.cos(math.radians(farthest))
    return high, min(180.0, wide)
