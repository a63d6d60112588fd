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
BOOKINGS = {
    "FB-118": {
        "trip": {"origin": "Hull", "destination": "Bergen", "date": "2026-12-14"},
        "booked_by": {"name": "Pieter Claes", "passengers": 3},
        "payment": {"euros": 462, "paid": True},
    },
    "FB-121": {
        "trip": {"origin": "Oostende", "destination": "Hull", "date": "2026-12-02"},
        "booked_by": {"name": "Ines Prado", "passengers": 1},
        "payment": {"euros": 89, "paid": False},
    },
}
REGATTAS = {
    "RG-31": ("june", "Midsummer Cup", "Tove", 41, "Bergen", 120),
    "RG-34": ("june", "Harbour Mile", "Lise", 67, "Hull", 35),
    "RG-38": ("august", "Lantern Race", "Karim", 22, "Vigo", 60),
}


def place(name, table):
    key = name.strip().casefold()
    if key not in table:
        raise ToolError(f"Nothing is known of {name!r}: Bergen, Oostende, Vigo and Hull are.")
    return table[key]


@tool(effect="read", integrity="trusted")
def tides(port: str) -> dict[str, object]:
    """High and low water of a port today.

    Args:
        port: The port's city.
    """
    high, low = place(port, TIDES)
    return {"port": port, "high_water": high, "low_water": low}


@tool(effect="read", integrity="trusted")
def wind_at(port: str) -> dict[str, object]:
    """Wind force (Beaufort) and direction at a port.

    Args:
        port: The port's city.
    """
    force, direction = place(port, WIND)
    return {"port": port, "beaufort": force, "direction": direction}


@tool(effect="read", integrity="trusted")
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


@tool(effect="write", integrity="trusted")
def book_ferry(origin: str, destination: str, date: str, passengers: int) -> dict[str, object]:
    """Book a ferry crossing.

    Args:
        origin: The city where it starts.
        destination: The city where it goes.
        date: The day as YYYY-MM-DD.
        passengers: How many people travel.
    """
    return {"booking": "FB-300", "origin": origin, "destination": destination, "date": date, "passengers": passengers}


@tool(effect="read", integrity="trusted")
def ferry_booking(booking: str) -> dict[str, object]:
    """Trip, passengers and payment of a ferry booking.

    Args:
        booking: The booking's number, such as FB-900.
    """
    key = booking.strip().upper()
    if key not in BOOKINGS:
        raise ToolError(f"There is no booking {booking!r}: numbers look like FB-900.")
    return {"booking": key, **BOOKINGS[key]}


@tool(effect="read", integrity="trusted")
def regattas_in(month: str) -> list[dict[str, object]]:
    """List the regattas of a month.

    Args:
        month: The month's English name.
    """
    wanted = month.strip().casefold()
    return [
        {"regatta_id": key, "title": title, "boats": boats}
        for key, (when, title, _, boats, _, _) in REGATTAS.items()
        if when == wanted
    ]


@tool(effect="read", integrity="trusted")
def regatta_details(regatta_id: str) -> dict[str, object]:
    """Organiser, starting port and entry fee of a regatta.

    Args:
        regatta_id: The regatta's number, such as RG-10.
    """
    key = regatta_id.strip().upper()
    if key not in REGATTAS:
        raise ToolError(f"There is no regatta {regatta_id!r}: regattas_in lists them.")
    _, title, organiser, _, port, fee = REGATTAS[key]
    return {"regatta_id": key, "title": title, "organiser": organiser, "starts_in": port, "fee_euros": fee}
