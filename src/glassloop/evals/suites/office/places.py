"""Weather, distances and clocks of a few cities. The data never changes."""

from typing import Literal

from glassloop import ToolError, tool

WEATHER: dict[str, dict[str, tuple[str, int, int]]] = {
    "Berlin": {"2026-03-11": ("light rain", 4, 9), "2026-03-12": ("sunny", 2, 12)},
    "Madrid": {"2026-03-11": ("sunny", 8, 19), "2026-03-12": ("cloudy", 9, 17)},
    "Shanghai": {"2026-03-11": ("fog", 7, 13), "2026-03-12": ("heavy rain", 8, 11)},
    "Lagos": {"2026-03-11": ("thunderstorms", 25, 32), "2026-03-12": ("sunny", 25, 33)},
    "Turin": {"2026-03-11": ("snow", -3, 2), "2026-03-12": ("cloudy", -1, 6)},
}
MINUTES: dict[frozenset[str], dict[str, int]] = {
    frozenset({"Berlin", "Hamburg"}): {"train": 107, "car": 185},
    frozenset({"Berlin", "Leipzig"}): {"train": 74, "car": 128},
    frozenset({"Berlin", "Munich"}): {"train": 238, "car": 350, "plane": 70},
    frozenset({"Hamburg", "Munich"}): {"train": 340, "car": 465, "plane": 80},
    frozenset({"Madrid", "Barcelona"}): {"train": 150, "car": 370, "plane": 75},
    frozenset({"Turin", "Milan"}): {"train": 60, "car": 100},
}
OFFSETS = {"Berlin": 1, "Hamburg": 1, "Madrid": 1, "Turin": 1, "Lagos": 1, "Shanghai": 8, "London": 0, "New York": -5}


def _named(city: str, among: dict[str, object]) -> str:
    found = next((name for name in among if name.casefold() == city.strip().casefold()), None)
    if found is None:
        raise ToolError(f"Nothing is known of the city {city!r}: there are {', '.join(among)}.")
    return found


@tool(effect="read")
async def get_weather(city: str, day: str) -> dict[str, object]:
    """The weather forecast for a city on a day: sky, lowest and highest temperature.

    Args:
        city: The city's English name.
        day: The day as YYYY-MM-DD.
    """
    days = WEATHER[_named(city, dict(WEATHER))]
    if day.strip() not in days:
        raise ToolError(f"There is no forecast for {day!r}: there are {', '.join(days)}.")
    sky, low, high = days[day.strip()]
    return {"city": _named(city, dict(WEATHER)), "day": day.strip(), "sky": sky, "low_c": low, "high_c": high}


@tool(effect="read")
async def get_travel_time(
    origin: str, destination: str, mode: Literal["train", "car", "plane"] = "train"
) -> dict[str, object]:
    """How long a trip between two cities takes.

    Args:
        origin: Where the trip starts.
        destination: Where it ends.
        mode: How to travel.
    """
    pair = {origin.strip().casefold(), destination.strip().casefold()}
    for cities, ways in MINUTES.items():
        if {city.casefold() for city in cities} == pair:
            if mode not in ways:
                raise ToolError(f"No {mode} goes there: there is {', '.join(ways)}.")
            return {"from": origin.strip(), "to": destination.strip(), "mode": mode, "minutes": ways[mode]}
    raise ToolError(f"No trip from {origin!r} to {destination!r} is known.")


@tool(effect="read")
async def get_time_difference(first_city: str, second_city: str) -> dict[str, object]:
    """By how many hours the clocks of two cities differ, in winter.

    Args:
        first_city: One city's English name.
        second_city: The other's.
    """
    first, second = _named(first_city, dict(OFFSETS)), _named(second_city, dict(OFFSETS))
    return {"first": first, "second": second, "second_is_ahead_by_hours": OFFSETS[second] - OFFSETS[first]}
