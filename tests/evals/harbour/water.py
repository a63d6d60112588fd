"""Tides, wind and ferries. The data never changes."""

from glassloop import ToolError, tool

TIDES = {
    "bergen": ("05:12", "11:20"),
    "oostende": ("02:48", "09:05"),
    "vigo": ("07:31", "13:44"),
    "hull": ("04:02", "10:27"),
}
WIND = {"bergen": (7, "SW"), "oostende": (4, "NW"), "vigo": (3, "N"), "hull": (5, "E")}
FERRIES = {
    ("hull", "oostende"): ("21:30", 11.5, 89),
    ("oostende", "hull"): ("19:00", 11.5, 89),
    ("hull", "bergen"): ("16:15", 24.0, 154),
}


def place(name, table):
    key = name.strip().casefold()
    if key not in table:
        raise ToolError(f"Nothing is known of {name!r}: Bergen, Oostende, Vigo and Hull are.")
    return table[key]


@tool(effect="read")
def tides(port: str) -> dict[str, object]:
    """High and low water of a port today.

    Args:
        port: The port's city.
    """
    high, low = place(port, TIDES)
    return {"port": port, "high_water": high, "low_water": low}


@tool(effect="read")
def wind_at(port: str) -> dict[str, object]:
    """Wind force (Beaufort) and direction at a port.

    Args:
        port: The port's city.
    """
    force, direction = place(port, WIND)
    return {"port": port, "beaufort": force, "direction": direction}


@tool(effect="read")
def ferry_times(origin: str, destination: str) -> dict[str, object]:
    """When the ferry sails between two ports, how long it takes and what it costs.

    Args:
        origin: The city where it starts.
        destination: The city where it goes.
    """
    key = (origin.strip().casefold(), destination.strip().casefold())
    if key not in FERRIES:
        raise ToolError(f"No ferry sails from {origin} to {destination}.")
    sails, hours, euros = FERRIES[key]
    return {"origin": origin, "destination": destination, "departs": sails, "hours": hours, "euros": euros}


@tool(effect="write")
def book_ferry(origin: str, destination: str, date: str, passengers: int) -> dict[str, object]:
    """Book a ferry crossing.

    Args:
        origin: The city where it starts.
        destination: The city where it goes.
        date: The day as YYYY-MM-DD.
        passengers: How many people travel.
    """
    return {"booking": "FB-300", "origin": origin, "destination": destination, "date": date, "passengers": passengers}
